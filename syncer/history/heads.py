"""The few fields of a file's front matter that a row needs, without reading the others.

For bytes that are proven to be what was sealed: there each key stands on one line of its own, in
one order (docs/corpus-format.md, "Front matter"). A file read for its words is parsed whole.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from syncer.records import Actor, Instant

__all__ = ["Head", "head_of"]


class Head(Struct, frozen=True, rename="camel", kw_only=True):
    """What a row says of a pull request that its manifest does not."""

    title: str
    author: Actor | None  # None: the account was deleted
    state: str
    merged_at: Instant | None


_decoder = msgspec.json.Decoder(Head)
_KEYS = tuple(field.encode_name.encode() for field in msgspec.structs.fields(Head))


def head_of(data: bytes) -> Head | None:
    """The head of the sealed file `data`; None where it has no such front matter."""
    end = data.find(b"\n---\n")
    if end < 0 or not data.startswith(b"---\n"):
        return None
    at = 0
    values: list[bytes] = []
    for key in _KEYS:
        at = data.find(b"\n%s: " % key, at, end)
        if at < 0:
            return None
        stop = data.find(b"\n", at + 1)
        values.append(b'"%s":%s' % (key, data[at + len(key) + 3 : stop]))
        at = stop
    try:
        return _decoder.decode(b"{%s}" % b",".join(values))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
