"""Whatever goes wrong during an audit: named, or a status; nothing harmed; and the next one whole."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from syncer.audit.plan import Plan
from syncer.audit.report import AuditSummary
from syncer.errors import AskError, StopError
from syncer.settings import Settings
from syncer.store import read_store
from syncer.testing.github import faults
from syncer.testing.github.faults import Fault, Older
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.nodes import PullRequest
from syncer.testing.github.requests import When
from syncer.testing.github.simulator import Simulator
from tests.audit.harness import audited, folder
from tests.engine.harness import Hurry, content, run, tree

SHAPE = Shape(releases=2, long_conversation=130, long_thread=110, many_threads=12)
PULLS = 16
SMALL_STEPS = Settings(ids=4, page=10, wave=6, concurrency=2)
TEN_DAYS_S = 864_000.0
BUDGET = 24
"""Points: more than the longest conversation costs in small steps, less than the audit."""
SLOTS = 4

STAGES: Mapping[str, When] = {
    "opening": lambda asked: asked.operation == "Opening",
    "labels": lambda asked: asked.operation == "RepositoryLabels",
    "rows": lambda asked: asked.operation == "StampedCensus",
    "first-level": lambda asked: (
        asked.operation == "Batch" and "PullRequest.comments" in asked.kinds
    ),
    "second-level": lambda asked: (
        asked.operation == "Batch" and "PullRequestReviewThread.comments" in asked.kinds
    ),
    "overflow": lambda asked: asked.operation == "Batch" and asked.cursors > 0,
}
KINDS: Mapping[str, str] = {
    "opening": "Repository.pullRequests",
    "labels": "Repository.labels",
    "rows": "Repository.pullRequests",
    "first-level": "PullRequest.comments",
    "second-level": "PullRequestReviewThread.comments",
    "overflow": "PullRequest.comments",
}
FAULTS: Mapping[str, Callable[[str], Fault]] = {
    "502": lambda _: faults.gateway_page(),
    "401": lambda _: faults.bad_credentials(),
    "secondary": lambda _: faults.secondary_limit(),
    "primary": lambda _: faults.primary_limit(),
    "forbidden": faults.forbidden,
    "resource-limits": faults.resource_limits,
    "wrong-total": faults.wrong_total,
    "null-node": faults.null_node,
    "null-connection": faults.null_connection,
    "stuck-cursor": faults.stuck_cursor,
    "empty-page": faults.empty_page,
    "refused-cursor": faults.refused_cursor,
}
MATRIX = [
    pytest.param(fault, stage, times, id=f"{fault}-{stage}-{'once' if times else 'always'}")
    for stage in STAGES
    for fault in FAULTS
    for times in (1, None)
]


@pytest.fixture(scope="module")
def _before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("before")

    async def read() -> None:
        async with Simulator(generate(21, PULLS, SHAPE)) as simulator:
            assert (await run(simulator, root)).exit == 0

    asyncio.run(read())
    return root


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a fresh sync holds after the silent edits of `edited`."""
    root = tmp_path_factory.mktemp("fresh")

    async def read() -> None:
        async with edited() as (simulator, _):
            assert (await run(simulator, root)).exit == 0

    asyncio.run(read())
    return root


@pytest.fixture
def root(_before: Path, tmp_path: Path) -> Path:
    """What a sync before the edits left, for this test alone."""
    return Path(shutil.copytree(_before, tmp_path / "root"))


@asynccontextmanager
async def edited() -> AsyncIterator[tuple[Simulator, set[int]]]:
    """The repository after silent edits on every list of several pull requests, and on which."""
    async with Simulator(generate(21, PULLS, SHAPE)) as simulator:
        simulator.clock.advance(7200)
        pulls = list(simulator.world.repository.pull_requests.values())
        yield simulator, set().union(*(_edit(simulator, pull) for pull in pulls[::3] + pulls[-4:]))


