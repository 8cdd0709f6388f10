"""Label suggestions in GitHub's native form: pending until a person accepts them.

A server that does not know the form either refuses it, or overlooks `suggest` and applies the label. The second is
noticed here and undone, so that no label ever stays that nobody asked for.
https://docs.github.com/en/rest/issues/labels#add-labels-to-an-issue
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol
from urllib.parse import quote

from github.Issue import Issue

from bot.github.errors import Unprocessable
from bot.github.port import Gone, LabelOutcome, Later
from bot.policy.actions import LabelProposal

_TRIES_TO_TAKE_OFF = 3


class Calls(Protocol):
    """How requests are made: limited, and with every failure as a `GitHubError`."""

    def reading(self, what: str) -> AbstractContextManager[None]: ...

    def writing(self, what: str, *, creates: bool = False) -> AbstractContextManager[None]: ...


def suggest(issue: Issue, suggestions: Sequence[LabelProposal], *, where: str, calls: Calls) -> LabelOutcome:
    """Suggest what the issue does not have yet. `issue` is PyGithub's, lazy; `where` names it in messages.

    Labels that a server applied instead are taken off again. Raises `GitHubError`s.
    """
    if not suggestions:
        return LabelOutcome.SUGGESTED
    before = _labels_on(issue, where=where, calls=calls)
    wanted = [each for each in suggestions if each.name.casefold() not in before]
    if not wanted:
        return LabelOutcome.SUGGESTED
    try:
        with calls.writing(f"suggest labels on {where}"):
            _, answer = issue.requester.requestJsonAndCheck(
                "POST", f"{issue.url}/labels", input={"labels": [_native(each) for each in wanted]}
            )
    except Unprocessable:
        return LabelOutcome.UNSUPPORTED
    names = {each.name.casefold() for each in wanted}
    if isinstance(answer, list) and not names & _names(answer):
        return LabelOutcome.SUGGESTED
    # The answer names what was only to be suggested. What stands on the issue decides.
    applied = names & _labels_on(issue, where=where, calls=calls)
    for each in wanted:
        if each.name.casefold() in applied:
            _take_off(issue, each.name, where=where, calls=calls)
    return LabelOutcome.UNSUPPORTED if applied else LabelOutcome.SUGGESTED


def _native(proposal: LabelProposal) -> dict[str, Any]:
    return {
        "name": proposal.name,
        "rationale": proposal.rationale,
        "suggest": True,
        "confidence": proposal.confidence.value,
    }


def _labels_on(issue: Issue, *, where: str, calls: Calls) -> set[str]:
    with calls.reading(f"list labels of {where}"):
        return {label.name.casefold() for label in issue.get_labels()}


def _names(answer: Iterable[Any]) -> set[str]:
    return {str(label.get("name", "")).casefold() for label in answer if isinstance(label, dict)}


def _take_off(issue: Issue, name: str, *, where: str, calls: Calls) -> None:
    """Removing is safe to repeat, and a label left behind would be ours: so it is worth more than one try."""
    for attempt in range(1, _TRIES_TO_TAKE_OFF + 1):
        try:
            with calls.writing(f"take the label off {where} again"):
                # Not PyGithub's remove_from_labels: it leaves the `/` of a name like `area/wgpu` unquoted.
                issue.requester.requestJsonAndCheck("DELETE", f"{issue.url}/labels/{quote(name, safe='')}")
        except Gone:
            return
        except Later as error:
            if error.after_seconds is not None or attempt == _TRIES_TO_TAKE_OFF:
                raise
        else:
            return
