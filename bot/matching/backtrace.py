"""Function names of backtrace frames. The frames' own locations are not where the panic happened."""

from __future__ import annotations

import re

from bot.matching.vocabulary import words

MAX_FRAMES = 12
_FRAME = re.compile(
    r"^[ \t>|]*(?:\d{1,4}:[ \t]+(?:0x[0-9a-fA-F]{1,16}[ \t]+-[ \t]+)?(?P<rust>[^\n]{1,2000})"
    r"|at[ \t]+(?P<script>[^\s(]{1,1500})[ \t]+\([^\n)]{1,600}\))[ \t]*$",
    re.MULTILINE,
)
_HASH = re.compile(r"::h[0-9a-f]{16}\Z")
_STD_HEADS = words(
    """
    core std alloc rust_begin_unwind __rustc rust_panic rust_panic_with_hook begin_panic test backtrace usize u8 u16
    u32 u64 u128 isize i8 i16 i32 i64 f32 f64 bool char str T F I console_error_panic_hook imports
    """
)
_GENERICS = re.compile(r"<[^<>]*>")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def functions(text: str, start: int, end: int) -> tuple[str, ...]:
    """Names of the functions whose frames stand in `text[start:end]`, innermost first, Rust's own left out."""
    names: list[str] = []
    for match in _FRAME.finditer(text, start, end):
        name = _function(match["rust"] or match["script"])
        if name is not None and (not names or names[-1] != name):
            names.append(name)
        if len(names) >= MAX_FRAMES:
            break
    return tuple(names)


def _function(frame: str) -> str | None:
    path = frame.strip()
    if (wasm := path.rfind(".wasm.")) >= 0:
        path = path[wasm + 6 :]
    path = _HASH.sub("", path)
    head = _NAME.search(path)
    if head is None or head[0] in _STD_HEADS or "::" not in path:
        return None
    for segment in reversed(_outside_brackets(path).split("::")):
        name = segment.strip()
        if name and not name.startswith(("{", "closure")):
            return name if _NAME.fullmatch(name) else None
    return None


def _outside_brackets(path: str) -> str:
    """The path without its generics; at most as many passes as they are nested."""
    while "<" in path:
        shorter = _GENERICS.sub("", path)
        if shorter == path:
            return path.replace("<", "").replace(">", "")
        path = shorter
    return path.replace(">", "")
