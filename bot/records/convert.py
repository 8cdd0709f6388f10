"""Plain data into structs, every fault by its own field path: one fault must not hide the next."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import msgspec

Struct = TypeVar("Struct", bound=msgspec.Struct)

_AT = re.compile(r" - at `\$(?P<path>[^`]*)`$")


@dataclass(frozen=True, kw_only=True)
class Fault:
    field: str
    """Schema path, e.g. `solutions[1]`."""
    message: str
    rule: str = "bad-field"


@dataclass(frozen=True, kw_only=True)
class Converted(Generic[Struct]):
    value: Struct | None
    """None exactly when there is a fault."""
    faults: tuple[Fault, ...] = ()
    unknown: dict[str, Any] = field(default_factory=dict)
    """Keys that the struct does not have."""


def convert(data: Mapping[str, Any], into: type[Struct]) -> Converted[Struct]:
    """Keys are the struct's encoded (camelCase) names. Never raises for data that came from JSON or TOML."""
    names = into.__struct_encode_fields__
    unknown = {key: value for key, value in data.items() if key not in names}
    known = {key: value for key, value in data.items() if key in names} if unknown else data
    try:
        return Converted(value=msgspec.convert(known, into), unknown=unknown)
    except (msgspec.ValidationError, RecursionError):
        return Converted(value=None, faults=tuple(_faults(data, into)), unknown=unknown)


def convert_field(value: Any, into: type[msgspec.Struct], name: str) -> Fault | None:
    """What is wrong with one field's value, by the field's encoded name; None when nothing is."""
    types = {spec.encode_name: spec.type for spec in msgspec.structs.fields(into)}
    return _fault(value, types[name], name)


def _faults(data: Mapping[str, Any], into: type[msgspec.Struct]) -> list[Fault]:
    found: list[Fault] = []
    for spec in msgspec.structs.fields(into):
        if spec.encode_name in data:
            fault = _fault(data[spec.encode_name], spec.type, spec.encode_name)
            if fault:
                found.append(fault)
        elif spec.required:
            found.append(Fault(field=spec.encode_name, message="is missing", rule="missing-field"))
    return found


def _fault(value: Any, type_: Any, name: str) -> Fault | None:
    try:
        msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        message = str(error)
        at = _AT.search(message)
        path = at["path"] if at else ""
        text = message[: at.start()] if at else message
        return Fault(field=name + path, message=text[:1].lower() + text[1:].replace("`", ""))
    except RecursionError:
        return Fault(field=name, message="is nested too deeply")
    return None
