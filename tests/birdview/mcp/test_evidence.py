from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from birdview.synthesis import sources_of
from syncer.evidence import Connection, Coverage, Snapshot, Status
from syncer.testing.feed import release
from tests.birdview.mcp.scene import LONG, WINDOW, asking, call, everything, merged, pages, refused
from tests.history.corpora import DAY, START, Writer


def texts(pieces: list[dict[str, Any]]) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for piece in pieces:
        key = (piece["node"], piece["part"])
        assert piece["offset"] == len(found.get(key, ""))
        found[key] = found.get(key, "") + piece["userText"]
    return found


def cut_short(read: Snapshot) -> Snapshot:
    cut = Coverage(total_count=9, kept=1, has_next_page=True, status=Status.CUT, reason="mutated")
    return replace(read, connections={**read.connections, Connection.COMMENTS: cut})


@pytest.mark.parametrize("size", [1_000, 40_000, 500_000])
async def test_the_pieces_of_every_page_are_the_texts_of_the_window(
    served: Path, size: int
) -> None:
    async with asking(served) as client:
        first = await call(client, "read_window_evidence", **WINDOW, maxBytes=size)
        found = await pages(client, "read_window_evidence", **WINDOW, maxBytes=size)
        conversation = await call(client, "get_conversation", number=LONG, maxBodyBytes=500_000)

    pieces = [piece for page in found for piece in page["fragments"]]
    held = texts(pieces)
    assert first["sources"] == 11
    assert list(dict.fromkeys(p["number"] for p in pieces)) == [*range(1, 11), LONG]
    assert held[("PR_10", "title")] == "A dead end"
    assert held[("PR_3", "body")].endswith("as it is.\r\nThat is the plan.")
    assert held[(f"PR_{LONG}", "body")] == conversation["entries"][0]["body"]["userText"]
    assert {p["number"] for page in found for p in page["pulls"]} == {*range(1, 11), LONG}


async def test_every_node_of_a_window_is_there(tmp_path: Path) -> None:
    read = [merged(n, START + n * DAY, body="") for n in range(1, 4)]
    await Writer(tmp_path).write(*read)

    async with asking(tmp_path) as client:
        pieces = await everything(client, **WINDOW)

    assert [(p["node"], p["part"]) for p in pieces] == [
        (source.node, source.part) for one in read for source in sources_of(one)
    ]


async def test_the_hash_is_that_of_the_exploration_of_the_same_window(served: Path) -> None:
    async with asking(served) as client:
        envelope = await call(client, "explore_pull_request_history", **WINDOW)
        page = await call(client, "read_window_evidence", **WINDOW)

    assert page["sourceManifestHash"] == envelope["sourceManifestHash"]
    assert page["window"] == envelope["window"]


@pytest.mark.parametrize("asked", [{"preset": "quarterly"}, {"preset": "release", "release": "v1"}])
async def test_a_rolling_or_a_release_window_is_checked_with_what_its_page_says(
    tmp_path: Path, asked: dict[str, Any]
) -> None:
    writer = Writer(tmp_path, release("v1", START + 200 * DAY))
    await writer.write(*(merged(n, START + (150 + n) * DAY, body="x" * 3_000) for n in range(1, 9)))

    async with asking(tmp_path) as client:
        found = await pages(client, "read_window_evidence", **asked, maxBytes=5_000)
        checked = await call(client, "check_claims", **found[-1]["checkWith"], claims=[])

    assert len(found) > 1
    assert checked["sourceManifestHash"] == found[0]["sourceManifestHash"]
    assert checked["synthesis"]["available"] is False


