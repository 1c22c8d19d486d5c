"""What follows from evidence: the worst of the parts, and never a number that is not known."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from syncer.evidence import (
    FIRST_LEVEL,
    JUDGED,
    Connection,
    Coverage,
    Snapshot,
    Status,
    aggregate,
    coverage_of,
    is_complete,
)
from tests.strategies import coverages, snapshots
from tests.unit.making import covered, proof

WORSE = [Status.EXHAUSTED, Status.SHORT, Status.UNKNOWN, Status.CUT]


@given(st.lists(coverages(), max_size=5), coverages())
def test_an_aggregate_is_as_bad_as_the_worst_of_its_parts_and_of_their_parent(
    parts: list[Coverage], parent: Coverage
) -> None:
    found = aggregate(parts, parent)
    assert found.status is max([parent.status, *(p.status for p in parts)], key=WORSE.index)
    assert found.kept == sum(p.kept for p in parts)
    assert found.repaired == sum(p.repaired for p in parts)


@given(st.lists(coverages(), max_size=5), coverages())
def test_the_total_of_an_aggregate_is_known_only_where_every_part_of_it_is(
    parts: list[Coverage], parent: Coverage
) -> None:
    totals = [part.total_count for part in parts]
    found = aggregate(parts, parent).total_count
    if parent.status is Status.EXHAUSTED and None not in totals:
        assert found == sum(total for total in totals if total is not None)
    else:
        assert found is None


@given(st.permutations([covered(s, reason=s.value) for s in Status]))
def test_the_reason_of_an_aggregate_is_that_of_its_worst_part(parts: list[Coverage]) -> None:
    assert aggregate(parts, covered()).reason == "cut"


def test_no_threads_at_all_are_all_read() -> None:
    found = aggregate([], covered(total=0, kept=0))
    assert found == covered(total=0, kept=0)
    assert is_complete([found])


def test_one_more_page_anywhere_is_more_and_one_unknown_is_unknown() -> None:
    assert aggregate([covered(), covered(more=True)], covered()).has_next_page is True
    assert aggregate([covered(more=True), covered(more=None)], covered()).has_next_page is None


@given(snapshots())
def test_what_is_absent_is_judged_unknown_and_never_empty_or_complete(snapshot: Snapshot) -> None:
    found = snapshot.judged()
    assert set(found) - {Connection.PULL_REQUEST} == {*FIRST_LEVEL, Connection.THREAD_COMMENTS}
    for name in FIRST_LEVEL:
        if name not in snapshot.connections:
            assert (found[name].status, found[name].total_count) == (Status.UNKNOWN, None)
    threads = snapshot.conversation.review_threads
    if any(thread.id not in snapshot.threads for thread in threads):
        assert found[Connection.THREAD_COMMENTS].status in (Status.UNKNOWN, Status.CUT)
        assert found[Connection.THREAD_COMMENTS].total_count is None
    if not {Connection.COMMENTS, Connection.REVIEWS} <= snapshot.connections.keys():
        assert not is_complete(found[name] for name in JUDGED)


@given(snapshots())
def test_the_row_is_judged_only_where_there_is_something_to_tell_of_it(snapshot: Snapshot) -> None:
    row = snapshot.connections.get(Connection.PULL_REQUEST)
    assert snapshot.judged().get(Connection.PULL_REQUEST) == row


@given(st.lists(st.sampled_from(Status), max_size=4))
def test_only_exhausted_is_complete(statuses: list[Status]) -> None:
    complete = set(statuses) <= {Status.EXHAUSTED}
    assert is_complete(covered(status) for status in statuses) is complete


def test_coverage_is_net_of_the_readers_drafts_and_tells_nothing_of_the_reader() -> None:
    mine = replace(proof(total=5, kept=3, left_out=2), end_cursor="zone", repaired=1)
    assert coverage_of(mine) == covered(total=3, kept=3, repaired=1)
    assert coverage_of(mine) == coverage_of(replace(mine, total_count=3, left_out=0, read_at=None))


def test_a_total_that_is_not_known_stays_unknown_net_of_drafts() -> None:
    assert coverage_of(proof(total=None, kept=0, left_out=2)).total_count is None
