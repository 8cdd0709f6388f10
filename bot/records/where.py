"""Where the catalogue lies when nobody says: here, else beside the source that runs."""

from __future__ import annotations

from pathlib import Path

NAME = "records"


def default_root() -> Path:
    """`./records`; where there is none, the folder that was cloned together with this package."""
    here = Path(NAME)
    beside = Path(__file__).resolve().parents[2] / NAME
    return beside if beside.is_dir() and not here.is_dir() else here
