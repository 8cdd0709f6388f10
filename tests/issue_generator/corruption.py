"""What happens to a message between the terminal and the issue."""

from __future__ import annotations

import enum
import random
import re

_WORD = re.compile(r"[A-Za-z0-9_]{5,}")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Corruption(enum.StrEnum):
    INTACT = "intact"
    TYPOS = "typos"
    TRUNCATED = "truncated"
    REWORDED = "changed wording"
    WRAPPED = "hard wraps"
    ANSI = "ansi"
    CR = "carriage returns"
    QUOTED = "block quote"
    ENTITIES = "entities"
    PROSE = "prose quote"
    TITLE = "title only"
    PREFIXED = "log prefix"


_REWORDINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("must be", ("should be", "has to be", "needs to be")),
    ("should be", ("must be", "has to be")),
    ("must", ("should",)),
    ("cannot", ("can't", "could not")),
    ("can't", ("cannot", "could not")),
    ("unable to", ("cannot", "failed to")),
    ("failed to", ("could not", "unable to")),
    ("expected", ("wanted",)),
    ("got", ("found", "received", "but got")),
    ("found", ("got", "received")),
    ("unsupported", ("not supported",)),
    ("is not supported", ("is unsupported", "isn't supported")),
    ("not supported", ("unsupported",)),
    ("does not match", ("doesn't match", "mismatches")),
    ("out of range", ("out of bounds",)),
    ("dimension", ("dim",)),
    ("dimensions", ("dims",)),
    ("number of", ("count of",)),
    ("invalid", ("illegal", "wrong")),
    ("tensors", ("tensor",)),
    ("tensor", ("tensors",)),
    ("needs", ("requires", "expects")),
    ("requires", ("needs", "expects")),
    ("provided", ("given",)),
    ("missing", ("absent",)),
    ("implemented", ("available",)),
    ("is missing", ("was not found",)),
)
"""How the next release, or a memory, words the same thing."""


def typos(message: str, rng: random.Random) -> str:
    """Slips of the pen in one to three words or identifiers of five letters or more."""
    found = [match for match in _WORD.finditer(message) if match[0][1:-1].isidentifier()]
    for match in sorted(rng.sample(found, min(len(found), rng.randint(1, 3))), key=lambda m: -m.start()):
        word = match[0]
        at = rng.randrange(1, len(word) - 1)
        slips = (
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + rng.choice(_LETTERS) + word[at + 1 :],
        )
        message = message[: match.start()] + rng.choice(slips) + message[match.end() :]
    return message


def truncated(message: str, rng: random.Random) -> str:
    """The beginning, half to nine tenths of it, dots behind it or nothing."""
    kept = message[: max(12, int(len(message) * rng.uniform(0.5, 0.9)))]
    return kept.rstrip() + rng.choice(("...", "…", " ...", "", " [...]"))


def reworded(message: str, rng: random.Random) -> str:
    """One or two phrases said otherwise, or an article gained or lost."""
    lowered = message.lower()
    places = []
    for phrase, others in _REWORDINGS:
        match = re.search(rf"(?<![\w']){re.escape(phrase)}(?![\w'])", lowered)
        if match:
            places.append((match.start(), match.end(), rng.choice(others)))
    rng.shuffle(places)
    chosen: list[tuple[int, int, str]] = []
    for place in places[: rng.randint(1, 2)]:
        if all(place[1] <= other[0] or place[0] >= other[1] for other in chosen):
            chosen.append(place)
    for start, end, other in sorted(chosen, reverse=True):
        message = message[:start] + (other.capitalize() if message[start].isupper() else other) + message[end:]
    if not chosen or rng.random() < 0.3:
        without = re.sub(r"(?<=[ ])(?:the|a|an) ", "", message, count=1)
        message = without if without != message else re.sub(r"\b(of|for|to|is) (?=[a-z])", r"\1 the ", message, count=1)
    return message


def wrapped(text: str, rng: random.Random) -> str:
    """Lines broken at blanks, as a narrow terminal or a mail programme does."""
    width = rng.randint(44, 72)
    indent = rng.choice(("", "", "  ", "      "))
    lines: list[str] = []
    for line in text.split("\n"):
        while len(line) > width and (at := line.rfind(" ", 12, width)) > 0:
            lines.append(line[:at])
            line = indent + line[at + 1 :]
        lines.append(line)
    return "\n".join(lines)


def ansi(text: str, rng: random.Random) -> str:
    """Colours around lines and single words."""
    escape = rng.choice(("\x1b", "^["))
    lines = []
    for line in text.split("\n"):
        words = line.split(" ")
        if line.strip() and rng.random() < 0.7:
            at = rng.randrange(len(words))
            words[at] = f"{escape}[1;31m{words[at]}{escape}[0m"
        lines.append(f"{escape}[31m{' '.join(words)}{escape}[0m")
    return "\n".join(lines)


def carriage_returns(text: str, rng: random.Random) -> str:
    """A progress bar that was overwritten, and Windows line ends."""
    bars = "\r".join(f"Epoch 3 [{'=' * n}>{' ' * (12 - n)}] {8 * n}%" for n in range(rng.randint(2, 12)))
    return f"{bars}\r{text}".replace("\n", rng.choice(("\r\n", "\n", "\r\n")))


def quoted(text: str, rng: random.Random) -> str:
    mark = rng.choice(("> ", ">", "> > "))
    return "\n".join(mark + line for line in text.split("\n"))


def entities(text: str) -> str:
    for plain, entity in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ('"', "&quot;"),
        ("'", "&#39;"),
        ("`", "&#96;"),
    ):
        text = text.replace(plain, entity)
    return text


def prefixed(text: str, rng: random.Random) -> str:
    """A logger's stamp before every line."""
    stamp = rng.choice(
        ("[2026-03-01T09:14:{:02}Z ERROR demo] ", "09:14:{:02}.221 | ", "2026-03-01 09:14:{:02},114 ERROR trainer - ")
    )
    return "\n".join(stamp.format(n % 60) + line for n, line in enumerate(text.split("\n")))
