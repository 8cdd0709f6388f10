"""What `python -m bench` prints, part by part."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec

from bench import adversarial, baselines, child, quality
from bench.table import Table
from bench.timing import Times, exponent, timed
from bench.world import BASE, grown, long_issues
from bot.evaluation.interval import Share
from bot.matching.matcher import Matcher
from bot.matching.verdict import Decision
from bot.records.model import Site
from tests.issue_generator.corruption import Corruption
from tests.issue_generator.keys import Split
from tests.issue_generator.near_misses import near_misses
from tests.issue_generator.negatives import Negative

LARGE = 100_000
MILLION = 1_000_000
_WORD = re.compile(r"\w+")
_GOALS = {
    Corruption.INTACT: 0.99,
    Corruption.TYPOS: 0.85,
    Corruption.REWORDED: 0.75,
    Corruption.TRUNCATED: 0.90,
}


@dataclass
class Setting:
    sites: list[Site]
    catalogue: Path | None
    full: bool
    folder: Path
    failures: int = 0
    split: Split = Split.TEST

    @cached_property
    def matcher(self) -> Matcher:
        """Of the sites that issues are made from."""
        return Matcher.build(self.sites)

    @cached_property
    def long(self) -> list[tuple[str, str]]:
        return long_issues(self.sites, 200 if self.full else 60)

    def index(self, count: int) -> Path:
        return self.folder / f"{count}.index"

    @cached_property
    def built(self) -> child.Built:
        """The large catalogue, built and saved by a process of its own."""
        return child.build(LARGE, self.index(LARGE), self.catalogue)

    @cached_property
    def large(self) -> Matcher:
        assert self.built.saved
        loaded = Matcher.load(self.index(LARGE), child.KEY)
        assert loaded is not None
        return loaded

    def times(self, matcher: Matcher, *, count: int | None = None) -> Times:
        return timed(lambda issue: matcher.judge(*issue), self.long[:count], rounds=3)


def _share(share: Share) -> str:
    if share.value is None:
        return "–"
    return f"{share.value:.4f} ({share.low:.4f} to {share.high:.4f})"


def generated(setting: Setting) -> Iterator[Table]:
    """Quality on generated issues of one half."""
    issues = quality.mixed_issues(setting.sites, 12_000 if setting.full else 3_600, split=setting.split)
    found = quality.of_matcher(setting.sites, issues, setting.matcher)
    table = Table(f"Generated issues, {setting.split} half", ("what", "share (95 % interval)", "of", "goal"))
    precision, recall = found.precision, found.recall()
    table.add("precision", _share(precision), precision.of, "≥ 0.998")
    table.add("recall, overall", _share(recall), recall.of, "≥ 0.95")
    for kind in Corruption:
        part = found.recall([kind])
        table.add(f"recall, {kind.value}", _share(part), part.of, f"≥ {_GOALS[kind]}" if kind in _GOALS else "")
    kinds = [kind for kind in Negative if kind in found.outcomes]
    for negative in kinds:
        part = found.false_rate([negative])
        table.add(f"speaks: {negative.value}", _share(part), part.of, "0")
    removed = quality.without_their_records(setting.sites, 4_000 if setting.full else 1_500, split=setting.split)
    part = removed.false_rate([Negative.REMOVED])
    table.add("speaks: record removed", _share(part), part.of, "≤ 0.005")
    general = found.count(quality.GENERAL), removed.count(quality.GENERAL)
    table.note = (
        f"Rightly ambiguous: {found.count(quality.AMBIGUOUS)}, counted as recalled. Too little left to answer: "
        f"{found.count(quality.UNANSWERABLE)}, not counted. By a more general record whose text is printed, too: "
        f"{general[0]}; with the record removed: {general[1]} (not counted as false)."
    )
    yield table
    failures = [*found.failures, *removed.failures][: setting.failures]
    if failures:
        table = Table("Wrong answers", ("kind", "printed", "said"))
        for failure in failures:
            table.add(failure.kind, " ".join(failure.printed.split())[:120], failure.said[:120])
        yield table


def near(_: Setting) -> Iterator[Table]:
    """Pairs that differ in one word."""
    spoken = confused = silent = count = 0
    for pair in near_misses():
        count += 1
        alone = Matcher.build([pair.sibling]).judge("", pair.body)
        both = Matcher.build([pair.sibling, pair.printed]).judge("", pair.body)
        spoken += alone.decision is Decision.EXPLAIN
        confused += both.decision is Decision.EXPLAIN and both.matches[0].record != pair.printed.record
        silent += both.decision is not Decision.EXPLAIN
    table = Table("Near misses, every pair both ways", ("what", "count", "of", "goal"))
    table.add("only the sibling is known, and it speaks", spoken, count, "0")
    table.add("both are known, and the wrong one speaks", confused, count, "0")
    table.add("both are known, and nothing is said", silent, count, "few")
    yield table


def growth(setting: Setting) -> Iterator[Table]:
    """Time by size of the catalogue."""
    sizes = [1_000, BASE, 10_000, LARGE, *([MILLION] if setting.full else [])]
    columns = ("records", "p50 ms", "p99 ms", "p50 against 1.6k", "build s")
    table = Table("A 64 KB issue by size of the catalogue", columns)
    points: dict[int, Times] = {}
    built: dict[int, float] = {}
    for size in sizes:
        if size == LARGE:
            matcher, built[size] = setting.large, setting.built.seconds
        else:
            sites = grown(setting.sites, size)
            begin = time.process_time()
            matcher = Matcher.build(sites)
            built[size] = time.process_time() - begin
            del sites
        points[size] = setting.times(matcher)
    for size, times in points.items():
        table.add(f"{size:,}", times.p50, times.p99, times.p50 / points[BASE].p50, built[size])
    scan = timed(lambda issue: _WORD.findall(issue[1]), setting.long, rounds=3).p50
    first, last = sizes[0], sizes[-1]
    power = exponent((first, points[first].p50), (last, points[last].p50))
    table.note = (
        f"Growth exponent of p50 from {first:,} to {last:,}: {power:.2f} (goal ≤ 0.2). Goals: at 1.6k "
        f"p50 ≤ 3, p99 ≤ 8 ms; at 100k ≤ 2 times that of 1.6k. {len(setting.long)} issues, the best of 3 calls each. "
        f"The yardstick: a mere scan of such an issue for words takes {scan:.2f} ms here."
    )
    yield table


def memory(setting: Setting) -> Iterator[Table]:
    """Memory and cold start at 100k records, in processes of their own."""
    issue = setting.folder / "issue.json"
    issue.write_bytes(msgspec.json.encode({"title": setting.long[0][0], "body": setting.long[0][1]}))
    built = setting.built
    loaded = min((child.load(setting.index(LARGE), issue) for _ in range(3)), key=lambda one: one.load)
    table = Table("100,000 records: memory and cold start", ("what", "value", "goal"))
    table.add("index file, MB", built.saved / 1e6, "")
    table.add("loading the saved index, s", loaded.load, "≤ 0.3")
    table.add("first verdict after it, s", loaded.first, "")
    table.add("peak memory of a process that loads and judges, MB", loaded.peak / 1e6, "≤ 300")
    table.add("  of that the interpreter and libraries, MB", loaded.before / 1e6, "")
    table.add("building instead, s", built.seconds, "")
    table.add("peak memory of a process that builds, MB", built.peak / 1e6, "")
    table.note = (
        "Loading and the first verdict in wall time. The building process also holds the records it builds from."
    )
    yield table


def _alone(matcher: Matcher, body: str) -> float:
    """Milliseconds for one body."""
    return timed(lambda text: matcher.judge("", text), [body], rounds=3).p50


def hostile(setting: Setting) -> Iterator[Table]:
    """Adversarial bodies against ordinary ones."""
    ordinary = setting.times(setting.matcher).p50
    rated = []
    for name, body in adversarial.bodies(setting.sites).items():
        worst = max(_alone(matcher, body) for matcher in (setting.matcher, setting.large))
        rated.append((worst, name))
    rated.sort(reverse=True)
    table = Table("Adversarial 64 KB bodies, the worst ten", ("body", "ms", "against an ordinary issue", "goal"))
    for worst, name in rated[:10]:
        table.add(name, worst, worst / ordinary, "≤ 10 times, ≤ 100 ms")
    table.note = f"{len(rated)} bodies, the slower of 1.6k and 100k records. An ordinary issue: {ordinary:.2f} ms."
    yield table


def others(setting: Setting) -> Iterator[Table]:
    """Other methods on the same issues."""
    count = 900 if setting.full else 240
    dev = quality.mixed_issues(setting.sites, count, split=Split.DEV)
    test = quality.mixed_issues(setting.sites, count)
    large = grown(setting.sites, LARGE)
    columns = ("method", "precision", "recall", "ms at 1.6k", "ms at 100k", "times as slow at 100k")
    table = Table("Beside other methods: the same issues, the same run", columns)
    own = quality.of_matcher(setting.sites, test, setting.matcher)
    mine = setting.times(setting.matcher, count=20).p50, setting.times(setting.large, count=20).p50
    table.add("this matcher", own.precision.value or 0.0, own.recall().value or 0.0, *mine, 1.0)
    texts = [f"{title}\n\n{body}" for title, body in setting.long[:2]]
    for name, make in baselines.METHODS.items():
        small = make(setting.sites)
        found = baselines.tuned(small, setting.sites, dev, test).quality
        here = timed(small.best, texts).p50
        sample = large[-baselines.SAMPLED.get(name, LARGE) :]
        there = timed(make(sample).best, texts[:1]).p50 * LARGE / len(sample)
        table.add(name, found.precision.value or 0.0, found.recall().value or 0.0, here, there, there / mine[1])
    table.note = (
        f"{len(test)} issues of a few KB for quality, 64 KB ones for time. Thresholds of the others: best F1 on "
        f"{len(dev)} issues of the development half. Their time at 100k is scaled up from a sample of the messages "
        "where it is linear in them: "
        + ", ".join(f"{name}: {size:,}" for name, size in baselines.SAMPLED.items())
        + "."
    )
    yield table


SECTIONS: dict[str, Callable[[Setting], Iterator[Table]]] = {
    "generated": generated,
    "near": near,
    "growth": growth,
    "memory": memory,
    "hostile": hostile,
    "others": others,
}
