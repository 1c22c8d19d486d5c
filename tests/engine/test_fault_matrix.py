"""Every fault at every stage, once and for ever: complete, or incomplete and named, or a status.

After each run nothing stored is worse than before: every file is the whole old or the whole new
conversation, none is lost or doubled. Once the fault is gone, the next runs end complete.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from syncer.errors import StopError
from syncer.report import Summary
from syncer.testing.github import faults
from syncer.testing.github.dataset import Dataset
from syncer.testing.github.faults import Fault
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.requests import Asked, When
from syncer.testing.github.simulator import Simulator
from tests.engine.harness import Hurry, content, run, tree

LATER_S = 3600.0
TEN_DAYS_S = 864_000.0
STATUSES = {0, 3, 4, 5}
NAME = Path("example-org/generated")


def _batch(asked: Asked) -> bool:
    return asked.operation == "Batch"


STAGES: Mapping[str, When] = {
    "opening": lambda asked: asked.operation == "Opening",
    "census": lambda asked: asked.operation in ("Census", "Changes"),
    "first-level": lambda asked: _batch(asked) and "PullRequest.comments" in asked.kinds,
    "second-level": lambda asked: (
        _batch(asked) and "PullRequestReviewThread.comments" in asked.kinds
    ),
    "overflow": lambda asked: _batch(asked) and asked.cursors > 0,
}
KINDS: Mapping[str, str] = {
    "opening": "Repository.pullRequests",
    "census": "Repository.pullRequests",
    "first-level": "PullRequest.comments",
    "second-level": "PullRequestReviewThread.comments",
    "overflow": "PullRequest.comments",
}
ANSWERS: Mapping[str, Callable[[], Fault]] = {
    "502": faults.gateway_page,
    "504": faults.gateway_timeout,
    "200-html": faults.html_with_200,
    "500": faults.server_error,
    "404": faults.not_found_page,
    "401": faults.bad_credentials,
    "sso": faults.single_sign_on,
    "sso-200": lambda: faults.single_sign_on(200),
    "secondary": faults.secondary_limit,
    "secondary-silent": lambda: faults.secondary_limit(retry_after=None),
    "secondary-429": lambda: faults.secondary_limit(429),
    "secondary-200": lambda: faults.secondary_limit(200),
    "primary": faults.primary_limit,
    "primary-other-word": lambda: faults.primary_limit("RATE_LIMIT", 90, 12),
    "primary-past": lambda: faults.primary_limit(reset_in_s=-3),
    "reset": faults.connection_reset,
    "reset-mid-body": faults.reset_mid_body,
    "cut-length": faults.cut_length,
    "cut-chunks": faults.cut_chunks,
    "gzip": faults.broken_gzip,
    "went-wrong": lambda: faults.something_went_wrong(None),
}
FIELDS: Mapping[str, Callable[[str], Fault]] = {
    "forbidden": faults.forbidden,
    "resource-limits": faults.resource_limits,
    "went-wrong-at": faults.something_went_wrong,
    "wrong-total": faults.wrong_total,
    "null-node": faults.null_node,
    "null-nodes": faults.null_nodes,
    "null-connection": faults.null_connection,
    "stuck-cursor": faults.stuck_cursor,
    "null-cursor": faults.null_cursor,
    "empty-cursor": faults.empty_cursor,
    "empty-page": faults.empty_page,
    "refused-cursor": faults.refused_cursor,
}
MATRIX = [
    pytest.param(make, stage, times, id=f"{name}-{stage}-{'once' if times else 'always'}")
    for stage in STAGES
    for times in (1, None)
    for name, make in [
        *((name, lambda _, make=make: make()) for name, make in ANSWERS.items()),
        *FIELDS.items(),
    ]
]


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    shape = Shape(releases=3, long_conversation=230, long_thread=130, many_threads=12)
    return generate(41, 24, shape)


@pytest.fixture(scope="module")
def whole(dataset: Dataset, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    root = tmp_path_factory.mktemp("whole")

    async def read() -> None:
        async with Simulator(dataset) as simulator:
            await run(simulator, root)

    asyncio.run(read())
    return content(root)


@pytest.mark.parametrize(("make", "stage", "times"), MATRIX)
async def test_a_first_run_ends_named_and_the_next_ones_whole(
    make: Callable[[str], Fault],
    stage: str,
    times: int | None,
    dataset: Dataset,
    whole: dict[str, bytes],
    tmp_path: Path,
) -> None:
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        simulator.fail(make(KINDS[stage]), STAGES[stage], times=times)
        status, summary = await _run(simulator, tmp_path, hurry)
        _assert_honest(status, summary, content(tmp_path), whole)
        simulator.rules.clear()
        await _recover(simulator, tmp_path, hurry)

    assert content(tmp_path) == whole


@pytest.mark.parametrize(("make", "stage", "times"), MATRIX)
async def test_a_later_run_never_puts_a_part_over_a_whole(
    make: Callable[[str], Fault],
    stage: str,
    times: int | None,
    dataset: Dataset,
    whole: dict[str, bytes],
    tmp_path: Path,
) -> None:
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        await _run(simulator, tmp_path / "kept", hurry)
        before = content(tmp_path / "kept")
        simulator.clock.advance(LATER_S)
        for number in sorted(simulator.world.repository.pull_requests):
            simulator.mutate.add_comment(number, "a later word")
        simulator.clock.advance(LATER_S)
        await _run(simulator, tmp_path / "fresh", hurry)
        after = content(tmp_path / "fresh")
        simulator.fail(make(KINDS[stage]), STAGES[stage], times=times)
        status, summary = await _run(simulator, tmp_path / "kept", hurry)
        found = content(tmp_path / "kept")
        simulator.rules.clear()
        await _recover(simulator, tmp_path / "kept", hurry)

    assert status in STATUSES
    assert set(found) == set(before)
    torn = [name for name in found if found[name] not in (before[name], after[name])]
    assert torn == [] or _short(summary)
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


async def _run(simulator: Simulator, root: Path, hurry: Hurry) -> tuple[int, Summary | None]:
    try:
        async with asyncio.timeout(60):
            summary = await run(simulator, root, hurry=hurry)
    except StopError as error:
        return error.exit_status, None
    return summary.exit, summary


async def _recover(simulator: Simulator, root: Path, hurry: Hurry) -> None:
    """Runs after the fault is gone: short connections are looked at again when asked for."""
    for _ in range(2):
        simulator.clock.advance(TEN_DAYS_S)
        status, summary = await _run(simulator, root, hurry)
        if status == 0:
            return
        assert summary is not None
        numbers = sorted({p.number for p in summary.problems if p.number is not None})
        simulator.clock.advance(TEN_DAYS_S)
        again = await run(simulator, root, hurry=hurry, requested=numbers)
        if again.exit == 0:
            return
    pytest.fail(f"still incomplete: {summary}")


def _assert_honest(
    status: int, summary: Summary | None, found: dict[str, bytes], whole: dict[str, bytes]
) -> None:
    assert status in STATUSES
    if status == 0:
        assert found == whole
    if summary is None:
        return
    named = {problem.number for problem in summary.problems}
    unequal = {_number(name) for name in whole if found.get(name) != whole[name]}
    assert summary.complete == (status == 0) == (not _lacking(summary))
    assert unequal <= named or None in named or status in (4, 5)


def _lacking(summary: Summary) -> bool:
    return bool(summary.problems) or summary.message is not None


def _short(summary: Summary | None) -> bool:
    return summary is not None and any(p.status == "short" for p in summary.problems)


def _number(name: str) -> int:
    return int(Path(name).stem.removeprefix("pr-"))
