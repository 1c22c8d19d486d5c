from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import ClientSession
from mcp import Client

from birdview.mcp import build, serve
from birdview.mcp.serving import address_of, listening, serve_http
from birdview.mcp.standard_input import lines_of
from syncer.errors import ConfigError, LocalError
from tests.birdview.mcp.scene import WINDOW, call, tools_of

DISCOVER = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
HEADERS = {"Accept": "application/json, text/event-stream"}


@asynccontextmanager
async def http(root: Path) -> AsyncIterator[str]:
    with listening("127.0.0.1", 0) as sock:
        port = sock.getsockname()[1]
        task = asyncio.create_task(serve_http(build(tools_of(root)), sock))
        try:
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def post(url: str, **headers: str) -> int:
    async with (
        ClientSession() as session,
        session.post(url, json=DISCOVER, headers={**HEADERS, **headers}) as response,
    ):
        return response.status


async def test_the_same_tools_answer_over_http(served: Path) -> None:
    async with http(served) as url, Client(url) as client:
        tools = (await client.list_tools()).tools
        page = await call(client, "read_window_evidence", **WINDOW)

    assert len(tools) == 6
    assert page["sources"] == 11


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://localhost:{port}"}, 200),
        ({"Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://localhost:1"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:{port}"}, 421),
    ],
)
async def test_only_pages_of_this_machine_may_ask(
    served: Path, headers: dict[str, str], status: int
) -> None:
    async with http(served) as url:
        port = url.rpartition(":")[2].partition("/")[0]
        sent = {name: value.replace("{port}", port) for name, value in headers.items()}

        assert await post(url, **sent) == status


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0:80",
        "192.168.1.2:80",
        "example.org:80",
        "[::]:80",
        "::1",
        "80",
        "127.0.0.1:x",
        "127.0.0.1:99999",
        ":80",
    ],
)
def test_no_other_address_than_the_loopback_is_served(address: str) -> None:
    with pytest.raises(ConfigError, match="http"):
        address_of(address)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1:8765", ("127.0.0.1", 8765)),
        ("localhost:0", ("127.0.0.1", 0)),
        ("[::1]:8765", ("::1", 8765)),
    ],
)
def test_an_address_of_the_loopback_is_understood(address: str, expected: tuple[str, int]) -> None:
    assert address_of(address) == expected


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        with pytest.raises(LocalError, match=str(port)):
            listening("127.0.0.1", port)


async def test_serving_says_where_it_listens(served: Path) -> None:
    said: asyncio.Queue[str] = asyncio.Queue()
    task = asyncio.create_task(serve(served, "127.0.0.1:0", say=said.put_nowait))

    url = await said.get()
    try:
        assert await post(url) == 200
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("over", ["stdio", "http"])
def test_a_server_that_is_told_to_stop_stops(
    served: Path, root: Path, over: str, number: signal.Signals
) -> None:
    command = [sys.executable, "-m", "birdview.cli", "serve", "--root", str(served)]
    if over == "http":
        command += ["--http", "127.0.0.1:0"]
    with subprocess.Popen(
        command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdin
        assert child.stdout
        assert child.stderr
        child.stdin.write(json.dumps(DISCOVER).encode() + b"\n")
        child.stdin.flush()
        ready = (child.stdout if over == "stdio" else child.stderr).readline()
        child.send_signal(number)

        assert child.wait(timeout=30) == 128 + number
        assert ready
        assert b"Traceback" not in child.stderr.read()


def test_a_server_without_a_client_ends_as_one_whose_client_left(served: Path, root: Path) -> None:
    command = [sys.executable, "-m", "birdview.cli", "serve", "--root", str(served)]

    done = subprocess.run(
        command, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


async def test_lines_come_whole_however_they_were_cut_on_the_way() -> None:
    reading, writing = os.pipe()
    sent = "one\ntwo é\n\nlast without an end".encode()

    async def collect() -> list[str]:
        return [line async for line in lines_of(reading)]

    task = asyncio.create_task(collect())
    for start in range(0, len(sent), 3):
        os.write(writing, sent[start : start + 3])
        await asyncio.sleep(0)
    os.close(writing)
    found = await task
    os.close(reading)

    assert found == ["one", "two é", "", "last without an end"]
