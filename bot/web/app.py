"""The Flask app: the webhook, health and figures. Built from values, so that a test can build as many as it likes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import structlog
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from bot.settings import Settings
from bot.web.answers import Refusal, error
from bot.web.health import Check, create_health
from bot.web.metrics import Metrics
from bot.web.webhook import Receiver, Store, create_webhook

_log = structlog.get_logger(__name__)


def _all_well() -> str | None:
    return None


def create_app(
    *,
    settings: Settings,
    inbox: Store,
    wake: Callable[[], None],
    metrics: Metrics | None = None,
    alive: Check = _all_well,
    ready: Mapping[str, Check] | None = None,
    now: Callable[[], float] = time.time,
) -> Flask:
    """The app that receives for `inbox` and calls `wake` after every new delivery.

    `alive` and `ready` are asked by `/healthz` and `/readyz`. `now` gives Unix seconds. Raises `ValueError` without a
    webhook secret.
    """
    metrics = metrics or Metrics()
    receiver = Receiver(
        secrets=[secret.reveal() for secret in settings.webhook_secrets],
        app=settings.app_id or "token",
        inbox=inbox,
        wake=wake,
        metrics=metrics,
        now=now,
    )
    app = Flask(__name__, static_folder=None, template_folder=None)
    app.register_blueprint(create_webhook(settings.webhook_path, receiver))
    app.register_blueprint(create_health(alive=alive, ready=ready or {}, metrics=metrics))

    @app.errorhandler(Refusal)
    def refused(refusal: Refusal) -> Response:
        # What the sender calls it, so that a failed delivery on GitHub's page can be found here.
        claimed = request.headers.get("X-GitHub-Delivery", "")[:80]
        _log.warning("refused", code=refusal.code, reason=refusal.message, claimed_delivery=claimed)
        return error(refusal.code, refusal.message, headers=refusal.headers)

    @app.errorhandler(HTTPException)
    def no_page(problem: HTTPException) -> Response:
        code = problem.code or 500
        if code == 404:
            return error(404, f"There is nothing here. Deliveries go to POST {settings.webhook_path}.")
        kept = {name: value for name, value in problem.get_headers() if name in ("Allow", "Retry-After")}
        return error(code, problem.name, headers=kept)

    @app.errorhandler(Exception)
    def failed(_problem: Exception) -> Response:
        _log.exception("request failed")
        return error(500, "Something failed here; it has been logged. Redeliver it later.")

    return app
