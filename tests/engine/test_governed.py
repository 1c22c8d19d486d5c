"""A run under limits: it keeps what it was told, bears what it was not, and loses nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from syncer.errors import RefusedError
from syncer.github.governor import Governor
from syncer.github.pace import Bounds
from syncer.github.token import Credentials, Token
from syncer.report import Summary
from syncer.settings import Settings
from syncer.testing.github import faults
from syncer.testing.github.dataset import Dataset
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.journal import Entry
from syncer.testing.github.requests import with_token
from syncer.testing.github.simulator import DEFAULT_TOKEN, Simulator
from syncer.testing.github.viewers import Viewer
from tests.engine.harness import Hurry, content, run, tree

PER_MINUTE = 60
MINUTE = timedelta(minutes=1)
SMALL = Settings(ids=2, page=10)
"""Small requests, so that a small repository costs some hundred points."""


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return generate(31, 110, Shape(releases=4, long_conversation=60))


@pytest.fixture(scope="module")
def undisturbed(
    dataset: Dataset, tmp_path_factory: pytest.TempPathFactory
) -> tuple[int, dict[str, str]]:
    """The points of a run without limits, and the tree that it leaves."""
    root = tmp_path_factory.mktemp("undisturbed")

    async def read() -> int:
        async with Simulator(dataset) as simulator:
            return (await run(simulator, root, settings=SMALL)).points

    points = asyncio.run(read())
    return points, tree(root)


# -- points a minute


@pytest.mark.parametrize("latency_s", [0.0, 0.7, 9.0])
async def test_told_sixty_points_a_minute_no_minute_of_the_server_holds_more(
    latency_s: float, dataset: Dataset, undisturbed: tuple[int, dict[str, str]], tmp_path: Path
) -> None:
    points, whole = undisturbed
    simulator, hurry = _slow(dataset, latency_s)
    async with simulator:
        bounds = Bounds(points_per_minute=PER_MINUTE, seconds_per_minute=1e9)
        summary = await run(
            simulator, tmp_path, settings=SMALL, hurry=hurry, governor=hurry.governor(bounds=bounds)
        )

    assert (summary.exit, tree(tmp_path)) == (0, whole)
    assert points > 2 * PER_MINUTE
    assert max(_minutes(simulator.log)) <= PER_MINUTE
    assert simulator.minute.peak <= PER_MINUTE


@pytest.mark.parametrize(
    "retry_after", ["60", None, "1"], ids=["told", "untold", "told too little"]
)
async def test_not_told_it_is_refused_at_most_once_a_minute_and_loses_nothing(
    retry_after: str | None,
    dataset: Dataset,
    undisturbed: tuple[int, dict[str, str]],
    tmp_path: Path,
) -> None:
    points, whole = undisturbed
    simulator, hurry = _slow(dataset, 0.2, points_per_minute=PER_MINUTE, retry_after=retry_after)
    async with simulator:
        summary = await run(simulator, tmp_path, settings=SMALL, hurry=hurry)

    refusals = _refusals(simulator.log)
    assert (summary.exit, tree(tmp_path)) == (0, whole)
    assert summary.points <= 1.2 * points
    assert refusals
    assert all(later - earlier >= MINUTE for earlier, later in pairwise(refusals))


# -- the hour's points


async def test_told_to_wait_it_outlasts_the_hour_and_keeps_the_reserve(
    dataset: Dataset, undisturbed: tuple[int, dict[str, str]], tmp_path: Path
) -> None:
    points, whole = undisturbed
    limit, reserve = points // 2, 20
    simulator, hurry = _slow(dataset, 0.2, limit=limit)
    async with simulator:
        summary = await run(
            simulator, tmp_path, settings=SMALL, hurry=hurry, governor=_governor(hurry, reserve)
        )

    assert (summary.exit, tree(tmp_path)) == (0, whole)
    assert summary.points == points
    assert max(_hours(simulator.log)) <= limit - reserve
    assert sum(hurry.slept) >= 3600


async def test_not_told_to_wait_it_stops_with_everything_saved_and_goes_on_later(
    dataset: Dataset, undisturbed: tuple[int, dict[str, str]], tmp_path: Path
) -> None:
    points, whole = undisturbed
    simulator, hurry = _slow(dataset, 0.2, limit=points // 3)
    runs: list[Summary] = []
    async with simulator:
        while not runs or runs[-1].exit == 5:
            assert len(runs) < 8
            runs.append(
                await run(
                    simulator,
                    tmp_path,
                    settings=SMALL,
                    hurry=hurry,
                    governor=_governor(hurry, 10, wait=False),
                )
            )
            simulator.clock.advance(3600)

    assert len(runs) > 3
    assert tree(tmp_path) == whole
    assert all("run again" in (one.message or "") for one in runs[:-1])
    read = [one.conversations.read for one in runs]
    assert sum(read) == runs[-1].conversations.total
    assert sum(one.points for one in runs) <= 1.2 * points
    assert max(_hours(simulator.log)) <= points // 3 - 10


async def test_points_of_its_own_end_a_run_before_they_are_overspent_and_the_next_goes_on(
    dataset: Dataset, undisturbed: tuple[int, dict[str, str]], tmp_path: Path
) -> None:
    points, whole = undisturbed
    most = points // 4
    spent: list[int] = []
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        for _ in range(8):
            summary = await run(simulator, tmp_path, settings=SMALL, hurry=hurry, max_points=most)
            spent.append(summary.points)
            if summary.exit == 0:
                break
            assert summary.exit == 5
            assert f"budget of {most} points" in (summary.message or "")

    assert tree(tmp_path) == whole
    assert max(spent) <= most
    assert sum(spent) <= 1.2 * points


# -- a token that ends


class _Renewing:
    """Gives out a second token, and counts how often it was asked for one."""

    def __init__(self, fresh: str | None) -> None:
        self._fresh = fresh
        self.asked = 0

    async def renew(self) -> Token | None:
        self.asked += 1
        return None if self._fresh is None else Token(self._fresh)


FRESH = "a-newer-token"


async def test_a_token_that_ends_is_renewed_once_for_all_and_nothing_is_lost(
    dataset: Dataset, undisturbed: tuple[int, dict[str, str]], tmp_path: Path
) -> None:
    points, whole = undisturbed
    source = _Renewing(FRESH)
    async with _with_two_tokens(dataset) as simulator:
        _end_token(simulator, at=40)
        credentials = Credentials(Token(DEFAULT_TOKEN), source)
        summary = await run(
            simulator, tmp_path, settings=SMALL, hurry=Hurry(simulator), credentials=credentials
        )

    assert (summary.exit, tree(tmp_path)) == (0, whole)
    assert summary.points == points
    assert source.asked == 1


@pytest.mark.parametrize("source", [None, _Renewing(None)], ids=["no source", "nothing to give"])
async def test_a_token_that_ends_for_good_stops_once_and_keeps_what_is_finished(
    source: _Renewing | None,
    dataset: Dataset,
    undisturbed: tuple[int, dict[str, str]],
    tmp_path: Path,
) -> None:
    points, whole = undisturbed
    async with _with_two_tokens(dataset) as simulator:
        _end_token(simulator, at=120)
        hurry = Hurry(simulator)
        stopped = await run(
            simulator,
            tmp_path,
            settings=SMALL,
            hurry=hurry,
            credentials=Credentials(Token(DEFAULT_TOKEN), source),
        )
        kept = content(tmp_path)
        refused = [entry for entry in simulator.log if entry.status == 401]
        again = await run(simulator, tmp_path, settings=SMALL, hurry=hurry, token=FRESH)

    assert (stopped.exit, again.exit) == (4, 0)
    assert "token" in (stopped.message or "")
    assert 1 <= len(refused) <= SMALL.concurrency
    assert 0 < len(kept) < stopped.conversations.total
    assert again.conversations.read == stopped.conversations.total - stopped.conversations.read
    assert stopped.points + again.points <= 1.2 * points
    assert tree(tmp_path) == whole


async def test_a_token_refused_at_the_opening_changes_nothing_of_an_earlier_run(
    dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        await run(simulator, tmp_path, hurry=hurry)
        before = _manifests(tmp_path)
        simulator.clock.advance(3600)
        simulator.mutate.add_comment(dataset.pull_requests[0].number, "unseen")
        simulator.tokens.clear()
        with pytest.raises(RefusedError, match="token"):
            await run(simulator, tmp_path, hurry=hurry)

    assert _manifests(tmp_path) == before


# -- inside


def _manifests(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*.json")}


def _slow(
    dataset: Dataset,
    latency_s: float,
    *,
    points_per_minute: int | None = None,
    retry_after: str | None = "60",
    limit: int = 5000,
) -> tuple[Simulator, Hurry]:
    """A simulator whose answers take time, all of it on the one clock that tests let pass."""

    async def sleep(seconds: float) -> None:
        await hurry.sleep(seconds)

    simulator = Simulator(
        dataset,
        tokens={DEFAULT_TOKEN: Viewer(limit=limit)},
        latency_s=latency_s,
        sleep=sleep,
        points_per_minute=points_per_minute,
        retry_after=retry_after,
    )
    hurry = Hurry(simulator)
    return simulator, hurry


def _governor(hurry: Hurry, reserve: int, *, wait: bool = True) -> Governor:
    return Governor(
        Bounds(points_per_minute=1e9, seconds_per_minute=1e9),
        reserve=reserve,
        wait=wait,
        clock=hurry.monotonic,
        sleep=hurry.sleep,
        dice=lambda: 0.5,
    )


def _with_two_tokens(dataset: Dataset) -> Simulator:
    return Simulator(dataset, tokens={DEFAULT_TOKEN: Viewer(), FRESH: Viewer()})


def _end_token(simulator: Simulator, *, at: int) -> None:
    """From the `at`-th request on, the first token is no longer accepted."""
    ended = with_token(DEFAULT_TOKEN)
    simulator.fail(
        faults.bad_credentials(), lambda asked: asked.k >= at and ended(asked), times=None
    )


def _refusals(log: Sequence[Entry]) -> list[datetime]:
    """When the server refused: requests that were under way together count as one refusal."""
    found: list[datetime] = []
    for entry in log:
        at = datetime.fromisoformat(entry.time)
        if entry.status in (403, 429) and not (found and at - found[-1] < timedelta(seconds=2)):
            found.append(at)
    return found


def _minutes(log: Sequence[Entry]) -> list[int]:
    """Points of every minute that begins with a request."""
    timed = [(datetime.fromisoformat(entry.time), entry.cost) for entry in log]
    return [sum(cost for at, cost in timed if start <= at < start + MINUTE) for start, _ in timed]


def _hours(log: Sequence[Entry]) -> list[int]:
    """Points within each hour that begins with the first request after the hour before."""
    start, sums = None, []
    for entry in log:
        at = datetime.fromisoformat(entry.time)
        if start is None or at >= start + timedelta(hours=1):
            start = at
            sums.append(0)
        sums[-1] += entry.cost
    return sums
