"""Everything that can be set from outside: the environment, and a `.env` file where the environment is silent.

Names are Probot's where Probot has one. All problems are reported at once, each with the variable and what to do.
Credentials are wrapped in `Secret`, so that printing the settings can never show them.
https://probot.github.io/docs/configuration/
"""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

import msgspec
from dotenv import dotenv_values

from bot import setting_values as values
from bot.policy.settings import LabelMode, Mode, PolicySettings
from bot.private_key import parse_private_key, read_key_file
from bot.records.model import Trust
from bot.records.where import default_root

GITHUB_API = "https://api.github.com"
SHORT_SECRET = 16


class LogFormat(enum.StrEnum):
    JSON = "json"
    CONSOLE = "console"


class LogLevel(enum.StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Need(enum.Flag):
    """What a command cannot start without."""

    NOTHING = 0
    SECRET = enum.auto()
    """a webhook secret"""
    CREDENTIALS = enum.auto()
    """a GitHub App or a token"""


class Problem(msgspec.Struct, frozen=True):
    variable: str
    message: str
    """What is wrong and what to set. Never the value of a secret."""


class SettingsError(Exception):
    """The settings cannot be used. Lists every problem, so that one look is enough to mend them all."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = tuple(problems)
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        lines = "".join(f"\n  {problem.variable}: {problem.message}" for problem in problems)
        super().__init__(f"{count} with the settings (environment or .env):{lines}")


class Secret:
    """A text that is shown nowhere by accident. `reveal()` where it is used."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "Secret(***)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    app_id: str | None = None
    """The App's id or client id; set together with `private_key`, or neither is."""
    private_key: Secret | None = None
    """As PEM text."""
    github_token: Secret | None = None
    """Used when there is no App."""
    webhook_secrets: tuple[Secret, ...] = ()
    """Any of them may have signed: the new one first, the old ones while they are being rotated out."""
    webhook_path: str = "/api/github/webhooks"
    host: str = "127.0.0.1"
    port: int = 3000
    """0 picks a free one."""
    log_level: LogLevel = LogLevel.INFO
    log_format: LogFormat = LogFormat.JSON
    github_api_url: str = GITHUB_API
    """Without a slash at the end."""
    database_url: Secret = Secret("sqlite:///burn-triage.sqlite3")
    """May carry a password."""
    records_dir: Path = Path("records")
    triage_mode: Mode = Mode.LIVE
    workers: int = 1
    """Worker threads of this process."""
    lease_seconds: float = 30.0
    """A job whose worker was silent for this long is given to another one."""
    settle_seconds: float = 5.0
    """How long a comment may take to show up in GitHub's list after a POST with an unknown outcome."""
    seconds_between_writes: float = 1.0
    label_mode: LabelMode = LabelMode.SUGGEST
    trust_floor: Trust = Trust.REVIEWED
    """The least trust with which a record speaks by itself."""
    confidence_floor: float = 0.85
    comments_per_hour: int = 120
    """Per repository."""
    warnings: tuple[Problem, ...] = ()
    """What works but should be mended."""

    @classmethod
    def from_env(cls, env: Mapping[str, str], *, need: Need = Need.NOTHING) -> Settings:
        """Read the settings from `env`, in which an empty string means unset.

        Raises `SettingsError` with all problems: values that make no sense, and what `need` asks for and is not there.
        """
        read, default = _Reader(env), cls()
        app_id, private_key = _app(read)
        token = read.parsed("GITHUB_TOKEN", values.token, "", show=False)
        settings = cls(
            app_id=app_id,
            private_key=private_key,
            github_token=Secret(token) if token else None,
            webhook_secrets=tuple(Secret(part) for part in values.split(read.text("WEBHOOK_SECRET"))),
            webhook_path=read.parsed("WEBHOOK_PATH", values.url_path, default.webhook_path),
            host=read.parsed("HOST", values.host, default.host),
            port=read.parsed("PORT", values.whole(0, 65535), default.port),
            log_level=read.parsed("LOG_LEVEL", values.one_of(LogLevel), default.log_level),
            log_format=read.parsed("LOG_FORMAT", values.one_of(LogFormat), default.log_format),
            github_api_url=_api_url(read),
            database_url=Secret(
                read.parsed("DATABASE_URL", values.database_url, default.database_url.reveal(), show=False)
            ),
            records_dir=read.parsed("RECORDS_DIR", Path, default_root()),
            triage_mode=read.parsed("TRIAGE_MODE", values.one_of(Mode), default.triage_mode),
            workers=read.parsed("WORKERS", values.whole(1, 64), default.workers),
            lease_seconds=read.parsed("LEASE_SECONDS", values.number(1, 3600), default.lease_seconds),
            settle_seconds=read.parsed("SETTLE_SECONDS", values.number(0, 3600), default.settle_seconds),
            seconds_between_writes=read.parsed(
                "SECONDS_BETWEEN_WRITES", values.number(0, 60), default.seconds_between_writes
            ),
            label_mode=read.parsed("LABEL_MODE", values.one_of(LabelMode), default.label_mode),
            trust_floor=read.parsed("TRUST_FLOOR", _trust, default.trust_floor),
            confidence_floor=read.parsed("CONFIDENCE_FLOOR", values.number(0, 1), default.confidence_floor),
            comments_per_hour=read.parsed("COMMENTS_PER_HOUR", values.whole(0, 500), default.comments_per_hour),
        )
        _look_at_secrets(settings.webhook_secrets, read)
        if Need.SECRET in need and not settings.webhook_secrets:
            read.problem(
                "WEBHOOK_SECRET",
                "not set, so no delivery could be trusted. Set it to the webhook secret of the GitHub App "
                "(several, separated by commas, while rotating).",
            )
        if Need.CREDENTIALS in need and not (app_id or read.mentions("GITHUB_TOKEN", *_APP_VARIABLES)):
            read.problem(
                "APP_ID",
                "no credentials. Set APP_ID and PRIVATE_KEY (or PRIVATE_KEY_PATH) of the GitHub App, "
                "or GITHUB_TOKEN for a trial with a token.",
            )
        if read.problems:
            raise SettingsError(read.problems)
        return msgspec.structs.replace(settings, warnings=tuple(read.warnings))

    def policy(self) -> PolicySettings:
        """The part that decisions depend on."""
        return PolicySettings(
            mode=self.triage_mode,
            confidence_floor=self.confidence_floor,
            trust_floor=self.trust_floor,
            label_mode=self.label_mode,
            comments_per_hour=self.comments_per_hour,
        )

    def secret_values(self) -> tuple[str, ...]:
        """Every text that must never be printed."""
        password = re.search(r"://[^:/@]*:(.+)@", self.database_url.reveal())
        secrets = [*self.webhook_secrets, self.github_token, self.private_key]
        texts = [secret.reveal() for secret in secrets if secret]
        return (*texts, *((password[1], unquote(password[1])) if password else ()))


def load_settings(*, need: Need = Need.NOTHING) -> Settings:
    """This process's settings: its environment over `.env` in the current directory. Raises `SettingsError`."""
    return Settings.from_env(read_environment(Path()), need=need)


def read_environment(directory: Path) -> dict[str, str]:
    """The process environment over `directory/.env`; empty strings are left out of both."""
    merged = {**dotenv_values(directory / ".env", interpolate=False), **_set(os.environ)}
    return _set(merged)


def _set(env: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in env.items() if value and value.strip()}


_T = TypeVar("_T")
_APP_VARIABLES = ("APP_ID", "PRIVATE_KEY", "PRIVATE_KEY_PATH")


class _Reader:
    """Reads variables and collects what is wrong with them."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = _set(env)
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []

    def problem(self, variable: str, message: str) -> None:
        self.problems.append(Problem(variable, message))

    def warning(self, variable: str, message: str) -> None:
        self.warnings.append(Problem(variable, message))

    def mentions(self, *variables: str) -> bool:
        return any(variable in self._env for variable in variables)

    def text(self, variable: str) -> str | None:
        value = self._env.get(variable)
        return value.strip() if value else None

    def parsed(self, variable: str, parse: Callable[[str], _T], default: _T, *, show: bool = True) -> _T:
        """`parse` raises `ValueError` with a sentence that says what is expected.

        `show=False` where a value that will not do may hold a password.
        """
        value = self.text(variable)
        if value is None:
            return default
        try:
            return parse(value)
        except ValueError as error:
            self.problem(variable, f"{value[:80]!r} will not do. {error}" if show else f"{error}")
            return default


def _look_at_secrets(secrets: tuple[Secret, ...], read: _Reader) -> None:
    if any(len(secret.reveal()) < SHORT_SECRET for secret in secrets):
        read.warning(
            "WEBHOOK_SECRET",
            f"shorter than {SHORT_SECRET} characters, so it can be guessed. Make one with: openssl rand -hex 32",
        )


def _trust(value: str) -> Trust:
    if value.lower() not in (Trust.REVIEWED, Trust.LINTED):
        raise ValueError(f"Set {Trust.REVIEWED} or {Trust.LINTED}.")
    return Trust(value.lower())


def _api_url(read: _Reader) -> str:
    """`GITHUB_API_URL` goes before `GHE_HOST`: it can say more."""
    enterprise = read.parsed("GHE_HOST", values.ghe_api_url, GITHUB_API)
    return read.parsed("GITHUB_API_URL", values.api_url, enterprise, show=False)


def _app(read: _Reader) -> tuple[str | None, Secret | None]:
    """The App's id and key. `PRIVATE_KEY` goes before `PRIVATE_KEY_PATH`."""
    app_id = read.parsed("APP_ID", values.app_id, "", show=False) or None
    variable = next((name for name in ("PRIVATE_KEY", "PRIVATE_KEY_PATH") if read.mentions(name)), None)
    if variable is None:
        if app_id:
            read.problem(
                "PRIVATE_KEY", "not set, but APP_ID is. Set it, or PRIVATE_KEY_PATH, to the App's private key."
            )
        return None, None
    if not read.mentions("APP_ID"):
        read.problem("APP_ID", f"not set, but {variable} is. Set it to the App ID shown on the App's settings page.")
    value = read.text(variable) or ""
    try:
        if variable == "PRIVATE_KEY_PATH":
            value, exposed = read_key_file(Path(value))
            if exposed:
                read.warning(variable, exposed)
        return app_id, Secret(parse_private_key(value))
    except ValueError as error:
        read.problem(variable, str(error))
        return None, None
