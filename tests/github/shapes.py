"""How GitHub writes its values as JSON: users, labels, comments, issues, reactions, apps.

Every function is pure: state in, JSON out. `Urls` says under which addresses the API and the web pages stand.
"""

from __future__ import annotations

from collections import Counter
from typing import Any
from urllib.parse import quote

import msgspec

from tests.github.clock import iso
from tests.github.state import (
    App,
    Comment,
    HookDelivery,
    Installation,
    Issue,
    IssueEvent,
    Label,
    Reaction,
    Repo,
    State,
    Suggestion,
    User,
    node_id,
)

JSON = dict[str, Any]
REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


class Urls(msgspec.Struct, frozen=True):
    api: str = "https://api.github.com"
    web: str = "https://github.com"

    def repo(self, full_name: str) -> str:
        return f"{self.api}/repos/{full_name}"

    def issue(self, issue: Issue) -> str:
        return f"{self.repo(issue.repo)}/issues/{issue.number}"


def user(value: User, urls: Urls) -> JSON:
    prefix = {"Bot": "BOT", "Organization": "O"}.get(value.type, "U")
    at = f"{urls.api}/users/{quote(value.login)}"
    page = f"apps/{value.login.removesuffix('[bot]')}" if value.type == "Bot" else value.login
    return {
        "login": value.login,
        "id": value.id,
        "node_id": node_id(prefix, value.id),
        "avatar_url": f"https://avatars.githubusercontent.com/u/{value.id}?v=4",
        "gravatar_id": "",
        "url": at,
        "html_url": f"{urls.web}/{page}",
        "followers_url": f"{at}/followers",
        "following_url": f"{at}/following{{/other_user}}",
        "gists_url": f"{at}/gists{{/gist_id}}",
        "starred_url": f"{at}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{at}/subscriptions",
        "organizations_url": f"{at}/orgs",
        "repos_url": f"{at}/repos",
        "events_url": f"{at}/events{{/privacy}}",
        "received_events_url": f"{at}/received_events",
        "type": value.type,
        "site_admin": False,
    }


def login(name: str | None, state: State, urls: Urls) -> JSON | None:
    """The user of that name; None stays None, as does an account that is gone."""
    found = state.users.get(name.lower()) if name else None
    return user(found, urls) if found else None


def full_user(value: User, urls: Urls, created_at: float) -> JSON:
    """`GET /user` and `GET /users/{username}`, the public view."""
    return user(value, urls) | {
        "user_view_type": "public",
        "name": None,
        "company": None,
        "blog": "",
        "location": None,
        "email": None,
        "hireable": None,
        "bio": None,
        "twitter_username": None,
        "public_repos": 0,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": iso(created_at),
        "updated_at": iso(created_at),
    }


def label(value: Label, repo: Repo, urls: Urls) -> JSON:
    return {
        "id": value.id,
        "node_id": node_id("LA", value.id),
        "url": f"{urls.repo(repo.full_name)}/labels/{quote(value.name, safe='')}",
        "name": value.name,
        "color": value.color,
        "default": value.default,
        "description": value.description,
    }


def reaction(value: Reaction, state: State, urls: Urls) -> JSON:
    return {
        "id": value.id,
        "node_id": node_id("REA", value.id),
        "user": login(value.user, state, urls),
        "content": value.content,
        "created_at": iso(value.created_at),
    }


def rollup(reactions: list[Reaction], at: str) -> JSON:
    counts = Counter(each.content for each in reactions)
    return {"url": f"{at}/reactions", "total_count": len(reactions)} | {name: counts[name] for name in REACTIONS}


def app(value: App, state: State, urls: Urls, *, installations: int | None = None) -> JSON:
    shape = {
        "id": value.id,
        "client_id": value.client_id,
        "slug": value.slug,
        "node_id": node_id("A", value.id),
        "owner": login(value.owner, state, urls),
        "name": value.name,
        "description": "",
        "external_url": value.external_url,
        "html_url": f"{urls.web}/apps/{value.slug}",
        "created_at": iso(value.created_at),
        "updated_at": iso(value.created_at),
        "permissions": value.permissions,
        "events": value.events,
    }
    return shape if installations is None else shape | {"installations_count": installations}


def written_by(app_id: int | None, state: State, urls: Urls) -> JSON | None:
    """`performed_via_github_app`"""
    found = state.apps.get(app_id) if app_id is not None else None
    return app(found, state, urls) if found else None


def association(author: str, repo: Repo) -> str:
    if author.lower() == repo.owner.lower():
        return "OWNER"
    role = repo.roles.get(author.lower())
    return "MEMBER" if role and role.permission in ("write", "admin") else "NONE"


def comment(value: Comment, issue: Issue, repo: Repo, state: State, urls: Urls) -> JSON:
    at = f"{urls.repo(repo.full_name)}/issues/comments/{value.id}"
    return {
        "url": at,
        "html_url": f"{urls.web}/{repo.full_name}/issues/{issue.number}#issuecomment-{value.id}",
        "issue_url": urls.issue(issue),
        "id": value.id,
        "node_id": node_id("IC", value.id),
        "user": login(value.author, state, urls),
        "created_at": iso(value.created_at),
        "updated_at": iso(value.updated_at),
        "body": value.body,
        "author_association": association(value.author, repo),
        "reactions": rollup(value.reactions, at),
        "performed_via_github_app": written_by(value.app, state, urls),
        "minimized": {"reason": value.minimized.lower()} if value.minimized else None,
    }


