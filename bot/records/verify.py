"""`records verify`: proves a catalogue against source, at the commits and versions that its records name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from bot.records.model import Entry
from bot.records.permalink import Permalink, parse_permalink
from bot.records.rust.literal import SourceFile
from bot.records.verify_code import code_claims
from bot.records.verify_outcome import Check, Found, Problem, Proven
from bot.records.verify_place import place_claims, proof_claims, site_claims
from bot.records.verify_sources import Sources


def verify(entries: Iterable[Entry], sources: Sources, *, progress: Callable[[int], object] | None = None) -> Proven:
    """Look at every claim of every entry. Raises `CheckoutError` when a checkout cannot be read."""
    failures: list[Problem] = []
    unchecked: list[Problem] = []
    checked: Counter[str] = Counter()
    records = 0
    for entry in entries:
        records += 1
        for found in _claims(entry, sources):
            if found.checked:
                checked[found.check.value] += 1
            if found.complaint is not None:
                (failures if found.checked else unchecked).append(_problem(entry, found))
        if progress:
            progress(1)
    return Proven(
        records=records,
        checked={check.value: checked[check.value] for check in Check},
        failures=tuple(failures),
        unchecked=tuple(unchecked),
    )


def _claims(entry: Entry, sources: Sources) -> Iterator[Found]:
    link = parse_permalink(entry.record.github_url)
    source: SourceFile | None = None
    if link is None:
        yield Found(Check.PERMALINK, "githubUrl", "is no permalink pinned to a commit")
    else:
        sha, reason = _commit(entry, link, sources)
        if sha is None:
            yield Found(Check.LITERAL, "githubUrl", reason, checked=False)
        else:
            source = sources.file(link.repo, sha, link.path)
            yield from place_claims(entry, link, source, sha)
            yield from site_claims(entry, link.repo, sha, sources)
    yield from proof_claims(entry, sources)
    yield from code_claims(entry, sources, source)


def _commit(entry: Entry, link: Permalink, sources: Sources) -> tuple[str | None, str]:
    """The commit to read at: the permalink's, else the review's, whose source the reviewer compared."""
    if not sources.has(link.repo):
        return None, f"no checkout of {link.repo} was given"
    for sha in (link.sha, entry.review.commit if entry.review else None):
        if sha and sources.has_commit(link.repo, sha):
            return sha, ""
    return None, f"commit {link.sha[:10]} is not in the checkout of {link.repo}"


def _problem(entry: Entry, found: Found) -> Problem:
    return Problem(
        check=found.check,
        record=entry.slug,
        id=entry.id,
        path=entry.erratum.name if entry.erratum else entry.path.name,
        field=found.field,
        message=found.complaint or "",
        sentence=found.sentence,
    )
