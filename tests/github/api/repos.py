"""Repositories, their files and who may do what in them. https://docs.github.com/en/rest/repos"""

from __future__ import annotations

import base64
import hashlib

from tests.github import messages, shapes
from tests.github.messages import Refusal, Reply
from tests.github.repo_shape import full_repository
from tests.github.routing import Call, Route
from tests.github.shapes import JSON
from tests.github.state import Role

_LEVELS = {"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}


def get(call: Call) -> Reply:
    return Reply(body=full_repository(call.repo(), call.state, call.urls))


def update(call: Call) -> Reply:
    repo = call.repo()
    fields = call.fields()
    for name in ("description", "has_issues", "archived", "default_branch"):
        if name in fields:
            setattr(repo, name, fields[name])
    return Reply(body=full_repository(repo, call.state, call.urls))


def get_permission(call: Call) -> Reply:
    """On a public repository everybody with an account may read.

    https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
    """
    repo = call.repo()
    user = call.state.users.get(call.params["username"].lower())
    if user is None:
        raise Refusal(messages.say(404, f"{call.params['username']} is not a user"))
    word = "none" if repo.private else "read"
    role = repo.roles.get(user.login.lower(), Role(role_name=word, permission=word))
    level = _LEVELS.get(role.role_name, _LEVELS[role.permission])
    shape = shapes.user(user, call.urls) | {
        "permissions": {
            name: level >= _LEVELS[word] for name, word in (("pull", "read"), ("triage", "triage"), ("push", "write"))
        }
        | {"maintain": level >= _LEVELS["maintain"], "admin": level >= _LEVELS["admin"]},
        "role_name": role.role_name,
    }
    return Reply(body={"permission": role.permission, "role_name": role.role_name, "user": shape})


def get_content(call: Call) -> Reply:
    """One file of the default branch. `single_file` is enough for the one file that it names."""
    repo = call.repo()
    path = call.params["path"]
    identity = call.identity
    single = identity.installation.single_file if identity.installation else None
    if not identity.may("contents", "read") and not (identity.may("single_file", "read") and single == path):
        raise Refusal(messages.not_accessible())
    ref = call.request.parameters().get("ref", repo.default_branch)
    if ref not in (repo.default_branch, f"refs/heads/{repo.default_branch}", "HEAD"):
        raise Refusal(messages.say(404, f"No commit found for the ref {ref}"))
    if path not in repo.files:
        raise Refusal(messages.not_found())
    content = repo.files[path].encode()
    if "raw" in call.request.headers.get("accept", ""):
        return Reply(body=content, headers={"content-type": "application/vnd.github.raw; charset=utf-8"})
    return Reply(body=_file(call, path, content))


def _file(call: Call, path: str, content: bytes) -> JSON:
    repo = call.repo()
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    at = f"{call.urls.repo(repo.full_name)}/contents/{path}?ref={repo.default_branch}"
    git = f"{call.urls.repo(repo.full_name)}/git/blobs/{blob}"
    page = f"{call.urls.web}/{repo.full_name}/blob/{repo.default_branch}/{path}"
    return {
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": blob,
        "size": len(content),
        "url": at,
        "html_url": page,
        "git_url": git,
        "download_url": f"https://raw.githubusercontent.com/{repo.full_name}/{repo.default_branch}/{path}",
        "type": "file",
        "content": base64.encodebytes(content).decode(),
        "encoding": "base64",
        "_links": {"self": at, "git": git, "html": page},
    }


_REPO = "/repos/{owner}/{repo}"

ROUTES = (
    Route("GET", _REPO, "repos/get", get, needs=("metadata", "read")),
    Route("PATCH", _REPO, "repos/update", update, needs=("administration", "write")),
    Route(
        "GET",
        _REPO + "/collaborators/{username}/permission",
        "repos/get-collaborator-permission-level",
        get_permission,
        needs=("metadata", "read"),
    ),
    Route("GET", _REPO + "/contents/{path}", "repos/get-content", get_content),
)
