"""The only links in a comment: source lines at a fixed commit, repositories, and related issues.

Each is built anew from checked parts; no address of a record is passed through.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from bot.records.model import Record
from bot.records.permalink import Permalink, parse_permalink
from bot.render.escape import code_span, one_line

MOST_LINES = 16
"""GitHub shows every line of a snippet: a longer range is narrowed to what surrounds the raising line."""
_ABOVE, _BELOW = 8, 3
_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9._-]{1,100}")
_ISSUE = re.compile(rf"(?P<repo>{_REPO.pattern})#(?P<number>[1-9][0-9]{{0,9}})")


def source_line(record: Record, *, repo: str, function: str | None) -> str:
    """The place that raises the message, as a line of its own.

    A bare address where the issue lives in the same repository, because GitHub shows the lines there; elsewhere a text
    link. A record whose link is no permalink gets its path as code.
    https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/creating-a-permanent-link-to-a-code-snippet
    """
    link = parse_permalink(record.github_url)
    if link is None or not _REPO.fullmatch(link.repo):
        return f"Raised in {code_span(one_line(record.file_path, 200))}."
    first, last = _narrowed(record, link, function)
    if link.repo.lower() == repo.lower():
        return _address(link, first, last)
    return f"Source: {_text_link(link, first, last)}"


def source_link(record: Record) -> str:
    """The raising line as the word `source`, for use inside a line; the path as code where there is no permalink."""
    link = parse_permalink(record.github_url)
    if link is None or not _REPO.fullmatch(link.repo):
        return code_span(one_line(record.file_path, 200))
    line = record.line_number if record.line_number is not None else link.start
    return f"[source]({_address(link, line, line)})"


def source_repo(record: Record) -> str | None:
    """owner/name of the repository that the permalink points into."""
    link = parse_permalink(record.github_url)
    return link.repo if link is not None and _REPO.fullmatch(link.repo) else None


def repo_link(name: str) -> str:
    """A repository as a link; anything else as code."""
    return f"[{name}](https://github.com/{name})" if _is_plain(name) else code_span(one_line(name, 140))


def issue_link(reference: str) -> str:
    """`owner/name#number` as a link; anything else as code.

    `redirect.github.com` leaves no "mentioned this" on the other issue, and the words are no live reference.
    """
    found = _ISSUE.fullmatch(reference)
    if found is None or not _is_plain(found["repo"]):
        return code_span(one_line(reference, 140))
    address = f"https://redirect.github.com/{found['repo']}/issues/{found['number']}"
    return f"[{found['repo']} issue {found['number']}]({address})"


def _is_plain(name: str) -> bool:
    """Whether a repository's name can stand as link text: no underscore, which could be emphasis."""
    return _REPO.fullmatch(name) is not None and "_" not in name and not name.endswith((".", "-"))


def _address(link: Permalink, first: int | None, last: int | None) -> str:
    lines = "" if first is None else f"#L{first}" if first == last else f"#L{first}-L{last}"
    return f"https://github.com/{link.repo}/blob/{link.sha}/{quote(link.path, safe='/-._~')}{lines}"


def _text_link(link: Permalink, first: int | None, last: int | None) -> str:
    where = "" if first is None else f", line {first}" if first == last else f", lines {first}–{last}"
    return f"[{code_span(one_line(f'{link.repo}/{link.path}', 200))}{where}]({_address(link, first, last)})"


def _narrowed(record: Record, link: Permalink, function: str | None) -> tuple[int | None, int | None]:
    """The function that raises it, where the excerpt shows the whole of it; else some lines around the raising one."""
    if link.start is None or link.end is None:
        line = record.line_number
        return (None, None) if line is None else (max(1, line - _ABOVE), line + _BELOW)
    line = record.line_number if record.line_number is not None else link.start
    if not link.start <= line <= link.end or link.end - link.start < MOST_LINES:
        return link.start, min(link.end, link.start + MOST_LINES - 1)
    shown = _function_lines(record, line, function) if function else None
    if shown is not None and shown[1] - shown[0] < MOST_LINES:
        return shown
    return max(link.start, line - _ABOVE), min(link.end, line + _BELOW)


def _function_lines(record: Record, line: int, function: str) -> tuple[int, int] | None:
    """First and last line of `function` in the excerpt, told by indentation as rustfmt writes it."""
    if record.source_code is None or record.source_code_start is None:
        return None
    lines = record.source_code.split("\n")
    raising = line - record.source_code_start
    head = re.compile(r"(?P<indent> *)(?:[a-z()]{1,20} ){0,6}fn " + re.escape(function) + r"\b")
    for first in range(min(raising, len(lines) - 1), -1, -1):
        found = head.match(lines[first])
        if found is None:
            continue
        for last in range(raising, len(lines)):
            if lines[last] == f"{found['indent']}}}":
                return first + record.source_code_start, last + record.source_code_start
        return None
    return None
