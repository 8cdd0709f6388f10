"""Does a message stand at a line? Compared as text with holes, over every form in which Rust can hold it."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

import msgspec

from bot.records.rust.scope import function_at
from bot.records.rust.sites import Site, sites_of
from bot.records.rust.tokens import Sort, bracketed, split_arguments, tokens

LINES_OF_A_CALL = 14
"""For texts in no form that harvest knows: a literal further below its call belongs to something else."""

_ASSERTION = "assertion failed: "
_ASSERT = re.compile(r"\b(?:debug_)?assert\s*!\s*(?=[(\[{])")
_HOLE = re.compile(r"\{\{|\}\}|\{[^{}]{0,200}\}")
_STD = (
    (r"called `(?:Option|Result)::unwrap\(\)`", r"\.unwrap\(\)|\bunwrap\b"),
    (r"called `(?:Option|Result)::(?:expect|unwrap)_err\(\)`", r"_err\("),
    (r"index out of bounds: the len is|range (?:start|end) index|slice index starts at|out of range for slice", r"\["),
    (r"attempt to (?:add|subtract|multiply|divide|negate|shift|calculate)", r"[-+*/%]|<<|>>|\.sum\(|\.product\("),
    (r"source slice length|copy_from_slice", r"copy_from_slice|clone_from_slice"),
    (r"assertion `left (?:==|!=) right` failed", r"assert_(?:eq|ne)!"),
    (r"already (?:mutably )?borrowed", r"\.borrow(?:_mut)?\("),
)
"""What std prints for a line that holds no text, and what that line must hold instead."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a message stands where it should."""

    stands: bool
    function: str | None = None
    """Enclosing function of the line, where the message stands at a known site."""
    in_macro: bool = False
    last_line: int = 0
    """Where its literal ends."""
    elsewhere: tuple[int, ...] = ()
    """Lines of the file where the same text stands."""


def canonical(message: str) -> str:
    """The message with its holes nameless and its blanks single: two wordings of one template are equal."""
    filled = _HOLE.sub(
        lambda found: found.group()[0] if len(found.group()) == 2 and found.group() != "{}" else "{}", message
    )
    return " ".join(filled.split())


class SourceFile:
    """One file's text with what is read off it, each at most once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def lines(self) -> list[str]:
        """Split at `\\n` alone, as upstream and git count lines."""
        return self.text.split("\n")

    @property
    def line_count(self) -> int:
        """Lines that GitHub shows: a newline at the end begins no further one."""
        return len(self.lines) - (not self.lines[-1])

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        return sites_of(self.text).sites

    @cached_property
    def literals(self) -> list[tuple[int, int, str]]:
        """First line, last line and canonical text of every string literal."""
        starts = [0, *(found.end() for found in re.finditer("\n", self.text))]
        return [
            (bisect_right(starts, token.start), bisect_right(starts, token.end - 1), canonical(token.value))
            for token in tokens(self.text)
            if token.sort is Sort.STRING
        ]

    @cached_property
    def assertions(self) -> list[tuple[int, int, str]]:
        """First line, last line and condition, blanks left out, of every `assert!`: without a text of its own it
        prints `assertion failed: ` and the condition.
        """
        starts = [0, *(found.end() for found in re.finditer("\n", self.text))]
        found: list[tuple[int, int, str]] = []
        for macro in _ASSERT.finditer(self.text):
            inside = bracketed(self.text, macro.end())
            condition = split_arguments(inside)[:1]
            text = "".join(self.text[token.start : token.end] for part in condition for token in part)
            found.append((bisect_right(starts, macro.start()), bisect_right(starts, inside[-1].end - 1), text))
        return found

    def function_at(self, line: int) -> str | None:
        """The innermost function around the code of a line."""
        return function_at(self.text, line)

    def stands_at(self, message: str, line: int) -> Standing:
        """Whether the file says `message` at `line` (1-based): the macro's own line, up to the end of its literal."""
        if message.startswith(_ASSERTION):
            return self._asserted_at("".join(message.removeprefix(_ASSERTION).split()), line)
        wanted = canonical(message)
        same = [site for site in self.sites if canonical(site.message) == wanted]
        for site in same:
            if site.line <= line <= site.last_line:
                return _standing(site)
        last_line = None if same else _joined_from(self.literals, wanted, line)
        if last_line is not None:
            return Standing(stands=True, last_line=last_line)
        if _printed_by_std("\n".join(self.lines[line - 1 : line + 1]), message):
            return Standing(stands=True, last_line=line)
        elsewhere = {site.line for site in same} or {start for start, _, text in self.literals if text == wanted}
        return Standing(stands=False, elsewhere=tuple(sorted(elsewhere)))

    def _asserted_at(self, condition: str, line: int) -> Standing:
        places = [(first, last) for first, last, text in self.assertions if text == condition]
        stands = any(first <= line <= last for first, last in places)
        return Standing(stands=stands, last_line=line, elsewhere=() if stands else tuple(first for first, _ in places))


def _standing(site: Site) -> Standing:
    return Standing(stands=True, function=site.function, in_macro=site.in_macro, last_line=site.last_line)


def _joined_from(literals: list[tuple[int, int, str]], wanted: str, line: int) -> int | None:
    """Last line of the literal, or the neighbouring literals together, that say `wanted` from `line` on."""
    near = [one for one in literals if one[0] <= line + LINES_OF_A_CALL and one[1] >= line]
    for first in range(len(near)):
        whole = ""
        for _, end, text in near[first:]:
            whole = f"{whole} {text}".strip()
            if whole == wanted:
                return end
            if not wanted.startswith(whole):
                break
    return None


def _printed_by_std(code: str, message: str) -> bool:
    return any(re.search(printed, message) and re.search(needed, code) for printed, needed in _STD)
