"""The law of cursors, under every order and while rows move."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.testing.github import Dataset, Shape, Simulator, generate
from syncer.testing.github.nodes import Label
from syncer.testing.github.pages import Page, Rows, turn

WALK = """query($first: Int, $after: String, $last: Int, $before: String, $field: IssueOrderField!, $direction: OrderDirection!) {
  repository(owner: "example-org", name: "generated") {
    pullRequests(first: $first, after: $after, last: $last, before: $before, orderBy: {field: $field, direction: $direction}) {
      totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { number updatedAt }
      edges { cursor node { number } }
    } } }"""


@pytest.fixture(scope="module")
def data() -> Dataset:
    return generate(5, 37, Shape(hostile=False))


async def page(ask, github, **variables):
    answer = await ask(github, WALK, **{"field": "CREATED_AT", "direction": "ASC", **variables})
    return answer.data["repository"]["pullRequests"]


async def walk(ask, github, size, between=lambda k: None, **variables) -> list[int]:
    found, after = [], None
    for k in range(1000):
        got = await page(ask, github, first=size, after=after, **variables)
        found += [node["number"] for node in got["nodes"]]
        after = got["pageInfo"]["endCursor"]
        if not got["pageInfo"]["hasNextPage"]:
            return found
        between(k)
    raise AssertionError("the walk does not end")


@pytest.mark.parametrize("size", [1, 7, 100])
@pytest.mark.parametrize("direction", ["ASC", "DESC"])
@pytest.mark.parametrize("field", ["CREATED_AT", "UPDATED_AT", "COMMENTS"])
async def test_a_walk_returns_every_row_once_in_order(ask, data, field, direction, size):
    github = Simulator(data)
    found = await walk(ask, github, size, field=field, direction=direction)
    assert sorted(found) == sorted(github.world.repository.pull_requests)
    keys = [_key(github, field, number) for number in found]
    assert keys == sorted(keys, reverse=direction == "DESC")


def _key(github, field, number):
    pull = github.world.pull(number)
    by = {
        "CREATED_AT": pull.created_at,
        "UPDATED_AT": pull.updated_at,
        "COMMENTS": len(pull.comments),
    }
    return (by[field], pull.database_id)


async def test_a_row_touched_during_a_descending_walk_never_comes_later_in_it(ask, data):
    github = Simulator(data)
    oldest = min(github.world.repository.pull_requests.values(), key=lambda p: p.updated_at)

    def touch(k):
        if k == 1:
            github.mutate.touch(oldest.number)

    found = await walk(ask, github, 5, touch, field="UPDATED_AT", direction="DESC")
    assert oldest.number not in found
    assert len(found) == 36
    assert (await walk(ask, github, 5, field="UPDATED_AT", direction="DESC"))[0] == oldest.number


@pytest.mark.parametrize("seed", range(5))
async def test_a_walk_by_creation_misses_nothing_whatever_moves(ask, data, seed):
    github, dice = Simulator(data), random.Random(seed)
    before = set(github.world.repository.pull_requests)

    def stir(_):
        github.clock.advance(30)
        github.mutate.touch(dice.choice(sorted(before)))
        github.mutate.open_pull()

    found = await walk(ask, github, 4, stir)
    assert len(found) == len(set(found))
    assert before <= set(found)


async def test_deleting_the_row_of_a_cursor_leaves_no_hole(ask, data):
    github = Simulator(data)
    first = await page(ask, github, first=5)
    github.mutate.delete_pull(first["nodes"][-1]["number"])
    rest = await page(ask, github, first=100, after=first["pageInfo"]["endCursor"])
    assert len(rest["nodes"]) == 37 - 5
    assert rest["totalCount"] == 36


async def test_pages_backwards_mirror_pages_forwards(ask, data):
    github = Simulator(data)
    everything = [n["number"] for n in (await page(ask, github, first=100))["nodes"]]
    got = await page(ask, github, last=10)
    assert [n["number"] for n in got["nodes"]] == everything[-10:]
    assert got["pageInfo"]["hasPreviousPage"]
    assert not got["pageInfo"]["hasNextPage"]
    got = await page(ask, github, last=10, before=got["pageInfo"]["startCursor"])
    assert [n["number"] for n in got["nodes"]] == everything[-20:-10]


async def test_the_cursor_of_an_edge_continues_after_its_node(ask, data):
    github = Simulator(data)
    got = await page(ask, github, first=9)
    edge = got["edges"][3]
    after = await page(ask, github, first=1, after=edge["cursor"])
    assert after["nodes"][0]["number"] == got["edges"][4]["node"]["number"]


async def test_an_empty_connection_has_no_cursor(ask):
    github = Simulator(generate(1, 0, Shape(releases=0)))
    got = await page(ask, github, first=3)
    assert got["pageInfo"] == {
        "hasNextPage": False,
        "hasPreviousPage": False,
        "startCursor": None,
        "endCursor": None,
    }


@pytest.mark.parametrize("cursor", ["", "xyz", "Y3Vyc29yOnYyOpHO", "cursor:v2:"])
async def test_a_cursor_that_was_never_given_out_is_refused_in_githubs_words(ask, data, cursor):
    answer = await ask(
        Simulator(data), WALK, first=1, after=cursor, field="CREATED_AT", direction="ASC"
    )
    (error,) = answer.errors
    assert error["type"] == "INVALID_CURSOR_ARGUMENTS"
    assert error["message"] == f"`{cursor}` does not appear to be a valid cursor."
    assert error["path"] == ["repository", "pullRequests"]
    assert answer.json["data"] == {"repository": None}


async def test_a_cursor_of_another_order_is_refused(ask, data):
    github = Simulator(data)
    got = await page(ask, github, first=1, field="UPDATED_AT")
    answer = await ask(
        github,
        WALK,
        first=1,
        after=got["pageInfo"]["endCursor"],
        field="CREATED_AT",
        direction="ASC",
    )
    assert answer.errors[0]["type"] == "INVALID_CURSOR_ARGUMENTS"


async def test_a_cursor_is_good_for_a_viewer_in_another_zone(ask, data):
    from syncer.testing.github import Viewer

    github = Simulator(
        data, tokens={"w": Viewer(offset_minutes=-480), "e": Viewer(offset_minutes=330)}
    )
    variables = {"field": "UPDATED_AT", "direction": "DESC"}
    west = (await ask(github, WALK, token="w", first=5, **variables)).data["repository"][
        "pullRequests"
    ]
    east = (await ask(github, WALK, token="e", first=5, **variables)).data["repository"][
        "pullRequests"
    ]
    assert west["nodes"] == east["nodes"]
    assert west["pageInfo"]["endCursor"] != east["pageInfo"]["endCursor"]
    after = [
        (
            await ask(
                github, WALK, token="e", first=5, after=c["pageInfo"]["endCursor"], **variables
            )
        ).data
        for c in (west, east)
    ]
    assert after[0] == after[1]


@given(
    st.lists(st.integers(1, 60), unique=True),
    st.booleans(),
    st.integers(1, 9),
    st.integers(1, 60),
)
def test_turning_pages_is_slicing(ids, descending, size, place):
    rows = Rows(
        "r", [Label(n, "x") for n in sorted(ids)], lambda x: ("", x.database_id), descending
    )
    order = sorted(ids, reverse=descending)
    cursor = turn(Rows("r", [Label(place, "x")], rows.key), {"first": 1}, 0).page_info.end_cursor
    after = [n for n in order if (n < place if descending else n > place)]
    before = [n for n in order if (n > place if descending else n < place)]
    got = turn(rows, {"first": size, "after": cursor}, 0)
    assert _ids(got) == after[:size]
    assert got.page_info.has_next_page == (len(after) > size)
    got = turn(rows, {"last": size, "before": cursor}, 0)
    assert _ids(got) == before[-size:]
    assert got.page_info.has_previous_page == (len(before) > size)


def _ids(page: Page) -> list[int]:
    return [node.database_id for node in page.nodes or () if node is not None]


async def test_the_clock_moves_only_when_it_is_told(ask, data):
    github = Simulator(data)
    first = (await ask(github, "rows", ids=[])).headers["Date"]
    assert (await ask(github, "rows", ids=[])).headers["Date"] == first
    github.clock.set(github.clock.now() + timedelta(hours=2))
    assert (await ask(github, "rows", ids=[])).headers["Date"] != first