def _edit(simulator: Simulator, pull: PullRequest) -> set[int]:
    said = [c for thread in pull.review_threads for c in thread.comments if c.state != "PENDING"]
    for comment in (*pull.comments[-1:], *said[-1:]):
        simulator.mutate.edit(comment, "other words")
    return {pull.number} if pull.comments or said else set()


async def attempted(
    simulator: Simulator, root: Path, hurry: Hurry
) -> tuple[int, AuditSummary | None]:
    """An audit's exit status, and what it told if it came that far."""
    try:
        async with asyncio.timeout(60):
            summary = await audited(simulator, root, settings=SMALL_STEPS, hurry=hurry)
    except StopError as error:
        return error.exit_status, None
    except AskError:
        return 5, None
    return summary.exit, summary


@pytest.mark.parametrize(("fault", "stage", "times"), MATRIX)
async def test_a_fault_is_named_harms_nothing_and_hides_nothing_for_good(
    fault: str, stage: str, times: int | None, root: Path, fresh: Path
) -> None:
    before, after = content(root), content(fresh)
    async with edited() as (simulator, _):
        hurry = Hurry(simulator)
        simulator.fail(FAULTS[fault](KINDS[stage]), STAGES[stage], times=times)
        status, summary = await attempted(simulator, root, hurry)
        found = content(root)
        simulator.rules.clear()
        await _recover(simulator, root, hurry)

    assert status in {0, 3, 4, 5}
    if status == 0:
        assert found == after
    if status == 3:
        assert summary is not None
        assert summary.problems
    torn = {name for name in found if found[name] not in (before.get(name), after.get(name))}
    assert not torn or (summary is not None and _named(summary) >= {_number(n) for n in torn})
    assert set(found) == set(before)
    assert tree(root) == tree(fresh)


async def _recover(simulator: Simulator, root: Path, hurry: Hurry) -> None:
    for _ in range(3):
        simulator.clock.advance(TEN_DAYS_S)
        status, summary = await attempted(simulator, root, hurry)
        if status == 0:
            return
    pytest.fail(f"still incomplete: {summary}")


def _named(summary: AuditSummary) -> set[int]:
    return {problem.number for problem in summary.problems if problem.number is not None}


def _number(name: str) -> int:
    return int(Path(name).stem.removeprefix("pr-"))


# -- what cannot be compared


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (faults.resource_limits, "too_heavy"),
        (faults.forbidden, "forbidden"),
        (faults.null_connection, "unreadable"),
    ],
    ids=["too-heavy", "forbidden", "null"],
)
async def test_a_list_that_cannot_be_compared_is_named_and_the_others_are_compared(
    fault: Callable[[str, int], Fault], reason: str, root: Path
) -> None:
    async with edited() as (simulator, touched):
        calm = next(
            pull
            for pull in simulator.world.repository.pull_requests.values()
            if pull.number not in touched and pull.comments
        )
        wrong = fault("PullRequest.comments", calm.number)
        simulator.fail(wrong, STAGES["first-level"], times=None)

        summary = await audited(simulator, root, hurry=Hurry(simulator))

    assert summary.exit == 3
    assert [(p.number, p.connection, p.status, p.reason) for p in summary.problems] == [
        (calm.number, "comments", "unaudited", reason)
    ]
    assert {one.number for one in summary.audit.found} == touched


async def test_a_walk_whose_count_does_not_add_up_takes_nothing_for_gone(root: Path) -> None:
    async with edited() as (simulator, _):
        simulator.mutate.delete_pull(min(simulator.world.repository.pull_requests))
        simulator.fail(faults.wrong_total("Repository.pullRequests"), STAGES["rows"], times=None)

        summary = await audited(simulator, root)

    assert summary.exit == 3
    assert not any(one.gone for one in summary.audit.found)
    assert [p.reason for p in summary.problems if p.status == "unaudited"] == [
        "GitHub claims 16 pull requests, the audit met 15: none is taken for gone"
    ]


