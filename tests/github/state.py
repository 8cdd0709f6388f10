"""What the fake GitHub remembers. Plain mutable values; whoever touches them holds the backend's lock.

Timestamps are unix seconds. Names are GitHub's own. `State` can be written to a file and read back, which is what
`python -m tests.github --state FILE` does.
"""

from __future__ import annotations

import base64
from typing import Any

import msgspec

MAX_BODY = 65_536
"""Characters of an issue or comment body; one more is a 422."""
HOOK_DELIVERY_DAYS = 3
"""Deliveries can be looked at and asked for again this long.
https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks"""

Permissions = dict[str, str]
"""Permission name to `read` or `write`."""


class User(msgspec.Struct, kw_only=True):
    id: int
    login: str
    type: str = "User"
    """`User`, `Bot` or `Organization`"""


class Label(msgspec.Struct, kw_only=True):
    id: int
    name: str
    color: str = "ededed"
    description: str | None = None
    default: bool = False


class Reaction(msgspec.Struct, kw_only=True):
    id: int
    user: str
    content: str
    created_at: float


class Comment(msgspec.Struct, kw_only=True):
    id: int
    issue: int
    """Issue number."""
    author: str
    body: str
    created_at: float
    updated_at: float
    app: int | None = None
    """The app that wrote it, None for a person."""
    reactions: list[Reaction] = []
    minimized: str | None = None
    """Why it is hidden, in GraphQL's words: `OUTDATED`, `RESOLVED` …"""


class Suggestion(msgspec.Struct, kw_only=True):
    """A pending change to an issue that a maintainer may approve or dismiss."""

    id: int
    label: str
    rationale: str | None
    confidence: str | None
    """`low`, `medium` or `high`"""
    actor: str
    created_at: float
    updated_at: float
    state: str = "pending"
    resolved_by: str | None = None


class IssueEvent(msgspec.Struct, kw_only=True):
    """One line of the issue's history: `labeled`, `unlabeled`, `renamed` or `locked`."""

    id: int
    event: str
    actor: str
    created_at: float
    detail: dict[str, Any] = {}


class Issue(msgspec.Struct, kw_only=True):
    id: int
    repo: str
    """`owner/name`"""
    number: int
    title: str
    body: str | None
    author: str
    created_at: float
    updated_at: float
    state: str = "open"
    state_reason: str | None = None
    closed_at: float | None = None
    closed_by: str | None = None
    locked: bool = False
    lock_reason: str | None = None
    pull_request: bool = False
    app: int | None = None
    deleted: bool = False
    moved_to: tuple[int, int] | None = None
    """Repository id and number, once transferred."""
    labels: list[str] = []
    comments: list[Comment] = []
    suggestions: list[Suggestion] = []
    reactions: list[Reaction] = []
    events: list[IssueEvent] = []


class Role(msgspec.Struct, kw_only=True):
    """`role_name` may be a custom role; `permission` is the legacy word it maps to (admin, write, read, none)."""

    role_name: str
    permission: str


class Repo(msgspec.Struct, kw_only=True):
    id: int
    owner: str
    name: str
    created_at: float
    private: bool = False
    description: str | None = None
    default_branch: str = "main"
    has_issues: bool = True
    archived: bool = False
    labels: list[Label] = []
    roles: dict[str, Role] = {}
    """By login in lower case."""
    issues: dict[int, Issue] = {}
    files: dict[str, str] = {}
    """Path to text, on the default branch."""

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"

    def label(self, name: str) -> Label | None:
        """Label names compare without case on GitHub."""
        return next((label for label in self.labels if label.name.lower() == name.lower()), None)


class App(msgspec.Struct, kw_only=True):
    id: int
    slug: str
    name: str
    owner: str
    client_id: str
    public_key: str
    """PEM"""
    permissions: Permissions
    events: list[str]
    created_at: float
    private_key: str = ""
    """PEM; a real server keeps none."""
    webhook_url: str | None = None
    webhook_secret: str
    external_url: str = "https://example.com"

    @property
    def bot(self) -> str:
        """The login under which the app writes."""
        return f"{self.slug}[bot]"


class Installation(msgspec.Struct, kw_only=True):
    id: int
    app: int
    account: str
    permissions: Permissions
    events: list[str]
    created_at: float
    repos: list[str] | None = None
    """Names in lower case; None: all of the account's repositories."""
    single_file: str | None = None
    suspended_at: float | None = None
    suspended_by: str | None = None

    def covers(self, repo: Repo) -> bool:
        if self.repos is None:
            return repo.owner.lower() == self.account.lower()
        return repo.full_name.lower() in self.repos


class Token(msgspec.Struct, kw_only=True):
    """An installation's token (`installation` set) or a person's (`user` set)."""

    value: str
    permissions: Permissions
    expires_at: float | None = None
    installation: int | None = None
    user: str | None = None
    repos: list[str] | None = None
    revoked: bool = False


class HookDelivery(msgspec.Struct, kw_only=True):
    """One attempt to hand a webhook to the app."""

    id: int
    guid: str
    event: str
    action: str | None
    payload: dict[str, Any]
    delivered_at: float
    status_code: int
    status: str
    redelivery: bool = False
    duration: float = 0.0
    url: str = ""
    installation_id: int | None = None
    repository_id: int | None = None
    request_headers: dict[str, str] = {}
    response_headers: dict[str, str] = {}
    response_body: str = ""


class Manifest(msgspec.Struct, kw_only=True):
    """An app as the manifest flow creates it; the code buys it once, within an hour."""

    app: int
    client_secret: str
    created_at: float
    used: bool = False


class State(msgspec.Struct, kw_only=True):
    users: dict[str, User] = {}
    """By login in lower case."""
    repos: dict[str, Repo] = {}
    """By full name in lower case."""
    renamed: dict[str, int] = {}
    """Former full name in lower case to repository id."""
    apps: dict[int, App] = {}
    installations: dict[int, Installation] = {}
    tokens: dict[str, Token] = {}
    deliveries: list[HookDelivery] = []
    manifests: dict[str, Manifest] = {}
    last_id: int = 3_100_000_000
    """Above 2^31, as real ids are."""

    def next_id(self) -> int:
        self.last_id += 1
        return self.last_id

    def repo_by_id(self, repo_id: int) -> Repo | None:
        return next((repo for repo in self.repos.values() if repo.id == repo_id), None)


def node_id(prefix: str, number: int) -> str:
    """An opaque GraphQL id, e.g. `IC_kwDO…`."""
    return f"{prefix}_" + base64.urlsafe_b64encode(number.to_bytes(8, "big")).decode().rstrip("=")


def number_of(node: str, prefix: str) -> int | None:
    """The number inside an id made by `node_id`, None when it is not one."""
    head, _, tail = node.partition("_")
    if head != prefix or len(tail) != 11:
        return None
    try:
        return int.from_bytes(base64.urlsafe_b64decode(tail + "="), "big")
    except ValueError:
        return None
