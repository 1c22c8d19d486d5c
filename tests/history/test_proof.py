"""How far a selection is proven: the census, the evidence of each connection, and the digests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from syncer.corpus import CENSUS
from syncer.evidence import JUDGED, Connection, Coverage, Snapshot, Status
from syncer.history import Corpus
from syncer.history.look import Look, steady
from syncer.history.search import select as search
from tests.history.corpora import (
    ALL,
    DAY,
    SECOND,
    START,
    WATERMARK,
    Writer,
    closed,
    merged,
    numbers,
    opened,
    select,
    within,
)

END = START + 7 * DAY
CUT = Coverage(total_count=5, kept=1, has_next_page=True, status=Status.CUT, reason="too_heavy")


def with_coverage(found: Snapshot, name: Connection, coverage: Coverage) -> Snapshot:
    return replace(found, connections={**found.connections, name: coverage})


def legacy(found: Snapshot) -> Snapshot:
    """As the file of a tool that kept no evidence."""
    return replace(found, connections={}, threads={})


def after_a_second(corpus: Corpus, writer: Writer) -> Any:
    """The selection of a corpus that is damaged, and stays so for the second it is given."""
    slept: list[float] = []

    def read(look: Look) -> Any:
        return search(look, within(START, END), ALL)

    found = steady(writer.folder, read, slept.append)
    assert slept == [1.0]
    return found


async def test_a_whole_corpus_proves_the_window(tmp_path: Path) -> None:
    corpus = await Writer(tmp_path).write(merged(1, START), closed(2, START))

    selection = select(corpus, START, END)

    assert selection.is_whole
    assert all(one.is_complete for one in selection.selected)
    assert selection.census.status(END) == "complete"


async def test_a_window_may_end_at_the_watermark_and_no_second_later(tmp_path: Path) -> None:
    corpus = await Writer(tmp_path).write(merged(1, START))

    assert select(corpus, START, WATERMARK).is_whole
    late = select(corpus, START, WATERMARK + SECOND)
    assert (late.census.status(late.window.end), late.is_whole) == ("stale", False)


async def test_a_corpus_without_a_census_knows_no_total(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    corpus = await writer.write(merged(1, START))
    (writer.folder / CENSUS).unlink()

    selection = select(corpus, START, END)

    assert (selection.census.status(END), selection.census.found) == ("unknown", None)
    assert (numbers(selection), selection.is_whole) == ([1], False)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        pytest.param({"watermark": None}, "unknown", id="no walk was ever proven"),
        pytest.param({"total_count": 2}, "mismatch", id="GitHub claims one more"),
        pytest.param({"total_count": None}, "mismatch", id="GitHub claims nothing"),
        pytest.param({"discrepancy": "one is hidden"}, "mismatch", id="a named difference"),
    ],
)
async def test_a_census_that_does_not_add_up_proves_nothing(
    change: dict[str, Any], status: str, tmp_path: Path
) -> None:
    writer = Writer(tmp_path)
    writer.put(merged(1, START))
    writer.census(**change)
    corpus = await writer.flush()

    selection = select(corpus, START, END)

    assert (selection.census.status(END), selection.is_whole) == (status, False)


async def test_a_census_that_counts_other_files_than_there_are_is_a_mismatch(
    tmp_path: Path,
) -> None:
    writer = Writer(tmp_path)
    writer.put(merged(1, START))
    writer.census(found=2, total_count=2)
    corpus = await writer.flush()

    selection = after_a_second(corpus, writer)

    assert selection.census.status(END) == "mismatch"


async def test_what_is_known_and_was_never_read_may_belong_to_any_window(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.put(merged(1, START))
    writer.census(found=2, total_count=2, unread=(9,))
    corpus = await writer.flush()

    selection = select(corpus, START, END)

    assert (selection.census.status(END), selection.census.unread) == ("complete", (9,))
    assert not selection.is_whole


async def test_what_is_behind_is_not_whole(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.put(merged(1, START), merged(2, START))
    writer.census(behind=(2,))
    corpus = await writer.flush()

    selection = select(corpus, START, END)

    assert [one.is_complete for one in selection.selected] == [True, False]
    assert selection.is_whole  # what was merged stays merged: who belongs to the window is known


@pytest.mark.parametrize(
    ("found", "doubtful"),
    [
        pytest.param(opened(2, START), True, id="open, and may have been resolved since"),
        pytest.param(opened(2, END), False, id="open until after the window"),
        pytest.param(closed(2, START - DAY), True, id="closed, and may have been reopened"),
        pytest.param(closed(2, START), True, id="closed inside, and perhaps again later"),
        pytest.param(closed(2, END), False, id="closed after the window"),
        pytest.param(merged(2, START - DAY), False, id="merged before the window"),
    ],
)
async def test_what_is_behind_is_doubted_where_a_newer_state_could_belong(
    found: Snapshot, doubtful: bool, tmp_path: Path
) -> None:
    writer = Writer(tmp_path)
    writer.put(merged(1, START), found)
    writer.census(behind=(2,))
    corpus = await writer.flush()

    selection = select(corpus, START, END)

    assert selection.doubtful == ((2,) if doubtful else ())
    assert selection.is_whole is not doubtful


@pytest.mark.parametrize(
    "name", [name for name in JUDGED if name is not Connection.THREAD_COMMENTS]
)
async def test_each_of_the_judged_connections_keeps_a_conversation_from_being_whole(
    name: Connection, tmp_path: Path
) -> None:
    corpus = await Writer(tmp_path).write(with_coverage(merged(1, START), name, CUT))

    (one,) = select(corpus, START, END).selected

    found = one.judged[name]
    assert (found.expected, found.fetched, found.status) == (5, 1, Status.CUT)
    assert not one.is_complete


async def test_comments_of_a_thread_keep_a_conversation_from_being_whole(tmp_path: Path) -> None:
    found = merged(1, START)
    corpus = await Writer(tmp_path).write(replace(found, threads={"PRRT_1": CUT}))

    (one,) = select(corpus, START, END).selected

    assert one.judged[Connection.THREAD_COMMENTS].status is Status.CUT
    assert not one.is_complete


@pytest.mark.parametrize("name", [Connection.LABELS, Connection.CLOSING_ISSUES])
async def test_other_connections_are_named_and_not_judged(name: Connection, tmp_path: Path) -> None:
    corpus = await Writer(tmp_path).write(with_coverage(merged(1, START), name, CUT))

    (one,) = select(corpus, START, END).selected

    assert one.is_complete
    assert [named.connection for named in one.named] == [name]


async def test_a_file_without_evidence_is_unknown_and_never_empty(tmp_path: Path) -> None:
    corpus = await Writer(tmp_path).write(legacy(merged(1, START)))

    (one,) = select(corpus, START, END).selected

    assert {standing.status for standing in one.judged.values()} == {Status.UNKNOWN}
    assert {standing.expected for standing in one.judged.values()} == {None}
    assert not one.is_complete


async def test_a_file_that_is_not_what_was_sealed_proves_nothing(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    corpus = await writer.write(merged(1, START), merged(2, START))
    file = writer.file(1)
    file.write_bytes(file.read_bytes().replace(b"Because", b"But no."))

    selection = after_a_second(corpus, writer)

    assert numbers(selection) == [1, 2]
    damaged, whole = selection.selected
    assert (damaged.is_damaged, damaged.title, damaged.is_complete) == (True, None, False)
    assert {one.expected for one in damaged.judged.values()} == {None}
    assert whole.is_complete


async def test_a_manifest_that_is_not_what_the_root_says_hides_how_many_there_are(
    tmp_path: Path,
) -> None:
    writer = Writer(tmp_path)
    corpus = await writer.write(merged(1, START), merged(1001, START))
    leaf = writer.file(1).with_name("manifest.json")
    leaf.write_bytes(leaf.read_bytes() + b"\n")

    selection = after_a_second(corpus, writer)

    assert (numbers(selection), selection.is_whole) == ([1001], False)
    assert selection.lost == ("pulls/0000000/manifest.json",)
