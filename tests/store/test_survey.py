"""What is stored, counted and looked up for comparison."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from syncer.canonical import canonical_bytes
from syncer.census.known import Why
from syncer.evidence import Connection, Evidence, Status
from syncer.github.answers import ChangeRow, Totals
from syncer.records import Label
from syncer.store import Commit, Kept, Labelled, Store, open_store
from syncer.store.ledger import SinkState
from syncer.store.survey import Volume
from tests.audit.test_compare import STORED

NOW = datetime(2026, 5, 4, tzinfo=UTC)
TOTALS = Totals(comments=0, reviews=0, review_threads=0, labels=0, closing_issues=0)
HOSTILE = 'NUL \0, a "quote", \ud7ff, {"labels": [{"id": "forged"}]}'


def evidence(owner: str, name: Connection, total: int | None) -> Evidence:
    return Evidence(
        owner=owner, name=name, total_count=total, kept=total or 0, status=Status.EXHAUSTED
    )


async def put(store: Store, number: int, *proof: Evidence, wanted: Why | None = None) -> str:
    """Store pull request `number`, changed `number` hours after the beginning."""
    pull, at = f"p{number}", NOW + timedelta(hours=number)
    conversation = replace(
        STORED.conversation,
        id=pull,
        number=number,
        updated_at=at,
        title=HOSTILE,
        body=HOSTILE,
        labels=(Label("l1", "bug"), Label(f"l{number}", HOSTILE)),
    )
    row = ChangeRow(
        id=pull,
        number=number,
        state="OPEN",
        created_at=NOW,
        updated_at=at,
        closed_at=None,
        merged_at=None,
        totals=TOTALS,
    )
    commit = Commit(
        snapshot=replace(STORED, conversation=conversation),
        evidence=proof,
        bucket=None,
        read_at=at,
        settled=True,
    )
    async with store.transaction():
        await store.pulls.see([(row, wanted)], NOW, 1)
        await store.conversations.commit([(commit, None)])
    return pull


async def test_pulls_are_those_changed_at_or_after_a_moment_by_number(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        for number in (12, 3, 7):
            await put(store, number)
        async with store.transaction():
            await store.pulls.suspect(["p12"])

        assert await store.survey.pulls() == [("p3", 3), ("p7", 7)]
        assert await store.survey.pulls(NOW + timedelta(hours=7)) == [("p7", 7)]


async def test_suspecting_twice_counts_no_run(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        await put(store, 3)
        for _ in range(2):
            async with store.transaction():
                await store.pulls.suspect(["p3"])

        (found,) = await store.pulls.vanished()
        assert (found.number, found.runs) == (3, 0)


async def test_volume_counts_what_is_not_empty_in_pages(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        await put(
            store,
            3,
            evidence("p3", Connection.COMMENTS, 230),
            evidence("p3", Connection.REVIEWS, 0),
            evidence("p3", Connection.LABELS, None),
            evidence("t", Connection.THREAD_COMMENTS, 100),
            evidence("p3", Connection.PULL_REQUEST, 1),
        )
        await put(store, 4, evidence("p4", Connection.LABELS, 1))

        assert await store.survey.volume(["p3", "p4"], 100) == Volume(connections=3, pages=5)
        assert await store.survey.volume(["p4"], 100) == Volume(connections=1, pages=1)
        assert await store.survey.volume([], 100) == Volume(connections=0, pages=0)
        many = [f"x{n}" for n in range(1200)]
        assert await store.survey.volume([*many, "p3"], 10) == Volume(connections=2, pages=33)


async def test_what_is_kept_comes_back_with_the_moment_of_its_reading(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        await put(store, 3)

        found = await store.survey.kept(["p3", "unknown"])

    assert found.keys() == {"p3"}
    assert isinstance(found["p3"], Kept)
    assert found["p3"].read_at == NOW + timedelta(hours=3)
    assert b"forged" in canonical_bytes(found["p3"].snapshot.conversation)


async def test_labels_are_those_of_the_record_whatever_its_words_say(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        await put(store, 3)
        await put(store, 4, wanted=Why.CHANGED)
        await put(store, 5)
        async with store.transaction():
            await store.pulls.suspect(["p5"])

        found = await store.survey.labelled()

    assert sorted(found, key=lambda one: one.label) == [
        Labelled("p3", 3, "l1", "bug"),
        Labelled("p3", 3, "l3", HOSTILE),
    ]


@pytest.mark.parametrize(
    ("positions", "behind"),
    [({}, True), ({"corpus": 0}, True), ({"corpus": 1}, False), ({"other": 1}, True)],
    ids=["never given", "not given the newest", "up to date", "another one is"],
)
async def test_a_sink_has_a_backlog_until_it_was_given_the_newest_change(
    positions: dict[str, int], behind: bool, tmp_path: Path
) -> None:
    async with open_store(tmp_path) as store:
        await put(store, 3)
        async with store.transaction():
            for name, position in positions.items():
                await store.ledger.move_sink(name, SinkState(position, "token"))

        assert await store.survey.backlog(["corpus"]) is behind
