"""The fake GitHub as a test holds it: start it, tell a story, look at what the bot made of it."""

from __future__ import annotations

import functools
import secrets
import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Self

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.github import contract, payloads
from tests.github.backend import Backend, RateLimit, SuggestionMode
from tests.github.clock import MovableClock, ShiftedClock
from tests.github.faults import Faults
from tests.github.front import Front
from tests.github.hookshot import Delivered, Hookshot
from tests.github.judge import Claims
from tests.github.server import Server
from tests.github.shapes import JSON
from tests.github.state import App, Installation, Manifest, Permissions, State, Token
from tests.github.stories import RepoStory
from tests.github.writes import Writes

APP_PERMISSIONS: Permissions = {"issues": "write", "metadata": "read", "single_file": "read"}
APP_EVENTS = ("issues", "issue_comment")
INSTALLATION_EVENTS = frozenset({"installation", "installation_repositories", "ping"})
"""Sent to every app, asked for or not."""
SETTINGS_FILE = ".github/burn-triage.yml"


class FakeGitHub(Claims):
    """A stateful GitHub on a loopback port, with one app installed wherever `repo` makes a repository.

        with FakeGitHub() as gh:
            burn = gh.repo("tracel-ai/burn")
            gh.connect(bot_url)
            issue = burn.open_issue(title="…", body="…", author="someone")
            gh.wait_for(lambda: burn.comments(issue))
            gh.expect_comment(issue, containing="…")

    Leaving the block stops the server and raises `contract.ContractViolation` when a request or reply did not agree
    with GitHub's own description (only where GITHUB_CONTRACT_DIR names one). Thread safe.
    """

    def __init__(
        self, *, clock: MovableClock | None = None, state: State | None = None, host: str = "127.0.0.1", port: int = 0
    ):
        self.clock: MovableClock = clock or ShiftedClock()
        self.backend = Backend(clock=self.clock, state=state)
        self.contract = contract.from_environment()
        if self.contract is not None:
            described = self.contract
            self.backend.listeners.append(lambda each: described.check_webhook(each.event, each.payload))
        self.front = Front(self.backend, self.contract)
        self.hookshot = Hookshot(self.backend)
        self._server = Server(self.front, host=host, port=port)
        self.app = next(
            (each for each in self.backend.state.apps.values() if each.id != payloads.ACTIONS_APP_ID), None
        ) or self.register_app("burn-triage")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self.contract is not None and error is None:
            self.contract.assert_kept()
        elif self.contract is not None:
            # The block has failed already; its findings must not fall on the next one.
            self.contract.take()

    def start(self) -> None:
        self._server.serve()

    def stop(self) -> None:
        self.hookshot.close()
        self._server.stop()

    # -- where it is and how to get in ---------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The API's base address, as `GITHUB_API_URL` takes it."""
        return self._server.base

    @property
    def enterprise_url(self) -> str:
        """The same server as GitHub Enterprise shows itself."""
        return f"{self._server.base}/api/v3"

    @property
    def private_key(self) -> str:
        """The app's private key, PEM."""
        return self.app.private_key

    @property
    def webhook_secret(self) -> str:
        return self.app.webhook_secret

    def environment(self) -> dict[str, str]:
        """What the bot needs to know to work against this server as its app."""
        return {
            "GITHUB_API_URL": self.url,
            "APP_ID": str(self.app.id),
            "PRIVATE_KEY": self.private_key,
            "WEBHOOK_SECRET": self.webhook_secret,
        }

    def personal_token(self, login: str, *, permissions: Permissions | None = None) -> str:
        """A person's token."""
        with self.backend.lock:
            self.backend.user(login)
            token = Token(
                value="ghp_" + secrets.token_hex(18),
                permissions={"metadata": "read", "issues": "write", "contents": "read"} | (permissions or {}),
                user=login,
            )
            self.backend.state.tokens[token.value] = token
        return token.value

    def actions_token(self, full_name: str) -> str:
        """The GITHUB_TOKEN of a workflow run: `github-actions[bot]`, one repository, no `GET /user`."""
        with self.backend.lock:
            story = self.repo(full_name)
            permissions = {"metadata": "read", "issues": "write", "contents": "read"}
            if payloads.ACTIONS_APP_ID not in self.backend.state.apps:
                self.register_app("github-actions", app_id=payloads.ACTIONS_APP_ID, permissions=permissions)
            installation = self.install(
                story.state.owner, app=self.backend.state.apps[payloads.ACTIONS_APP_ID], repos=[full_name]
            )
            token = Token(
                value="ghs_" + secrets.token_hex(18),
                permissions=permissions,
                installation=installation.id,
                expires_at=self.backend.now() + 86_400,
            )
            self.backend.state.tokens[token.value] = token
        return token.value

    # -- apps and installations ----------------------------------------------------------------------------------

    def register_app(
        self, slug: str, *, app_id: int | None = None, owner: str = "tracel-ai", permissions: Permissions | None = None
    ) -> App:
        with self.backend.lock:
            state = self.backend.state
            self.backend.user(owner, type_="Organization")
            self.backend.user(f"{slug}[bot]")
            private, public = _key_pair()
            app = App(
                id=app_id or 1_000_000 + len(state.apps) + 1,
                slug=slug,
                name=slug,
                owner=owner,
                client_id="Iv23" + secrets.token_hex(8),
                public_key=public,
                private_key=private,
                permissions=dict(permissions or APP_PERMISSIONS),
                events=list(APP_EVENTS),
                created_at=self.backend.now(),
                webhook_secret=secrets.token_hex(20),
            )
            state.apps[app.id] = app
        return app

    def install(self, account: str, *, app: App | None = None, repos: Iterable[str] | None = None) -> Installation:
        """Install an app (ours by default) on an account, on all repositories or on those named."""
        with self.backend.lock:
            app = app or self.app
            self.backend.user(account, type_="Organization")
            installation = Installation(
                id=self.backend.state.next_id() - 3_040_000_000,
                app=app.id,
                account=account,
                permissions=dict(app.permissions),
                events=app.events,
                created_at=self.backend.now(),
                repos=None if repos is None else [name.lower() for name in repos],
                single_file=SETTINGS_FILE if "single_file" in app.permissions else None,
            )
            self.backend.state.installations[installation.id] = installation
        return installation

    def installation(self, full_name: str) -> Installation:
        """Our app's installation that covers the repository. Raises LookupError."""
        with self.backend.lock:
            repo = self.backend.repo_named(full_name)
            found = payloads.installation_of(self.backend.state, repo) if repo else None
        if found is None:
            raise LookupError(f"the app is not installed on {full_name}")
        return found

    def set_permission(self, full_name: str, name: str, level: str | None) -> None:
        """Grant the installation a permission or take it away (None), for tokens in use, too."""
        with self.backend.lock:
            permissions = self.installation(full_name).permissions
            permissions.pop(name, None)
            if level is not None:
                permissions[name] = level

    def expire_tokens(self) -> None:
        """Every installation token made so far answers 401 from now on."""
        with self.backend.lock:
            for token in self.backend.state.tokens.values():
                token.revoked = token.revoked or token.installation is not None

    def offer_manifest(self, slug: str = "burn-triage-new") -> str:
        """An app was just created from a manifest in the browser: the code that buys its credentials, once."""
        with self.backend.lock:
            app = self.register_app(slug)
            code = secrets.token_hex(20)
            self.backend.state.manifests[code] = Manifest(
                app=app.id,
                client_secret=secrets.token_hex(20),
                created_at=self.backend.now(),
            )
        return code

    # -- stories -------------------------------------------------------------------------------------------------

    def repo(self, full_name: str, *, private: bool = False, installed: bool = True) -> RepoStory:
        """The repository of that name, made on first mention and, if told so, covered by our app."""
        with self.backend.lock:
            repo = self.backend.repo_named(full_name)
            if repo is None:
                repo = self.backend.create_repo(full_name, private=private)
                if installed and payloads.installation_of(self.backend.state, repo) is None:
                    self.install(repo.owner)
        return RepoStory(self.backend, self.hookshot, repo)

    def connect(self, url: str, *, secret: str | None = None, events: Iterable[str] = APP_EVENTS) -> None:
        """Set the app's webhook: from now on everything that happens is delivered there, signed and in order."""
        self.app.webhook_url = url
        wanted = frozenset(events) | INSTALLATION_EVENTS
        self.hookshot.connect(url, secret=secret or self.webhook_secret, app=self.app.id, events=wanted)

    def deliver(self, event: str, payload: JSON, *, guid: str | None = None) -> Delivered:
        """Deliver one webhook by hand to the connected app, and list it. The same `guid` again is a duplicate."""
        return self.hookshot.send(event, payload, guid=guid)

    def settle(self, timeout: float = 30.0) -> None:
        """Wait until every webhook that is due has been delivered once."""
        self.hookshot.settle(timeout)

    def wait_for(self, condition: Callable[[], object], *, timeout: float = 10.0) -> None:
        """Wait until the condition holds; it is asked again after every request. Raises AssertionError."""
        deadline = time.monotonic() + timeout
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                raise AssertionError(f"not so after {timeout} s; writes so far: {[str(each) for each in self.writes]}")
            with self.front.changed:
                self.front.changed.wait(min(left, 0.05))

    # -- switches ------------------------------------------------------------------------------------------------

    @property
    def faults(self) -> Faults:
        return self.front.faults

    @property
    def writes(self) -> Writes:
        return self.front.writes

    @property
    def rate(self) -> RateLimit:
        return self.backend.rate

    def drift(self, seconds: float) -> None:
        """GitHub's clock is that far ahead of the app's when it reads the app's JWT."""
        self.backend.drift = seconds

    def exhaust_rate_limit(self, seconds: float = 3600.0) -> None:
        """Every request is refused until the fake's clock is that much later."""
        self.backend.rate.exhaust(self.backend.now() + seconds)

    def set_suggestions(self, mode: SuggestionMode) -> None:
        self.backend.suggestion_mode = mode

    def delay_listing(self, seconds: float) -> None:
        """A stored comment shows up in lists only this much later, by the fake's clock."""
        self.backend.listing_delay = seconds


@functools.cache
def _key_pair() -> tuple[str, str]:
    """One RSA pair a process: making one takes a tenth of a second."""
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public.decode()
