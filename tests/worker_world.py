"""A small world for the worker: an in-memory repository that can misbehave, deliveries, and a way to let time pass."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from bot.github.port import GitHubError, Gone, Issue, IssueComment, LabelOutcome
from bot.inbox.port import Delivery, Inbox, State
from bot.matching.verdict import Verdict
from bot.policy.actions import LabelProposal
from bot.policy.settings import Mode, PolicySettings
from bot.policy.table import LabelTable
from bot.records.model import Entry
from bot.worker.apply import Applier
from bot.worker.handle import Triage
from bot.worker.heart import Heart
from bot.worker.loop import BackOff, Worker

from .conftest import FakeClock
from .factories import make_entry, make_evidence, make_match, make_record, make_verdict

_T = TypeVar("_T")

REPO = "o/r"
LEASE, SETTLE = 60.0, 5.0
LABELS = frozenset({"bug", "question", "burn-tensor"})

ENTRIES = {
    word: make_entry(record=make_record(error_message=f"{word} has the wrong shape {{}}")) for word in ("ALPHA", "BETA")
}


def policy(**changes: Any) -> PolicySettings:
    """Live, and the crate of the known messages has a label."""
    fields: dict[str, Any] = {"mode": Mode.LIVE, "labels": LabelTable(crates={"burn-tensor": "burn-tensor"})}
    return PolicySettings(**(fields | changes))


def judge(title: str, body: str) -> Verdict:
    """Explains the first known word; a stand-in for the matcher."""
    for word, entry in ENTRIES.items():
        if word in f"{title}\n{body}":
            return make_verdict(make_match(entry, evidence=make_evidence(f"{word} has the wrong shape 3")))
    return make_verdict()


@dataclass
class Comment:
    id: int
    number: int
    body: str
    ours: bool = True
    listed_at: float = 0.0


@dataclass
class Fault:
    error: GitHubError
    arrives: bool = False
    """Whether the write is carried out all the same."""


@dataclass
class FakeRepository:
    """`bot.github.port.Repository` in memory."""

    clock: FakeClock
    full_name: str = REPO
    issues: dict[int, Issue] = field(default_factory=dict)
    written: list[Comment] = field(default_factory=list)
    suggested: dict[int, list[str]] = field(default_factory=dict)
    applied: dict[int, list[str]] = field(default_factory=dict)
    posts: int = 0
    lag: float = 0.0
    """Seconds until a new comment is listed."""
    knows_suggestions: bool = True
    faults: dict[str, list[Fault]] = field(default_factory=dict)

    def fail(self, method: str, *errors: GitHubError, arrives: bool = False) -> None:
        """The next calls of `method` raise these."""
        self.faults.setdefault(method, []).extend(Fault(error, arrives) for error in errors)

    def open(self, number: int, body: str, **changes: Any) -> None:
        fields: dict[str, Any] = {
            "number": number,
            "title": "Training stops",
            "body": body,
            "state": "open",
            "locked": False,
            "is_pull_request": False,
            "author": "ann",
            "author_is_bot": False,
            "labels": (),
        }
        self.issues[number] = Issue(**(fields | changes))

    def on(self, number: int) -> list[Comment]:
        return [comment for comment in self.written if comment.number == number]

    # The port

    def issue(self, number: int) -> Issue:
        self._call("issue")
        if number not in self.issues:
            raise Gone(f"issue {number}: 404")
        return self.issues[number]

    def comments(self, number: int) -> Iterator[IssueComment]:
        self._call("comments")
        for comment in self.on(number):
            if comment.listed_at <= self.clock():
                yield IssueComment(id=comment.id, body=comment.body, ours=comment.ours)

    def create_comment(self, number: int, body: str) -> IssueComment:
        def post() -> IssueComment:
            self.posts += 1
            comment = Comment(id=1000 + len(self.written), number=number, body=body, listed_at=self.clock() + self.lag)
            self.written.append(comment)
            return IssueComment(id=comment.id, body=body, ours=True)

        return self._write("create_comment", post)

    def edit_comment(self, comment_id: int, body: str) -> IssueComment:
        def edit() -> IssueComment:
            for comment in self.written:
                if comment.id == comment_id:
                    comment.body = body
                    return IssueComment(id=comment_id, body=body, ours=True)
            raise Gone(f"comment {comment_id}: 404")

        return self._write("edit_comment", edit)

    def label_names(self) -> frozenset[str]:
        self._call("label_names")
        return LABELS

    def suggest_labels(self, number: int, suggestions: Sequence[LabelProposal]) -> LabelOutcome:
        def suggest() -> LabelOutcome:
            if not self.knows_suggestions:
                return LabelOutcome.UNSUPPORTED
            self.suggested.setdefault(number, []).extend(each.name for each in suggestions)
            return LabelOutcome.SUGGESTED

        return self._write("suggest_labels", suggest)

    def add_labels(self, number: int, names: Sequence[str]) -> None:
        self._write("add_labels", lambda: self.applied.setdefault(number, []).extend(names))

    def _call(self, method: str) -> None:
        if self.faults.get(method):
            raise self.faults[method].pop(0).error

    def _write(self, method: str, carry_out: Callable[[], _T]) -> _T:
        if not self.faults.get(method):
            return carry_out()
        fault = self.faults[method].pop(0)
        if fault.arrives:
            carry_out()
        raise fault.error


@dataclass
class FakeGitHub:
    only: Any

    def repository(self, full_name: str, *, installation: int | None) -> Any:
        assert full_name == self.only.full_name
        return self.only


def payload(action: str, number: int, body: str, *, sender: str = "ann", repo: str = REPO) -> bytes:
    """A webhook's body, with the fields that are used."""
    issue = {
        "number": number,
        "title": "Training stops",
        "body": body,
        "state": "open",
        "user": {"login": "ann", "type": "User"},
        "labels": [],
    }
    content = {
        "action": action,
        "issue": issue,
        "repository": {"full_name": repo},
        "sender": {"login": sender, "type": "User"},
        "installation": {"id": 7},
    }
    if action == "edited":
        content["changes"] = {"body": {"from": "before"}}
    return json.dumps(content).encode()