async def test_a_cursor_is_bound_to_what_was_said_in_the_window(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    await writer.write(*(merged(n, START + n * DAY, body="x" * 3_000) for n in range(1, 9)))

    async with asking(tmp_path) as client:
        first = await call(client, "read_window_evidence", **WINDOW, maxBytes=5_000)
        await writer.write(merged(99, START + 300 * DAY))
        second = await call(client, "read_window_evidence", cursor=first["nextCursor"])
        await writer.write(merged(8, START + 8 * DAY, body="something else"))
        error = await refused(client, "read_window_evidence", cursor=first["nextCursor"])
        late = await refused(client, "check_claims", **first["checkWith"], claims=[])

    assert second["fragments"]
    assert (error["code"], error["field"]) == ("changed", "cursor")
    assert (late["code"], late["field"]) == ("changed", "sourceManifestHash")


async def test_a_conversation_that_was_not_read_whole_is_left_out_and_named(tmp_path: Path) -> None:
    await Writer(tmp_path).write(
        merged(1, START + DAY), cut_short(merged(2, START + 2 * DAY)), merged(3, START + 3 * DAY)
    )
    good = {
        "summary": "It is so.",
        "category": "themes",
        "evidence": [{"node": "PR_1", "quote": "A change"}],
    }
    bad = {**good, "evidence": [{"node": "PR_2", "quote": "A change"}]}

    async with asking(tmp_path) as client:
        page = await call(client, "read_window_evidence", **WINDOW)
        ask = {**page["checkWith"], "claims": [good, bad]}
        withheld = await call(client, "check_claims", **ask)
        partial = await call(client, "check_claims", **ask, allowPartial=True)

    assert {piece["number"] for piece in page["fragments"]} == {1, 3}
    assert (page["degraded"], page["sources"], page["excluded"]) == (True, 2, 1)
    assert any(2 in one.get("pulls", []) for one in page["degradedReasons"])
    assert withheld["holding"] == partial["holding"] == [0]
    assert withheld["synthesis"]["reason"] == "coverage_degraded"
    assert withheld["citations"] == []
    assert partial["synthesis"]["available"] is True
    assert partial["synthesis"]["partial"] is True


async def test_an_empty_window_has_nothing_to_read_or_to_claim(served: Path) -> None:
    window = {"windowStart": "2020-01-01", "windowEnd": "2020-02-01"}
    async with asking(served) as client:
        page = await call(client, "read_window_evidence", **window)
        checked = await call(client, "check_claims", **page["checkWith"], claims=[{}])

    assert (page["fragments"], page["nextCursor"]) == ([], None)
    assert checked["synthesis"]["reason"] == "empty_window"
    assert checked["dropped"][0]["reason"] == "malformed"


async def test_each_claim_is_judged_alone_whatever_its_neighbours_are(served: Path) -> None:
    true = {
        "summary": "It stays.",
        "category": "decisions",
        "evidence": [{"node": "PRRT_4", "quote": "Because."}],
    }
    claims = [
        None,
        7,
        {"summary": "x"},
        true,
        {**true, "category": "orders"},
        {**true, "evidence": []},
    ]

    async with asking(served) as client:
        page = await call(client, "read_window_evidence", **WINDOW)
        checked = await call(client, "check_claims", **page["checkWith"], claims=claims)

    assert checked["holding"] == [3]
    assert [one["reason"] for one in checked["dropped"]] == [
        "malformed",
        "malformed",
        "malformed",
        "unknown_category",
        "no_evidence",
    ]
    assert checked["citations"][0]["node"] == {"kind": "threadComment", "id": "PRRC_4"}
    assert checked["synthesis"]["coverage"]["droppedClaims"] == 5


async def test_a_true_quote_from_outside_the_window_does_not_hold(served: Path) -> None:
    claim = {
        "summary": "It is so.",
        "category": "themes",
        "evidence": [{"node": "PR_11", "quote": "A change"}],
    }
    async with asking(served) as client:
        page = await call(client, "read_window_evidence", **WINDOW)
        checked = await call(client, "check_claims", **page["checkWith"], claims=[claim])

    assert checked["holding"] == []
    assert checked["dropped"][0]["reason"] == "unknown_node"
