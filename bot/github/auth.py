"""Who we are on GitHub: an App with a token for each installation, or the owner of a plain token.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/about-authentication-with-a-github-app
"""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable
from typing import Protocol

import msgspec
from github import GithubIntegration
from github.Auth import AppAuth, Auth
from github.AuthenticatedUser import AuthenticatedUser
from github.Requester import Requester

from bot.github.errors import Unauthorized, translated
from bot.github.port import Gone, Refused
from bot.github.requester import USER_AGENT, read_retry
from bot.private_key import key_problem

_RENEW_BEFORE = dt.timedelta(minutes=2)


class CredentialsError(ValueError):
    """A credential that cannot be used, found before anything is sent. Names the variable, never the value."""

    def __init__(self, variable: str, problem: str) -> None:
        super().__init__(f"{variable}: {problem}")
        self.variable = variable


class Author(msgspec.Struct, frozen=True):
    """The account that wrote a comment. GitHub sends null for a deleted one."""

    login: str
    type: str = "User"


class AppRef(msgspec.Struct, frozen=True):
    """The app through which a comment was written."""

    id: int
    client_id: str | None = None


class Identity(Protocol):
    """Tells our comments from those of others. Raises `GitHubError`s only."""

    def wrote(self, author: Author | None, app: AppRef | None) -> bool: ...


def checked_private_key(pem: str) -> str:
    """The PEM text unchanged. Raises `CredentialsError` when it is not an unencrypted RSA private key."""
    if problem := key_problem(pem):
        raise CredentialsError("PRIVATE_KEY", problem)
    return pem


def app_integration(*, app_id: str, private_key: str, api_url: str, timeout_seconds: int) -> GithubIntegration:
    """PyGithub's view of the App itself, authenticated with a JSON Web Token. `app_id` may be a client id."""
    return GithubIntegration(
        auth=AppAuth(app_id, checked_private_key(private_key)),
        base_url=api_url,
        timeout=timeout_seconds,
        user_agent=USER_AGENT,
        retry=read_retry(),
        seconds_between_requests=None,
        seconds_between_writes=None,
        lazy=True,
    )


class InstallationAuth(Auth):
    """An installation's token: fetched when first needed, renewed before it ends, dropped when GitHub refuses it.

    Unlike PyGithub's own it is safe between threads, and the token can be dropped.
    """

    def __init__(
        self,
        integration: GithubIntegration,
        installation: int,
        *,
        now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
    ) -> None:
        self._integration = integration
        self._installation = installation
        self._now = now
        self._lock = threading.Lock()
        self._token: str | None = None
        self._renew_at = now()

    @property
    def token_type(self) -> str:
        return "token"

    @property
    def token(self) -> str:
        """Raises `Gone` when the app is not installed (any more) or suspended, else what `translated` raises."""
        with self._lock:
            if self._token is None or self._now() >= self._renew_at:
                self._token, ends = self._exchange()
                self._renew_at = ends - _RENEW_BEFORE
            return self._token

    def drop(self) -> None:
        with self._lock:
            self._token = None

    def _exchange(self) -> tuple[str, dt.datetime]:
        try:
            with translated(f"access token of installation {self._installation}"):
                grant = self._integration.get_access_token(self._installation)
                token, ends = grant.token, grant.expires_at
                if not token or not isinstance(ends, dt.datetime):
                    raise ValueError("an answer without a token or its end")
        except Unauthorized as error:
            # Not the same as a token that ran out: asking again with the same key cannot help.
            raise Refused(f"{error} - do APP_ID and PRIVATE_KEY belong together, and is the clock right?") from None
        except Refused as error:
            if "suspended" in str(error).lower():
                raise Gone(str(error)) from None
            raise
        return token, ends if ends.tzinfo else ends.replace(tzinfo=dt.UTC)


class AppIdentity:
    """We are a GitHub App.

    GitHub names the app on what it wrote (`performed_via_github_app`). Where it does not, the author decides: an app
    acts as the Bot `slug[bot]`, a name that no person can take. Where neither is told, see `TokenIdentity`.
    """

    def __init__(self, app_id: str, integration: GithubIntegration) -> None:
        self._app_id = app_id
        self._integration = integration
        self._lock = threading.Lock()
        self._known: tuple[int, str] | None = None

    def wrote(self, author: Author | None, app: AppRef | None) -> bool:
        if app is not None:
            if self._app_id in (str(app.id), app.client_id):
                return True
            return not self._app_id.isdigit() and app.client_id is None and app.id == self._who()[0]
        if author is None:
            return True
        slug = author.login.removesuffix("[bot]")
        if author.type != "Bot" and slug == author.login:
            return False
        try:
            return slug == self._who()[1]
        except (Refused, Gone):
            return True  # see TokenIdentity

    def _who(self) -> tuple[int, str]:
        with self._lock:
            if self._known is None:
                with translated("GET /app"):
                    app = self._integration.get_app()
                    self._known = (app.id, app.slug)
            return self._known


class TokenIdentity:
    """We are the user of a plain token, or, in a workflow of GitHub Actions, the app behind it.

    A server that will not say who we are, or who wrote a comment, gets the benefit of the doubt: a comment that bears
    our marker is taken for ours. The worst that a forged marker can do is to keep us silent; not knowing our own
    comment would mean a second one.
    """

    def __init__(self, requester: Requester) -> None:
        self._requester = requester
        self._lock = threading.Lock()
        self._asked = False
        self._login: str | None = None

    def wrote(self, author: Author | None, app: AppRef | None) -> bool:  # noqa: ARG002 - the login says it all
        if author is None:
            return True
        login = self._who()
        return login is None or author.login == login

    def _who(self) -> str | None:
        with self._lock:
            if not self._asked:
                self._login = self._ask()
                self._asked = True
            return self._login

    def _ask(self) -> str | None:
        try:
            with translated("GET /user"):
                return AuthenticatedUser(self._requester, url="/user").login
        except Unauthorized:
            raise
        except (Refused, Gone):
            # The token of a workflow may not read /user, but may ask GraphQL for its own name.
            try:
                with translated("who the token belongs to"):
                    _, data = self._requester.graphql_query("query { viewer { login } }", {})
                    return str(data["data"]["viewer"]["login"])
            except (Refused, Gone):
                return None
