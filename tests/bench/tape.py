"""Every request of a run with its answer, to be asked again by something simpler."""

from __future__ import annotations

from pathlib import Path

import msgspec
from gql import GraphQLRequest
from graphql import ExecutionResult
from msgspec import Struct

from syncer.github.exchange import Prepared
from syncer.github.transport import Transport, exchange_in

__all__ = ["Recording", "Spoken", "read_tape"]


class Spoken(Struct, frozen=True):
    """The body of a request and that of its answer."""

    asked: bytes
    answered: bytes


class Recording:
    """A transport that keeps what passes through `inner`, and writes it to `path` at the end."""

    def __init__(self, inner: Transport, path: Path) -> None:
        self._inner = inner
        self._path = path
        self._kept: list[Spoken] = []

    async def connect(self) -> None:
        """Open the inner transport."""
        await self._inner.connect()

    async def close(self) -> None:
        """Close the inner transport and write the tape."""
        await self._inner.close()
        self._path.write_bytes(msgspec.msgpack.encode(self._kept))

    async def execute(self, request: GraphQLRequest) -> ExecutionResult:
        """Send `request` once and keep it with its answer."""
        result = await self._inner.execute(request)
        if isinstance(request, Prepared):
            self._kept.append(Spoken(request.encoded(), exchange_in(result).body))
        return result


def read_tape(path: Path) -> list[Spoken]:
    """What `Recording` wrote, in the order of the answers."""
    return msgspec.msgpack.decode(path.read_bytes(), type=list[Spoken])
