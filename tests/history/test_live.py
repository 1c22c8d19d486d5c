"""A selection brought up to now from GitHub, in memory, by the engine's own walk and wave."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from syncer.corpus import Window
from syncer.evidence import Connection, Snapshot
from syncer.github.access import Endpoint
from syncer.github.answers import ChangeRow, Totals
from syncer.github.client import GitHub
from syncer.github.governor import Governor
from syncer.github.token import Credentials, Token
from syncer.history import Corpus, Drift, History, LiveCensus, LiveClient, Overview, Selection
from syncer.history.ask import ResolutionFilter
from syncer.repository import Repository
from syncer.settings import Settings
from syncer.testing.github import DEFAULT_TOKEN, Shape, Simulator, generate
from tests.engine.harness import UNHURRIED, run
from tests.history.corpora import ALL, DAY, START, Writer, merged, opened, tree, within
from tests.history.test_proof import CUT, with_coverage

HOUR = timedelta(hours=1)
SHAPE = Shape(releases=2, drafts=False)


def recent(overview: Overview) -> Window:
    """The last ten years up to what the census knows."""
    end = overview.census.as_of
    assert end is not None
    return Window(end - timedelta(days=3650), end)


@asynccontextmanager
async def client(
    simulator: Simulator, settings: Settings | None = None, token: str = DEFAULT_TOKEN
) -> AsyncIterator[LiveClient]:
    name = simulator.world.repository.name_with_owner
    github = GitHub(
        Credentials(Token(token)),
        Governor(UNHURRIED),
        name=name,
        endpoint=Endpoint(url=simulator.url),
    )
    async with github:
        yield LiveClient(github, settings)


@asynccontextmanager
async def synced(root: Path, seed: int = 3, count: int = 30) -> AsyncIterator[Simulator]:
    """A repository that was synced, and an hour that has passed since."""
    async with Simulator(generate(seed, count, SHAPE)) as simulator:
        await run(simulator, root)
        simulator.clock.advance(3600)
        yield simulator


async def ask(
    simulator: Simulator,
    root: Path,
    resolution: ResolutionFilter = ALL,
    settings: Settings | None = None,
) -> tuple[Selection, LiveCensus]:
    async with client(simulator, settings) as live:
        return await corpus(root).select_live(recent, resolution, live)


def corpus(root: Path) -> Corpus:
    return History(root, sleep=lambda _: None).corpus(None)


def forget_census(root: Path) -> None:
    next(root.glob("*/*/census.json")).unlink()


def by_state(simulator: Simulator, state: str) -> int:
    """The number of some pull request in `state`."""
    pulls = simulator.world.repository.pull_requests.values()
    return next(pull.number for pull in pulls if pull.state == state)


async def test_where_nothing_changed_the_answer_is_the_corpus_s_own_but_fresher(
    tmp_path: Path,
) -> None:
    async with synced(tmp_path) as simulator:
        selection, census = await ask(simulator, tmp_path)

    stored = corpus(tmp_path).select(lambda _: selection.window, ALL)
    assert selection.selected == stored.selected
    assert selection.digest == stored.digest
    assert (selection.is_whole, stored.is_whole) == (True, False)  # the window ends past the corpus
    assert selection.census.source == "live"
    assert census.as_of == simulator.clock.now() - timedelta(seconds=60)


async def test_a_conversation_that_went_on_is_read_again_in_memory(tmp_path: Path) -> None:
    async with synced(tmp_path) as simulator:
        number = by_state(simulator, "MERGED")
        simulator.mutate.add_comment(number, "One more thing.")
        simulator.clock.advance(3600)
        before = tree(tmp_path)
        selection, _ = await ask(simulator, tmp_path)
        after = tree(tmp_path)

    (live,) = [one for one in selection.selected if one.is_live]
    assert (live.number, live.is_complete, selection.is_whole) == (number, True, True)
    found = [one async for one in corpus(tmp_path).snapshots(selection, [live])]
    assert found[0].conversation.comments[-1].body == "One more thing."
    assert after == before


async def test_what_was_resolved_since_the_corpus_was_written_belongs_to_the_window(
    tmp_path: Path,
) -> None:
    async with synced(tmp_path) as simulator:
        simulator.mutate.merge(by_state(simulator, "OPEN"))
        new = simulator.mutate.open_pull(title="Brand new")
        simulator.mutate.merge(new.number)
        simulator.mutate.open_pull(title="Still open")
        simulator.clock.advance(3600)
        selection, census = await ask(simulator, tmp_path)

    live = {one.number: one for one in selection.selected if one.is_live}
    assert len(live) == 2
    assert live[new.number].title == "Brand new"
    assert selection.is_whole
    assert selection.census.found == selection.census.expected == census.total_count == 32


async def test_what_was_reopened_no_longer_belongs_to_it(tmp_path: Path) -> None:
    async with synced(tmp_path) as simulator:
        number = by_state(simulator, "CLOSED")
        simulator.mutate.reopen(number)
        simulator.clock.advance(3600)
        selection, _ = await ask(simulator, tmp_path)

    assert number not in {one.number for one in selection.selected}
    assert selection.is_whole


async def test_a_silent_deletion_after_a_touch_is_seen_in_the_counts(tmp_path: Path) -> None:
    async with synced(tmp_path) as simulator:
        pulls = simulator.world.repository.pull_requests.values()
        pull = next(one for one in pulls if one.comments and one.merged_at)
        simulator.mutate.add_comment(pull.number, "soon gone")
        simulator.clock.advance(3600)
        await run(simulator, tmp_path)
        simulator.mutate.delete_comment(pull.comments[-1])
        selection, _ = await ask(simulator, tmp_path)

    (live,) = [one for one in selection.selected if one.is_live]
    assert live.number == pull.number
    assert live.counts.comments == len(pull.comments)


async def test_a_walk_of_many_pages_is_closed_before_it_proves_anything(tmp_path: Path) -> None:
    async with synced(tmp_path) as simulator:
        for number in list(simulator.world.repository.pull_requests)[:20]:
            simulator.mutate.add_comment(number, "touched")
            simulator.clock.advance(60)
        simulator.clock.advance(3600)
        selection, census = await ask(simulator, tmp_path, settings=Settings(page=3, ids=2))

    assert census.as_of is not None
    assert selection.is_whole
    assert all(one.is_complete for one in selection.selected)


async def test_without_a_watermark_everything_is_listed(tmp_path: Path) -> None:
    async with synced(tmp_path) as simulator:
        forget_census(tmp_path)
        async with client(simulator, Settings(page=7)) as live:
            census = await live.census(corpus(tmp_path).overview().repository, None)
            selection, _ = await corpus(tmp_path).select_live(recent, ALL, live)

    assert len(census.rows) == census.total_count == 30
    assert selection.is_whole


async def test_a_repository_that_is_another_one_today_proves_nothing(tmp_path: Path) -> None:
    async with synced(tmp_path) as simulator:
        simulator.mutate.recreate()
        selection, census = await ask(simulator, tmp_path)

    assert census.as_of is None
    assert "another repository" in (census.complaint or "")
    assert selection.census.source == "corpus"


async def test_a_row_that_cannot_be_read_is_no_proof(tmp_path: Path) -> None:
    class Source:
        """GitHub with one null among its rows."""

        def __init__(self, github: object) -> None:
            self._github = github

        async def opening(self, owner: str, name: str) -> object:
            from msgspec.structs import replace

            found = await self._github.opening(owner, name)  # type: ignore[attr-defined]
            return replace(found, changes=replace(found.changes, unreadable=1))

    async with synced(tmp_path) as simulator, client(simulator) as live:
        spoilt = LiveClient(Source(live._source))  # type: ignore[arg-type]
        census = await spoilt.census(corpus(tmp_path).overview().repository, None)

    assert (census.as_of, census.complaint) == (None, "1 rows could not be read")


async def test_a_refusal_proves_nothing_and_is_passed_on(tmp_path: Path) -> None:
    async with synced(tmp_path) as simulator, client(simulator, token="nobody's") as live:
        selection, census = await corpus(tmp_path).select_live(recent, ALL, live)

    assert census.as_of is None
    assert "nobody's" not in (census.complaint or "")
    stored = corpus(tmp_path).select(lambda _: selection.window, ALL)
    assert (selection.digest, selection.census) == (stored.digest, stored.census)


class Reads:
    """A live client that has just these conversations to give."""

    def __init__(self, corpus_: Corpus, *snapshots: Snapshot, rows: tuple[ChangeRow, ...]) -> None:
        as_of = corpus_.overview().census.as_of
        assert as_of is not None
        self._census = LiveCensus(as_of=as_of, total_count=2, rows=rows)
        self._found = {one.conversation.id: one for one in snapshots}

    async def census(self, repository: Repository, watermark: datetime | None) -> LiveCensus:
        return self._census

    async def read(
        self, repository: Repository, drifted: Sequence[Drift]
    ) -> Mapping[str, Snapshot]:
        return {one.id: self._found[one.id] for one in drifted if one.id in self._found}


def row_of(snapshot: Snapshot) -> ChangeRow:
    pull = snapshot.conversation
    unknown = Totals(
        comments=None, reviews=None, review_threads=None, labels=None, closing_issues=None
    )
    return ChangeRow(
        id=pull.id,
        number=pull.number,
        state=pull.state,
        created_at=pull.created_at,
        updated_at=pull.updated_at,
        closed_at=pull.closed_at,
        merged_at=pull.merged_at,
        totals=unknown,
    )


async def after(tmp_path: Path, newer: Snapshot, *read: Snapshot) -> Selection:
    """The selection of a corpus of one, told of `newer` and given `read`."""
    found = await Writer(tmp_path).write(merged(1, START), opened(9, START))
    live = Reads(found, *read, rows=(row_of(newer),))
    selection, _ = await found.select_live(within(START, START + DAY), ALL, live)
    return selection


async def test_a_part_is_not_put_in_the_place_of_a_whole(tmp_path: Path) -> None:
    newer = merged(1, START, updated_at=START + DAY, title="Newer")
    part = with_coverage(newer, Connection.COMMENTS, CUT)

    selection = await after(tmp_path, newer, part)

    (one,) = selection.selected
    assert (one.title, one.is_behind, one.is_live) == ("A change", True, False)
    assert (selection.doubtful, selection.is_whole) == ((1,), False)


async def test_a_part_of_what_is_not_stored_is_better_than_nothing(tmp_path: Path) -> None:
    newer = with_coverage(merged(2, START), Connection.COMMENTS, CUT)

    selection = await after(tmp_path, newer, newer)

    assert [(one.number, one.is_complete) for one in selection.selected] == [(1, True), (2, False)]


@pytest.mark.parametrize("number", [1, 2])
async def test_what_could_not_be_read_leaves_the_window_in_doubt(
    number: int, tmp_path: Path
) -> None:
    selection = await after(tmp_path, merged(number, START, updated_at=START + DAY))

    assert [one.number for one in selection.selected] == [1]
    assert (selection.doubtful, selection.is_whole) == ((number,), False)


async def test_a_row_that_lags_behind_the_corpus_says_nothing_new(tmp_path: Path) -> None:
    older = opened(1, START - DAY)

    selection = await after(tmp_path, older)

    assert [one.is_complete for one in selection.selected] == [True]
    assert selection.drifted == ()


@pytest.mark.parametrize("resolution", list(ResolutionFilter))
async def test_live_and_a_sync_come_to_the_same_answer(
    resolution: ResolutionFilter, tmp_path: Path
) -> None:
    async with synced(tmp_path) as simulator:
        simulator.mutate.merge(by_state(simulator, "OPEN"))
        simulator.mutate.close(by_state(simulator, "OPEN"))
        simulator.mutate.reopen(by_state(simulator, "CLOSED"))
        simulator.mutate.add_comment(by_state(simulator, "MERGED"), "and on it goes")
        simulator.clock.advance(3600)
        live, _ = await ask(simulator, tmp_path, resolution)
        await run(simulator, tmp_path)

    stored = corpus(tmp_path).select(lambda _: live.window, resolution)
    assert live.digest == stored.digest
    assert live.is_whole
    assert stored.is_whole
