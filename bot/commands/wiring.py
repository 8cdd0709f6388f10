"""Puts the rooms together: from settings to something that runs."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import click
import structlog

from bot import logs
from bot.commands.knowledge import Knowledge, load_knowledge
from bot.github.client import build_github
from bot.inbox.port import Counts, Inbox, StoreUnavailable
from bot.inbox.sql import SqlInbox, open_inbox
from bot.settings import Need, Settings, SettingsError, load_settings
from bot.worker.apply import Applier
from bot.worker.handle import Triage
from bot.worker.loop import Workers

STALE_SECONDS = 3600.0
"""A delivery that is unfinished for this long means that somebody should look."""

_log = structlog.get_logger(__name__)


def begin(*, need: Need) -> Settings:
    """Read the settings and set up logging. Raises `click.ClickException` with everything that is wrong."""
    try:
        settings = load_settings(need=need)
    except SettingsError as error:
        raise click.ClickException(str(error)) from None
    logs.configure(settings)
    logs.catch_uncaught()
    for warning in settings.warnings:
        _log.warning("setting", variable=warning.variable, problem=warning.message)
    return settings


def open_store(settings: Settings) -> SqlInbox:
    """The inbox at DATABASE_URL. Raises `click.ClickException`."""
    try:
        return open_inbox(settings.database_url.reveal(), lease_seconds=settings.lease_seconds)
    except (StoreUnavailable, ValueError) as error:
        raise click.ClickException(f"the store at DATABASE_URL cannot be used: {error}") from None


def load_records(root: Path) -> Knowledge:
    """What can be loaded; each file or record that cannot is logged. Raises `click.ClickException` if none can."""
    knowledge = load_knowledge(root)
    for problem in knowledge.catalogue.problems:
        _log.error(
            "record not loaded",
            rule=problem.rule,
            path=problem.path,
            record=problem.record,
            field=problem.field,
            problem=problem.message,
        )
    _log.info("records", root=str(root), loaded=len(knowledge.entries), problems=len(knowledge.catalogue.problems))
    return knowledge


def build_workers(
    settings: Settings, *, inbox: Inbox, knowledge: Knowledge, observe: Callable[[str], None] = lambda _outcome: None
) -> Workers:
    """The threads that work on what is in `inbox`. Not started yet. `observe` is told what came of each try."""
    key, token = settings.private_key, settings.github_token
    github = build_github(
        app_id=settings.app_id,
        private_key=key.reveal() if key else None,
        token=token.reveal() if token else None,
        api_url=settings.github_api_url,
        seconds_between_writes=settings.seconds_between_writes,
    )
    applier = Applier(
        inbox=inbox,
        host=settings.github_api_url,
        lease_seconds=settings.lease_seconds,
        settle_seconds=settings.settle_seconds,
        comments_per_hour=settings.comments_per_hour,
        clock=time.time,
        jitter=random.random,
    )
    triage = Triage(
        github=github,
        applier=applier,
        judge=knowledge.matcher.judge,
        entries=knowledge.entries,
        settings=settings.policy(),
    )
    return Workers(
        inbox=inbox,
        handle=triage,
        count=settings.workers,
        lease_seconds=settings.lease_seconds,
        clock=time.time,
        jitter=random.random,
        observe=observe,
    )


def store_check(counts: Callable[[], Counts]) -> str | None:
    """What is wrong with the store or with the work on it, in a sentence; None if nothing is."""
    try:
        age = counts().oldest_age
    except StoreUnavailable:
        return "the store does not answer"
    if age is not None and age > STALE_SECONDS:
        return f"a delivery is unfinished for {age:.0f} seconds"
    return None


def write_check(inbox: Inbox) -> str | None:
    """What is wrong when the store cannot be written, in a sentence: on a full disk it still answers questions."""
    try:
        inbox.save_fact("readiness", "written", "", now=time.time())
    except StoreUnavailable:
        return "the store takes no writes"
    return None
