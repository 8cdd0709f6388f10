"""Who is asking: an app by its signed JWT, an installation by its token, a person by theirs.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
"""

from __future__ import annotations

import enum
import time
from dataclasses import dataclass
from typing import Any

import jwt
from jwt.types import Options

from tests.github import messages
from tests.github.backend import Backend
from tests.github.messages import Refusal, Request, say
from tests.github.state import App, Installation, Permissions, Repo, Token

MAX_JWT_SECONDS = 600
_UNCHECKED: Options = {"verify_exp": False, "verify_iat": False, "verify_nbf": False, "verify_aud": False}


class Kind(enum.Enum):
    NOBODY = "nobody"
    APP = "app"
    INSTALLATION = "installation"
    PERSON = "person"


@dataclass(frozen=True, kw_only=True)
class Identity:
    kind: Kind
    who: str
    """Under which name requests are counted against the rate limit."""
    login: str | None = None
    """Under which name it writes."""
    app: App | None = None
    installation: Installation | None = None
    token: Token | None = None
    permissions: Permissions

    def may(self, name: str, level: str) -> bool:
        granted = self.permissions.get(name)
        return granted == "write" or (granted == "read" and level == "read")

    def sees(self, repo: Repo) -> bool:
        """Installations are held to the repositories they were given; people see everything here."""
        if self.installation is None:
            return self.kind is Kind.PERSON
        allowed = self.token.repos if self.token else None
        return self.installation.covers(repo) and (allowed is None or repo.full_name.lower() in allowed)


NOBODY = Identity(kind=Kind.NOBODY, who="127.0.0.1", permissions={})


def authenticate(backend: Backend, request: Request) -> Identity:
    """Who sent the request. Raises Refusal (401, 403)."""
    if not request.headers.get("user-agent"):
        raise Refusal(say(403, "Request forbidden by administrative rules. Please send a User-Agent header."))
    scheme, _, credential = request.headers.get("authorization", "").partition(" ")
    credential = credential.strip()
    if not credential:
        return NOBODY
    if scheme.lower() not in ("bearer", "token"):
        raise Refusal(messages.bad_credentials())
    if credential.count(".") == 2:
        return _app(backend, credential)
    return _token(backend, credential)


def _app(backend: Backend, assertion: str) -> Identity:
    try:
        claims = jwt.decode(assertion, options={"verify_signature": False})
        app = _issuer(backend, claims.get("iss"))
        if app is None:
            raise Refusal(say(401, "Integration not found"))
        # The times are checked below, against a clock that may drift.
        jwt.decode(assertion, app.public_key, algorithms=["RS256"], options=_UNCHECKED)
    except jwt.InvalidTokenError as error:
        raise Refusal(say(401, "A JSON web token could not be decoded")) from error
    now = time.time() + backend.drift
    issued, expires = claims.get("iat"), claims.get("exp")
    if not isinstance(issued, int) or issued > now + 1:
        message = "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
        raise Refusal(say(401, message))
    if not isinstance(expires, (int, float)) or expires <= now:
        message = (
            "'Expiration time' claim ('exp') must be a numeric value representing the future time "
            "at which the assertion expires"
        )
        raise Refusal(say(401, message))
    if expires > now + MAX_JWT_SECONDS:
        raise Refusal(say(401, "'Expiration time' claim ('exp') is too far in the future"))
    return Identity(kind=Kind.APP, who=f"app ID {app.id}", app=app, permissions={})


def _issuer(backend: Backend, issuer: Any) -> App | None:
    """`iss` is the app's id or its client id."""
    return next(
        (app for app in backend.state.apps.values() if str(issuer) in (str(app.id), app.client_id)),
        None,
    )


def _token(backend: Backend, value: str) -> Identity:
    token = backend.state.tokens.get(value)
    if token is None or token.revoked or (token.expires_at is not None and token.expires_at <= backend.now()):
        raise Refusal(messages.bad_credentials())
    if token.user is not None:
        return Identity(
            kind=Kind.PERSON, who=f"user {token.user}", login=token.user, token=token, permissions=token.permissions
        )
    installation = backend.state.installations.get(token.installation or 0)
    if installation is None:
        raise Refusal(messages.bad_credentials())
    if installation.suspended_at is not None:
        raise Refusal(say(403, "This installation has been suspended"))
    app = backend.state.apps[installation.app]
    return Identity(
        kind=Kind.INSTALLATION,
        who=f"installation ID {installation.id}",
        login=app.bot,
        app=app,
        installation=installation,
        token=token,
        permissions=_both(token.permissions, installation.permissions),
    )


def _both(token: Permissions, installation: Permissions) -> Permissions:
    """What the token was given and the installation still has."""
    return {
        name: "read" if "read" in (level, installation[name]) else level
        for name, level in token.items()
        if name in installation
    }
