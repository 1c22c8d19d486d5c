"""The rows of a corpus: every conversation once, by number, with the true count."""

from __future__ import annotations

from pathlib import Path

from syncer.corpus import Window
from syncer.evidence import Connection
from syncer.history import Corpus, History, Problem, State
from syncer.testing.feed import release
from tests.history.corpora import DAY, START, Writer, closed, merged, opened
from tests.history.test_proof import CUT, with_coverage


async def test_states_are_told_apart(tmp_path: Path) -> None:
    corpus = await Writer(tmp_path, release("v1", START + DAY)).write(
        opened(4, START), merged(3, START), closed(2, START + DAY), merged(1, START + DAY)
    )

    by_state = {state: [row.number for row in corpus.rows(state).rows] for state in State}

    assert by_state == {State.OPEN: [4], State.MERGED: [1, 3], State.CLOSED_UNMERGED: [2]}
    assert [row.number for row in corpus.rows().rows] == [1, 2, 3, 4]


async def test_pages_join_to_the_whole(large: Corpus) -> None:
    pages = [large.rows(start=start, count=500) for start in range(0, 1500, 500)]

    assert [page.total for page in pages] == [1300] * 3
    assert [row.number for page in pages for row in page.rows] == list(range(1, 1301))


async def test_only_the_files_of_a_page_are_opened(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    corpus = await writer.write(merged(1, START), merged(2, START))
    writer.file(2).unlink()

    page = corpus.rows(count=1)

    assert (page.total, page.rows[0].title) == (2, "A change")


async def test_a_window_narrows_them(tmp_path: Path) -> None:
    corpus = await Writer(tmp_path).write(merged(1, START), merged(2, START + DAY))

    found = corpus.rows(window=Window(START, START + DAY))

    assert (found.total, [row.number for row in found.rows]) == (1, [1])


async def test_a_damaged_manifest_hides_the_count(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    await writer.write(merged(1, START), merged(1001, START))
    writer.file(1).with_name("manifest.json").unlink()
    corpus = History(tmp_path, sleep=lambda _: None).corpus(None)

    found = corpus.rows()

    assert (found.total, [row.number for row in found.rows]) == (None, [1001])


async def test_a_row_is_complete_by_the_connections_that_are_judged(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.put(
        with_coverage(merged(1, START), Connection.LABELS, CUT),
        with_coverage(merged(2, START), Connection.REVIEWS, CUT),
        merged(3, START),
    )
    writer.census(behind=(3,))
    corpus = await writer.flush()

    assert [row.is_complete for row in corpus.rows().rows] == [True, False, False]


async def test_everything_that_is_not_whole_is_told_once(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.put(with_coverage(merged(5, START), Connection.COMMENTS, CUT), merged(6, START))
    writer.census(found=3, total_count=3, unread=(1,), behind=(6,))
    corpus = await writer.flush()

    assert corpus.problems() == (
        Problem(number=1, status="unread"),
        Problem(number=5, status="cut", connection="comments", reason="too_heavy"),
        Problem(number=6, status="behind"),
    )