@pytest.mark.parametrize(
    "lack",
    [
        ("PullRequest", "closingIssuesReferences"),
        ("PullRequest", "lastEditedAt"),
        ("PullRequestReviewThread", "subjectType"),
    ],
    ids=lambda lack: lack[1],
)
async def test_an_older_server_is_audited_by_what_it_tells(
    lack: tuple[str, str], tmp_path: Path
) -> None:
    async with Simulator(generate(21, PULLS, SHAPE)) as simulator:
        simulator.fail(Older(*lack), times=None)
        await run(simulator, tmp_path)
        simulator.clock.advance(7200)
        pull = next(p for p in simulator.world.repository.pull_requests.values() if p.comments)
        simulator.mutate.edit(pull.comments[0], "other words")

        first = await audited(simulator, tmp_path)
        second = await audited(simulator, tmp_path)

    assert {one.number for one in first.audit.found} == {pull.number}
    assert second.audit.found == ()


# -- stopped early


async def test_what_was_found_before_the_budget_ended_is_queued_and_the_next_audit_goes_on(
    root: Path, fresh: Path
) -> None:
    async with edited() as (simulator, touched):
        audits: list[AuditSummary] = []
        found: set[int] = set()
        while not audits or audits[-1].exit == 5:
            summary = await audited(simulator, root, settings=SMALL_STEPS, max_points=BUDGET)
            audits.append(summary)
            found |= {one.number for one in summary.audit.found}
            if summary.exit == 5:
                assert await _queued(folder(simulator, root)) <= found
            assert len(audits) < 20

        again = await audited(simulator, root)

    assert len(audits) > 2
    assert [one.audit.resumed for one in audits[:1] + audits[-1:]] == [False, True]
    assert max(one.points for one in audits) <= BUDGET
    assert found == touched
    assert (again.exit, again.audit.found, again.audit.resumed) == (0, (), False)
    assert tree(root) == tree(fresh)


async def _queued(at: Path) -> set[int]:
    """The numbers that the next run will read."""
    async with read_store(at) as store:
        return {one.number for one in await store.pulls.wanted(1000)}


@pytest.mark.parametrize("slot", range(SLOTS))
async def test_an_audit_that_is_interrupted_anywhere_leaves_one_that_ends_whole(
    slot: int, root: Path, fresh: Path, tmp_path: Path
) -> None:
    requests = await _requests(Path(shutil.copytree(root, tmp_path / "counted")))
    for k in range(1 + slot, requests, SLOTS * 6):
        at = Path(shutil.copytree(root, tmp_path / str(k)))
        async with edited() as (simulator, touched):
            task = asyncio.ensure_future(audited(simulator, at, settings=SMALL_STEPS))
            simulator.on_received(partial(_cancel, task, k))
            with pytest.raises(asyncio.CancelledError):
                await task
            summary = await audited(simulator, at, settings=SMALL_STEPS)
            async with read_store(folder(simulator, at)) as store:
                left = await store.pulls.count_wanted()

        assert summary.exit == 0, k
        assert left == 0
        assert {one.number for one in summary.audit.found} <= touched
        assert tree(at) == tree(fresh), k
        shutil.rmtree(at)


def _cancel(task: asyncio.Task[AuditSummary], at: int, request: int) -> None:
    if request == at:
        task.cancel()


async def _requests(root: Path) -> int:
    async with edited() as (simulator, _):
        await audited(simulator, root, settings=SMALL_STEPS)
        return simulator.requests


@pytest.mark.parametrize("k", range(2, 9))
async def test_what_is_touched_while_it_is_audited_is_read_as_it_is_in_the_end(
    k: int, root: Path, tmp_path: Path
) -> None:
    async with edited() as (simulator, touched):
        for number in sorted(simulator.world.repository.pull_requests)[::4]:
            simulator.between(k, lambda mutate, n=number: mutate.add_comment(n, "a loud word"))

        await audited(simulator, root, Plan(), settings=SMALL_STEPS)
        simulator.clock.advance(7200)
        await run(simulator, root)
        await run(simulator, tmp_path / "fresh")

    assert touched
    assert tree(root) == tree(tmp_path / "fresh")
