"""What words mean to the matcher: which carry no content, which are the same, which always tell messages apart."""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


FUNCTION_WORDS = words(
    """a an the this that these those it its it's is are was were be been being am to of for in on at by with from as
    and or but so if then than when while which who whose where there here do does did done has have had having will
    would could should must can may might shall need needs needed please also just simply currently actually really you
    your we our i my they their them he she his her into onto via per yet still already now got get gets getting given
    received"""
)
"""Words whose loss or gain does not make another message. Negations, comparisons and numbers are never here."""

PROSE_WORDS = words(
    """the this that these those is are was were be been of for to in on at by with from and or but so if then than when
    while which should must can cannot can't could would will not does do did has have had you your we it because since
    after before during"""
)
"""Words that show that a hole has run into the next part of a sentence."""

_SAME = (
    "cannot can't cant couldnt couldn't not failed unable dont don't doesn't doesnt isn't isnt aren't wasn't",
    "must should shall has have needs need ought require required requires requiring expects",
    "dim dims dimension dimensions",
    "got received found",
    "param params parameter parameters",
    "arg args argument arguments",
    "idx index indices indexes indexing",
    "init initialise initialize initialised initialized",
    "invalid illegal wrong incorrect",
    "fail fails failure failing",
    "elem elems element elements",
    "msg message messages",
    "config configuration",
    "dir directory",
    "equal equals",
    "larger bigger greater",
    "smaller less lower",
    "broadcast broadcasted",
    "number count",
    "mismatch mismatched mismatching",
    "provided given supplied passed specified",
    "expected wanted",
    "unknown unrecognized unrecognised",
    "allowed permitted",
    "range bounds",
    "missing absent",
)


def _classes() -> dict[str, str]:
    table: dict[str, str] = {}
    for line in _SAME:
        alike = line.split()
        name = next((table[word] for word in alike if word in table), alike[0])
        table.update(dict.fromkeys(alike, name))
    return table


SAME = _classes()
"""Word to the name of its class; words of one class may stand for each other, at a price."""

DISCRIMINATORS = words(
    """min max minimum maximum forward backward float int integer bool boolean uint string complex first last left right
    lhs rhs input inputs output outputs row rows column columns col cols top bottom start end before after above below
    add sub mul div rem pow sqrt exp log sin cos tan asin acos atan sinh cosh tanh sum mean prod argmin argmax any all
    read write load save open close encode decode push pop insert remove get set send receive recv create delete
    conv convolution transpose transposed deform avg average adaptive pool pooling unpool interpolate embedding linear
    matmul gather scatter select slice squeeze unsqueeze flatten reshape permute expand repeat cat stack split narrow
    less greater lower higher smaller larger more fewer most least inner outer cpu gpu cuda wgpu metal vulkan rocm hip
    tch candle ndarray flex train valid test weight bias source target key value width height depth batch channel
    channels in out up down even odd same different empty full known unknown supported unsupported not no never none
    without only zero one two three four half single double sync async local global upper lower low high"""
)
"""Words that are another message's difference whether or not the catalogue holds that message."""

STD_WRAPPERS = (
    "not implemented: ",
    "not yet implemented: ",
    "internal error: entered unreachable code: ",
    "assertion failed: ",
    "assertion `left == right` failed: ",
    "assertion `left != right` failed: ",
    "called `result::unwrap()` on an `err` value: ",
    "called `result::unwrap_err()` on an `ok` value: ",
    "called `option::unwrap()` on a `none` value",
    "proc-macro panicked: ",
    "proc-macro derive panicked: ",
    "wgpu error: ",
)
"""What std (and wgpu) print around a text of somebody else, lower case."""

_STD_TEXTS = (
    r"not implemented",
    r"not yet implemented",
    r"(?:internal error: )?entered unreachable code",
    r"explicit panic",
    r"called .?option::unwrap\(\).? on a .?none.? value",
    r"called .?result::unwrap\(\).? on an .?err.? value",
    r"index out of bounds(?:: the len is \x00? ?but the index is \x00?)?",
    r"attempt to (?:add|subtract|multiply|divide|negate|shift left|shift right|calculate the remainder)[a-z ]*",
    r"assertion(?: failed)?",
    r"assertion .?left [!=]= right.? failed",
    r"no entry found for key",
    r"panic in a (?:destructor during cleanup|function that cannot unwind)",
    r"(?:range (?:start|end) |slice )?index (?:\x00 )?starts at \x00 but ends at \x00",
    r"(?:range (?:start|end) |slice )?index \x00 out of range for slice of length \x00",
    r"(?:source slice length|copy_from_slice).{0,80}",
    r"capacity overflow",
    r"out of memory",
    r"already (?:mutably )?borrowed(?:: \x00)?",
    r"memory allocation of \x00 bytes failed",
    r"division by zero",
    r"stack overflow",
    r"unreachable",
    r"file exists",
    r"no such file or directory",
    r"permission denied",
    r"connection refused",
    r"broken pipe",
    r"incompatible shapes",
    r"wgpu error: validation error",
    r"validation error",
)
_STD = re.compile(r"(?:" + "|".join(_STD_TEXTS) + r")[\s.:!,]*(?:\x00[\s.:!,]*)?\Z")


def is_std_text(canonical: str) -> bool:
    r"""Whether a lower-cased message (holes as \x00) is one that everybody's code prints: it needs its location."""
    return _STD.match(canonical) is not None


_IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(?:[A-Z_][A-Za-z0-9]+)+|[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]+)+|[A-Z]+_[A-Z_]+")


def is_identifier(word: str) -> bool:
    """Whether a word (case kept) is a code identifier of more than one part: `mask_fill`, `CubeCountTooLarge`."""
    return len(word) >= 6 and _IDENTIFIER.fullmatch(word) is not None


def has_digit(word: str) -> bool:
    return any("0" <= c <= "9" for c in word)


def stem(word: str) -> str:
    """A word without its most common English ending; only for comparing two words that stand at the same place."""
    for ending in ("ies", "ing", "ed", "es", "s"):
        if len(word) - len(ending) >= 4 and word.endswith(ending):
            return word[: -len(ending)]
    return word


def opposite(one: str, other: str) -> bool:
    """Whether one of two words says no to the other: `unsupported` and `supported`."""
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= 5 and longer in (f"un{shorter}", f"in{shorter}", f"non{shorter}")
