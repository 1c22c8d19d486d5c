"""The simulator on a real socket: plain answers, and every way in which a connection can end."""

from __future__ import annotations

import asyncio
import json
import zlib

import aiohttp
import pytest

import queries
from syncer.testing.github import DEFAULT_TOKEN, CutError, Simulator, faults

HEADERS = {"Authorization": f"Bearer {DEFAULT_TOKEN}", "X-Github-Next-Global-ID": "1"}
OPENING = json.dumps(
    {"query": queries.load("opening").text, "variables": {"owner": "example-org", "name": "small"}}
).encode()


async def post(github: Simulator) -> tuple[int, dict[str, str], bytes]:
    async with (
        aiohttp.ClientSession() as session,
        session.post(github.url, data=OPENING, headers=HEADERS) as answer,
    ):
        return answer.status, dict(answer.headers), await answer.read()


async def test_the_socket_gives_what_the_direct_way_gives(small):
    status, headers, body = await Simulator(small).respond(HEADERS, OPENING)
    async with Simulator(small) as github:
        got = await post(github)
        assert (got[0], got[2]) == (status, body)
        assert headers.items() <= got[1].items()
        assert json.loads(body)["data"]["repository"]["nameWithOwner"] == "Example-Org/Small"


async def test_every_header_of_githubs_is_there(small):
    async with Simulator(small) as github:
        _, headers, _ = await post(github)
    assert headers["Content-Type"] == "application/json; charset=utf-8"
    assert headers["Date"] == "Fri, 02 Feb 2024 00:00:00 GMT"
    assert headers["X-RateLimit-Limit"] == "5000"
    assert headers["X-RateLimit-Remaining"] == "4999"
    assert headers["X-RateLimit-Used"] == "1"
    assert headers["X-RateLimit-Resource"] == "graphql"
    assert int(headers["X-RateLimit-Reset"]) == github.clock.now().timestamp() + 3600
    assert headers["X-GitHub-Request-Id"]


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (faults.connection_reset(), (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)),
        (faults.reset_mid_body(), (aiohttp.ClientPayloadError, aiohttp.ClientOSError)),
        (faults.cut_length(), aiohttp.ClientPayloadError),
        (faults.cut_chunks(), aiohttp.ClientPayloadError),
        (faults.broken_gzip(), aiohttp.ClientPayloadError),
    ],
    ids=[
        "reset",
        "reset in mid-body",
        "short of its length",
        "without the last chunk",
        "broken gzip",
    ],
)
async def test_an_answer_cut_on_the_wire_is_an_error_of_the_client(small, fault, error):
    async with Simulator(small) as github:
        rule = github.fail(fault, at=1)
        with pytest.raises(error):
            await post(github)
        assert rule.hits == 1
        assert (await post(github))[0] == 200


async def test_without_a_socket_a_cut_is_an_error_that_holds_what_came(small):
    github = Simulator(small)
    whole = (await github.respond(HEADERS, OPENING))[2]
    github.fail(faults.cut_length())
    with pytest.raises(CutError) as caught:
        await github.respond(HEADERS, OPENING)
    assert len(whole) > len(caught.value.sent) > 0
    github.fail(faults.connection_reset())
    with pytest.raises(CutError) as caught:
        await github.respond(HEADERS, OPENING)
    assert caught.value.sent == b""


async def test_a_broken_gzip_cannot_be_unpacked(small):
    github = Simulator(small)
    github.fail(faults.broken_gzip())
    _, headers, body = await github.respond(HEADERS, OPENING)
    assert headers["Content-Encoding"] == "gzip"
    with pytest.raises(zlib.error):
        zlib.decompress(body, 31)


async def test_a_slow_answer_waits_as_told(small):
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    github = Simulator(small, sleep=sleep, latency_s=lambda asked: asked.nodes / 100)
    github.fail(faults.Slow(30.0), at=2)
    for _ in range(2):
        await github.respond(HEADERS, OPENING)
    assert slept == [2.0, 32.0]


async def test_hooks_tell_when_a_request_came_and_when_its_answer_went(small, tmp_path):
    seen: list[tuple[str, int]] = []
    async with Simulator(small, marks=tmp_path, hold_at=2) as github:
        came = asyncio.Event()
        github.on_received(lambda k: seen.append(("received", k)))
        github.on_received(lambda k: came.set() if k == 2 else None)
        github.on_answered(lambda k: seen.append(("answered", k)))
        await post(github)
        held = asyncio.create_task(post(github))
        await came.wait()
        assert seen == [("received", 1), ("answered", 1), ("received", 2)]
        assert not held.done()
        held.cancel()
    assert {path.name for path in tmp_path.iterdir()} == {"received-1", "answered-1", "received-2"}


async def test_too_many_requests_at_once_are_refused(small):
    gate = asyncio.Event()

    async def sleep(_: float) -> None:
        await gate.wait()

    async with Simulator(small, at_once=3, latency_s=1.0, sleep=sleep) as github:
        tasks = [asyncio.create_task(post(github)) for _ in range(4)]
        github.on_received(lambda k: gate.set() if k == 4 else None)
        statuses = sorted([(await task)[0] for task in tasks])
    assert statuses == [200, 200, 200, 403]
