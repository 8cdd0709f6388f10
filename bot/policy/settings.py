"""What an operator (and later a repository) may set about decisions. Values and defaults only."""

from __future__ import annotations

import enum
from typing import Annotated

import msgspec
from msgspec import Meta

from bot.policy.table import LabelTable
from bot.records.model import Trust


class Mode(enum.StrEnum):
    OFF = "off"
    """decide nothing"""
    SHADOW = "shadow"
    """decide and record, write nothing to GitHub"""
    LIVE = "live"


class LabelMode(enum.StrEnum):
    OFF = "off"
    SUGGEST = "suggest"
    """as GitHub's pending suggestions, for a person to accept"""
    APPLY = "apply"


class PolicySettings(msgspec.Struct, frozen=True, kw_only=True):
    mode: Mode = Mode.SHADOW
    confidence_floor: Annotated[float, Meta(ge=0, le=1)] = 0.85
    """The least confidence of a match that is explained without being asked."""
    trust_floor: Trust = Trust.REVIEWED
    """The least trust of a record that speaks without being asked. A quarantined record never does."""
    label_mode: LabelMode = LabelMode.SUGGEST
    labels: LabelTable = msgspec.field(default_factory=LabelTable)
    max_labels: Annotated[int, Meta(ge=0, le=10)] = 3
    comments_per_hour: Annotated[int, Meta(ge=0)] = 120
    """New comments in one repository; counted by the worker, which knows the history."""

    @property
    def writes(self) -> bool:
        """Whether a decision may be carried out on GitHub at all."""
        return self.mode is Mode.LIVE

    def may_speak(self, trust: Trust) -> bool:
        """Whether a record of this trust speaks by itself."""
        allowed = (Trust.REVIEWED,) if self.trust_floor is Trust.REVIEWED else (Trust.REVIEWED, Trust.LINTED)
        return trust in allowed
