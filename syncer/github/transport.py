"""The wire: one POST a call, over aiohttp, by gql's transport interface.

gql's own aiohttp transport keeps the last headers on the shared object and loses the words of a
refusal; here a call returns its own exchange and leaves nothing behind.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from typing import Protocol

import aiohttp
from gql import GraphQLRequest
from gql.transport.async_transport import AsyncTransport
from graphql import ExecutionResult
from yarl import URL

from syncer.errors import ConfigError, ContractError
from syncer.github.access import Endpoint, is_loopback
from syncer.github.exchange import HEADERS, Exchange, Prepared, authorization, unpacked
from syncer.github.foreign import FOREIGN, meaning_of
from syncer.github.token import Credentials

__all__ = ["EXCHANGE", "TIMEOUT_S", "Transport", "WireTransport", "exchange_in"]

EXCHANGE = "exchange"
"""The key of an ExecutionResult's extensions under which its `Exchange` stands."""

TIMEOUT_S = 30.0
"""GitHub gives up after about 10 s; three times that is for slow wires and large bodies."""

_CONNECT_S = 10.0


class Transport(Protocol):
    """What the client needs of gql's transport interface, typed."""

    async def connect(self) -> None:
        """Open whatever is needed."""
        ...

    async def close(self) -> None:
        """Release it; safe to call twice."""
        ...

    async def execute(self, request: GraphQLRequest) -> ExecutionResult:
        """The answer, with its `Exchange` among the extensions (`exchange_in`)."""
        ...


class WireTransport(AsyncTransport):
    """Posts to `endpoint` with the token of now; `connect` and `close` frame its use.

    `execute` returns an ExecutionResult that carries the raw `Exchange` (`exchange_in`), whatever
    its status, and judges nothing. It raises our errors for what kept an answer from arriving
    whole: TransientError, TooHeavyError for one that took longer than `timeout_s`.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        credentials: Credentials,
        *,
        timeout_s: float = TIMEOUT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        url = URL(endpoint.url)
        if url.scheme != "https" and not is_loopback(url.host or ""):
            raise ConfigError("a token is sent over https only, except to this machine")
        self._url = url
        self._host = endpoint.host
        self._credentials = credentials
        self._timeout = aiohttp.ClientTimeout(total=timeout_s, sock_connect=_CONNECT_S)
        self._clock = clock
        self._session: aiohttp.ClientSession | None = None

    async def connect(self) -> None:
        """Open the pool of connections; the governor alone bounds how many are used at once."""
        if self._session is not None:
            raise ContractError("the connection to GitHub is open already")
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            headers=HEADERS,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=self._timeout,
            # aiohttp takes a gzip stream that ends early for a whole one: we unpack it ourselves.
            auto_decompress=False,
        )

    async def close(self) -> None:
        """Close every connection; safe to call twice."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def execute(self, request: GraphQLRequest) -> ExecutionResult:
        """Send `request` once. Several calls may run at the same time."""
        if self._session is None:
            raise ContractError("the connection to GitHub is not open")
        if not isinstance(request, Prepared):
            raise ContractError("only documents of `queries` are sent")
        try:
            exchange = await self._post(self._session, request.encoded())
        except FOREIGN as exc:
            failure = meaning_of(exc, self._host)
        else:
            return ExecutionResult(extensions={EXCHANGE: exchange})
        # Outside of `except`, so that no foreign exception hangs on ours: they hold headers.
        raise failure

    def subscribe(self, request: GraphQLRequest) -> AsyncGenerator[ExecutionResult, None]:
        """Refused: GitHub has no subscriptions."""
        raise ContractError(f"GitHub has no subscriptions ({request.operation_name})")

    async def _post(self, session: aiohttp.ClientSession, body: bytes) -> Exchange:
        serial, token = self._credentials.serial, self._credentials.token
        started = self._clock()
        async with session.post(
            self._url,
            data=body,
            headers=authorization(token),
            allow_redirects=False,  # a token does not follow where an answer points
        ) as response:
            elapsed_s = self._clock() - started
            headers = {name.lower(): value for name, value in response.headers.items()}
            raw = await response.read()
            return Exchange(
                status=response.status,
                headers=headers,
                body=unpacked(raw, headers.get("content-encoding", "")),
                elapsed_s=elapsed_s,
                serial=serial,
            )


def exchange_in(result: ExecutionResult) -> Exchange:
    """The exchange that `WireTransport.execute`, or a double of it, returned."""
    found = (result.extensions or {}).get(EXCHANGE)
    if not isinstance(found, Exchange):
        raise ContractError("the transport returned no exchange")
    return found
