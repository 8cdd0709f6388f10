"""Every request and reply against GitHub's own API description, when one is at hand.

`GITHUB_CONTRACT_DIR` names the folder that `python -m tests.contract` fills (the description comes from npm and is
not committed). Without it nothing is checked, and the test run says so at its end.

Two things are stricter than JSON Schema asks for: a query parameter or a field that the description does not name is
a violation, so that neither the bot nor the fake relies on something GitHub does not have.
"""

from __future__ import annotations

import functools
import json
import os
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from tests.github.messages import Refusal, Reply, Request
from tests.github.routing import Route

if TYPE_CHECKING:
    import jsonschema_rs

VARIABLE = "GITHUB_CONTRACT_DIR"
API_FILE = "api.json"
BASE = "urn:github"
# Any endpoint may answer these; the description names them for a few only.
# https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
GENERAL_ERRORS = frozenset({301, 400, 401, 403, 404, 410, 422, 429})


class ContractViolation(AssertionError):
    """A request or a reply that GitHub's description does not allow."""


@functools.cache
def from_environment() -> Contract | None:
    """The contract of this process, None when it is switched off. Raises FileNotFoundError for a wrong folder."""
    folder = os.environ.get(VARIABLE)
    return Contract(Path(folder) / API_FILE) if folder else None


class Contract:
    """The description and what was found against it. Thread safe; one a process, as compiling is not free."""

    def __init__(self, description: Path) -> None:
        self._document: dict[str, Any] = json.loads(description.read_text())
        self._validators: dict[str, jsonschema_rs.Validator] = {}
        self._lock = threading.Lock()
        self._violations: list[str] = []
        self.seen: Counter[str] = Counter()
        """Requests checked, by operation."""

    @property
    def operations(self) -> dict[str, Any]:
        found: dict[str, Any] = self._document["operations"]
        return found

    def check(self, route: Route, params: dict[str, str], request: Request, reply: Reply) -> None:
        """Remember every violation in one exchange."""
        operation = self.operations.get(route.operation)
        problems = [f"no such operation: {route.operation}"] if operation is None else []
        if operation is not None:
            # What the fake itself refuses as malformed needs no second judge.
            if reply.status not in (400, 404, 422):
                problems += self._request(route.operation, operation, params, request)
            problems += self._reply(route.operation, operation, reply)
        with self._lock:
            self.seen[route.operation] += 1
            self._violations += [f"{route.operation} ({request.method} {request.path}): {each}" for each in problems]

    def assert_kept(self) -> None:
        """Raises ContractViolation naming operation and violation, once for each finding."""
        found = self.take()
        if found:
            raise ContractViolation("against GitHub's own description:\n" + "\n".join(f"  {each}" for each in found))

    def take(self) -> list[str]:
        """The violations since the last look."""
        with self._lock:
            found, self._violations = self._violations, []
        return found

    def check_webhook(self, event: str, payload: dict[str, Any]) -> None:
        """Remember what is wrong with a payload that the fake sends."""
        name = event.replace("_", "-") + (f"-{payload['action'].replace('_', '-')}" if "action" in payload else "")
        problems = self.webhook(name, payload)
        with self._lock:
            self._violations += [f"webhook {name}: {each}" for each in problems]

    def webhook(self, name: str, payload: dict[str, Any]) -> list[str]:
        """What is wrong with a payload; `name` as in the description, e.g. `issues-opened`."""
        if name not in self._document["webhooks"]:
            return ["no such webhook"]
        return self._errors(f"webhooks/{name}", self._document["webhooks"][name], payload)

    def _request(self, name: str, operation: dict[str, Any], params: dict[str, str], request: Request) -> list[str]:
        problems = []
        described = {each["name"]: each for each in operation["parameters"] if each["in"] == "query"}
        for key, value in parse_qsl(request.query, keep_blank_values=True):
            if key not in described:
                problems.append(f"query parameter {key!r} is not described")
            else:
                schema = described[key]["schema"]
                problems += self._errors(f"{name}/query/{key}", schema, _typed(value, schema), f"query {key}: ")
        for each in operation["parameters"]:
            if each["in"] == "path":
                value = _typed(params.get(each["name"], ""), each["schema"])
                problems += self._errors(f"{name}/path/{each['name']}", each["schema"], value, f"path {each['name']}: ")
        schema = operation["request"]
        try:
            body = request.json()
        except Refusal:
            return [*problems, "request body is not JSON"]
        if schema is None:
            return [*problems, *(["a body is sent, none is described"] if body not in (None, {}) else [])]
        if body is None:
            return [*problems, *(["request body is missing"] if operation["request_required"] else [])]
        return [*problems, *self._errors(f"{name}/request", schema, body, "request: ")]

    def _reply(self, name: str, operation: dict[str, Any], reply: Reply) -> list[str]:
        status = str(reply.status)
        schema: dict[str, Any] | None
        if status not in operation["responses"]:
            if reply.status not in GENERAL_ERRORS and reply.status < 500 and reply.status != 304:
                return [f"status {status} is not described"]
            schema = self._document["error"]
        else:
            schema = operation["responses"][status]
        if isinstance(reply.body, bytes):
            return []
        if schema is None or reply.body is None:
            return [] if schema is None and reply.body is None else [f"status {status}: body expected or not"]
        return self._errors(f"{name}/{status}", schema, reply.body, f"status {status}: ")

    def _errors(self, key: str, schema: dict[str, Any], value: Any, prefix: str = "") -> list[str]:
        with self._lock:
            if key not in self._validators:
                self._validators[key] = self._compile(schema)
            validator = self._validators[key]
        found = [
            f"{prefix}{each.message} at /{'/'.join(map(str, each.instance_path))}"
            for each in validator.iter_errors(value)
        ]
        return [each if len(each) < 600 else each[:600] + " …" for each in found]

    def _compile(self, schema: dict[str, Any]) -> jsonschema_rs.Validator:
        import jsonschema_rs

        return jsonschema_rs.Draft202012Validator(schema, registry=self._registry, validate_formats=True)

    @functools.cached_property
    def _registry(self) -> jsonschema_rs.Registry:
        import jsonschema_rs

        resource = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "components": self._document["components"],
        }
        return jsonschema_rs.Registry([(BASE, resource)])


def _typed(text: str, schema: dict[str, Any]) -> Any:
    """A parameter as the type that its schema names, where it can be read as such."""
    wanted = schema.get("type")
    if wanted == "integer" and text.removeprefix("-").isdigit():
        return int(text)
    if wanted == "boolean" and text in ("true", "false"):
        return text == "true"
    return text
