"""A Markdown table that is data, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Table:
    title: str
    columns: Sequence[str]
    note: str = ""
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, *cells: object) -> None:
        """Floats are shown with three significant digits."""
        self.rows.append(tuple(f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in cells))

    def markdown(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.columns, *self.rows, strict=True)]
        lines = [f"## {self.title}", ""]
        lines.append(
            "| " + " | ".join(name.ljust(width) for name, width in zip(self.columns, widths, strict=True)) + " |"
        )
        lines.append("|" + "|".join("-" * (width + 2) for width in widths) + "|")
        for row in self.rows:
            lines.append("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |")
        if self.note:
            lines += ["", self.note]
        return "\n".join(lines) + "\n"

    def data(self) -> dict[str, object]:
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"title": self.title, "note": self.note, "rows": rows}
