from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from itertools import pairwise

import pytest

from syncer.errors import BudgetError, ThrottledError
from syncer.github import Bounds, Governor
from syncer.github.governor import Lane
from syncer.github.throttle import MARGIN_S, MIN_PAUSE_S
from tests.github.support import NOW, Time, answer, governor

BIRD, NEST = "octo/bird", "octo/nest"


def budget(remaining: int, resets_in_s: float = 600) -> dict[str, str]:
    reset = NOW + timedelta(seconds=resets_in_s)
    return {
        "x-ratelimit-limit": "5000",
        "x-ratelimit-remaining": str(remaining),
        "x-ratelimit-reset": str(int(reset.timestamp())),
    }


def secondary(wait_s: float | None) -> ThrottledError:
    return ThrottledError("GitHub's secondary rate limit", wait_s=wait_s, primary=False)


def primary(wait_s: float | None) -> ThrottledError:
    return ThrottledError("GitHub's primary rate limit", wait_s=wait_s, primary=True)


class Server:
    """Requests through a governor, each lasting `lasts_s`; tells who ran when."""

    def __init__(self, time: Time, governed: Governor, lasts_s: float = 1.0) -> None:
        self.time, self.governed, self.lasts_s = time, governed, lasts_s
        self.running = self.most = 0
        self.sent: list[tuple[float, str, int]] = []

    async def ask(
        self,
        lane: Lane,
        points: int = 1,
        error: ThrottledError | None = None,
        judge: Callable[[], ThrottledError | None] | None = None,
    ) -> bool:
        turn = await self.governed.admit(lane, points)
        self.sent.append((self.time.now, lane.name, points))
        error = judge() if judge else error
        self.running += 1
        self.most = max(self.most, self.running)
        await self.time.sleep(self.lasts_s)
        self.running -= 1
        exchange = answer(elapsed_s=self.lasts_s)
        self.governed.end(turn, exchange, "other" if error else "good", None if error else points)
        if error:
            self.governed.throttle(turn, error)
        return error is None

    def at(self) -> list[float]:
        return [at - self.sent[0][0] for at, _, _ in self.sent]


async def together(*work: Awaitable[object]) -> None:
    async with asyncio.TaskGroup() as group:
        for one in work:
            group.create_task(_awaited(one))


async def _awaited(work: Awaitable[object]) -> None:
    await work


def test_no_more_requests_run_at_once_than_the_bounds_allow():
    async def run() -> int:
        time = Time()
        server = Server(time, governor(time, Bounds(concurrency=3, seconds_per_minute=1e9)))
        lane = Lane(BIRD)
        await time.run(together(*(server.ask(lane) for _ in range(50))))
        return server.most

    assert asyncio.run(run()) == 3


async def test_good_answers_let_more_run_at_once():
    time = Time()
    server = Server(time, governor(time, Bounds(seconds_per_minute=1e9)))

    await time.run(together(*(server.ask(Lane(BIRD)) for _ in range(200))))

    assert 8 < server.most <= server.governed.concurrency <= 32


@pytest.mark.parametrize("limit", [1, 7, 60])
async def test_a_number_of_points_a_minute_is_never_exceeded(limit):
    time = Time()
    server = Server(time, governor(time, Bounds(points_per_minute=limit)), lasts_s=0.3)

    await time.run(together(*(server.ask(Lane(BIRD), 1 + n % 2) for n in range(100))))

    assert len(server.sent) == 100
    for start, _, _ in server.sent:
        within = [points for at, _, points in server.sent if start <= at < start + 60]
        assert sum(within) <= limit or len(within) == 1


async def test_a_minute_never_holds_more_seconds_of_answers_than_allowed():
    time = Time()
    server = Server(time, governor(time, Bounds(seconds_per_minute=55)), lasts_s=5.0)

    await time.run(together(*(server.ask(Lane(BIRD)) for _ in range(60))))

    # After the first, whose length nobody could know, a minute holds eleven answers of 5 s.
    at = server.at()
    assert max(sum(start <= one < start + 60 for one in at) for start in at[8:]) <= 11


async def test_a_request_that_costs_more_than_a_minute_allows_still_goes():
    time = Time()
    server = Server(time, governor(time, Bounds(points_per_minute=1)))

    await time.run(together(*(server.ask(Lane(BIRD), 5) for _ in range(3))))

    assert server.at() == [0, 61, 122]


async def test_repositories_take_turns_and_none_waits_for_another_to_finish():
    time = Time()
    server = Server(time, governor(time, Bounds(concurrency=1)))
    bird, nest = Lane(BIRD), Lane(NEST)

    await time.run(together(*(server.ask(bird) for _ in range(20)), server.ask(nest)))

    assert [name for _, name, _ in server.sent].index(NEST) <= 3


