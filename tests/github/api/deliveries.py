"""The app's webhook deliveries: list, look at, ask for again. https://docs.github.com/en/rest/apps/webhooks"""

from __future__ import annotations

from urllib.parse import urlencode

from tests.github import messages, shapes
from tests.github.auth import Kind
from tests.github.messages import Refusal, Reply, say
from tests.github.routing import DEFAULT_PER_PAGE, MAX_PER_PAGE, Call, Route
from tests.github.state import HOOK_DELIVERY_DAYS, HookDelivery

_CURSOR = "v1_"


def list_deliveries(call: Call) -> Reply:
    """Newest first, by cursor: there are no page numbers here."""
    given = call.request.parameters()
    status, cursor = given.get("status"), given.get("cursor", "")
    if status not in (None, "success", "failure"):
        raise Refusal(say(422, "Invalid status"))
    before = cursor.removeprefix(_CURSOR)
    if cursor and not (cursor.startswith(_CURSOR) and before.isascii() and before.isdigit()):
        raise Refusal(say(400, "Invalid cursor"))
    found = sorted(_kept(call), key=lambda each: each.id, reverse=True)
    if status is not None:
        found = [each for each in found if (200 <= each.status_code < 300) == (status == "success")]
    if cursor:
        found = [each for each in found if each.id < int(before)]
    size = given.get("per_page", "")
    per_page = min(int(size), MAX_PER_PAGE) if size.isascii() and size.isdigit() and int(size) else DEFAULT_PER_PAGE
    page, headers = found[:per_page], {}
    if len(found) > per_page:
        following = urlencode(given | {"cursor": f"{_CURSOR}{page[-1].id}"})
        headers["link"] = f'<{call.urls.api}{call.request.path}?{following}>; rel="next"'
    return Reply(body=[shapes.hook_delivery(each) for each in page], headers=headers)


def get_delivery(call: Call) -> Reply:
    return Reply(body=shapes.hook_delivery(_delivery(call), whole=True))


def redeliver(call: Call) -> Reply:
    """GitHub accepts at once and delivers after it has answered, under the same guid."""
    call.backend.redeliver(_delivery(call).id)
    return Reply(status=202, body={})


def _kept(call: Call) -> list[HookDelivery]:
    oldest = call.backend.now() - HOOK_DELIVERY_DAYS * 86_400
    return [each for each in call.state.deliveries if each.delivered_at >= oldest]


def _delivery(call: Call) -> HookDelivery:
    number = call.number("delivery_id")
    found = next((each for each in _kept(call) if each.id == number), None)
    if found is None:
        raise Refusal(messages.not_found())
    return found


_APP = frozenset({Kind.APP})

ROUTES = (
    Route("GET", "/app/hook/deliveries", "apps/list-webhook-deliveries", list_deliveries, callers=_APP),
    Route("GET", "/app/hook/deliveries/{delivery_id}", "apps/get-webhook-delivery", get_delivery, callers=_APP),
    Route(
        "POST",
        "/app/hook/deliveries/{delivery_id}/attempts",
        "apps/redeliver-webhook-delivery",
        redeliver,
        callers=_APP,
    ),
)
