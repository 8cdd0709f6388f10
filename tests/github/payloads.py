"""Webhook payloads in GitHub's full shape.

https://docs.github.com/en/webhooks/webhook-events-and-payloads. The contract run checks each of them against
GitHub's own description of its webhooks.
"""

from __future__ import annotations

from tests.github import shapes
from tests.github.clock import iso
from tests.github.repo_shape import webhook_repository
from tests.github.shapes import JSON, Urls
from tests.github.state import App, Comment, Installation, Issue, Label, Repo, State, User, node_id

ACTIONS_APP_ID = 15_368
"""The app behind the GITHUB_TOKEN of GitHub Actions."""

ZEN = "Approachable is better than simple."


def installation_of(state: State, repo: Repo) -> Installation | None:
    """The app's installation that sees the repository."""
    return next(
        (each for each in state.installations.values() if each.app != ACTIONS_APP_ID and each.covers(repo)), None
    )


def about_issue(
    state: State,
    issue: Issue,
    *,
    action: str,
    sender: str,
    comment: Comment | None = None,
    changes: JSON | None = None,
    label: Label | None = None,
    urls: Urls | None = None,
) -> JSON:
    """`issues`, or with a comment `issue_comment`. Every login named must be a known user."""
    urls = urls or Urls()
    repo = state.repos[issue.repo.lower()]
    payload: JSON = {
        "action": action,
        "issue": _without_client_id(shapes.issue(issue, repo, state, urls)),
        "repository": webhook_repository(repo, state, urls),
        "sender": shapes.login(sender, state, urls),
    }
    if comment is not None:
        payload["comment"] = _webhook_comment(comment, issue, repo, state, urls)
    if changes is not None:
        payload["changes"] = changes
    if label is not None:
        payload["label"] = shapes.label(label, repo, urls)
    installation = installation_of(state, repo)
    if installation is not None:
        payload["installation"] = {"id": installation.id, "node_id": node_id("MDI", installation.id)}
    owner = state.users[repo.owner.lower()]
    if owner.type == "Organization":
        payload["organization"] = organization(owner, urls)
    return payload


def _webhook_comment(comment: Comment, issue: Issue, repo: Repo, state: State, urls: Urls) -> JSON:
    """Webhooks say nothing of a comment being minimized."""
    shape = _without_client_id(shapes.comment(comment, issue, repo, state, urls))
    del shape["minimized"]
    return shape


def _without_client_id(shape: JSON) -> JSON:
    """Webhooks name the app that wrote something without its client id."""
    if shape["performed_via_github_app"] is not None:
        del shape["performed_via_github_app"]["client_id"]
    return shape


def organization(owner: User, urls: Urls) -> JSON:
    at = f"{urls.api}/orgs/{owner.login}"
    return {
        "login": owner.login,
        "id": owner.id,
        "node_id": node_id("O", owner.id),
        "url": at,
        "repos_url": f"{at}/repos",
        "events_url": f"{at}/events",
        "hooks_url": f"{at}/hooks",
        "issues_url": f"{at}/issues",
        "members_url": f"{at}/members{{/member}}",
        "public_members_url": f"{at}/public_members{{/member}}",
        "avatar_url": f"https://avatars.githubusercontent.com/u/{owner.id}?v=4",
        "description": "",
    }


def about_installation(
    state: State, installation: Installation, *, action: str, sender: str, urls: Urls | None = None
) -> JSON:
    """`installation`: created, deleted, suspend, unsuspend."""
    urls = urls or Urls()
    covered = [repo for repo in state.repos.values() if installation.covers(repo)]
    payload: JSON = {
        "action": action,
        "installation": _webhook_installation(installation, state, urls),
        "sender": shapes.login(sender, state, urls),
    }
    if action in ("created", "deleted"):
        payload["repositories"] = [_brief(repo) for repo in covered]
    return payload


def about_installation_repositories(
    state: State,
    installation: Installation,
    *,
    sender: str,
    added: list[Repo] | None = None,
    removed: list[Repo] | None = None,
    urls: Urls | None = None,
) -> JSON:
    """`installation_repositories`: added when `added` is given, else removed."""
    urls = urls or Urls()
    return {
        "action": "added" if added else "removed",
        "installation": _webhook_installation(installation, state, urls),
        "repository_selection": "all" if installation.repos is None else "selected",
        "repositories_added": [_brief(repo) for repo in added or []],
        "repositories_removed": [_brief(repo) for repo in removed or []],
        "requester": None,
        "sender": shapes.login(sender, state, urls),
    }


def ping(state: State, app: App, *, url: str, urls: Urls | None = None) -> JSON:
    """What an app's webhook receives when the app is registered."""
    urls = urls or Urls()
    hook_id = app.id + 400_000_000
    return {
        "zen": ZEN,
        "hook_id": hook_id,
        "hook": {
            "type": "App",
            "id": hook_id,
            "name": "web",
            "active": True,
            "app_id": app.id,
            "events": app.events,
            "config": {"content_type": "json", "insecure_ssl": "0", "url": url},
            "created_at": iso(app.created_at),
            "updated_at": iso(app.created_at),
            "url": f"{urls.api}/app/hook/config",
            "ping_url": f"{urls.api}/app/hook/pings",
            "deliveries_url": f"{urls.api}/app/hook/deliveries",
        },
    }


def _brief(repo: Repo) -> JSON:
    return {
        "id": repo.id,
        "node_id": node_id("R", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
    }


def _webhook_installation(installation: Installation, state: State, urls: Urls) -> JSON:
    shape = shapes.installation(installation, state, urls)
    del shape["client_id"]
    return shape