async def test_a_cancelled_wait_lets_the_others_go_on():
    time = Time()
    server = Server(time, governor(time, Bounds(points_per_minute=1)))
    lane = Lane(BIRD)

    async def run() -> None:
        await server.ask(lane)
        waiting = [asyncio.ensure_future(server.ask(lane)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    await time.run(run())

    assert len(server.sent) == 3


# -- being throttled


async def test_one_refusal_pauses_everybody_for_as_long_as_was_told():
    time, pauses = Time(), []
    governed = governor(time, on_pause=lambda *pause: pauses.append(pause))
    server = Server(time, governed)
    bird, nest = Lane(BIRD), Lane(NEST)

    async def run() -> None:
        await server.ask(bird, error=secondary(60.0))
        await together(server.ask(bird), server.ask(nest), server.ask(bird))

    await time.run(run())

    assert server.at() == [0, 61, 61, 61]
    assert [seconds for seconds, _ in pauses] == [60.0]
    assert "secondary" in pauses[0][1]


async def test_refusals_of_one_moment_are_one_pause():
    time, pauses = Time(), []
    governed = governor(time, on_pause=lambda seconds, _: pauses.append(seconds))
    server = Server(time, governed)

    await time.run(together(*(server.ask(Lane(BIRD), error=secondary(None)) for _ in range(8))))

    assert pauses == [60.0]
    assert governed.concurrency == 4


async def test_without_a_time_to_wait_pauses_begin_at_a_minute_and_grow():
    time, pauses = Time(), []
    server = Server(time, governor(time, on_pause=lambda seconds, _: pauses.append(seconds)))

    async def run() -> None:
        for _ in range(6):
            await server.ask(Lane(BIRD), error=secondary(None))

    await time.run(run())

    assert pauses == [60, 120, 240, 480, 900, 900]


async def test_a_told_time_that_did_not_help_is_no_longer_believed():
    time, pauses = Time(), []
    server = Server(time, governor(time, on_pause=lambda seconds, _: pauses.append(seconds)))

    async def run() -> None:
        for _ in range(4):
            await server.ask(Lane(BIRD), error=secondary(5.0))

    await time.run(run())

    assert pauses == [5, 60, 120, 240]


async def test_after_a_quiet_minute_a_refusal_counts_as_the_first_again():
    time, pauses = Time(), []
    server = Server(time, governor(time, on_pause=lambda seconds, _: pauses.append(seconds)))

    async def run() -> None:
        await server.ask(Lane(BIRD), error=secondary(None))
        await server.ask(Lane(BIRD))
        await time.sleep(120)
        await server.ask(Lane(BIRD), error=secondary(None))

    await time.run(run())

    assert pauses == [60, 60]


async def test_a_limit_that_nobody_told_is_learnt_and_met_at_most_once_a_minute():
    time, refusals = Time(), []
    governed = governor(time)
    server = Server(time, governed, lasts_s=0.2)
    counted: list[float] = []

    def judge() -> ThrottledError | None:
        # The other side refuses more than 100 points in a minute.
        counted[:] = [at for at in counted if at > time.now - 60]
        if len(counted) >= 100:
            refusals.append(time.now)
            return secondary(60.0)
        counted.append(time.now)
        return None

    async def ask() -> None:
        while not await server.ask(Lane(BIRD), judge=judge):
            pass

    await time.run(together(*(ask() for _ in range(1500))))

    # Those that were under way when the limit was first met could not know of it.
    later = [at for at in refusals if at >= refusals[0] + 1]
    assert later
    assert all(second - first >= 60 for first, second in pairwise([refusals[0], *later]))
    assert len(server.sent) <= 1500 * 1.1


# -- the hour's budget


async def spend(governed: Governor, lane: Lane, headers: dict[str, str], points: int = 1) -> None:
    turn = await governed.admit(lane, points)
    governed.end(turn, answer(headers=headers), "good", points)


async def test_a_budget_down_to_its_reserve_stops_with_the_time_of_the_reset():
    governed, lane = governor(Time(), reserve=100), Lane(BIRD)
    await spend(governed, lane, budget(101))
    await spend(governed, lane, budget(100))

    with pytest.raises(BudgetError, match="reserve of 100") as caught:
        await governed.admit(lane, 1)

    assert caught.value.resets_at == NOW + timedelta(seconds=600 + MARGIN_S)


async def test_when_told_to_wait_it_waits_for_the_reset_by_the_servers_clock():
    time, pauses = Time(), []
    governed = governor(time, wait=True, on_pause=lambda *pause: pauses.append(pause))
    lane = Lane(BIRD)

    async def run() -> None:
        await spend(governed, lane, budget(0))
        await spend(governed, lane, budget(5000, 4200))

    began = time.now
    await time.run(run())

    assert time.now - began == 600 + MARGIN_S
    assert [seconds for seconds, _ in pauses] == [600 + MARGIN_S]


async def test_a_reset_less_than_a_minute_away_is_waited_for_in_any_case():
    time = Time()
    governed, lane = governor(time), Lane(BIRD)

    async def run() -> None:
        await spend(governed, lane, budget(0, 30))
        await spend(governed, lane, budget(5000, 3600))

    began = time.now
    await time.run(run())

    assert time.now - began == 30 + MARGIN_S


@pytest.mark.parametrize("resets_in_s", [-3, -7200])
async def test_a_reset_in_the_past_never_stops_or_blocks(resets_in_s):
    time = Time()
    governed, lane = governor(time), Lane(BIRD)

    async def run() -> None:
        for _ in range(3):
            await spend(governed, lane, budget(0, resets_in_s))

    began = time.now
    await time.run(run())

    assert time.now == began


async def test_points_of_requests_under_way_are_set_aside():
    governed, lane = governor(Time()), Lane(BIRD)
    await spend(governed, lane, budget(10))
    held = await governed.admit(lane, 10)
    waiting = asyncio.ensure_future(governed.admit(lane, 1))
    for _ in range(10):
        await asyncio.sleep(0)
    assert not waiting.done()

    governed.end(held, answer(headers=budget(9)), "good", 1)

    governed.end(await waiting, None, "other")


async def test_a_primary_refusal_stops_unless_told_to_wait():
    time = Time()
    server = Server(time, governor(time))

    with pytest.raises(BudgetError, match="--wait") as caught:
        await time.run(server.ask(Lane(BIRD), error=primary(90.0)))

    assert caught.value.resets_at == NOW + timedelta(seconds=90)


async def test_a_primary_refusal_is_waited_for_when_told():
    time = Time()
    server = Server(time, governor(time, wait=True))

    async def run() -> None:
        await server.ask(Lane(BIRD), error=primary(92.0))
        await server.ask(Lane(BIRD))

    await time.run(run())

    assert server.at() == [0, 93]


async def test_a_refusal_whose_reset_is_past_pauses_for_a_moment_only():
    time = Time()
    server = Server(time, governor(time))

    async def run() -> None:
        await server.ask(Lane(BIRD), error=primary(MIN_PAUSE_S))
        await server.ask(Lane(BIRD))

    await time.run(run())

    assert server.at() == [0, 1 + MIN_PAUSE_S]


async def test_a_runs_own_budget_counts_what_is_under_way():
    governed = governor(Time())
    lane, other = Lane(BIRD, max_points=5), Lane(NEST)
    await spend(governed, lane, {}, 3)
    held = await governed.admit(lane, 2)

    with pytest.raises(BudgetError, match="5 points"):
        await governed.admit(lane, 1)
    governed.end(await governed.admit(other, 100), None, "other")

    governed.end(held, None, "other")
    governed.end(await governed.admit(lane, 2), None, "other")
    assert (lane.spent, lane.flying) == (3, 0)


async def test_ending_a_request_twice_counts_once():
    governed, lane = governor(Time()), Lane(BIRD)
    turn = await governed.admit(lane, 4)

    governed.end(turn, answer(), "good", 4)
    governed.end(turn, answer(), "good", 4)

    assert (lane.spent, lane.flying) == (4, 0)


# -- size


@pytest.mark.parametrize(
    ("outcome", "elapsed_s", "nodes"),
    [("heavy", 1.0, 1000), ("good", 9.0, 1000), ("good", 1.0, 2000), ("faulty", 1.0, 2000)],
)
async def test_the_advised_size_follows_what_came_back(outcome, elapsed_s, nodes):
    governed, lane = governor(Time()), Lane(BIRD)
    turn = await governed.admit(lane, 1, nodes=2000)

    governed.end(turn, answer(elapsed_s=elapsed_s), outcome, 1)

    assert governed.nodes_limit == nodes


async def test_a_request_whose_size_cannot_be_chosen_teaches_nothing_about_size():
    governed, lane = governor(Time()), Lane(BIRD)

    governed.end(await governed.admit(lane, 1), None, "heavy")

    assert governed.nodes_limit == 2000


async def test_the_servers_clock_is_reckoned_from_its_last_answer():
    time = Time()
    governed = governor(time)
    assert governed.server_date is None

    await spend(governed, Lane(BIRD), {})
    time.now += 90

    assert governed.server_date == NOW + timedelta(seconds=90)


def test_pauses_are_heard_of_as_the_signature_says():
    heard: Callable[[float, str], None] = lambda seconds, why: None  # noqa: E731
    assert governor(Time(), on_pause=heard).paused_s == 0.0
