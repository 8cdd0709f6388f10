"""Is the process alive, and should it get traffic? Two questions for whoever runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flask import Blueprint, Response

from bot.web.answers import answer
from bot.web.metrics import CONTENT_TYPE, Metrics

Check = Callable[[], str | None]
"""None: all is well. Else a sentence that says what is not."""


def create_health(*, alive: Check, ready: Mapping[str, Check], metrics: Metrics) -> Blueprint:
    """`/healthz` (restart me when it fails), `/readyz` (do not rely on me while it fails) and `/metrics`."""
    blueprint = Blueprint("health", __name__)

    @blueprint.get("/healthz")
    def healthz() -> Response:
        problem = alive()
        return answer(503, "failing", problem=problem) if problem else answer(200, "ok")

    @blueprint.get("/readyz")
    def readyz() -> Response:
        results = {name: check() for name, check in ready.items()}
        all_well = not any(results.values())
        checks = {name: problem or "ok" for name, problem in results.items()}
        return answer(200 if all_well else 503, "ready" if all_well else "not ready", checks=checks)

    @blueprint.get("/metrics")
    def figures() -> Response:
        return Response(metrics.render(), content_type=CONTENT_TYPE)

    return blueprint
