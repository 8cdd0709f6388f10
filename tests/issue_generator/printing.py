"""How Rust, its loggers and a browser's console print a panic."""

from __future__ import annotations

import enum
import random
from dataclasses import dataclass

from bot.records.model import Site

_HOMES = ("/home/user", "/Users/user", "/root", "/workspaces/demo")
_VERSIONS = ("0.13.2", "0.14.0", "0.16.1", "0.17.0", "0.18.0", "0.19.1", "0.20.1", "0.21.0")
_NOTE = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"
_STACK = "\nStack:\n\nError\n    at imports.wbg.__wbg_new (http://localhost:8080/app.js:417:21)"
_TAILS = ('Io("unexpected end of file")', "SendError { .. }", "RecvError", "PoisonError { .. }")


class Form(enum.StrEnum):
    NEW = "new"
    NEW_ID = "new-with-thread-id"
    OLD = "old"
    WASM = "wasm-console"
    LOGGED = "logger"
    ERROR = "error-line"
    BARE = "bare"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message was raised, as it is printed."""

    path: str
    position: str
    frames: tuple[str, ...]

    @classmethod
    def of(cls, site: Site, rng: random.Random) -> Place:
        """The place of a site seen from somebody's machine."""
        path = site.file_path or "src/main.rs"
        position = f"{rng.randint(20, 2400)}:{rng.randint(5, 60)}"
        crate, _, inside = path.removeprefix("crates/").partition("/")
        module = inside.removeprefix("src/").removesuffix(".rs").replace("/", "::")
        root = crate.replace("-", "_")
        frames = (
            "rust_begin_unwind",
            "core::panicking::panic_fmt",
            f"{root}::{module}::{site.function or 'run'}",
            "burn_tensor::tensor::api::base::Tensor<B,_>::apply",
            "demo::training::step",
            "demo::main",
        )
        kind = rng.randrange(4)
        if kind == 0 or not path.startswith("crates/"):
            return cls(path, position, frames)
        if kind == 1:
            return cls(f"C:\\src\\burn\\{path}".replace("/", "\\"), position, frames)
        home = rng.choice(_HOMES)
        if kind == 2:
            return cls(
                f"{home}/.cargo/git/checkouts/burn-acfbee6a141c1b41/{rng.getrandbits(28):07x}/{path}", position, frames
            )
        registry = f"{home}/.cargo/registry/src/index.crates.io-6f17d22bba15001f"
        return cls(f"{registry}/{crate}-{rng.choice(_VERSIONS)}/{inside}", position, frames)


def printed(message: str, place: Place, form: Form, rng: random.Random) -> str:
    """The message in one form of print, with a backtrace at times."""
    thread = rng.choice(("main", "main", "<unnamed>", "train-worker-3", "tests::ops::it_works"))
    where = f"{place.path}:{place.position}"
    match form:
        case Form.OLD:
            text = f"thread '{thread}' panicked at '{message}', {where}\n{_NOTE}"
        case Form.NEW_ID:
            text = f"\nthread '{thread}' ({rng.randint(1000, 999999)}) panicked at {where}:\n{message}\n{_NOTE}"
        case Form.WASM:
            script = f"app-{rng.getrandbits(32):08x}.js:{rng.randint(100, 999)}"
            return f"{script} panicked at {where}:\n{message}\n{_STACK}"
        case Form.LOGGED:
            stamp = f"2026-02-1{rng.randrange(10)}T10:2{rng.randrange(10)}:14.103Z"
            return f"{stamp} ERROR burn_train::learner: PANIC => panicked at {where}:\n{message}"
        case Form.ERROR:
            return f"Error: {message}"
        case Form.BARE:
            return message
        case _:
            text = f"thread '{thread}' panicked at {where}:\n{message}\n{_NOTE}"
    return f"{text}\n{backtrace(place, rng)}" if rng.random() < 0.35 else text


def with_tail(message: str, rng: random.Random) -> str:
    """What `expect` adds: the error's own Debug form."""
    return f"{message.rstrip('.')}: {rng.choice(_TAILS)}"


def backtrace(place: Place, rng: random.Random) -> str:
    lines = ["stack backtrace:"]
    for number, frame in enumerate(place.frames):
        lines.append(f"  {number:2}: {frame}")
        if rng.random() < 0.7:
            path = place.path if number == 2 else "./src/main.rs"
            lines.append(f"             at {path}:{rng.randint(5, 900)}:{rng.randint(5, 40)}")
    return "\n".join(lines)
