"""From a request to the endpoint that answers it: routes, who may call them, and what an endpoint has at hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlencode

from tests.github import messages
from tests.github.auth import Identity, Kind
from tests.github.backend import Backend
from tests.github.messages import Refusal, Reply, Request
from tests.github.shapes import JSON, Urls
from tests.github.state import Comment, Issue, Repo, State

DEFAULT_PER_PAGE, MAX_PER_PAGE = 30, 100
SAFE_METHODS = frozenset({"GET"})


@dataclass(frozen=True)
class Route:
    method: str
    template: str
    """GitHub's own path template, e.g. `/repos/{owner}/{repo}/issues/{issue_number}`."""
    operation: str
    """`operationId` in GitHub's API description; empty for what it does not describe (GraphQL)."""
    answer: Callable[[Call], Reply]
    needs: tuple[str, str] | None = None
    """Permission and level, e.g. `("issues", "write")`."""
    callers: frozenset[Kind] = frozenset({Kind.INSTALLATION, Kind.PERSON})
    content: bool = True
    """Whether a call that is not a GET changes what people see (tokens do not)."""
    pattern: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        rest = re.sub(r"\\{path\\}", r"(?P<path>.+)", re.escape(self.template))
        object.__setattr__(self, "pattern", re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", rest)))

    @property
    def writes(self) -> bool:
        return self.content and self.method not in SAFE_METHODS


@dataclass
class Call:
    """One request on its way through an endpoint."""

    backend: Backend
    request: Request
    route: Route
    params: dict[str, str]
    identity: Identity
    urls: Urls

    @property
    def state(self) -> State:
        return self.backend.state

    @property
    def login(self) -> str:
        return self.identity.login or ""

    @property
    def app_id(self) -> int | None:
        """Set when an app writes, None for a person."""
        return self.identity.app.id if self.identity.app else None

    def number(self, name: str) -> int:
        """A numeric path parameter. Raises Refusal (404)."""
        text = self.params[name]
        if not text.isascii() or not text.isdigit():
            raise Refusal(messages.not_found())
        return int(text)

    def fields(self) -> JSON:
        """The body as an object. Raises Refusal (400, 422)."""
        body = self.request.json()
        if body is None:
            return {}
        if not isinstance(body, dict):
            raise Refusal(messages.say(422, "Invalid request.\n\nFor 'links/0/schema', this is not an object."))
        return body

    def repo(self) -> Repo:
        """The repository of the path. Raises Refusal: 404 unless the caller may see it, 301 when it was renamed."""
        name = f"{self.params['owner']}/{self.params['repo']}"
        repo = self.backend.repo_named(name)
        if repo is None:
            former = self.state.renamed.get(name.lower())
            if former is not None:
                prefix, _, rest = self.request.quoted.partition(f"/repos/{name}")
                raise Refusal(messages.moved(f"{self.urls.api}{prefix}/repositories/{former}{rest}"))
            raise Refusal(messages.not_found())
        if self.identity.kind is not Kind.APP and not self.identity.sees(repo):
            raise Refusal(messages.not_found())
        if self.route.writes and repo.archived:
            raise Refusal(messages.archived())
        return repo

    def issue(self) -> Issue:
        """The issue of the path. Raises Refusal: 404, 410 when deleted or disabled, 301 when transferred."""
        repo = self.repo()
        issue = repo.issues.get(self.number("issue_number"))
        if issue is None:
            raise Refusal(messages.not_found())
        return self.here(issue)

    def here(self, issue: Issue) -> Issue:
        if not self.backend.repo_of(issue).has_issues and not issue.pull_request:
            raise Refusal(messages.issues_disabled())
        if issue.deleted:
            raise Refusal(messages.deleted())
        if issue.moved_to is not None:
            repo_id, number = issue.moved_to
            rest = self.request.quoted.partition(f"/issues/{issue.number}")[2]
            raise Refusal(messages.moved(f"{self.urls.api}/repositories/{repo_id}/issues/{number}{rest}"))
        return issue

    def comment(self) -> tuple[Comment, Issue]:
        """The comment of the path and its issue. Raises Refusal (404)."""
        found = self.backend.find_comment(self.repo(), self.number("comment_id"))
        if found is None:
            raise Refusal(messages.not_found())
        return found

    def page(self, items: Sequence[Any], shape: Callable[[Any], JSON]) -> Reply:
        """One page of a list with its `Link` header.

        https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
        """
        chosen, headers = self.slice(items)
        return Reply(body=[shape(item) for item in chosen], headers=headers)

    def slice(self, items: Sequence[Any]) -> tuple[Sequence[Any], dict[str, str]]:
        given = self.request.parameters()
        per_page = min(_positive(given.get("per_page"), DEFAULT_PER_PAGE), MAX_PER_PAGE)
        page = _positive(given.get("page"), 1)
        last = max(1, -(-len(items) // per_page))
        at = f"{self.urls.api}{self.request.quoted}"
        wanted = []
        if page > 1:
            wanted += [("prev", min(page - 1, last)), ("first", 1)]
        if page < last:
            wanted += [("next", page + 1), ("last", last)]
        links = [f'<{at}?{urlencode(given | {"page": str(number)})}>; rel="{name}"' for name, number in wanted]
        headers = {"link": ", ".join(links)} if links else {}
        return items[(page - 1) * per_page : page * per_page], headers


class Router:
    def __init__(self, routes: Iterable[Route]) -> None:
        self.routes = tuple(routes)

    def find(self, request: Request) -> tuple[Route, dict[str, str]] | None:
        for route in self.routes:
            if route.method == request.method and (match := route.pattern.fullmatch(request.quoted)):
                return route, {name: unquote(value) for name, value in match.groupdict().items()}
        return None


def answer(
    backend: Backend, route: Route, params: dict[str, str], request: Request, identity: Identity, urls: Urls
) -> Reply:
    """Authorise and run the endpoint. Raises Refusal."""
    used, reset = backend.rate.look(identity.who, backend.now())
    if used >= backend.rate.limit and route.operation != "rate-limit/get":
        raise Refusal(messages.rate_limit_exceeded(reset, limit=backend.rate.limit, who=identity.who))
    if identity.kind not in route.callers:
        raise Refusal(_wrong_caller(identity, route))
    call = Call(backend, request, route, params, identity, urls)
    if "repo" in params:
        call.repo()
    if route.needs is not None and not identity.may(*route.needs):
        kind = "personal access token" if identity.kind is Kind.PERSON else "integration"
        raise Refusal(messages.not_accessible(kind))
    return route.answer(call)


def _wrong_caller(identity: Identity, route: Route) -> Reply:
    if identity.kind is Kind.NOBODY:
        return messages.requires_authentication()
    if route.callers == {Kind.APP}:
        return messages.say(401, "A JSON web token could not be decoded")
    return messages.not_accessible()


def _positive(text: str | None, default: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and int(text) > 0 else default
