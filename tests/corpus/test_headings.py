"""What a person sees above an entry."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from syncer.corpus import parse, render
from syncer.corpus.headings import code_span, fence_for
from syncer.records import Actor
from tests.corpus.examples import ANN, comment, review, snapshot, thread, thread_comment
from tests.strategies import REPOSITORY


def _headings(**fields):
    data = render(snapshot(**fields), REPOSITORY)
    assert parse(data) == snapshot(**fields)
    return [line for line in data.decode().split("\n") if line.startswith(("### ", "#### "))]


def test_comments_and_reviews_have_the_forms_that_readers_know():
    late = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC)

    assert _headings(comments=(comment(),), reviews=(review(submitted_at=late),)) == [
        "### `@ann` commented on 2026-01-02T03:04:05Z",
        "### `@ann` (APPROVED) reviewed on 2026-05-06T07:08:09Z",
    ]


def test_a_review_without_a_time_of_submission_is_dated_by_its_creation():
    assert _headings(reviews=(review(submitted_at=None),)) == [
        "### `@ann` (APPROVED) reviewed on 2026-01-02T03:04:05Z"
    ]


def test_a_deleted_account_is_not_a_user_called_ghost():
    ghost = Actor("ghost", "User", "U_2")
    authors = (None, ghost, Actor("_deleted account_", "User", None))
    found = snapshot(
        author=None,
        comments=tuple(comment(author=author, id=f"IC_{i}") for i, author in enumerate(authors)),
        reviews=(review(author=None),),
        review_threads=(thread(thread_comment(author=None), thread_comment(author=ghost)),),
    )
    data = render(found, REPOSITORY)

    assert parse(data) == found
    assert [h.split(" on ")[0] for h in data.decode().split("\n") if " on 2026" in h] == [
        "### _deleted account_ commented",
        "### `@ghost` commented",
        "### `@_deleted account_` commented",
        "### _deleted account_ (APPROVED) reviewed",
        "#### _deleted account_ commented",
        "#### `@ghost` commented",
    ]
    assert b"\nauthor: null\n" in data


@pytest.mark.parametrize(
    "kind", ["Bot", "Mannequin", "Organization", "EnterpriseUserAccount", "MadeUp"]
)
@pytest.mark.parametrize("login", ["helper", "helper[bot]"])
def test_the_kind_of_an_account_survives_as_plain_text(kind, login):
    author = Actor(login, kind, None)
    found = snapshot(
        author=author, comments=(comment(author=author, author_association="MANNEQUIN"),)
    )

    assert parse(render(found, REPOSITORY)) == found


def test_hidden_comments_show_that_they_are_hidden():
    hidden = [comment(is_minimized=True, minimized_reason=r) for r in ("spam", "made `up`\n", None)]

    assert [h.partition("Z")[2] for h in _headings(comments=tuple(hidden))] == [
        " · minimised as `spam`",
        " · minimised as `` made `up`  ``",
        " · minimised",
    ]


FILE = {"subject_type": "FILE", "line": None, "original_line": None}
OLD = {"is_outdated": True, "line": None}
PLACES = {
    "ordinary": ({}, "line 4"),
    "several lines": ({"start_line": 2}, "lines 2 to 4"),
    "a range of one line": ({"start_line": 4}, "line 4"),
    "resolved": ({"is_resolved": True, "resolved_by": ANN}, "line 4, resolved"),
    "left side": ({"diff_side": "LEFT"}, "line 4, left side"),
    "outdated": (OLD, "originally line 3, outdated"),
    "several outdated lines": (
        {**OLD, "original_start_line": 1},
        "originally lines 1 to 3, outdated",
    ),
    "outdated beside a line": ({"is_outdated": True}, "originally line 3, outdated"),
    "outdated without any line": ({**OLD, "original_line": None}, "on no known line, outdated"),
    "no line, not outdated": ({"line": None}, "originally line 3"),
    "whole file": (FILE, "whole file"),
    "whole file, outdated": ({**FILE, "is_outdated": True}, "whole file, outdated"),
    "whole file of an older server": ({**FILE, "subject_type": None}, "whole file"),
}


@pytest.mark.parametrize(("fields", "place"), PLACES.values(), ids=PLACES.keys())
def test_a_thread_says_where_it_stands_without_making_up_a_line(fields, place):
    assert _headings(review_threads=(thread(**fields),)) == [f"### `src/a.py` {place}"]


def test_a_renamed_path_is_the_one_that_the_thread_has():
    assert _headings(review_threads=(thread(path="old/name.py"),)) == ["### `old/name.py` line 4"]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("a.py", "`a.py`"),
        ("a`b", "`` a`b ``"),
        ("``", "``` `` ```"),
        ("", "`  `"),
        (" ", "`   `"),
        ("a\nb\x85c\u2028", "`a b c `"),
        ("größe", "`größe`"),
    ],
    ids=ascii,
)
def test_a_code_span_takes_one_line_whatever_is_in_it(text, span):
    assert code_span(text) == span


@pytest.mark.parametrize(
    ("text", "ticks"), [("", 3), ("a `b` ``", 3), ("```", 4), ("x```````\n```", 8)]
)
def test_a_fence_is_longer_than_any_run_inside(text, ticks):
    assert fence_for(text) == "`" * ticks


def test_a_hunk_stands_once_a_thread_unless_it_differs():
    hunk = "@@ -1 +1 @@\n-a\n+b"
    comments = [
        thread_comment(diff_hunk=h, id=f"C{i}")
        for i, h in enumerate([hunk, hunk, "", hunk, "other"])
    ]
    found = snapshot(review_threads=(thread(*comments),))
    data = render(found, REPOSITORY)

    assert data.count(hunk.encode()) == 1
    assert data.count(b"```diff\n") == 2
    assert parse(data) == found


def test_a_title_takes_one_line_and_opens_no_html():
    data = render(snapshot(title="<details>\nline\r\u2028"), REPOSITORY)

    assert b"\n# \\<details> line  \n" in data


def test_sections_without_entries_are_left_out():
    whole = render(snapshot(body="", comments=(comment(""),)), REPOSITORY).decode()

    assert [line for line in whole.split("\n") if line.startswith("## ")] == [
        "## Description",
        "## Comments",
    ]
    assert parse(whole.encode()).conversation.body == ""
