"""Listings that end too early, never, or twice: every connection is walked to its end or named."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from queries import NAMES
from syncer.evidence import Connection, Status
from syncer.history import History
from syncer.records import Conversation
from syncer.report import Summary
from syncer.settings import Settings
from syncer.testing.github import faults
from syncer.testing.github.dataset import Dataset, Release
from syncer.testing.github.expected import expected
from syncer.testing.github.faults import Fault, PageFault
from syncer.testing.github.pages import Page
from syncer.testing.github.requests import asks
from syncer.testing.github.simulator import Simulator
from tests.cases.scene import (
    HOUR_S,
    NAME,
    comment,
    fields_of,
    named,
    pull,
    read,
    repository,
    talk,
)
from tests.engine.harness import Hurry, content, run, tree
from tests.history.corpora import numbers, select

MANY = Settings(page=2)
"""Pages so small that everything has a second and a third."""

BOUND = 150
"""Requests within which a run over two small pull requests ends, whatever is done to it."""

FIRST_LEVEL = {
    "PullRequest.comments": "comments",
    "PullRequest.reviews": "reviews",
    "PullRequest.reviewThreads": "reviewThreads",
    "PullRequest.labels": "labels",
    "PullRequest.closingIssuesReferences": "closingIssues",
    "PullRequestReviewThread.comments": "reviewThreadComments",
}
STUCK: dict[str, Callable[..., Fault]] = {
    "the cursor just used": faults.stuck_cursor,
    "no cursor": faults.null_cursor,
    "an empty cursor": faults.empty_cursor,
}
LISTINGS = ("Repository.pullRequests", "Repository.releases")


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    releases = tuple(
        Release(tag_name=f"v{n}", published_at=f"2026-02-{n % 27 + 1:02d}T00:00:00Z")
        for n in range(1, 111)
    )
    return repository(talk(1, 3), talk(2, 3), releases=releases)


# -- cursors that do not advance


@pytest.mark.parametrize("kind", FIRST_LEVEL)
@pytest.mark.parametrize("fault", STUCK.values(), ids=STUCK)
async def test_a_connection_that_does_not_advance_is_cut_with_nothing_twice_and_read_later(
    kind: str, fault: Callable[..., Fault], dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        simulator.fail(fault(kind, 2), lambda asked: asked.cursors > 0, times=None)
        summary = await run(simulator, tmp_path, settings=MANY, hurry=hurry)
        spent, part = simulator.requests, read(tmp_path, 2).conversation
        simulator.rules.clear()
        again = await run(simulator, tmp_path, settings=MANY, hurry=hurry, requested=[2])

    assert (summary.exit, again.exit) == (3, 0)
    assert {p.number for p in summary.problems} == {2}
    assert named(summary, 2)[FIRST_LEVEL[kind]].status == "cut"
    assert spent < BOUND
    assert _ids(part)
    assert len(_ids(part)) == len(set(_ids(part)))
    assert {n: read(tmp_path, n).conversation for n in (1, 2)} == expected(dataset)


@pytest.mark.parametrize("kind", LISTINGS)
@pytest.mark.parametrize("fault", STUCK.values(), ids=STUCK)
async def test_a_listing_that_does_not_advance_is_named_and_nothing_rests_on_it(
    kind: str, fault: Callable[..., Fault], dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        await run(simulator, tmp_path, settings=MANY, hurry=hurry)
        before, start = tree(tmp_path), simulator.requests
        simulator.fail(fault(kind), lambda asked: asked.cursors > 0, times=None)
        simulator.clock.advance(HOUR_S)
        full = Settings(page=1, full=True)
        summary = await run(simulator, tmp_path, settings=full, hurry=hurry)
        spent = simulator.requests - start

    assert summary.exit == 3
    assert named(summary, None).keys() == {kind.partition(".")[2]}
    assert spent < BOUND
    assert tree(tmp_path) == before


# -- empty pages before the end


@pytest.mark.parametrize("kind", FIRST_LEVEL)
async def test_an_empty_page_with_a_new_cursor_is_passed_and_all_is_found_behind_it(
    kind: str, dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        rule = simulator.fail(faults.empty_page(kind, 2), asks(kind), times=2)
        summary = await run(simulator, tmp_path, settings=MANY, hurry=Hurry(simulator))

    assert rule.hits == 2
    assert summary.exit == 0
    assert read(tmp_path, 2).conversation == expected(dataset)[2]


@pytest.mark.parametrize("kind", FIRST_LEVEL)
async def test_empty_pages_without_end_are_cut_after_a_few(
    kind: str, dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        simulator.fail(faults.empty_page(kind, 2), asks(kind), times=None)
        summary = await run(simulator, tmp_path, settings=MANY, hurry=Hurry(simulator))

    assert summary.exit == 3
    assert named(summary, 2)[FIRST_LEVEL[kind]].status == "cut"
    assert simulator.requests < BOUND


@pytest.mark.parametrize("kind", LISTINGS)
async def test_a_listing_of_empty_pages_without_end_ends(
    kind: str, dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        await run(simulator, tmp_path, settings=MANY, hurry=hurry)
        before, start = tree(tmp_path), simulator.requests
        simulator.fail(faults.empty_page(kind), times=None)
        simulator.clock.advance(HOUR_S)
        full = Settings(page=1, full=True)
        summary = await run(simulator, tmp_path, settings=full, hurry=hurry)
        spent = simulator.requests - start

    assert summary.exit == 3
    assert kind.partition(".")[2] in named(summary, None)
    assert spent < BOUND
    assert tree(tmp_path) == before


@pytest.mark.parametrize("kind", [*FIRST_LEVEL, *LISTINGS])
async def test_the_same_rows_behind_ever_new_cursors_come_to_an_end(
    kind: str, dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        simulator.fail(_circling(kind), times=None)
        summary = await run(simulator, tmp_path, settings=MANY, hurry=Hurry(simulator))

    assert summary.exit == 3
    assert simulator.requests < 2 * BOUND


@pytest.mark.parametrize("kind", LISTINGS)
@pytest.mark.parametrize("full", [True, False], ids=["full", "incremental"])
async def test_a_listing_that_looks_empty_for_a_moment_removes_and_moves_nothing(
    kind: str, full: bool, dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        await run(simulator, tmp_path, hurry=hurry)
        before = content(tmp_path)
        simulator.clock.advance(HOUR_S)
        simulator.mutate.add_comment(2, "behind a listing that looks empty")
        simulator.fail(_emptied(kind), times=None)
        runs: list[Summary] = []
        for _ in range(3):
            simulator.clock.advance(2 * 24 * HOUR_S)
            runs.append(await run(simulator, tmp_path, settings=Settings(full=full), hurry=hurry))
        during = content(tmp_path)
        simulator.rules.clear()
        simulator.clock.advance(HOUR_S)
        simulator.mutate.add_comment(1, "afterwards")
        again = await run(simulator, tmp_path, hurry=hurry)

    if kind == "Repository.pullRequests":
        assert [one.exit for one in runs] == [3, 3, 3]
        assert during.keys() == before.keys()
    assert again.exit == 0
    assert again.conversations.total == 2
    assert {n: read(tmp_path, n).conversation for n in (1, 2)} == expected(simulator.world)


# -- one more than a page holds


@pytest.mark.parametrize("size", [1, 3])
async def test_every_connection_ends_at_its_last_page_each_threads_own_too(
    size: int, tmp_path: Path
) -> None:
    dataset = repository(talk(1, size + 1))
    async with Simulator(dataset) as simulator:
        summary = await run(simulator, tmp_path, settings=Settings(page=size))

    snapshot = read(tmp_path, 1)
    ends = [*snapshot.connections.values(), *snapshot.threads.values()]
    assert summary.exit == 0
    assert len(snapshot.threads) == size + 1
    assert {coverage.has_next_page for coverage in ends} == {False}
    assert {coverage.status for coverage in ends} == {Status.EXHAUSTED}
    assert snapshot.conversation == expected(dataset)[1]


async def test_three_thousand_comments_are_read_whole_within_a_bound_of_memory(
    tmp_path: Path,
) -> None:
    text = "A remark of many words. " * 20
    dataset = repository(pull(1, comments=tuple(comment(f"{n}: {text}") for n in range(3000))))
    async with Simulator(dataset) as simulator:
        tracemalloc.start()
        try:
            summary = await run(simulator, tmp_path)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

    size = sum(len(data) for data in content(tmp_path).values())
    assert summary.exit == 0
    assert len(read(tmp_path, 1).conversation.comments) == 3000
    # The record, its bytes, and its file stand in memory at once, and the simulator's own pages.
    assert peak < 12 * size


# -- totals that differ from what can be read


@pytest.mark.parametrize("kind", list(FIRST_LEVEL)[:5])
async def test_an_entry_that_came_as_null_is_counted_and_never_complete(
    kind: str, dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        simulator.fail(faults.null_node(kind, 0, 2), times=None)
        summary = await run(simulator, tmp_path, hurry=Hurry(simulator))

    problem = named(summary, 2)[FIRST_LEVEL[kind]]
    coverage = read(tmp_path, 2).connections[Connection(FIRST_LEVEL[kind])]
    assert (summary.exit, problem.status, problem.reason) == (3, "short", "unreadable: 1")
    assert (coverage.total_count, coverage.kept) == (3, 2)


@pytest.mark.parametrize("kind", FIRST_LEVEL)
@pytest.mark.parametrize(
    "fault", [faults.null_connection, faults.null_nodes], ids=lambda f: f.__name__
)
async def test_what_came_as_null_is_unknown_or_short_and_never_empty(
    kind: str, fault: Callable[..., Fault], dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        rule = simulator.fail(fault(kind, 2), times=None)
        summary = await run(simulator, tmp_path, hurry=hurry)
        simulator.rules.clear()
        again = await run(simulator, tmp_path, hurry=hurry, requested=[2])

    assert rule.hits
    assert summary.exit == 3
    assert {p.number for p in summary.problems} == {2}
    assert again.exit == 0
    assert read(tmp_path, 2).conversation == expected(dataset)[2]


# -- search is no listing


@pytest.mark.parametrize("name", NAMES)
def test_no_document_searches_or_asks_for_a_number_or_a_merge_commit(name: str) -> None:
    asked = fields_of(name)

    assert asked
    assert not {field for _, field in asked} & {
        "search",
        "issueOrPullRequest",
        "mergeCommit",
        "potentialMergeCommit",
        "milestone",
        "timelineItems",
    }


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_asked_of_an_account_that_not_every_kind_of_account_has(name: str) -> None:
    of_people = {
        pair for pair in fields_of(name) if pair[0] in {"User", "Bot", "Mannequin", "Actor"}
    }

    assert {field for _, field in of_people} <= {"__typename", "login", "id"}


async def test_twelve_hundred_within_one_day_are_all_found_and_all_selected(tmp_path: Path) -> None:
    stamps = [f"2026-03-01T{n // 60:02d}:{n % 60:02d}:00Z" for n in range(1200)]
    dataset = repository(
        *(
            pull(n, state="MERGED", updated_at=at, closed_at=at, merged_at=at)
            for n, at in enumerate(stamps, start=1)
        )
    )
    async with Simulator(dataset) as simulator:
        summary = await run(simulator, tmp_path)

    day = datetime(2026, 3, 1, tzinfo=UTC)
    found = select(History(tmp_path).corpus(NAME), day, day + timedelta(days=1))
    assert (summary.exit, summary.conversations.total) == (0, 1200)
    assert numbers(found) == list(range(1, 1201))


# -- inside


def _emptied(kind: str) -> PageFault:
    """The listing says, in good order, that there is nothing at all."""

    def change(_: object, page: Page) -> Page:
        page.nodes, page.total_count = [], 0
        page.page_info.has_next_page, page.page_info.end_cursor = False, None
        return page

    return PageFault(kind=kind, change=change)


def _ids(told: Conversation) -> list[str]:
    """The id of every entry, as often as it stands there."""
    parts = (told.comments, told.reviews, told.review_threads, told.labels, told.closing_issues)
    inner = [one.id for thread in told.review_threads for one in thread.comments]
    return [node.id for part in parts for node in part] + inner


def _circling(kind: str) -> PageFault:
    """Every page but the last cursor is real; it never says that it is the last."""
    count = iter(range(10**9))

    def change(_: object, page: Page) -> Page:
        page.page_info.has_next_page = True
        page.page_info.end_cursor = page.same_place(next(count) + 1)
        return page

    return PageFault(kind=kind, change=change)
