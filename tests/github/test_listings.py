from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.errors import (
    CursorRefusedError,
    RefusedError,
    SyncError,
    TooHeavyError,
    TransientError,
)
from syncer.github.listings import census_in, changes_in, opening_in, releases_in
from syncer.github.marks import marks_of
from syncer.github.surrogates import opened
from tests.github.support import NOW, change, listing, opening, page, row

PULLS = ["node", "pullRequests", "nodes"]


def read(reader, data: object, *errors: dict[str, object]):
    envelope, repairs = opened(json.dumps({"data": data, "errors": errors}).encode())
    assert envelope is not None
    return reader(bytes(envelope.data), marks_of(envelope.errors or ()), repairs, NOW)


census = partial(census_in, after=None)
changes = partial(changes_in, after=None)
releases = partial(releases_in, after=None)


def release(**fields: object) -> dict[str, object]:
    return {
        "id": "RE_1",
        "tagName": "v1",
        "publishedAt": "2026-01-01T00:00:00Z",
        "isDraft": False,
        "isPrerelease": False,
    } | fields


# -- the opening


def test_the_opening_tells_who_the_repository_is():
    found = read(
        opening_in, opening(releases=page([release()]), pullRequests=page([change()], total=7))
    )

    assert (found.repository_id, found.name) == ("R_1", "octo/bird")
    assert found.web_url == "https://github.com"
    assert [one.tag_name for one in found.releases.items] == ["v1"]
    assert (found.changes.total_count, found.changes.items[0].number) == (7, 1)
    assert (found.date, found.cost, found.changes.date) == (NOW, 1, NOW)


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://ghe.example/octo/bird", "https://ghe.example"),
        ("https://ghe.example/octo/bird/", "https://ghe.example"),
        ("https://ghe.example/code/octo/bird", "https://ghe.example/code"),
    ],
)
def test_the_site_is_the_repositorys_address_without_its_name(url, site):
    assert read(opening_in, opening(url=url)).web_url == site


def test_a_server_without_limits_bills_nothing():
    assert read(opening_in, opening() | {"rateLimit": None}).cost == 0


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ({"type": "NOT_FOUND"}, "spelling"),
        ({"type": "FORBIDDEN"}, "may not read"),
        ({"type": "FORBIDDEN", "extensions": {"saml_failure": True}}, "single sign-on"),
        ({"type": "FORBIDDEN", "message": "protected by organization SAML"}, "single sign-on"),
    ],
    ids=["not found", "forbidden", "marked", "worded"],
)
def test_a_repository_that_cannot_be_seen_is_refused_with_advice(error, words):
    with pytest.raises(RefusedError, match=words):
        read(opening_in, {"repository": None}, error | {"path": ["repository"]})


def test_a_null_repository_without_a_word_is_not_found():
    with pytest.raises(RefusedError, match="spelling"):
        read(opening_in, {"repository": None})


# -- releases and rows


def test_a_draft_release_has_no_time():
    data = listing(page([release(publishedAt=None, isDraft=True)]), "releases")

    (found,) = read(releases, data).items

    assert (found.published_at, found.is_draft) == (None, True)


def test_stamps_are_utc_whatever_zone_they_came_in():
    data = listing(page([release(publishedAt="2026-01-01T08:00:00+08:00")]), "releases")

    (found,) = read(releases, data).items

    assert found.published_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert found.published_at is not None
    assert found.published_at.tzinfo is UTC


def test_light_and_full_rows_agree_on_what_they_share():
    light = read(changes, listing(page([change(closedAt="2026-02-01T00:00:00Z", state="CLOSED")])))
    full = read(census, listing(page([row(closedAt="2026-02-01T00:00:00Z", state="CLOSED")])))

    shared = light.items[0].__struct_fields__
    assert [getattr(light.items[0], n) for n in shared] == [
        getattr(full.items[0], n) for n in shared
    ]


