"""A conversation out of its pages: in one order, drafts left out, what lacks is never hidden."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from syncer.canonical import canonical_bytes
from syncer.evidence import FIRST_LEVEL, Connection, Evidence, Status
from syncer.github.answers import Entry
from syncer.reading.assemble import (
    Assembled,
    assemble,
    children,
    expected_first_level,
    is_part,
    orphans,
    replaces,
)
from syncer.reading.staged import Staged, staged_page
from syncer.records import in_canonical_order
from tests.unit.making import (
    LATER,
    PULL,
    at,
    comment,
    item,
    label,
    page,
    proof,
    review,
    row,
    thread,
    thread_comment,
    totals,
)

THREADS, BELOW, REVIEWS = (
    Connection.REVIEW_THREADS,
    Connection.THREAD_COMMENTS,
    Connection.REVIEWS,
)


def _staged(
    name: Connection,
    nodes: Iterable[Entry] = (),
    *,
    owner: str = PULL,
    left_out: int = 0,
    unreadable: int = 0,
    status: Status = Status.EXHAUSTED,
    claims: Mapping[str, int | None] | None = None,
    pages: int = 1,
) -> Staged:
    """An ended connection, its nodes spread over so many pages."""
    found = list(nodes)
    size = max(1, -(-len(found) // pages))
    chunks = [found[n : n + size] for n in range(0, len(found), size)] or [[]]
    evidence = proof(
        name,
        status,
        owner=owner,
        total=len(found) + left_out + unreadable,
        kept=len(found),
        left_out=left_out,
        reason=None if status is Status.EXHAUSTED else "a reason",
    )
    return Staged(
        item=item(name, owner=owner),
        evidence=replace(evidence, unreadable=unreadable),
        pages=tuple(
            staged_page(page(chunk, name, owner=owner, children=claims)) for chunk in chunks
        ),
    )


def _with_threads(*below: Staged, claims: int | None = None, threads: int = 1) -> Assembled:
    """A pull request with threads PRRT_1... and, where it claims some, a review of theirs."""
    ids = [f"PRRT_{n}" for n in range(1, threads + 1)]
    first = [_staged(THREADS, [thread(one) for one in ids])]
    if claims is not None:
        first.append(_staged(REVIEWS, [review()], claims={"PRR_1": claims}))
    return assemble(row(), LATER, [*first, *below])


def _of(found: Assembled, name: Connection, owner: str = PULL) -> Evidence:
    (one,) = [e for e in found.evidence if (e.name, e.owner) == (name, owner)]
    return one


def test_a_row_with_nothing_below_it_is_proven_empty_by_its_totals() -> None:
    found = assemble(row(), LATER, [])
    assert {e.name for e in found.evidence} == set(FIRST_LEVEL)
    assert all((e.status, e.total_count) == (Status.EXHAUSTED, 0) for e in found.evidence)
    assert not is_part(found.evidence)


@given(st.permutations(range(6)), st.integers(1, 6))
def test_the_order_in_which_pages_came_leaves_no_trace(order: list[int], pages: int) -> None:
    comments = [comment(f"IC_{n}", created_at=at(n // 2), database=n) for n in range(6)]
    labels = [label(f"L_{n}") for n in range(6)]
    shuffled = [
        _staged(Connection.LABELS, [labels[n] for n in order], pages=pages),
        _staged(Connection.COMMENTS, [comments[n] for n in order], pages=pages),
    ]
    whole = [_staged(Connection.COMMENTS, comments), _staged(Connection.LABELS, labels)]
    found = assemble(row(), LATER, shuffled).snapshot.conversation
    expected = assemble(row(), LATER, whole).snapshot.conversation
    assert canonical_bytes(found) == canonical_bytes(expected)
    assert found == in_canonical_order(found)


def test_an_entry_that_came_twice_is_kept_once_as_it_came_last() -> None:
    older, newer = comment("IC_1"), replace(comment("IC_1"), body="edited")
    staged = _staged(Connection.COMMENTS, [older, newer], pages=2)
    assert assemble(row(), LATER, [staged]).snapshot.conversation.comments == (newer,)


def test_a_connection_that_has_not_ended_is_never_assembled() -> None:
    staged = replace(_staged(Connection.COMMENTS), evidence=None)
    with pytest.raises(AssertionError, match="before it ended"):
        assemble(row(), LATER, [staged])


# Drafts


def test_a_thread_of_nothing_but_drafts_is_left_out_and_counted_as_left_out() -> None:
    found = _with_threads(
        _staged(BELOW, [thread_comment()], owner="PRRT_1"),
        _staged(BELOW, owner="PRRT_2", left_out=2),
        threads=2,
    )
    threads = _of(found, THREADS)
    assert [one.id for one in found.snapshot.conversation.review_threads] == ["PRRT_1"]
    assert (threads.kept, threads.left_out, threads.total_count) == (1, 1, 2)
    assert found.snapshot.connections[THREADS].total_count == 1
    assert set(found.snapshot.threads) == {"PRRT_1"}
    assert not is_part(found.evidence)


def test_a_thread_with_a_draft_beside_other_comments_is_kept_without_the_draft() -> None:
    found = _with_threads(_staged(BELOW, [thread_comment()], owner="PRRT_1", left_out=1))
    assert found.snapshot.threads["PRRT_1"].total_count == 1
    assert _of(found, BELOW, "PRRT_1").left_out == 1
    assert _of(found, THREADS).left_out == 0


@pytest.mark.parametrize("status", [Status.CUT, Status.UNKNOWN, Status.SHORT])
def test_a_thread_that_was_not_read_to_its_end_is_no_draft_though_only_drafts_were_met(
    status: Status,
) -> None:
    found = _with_threads(_staged(BELOW, owner="PRRT_1", left_out=1, status=status))
    assert [one.id for one in found.snapshot.conversation.review_threads] == ["PRRT_1"]
    assert found.snapshot.threads["PRRT_1"].status is status
    assert found.snapshot.judged()[BELOW].status is status


def test_two_readers_with_different_drafts_end_with_the_same_snapshot() -> None:
    mine = _with_threads(
        _staged(BELOW, [thread_comment()], owner="PRRT_1", left_out=1),
        _staged(BELOW, owner="PRRT_2", left_out=1),
        threads=2,
    )
    theirs = _with_threads(_staged(BELOW, [thread_comment()], owner="PRRT_1"))
    assert mine.snapshot == theirs.snapshot


# The witness


@pytest.mark.parametrize(("claims", "missing"), [(1, 0), (2, 1), (5, 4), (0, 1), (None, 0)])
def test_comments_that_a_review_claims_and_no_thread_holds_are_told_as_orphans(
    claims: int | None, missing: int
) -> None:
    below = _staged(BELOW, [thread_comment()], owner="PRRT_1")
    threads = _of(_with_threads(below, claims=claims), THREADS)
    told = f"orphan comments: {missing}" if missing else None
    assert (threads.reason, threads.status is Status.SHORT) == (told, bool(missing))


@pytest.mark.parametrize("status", [Status.CUT, Status.SHORT, Status.UNKNOWN])
def test_the_witness_says_nothing_where_its_own_sides_are_not_proven(status: Status) -> None:
    below = _staged(BELOW, [thread_comment()], owner="PRRT_1", status=status)
    found = _with_threads(below, claims=7)
    assert _of(found, THREADS).status is Status.EXHAUSTED
    assert orphans({"PRR_1": 7}, [], [proof(REVIEWS, status)]) == 0


def test_a_comment_whose_review_is_gone_is_nobodys_orphan() -> None:
    kept = [thread("PRRT_1", [thread_comment("a", review=None), thread_comment("b")])]
    assert orphans({"PRR_1": 1}, kept, [proof(REVIEWS)]) == 0


# Threads and their comments


def test_comments_are_asked_for_of_threads_that_are_not_known_to_be_empty() -> None:
    found = children(PULL, [thread("A"), thread("B"), thread("C")], {"A": 0, "B": None, "C": 3})
    assert found == [("B", None), ("C", 3)]


def test_what_a_bare_total_proves_empty_is_not_asked_for_and_an_unknown_one_is() -> None:
    one = row(counts=totals(comments=3, reviews=0, labels=None))
    assert expected_first_level(one) == [(Connection.COMMENTS, 3), (Connection.LABELS, None)]


# The row itself


def test_fields_of_the_row_that_could_not_be_read_are_named() -> None:
    found = assemble(row(unreadable=("author", "title")), LATER, [])
    own = _of(found, Connection.PULL_REQUEST)
    assert (own.status, own.reason, own.unreadable) == (
        Status.SHORT,
        "unreadable: author, title",
        2,
    )


@pytest.mark.parametrize(
    ("state", "merged", "closed", "told"),
    [
        ("OPEN", True, False, "contradiction: OPEN with mergedAt"),
        ("MERGED", False, True, "contradiction: MERGED without mergedAt"),
        ("CLOSED", False, False, "contradiction: CLOSED without closedAt"),
        ("CLOSED", True, True, "contradiction: CLOSED with mergedAt"),
    ],
)
def test_a_contradiction_is_told_and_makes_nothing_incomplete(
    state: str, merged: bool, closed: bool, told: str
) -> None:
    one = row(state=state, merged_at=at(1) if merged else None, closed_at=at(2) if closed else None)
    own = _of(assemble(one, LATER, []), Connection.PULL_REQUEST)
    assert (own.status, own.reason) == (Status.EXHAUSTED, told)


def test_a_row_without_anything_to_tell_has_no_evidence_of_its_own() -> None:
    found = assemble(row(state="MERGED", merged_at=at(1), closed_at=at(1)), LATER, [])
    assert Connection.PULL_REQUEST not in {e.name for e in found.evidence}
    assert Connection.PULL_REQUEST not in found.snapshot.connections


# Which reading stays

readings = st.lists(
    st.builds(proof, st.sampled_from(Connection), st.sampled_from(Status), kept=st.integers(0, 5)),
    max_size=5,
)


@given(readings, readings)
def test_a_part_never_replaces_a_whole(new: list[Evidence], stored: list[Evidence]) -> None:
    if is_part(new) and not is_part(stored):
        assert not replaces(new, stored)


@given(readings, readings)
def test_a_whole_or_short_reading_replaces_whatever_is_stored(
    new: list[Evidence], stored: list[Evidence]
) -> None:
    if not is_part(new):
        assert replaces(new, stored)


@given(readings, readings)
def test_a_part_replaces_a_part_only_without_the_loss_of_a_single_entry(
    new: list[Evidence], stored: list[Evidence]
) -> None:
    if not (is_part(new) and is_part(stored)):
        return
    for name in Connection:
        have, had = (sum(e.kept for e in one if e.name is name) for one in (new, stored))
        assert not replaces(new, stored) or have >= had


@given(readings)
def test_a_reading_replaces_itself(reading: list[Evidence]) -> None:
    assert replaces(reading, reading)


# What was never asked for


def test_a_connection_that_its_total_does_not_prove_empty_is_unknown_when_it_was_not_read() -> None:
    found = assemble(row(counts=totals(comments=2, reviews=None)), LATER, [])
    for name, total in ((Connection.COMMENTS, 2), (REVIEWS, None)):
        assert (_of(found, name).status, _of(found, name).total_count) == (Status.UNKNOWN, total)
    assert _of(found, Connection.LABELS).status is Status.EXHAUSTED
    assert is_part(found.evidence)


def test_comments_that_their_total_does_not_prove_empty_are_unknown_when_not_read() -> None:
    claims = {"PRRT_1": 0, "PRRT_2": 3}
    staged = _staged(THREADS, [thread("PRRT_1"), thread("PRRT_2")], claims=claims)
    found = assemble(row(counts=totals(threads=2)), LATER, [staged])
    assert _of(found, BELOW, "PRRT_1").status is Status.EXHAUSTED
    assert _of(found, BELOW, "PRRT_2").status is Status.UNKNOWN
