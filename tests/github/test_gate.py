from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.github.gate import Gate


async def _pass(gate: Gate, lane: str, log: list[str], name: str) -> None:
    async with gate.passing(lane):
        log.append(name)
        await asyncio.sleep(0)


async def _queue(
    gate: Gate, order: list[tuple[str, str]], log: list[str]
) -> list[asyncio.Task[None]]:
    """Tasks that wait at a taken gate, in `order`."""
    tasks = []
    for lane, name in order:
        tasks.append(asyncio.ensure_future(_pass(gate, lane, log, name)))
        await asyncio.sleep(0)
    return tasks


async def test_lanes_take_turns_and_each_is_served_in_order():
    gate, log = Gate(), []
    await gate.enter("first")
    tasks = await _queue(
        gate, [("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("b", "b2"), ("c", "c1")], log
    )

    gate.leave()
    await asyncio.gather(*tasks)

    assert log == ["a1", "b1", "c1", "a2", "b2", "a3"]


async def test_a_cancelled_task_keeps_nobody_waiting():
    gate, log = Gate(), []
    await gate.enter("first")
    tasks = await _queue(gate, [("a", "a1"), ("a", "a2"), ("b", "b1")], log)

    tasks[0].cancel()
    gate.leave()
    await asyncio.gather(*tasks, return_exceptions=True)

    assert log == ["a2", "b1"]


async def test_a_turn_that_came_at_the_moment_of_cancellation_is_passed_on():
    gate, log = Gate(), []
    await gate.enter("first")
    tasks = await _queue(gate, [("a", "a1"), ("a", "a2")], log)

    gate.leave()
    tasks[0].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

    assert log == ["a2"]


async def test_a_failing_task_leaves_the_gate_open():
    gate = Gate()
    with pytest.raises(ValueError, match="inside"):
        async with gate.passing("a"):
            raise ValueError("inside")

    async with asyncio.timeout(1), gate.passing("b"):
        pass


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=12), st.integers(0, 5))
def test_everybody_who_is_not_cancelled_passes_once_and_alone(visitors, moment):
    async def run() -> None:
        gate, log, inside = Gate(), [], 0

        async def visit(lane: str, number: int) -> None:
            nonlocal inside
            async with gate.passing(lane):
                inside += 1
                assert inside == 1
                try:
                    await asyncio.sleep(0)
                    log.append(number)
                finally:
                    inside -= 1

        async with asyncio.timeout(5):
            tasks = [asyncio.ensure_future(visit(lane, n)) for n, (lane, _) in enumerate(visitors)]
            for _ in range(moment):
                await asyncio.sleep(0)
            for task, (_, cancelled) in zip(tasks, visitors, strict=True):
                if cancelled and not task.done():
                    task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        passed = [n for n, result in enumerate(results) if result is None]
        assert sorted(log) == passed
        assert {n for n, (_, cancelled) in enumerate(visitors) if not cancelled} <= set(passed)

    asyncio.run(run())
