from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from birdview.mcp import build
from birdview.mcp.catalogue import CATALOGUE
from syncer.errors import ConfigError
from tests.birdview.mcp.scene import (
    MANY,
    WINDOW,
    asking,
    call,
    everything,
    pages,
    refused,
    tools_of,
)
from tests.history.corpora import tree

NAMES = [
    "explore_pull_request_history",
    "get_conversation",
    "list_pull_requests",
    "read_window_evidence",
    "check_claims",
    "get_sync_status",
]


def stdio(root: Path) -> StdioServerParameters:
    here = str(Path(__file__).resolve().parents[3])
    serve = ["-m", "birdview.cli", "serve", "--root", str(root)]
    return StdioServerParameters(command=sys.executable, args=serve, cwd=here)


@pytest.fixture(params=["2026", "handshake", "stdio"])
def client(request: pytest.FixtureRequest, served: Path) -> Client:
    """The SDK's own client: in memory, with either protocol, and over a child's pipes."""
    if request.param == "stdio":
        return Client(stdio(served))
    return Client(
        build(tools_of(served)), mode="legacy" if request.param == "handshake" else "auto"
    )


async def test_a_client_finds_six_tools_that_only_read(client: Client) -> None:
    async with client:
        found = (await client.list_tools()).tools

    assert [tool.name for tool in found] == NAMES
    for tool in found:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.input_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
        assert tool.description


async def test_a_session_explores_and_follows_every_citation_to_its_node(client: Client) -> None:
    async with client:
        envelope = await call(client, "explore_pull_request_history", **WINDOW)
        assert envelope["coverage"]["degraded"] is False
        assert envelope["synthesis"]["available"] is True
        assert envelope["citations"]
        for citation in envelope["citations"]:
            drill = citation["drillDown"]
            found = await call(client, drill["operation"], **drill["arguments"])
            assert found["node"] == citation.get("node", {}).get("id", drill["arguments"]["node"])
            assert found["pull"]["number"] == citation["number"]
            (entry,) = [e for e in found["entries"] if e["id"] == found["node"]]
            assert entry["url"] == citation["url"]
            quoted = quotes(envelope, citation["id"])
            text = entry["body"]["userText"] + found["pull"]["title"]["userText"]
            assert quoted
            assert all(quote in text for quote in quoted)


def quotes(envelope: dict[str, Any], citation: str) -> list[str]:
    kinds = ("themes", "decisions", "friction", "outcomes", "notableEvents")
    return [
        piece["quote"]
        for kind in kinds
        for finding in envelope["synthesis"][kind]
        for piece in finding["evidence"]
        if piece["citation"] == citation
    ] or ["" for _ in range(citation in envelope["synthesis"]["narrative"])]


async def test_a_conversation_of_3000_comments_is_paged_to_its_end(served: Path) -> None:
    async with Client(stdio(served)) as client:
        found = await pages(
            client, "get_conversation", number=MANY, include=["comments"], maxBytes=90_000
        )

    ids = [entry["id"] for page in found for entry in page["entries"]]
    assert ids == [f"IC_{MANY}_{index}" for index in range(3_000)]
    assert len(found) > 3
    assert {page["page"]["total"] for page in found} == {3_000}
    assert all(page["complete"] for page in found)


async def test_a_clients_own_model_reads_the_window_and_has_its_claims_checked(
    client: Client,
) -> None:
    async with client:
        first = await call(client, "read_window_evidence", **WINDOW)
        pieces = await everything(client, **WINDOW)
        body = next(p for p in pieces if p["number"] == 3 and p["part"] == "body")
        claims = [
            {
                "summary": "Part 3 stays.",
                "category": "decisions",
                "evidence": [{"node": body["node"], "quote": "keep part 3 as it is.\nThat"}],
            },
            {
                "summary": "Part 3 goes.",
                "category": "decisions",
                "evidence": [{"node": body["node"], "quote": "we must drop part 3"}],
            },
        ]
        checked = await call(client, "check_claims", **first["checkWith"], claims=claims)

    assert checked["holding"] == [0]
    assert [(d["index"], d["reason"]) for d in checked["dropped"]] == [(1, "quote_not_found")]
    (finding,) = checked["synthesis"]["decisions"]
    assert finding["summary"] == "Part 3 stays."
    assert checked["citations"][0]["number"] == 3


