"""What a record says of itself: when it was resolved, what cannot be true, and who stands first."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from syncer.records import (
    ClosingIssue,
    Label,
    contradiction,
    in_canonical_order,
    resolution_event,
)
from syncer.testing.samples import sample
from tests.unit.making import at, comment, thread, thread_comment

stamps = st.none() | st.sampled_from([at(0), at(1)])
states = st.sampled_from(["OPEN", "CLOSED", "MERGED", "MADE_UP"])


@given(states, stamps, stamps)
def test_merging_resolves_whatever_the_state_says_and_closing_does_where_it_is_not_open(
    state: str, merged: datetime | None, closed: datetime | None
) -> None:
    event = resolution_event(state, merged, closed)
    if merged is not None:
        assert event == merged
    elif state == "OPEN":
        assert event is None
    else:
        assert event == closed


@given(states, stamps, stamps)
def test_a_resolution_without_a_contradiction_is_what_the_state_says(
    state: str, merged: datetime | None, closed: datetime | None
) -> None:
    if contradiction(state, merged, closed) is not None:
        return
    assert (merged is not None) == (state == "MERGED")
    if state != "MADE_UP":
        assert (resolution_event(state, merged, closed) is None) == (state == "OPEN")


@pytest.mark.parametrize(
    ("state", "merged", "closed", "told"),
    [
        ("OPEN", None, None, None),
        ("MERGED", at(0), None, None),
        ("MERGED", at(0), at(1), None),
        ("CLOSED", None, at(1), None),
        ("OPEN", at(0), None, "OPEN with mergedAt"),
        ("MERGED", None, at(1), "MERGED without mergedAt"),
        ("CLOSED", None, None, "CLOSED without closedAt"),
    ],
)
def test_what_cannot_all_be_true_is_told_in_githubs_own_words(
    state: str, merged: datetime | None, closed: datetime | None, told: str | None
) -> None:
    assert contradiction(state, merged, closed) == told


def test_entries_stand_by_creation_then_database_id_then_id() -> None:
    in_order = (
        comment("z", created_at=at(0), database=9),
        comment("b", created_at=at(0.4), database=None),
        comment("y", created_at=at(0.4), database=2),
        comment("a", created_at=at(0.4), database=10),
        comment("c", created_at=at(0.4), database=10),
    )
    mixed = replace(sample(1).conversation, comments=in_order[::-1])
    assert in_canonical_order(mixed).comments == in_order


def test_threads_stand_by_their_first_comment_and_one_without_any_stands_last() -> None:
    early = thread("z", [thread_comment("2", created_at=at(5)), thread_comment("1")])
    late = thread("a", [thread_comment("3", created_at=at(1))])
    mixed = replace(sample(1).conversation, review_threads=(thread("0"), late, early))
    found = in_canonical_order(mixed).review_threads
    assert [one.id for one in found] == ["z", "a", "0"]
    assert [one.id for one in found[0].comments] == ["1", "2"]


def test_labels_stand_by_id_and_closing_issues_by_repository_and_number() -> None:
    labels = (Label(id="1", name="z"), Label(id="2", name="a"))
    issues = tuple(
        ClosingIssue(id=id, repository=repository, number=number)
        for id, repository, number in [("z", "a/a", 2), ("y", "a/a", 10), ("x", "b/b", 1)]
    )
    mixed = replace(sample(1).conversation, labels=labels[::-1], closing_issues=issues[::-1])
    found = in_canonical_order(mixed)
    assert (found.labels, found.closing_issues) == (labels, issues)
