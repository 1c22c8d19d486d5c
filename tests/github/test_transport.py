"""Against a real socket on this machine: what aiohttp does with broken answers is not ours to guess."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest
from aiohttp import web
from gql import GraphQLRequest

from queries import load
from syncer.errors import (
    ConfigError,
    ContractError,
    SyncError,
    TooHeavyError,
    TransientError,
)
from syncer.github import Credentials, Endpoint, Token
from syncer.github.exchange import Exchange, Prepared
from syncer.github.transport import WireTransport, exchange_in
from tests.github.support import SECRET, chain

ASKED = Prepared(load("comments"), {"ids": ["PR_1"], "first": 1, "after": None})
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[Endpoint]:
    app = web.Application()
    app.router.add_route("*", "/graphql", handler)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.01)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield Endpoint(url=f"http://127.0.0.1:{runner.addresses[0][1]}/graphql")
    finally:
        await runner.cleanup()


@asynccontextmanager
async def raw(*chunks: bytes, hang: bool = False) -> AsyncIterator[Endpoint]:
    """A server that sends `chunks` whatever it is asked, and closes."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        writer.writelines(chunks)
        if hang:
            await reader.read()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        served.set()

    served = asyncio.Event()
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield Endpoint(url=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/graphql")
        await served.wait()


async def ask(
    endpoint: Endpoint, credentials: Credentials | None = None, timeout_s: float = 30.0
) -> Exchange:
    credentials = credentials or Credentials(Token(SECRET))
    transport = WireTransport(endpoint, credentials, timeout_s=timeout_s)
    await transport.connect()
    try:
        return exchange_in(await transport.execute(ASKED))
    finally:
        await transport.close()


async def test_one_post_says_all_that_github_wants_to_know():
    seen: list[tuple[str, dict[str, str], bytes]] = []

    async def handler(request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        seen.append((request.method, headers, await request.read()))
        return web.json_response({"data": 1}, headers={"X-RateLimit-Remaining": "7"})

    async with serving(handler) as endpoint:
        exchange = await ask(endpoint)

    ((method, headers, body),) = seen
    assert method == "POST"
    assert headers["authorization"] == f"bearer {SECRET}"
    assert headers["x-github-next-global-id"] == "1"
    assert headers["accept-encoding"] == "gzip"
    assert headers["content-type"] == "application/json"
    assert headers["user-agent"].startswith("pr-syncer/")
    assert body == ASKED.encoded()
    assert (exchange.status, exchange.body) == (200, b'{"data": 1}')
    assert exchange.headers["x-ratelimit-remaining"] == "7"
    assert exchange.elapsed_s > 0


@pytest.mark.parametrize("status", [200, 401, 403, 404, 429, 500, 502])
async def test_status_headers_and_body_come_back_whatever_the_status(status):
    async def handler(_: web.Request) -> web.Response:
        return web.Response(status=status, text="words", headers={"Retry-After": "60"})

    async with serving(handler) as endpoint:
        exchange = await ask(endpoint)

    assert (exchange.status, exchange.body) == (status, b"words")
    assert exchange.headers["retry-after"] == "60"


async def test_answers_that_cross_each_other_keep_their_own_headers():
    async def handler(request: web.Request) -> web.Response:
        await asyncio.sleep(0)
        number = json.loads(await request.read())["variables"]["first"]
        return web.json_response({"n": number}, headers={"X-Number": str(number)})

    async with serving(handler) as endpoint:
        transport = WireTransport(endpoint, Credentials(Token(SECRET)))
        await transport.connect()
        requests = [Prepared(load("comments"), {"first": number}) for number in range(20)]
        results = await asyncio.gather(*map(transport.execute, requests))
        await transport.close()

    for number, exchange in enumerate(map(exchange_in, results)):
        assert json.loads(exchange.body) == {"n": number}
        assert exchange.headers["x-number"] == str(number)


async def test_a_packed_answer_is_unpacked():
    async def handler(_: web.Request) -> web.Response:
        packed = gzip.compress(b'{"data": {}}')
        return web.Response(body=packed, headers={"Content-Encoding": "gzip"})

    async with serving(handler) as endpoint:
        assert (await ask(endpoint)).body == b'{"data": {}}'


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_token_does_not_follow_a_redirect(status):
    followed: list[str] = []

    async def elsewhere(request: web.Request) -> web.Response:
        followed.append(request.method)
        return web.Response()

    async with serving(elsewhere) as other:

        async def handler(_: web.Request) -> web.Response:
            return web.Response(status=status, headers={"Location": other.url})

        async with serving(handler) as endpoint:
            assert (await ask(endpoint)).status == status

    assert followed == []


async def test_no_cookie_is_kept():
    cookies: list[str | None] = []

    async def handler(request: web.Request) -> web.Response:
        cookies.append(request.headers.get("Cookie"))
        return web.Response(headers={"Set-Cookie": "viewer=1"})

    async with serving(handler) as endpoint:
        transport = WireTransport(endpoint, Credentials(Token(SECRET)))
        await transport.connect()
        await transport.execute(ASKED)
        await transport.execute(ASKED)
        await transport.close()

    assert cookies == [None, None]


async def test_a_renewed_token_is_sent_from_then_on():
    class Source:
        async def renew(self) -> Token:
            return Token("fresh")

    seen: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(request.headers["Authorization"])
        return web.Response()

    credentials = Credentials(Token("old"), Source())
    async with serving(handler) as endpoint:
        first = await ask(endpoint, credentials)
        await credentials.renewed(first.serial)
        second = await ask(endpoint, credentials)

    assert seen == ["bearer old", "bearer fresh"]
    assert (first.serial, second.serial) == (0, 1)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
PACKED = gzip.compress(b'{"data": {"words": "words"}}')
BROKEN = {
    "closed at once": [],
    "cut in the headers": [b"HTTP/1.1 200 OK\r\nContent-"],
    "short of its length": [HEAD + b"Content-Length: 100\r\n\r\n" + b'{"data": {}}'],
    "cut between chunks": [HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b'5\r\n{"dat\r\n'],
    "broken chunks": [HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"zz\r\n{}\r\n0\r\n\r\n"],
    "broken gzip": [
        HEAD + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n" + b"\x1f\x8b\x08\x00"
    ],
    "gzip cut with its length": [
        HEAD + b"Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n" + PACKED[:20]
    ],
    "no gzip at all": [HEAD + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"],
    "no http": [b"SSH-2.0-OpenSSH_9\r\n\r\n"],
}


@pytest.mark.parametrize("chunks", BROKEN.values(), ids=BROKEN)
async def test_a_connection_that_breaks_gives_a_fault_and_never_half_an_answer(chunks):
    async with raw(*chunks) as endpoint:
        with pytest.raises(TransientError):
            await ask(endpoint)


async def test_an_answer_that_does_not_come_in_time_was_too_heavy():
    async with raw(hang=True) as endpoint:
        with pytest.raises(TooHeavyError, match="in time"):
            await ask(endpoint, timeout_s=0.05)


async def test_an_answer_that_stops_in_the_middle_was_too_heavy():
    async with raw(HEAD + b"Content-Length: 100\r\n\r\n{", hang=True) as endpoint:
        with pytest.raises(TooHeavyError):
            await ask(endpoint, timeout_s=0.05)


async def test_nobody_listening_is_a_fault_that_may_pass():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        with pytest.raises(TransientError, match=f"127.0.0.1:{port}"):
            await ask(Endpoint(url=f"http://127.0.0.1:{port}/graphql"))


@pytest.mark.parametrize("chunks", BROKEN.values(), ids=BROKEN)
async def test_no_foreign_exception_hangs_on_ours(chunks):
    async with raw(*chunks) as endpoint:
        with pytest.raises(SyncError) as caught:
            await ask(endpoint)

    found = list(chain(caught.value))
    assert all(isinstance(one, SyncError) for one in found)
    assert all(SECRET not in f"{one!r} {one} {one.__dict__}" for one in found)


async def test_a_cancelled_request_is_cancelled():
    arrived = asyncio.Event()

    async def handler(_: web.Request) -> web.Response:
        arrived.set()
        return await asyncio.get_running_loop().create_future()

    async with serving(handler) as endpoint:
        task = asyncio.ensure_future(ask(endpoint))
        await arrived.wait()
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task


@pytest.mark.parametrize("url", ["http://ghe.example/api/graphql", "ftp://ghe.example/graphql"])
def test_a_token_is_sent_unencrypted_to_this_machine_only(url):
    with pytest.raises(ConfigError):
        WireTransport(Endpoint(url=url), Credentials(Token(SECRET)))


async def test_the_transport_is_used_by_its_own_rules():
    transport = WireTransport(Endpoint(), Credentials(Token(SECRET)))
    with pytest.raises(ContractError):
        await transport.execute(ASKED)

    await transport.connect()
    with pytest.raises(ContractError):
        await transport.connect()
    with pytest.raises(ContractError):
        await transport.execute(GraphQLRequest("{ viewer { login } }"))
    with pytest.raises(ContractError):
        transport.subscribe(ASKED)
    await transport.close()
    await transport.close()