def test_null_rows_are_counted_and_prove_nothing():
    found = read(census, listing(page([row(), None, row(id="PR_3", number=3)])))

    assert [one.id for one in found.items] == ["PR_1", "PR_3"]
    assert (found.total_count, found.unreadable) == (3, 1)


@pytest.mark.parametrize("reader", [census, changes], ids=["census", "changes"])
@pytest.mark.parametrize("name", ["id", "number", "state", "createdAt", "updatedAt"])
def test_a_row_without_what_identifies_it_counts_as_null(reader, name):
    assert read(reader, listing(page([row(**{name: None})]))).unreadable == 1


def test_a_forbidden_field_marks_its_row_and_leaves_the_listing():
    error = {"type": "FORBIDDEN", "path": [*PULLS, 1, "author"]}

    found = read(census, listing(page([row(), row(author=None), row()])), error)

    assert [one.unreadable for one in found.items] == [(), ("author",), ()]


def test_repairs_are_counted_by_row():
    found = read(census, listing(page([row(), row(body="\ud83d")])))

    assert [one.repaired for one in found.items] == [0, 1]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "NOT_FOUND", "path": ["node"]}, RefusedError),
        ({"type": "FORBIDDEN", "path": ["node", "pullRequests"]}, RefusedError),
        ({"type": "RESOURCE_LIMITS_EXCEEDED", "path": [*PULLS, 0]}, TooHeavyError),
        ({"type": "RESOURCE_LIMITS_EXCEEDED", "path": ["node"]}, TooHeavyError),
        (
            {"type": "INVALID_CURSOR_ARGUMENTS", "path": ["node", "pullRequests"]},
            CursorRefusedError,
        ),
        ({"type": "INTERNAL", "path": ["node", "pullRequests", "pageInfo"]}, TransientError),
    ],
    ids=str,
)
@pytest.mark.parametrize("data", [listing(page([row()])), listing(None), {"node": None}])
def test_what_takes_away_more_than_a_node_is_raised(error, kind, data):
    with pytest.raises(kind):
        read(census, data, error)


@pytest.mark.parametrize(
    "connection",
    [None, {"totalCount": 1, "pageInfo": None, "nodes": []}, page(None), {"totalCount": None}],
    ids=["null", "no page info", "null nodes", "no total"],
)
@pytest.mark.parametrize("reader", [census, changes], ids=["census", "changes"])
def test_a_listing_that_is_null_is_never_empty(reader, connection):
    with pytest.raises(TransientError):
        read(reader, listing(connection))


def test_a_repository_that_is_null_without_a_word_is_refused():
    with pytest.raises(RefusedError):
        read(releases, {"node": None})


@pytest.mark.parametrize("cursor", [None, "", "used"], ids=["null", "empty", "used"])
def test_a_listing_whose_cursor_does_not_advance_is_not_passed_on(cursor):
    data = listing(page([row()], total=9, hasNextPage=True, endCursor=cursor))

    with pytest.raises(TransientError, match="advance"):
        read(partial(census_in, after="used"), data)


kinds = st.sampled_from(["NOT_FOUND", "FORBIDDEN", "RESOURCE_LIMITS_EXCEEDED", "INTERNAL", None])
steps = st.one_of(
    st.integers(0, 3), st.sampled_from(["node", "pullRequests", "nodes", "author", "title", "id"])
)
paths = st.lists(steps, max_size=5) | st.lists(steps, max_size=2).map(lambda more: [*PULLS, *more])
marks = st.lists(
    st.builds(lambda kind, path: {"type": kind, "path": path}, kinds, paths), max_size=3
)
nodes = st.lists(st.sampled_from([None, row(), row(author=None), row(title=None)]), max_size=4)


@given(nodes, marks)
def test_a_listing_accounts_for_each_of_its_nodes_or_is_raised(found, errors):
    try:
        answer = read(census, listing(page(found)), *errors)
    except SyncError:
        assert errors
        return

    assert len(answer.items) + answer.unreadable == len(found)
    assert answer.unreadable >= found.count(None)
