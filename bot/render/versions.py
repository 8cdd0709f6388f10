"""What a record's releases mean for the release that the issue shows."""

from __future__ import annotations

import re

from bot.records.model import Extension, Kind
from bot.render.escape import code_span, one_line, prose_line
from bot.render.links import issue_link

_RELEASE = re.compile(
    r"v?(?P<major>\d{1,5})\.(?P<minor>\d{1,5})(?:\.(?P<patch>\d{1,5}))?(?:-(?P<pre>[0-9A-Za-z.-]{1,40}))?"
)


def compare(left: str, right: str) -> int | None:
    """-1, 0 or 1 by https://semver.org/#spec-item-11; None where one is no release or too coarse to tell.

    `0.18` stands for any 0.18 release: older than 0.19.0, but neither older nor newer than 0.18.1.
    """
    one, other = _RELEASE.fullmatch(left.strip()), _RELEASE.fullmatch(right.strip())
    if one is None or other is None:
        return None
    coarse_one, coarse_other = ((int(found["major"]), int(found["minor"])) for found in (one, other))
    if coarse_one != coarse_other:
        return -1 if coarse_one < coarse_other else 1
    if one["patch"] is None or other["patch"] is None:
        return None
    fine_one, fine_other = ((int(found["patch"]), _pre_release(found["pre"])) for found in (one, other))
    return (fine_one > fine_other) - (fine_one < fine_other)


def version_note(extension: Extension, version: str | None, project: str) -> str | None:
    """The sentence worth a line of its own: an update may help, or the known cause should be gone. Else None."""
    if version is None or extension.fixed_in is None:
        return None
    order = compare(version, extension.fixed_in)
    if order is None:
        return None
    fixed, shown = _inline(extension.fixed_in), _inline(version)
    if order < 0:
        return f"**Update first:** the cause is gone since {project} {fixed}; this issue shows {shown}."
    return (
        f"**Mind the version:** the known cause is gone since {project} {fixed}, yet this issue shows {shown}. "
        "It may have another cause."
    )


def version_points(extension: Extension, version: str | None, project: str) -> list[str]:
    """Every version fact as a list item, for the folded part."""
    points: list[str] = []
    since, until = extension.since, extension.until
    if since and until:
        points.append(f"Printed by {project} {_inline(since)} to {_inline(until)}.")
    elif since:
        points.append(f"Printed since {project} {_inline(since)}.")
    elif until:
        points.append(f"The last release that prints it is {project} {_inline(until)}.")
    if extension.fixed_in or extension.fixed_by:
        by = f" by {issue_link(extension.fixed_by)}" if extension.fixed_by else ""
        where = f" in {project} {_inline(extension.fixed_in)}" if extension.fixed_in else ""
        points.append(f"The cause was removed{where}{by}.")
    if extension.moved_to and extension.kind is not Kind.HISTORICAL:
        points.append(f"The code lives in {code_span(extension.moved_to)} now.")
    if version is not None:
        points.append(f"This issue shows {project} {_inline(version)}.")
    if extension.api_version:
        other = version is not None and _release_line(version) != _release_line(extension.api_version)
        names = "; names may differ in other releases" if other else ""
        points.append(f"Steps and example use the API of {project} {_inline(extension.api_version)}{names}.")
    return points


def _inline(version: str) -> str:
    return prose_line(one_line(version, 60), start=False)


def _release_line(version: str) -> tuple[str, str] | str:
    found = _RELEASE.fullmatch(version.strip())
    return (found["major"], found["minor"]) if found else version


def _pre_release(text: str | None) -> tuple[int, tuple[tuple[int, int, str], ...]]:
    """Ordered as semver orders them: none above any, numbers below words."""
    if text is None:
        return 1, ()
    parts = text.split(".")
    return 0, tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)
