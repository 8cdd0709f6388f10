"""A repository as JSON: mostly addresses."""

from __future__ import annotations

from tests.github.clock import iso
from tests.github.shapes import JSON, Urls, user
from tests.github.state import Repo, State, node_id

# Field name without `_url` to the path below the repository's API address.
_UNDER_API = {
    "archive": "/{archive_format}{/ref}",
    "assignees": "/assignees{/user}",
    "blobs": "/git/blobs{/sha}",
    "branches": "/branches{/branch}",
    "collaborators": "/collaborators{/collaborator}",
    "comments": "/comments{/number}",
    "commits": "/commits{/sha}",
    "compare": "/compare/{base}...{head}",
    "contents": "/contents/{+path}",
    "contributors": "/contributors",
    "deployments": "/deployments",
    "downloads": "/downloads",
    "events": "/events",
    "forks": "/forks",
    "git_commits": "/git/commits{/sha}",
    "git_refs": "/git/refs{/sha}",
    "git_tags": "/git/tags{/sha}",
    "hooks": "/hooks",
    "issue_comment": "/issues/comments{/number}",
    "issue_events": "/issues/events{/number}",
    "issues": "/issues{/number}",
    "keys": "/keys{/key_id}",
    "labels": "/labels{/name}",
    "languages": "/languages",
    "merges": "/merges",
    "milestones": "/milestones{/number}",
    "notifications": "/notifications{?since,all,participating}",
    "pulls": "/pulls{/number}",
    "releases": "/releases{/id}",
    "stargazers": "/stargazers",
    "statuses": "/statuses/{sha}",
    "subscribers": "/subscribers",
    "subscription": "/subscription",
    "tags": "/tags",
    "teams": "/teams",
    "trees": "/git/trees{/sha}",
}


def repository(repo: Repo, state: State, urls: Urls) -> JSON:
    """As lists and webhook payloads carry it."""
    api, page = urls.repo(repo.full_name), f"{urls.web}/{repo.full_name}"
    host = urls.web.removeprefix("https://").removeprefix("http://")
    open_issues = sum(issue.state == "open" and not issue.deleted for issue in repo.issues.values())
    return {
        "id": repo.id,
        "node_id": node_id("R", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
        "owner": user(state.users[repo.owner.lower()], urls),
        "html_url": page,
        "description": repo.description,
        "fork": False,
        "url": api,
        **{f"{name}_url": api + path for name, path in _UNDER_API.items()},
        "git_url": f"git://{host}/{repo.full_name}.git",
        "ssh_url": f"git@{host}:{repo.full_name}.git",
        "clone_url": f"{page}.git",
        "svn_url": page,
        "mirror_url": None,
        "homepage": None,
        "language": "Rust",
        "license": None,
        "topics": [],
        "size": 100,
        "forks": 0,
        "forks_count": 0,
        "watchers": 0,
        "watchers_count": 0,
        "stargazers_count": 0,
        "open_issues": open_issues,
        "open_issues_count": open_issues,
        "default_branch": repo.default_branch,
        "has_issues": repo.has_issues,
        "has_projects": False,
        "has_downloads": True,
        "has_wiki": False,
        "has_pages": False,
        "has_discussions": False,
        "allow_forking": True,
        "is_template": False,
        "web_commit_signoff_required": False,
        "archived": repo.archived,
        "disabled": False,
        "visibility": "private" if repo.private else "public",
        "created_at": iso(repo.created_at),
        "updated_at": iso(repo.created_at),
        "pushed_at": iso(repo.created_at),
    }


def full_repository(repo: Repo, state: State, urls: Urls) -> JSON:
    """As `GET /repos/{owner}/{repo}` answers."""
    return repository(repo, state, urls) | {"network_count": 0, "subscribers_count": 0}


def webhook_repository(repo: Repo, state: State, urls: Urls) -> JSON:
    return repository(repo, state, urls) | {"custom_properties": {}}
