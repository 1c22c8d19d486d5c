"""Canonical bytes and the digests over them.

Canonical means UTF-8 JSON, keys sorted by code point, no insignificant space.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import cast

import msgspec

from syncer.records import AS_READ, TOUCHED, Conversation

__all__ = ["canonical_bytes", "decode_conversation", "digest_of", "revision_of"]

_encoder = msgspec.json.Encoder(order="sorted")
_conversation = msgspec.json.Decoder(Conversation)
_NOT_CONTENT = AS_READ | TOUCHED


def canonical_bytes(value: object) -> bytes:
    """The one byte string for `value` (structs, dicts, lists, scalars)."""
    return _encoder.encode(value)


def decode_conversation(data: bytes) -> Conversation:
    """The conversation whose canonical bytes are `data`. Raises msgspec's own errors."""
    return _conversation.decode(data)


def digest_of(value: object) -> str:
    """SHA-256 over the canonical bytes, as 64 hex digits."""
    return hashlib.sha256(canonical_bytes(value)).hexdigest()


def revision_of(conversation: Conversation) -> str:
    """SHA-256 over the content fields alone: the same words and decisions, whoever read them."""
    return digest_of(_content(msgspec.to_builtins(conversation, builtin_types=())))


def _content(value: object) -> object:
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {key: _content(item) for key, item in fields.items() if key not in _NOT_CONTENT}
    if isinstance(value, list | tuple):
        return [_content(item) for item in cast("Sequence[object]", value)]
    return value
