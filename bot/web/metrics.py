"""What can be counted, in a registry of its own: two apps in one process (the tests) do not share figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from bot.inbox.port import Counts, StoreUnavailable

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_EVENTS = frozenset({"ping", "issues", "issue_comment", "installation", "installation_repositories"})
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """Safe to use from every thread."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._received = Counter(
            "burn_triage_deliveries",
            "Webhook requests by event and what was answered.",
            ("event", "answer"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "burn_triage_receive_seconds",
            "Time from the request to its answer.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._finished = Counter(
            "burn_triage_jobs", "Work done on deliveries, by outcome.", ("outcome",), registry=self.registry
        )

    def received(self, event: str, answer: str, seconds: float) -> None:
        """One webhook request. Events that we do not work on are counted together: senders choose their names."""
        self._received.labels(event if event in _EVENTS else "other", answer).inc()
        self._seconds.observe(seconds)

    def finished(self, outcome: str) -> None:
        """One job; `outcome` comes from a fixed set."""
        self._finished.labels(outcome).inc()

    def watch_inbox(self, counts: Callable[[], Counts]) -> None:
        """Ask `counts` whenever the figures are read."""
        self.registry.register(_Backlog(counts))

    def render(self) -> bytes:
        """Prometheus' text format."""
        return generate_latest(self.registry)


class _Backlog(Collector):
    def __init__(self, counts: Callable[[], Counts]) -> None:
        self._counts = counts

    def describe(self) -> Iterator[Metric]:
        # Without this, registering would ask the store.
        yield from ()

    def collect(self) -> Iterator[Metric]:
        try:
            counts = self._counts()
        except StoreUnavailable:
            yield GaugeMetricFamily("burn_triage_store_up", "Whether the store answers.", value=0)
            return
        yield GaugeMetricFamily("burn_triage_store_up", "Whether the store answers.", value=1)
        stored = GaugeMetricFamily("burn_triage_stored_deliveries", "Deliveries in the store.", labels=("state",))
        for state, number in counts.states.items():
            stored.add_metric((state.value,), number)
        yield stored
        yield GaugeMetricFamily(
            "burn_triage_oldest_unfinished_seconds",
            "Age of the oldest delivery that is not finished; 0 when all are.",
            value=counts.oldest_age or 0.0,
        )
