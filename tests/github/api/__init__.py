"""The endpoints, one file per room of GitHub's REST API, and GraphQL's one mutation."""

from __future__ import annotations

from tests.github.api import apps, comments, deliveries, graphql, issues, labels, reactions, repos, service
from tests.github.routing import Route

ROUTES: tuple[Route, ...] = (
    *apps.ROUTES,
    *deliveries.ROUTES,
    *comments.ROUTES,
    *reactions.ROUTES,
    *labels.ROUTES,
    *issues.ROUTES,
    *repos.ROUTES,
    *service.ROUTES,
    *graphql.ROUTES,
)
