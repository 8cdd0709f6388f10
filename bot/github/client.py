"""The door to GitHub: `build_github` gives what `bot.github.port.GitHub` promises, with PyGithub behind it.

One requester, token, identity and write limiter for each installation, made when first asked for and kept.
Paths are built from the checked owner and name; no URL of a payload is called.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass

from github.Auth import Auth, Token
from github.GithubIntegration import GithubIntegration

from bot.github.access import Access
from bot.github.auth import AppIdentity, CredentialsError, InstallationAuth, TokenIdentity, app_integration
from bot.github.errors import translated
from bot.github.limits import WriteLimiter
from bot.github.port import GitHub, Refused, Repository
from bot.github.repository import PyGithubRepository
from bot.github.requester import SteadyRequester
from bot.policy.events import PayloadError, parse_repository


@dataclass(frozen=True, kw_only=True)
class Connection:
    """Where GitHub is and how fast it may be used."""

    api_url: str
    timeout_seconds: int
    seconds_between_writes: float
    creations_per_minute: int
    creations_per_hour: int
    longest_sleep_seconds: float

    def requester(self, auth: Auth) -> SteadyRequester:
        return SteadyRequester(auth=auth, api_url=self.api_url, timeout_seconds=self.timeout_seconds)

    def limiter(self) -> WriteLimiter:
        return WriteLimiter(
            seconds_between_writes=self.seconds_between_writes,
            creations_per_minute=self.creations_per_minute,
            creations_per_hour=self.creations_per_hour,
            longest_sleep_seconds=self.longest_sleep_seconds,
        )


class AppGitHub:
    """GitHub through an App. Safe to share between threads; the repositories it gives are not."""

    def __init__(self, *, app_id: str, integration: GithubIntegration, connection: Connection) -> None:
        self._integration = integration
        self._identity = AppIdentity(app_id, integration)
        self._connection = connection
        self._lock = threading.Lock()
        self._accesses: dict[int, Access] = {}

    def repository(self, full_name: str, *, installation: int | None) -> Repository:
        """`installation` None (a delivery that names none): GitHub is asked for it, with the `GitHubError`s of a call.

        Raises `Refused` for a name that must not become a path.
        """
        name = _checked(full_name)
        return PyGithubRepository(
            name, self._access(self._installation_of(name) if installation is None else installation)
        )

    def _access(self, installation: int) -> Access:
        with self._lock:
            access = self._accesses.get(installation)
            if access is None:
                auth = InstallationAuth(self._integration, installation)
                access = self._accesses[installation] = Access(
                    requester=self._connection.requester(auth),
                    identity=self._identity,
                    limiter=self._connection.limiter(),
                    drop_token=auth.drop,
                )
            return access

    def _installation_of(self, full_name: str) -> int:
        owner, _, name = full_name.partition("/")
        with translated(f"installation of {full_name}"):
            return self._integration.get_repo_installation(owner, name).id


class TokenGitHub:
    """GitHub with one plain token, whatever installation a delivery names."""

    def __init__(self, *, token: str, connection: Connection) -> None:
        requester = connection.requester(Token(token))
        self._access = Access(
            requester=requester, identity=TokenIdentity(requester), limiter=connection.limiter(), drop_token=None
        )

    def repository(self, full_name: str, *, installation: int | None) -> Repository:  # noqa: ARG002 - a token has none
        """Raises `Refused` for a name that must not become a path."""
        return PyGithubRepository(_checked(full_name), self._access)


def build_github(
    *,
    app_id: str | None = None,
    private_key: str | None = None,
    token: str | None = None,
    api_url: str = "https://api.github.com",
    timeout_seconds: int = 15,
    seconds_between_writes: float = 1.0,
    creations_per_minute: int = 80,
    creations_per_hour: int = 500,
    longest_sleep_seconds: float = 5.0,
) -> GitHub:
    """GitHub with an App's credentials (`app_id` or client id, and its key as PEM text), else with a plain token.

    `api_url` is the API's base: https://api.github.com, or https://HOST/api/v3 for GitHub Enterprise. Nothing is sent
    yet. Raises `CredentialsError`, which names the variable to set.
    """
    # At DEBUG PyGithub logs whole answers, access tokens among them.
    logging.getLogger("github").setLevel(logging.WARNING)
    connection = Connection(
        api_url=api_url,
        timeout_seconds=timeout_seconds,
        seconds_between_writes=seconds_between_writes,
        creations_per_minute=creations_per_minute,
        creations_per_hour=creations_per_hour,
        longest_sleep_seconds=longest_sleep_seconds,
    )
    if app_id and private_key:
        integration = app_integration(
            app_id=app_id, private_key=private_key, api_url=api_url, timeout_seconds=timeout_seconds
        )
        return AppGitHub(app_id=app_id, integration=integration, connection=connection)
    if app_id or private_key:
        missing = "PRIVATE_KEY" if app_id else "APP_ID"
        raise CredentialsError(missing, "not set, but the other half of the App's credentials is")
    if not token:
        raise CredentialsError("APP_ID", "no credentials: set APP_ID and PRIVATE_KEY, or GITHUB_TOKEN")
    return TokenGitHub(token=token, connection=connection)


def _checked(full_name: str) -> str:
    try:
        return parse_repository(full_name)
    except PayloadError as error:
        raise Refused(str(error)) from None
