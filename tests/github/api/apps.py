"""The app, its installations and their tokens. https://docs.github.com/en/rest/apps"""

from __future__ import annotations

import secrets

from tests.github import messages, shapes
from tests.github.auth import Kind
from tests.github.clock import iso
from tests.github.messages import Refusal, Reply, say
from tests.github.repo_shape import repository
from tests.github.routing import Call, Route
from tests.github.shapes import JSON
from tests.github.state import App, Installation, Permissions, Repo, Token

TOKEN_SECONDS = 3600
MANIFEST_SECONDS = 3600


def get_app(call: Call) -> Reply:
    app = _app(call)
    count = len(_installations(call))
    return Reply(body=shapes.app(app, call.state, call.urls, installations=count))


def list_installations(call: Call) -> Reply:
    return call.page(_installations(call), lambda each: shapes.installation(each, call.state, call.urls))


def get_installation(call: Call) -> Reply:
    return Reply(body=shapes.installation(_installation(call), call.state, call.urls))


def get_repo_installation(call: Call) -> Reply:
    repo = call.repo()
    found = next((each for each in _installations(call) if each.covers(repo)), None)
    if found is None:
        raise Refusal(messages.not_found())
    return Reply(body=shapes.installation(found, call.state, call.urls))


def create_access_token(call: Call) -> Reply:
    installation = _installation(call)
    if installation.suspended_at is not None:
        raise Refusal(say(403, "This installation has been suspended"))
    fields = call.fields()
    permissions = _wanted_permissions(fields.get("permissions") or {}, installation)
    repos = _wanted_repos(call, fields, installation)
    token = Token(
        value="ghs_" + secrets.token_hex(18),
        permissions=permissions,
        expires_at=call.backend.now() + TOKEN_SECONDS,
        installation=installation.id,
        repos=[repo.full_name.lower() for repo in repos] if repos is not None else None,
    )
    call.state.tokens[token.value] = token
    body: JSON = {
        "token": token.value,
        "expires_at": iso(token.expires_at or 0),
        "permissions": permissions,
        "repository_selection": "all" if installation.repos is None and repos is None else "selected",
    }
    if repos is not None:
        body["repositories"] = [repository(repo, call.state, call.urls) for repo in repos]
    return Reply(status=201, body=body)


def list_repositories(call: Call) -> Reply:
    seen = [repo for repo in call.state.repos.values() if call.identity.sees(repo)]
    chosen, headers = call.slice(seen)
    installation = call.identity.installation
    body = {
        "total_count": len(seen),
        "repository_selection": "all" if installation and installation.repos is None else "selected",
        "repositories": [repository(repo, call.state, call.urls) for repo in chosen],
    }
    return Reply(body=body, headers=headers)


def get_hook_config(call: Call) -> Reply:
    config: JSON = {"content_type": "json", "insecure_ssl": "0", "secret": "********"}
    url = _app(call).webhook_url
    return Reply(body=config | ({"url": url} if url else {}))


def convert_manifest(call: Call) -> Reply:
    """The last step of https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest."""
    manifest = call.state.manifests.get(call.params["code"])
    if manifest is None or manifest.used or manifest.created_at + MANIFEST_SECONDS <= call.backend.now():
        raise Refusal(messages.not_found())
    manifest.used = True
    app = call.state.apps[manifest.app]
    body = shapes.app(app, call.state, call.urls) | {
        "client_secret": manifest.client_secret,
        "webhook_secret": app.webhook_secret,
        "pem": app.private_key,
    }
    return Reply(status=201, body=body)


def _app(call: Call) -> App:
    app = call.identity.app
    if app is None:
        raise Refusal(messages.requires_authentication())
    return app


def _installations(call: Call) -> list[Installation]:
    return [each for each in call.state.installations.values() if each.app == _app(call).id]


def _installation(call: Call) -> Installation:
    found = call.state.installations.get(call.number("installation_id"))
    if found is None or found.app != _app(call).id:
        raise Refusal(messages.not_found())
    return found


def _wanted_permissions(wanted: Permissions, installation: Installation) -> Permissions:
    """The subset asked for, or everything. Raises Refusal (422) when more is asked for than was granted."""
    for name, level in wanted.items():
        granted = installation.permissions.get(name)
        if granted is None or (level == "write" and granted != "write"):
            message = f"The permissions requested are not granted to this installation: {name}"
            raise Refusal(say(422, message))
    return dict(wanted or installation.permissions)


def _wanted_repos(call: Call, fields: JSON, installation: Installation) -> list[Repo] | None:
    names, ids = fields.get("repositories"), fields.get("repository_ids")
    if names is None and ids is None:
        return None
    covered = [repo for repo in call.state.repos.values() if installation.covers(repo)]
    chosen = [repo for repo in covered if repo.name in (names or []) or repo.id in (ids or [])]
    if len(chosen) != len(names or []) + len(ids or []):
        message = (
            "There is at least one repository that does not exist or is not accessible to the parent installation."
        )
        raise Refusal(say(422, message))
    return chosen


_APP = frozenset({Kind.APP})
_ANYBODY = frozenset(Kind)

ROUTES = (
    Route("GET", "/app", "apps/get-authenticated", get_app, callers=_APP),
    Route("GET", "/app/installations", "apps/list-installations", list_installations, callers=_APP),
    Route("GET", "/app/installations/{installation_id}", "apps/get-installation", get_installation, callers=_APP),
    Route(
        "POST",
        "/app/installations/{installation_id}/access_tokens",
        "apps/create-installation-access-token",
        create_access_token,
        callers=_APP,
        content=False,
    ),
    Route("GET", "/app/hook/config", "apps/get-webhook-config-for-app", get_hook_config, callers=_APP),
    Route(
        "GET", "/repos/{owner}/{repo}/installation", "apps/get-repo-installation", get_repo_installation, callers=_APP
    ),
    Route(
        "GET",
        "/installation/repositories",
        "apps/list-repos-accessible-to-installation",
        list_repositories,
        callers=frozenset({Kind.INSTALLATION}),
    ),
    Route("POST", "/app-manifests/{code}/conversions", "apps/create-from-manifest", convert_manifest, callers=_ANYBODY),
)
