"""The judge that compares the fake with GitHub's description, on a description of one operation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.contract.__main__ import PINS
from tests.contract.cut import cut
from tests.github import FakeGitHub
from tests.github.contract import Contract, ContractViolation
from tests.github.messages import Reply, Request
from tests.github.routing import Route

DESCRIPTION = {
    "info": {"version": "0"},
    "paths": {
        "/app/installations": {
            "get": {
                "operationId": "apps/list-installations",
                "responses": {"200": {"content": {"application/json": {"schema": {"items": {"type": "object"}}}}}},
            }
        },
        "/things/{thing_id}": {
            "parameters": [{"name": "thing_id", "in": "path", "schema": {"type": "integer"}}],
            "patch": {
                "operationId": "things/update",
                "parameters": [{"$ref": "#/components/parameters/deep"}],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/change"}}},
                },
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/whole-thing"}}}},
                    "204": {"description": "nothing to say"},
                },
            },
        },
    },
    "x-webhooks": {
        "thing-made": {
            "post": {
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/thing"}}}}
            }
        }
    },
    "components": {
        "parameters": {"deep": {"name": "deep", "in": "query", "schema": {"type": "boolean"}}},
        "schemas": {
            "change": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
            "thing": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "note": {"type": "string", "nullable": True},
                    "kind": {"type": "string", "enum": ["a", "b"], "nullable": True},
                    "parent": {"nullable": True, "allOf": [{"$ref": "#/components/schemas/thing"}]},
                    "free": {"type": "object"},
                },
                "required": ["name"],
            },
            "whole-thing": {
                "allOf": [
                    {"$ref": "#/components/schemas/thing"},
                    {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]},
                ]
            },
            "basic-error": {"type": "object", "properties": {"message": {"type": "string"}}},
            "unused": {"type": "object"},
        },
    },
}
THINGS = Route("PATCH", "/things/{thing_id}", "things/update", lambda _call: Reply())


@pytest.fixture
def judge(tmp_path: Path) -> Contract:
    path = tmp_path / "api.json"
    path.write_text(json.dumps(cut(json.loads(json.dumps(DESCRIPTION)), ["things/update"], ["thing-made"])))
    return Contract(path)


def judged(
    judge: Contract, *, body: Any = None, query: str = "", thing: str = "1", status: int = 200, reply: Any = None
) -> str:
    """What the judge says to one exchange, good but for what is given."""
    request = Request(
        method="PATCH",
        path=f"/things/{thing}",
        raw_path="",
        query=query,
        raw=json.dumps({"name": "x"} if body is None else body).encode(),
    )
    shown = {"name": "x", "size": 1} if reply is None and status == 200 else reply
    judge.check(THINGS, {"thing_id": thing}, request, Reply(status=status, body=shown))
    try:
        judge.assert_kept()
    except ContractViolation as violation:
        return str(violation)
    return ""


def test_a_good_exchange_is_no_violation(judge: Contract) -> None:
    assert judged(judge) == ""
    assert judged(judge, query="deep=true") == ""
    full = {"name": "x", "size": 1, "note": None, "kind": None, "parent": {"name": "y"}, "free": {"any": 1}}
    assert judged(judge, reply=full) == ""
    assert judged(judge, reply=full | {"parent": None, "kind": "a"}) == ""
    assert judged(judge, status=204) == ""
    assert judged(judge, status=403, reply={"message": "no", "more": 1}) == ""
    assert judged(judge, status=502, reply=b"<html>") == ""
    assert judge.seen == {"things/update": 7}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"query": "depp=true"}, "query parameter 'depp' is not described"),
        ({"query": "deep=often"}, "query deep"),
        ({"thing": "one"}, "path thing_id"),
        ({"body": {}}, 'request: "name" is a required property'),
        ({"body": {"name": 1}}, "request: 1 is not of type"),
        ({"body": {"name": "x", "naem": "y"}}, "'naem' was unexpected"),
        ({"reply": {"name": "x"}}, 'status 200: "size" is a required property'),
        ({"reply": {"name": "x", "size": 1, "colour": "red"}}, "'colour' was unexpected"),
        ({"reply": {"name": "x", "size": 1, "kind": "c"}}, 'status 200: "c"'),
        ({"reply": {"name": "x", "size": 1, "parent": {"nam": "y"}}}, "at /parent"),
        ({"status": 204, "reply": {"name": "x"}}, "status 204: body"),
        ({"status": 202, "reply": {}}, "status 202 is not described"),
        ({"status": 403, "reply": {"message": 1}}, "status 403"),
    ],
)
def test_a_violation_names_the_operation_and_what_is_wrong(judge: Contract, wrong: dict[str, Any], said: str) -> None:
    message = judged(judge, **wrong)
    assert "things/update (PATCH /things/" in message
    assert said in message


def test_what_the_fake_refused_as_malformed_is_not_reported_twice(judge: Contract) -> None:
    assert judged(judge, body={}, status=422, reply={"message": "no"}) == ""


def test_webhooks_are_judged_too(judge: Contract) -> None:
    judge.check_webhook("thing", {"action": "made", "name": "x"})
    judge.check_webhook("thing", {"action": "lost"})
    with pytest.raises(ContractViolation, match=r"webhook thing-made:.*action.*\n.*webhook thing-lost: no such"):
        judge.assert_kept()


def test_only_what_is_used_is_kept() -> None:
    kept = cut(json.loads(json.dumps(DESCRIPTION)), ["things/update"], [])
    assert list(kept["operations"]) == ["things/update"]
    assert "unused" not in kept["components"]["schemas"]


def test_an_operation_that_github_does_not_have_is_named() -> None:
    with pytest.raises(KeyError, match="things/destroy"):
        cut(json.loads(json.dumps(DESCRIPTION)), ["things/update", "things/destroy"], [])


def test_a_fake_under_contract_ends_with_its_findings(judge: Contract, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.github.contract.from_environment", lambda: judge)

    def wrong() -> None:
        with FakeGitHub() as gh:
            judge.check(THINGS, {"thing_id": "1"}, Request(method="PATCH", path="/x", raw_path="/x"), Reply())
            gh.stop()

    with pytest.raises(ContractViolation, match="request body is missing"):
        wrong()


def test_the_pins_are_exact_and_name_no_registry() -> None:
    here = Path(__file__).parent / "contract"
    wanted = json.loads((here / "package.json").read_text())["devDependencies"]
    assert all(version.replace(".", "").isdigit() for version in wanted.values())
    locked = json.loads((here / "package-lock.json").read_text())["packages"]
    for name, version in wanted.items():
        assert locked[f"node_modules/{name}"]["version"] == version
    assert all(each["integrity"].startswith("sha512-") for name, each in locked.items() if name)
    assert not any("://" in (here / name).read_text() for name in PINS)
