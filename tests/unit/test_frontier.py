"""Requests are made of items: within every limit, nothing lost, nothing twice, at the least cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from syncer.evidence import Connection
from syncer.reading.frontier import (
    Item,
    Limits,
    Ready,
    chain,
    expected,
    halves,
    is_full,
    parts,
    width,
)
from tests.unit.making import item

ROW = Connection.PULL_REQUEST
totals = st.none() | st.integers(0, 20) | st.sampled_from([99, 100, 101, 250, 3000])
caps = st.sampled_from([1, 2, 12, 50, 100])
all_limits = st.builds(
    Limits,
    ids=st.sampled_from([1, 2, 7, 100]),
    nodes=st.sampled_from([1, 30, 2000]),
    page=st.sampled_from([1, 2, 7, 100]),
)


@st.composite
def items_of(draw: st.DrawFn, most: int = 60) -> list[Item]:
    """Items as a wave holds them: one a key, some part-read, some capped, some of them rows."""
    found: list[Item] = []
    for n in range(draw(st.integers(0, most))):
        name = draw(st.sampled_from(Connection))
        total = None if name is ROW else draw(totals)
        pages = 0 if total is None or total < 3 else draw(st.integers(0, 2))
        found.append(
            item(
                name,
                owner=f"N_{n}",
                pull=f"PR_{n % 7}",
                total=total,
                pages=pages,
                held=pages if total else 0,
                cursor=f"c{n}" if pages else None,
                cap=draw(caps),
            )
        )
    return found


def _drained(ready: Ready, limits: Limits) -> list[list[Item]]:
    found = []
    while request := ready.take(limits):
        found.append(request)
    return found


def _keys(items: Sequence[Item]) -> Counter[tuple[str, str, Connection]]:
    return Counter(one.key for one in items)


@given(items_of(), all_limits)
def test_requests_lose_no_item_and_hold_none_twice(items: list[Item], limits: Limits) -> None:
    ready = Ready(limits, lambda _: True)
    ready.add(items)
    requests = _drained(ready, limits)
    assert _keys([one for request in requests for one in request]) == _keys(items)
    assert len(ready) == ready.nodes == 0


@given(items_of(), all_limits)
def test_no_request_is_over_a_limit_unless_it_is_a_single_item(
    items: list[Item], limits: Limits
) -> None:
    ready = Ready(limits, lambda _: True)
    ready.add(items)
    for request in _drained(ready, limits):
        rows = sum(one.name is ROW for one in request)
        assert rows <= limits.ids
        assert len(request) - rows <= limits.ids
        nodes = sum(expected(one, limits) for one in request)
        assert nodes <= limits.nodes or len(request) == 1


@given(items_of(), all_limits, all_limits)
def test_limits_may_shrink_between_requests(
    items: list[Item], wide: Limits, narrow: Limits
) -> None:
    ready = Ready(wide, lambda _: True)
    ready.add(items)
    first = ready.take(wide)
    ready.add(first)
    requests = _drained(ready, narrow)
    assert _keys([one for request in requests for one in request]) == _keys(items)
    assert ready.nodes == 0


@given(items_of(), all_limits, st.data())
def test_what_is_no_longer_wanted_is_dropped_and_never_sent(
    items: list[Item], limits: Limits, data: st.DataObject
) -> None:
    dead = {one.key for one in items if data.draw(st.booleans())}
    ready = Ready(limits, lambda one: one.key not in dead)
    ready.add(items)
    requests = _drained(ready, limits)
    assert _keys([one for request in requests for one in request]) == _keys(
        [one for one in items if one.key not in dead]
    )
    assert len(ready) == ready.nodes == 0


@given(items_of(), all_limits)
def test_parts_ask_for_every_item_once_from_its_own_cursor(
    items: list[Item], limits: Limits
) -> None:
    found = parts(items, limits)
    asked = Counter((part.name, owner, part.after) for part in found for owner in part.ids)
    assert asked == Counter((one.name, one.owner, one.cursor) for one in items)
    by_key = {(one.name, one.owner): one for one in items}
    for part in found:
        assert len(part.ids) == 1 or part.after is None
        for owner in part.ids:
            one = by_key[part.name, owner]
            assert 1 <= part.first <= min(one.cap, limits.page)
            if one.cursor is None and one.total is not None:
                assert part.first >= min(one.total, one.cap, limits.page, 1)


@given(items_of(), all_limits)
def test_a_first_page_is_fitted_to_the_largest_total_it_is_asked_for(
    items: list[Item], limits: Limits
) -> None:
    by_key = {(one.name, one.owner): one for one in items}
    for part in parts(items, limits):
        members = [by_key[part.name, owner] for owner in part.ids]
        known = [one.total for one in members if one.total is not None]
        if part.after is None and len(known) == len(members):
            assert part.first == max(1, min(*[max(known)] * 2, members[0].cap, limits.page))


@given(items_of(8), all_limits)
def test_halving_ends_with_every_item_alone_on_its_smallest_page(
    items: list[Item], limits: Limits
) -> None:
    heavy, last = [list(items)] if items else [], []
    for _ in range(2000):
        if not heavy:
            break
        request = heavy.pop()
        smaller = halves(request, limits)
        if smaller is None:
            last += request
        else:
            assert _keys([one for half in smaller for one in half]) == _keys(request)
            assert all(half for half in smaller)
            heavy += smaller
    assert not heavy
    assert _keys(last) == _keys(items)
    assert all(one.name is ROW or parts([one], limits)[0].first == 1 for one in last)


def test_halving_takes_fewer_ids_before_it_takes_smaller_pages() -> None:
    two = [item(owner="A", total=90), item(owner="B", total=90)]
    assert halves(two, Limits()) == [[two[0]], [two[1]]]
    assert halves([two[0]], Limits()) == [[replace(two[0], cap=45)]]


def test_a_page_that_is_halved_is_smaller_than_what_the_server_could_not_bear() -> None:
    assert halves([item(total=5)], Limits()) == [[item(total=5, cap=2)]]
    assert halves([item(total=None)], Limits(page=30)) == [[item(total=None, cap=15)]]


@given(
    st.integers(0, 5000),
    st.integers(0, 100_000),
    st.integers(0, 60),
    all_limits,
    st.integers(1, 16),
)
def test_the_width_is_between_one_request_and_the_concurrency(
    ready: int, nodes: int, deepest: int, limits: Limits, concurrency: int
) -> None:
    found = width(ready, nodes, deepest, limits, concurrency)
    assert 1 <= found <= concurrency
    if deepest <= 1:
        assert found == concurrency


def test_while_one_chain_is_deeper_than_all_the_rest_one_request_at_a_time_is_enough() -> None:
    assert width(200, 400, 30, Limits(), 8) == 1
    assert width(6000, 6000, 30, Limits(), 8) == 2


@pytest.mark.parametrize(
    ("total", "held", "cap", "pages"),
    [(1, 0, 100, 1), (100, 0, 100, 1), (101, 0, 100, 2), (3000, 100, 100, 29), (5, 9, 100, 1)],
)
def test_a_chain_is_as_long_as_the_pages_that_are_left(
    total: int, held: int, cap: int, pages: int
) -> None:
    assert chain(item(total=total, held=held, cap=cap), Limits()) == pages


def test_the_deepest_chain_goes_first_and_rides_with_whatever_else_is_due() -> None:
    deep = item(owner="deep", total=3000)
    ready = Ready(Limits(), lambda _: True)
    ready.add(item(owner=f"N_{n:03}", total=2) for n in range(300))
    ready.add([deep])
    assert ready.deepest() == 30
    request = ready.take(Limits())
    assert request[0] == deep
    assert len(request) == 100


def test_nothing_ready_is_no_chain() -> None:
    assert Ready(Limits(), lambda _: True).deepest() == 1


@given(st.lists(st.integers(1, 40) | st.integers(1, 700), min_size=1, max_size=150))
def test_one_request_at_a_time_costs_what_is_asked_for_and_no_more(sizes: list[int]) -> None:
    """Read to the end, the points are the quotient of connections by a hundred, or the chain's."""
    limits = Limits()
    ready = Ready(limits, lambda _: True)
    ready.add(item(owner=f"N_{n}", total=size) for n, size in enumerate(sizes))
    points = asked = 0
    while request := ready.take(limits):
        billed = sum(part.connections for part in parts(request, limits))
        points += max(1, round(billed / 100))
        asked += billed
        ready.add(_next(one) for one in request if chain(one, limits) > 1)

    pages = sum(-(-size // 100) for size in sizes)
    longest = max(-(-size // 100) for size in sizes)
    by_nodes = -(-sum(sizes) // (limits.nodes - 100))
    assert asked == pages
    assert points <= max(longest, -(-pages // 100), by_nodes) + 2


def _next(one: Item) -> Item:
    held = one.held + expected(one, Limits())
    return replace(one, held=held, pages=one.pages + 1, cursor=f"{held}")


@pytest.mark.parametrize(
    ("items", "full"),
    [
        pytest.param([], False, id="nothing"),
        pytest.param([item(owner=f"N_{n}") for n in range(9)], False, id="an id to spare"),
        pytest.param([item(owner=f"N_{n}") for n in range(10)], True, id="every id"),
        pytest.param([item(ROW, owner=f"N_{n}", total=None) for n in range(10)], False, id="rows"),
        pytest.param([item(total=90)], True, id="nine tenths of the nodes"),
        pytest.param([item(total=89)], False, id="room for more nodes"),
    ],
)
def test_a_request_is_full_when_its_billed_ids_or_nine_tenths_of_its_nodes_are_used(
    items: list[Item], full: bool
) -> None:
    assert is_full(items, Limits(ids=10, nodes=100)) is full
