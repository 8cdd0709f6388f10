"""What stands in a hole of a message when it is printed, and the printed message as a whole."""

from __future__ import annotations

import random
import re

from tests.issue_generator.keys import words

_HOLE = re.compile(r"\{\{|\}\}|\{([^{}\s]{0,80})\}")
_ESCAPE = re.compile(r"\\(?:\r?\n[ \t]*|([nrt\"'\\]))")
_TYPES = ["F32", "F16", "BF16", "I64", "I32", "U8", "Bool", "QFloat"]
_OPERATIONS = ["conv2d", "argmax", "float_add", "unfold", "stft", "scatter_nd"]
_NAMES = words(
    """
    conv1.weight encoder.layers.0.attn.bias linear_2 model.safetensors input.1 head fc decoder.norm
    """
)
_STRUCTS = (
    "TensorId {{ value: {n} }}",
    "Shape {{ dims: [{n}, {m}] }}",
    "Some({n})",
    "Cuda(0)",
    'Io(Custom {{ kind: NotFound, error: "no entry" }})',
)


def literal(message: str) -> str:
    """A source literal with its escapes as the compiler reads them; holes stay."""
    return _ESCAPE.sub(lambda m: {"n": "\n", "t": "\t", "r": ""}.get(m[1], m[1]) if m[1] else "", message).strip()


def filled(message: str, rng: random.Random) -> str:
    """The message as it is printed, every hole filled by a value that suits its name."""

    def value(match: re.Match[str]) -> str:
        return match[0][0] if match[1] is None else filling(match[1], rng)

    return _HOLE.sub(value, literal(message))


def filling(name: str, rng: random.Random) -> str:
    """A value for a hole, guessed by the hole's name; anything where the name says nothing."""
    name, _, form = name.lower().partition(":")
    n, m = rng.randint(1, 4096), rng.randint(1, 64)
    if name in ("op", "operation", "function", "ident"):
        return rng.choice(_OPERATIONS)
    if "dtype" in name or "type" in name:
        return rng.choice(_TYPES)
    if "shape" in name or "dims" in name:
        return f"[{m}, {n}, {rng.randint(1, 9)}]"
    if any(part in name for part in ("dim", "rank", "len", "size", "count", "index", "idx", "num")) or len(name) == 1:
        return str(rng.choice((n, m)))
    if any(part in name for part in ("name", "path", "key", "file", "id")):
        return rng.choice(_NAMES)
    choices = [str(n), str(m), f"{n / 7:.3f}", rng.choice(_NAMES), f"[{m}, {n}]"]
    if "?" in form:
        choices += [rng.choice(_STRUCTS).format(n=n, m=m), rng.choice(_TYPES), f"[{m}, {m}, {n}]"]
    return rng.choice(choices)
