"""The published JSON Schema of the envelope, made from its structs.

The file lies in the package, so that a client can be pointed at it. `python -m birdview.schema`
writes it anew; a test keeps it current.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from birdview.envelope import Envelope

__all__ = ["FILE", "made", "published"]

FILE = "envelope.json"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def made() -> bytes:
    """The schema as the structs give it today, as the bytes of its file."""
    schema: dict[str, Any] = {"$schema": _DIALECT, "title": "Bird View"}
    schema |= msgspec.json.schema(Envelope)
    for definition in schema["$defs"].values():
        _require_defaults(definition)
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"


def published() -> bytes:
    """The schema as it is published with this package."""
    return (files("birdview") / "schemas" / FILE).read_bytes()


def _require_defaults(definition: dict[str, Any]) -> None:
    """Name as required what has a default: we always write it. Only absent keys have none."""
    properties: dict[str, Any] = definition.get("properties", {})
    required = set(definition.get("required", ()))
    required |= {key for key, found in properties.items() if "default" in found}
    definition["required"] = [key for key in properties if key in required]


if __name__ == "__main__":
    Path(__file__).with_name("schemas").joinpath(FILE).write_bytes(made())
