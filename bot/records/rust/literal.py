"""Does a message stand at a line? Compared as text with holes, over every form in which Rust can hold it."""

from __future__ import annotations

import re
from bisect import bisect_right

import msgspec

from bot.records.rust.sites import Site, sites_of
from bot.records.rust.tokens import Sort, tokens

LINES_OF_A_CALL = 14
"""A literal further below its macro, constructor or `.expect` belongs to something else."""

_HOLE = re.compile(r"\{\{|\}\}|\{[^{}]{0,200}\}")
_STD = (
    (r"called `(?:Option|Result)::unwrap\(\)`", r"\.unwrap\(\)|\bunwrap\b"),
    (r"called `(?:Option|Result)::(?:expect|unwrap)_err\(\)`", r"_err\("),
    (r"index out of bounds: the len is|range (?:start|end) index|slice index starts at|out of range for slice", r"\["),
    (r"attempt to (?:add|subtract|multiply|divide|negate|shift|calculate)", r"[-+*/%]|<<|>>|\.sum\(|\.product\("),
    (r"source slice length|copy_from_slice", r"copy_from_slice|clone_from_slice"),
    (r"assertion `left (?:==|!=) right` failed", r"assert_(?:eq|ne)!"),
    (r"assertion failed: ", r"assert!"),
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


def stands_at(source: str, message: str, line: int) -> Standing:
    """Whether the file says `message` at `line` (1-based): the macro's own line, up to the end of its literal."""
    wanted = canonical(message)
    sites = sites_of(source).sites
    same = [site for site in sites if canonical(site.message) == wanted]
    for site in same:
        if site.line <= line <= site.last_line:
            return _standing(site)
    literals = _literals(source)
    begun = _joined_from(literals, wanted, line)
    if begun is not None:
        return Standing(stands=True, last_line=begun)
    if _printed_by_std(source, message, line):
        return Standing(stands=True, last_line=line)
    elsewhere = {site.line for site in same} | {start for start, _, text in literals if text == wanted}
    return Standing(stands=False, elsewhere=tuple(sorted(elsewhere)))


def _standing(site: Site) -> Standing:
    return Standing(stands=True, function=site.function, in_macro=site.in_macro, last_line=site.last_line)


def _literals(source: str) -> list[tuple[int, int, str]]:
    """First line, last line and canonical text of every string literal."""
    starts = [0, *(found.end() for found in re.finditer("\n", source))]
    return [
        (bisect_right(starts, token.start), bisect_right(starts, token.end - 1), canonical(token.value))
        for token in tokens(source)
        if token.sort is Sort.STRING
    ]


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


def _printed_by_std(source: str, message: str, line: int) -> bool:
    lines = source.split("\n")[line - 1 : line + 2]
    return any(re.search(printed, message) and re.search(needed, "\n".join(lines)) for printed, needed in _STD)