def delivery(guid: str, action: str, number: int, body: str) -> Delivery:
    return Delivery(
        app="1",
        guid=guid,
        event="issues",
        action=action,
        subject=f"{REPO}#{number}",
        installation=7,
        payload=payload(action, number, body),
    )


@dataclass
class World:
    """One store, one repository, one clock; workers come and go."""

    inbox: Inbox
    repository: Any
    clock: FakeClock
    settings: PolicySettings = field(default_factory=policy)
    entries: dict[str, Entry] = field(default_factory=lambda: {entry.id: entry for entry in ENTRIES.values()})
    outcomes: list[str] = field(default_factory=list)
    host: str = "https://api.github.com"
    workers: int = 0
    guids: int = 0

    def applier(self) -> Applier:
        return Applier(
            inbox=self.inbox,
            host=self.host,
            lease_seconds=LEASE,
            settle_seconds=SETTLE,
            comments_per_hour=self.settings.comments_per_hour,
            clock=self.clock,
            jitter=lambda: 0.0,
        )

    def triage(self) -> Triage:
        return Triage(
            github=FakeGitHub(self.repository),
            applier=self.applier(),
            judge=judge,
            entries=self.entries,
            settings=self.settings,
        )

    def worker(self, handle: Any = None) -> Worker:
        """As after a start of the process: nothing is remembered but what is stored."""
        self.workers += 1
        return Worker(
            name=f"worker-{self.workers}",
            inbox=self.inbox,
            handle=handle or self.triage(),
            heart=Heart(inbox=self.inbox, clock=self.clock),
            clock=self.clock,
            jitter=lambda: 0.0,
            back_off=BackOff(),
            observe=self.outcomes.append,
        )

    def put(self, action: str, number: int, body: str, *, guid: str | None = None) -> str:
        self.guids += 1
        guid = guid or f"{number}-guid-{self.guids}"
        self.inbox.put(delivery(guid, action, number, body), now=self.clock())
        return guid

    def work(self, worker: Worker | None = None) -> None:
        """Work until nothing is left, letting time pass where something waits. Fails if that never ends."""
        worker = worker or self.worker()
        for _ in range(500):
            while worker.once():
                pass
            counts = self.inbox.counts(now=self.clock())
            if not counts.states[State.WAITING] + counts.states[State.LEASED]:
                return
            waiting = [row.not_before for row in self.inbox.deliveries(state=State.WAITING)]
            step = min(waiting, default=self.clock()) - self.clock()
            self.clock.advance(step if step > 0 else LEASE / 4)
        raise AssertionError("deliveries that never end")