async def test_an_unknown_tool_is_an_error_that_names_those_there_are(client: Client) -> None:
    async with client:
        with pytest.raises(MCPError, match="get_conversation"):
            await client.call_tool("delete_everything", {})


async def test_the_text_of_an_answer_is_its_structured_content(served: Path) -> None:
    async with asking(served) as client:
        result = await client.call_tool("get_conversation", {"number": 1})

    (content,) = result.content
    assert content.type == "text"
    assert json.loads(content.text) == result.structured_content


@pytest.mark.parametrize("tool", NAMES)
async def test_an_argument_that_does_not_exist_is_refused_by_name(served: Path, tool: str) -> None:
    async with asking(served) as client:
        error = await refused(client, tool, colour="red")

    assert (error["code"], error["field"]) == ("bad_argument", "colour")


@pytest.mark.parametrize("tool", NAMES)
async def test_an_unknown_repository_is_refused_with_the_names_of_those_here(
    served: Path, tool: str
) -> None:
    more = {"number": 1} if tool == "get_conversation" else {}
    if tool == "check_claims":
        more = {"sourceManifestHash": "sha256:0"}
    async with asking(served) as client:
        error = await refused(client, tool, origin="octo/other", **more)

    assert error["field"] == "origin"
    assert "octo/demo" in error["message"]


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("explore_pull_request_history", {"preset": "yearly"}, "preset"),
        ("explore_pull_request_history", {"windowStart": "2025-06-01"}, "windowEnd"),
        ("explore_pull_request_history", {"windowStart": "x", "windowEnd": "y"}, "windowStart"),
        ("explore_pull_request_history", {"maxPulls": -1}, "maxPulls"),
        ("read_window_evidence", {"preset": "release"}, "release"),
        ("read_window_evidence", {"resolution": "open"}, "resolution"),
        ("check_claims", {}, "sourceManifestHash"),
        ("check_claims", {"sourceManifestHash": "sha256:0", "claims": "all"}, "claims"),
        ("get_conversation", {}, "number"),
        ("get_conversation", {"number": 0}, "number"),
        ("get_conversation", {"number": 999}, "number"),
        ("get_conversation", {"node": "IC_999"}, "node"),
        ("get_conversation", {"node": "IC_1", "number": 2}, "node"),
        ("get_conversation", {"number": 1, "since": "yesterday"}, "since"),
        ("get_conversation", {"number": 1, "include": ["reactions"]}, "include[0]"),
        ("get_conversation", {"number": 1, "offset": 5}, "offset"),
        ("get_conversation", {"node": "IC_1", "offset": 10_000}, "offset"),
        ("get_conversation", {"node": "IC_1", "include": ["comments"]}, "include"),
        ("get_conversation", {"cursor": "not one"}, "cursor"),
        ("list_pull_requests", {"state": "shut"}, "state"),
        ("list_pull_requests", {"windowEnd": "2025-06-01"}, "windowStart"),
        ("list_pull_requests", {"limit": 0}, "limit"),
        ("get_sync_status", {"maxListed": "all"}, "maxListed"),
    ],
)
async def test_a_bad_argument_is_refused_with_its_own_name(
    served: Path, tool: str, arguments: dict[str, Any], field: str
) -> None:
    async with asking(served) as client:
        error = await refused(client, tool, **arguments)

    assert error["field"] == field
    assert error["message"]


