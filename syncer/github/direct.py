"""A transport without a wire: the other side is a function. For tests, which need no socket."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping

from gql import GraphQLRequest
from graphql import ExecutionResult

from syncer.errors import ContractError, TransientError
from syncer.github.exchange import HEADERS, Exchange, Prepared, authorization, unpacked
from syncer.github.token import Credentials
from syncer.github.transport import EXCHANGE

__all__ = ["DirectTransport", "Respond"]

Respond = Callable[[Mapping[str, str], bytes], Awaitable[tuple[int, Mapping[str, str], bytes]]]
"""Headers and body of a request → status, headers and body of its answer."""


class DirectTransport:
    """Posts to `respond` as `WireTransport` posts to an address.

    What `respond` raises of the kinds `broken` counts as a broken connection.
    """

    def __init__(
        self,
        respond: Respond,
        credentials: Credentials,
        *,
        broken: tuple[type[Exception], ...] = (OSError,),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._respond = respond
        self._credentials = credentials
        self._broken = broken
        self._clock = clock

    async def connect(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to close."""

    async def execute(self, request: GraphQLRequest) -> ExecutionResult:
        """Send `request` once; the result carries the exchange."""
        if not isinstance(request, Prepared):
            raise ContractError("only documents of `queries` are sent")
        serial, token = self._credentials.serial, self._credentials.token
        started = self._clock()
        try:
            answer = await self._respond(HEADERS | authorization(token), request.encoded())
        except self._broken as exc:
            name = type(exc).__name__
        else:
            exchange = _exchange(answer, self._clock() - started, serial)
            return ExecutionResult(extensions={EXCHANGE: exchange})
        raise TransientError(f"the connection failed ({name})")


def _exchange(
    answer: tuple[int, Mapping[str, str], bytes], elapsed_s: float, serial: int
) -> Exchange:
    status, given, body = answer
    headers = {name.lower(): value for name, value in given.items()}
    return Exchange(
        status=status,
        headers=headers,
        body=unpacked(body, headers.get("content-encoding", "")),
        elapsed_s=elapsed_s,
        serial=serial,
    )