def issue(value: Issue, repo: Repo, state: State, urls: Urls) -> JSON:
    at = urls.issue(value)
    page = f"{urls.web}/{repo.full_name}/{'pull' if value.pull_request else 'issues'}/{value.number}"
    found = [repo.label(name) for name in value.labels]
    shape: JSON = {
        "url": at,
        "repository_url": urls.repo(repo.full_name),
        "labels_url": f"{at}/labels{{/name}}",
        "comments_url": f"{at}/comments",
        "events_url": f"{at}/events",
        "timeline_url": f"{at}/timeline",
        "html_url": page,
        "id": value.id,
        "node_id": node_id("I", value.id),
        "number": value.number,
        "title": value.title,
        "user": login(value.author, state, urls),
        "labels": [label(each, repo, urls) for each in found if each],
        "state": value.state,
        "state_reason": value.state_reason,
        "locked": value.locked,
        "active_lock_reason": value.lock_reason,
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "comments": len(value.comments),
        "created_at": iso(value.created_at),
        "updated_at": iso(value.updated_at),
        "closed_at": iso(value.closed_at) if value.closed_at is not None else None,
        "author_association": association(value.author, repo),
        "body": value.body,
        "reactions": rollup(value.reactions, at),
        "performed_via_github_app": written_by(value.app, state, urls),
    }
    if value.pull_request:
        pull = f"{urls.repo(repo.full_name)}/pulls/{value.number}"
        shape |= {
            "draft": False,
            "pull_request": {
                "url": pull,
                "html_url": page,
                "diff_url": f"{page}.diff",
                "patch_url": f"{page}.patch",
                "merged_at": None,
            },
        }
    return shape


def issue_event(value: IssueEvent, repo: Repo, state: State, urls: Urls) -> JSON:
    actor = state.users[value.actor.lower()]
    via = next((each for each in state.apps.values() if each.bot == actor.login), None)
    return {
        "id": value.id,
        "node_id": node_id("EV", value.id),
        "url": f"{urls.repo(repo.full_name)}/issues/events/{value.id}",
        "actor": user(actor, urls),
        "event": value.event,
        "commit_id": None,
        "commit_url": None,
        "created_at": iso(value.created_at),
        "performed_via_github_app": app(via, state, urls) if via else None,
    } | value.detail


def suggestion(value: Suggestion, issue_: Issue, repo: Repo, state: State) -> JSON:
    wanted = repo.label(value.label)

    def number(name: str | None) -> int | None:
        found = state.users.get(name.lower()) if name else None
        return found.id if found else None

    return {
        "id": value.id,
        "issue_id": issue_.id,
        "action": "add_label",
        "state": value.state,
        "target_id": wanted.id if wanted else None,
        "target_value": None,
        "rationale": value.rationale,
        "confidence": value.confidence.upper() if value.confidence else None,
        "actor_id": number(value.actor),
        "issue_event_id": None,
        "resolved_by": number(value.resolved_by),
        "created_at": iso(value.created_at),
        "updated_at": iso(value.updated_at),
    }


def installation(value: Installation, state: State, urls: Urls) -> JSON:
    account = state.users[value.account.lower()]
    return {
        "id": value.id,
        "client_id": state.apps[value.app].client_id,
        "account": user(account, urls),
        "repository_selection": "all" if value.repos is None else "selected",
        "access_tokens_url": f"{urls.api}/app/installations/{value.id}/access_tokens",
        "repositories_url": f"{urls.api}/installation/repositories",
        "html_url": f"{urls.web}/organizations/{value.account}/settings/installations/{value.id}",
        "app_id": value.app,
        "app_slug": state.apps[value.app].slug,
        "target_id": account.id,
        "target_type": account.type,
        "permissions": value.permissions,
        "events": value.events,
        "created_at": iso(value.created_at),
        "updated_at": iso(value.created_at),
        "single_file_name": value.single_file,
        "has_multiple_single_files": False,
        "single_file_paths": [value.single_file] if value.single_file else [],
        "suspended_by": login(value.suspended_by, state, urls),
        "suspended_at": iso(value.suspended_at) if value.suspended_at is not None else None,
    }


def hook_delivery(value: HookDelivery, *, whole: bool = False) -> JSON:
    shape: JSON = {
        "id": value.id,
        "guid": value.guid,
        "delivered_at": iso(value.delivered_at),
        "redelivery": value.redelivery,
        "duration": round(value.duration, 2),
        "status": value.status,
        "status_code": value.status_code,
        "event": value.event,
        "action": value.action,
        "installation_id": value.installation_id,
        "repository_id": value.repository_id,
        "throttled_at": None,
    }
    if whole:
        shape |= {
            "url": value.url,
            "request": {"headers": value.request_headers, "payload": value.payload},
            "response": {"headers": value.response_headers, "payload": value.response_body},
        }
    return shape
