"""Recorded conversations, through the real client and engine, without a network."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import aiohttp
import pytest
import vcr
import yaml
from aiohttp import web
from vcr.errors import CannotOverwriteExistingCassetteException
from vcr.request import Request

from syncer.corpus import parse
from syncer.errors import RefusedError
from syncer.testing.github import DEFAULT_TOKEN
from syncer.testing.github.expected import expected
from tests.cassettes.playing import MATCHED_ON, Played, path_of, play, tape
from tests.cassettes.record import FOLDER, record_all
from tests.cassettes.scenarios import NAME, SCENARIOS, dataset
from tests.cassettes.scrub import ADDRESS, found_secrets, scrubbed_request, scrubbed_response

CASSETTES = sorted(FOLDER.glob("*.yaml"))
EVERY_CASSETTE = pytest.mark.parametrize("path", CASSETTES, ids=lambda path: path.stem)


async def played(name: str, root: Path) -> Played:
    """Replay `name`; every answer of the cassette must have been asked for."""
    with tape("none").use_cassette(str(path_of(FOLDER, name))) as cassette:
        found = await play(SCENARIOS[name], root)
    assert cassette.all_played
    return found


def test_there_is_one_cassette_for_each_scenario():
    assert [path.stem for path in CASSETTES] == sorted(SCENARIOS)


async def test_a_recorded_repository_is_read_to_the_last_node(tmp_path):
    found = await played("a_repository_is_read_whole_and_then_has_nothing_new", tmp_path)
    files = {path.stem: parse(path.read_bytes()) for path in (tmp_path / NAME).rglob("pr-*.md")}
    records = {snapshot.conversation.number: snapshot.conversation for snapshot in files.values()}
    assert records == expected(dataset())
    assert [summary.exit for summary in found.summaries] == [0, 0]
    assert found.summaries[0].connections.short == found.summaries[0].connections.cut == 0


async def test_a_second_run_over_the_same_recording_is_one_request(tmp_path):
    found = await played("a_repository_is_read_whole_and_then_has_nothing_new", tmp_path)
    first, second = found.summaries
    assert (first.conversations.read, second.conversations.read) == (3, 0)
    assert (second.requests, second.points) == (1, 1)


@pytest.mark.parametrize(
    ("name", "least_s", "most_s"),
    [
        ("the_hourly_limit_is_waited_for", 40, 60),
        ("a_secondary_limit_pauses_for_a_minute", 60, 90),
        ("a_page_of_html_is_asked_for_again", 0, 30),
    ],
)
async def test_what_passes_is_waited_for_and_nothing_is_lost(name, least_s, most_s, tmp_path):
    found = await played(name, tmp_path)
    (summary,) = found.summaries
    assert (summary.exit, summary.conversations.read) == (0, 3)
    assert least_s <= found.slept_s <= most_s


async def test_a_connection_that_is_forbidden_is_named_and_the_rest_is_there(tmp_path):
    (summary,) = (await played("a_forbidden_connection_is_named", tmp_path)).summaries
    assert summary.exit == 3
    assert summary.conversations.read == 3
    assert summary.connections.cut == 1
    told = {(one.number, str(one.connection), one.status) for one in summary.problems}
    assert (5, "comments", "cut") in told


@pytest.mark.parametrize("name", ["an_unknown_repository_is_refused", "a_bad_token_is_refused"])
async def test_a_refusal_stops_with_advice_and_leaves_nothing_behind(name, tmp_path):
    found = await played(name, tmp_path)
    assert isinstance(found.error, RefusedError)
    assert found.error.exit_status == 4
    assert DEFAULT_TOKEN not in str(found.error)
    assert list(tmp_path.rglob("*")) == []


async def test_an_answer_is_replayed_only_to_the_very_question():
    path = path_of(FOLDER, "an_unknown_repository_is_refused")
    (recorded,) = yaml.safe_load(path.read_text("utf-8"))["interactions"]
    asked = json.loads(recorded["request"]["body"])
    other = asked | {"variables": {"owner": "example-org", "name": "another"}}

    assert await _answer(tape("none"), path, asked)
    with pytest.raises(CannotOverwriteExistingCassetteException):
        await _answer(tape("none"), path, other)


async def test_vcrpys_own_matcher_would_replay_the_wrong_answer():
    path = path_of(FOLDER, "an_unknown_repository_is_refused")
    careless = vcr.VCR(record_mode=vcr.mode("none"), before_record_request=scrubbed_request)
    assert await _answer(careless, path, {"query": "{ viewer { login } }"})
    assert set(careless.match_on) == set(MATCHED_ON) - {"body"}


async def _answer(player: vcr.VCR, path: Path, question: object) -> bytes:
    with player.use_cassette(str(path)):
        async with (
            aiohttp.ClientSession(headers={"Content-Type": "application/json"}) as session,
            session.post(ADDRESS, data=json.dumps(question).encode()) as got,
        ):
            return await got.read()


async def test_a_packed_answer_is_kept_unpacked_and_replayed(tmp_path):
    async def answer(_: web.Request) -> web.Response:
        body = gzip.compress(b'{"data":"plain"}')
        return web.json_response(body=body, headers={"Content-Encoding": "gzip"})

    app = web.Application()
    app.router.add_post("/graphql", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url, path = f"http://127.0.0.1:{runner.addresses[0][1]}/graphql", tmp_path / "packed.yaml"
    async with aiohttp.ClientSession(auto_decompress=False) as session:
        with tape("all").use_cassette(str(path)):
            await (await session.post(url, json={"query": "q"})).read()
        await runner.cleanup()
        with tape("none").use_cassette(str(path)):
            got = await session.post(url, json={"query": "q"})
            assert await got.read() == b'{"data":"plain"}'
    assert '{"data":"plain"}' in path.read_text("utf-8")
    assert "Content-Encoding" not in path.read_text("utf-8")


def test_recording_again_gives_the_cassettes_that_are_here(tmp_path):
    """When this fails after a change of a document or of the simulator: `make cassettes`."""
    record_all(tmp_path)
    again = {path.name: path.read_bytes() for path in tmp_path.glob("*.yaml")}
    assert again == {path.name: path.read_bytes() for path in CASSETTES}


@EVERY_CASSETTE
def test_no_cassette_holds_a_secret(path):
    text = path.read_text("utf-8")
    assert found_secrets(text) == []
    assert "!!binary" not in text  # bytes that nobody could search


@pytest.mark.parametrize(
    ("planted", "kind"),
    [
        ("ghp_0123456789abcdefABCDEF0123456789abcd", "token"),
        ("github_pat_11ABCDEFG0123456789_abcdefghij", "token"),
        (DEFAULT_TOKEN, "token"),
        ("Bearer abcdef0123456789abcdef", "authorization"),
        ("someone.else+tag@mail.example.org", "e-mail address"),
    ],
)
def test_a_planted_secret_is_found_and_scrubbed(planted, kind):
    answer = {"headers": {}, "status": {"code": 200}, "body": {"string": f"a {planted} b".encode()}}
    assert found_secrets(f"body: '{planted}'") == [kind]
    assert found_secrets(f'body: "{planted[:9]}\\\n  {planted[9:]}"') == [kind]  # as YAML folds
    assert scrubbed_response(answer)["body"] == {"string": b"a removed b"}


def test_what_is_no_secret_stays():
    words = "@login wrote a token expired; see pkg@1.2.3 and the bearer of news"
    answer = {"headers": {}, "status": {"code": 200}, "body": {"string": words.encode()}}
    assert scrubbed_response(answer)["body"] == {"string": words.encode()}


def test_headers_that_tell_who_asked_are_found_and_dropped():
    headers = {"Authorization": "x", "Cookie": "c", "User-Agent": "u", "Accept": "application/json"}
    request = scrubbed_request(Request("POST", "http://127.0.0.1:1/graphql", b"{}", headers))
    assert dict(request.headers) == {"Accept": "application/json"}
    assert request.uri == ADDRESS
    answer = {"headers": {"Set-Cookie": ["s"], "Date": ["d"]}, "body": {"string": b""}}
    assert scrubbed_response(answer)["headers"] == {"Date": ["d"]}
    assert found_secrets("headers: {Set-Cookie: [s], Authorization: [x]}") == [
        "header authorization",
        "header set-cookie",
    ]
