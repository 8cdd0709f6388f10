"""Which label stands for what: data, so that a repository with other labels only brings another table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from bot.policy.signs import Sign

# The labels that tracel-ai/burn uses.
_SIGNS: Final[Mapping[Sign, str]] = {
    Sign.PANIC: "bug",
    Sign.BUG_REPORT: "bug",
    Sign.COMPILE_ERROR: "bug",
    Sign.MISSING_PIECE: "enhancement",
    Sign.FEATURE_REQUEST: "feature",
    Sign.UPGRADE: "infrastructure",
    Sign.ONNX: "onnx",
    Sign.WGPU: "wgpu",
    Sign.STORE: "store",
    Sign.FLEX: "flex",
    Sign.PERFORMANCE: "performance",
    Sign.DOCUMENTATION: "documentation",
    Sign.NO_STD: "no_std",
}
_CRATES: Final[Mapping[str, str]] = {
    "burn-wgpu": "wgpu",
    "cubecl-wgpu": "wgpu",
    "wgpu": "wgpu",
    "wgpu-core": "wgpu",
    "naga": "wgpu",
    "burn-autodiff": "autodiff",
    "burn-fusion": "fusion",
    "burn-cubecl-fusion": "fusion",
    "burn-store": "store",
    "burn-flex": "flex",
    "burn-import": "onnx",
    "burn-onnx": "onnx",
    "onnx-ir": "onnx",
}
_TAGS: Final[Mapping[str, str]] = {
    "onnx": "onnx",
    "onnx-import": "onnx",
    "wgpu": "wgpu",
    "fusion": "fusion",
    "autotune": "autotune",
    "burn-store": "store",
    "burn-flex": "flex",
    "no-std": "no_std",
    "performance": "performance",
}


class LabelTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The values are label names. A name that the repository lacks is never used."""

    signs: Mapping[Sign, str] = msgspec.field(default_factory=lambda: dict(_SIGNS))
    """What the issue itself shows."""
    crates: Mapping[str, str] = msgspec.field(default_factory=lambda: dict(_CRATES))
    """The crate, or the repository's name, in which the matched record's message is raised."""
    tags: Mapping[str, str] = msgspec.field(default_factory=lambda: dict(_TAGS))
    """A tag of the matched record."""
    families: Mapping[str, str] = {}
    """The matched record's family."""
    burn_bug: str = "bug"
    """The matched record says that burn itself is at fault. Empty: no label."""

    def all_names(self) -> frozenset[str]:
        """Every label that the table can give."""
        names = {*self.signs.values(), *self.crates.values(), *self.tags.values(), *self.families.values()}
        return frozenset((names | {self.burn_bug}) - {""})
