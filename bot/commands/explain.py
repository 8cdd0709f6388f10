"""`burn-triage explain`: what would be posted for one issue text, or why nothing would be."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

import click
import msgspec

from bot.commands.judging import judge_text, trial_settings
from bot.commands.knowledge import load_knowledge
from bot.commands.match import VerdictLine
from bot.commands.options import records_option
from bot.commands.why import why


@click.command()
@click.argument("text", type=click.File("r", encoding="utf-8", errors="replace"), metavar="FILE|-")
@click.option("--title", default="", help="The issue's title, when FILE is its body only.")
@click.option("--json", "as_json", is_flag=True, help="The verdict as `burn-triage match` writes it.")
@click.option(
    "--why", "show_why", is_flag=True, help="The evidence for a person: matched words, score, what was refused."
)
@records_option
def explain(text: TextIO, title: str, as_json: bool, show_why: bool, records: Path) -> None:
    """Print the comment an issue with this text would get. Exit status: 0 there is one, 1 there is none."""
    body = text.read()
    judged = judge_text(title, body, knowledge=load_knowledge(records), settings=trial_settings())
    if as_json:
        click.echo(msgspec.json.encode(VerdictLine.of(0, judged)).decode())
    elif show_why:
        click.echo(why(judged, title=title, body=body))
    elif judged.comment is not None:
        click.echo(judged.comment)
    else:
        click.echo(f"Nothing would be posted: {judged.decided.reason}", err=True)
    raise SystemExit(0 if judged.comment is not None else 1)
