"""JSON Schemas of arguments and answers, made from their structs."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

__all__ = ["input_schema", "output_schema"]

_PREFIX = "#/$defs/"


def input_schema(kind: type[Struct]) -> dict[str, Any]:
    """What a tool takes. The root is an object, as MCP wants it; what has a default is optional."""
    return _inlined(kind)


def output_schema(kind: type[Struct]) -> dict[str, Any]:
    """What a tool gives. Whatever has a default is always there: we always write it."""
    schema = _inlined(kind)
    for definition in (schema, *schema.get("$defs", {}).values()):
        _require_defaults(definition)
    return schema


def _inlined(kind: type[Struct]) -> dict[str, Any]:
    schema: dict[str, Any] = msgspec.json.schema(kind)
    definitions: dict[str, Any] = schema.pop("$defs")
    root = definitions.pop(schema.pop("$ref").removeprefix(_PREFIX))
    return {**root, **schema, **({"$defs": definitions} if definitions else {})}


def _require_defaults(definition: dict[str, Any]) -> None:
    properties: dict[str, Any] = definition.get("properties", {})
    required = set(definition.get("required", ()))
    required |= {key for key, found in properties.items() if "default" in found}
    definition["required"] = [key for key in properties if key in required]
