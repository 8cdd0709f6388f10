"""A fake GitHub and the real bot on free loopback ports: three issues come in, two get their one right comment.

Prints the comments exactly as they stand on the issues, and the label suggestions. Exit status 1 when anything is not
as it should be, with a line for each thing that is not.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bot_process import BotProcess
from tests.github import FakeGitHub, Issue, RepoStory

ISSUES = Path(__file__).parent / "issues"
REPOSITORY = "tracel-ai/burn"
LABELS = ("bug", "autodiff", "enhancement", "feature", "wgpu", "onnx", "fusion", "performance", "documentation")


def read_issue(name: str) -> tuple[str, str]:
    """Title and body of a sample issue: the first line, and the rest."""
    title, _, body = (ISSUES / f"{name}.md").read_text(encoding="utf-8").partition("\n")
    return title, body


def main() -> int:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="burn-triage-demo-") as folder, FakeGitHub() as github:
        burn = github.repo(REPOSITORY)
        burn.create_labels(*LABELS)
        env = github.environment() | {"TRIAGE_MODE": "live", "SECONDS_BETWEEN_WRITES": "0.1"}
        with BotProcess(folder=Path(folder), env=env) as bot:
            print(f"fake GitHub   {github.url}\nbot           {bot.webhook_url}\n")
            github.connect(bot.webhook_url)
            issues = {}
            for name in ("adaptive-avg-pool2d", "deform-conv2d", "feature-request"):
                title, body = read_issue(name)
                issues[name] = burn.open_issue(title=title, body=body)
                print(f"issues.opened #{issues[name].number}, signed, delivered: {title}")
            bot.wait_until_done(len(issues))
        for issue in issues.values():
            show(burn, issue)
        wrong = list(complaints(burn, issues))
    for complaint in wrong:
        print(f"NOT SO: {complaint}", file=sys.stderr)
    print(f"\n{'As it should be' if not wrong else 'Something is wrong'}, {time.monotonic() - began:.1f} s.")
    return 1 if wrong else 0


def show(burn: RepoStory, issue: Issue) -> None:
    print(f"\n{'=' * 100}\n#{issue.number} {issue.title}\n{'=' * 100}")
    comments = burn.comments(issue)
    for comment in comments:
        print(comment.body)
    if not comments:
        print("(no comment: nothing is printed in this issue that a record explains)")
    for suggestion in burn.suggestions(issue):
        print(f"\nsuggested label: {suggestion.label} ({suggestion.confidence}): {suggestion.rationale}")


def complaints(burn: RepoStory, issues: dict[str, Issue]) -> Iterator[str]:
    """Everything that is not as the demo promises."""
    expected = {"adaptive-avg-pool2d": 1, "deform-conv2d": 1, "feature-request": 0}
    bodies = {name: [comment.body for comment in burn.comments(issue)] for name, issue in issues.items()}
    for name, count in expected.items():
        if len(bodies[name]) != count:
            yield f"{name} has {len(bodies[name])} comments, not {count}"
        if burn.labels(issues[name]):
            yield f"{name} was labelled {burn.labels(issues[name])}: labels are suggested, never applied"
    for name in ("adaptive-avg-pool2d", "deform-conv2d"):
        said = "".join(bodies[name])
        if "crates/burn-autodiff/src/ops/module.rs#L" not in said:
            yield f"{name}: the comment does not link the source"
        if not burn.suggestions(issues[name]):
            yield f"{name}: no label was suggested"
    if "q_to_device" in "".join(bodies["deform-conv2d"]):
        yield "deform-conv2d: the comment speaks of q_to_device, which is another error"


if __name__ == "__main__":
    raise SystemExit(main())
