"""A stateful fake GitHub over real HTTP, for tests and for trying the bot out.

`FakeGitHub` is the door; `faults` has the ways in which a request can be made to fail, `fixtures` the pytest fixture,
`python -m tests.github` the same server standing alone. Only what the bot itself depends on is imported, so that the
demo needs no test tools.
"""

from __future__ import annotations

from tests.github.backend import SuggestionMode
from tests.github.clock import ShiftedClock
from tests.github.contract import ContractViolation
from tests.github.fake import FakeGitHub
from tests.github.hookshot import Delivered, deliver, sign
from tests.github.state import Comment, Issue, Reaction, Suggestion
from tests.github.stories import RepoStory
from tests.github.writes import Write

__all__ = [
    "Comment",
    "ContractViolation",
    "Delivered",
    "FakeGitHub",
    "Issue",
    "Reaction",
    "RepoStory",
    "ShiftedClock",
    "Suggestion",
    "SuggestionMode",
    "Write",
    "deliver",
    "sign",
]
