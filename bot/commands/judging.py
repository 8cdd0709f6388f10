"""One issue through the whole pure core: text → verdict → decision → the comment as it would be posted."""

from __future__ import annotations

import time

import msgspec

from bot.commands.knowledge import Knowledge
from bot.matching.verdict import Verdict
from bot.policy.actions import Decided, LabelProposal, Post
from bot.policy.events import IssueFacts, IssueOpened, Sender
from bot.policy.issue import decide_issue
from bot.policy.settings import Mode, PolicySettings
from bot.render.comment import render_comment
from bot.render.quoted import without_our_comments

TRIAL_REPOSITORY = "tracel-ai/burn"


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    verdict: Verdict
    decided: Decided
    comment: str | None
    milliseconds: float
    """Spent on the verdict alone."""

    @property
    def labels(self) -> tuple[LabelProposal, ...]:
        return self.decided.labels


def trial_settings() -> PolicySettings:
    """A trial shows what a live bot would say."""
    return PolicySettings(mode=Mode.LIVE)


def judge_text(
    title: str, body: str, *, knowledge: Knowledge, settings: PolicySettings, repository: str = TRIAL_REPOSITORY
) -> Judged:
    """What the bot would say and suggest if an issue with this text were opened in `repository` now."""
    facts = IssueFacts(number=1, title=title, body=body, author="reporter")
    event = IssueOpened(
        action="opened",
        repository=repository,
        installation=None,
        sender=Sender(login=facts.author, is_bot=False),
        issue=facts,
    )
    begin = time.perf_counter()
    verdict = knowledge.matcher.judge(title, without_our_comments(body))
    spent = (time.perf_counter() - begin) * 1000
    decided = decide_issue(
        event,
        verdict,
        entries=knowledge.entries,
        existing_labels=settings.labels.all_names(),
        settings=settings,
    )
    comment = None
    if isinstance(decided.action, Post):
        comment = render_comment(decided.action, subject=event.subject, repo=repository)
    return Judged(verdict=verdict, decided=decided, comment=comment, milliseconds=spent)
