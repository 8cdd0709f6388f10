"""`make chaos`: the bot is killed with `kill -9` at random moments between receipt and comment, again and again.

Each round opens one issue, kills the bot a random while after the delivery was sent, restarts it, and waits until the
store says that the work is done. Afterwards every issue must bear exactly one comment. A delivery that was not
acknowledged is delivered once more under the same guid, as GitHub lets one ask for.

Bounded: loopback only, a fixed number of rounds, a seed that makes a run repeatable as far as a kill can be.
"""

from __future__ import annotations

import random
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import click

from tests.bot_process import BotProcess
from tests.demo.__main__ import REPOSITORY, read_issue
from tests.github import FakeGitHub, RepoStory

LONGEST_WAIT_SECONDS = 0.15
"""Receipt to comment takes about as long: kills fall before, between and after all the steps."""
SETTINGS = {"LEASE_SECONDS": "1", "SETTLE_SECONDS": "0.2", "SECONDS_BETWEEN_WRITES": "0.05", "TRIAGE_MODE": "live"}


@click.command()
@click.option("--rounds", default=50, show_default=True)
@click.option("--seed", default=20_261_130, show_default=True)
def main(rounds: int, seed: int) -> None:
    """Exit status 1 when any issue has no comment, or more than one."""
    dice = random.Random(seed)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="burn-triage-chaos-") as folder, FakeGitHub() as github:
        burn = github.repo(REPOSITORY)
        bot = BotProcess(folder=Path(folder), env=github.environment() | SETTINGS)
        moments = Counter[str]()
        try:
            for number in range(1, rounds + 1):
                moments[_round(number, github, burn, bot, delay=dice.uniform(0, LONGEST_WAIT_SECONDS))] += 1
                click.echo(f"\r{number}/{rounds} kills", nl=False, err=True)
        finally:
            bot.kill()
        counts = Counter(len(issue.comments) for issue in burn.state.issues.values())
    click.echo("", err=True)
    for moment, count in sorted(moments.items()):
        click.echo(f"killed {moment}: {count}")
    click.echo(f"issues: {rounds}, by number of comments: {dict(counts)}, {time.monotonic() - began:.0f} s")
    if counts != {1: rounds}:
        raise click.ClickException("an issue has no comment, or more than one")


def _round(number: int, github: FakeGitHub, burn: RepoStory, bot: BotProcess, *, delay: float) -> str:
    """Open one issue, kill the bot `delay` seconds later, restart it and wait for the work; when the kill fell."""
    title, body = read_issue("adaptive-avg-pool2d")
    bot.start()
    github.connect(bot.webhook_url, events=("issues",))
    killer = threading.Timer(delay, bot.kill)
    killer.start()
    issue = burn.open_issue(title=title, body=body)
    killer.join()
    delivery = github.backend.state.deliveries[-1]
    acknowledged, stood = 200 <= delivery.status_code < 300, bool(burn.comments(issue))
    bot.start()
    github.connect(bot.webhook_url, events=("issues",))
    if not acknowledged:
        github.hookshot.redeliver(delivery.id)
        github.settle()
    bot.wait_until_done(number)
    bot.kill()
    if not acknowledged:
        return "before the 202"
    return "after the comment" if stood else "between the 202 and the comment"


if __name__ == "__main__":
    main()