async def test_where_there_is_no_corpus_every_tool_says_so(tmp_path: Path) -> None:
    async with asking(tmp_path) as client:
        error = await refused(client, "explore_pull_request_history")
        status = await call(client, "get_sync_status")

    assert error["field"] == "origin"
    assert status == {"repositories": []}


async def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    from tests.history.corpora import START, Writer, merged

    writer = Writer(tmp_path)
    await writer.write(merged(1, START))
    path = writer.file(1)
    path.write_bytes(path.read_bytes().replace(b"Because", b"Damaged"))

    async with asking(tmp_path) as client:
        error = await refused(client, "get_conversation", number=1)

    assert error["code"] == "corpus_damaged"
    assert "syncer verify" in error["message"]


async def test_a_fault_of_ours_is_told_without_its_words(
    served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Iterator[Any]:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr("birdview.mcp.conversation.entries_of", fail)
    async with asking(served) as client:
        error = await refused(client, "get_conversation", number=1)

    assert error["code"] == "unexpected"
    assert "secret" not in error["message"]


async def test_no_call_writes_anything(served: Path) -> None:
    before = tree(served)
    opened_for_writing: list[str] = []
    watching = True

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if watching and event == "open" and str(arguments[0]).startswith(str(served)):
            mode, flags = arguments[1], arguments[2]
            if (mode and set(mode) & set("wax+")) or flags & 3:
                opened_for_writing.append(str(arguments[0]))

    sys.addaudithook(hook)
    async with asking(served) as client:
        for spec in CATALOGUE:
            for arguments in ({}, WINDOW, {"number": 1}, {"origin": "octo/demo"}, {"live": True}):
                await client.call_tool(spec.name, arguments)
        await everything(client, **WINDOW)
    watching = False

    assert tree(served) == before
    assert opened_for_writing == []


async def test_only_a_call_that_asks_for_it_reaches_out_and_for_its_repository(
    served: Path,
) -> None:
    reached: list[str | None] = []

    @asynccontextmanager
    async def reaching(origin: str | None) -> AsyncIterator[None]:
        reached.append(origin)
        yield None

    async with Client(build(tools_of(served), reaching)) as client:
        await call(client, "explore_pull_request_history", **WINDOW)
        await call(client, "explore_pull_request_history", **WINDOW, live=True)
        await call(client, "explore_pull_request_history", **WINDOW, live=True, origin="octo/demo")

    assert reached == [None, "octo/demo"]


async def test_without_a_token_a_live_call_says_that_github_was_not_asked(served: Path) -> None:
    @asynccontextmanager
    async def reaching(_: str | None) -> AsyncIterator[None]:
        raise ConfigError("set GITHUB_TOKEN")
        yield None

    async with Client(build(tools_of(served), reaching)) as client:
        envelope = await call(client, "explore_pull_request_history", **WINDOW, live=True)

    assert [one["code"] for one in envelope["coverage"]["degradedReasons"]] == ["live_failed"]
    assert len(envelope["pulls"]) == 11


@pytest.mark.parametrize(
    "arguments",
    [
        {"origin": "../.."},
        {"origin": "octo/demo/.."},
        {"origin": ""},
        {"node": ""},
        {"node": "\x00"},
        {"node": "9" * 5000},
        {"node": "https://github.example/octo/demo/pull/" + "9" * 400},
        {"node": "https://evil.example/octo/demo/pull/1"},
        {"number": 10**30},
        {"since": "9999-12-31T23:59:59-23:59", "number": 1},
        {"cursor": "é.é"},
        {"cursor": "." * 9},
        {"number": True},
        {"include": "comments", "number": 1},
    ],
    ids=lambda arguments: str(arguments)[:40],
)
async def test_no_argument_however_odd_is_a_fault_of_ours(
    served: Path, arguments: dict[str, Any]
) -> None:
    async with asking(served) as client:
        error = await refused(client, "get_conversation", **arguments)

    assert error["code"] in {"bad_argument", "not_found"}
    assert error["field"] == next(iter(arguments))
