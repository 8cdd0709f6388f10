"""What a record's message looks like when printed: literal words with holes between them.

A source literal (`Can't squeeze dimension {} because …`) is read as words; a `{…}` placeholder is a hole before the
word that follows it. `{{` and `}}` print braces. Text glued to a hole (`conv{}d`) belongs to the hole as what its
filling must begin and end with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from bot.matching import vocabulary

MAX_WORDS = 160
"""Words of a template that are looked at; longer literals are known by their beginning."""

WORD = re.compile(r"[A-Za-z0-9_]+(?:'[A-Za-z0-9_]+)*")
OPERATORS = re.compile(r"[=!<>]=|(?<![-=<])>(?![>])|(?<!<)<(?![<-])|\+")
_PAUSE = frozenset(".,;:\x00\n(")
_GLUED_BEFORE = re.compile(r"[A-Za-z0-9_]*\Z")
_GLUED_AFTER = re.compile(r"[A-Za-z0-9_]*")
_OPENING = frozenset((":", '"', "'", "`", "(", "[", "{", "="))
_HOLE = re.compile(r"\{\{|\}\}|\{[^{}\s]{0,80}\}|\(\.\+\?\)")
_ESCAPE = re.compile(r"""\\(?:\r?\n[ \t]*|([nrt"'\\]))""")


@dataclass(frozen=True, slots=True)
class Hole:
    """What may stand before word number `before` (the number of words: at the end)."""

    before: int
    prefix: str = ""
    suffix: str = ""
    signs: str = ""
    """What stands between the word before and the hole, without blanks."""

    @property
    def open(self) -> bool:
        """A colon, quote or bracket stands before it, so that it may hold a sentence."""
        return self.signs[-1:] in _OPENING


@dataclass(frozen=True, slots=True)
class Template:
    words: tuple[str, ...]
    """Literal words, case kept."""
    folded: tuple[str, ...]
    """The same in lower case."""
    holes: tuple[Hole, ...]
    operators: dict[int, tuple[str, ...]]
    """Comparison and plus signs before each word that has some, and before its hole if there is one; those at the end
    under the number of words."""
    core: int
    """Index of the first word after what std wraps around a text (`not implemented: `)."""
    characters: int
    """Letters and digits of the literal words from `core` on."""
    pauses: frozenset[int]
    """Words before which a clause may end: after a sign of punctuation or at a hole."""
    std: bool
    """The whole message is one that everybody's code prints."""


def literal(template: Template) -> str:
    r"""The literal words in lower case, a blank between them and \x00 where a hole is."""
    if not template.holes:
        return " ".join(template.folded)
    holes = {hole.before for hole in template.holes}
    parts: list[str] = []
    for index, word in enumerate(template.folded):
        parts += ("\x00", word) if index in holes else (word,)
    return " ".join(parts)


def canonical(template: Template) -> str:
    """The key under which equal messages meet: words and signs in lower case, holes without their names.

    What follows at the end (`: {}`) is left out: `expect` adds as much to any text.
    """
    if not template.holes and not template.operators:
        return " ".join(template.folded)
    holes = {hole.before: hole for hole in template.holes}
    count = len(template.words)
    if count in holes and holes[count].signs == ":" and count > 1:
        del holes[count]
    parts: list[str] = []
    for index in range(count + 1):
        parts += template.operators.get(index, ())
        if (hole := holes.get(index)) is not None:
            parts.append(f"{hole.prefix.lower()}\x00{hole.suffix.lower()}")
        if index < count:
            parts.append(template.folded[index])
    return " ".join(parts)


@lru_cache(maxsize=1024)
def parse(message: str) -> Template:
    """Read a source literal. Never raises; linear."""
    plain = message
    if "\\" in plain:
        plain = _ESCAPE.sub(lambda m: " " if m[1] is None or m[1] in "nrt" else m[1], plain)
    if "{" in plain or "}" in plain or "(.+?)" in plain:
        plain = _HOLE.sub(lambda m: m[0][0] if m[0] in ("{{", "}}") else "\x00", plain)
    words: list[str] = []
    holes: list[Hole] = []
    operators: dict[int, tuple[str, ...]] = {}
    pauses: set[int] = set()

    def close(gap: str) -> None:
        """Note what stands between the last word and the next one."""
        if "\x00" in gap:
            holes.append(_hole(gap, len(words)))
        if signs := OPERATORS.findall(gap.split("\x00", 1)[0]):
            operators[len(words)] = tuple(signs)
        if not _PAUSE.isdisjoint(gap):
            pauses.add(len(words))

    gap_start = 0
    for match in WORD.finditer(plain):
        start, end = match.span()
        # A word glued to a hole is a part of what fills it.
        if plain[start - 1 : start] == "\x00" or plain[end : end + 1] == "\x00":
            continue
        if len(words) >= MAX_WORDS:
            break
        if (gap := plain[gap_start:start]) != " ":
            close(gap)
        words.append(match[0])
        gap_start = end
    close(plain[gap_start:])
    lowered = plain.lower()
    core = _core(lowered)
    return Template(
        words=tuple(words),
        folded=tuple(lowered_words := [word.lower() for word in words]),
        holes=tuple(holes),
        operators=operators,
        core=core,
        characters=sum(map(len, lowered_words[core:])),
        pauses=frozenset(pauses),
        std=vocabulary.is_std_text(" ".join(lowered.split())),
    )


def _core(lowered: str) -> int:
    text = lowered.lstrip()
    words = 0
    while text.startswith(vocabulary.STD_WRAPPERS):
        wrapper = next(w for w in vocabulary.STD_WRAPPERS if text.startswith(w))
        if len(text) == len(wrapper):
            break
        words += len(WORD.findall(wrapper))
        text = text[len(wrapper) :].lstrip()
    return words


def _hole(gap: str, before: int) -> Hole:
    """The holes of the text between two words, as one: neighbours cannot be told apart."""
    first, last = gap.find("\x00"), gap.rfind("\x00")
    prefix = _GLUED_BEFORE.search(gap[:first])
    suffix = _GLUED_AFTER.match(gap, last + 1)
    return Hole(
        before=before,
        prefix=prefix[0] if prefix else "",
        suffix=suffix[0] if suffix else "",
        signs="".join(gap[:first].removesuffix(prefix[0] if prefix else "").split()),
    )
