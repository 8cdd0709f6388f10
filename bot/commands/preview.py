"""What one event would lead to, shown and not written: `receive --dry-run` and `deliveries show`."""

from __future__ import annotations

import click

from bot.commands.judging import judge_text
from bot.commands.knowledge import load_knowledge
from bot.policy.events import Event, IssueEdited, IssueOpened
from bot.settings import Settings


def preview(event: Event, settings: Settings) -> None:
    """The comment to standard output; the suggested labels, or why there is no comment, to standard error."""
    if not isinstance(event, IssueOpened | IssueEdited):
        click.echo("nothing to do: no issue was opened or edited", err=True)
        return
    judged = judge_text(
        event.issue.title,
        event.issue.body,
        knowledge=load_knowledge(settings.records_dir),
        settings=settings.policy(),
        repository=event.repository,
    )
    if judged.comment is None:
        click.echo(f"no comment: {judged.decided.reason}", err=True)
    else:
        click.echo(judged.comment)
    for label in judged.labels:
        click.echo(f"label {label.name} ({label.confidence.value}): {label.rationale}", err=True)
