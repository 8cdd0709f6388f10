"""From records to error sites: the facts that the matcher works with."""

from __future__ import annotations

from msgspec.structs import replace

from bot.records.excerpt import enclosing_function
from bot.records.model import Catalogue, Entry, Kind, Record, Site


def sites(catalogue: Catalogue) -> tuple[Site, ...]:
    """Every record's own message, then its further sites, in the catalogue's order."""
    return tuple(site for entry in catalogue.entries for site in entry_sites(entry))


def entry_sites(entry: Entry) -> tuple[Site, ...]:
    record, extension = entry.record, entry.extension
    own = Site(
        record=record.id,
        slug=record.slug,
        repo=record.repo,
        message=record.error_message,
        pattern=record.message_pattern,
        file_path=record.file_path,
        function=extension.function or function_of(record),
        kind=extension.kind,
        secondary=extension.secondary,
        needs_location=extension.needs_location or extension.kind is Kind.LOCATED,
        error_type=record.error_type,
    )
    return own, *(
        replace(own, message=extra.error_message, pattern=None, file_path=extra.file_path, function=extra.function)
        for extra in extension.sites
    )


def function_of(record: Record) -> str | None:
    """The function that encloses the raising line, read off the excerpt; None where that does not show it."""
    if not record.source_code or record.source_code_start is None or record.line_number is None:
        return None
    return enclosing_function(record.source_code, record.line_number - record.source_code_start)
