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
_OPENING = frozenset((":", '"', "'", "`", "(", "[", "{", "=", "\n"))
_HOLE = re.compile(r"\{\{|\}\}|\{[^{}\s]{0,80}\}|\(\.\+\?\)")
_ESCAPE = re.compile(r"""\\(?:\r?\n[ \t]*|([nrt"'\\]))""")


@dataclass(frozen=True, slots=True)
class Hole:
    """What may stand before word number `before` (the number of words: at the end)."""

    before: int
    prefix: str = ""
    suffix: str = ""
    opening: str = ""
    """The last sign between the word before and the hole, if any."""

    @property
    def open(self) -> bool:
        """A colon, quote or bracket stands before it, so that it may hold a sentence."""
        return self.opening in _OPENING


@dataclass(frozen=True, slots=True)
class Template:
    words: tuple[str, ...]
    """Literal words, case kept."""
    holes: tuple[Hole, ...]
    operators: tuple[tuple[str, ...], ...]
    """Comparison and plus signs before each word and, last, after all."""
    core: int
    """Index of the first word after what std wraps around a text (`not implemented: `)."""
    characters: int
    """Letters and digits of the literal words from `core` on."""
    pauses: frozenset[int]
    """Words before which a clause may end: after a sign of punctuation or at a hole."""
    std: bool
    """The whole message is one that everybody's code prints."""

    @property
    def folded(self) -> tuple[str, ...]:
        return tuple(word.lower() for word in self.words)


def literal(message: str) -> str:
    r"""The literal words in lower case, a blank between them and \x00 where a hole is."""
    template = parse(message)
    holes = {hole.before for hole in template.holes}
    parts: list[str] = []
    for index, word in enumerate(template.folded):
        parts += ("\x00", word) if index in holes else (word,)
    return " ".join(parts)


def canonical(message: str) -> str:
    """The key under which equal messages meet: words and signs in lower case, holes without their names.

    What follows at the end (`: {}`) is left out: `expect` adds as much to any text.
    """
    template = parse(message)
    holes = {hole.before: hole for hole in template.holes}
    count = len(template.words)
    if count in holes and holes[count].opening in (":", "") and count > 1:
        del holes[count]
    parts: list[str] = []
    for index in range(count + 1):
        parts += template.operators[index]
        if (hole := holes.get(index)) is not None:
            parts.append(f"{hole.prefix.lower()}\x00{hole.suffix.lower()}")
        if index < count:
            parts.append(template.words[index].lower())
    return " ".join(parts)


@lru_cache(maxsize=1024)
def parse(message: str) -> Template:
    """Read a source literal. Never raises; linear."""
    text = _ESCAPE.sub(lambda m: " " if m[1] is None or m[1] in "nrt" else m[1], message)
    plain = _HOLE.sub(lambda m: m[0][0] if m[0] in ("{{", "}}") else "\x00", text)
    words: list[str] = []
    holes: list[Hole] = []
    operators: list[tuple[str, ...]] = []
    pauses: set[int] = set()
    gap_start = 0
    position = 0
    for match in WORD.finditer(plain):
        start, end = match.span()
        if start < position:
            continue
        glued_left = start > 0 and plain[start - 1] == "\x00"
        glued_right = end < len(plain) and plain[end] == "\x00"
        if glued_left or glued_right:
            position = end
            continue
        if len(words) >= MAX_WORDS:
            break
        holes += _holes_in(plain[gap_start:start], len(words))
        operators.append(tuple(OPERATORS.findall(plain[gap_start:start])))
        if any(sign in plain[gap_start:start] for sign in ".,;:\x00\n("):
            pauses.add(len(words))
        words.append(match[0])
        gap_start = position = end
    holes += _holes_in(plain[gap_start:], len(words))
    operators.append(tuple(OPERATORS.findall(plain[gap_start:])))
    lowered = plain.lower()
    core = _core(lowered)
    return Template(
        words=tuple(words),
        holes=tuple(holes),
        operators=tuple(operators),
        core=core,
        characters=sum(len(word) for word in words[core:]),
        pauses=frozenset(pauses),
        std=vocabulary.is_std_text(" ".join(lowered.split())),
    )


def _core(lowered: str) -> int:
    text = lowered.lstrip()
    words = 0
    while True:
        for wrapper in vocabulary.STD_WRAPPERS:
            if text.startswith(wrapper) and len(text) > len(wrapper):
                words += len(WORD.findall(wrapper))
                text = text[len(wrapper) :].lstrip()
                break
        else:
            return words


def _holes_in(gap: str, before: int) -> list[Hole]:
    """The holes of the text between two words, merged into one: neighbours cannot be told apart."""
    first = gap.find("\x00")
    if first < 0:
        return []
    last = gap.rfind("\x00")
    prefix = re.search(r"[A-Za-z0-9_]*\Z", gap[:first])
    suffix = re.match(r"[A-Za-z0-9_]*", gap[last + 1 :])
    return [
        Hole(
            before=before,
            prefix=prefix[0] if prefix else "",
            suffix=suffix[0] if suffix else "",
            opening=gap[:first].rstrip(" \t")[-1:],
        )
    ]
