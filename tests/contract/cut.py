"""From GitHub's API description (13 MB, OpenAPI 3.0) to what the fake answers, as JSON Schema 2020-12.

Kept: the operations that the fake has, the webhooks it sends, and the components they use. `nullable` becomes a
type, and every described object is closed (`unevaluatedProperties`), replies of errors excepted: GitHub adds fields
there that it does not describe.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tests.github.contract import BASE

Schema = dict[str, Any]
METHODS = frozenset({"get", "post", "patch", "put", "delete"})
_COMBINED = ("allOf", "oneOf", "anyOf")
# Of no use to a validator, and half of the bytes.
_DROPPED = frozenset(
    {"description", "example", "examples", "title", "externalDocs", "discriminator", "deprecated", "xml", "default"}
)


def cut(document: dict[str, Any], operations: Iterable[str], webhooks: Iterable[str]) -> dict[str, Any]:
    """The part of the description that matters. Raises KeyError naming operations that GitHub does not have."""
    _correct(document)
    wanted = set(operations)
    source = _Source(document)
    kept = {
        name: source.operation(item, operation) for name, item, operation in _operations(document) if name in wanted
    }
    if missing := sorted(wanted - set(kept)):
        raise KeyError(f"not in GitHub's description: {missing}")
    sent = {name: source.webhook(document["x-webhooks"][name]["post"]) for name in sorted(set(webhooks))}
    return {
        "version": document["info"]["version"],
        "operations": dict(sorted(kept.items())),
        "webhooks": sent,
        "error": source.error(),
        "components": {"schemas": source.components()},
    }


def _correct(document: dict[str, Any]) -> None:
    """Where the description contradicts itself: the list of installations asks each account to be a user *and* an
    enterprise (`allOf`), the single installation to be one of them (`anyOf`). The second is what GitHub sends."""
    listed = document["paths"]["/app/installations"]["get"]["responses"]["200"]["content"]["application/json"]
    if "allOf" in listed["schema"]["items"].get("properties", {}).get("account", {}):
        listed["schema"]["items"] = {"$ref": "#/components/schemas/installation"}


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, Schema, Schema]]:
    for item in document["paths"].values():
        for method in METHODS & item.keys():
            yield item[method]["operationId"], item, item[method]


class _Source:
    """Looks up references in the whole document and remembers which components were used."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._used: dict[str, Schema] = {}

    def operation(self, item: Schema, operation: Schema) -> Schema:
        parameters = [self._look_up(each) for each in [*item.get("parameters", []), *operation.get("parameters", [])]]
        request = self._look_up(operation.get("requestBody", {}))
        return {
            "parameters": [
                {"name": each["name"], "in": each["in"], "schema": self._convert(each["schema"], closed=True)}
                for each in parameters
                if each["in"] in ("path", "query")
            ],
            "request": self._content(request, closed=True),
            "request_required": request.get("required", False),
            "responses": {
                status: self._content(self._look_up(response), closed=status.startswith("2"))
                for status, response in operation["responses"].items()
            },
        }

    def webhook(self, operation: Schema) -> Schema:
        found = self._content(self._look_up(operation["requestBody"]), closed=True)
        assert found is not None
        return found

    def error(self) -> Schema:
        """What any operation may answer, described or not."""
        return self._reference("#/components/schemas/basic-error")

    def components(self) -> dict[str, Schema]:
        """Every schema used so far, each closed where it is used, not where it stands: `allOf` may extend it."""
        return dict(sorted(self._used.items()))

    def _content(self, holder: Schema, *, closed: bool) -> Schema | None:
        media = holder.get("content", {})
        found = next((media[name] for name in media if name.startswith(("application/json", "application/scim"))), None)
        return self._convert(found["schema"], closed=closed) if found and "schema" in found else None

    def _look_up(self, value: Schema) -> Schema:
        if "$ref" not in value:
            return value
        found: Any = self._document
        for part in value["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return self._look_up(found)

    def _convert(self, schema: Schema, *, closed: bool) -> Schema:
        if "$ref" in schema:
            converted = self._reference(schema["$ref"])
        else:
            converted = {key: self._keyword(key, value) for key, value in schema.items() if self._kept(key)}
            if converted.pop("nullable", False):
                converted = _nullable(converted)
        if closed and self._closable(schema):
            converted = _close(converted)
        return converted

    def _kept(self, key: str) -> bool:
        return key not in _DROPPED and not key.startswith("x-")

    def _keyword(self, key: str, value: Any) -> Any:
        if key == "properties":
            return {name: self._convert(each, closed=True) for name, each in value.items()}
        if key in ("items", "not") or (key == "additionalProperties" and isinstance(value, dict)):
            return self._convert(value, closed=True)
        if key in ("oneOf", "anyOf"):
            return [self._convert(each, closed=True) for each in value]
        if key == "allOf":
            return [self._convert(each, closed=False) for each in value]
        return value

    def _reference(self, pointer: str) -> Schema:
        name = pointer.rpartition("/")[2]
        if name not in self._used:
            self._used[name] = {}
            self._used[name] = self._convert(self._look_up({"$ref": pointer}), closed=False)
        return {"$ref": f"{BASE}#/components/schemas/{name}"}

    def _closable(self, schema: Schema) -> bool:
        """Whether the schema says which properties there are."""
        schema = self._look_up(schema)
        if "additionalProperties" in schema:
            return False
        if "properties" in schema:
            return True
        parts = [part for key in _COMBINED for part in schema.get(key, [])]
        return bool(parts) and all(self._closable(part) for part in parts)


def _nullable(schema: Schema) -> Schema:
    """OpenAPI 3.0's `nullable` in the words of JSON Schema."""
    if isinstance(schema.get("type"), str) and not any(key in schema for key in _COMBINED):
        schema = schema | {"type": [schema["type"], "null"]}
        if "enum" in schema and None not in schema["enum"]:
            schema = schema | {"enum": [*schema["enum"], None]}
        return schema
    return {"anyOf": [schema, {"type": "null"}]}


def _close(schema: Schema) -> Schema:
    return schema | {"unevaluatedProperties": False}
