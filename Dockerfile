# The bot as a small image that runs as nobody in particular.
#
#   docker build -t burn-triage .
#   docker run --env-file .env -p 127.0.0.1:3000:3000 -v burn-triage:/data burn-triage
#
# `make prove-image` runs these very steps in a Debian root, without a container engine.

FROM python:3.13-slim-trixie AS build

WORKDIR /src
RUN python -m venv /opt/bot
# First what changes seldom: this layer is kept as long as the pinned dependencies stay the same.
COPY requirements/runtime.txt requirements/
RUN /opt/bot/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements/runtime.txt
COPY pyproject.toml README.md LICENSE ./
COPY bot bot
# Installers have no place in the image that runs: nothing is left there that could fetch code.
RUN /opt/bot/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation . \
    && /opt/bot/bin/pip uninstall --quiet --yes setuptools pip


FROM python:3.13-slim-trixie

# Writable is /data alone, where the inbox lies unless DATABASE_URL names a server.
RUN useradd --uid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin bot \
    && install --directory --owner=bot --group=bot --mode=0750 /data
COPY --from=build /opt/bot /opt/bot
COPY records /app/records

ENV PATH=/opt/bot/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOST=0.0.0.0 \
    PORT=3000 \
    RECORDS_DIR=/app/records \
    DATABASE_URL=sqlite:////data/burn-triage.sqlite3

WORKDIR /data
VOLUME /data
EXPOSE 3000
# A number, so that an orchestrator can see that it is not root.
USER 10001

# Stops taking requests, finishes the job in hand, and ends by itself within ten seconds.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ[\"PORT\"]}/healthz', timeout=4)"]

ENTRYPOINT ["burn-triage"]
CMD ["serve"]
