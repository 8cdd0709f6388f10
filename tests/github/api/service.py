"""Who am I, how much may I still ask, what server is this."""

from __future__ import annotations

from tests.github import messages, shapes
from tests.github.auth import Kind
from tests.github.messages import Refusal, Reply
from tests.github.routing import Call, Route

_ANYBODY = frozenset(Kind)


def get_authenticated_user(call: Call) -> Reply:
    """Installations are not users: GitHub refuses them here."""
    if call.identity.kind is not Kind.PERSON:
        raise Refusal(messages.not_accessible())
    user = call.backend.user(call.login)
    return Reply(body=shapes.full_user(user, call.urls, call.backend.now()))


def get_user(call: Call) -> Reply:
    user = call.state.users.get(call.params["username"].lower())
    if user is None:
        raise Refusal(messages.not_found())
    return Reply(body=shapes.full_user(user, call.urls, call.backend.now()))


def get_rate_limit(call: Call) -> Reply:
    """Asking is free. https://docs.github.com/en/rest/rate-limit/rate-limit"""
    used, reset = call.backend.rate.look(call.identity.who, call.backend.now())
    limit = call.backend.rate.limit
    core = {"limit": limit, "remaining": max(0, limit - used), "reset": int(reset), "used": used}
    search = {"limit": 30, "remaining": 30, "reset": int(reset), "used": 0}
    return Reply(body={"resources": {"core": core, "search": search, "graphql": core}, "rate": core})


def get_meta(call: Call) -> Reply:
    return Reply(body={"verifiable_password_authentication": False, "hooks": ["127.0.0.0/8"]})


ROUTES = (
    Route(
        "GET",
        "/user",
        "users/get-authenticated",
        get_authenticated_user,
        callers=frozenset({Kind.PERSON, Kind.INSTALLATION}),
    ),
    Route("GET", "/users/{username}", "users/get-by-username", get_user),
    Route("GET", "/rate_limit", "rate-limit/get", get_rate_limit, callers=_ANYBODY),
    Route("GET", "/meta", "meta/get", get_meta, callers=_ANYBODY),
)
