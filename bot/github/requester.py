"""PyGithub's requester, tamed: no write is ever sent twice, and nothing is followed or slept for behind our back.

What PyGithub 2.10 does by itself, and why it may not do so here:

* its default retry replays a POST after a 5xx or a dropped connection: one comment becomes three;
* it follows a 301 with the same method and body: the comment lands on an issue of another repository;
* it takes any other redirect for success;
* it asks again, forever and with pauses, as long as a GET answers 202;
* it sleeps for as long as a rate limit lasts.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import requests
from github.Auth import Auth
from github.Requester import HTTPRequestsConnectionClass, HTTPSRequestsConnectionClass, Requester
from urllib3.util import Retry

from bot.github.errors import from_answer
from bot.github.port import Later, Refused

USER_AGENT = "burn-triage"
PER_PAGE = 100
_POOL_SIZE = 10


def read_retry() -> Retry:
    """Two more tries for a GET that met a dropped connection or a broken gateway. Nothing else is ever replayed.

    A connection that could not be opened is tried again for every method: nothing was sent. Not PyGithub's
    `GithubRetry`: it also retries a 403, sleeping for the whole of `retry-after`. Waits belong to the worker.
    """
    return Retry(
        total=2,
        other=0,
        redirect=0,
        allowed_methods={"GET"},
        status_forcelist={500, 502, 504},
        backoff_factor=0.2,
        respect_retry_after_header=False,
        raise_on_status=False,
    )


class SteadyRequester(Requester):
    """Talks to one host, and treats every redirect as the end."""

    def __init__(self, *, auth: Auth, api_url: str, timeout_seconds: int) -> None:
        retry = read_retry()
        super().__init__(
            auth=auth,
            base_url=api_url,
            timeout=timeout_seconds,
            user_agent=USER_AGENT,
            per_page=PER_PAGE,
            verify=True,
            retry=retry,
            pool_size=_POOL_SIZE,
            lazy=True,
        )
        address = urlsplit(api_url)
        connect = HTTPSRequestsConnectionClass if address.scheme == "https" else HTTPRequestsConnectionClass
        self._steady = connect(
            self.hostname, address.port, timeout=timeout_seconds, retry=retry, pool_size=_POOL_SIZE, verify=True
        )
        self._steady.session.hooks["response"].append(_final)

    def requestJson(  # noqa: N802 - PyGithub's name
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, Any] | None = None,
        input: Any | None = None,
        cnx: HTTPRequestsConnectionClass | HTTPSRequestsConnectionClass | None = None,
        follow_302_redirect: bool = False,  # noqa: ARG002 - PyGithub's, and never wanted
    ) -> tuple[int, dict[str, Any], str]:
        if cnx is not None:
            # A link of an answer that points elsewhere: the credential stays at home.
            raise Refused("GitHub's answer links to another host")
        return super().requestJson(verb, url, parameters, headers, input, self._steady)


def _final(response: requests.Response, *_: Any, **__: Any) -> None:
    status, method = response.status_code, response.request.method
    if 300 <= status < 400 and status != 304:
        raise from_answer(f"{method} {urlsplit(response.url).path}", status=status, now=0.0)
    if status == 202 and method == "GET":
        raise Later("GitHub is still working on the answer")
