"""Whatever of a conversation is content, an audit sees it change; nothing else disturbs it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from syncer.audit.compare import Difference, differences, lacks, sight
from syncer.census.known import Known, Why
from syncer.evidence import FIRST_LEVEL, Connection, Coverage, Snapshot, Status
from syncer.github.answers import StampedRow, Totals
from syncer.records import (
    Actor,
    ClosingIssue,
    Comment,
    Conversation,
    Label,
    Review,
    Thread,
    ThreadComment,
)
from tests.strategies import snapshots

NOW = datetime(2026, 5, 4, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
WHOLE = Coverage(total_count=1, kept=1, has_next_page=False, status=Status.EXHAUSTED)
ANN, BEN = Actor("ann", "User", "U_1"), Actor("ben", "User", "U_2")


def entry(id: str, **more: object) -> dict[str, Any]:
    return {
        "id": id,
        "full_database_id": 1,
        "author": ANN,
        "author_association": "NONE",
        "body": "words",
        "created_at": NOW,
        "last_edited_at": None,
        "is_minimized": False,
        "minimized_reason": None,
        **more,
    }


SAID = ThreadComment(**entry("c1"), reply_to=None, review="r1", diff_hunk="@@")
THREAD = Thread(
    id="t1",
    path="a.py",
    subject_type="LINE",
    diff_side="RIGHT",
    original_line=1,
    original_start_line=None,
    line=1,
    start_line=None,
    is_outdated=False,
    is_resolved=False,
    resolved_by=None,
    comments=(SAID,),
)
PULL = Conversation(
    id="p1",
    full_database_id=1,
    number=7,
    title="title",
    body="description",
    state="OPEN",
    is_draft=False,
    author=ANN,
    author_association="NONE",
    created_at=NOW,
    updated_at=NOW,
    closed_at=None,
    merged_at=None,
    base_ref_name="main",
    head_ref_name="topic",
    head_repository="o/r",
    labels=(Label("l1", "bug"),),
    closing_issues=(ClosingIssue("i1", "o/r", 3),),
    comments=(Comment(**entry("i")),),
    reviews=(Review(**entry("r1"), state="APPROVED", submitted_at=NOW),),
    review_threads=(THREAD,),
)
STORED = Snapshot(
    conversation=PULL,
    connections=dict.fromkeys(FIRST_LEVEL, WHOLE),
    threads={"t1": WHOLE},
)


def bare(of: Snapshot) -> Snapshot:
    """A snapshot as an audit sees it."""

    def without(comment: Any) -> Any:
        fields = {"body": "", "author_association": "", "full_database_id": None}
        return replace(comment, **fields)

    pull = of.conversation
    threads = tuple(
        replace(t, comments=tuple(replace(without(c), diff_hunk="") for c in t.comments))
        for t in pull.review_threads
    )
    seen = replace(
        pull,
        body="",
        author_association="",
        full_database_id=None,
        head_repository=None,
        comments=tuple(map(without, pull.comments)),
        reviews=tuple(map(without, pull.reviews)),
        review_threads=threads,
    )
    return replace(of, conversation=seen)


def seen(**changes: object) -> Snapshot:
    return bare(replace(STORED, conversation=replace(PULL, **changes)))


@given(snapshots())
def test_a_conversation_does_not_differ_from_itself_without_its_words(snapshot: Snapshot) -> None:
    assert differences(bare(snapshot), snapshot) == []
    assert lacks(bare(snapshot), snapshot) == []


@given(snapshots(), snapshots())
def test_what_is_found_is_found_from_either_side(one: Snapshot, other: Snapshot) -> None:
    there, back = differences(one, other), differences(other, one)
    lists = [d for d in there if d.connection is not Connection.PULL_REQUEST]

    assert [replace(d, added=d.gone, gone=d.added) for d in lists] == [
        d for d in back if d.connection is not Connection.PULL_REQUEST
    ]


CHANGES: dict[str, tuple[Snapshot, Difference]] = {
    "edited": (
        seen(comments=(replace(PULL.comments[0], last_edited_at=LATER),)),
        Difference(connection=Connection.COMMENTS, changed=1),
    ),
    "another author": (
        seen(comments=(replace(PULL.comments[0], author=BEN),)),
        Difference(connection=Connection.COMMENTS, changed=1),
    ),
    "no author": (
        seen(reviews=(replace(PULL.reviews[0], author=None),)),
        Difference(connection=Connection.REVIEWS, changed=1),
    ),
    "minimised": (
        seen(reviews=(replace(PULL.reviews[0], is_minimized=True, minimized_reason="spam"),)),
        Difference(connection=Connection.REVIEWS, changed=1),
    ),
    "dismissed": (
        seen(reviews=(replace(PULL.reviews[0], state="DISMISSED"),)),
        Difference(connection=Connection.REVIEWS, changed=1),
    ),
    "resolved": (
        seen(review_threads=(replace(THREAD, is_resolved=True, resolved_by=BEN),)),
        Difference(connection=Connection.REVIEW_THREADS, changed=1),
    ),
    "outdated": (
        seen(review_threads=(replace(THREAD, is_outdated=True, line=None),)),
        Difference(connection=Connection.REVIEW_THREADS, changed=1),
    ),
    "answer edited": (
        seen(review_threads=(replace(THREAD, comments=(replace(SAID, last_edited_at=LATER),)),)),
        Difference(connection=Connection.THREAD_COMMENTS, changed=1),
    ),
    "answer added": (
        seen(review_threads=(replace(THREAD, comments=(SAID, replace(SAID, id="c2"))),)),
        Difference(connection=Connection.THREAD_COMMENTS, added=1),
    ),
    "comment gone": (seen(comments=()), Difference(connection=Connection.COMMENTS, gone=1)),
    "comment exchanged": (
        seen(comments=(replace(PULL.comments[0], id="other"),)),
        Difference(connection=Connection.COMMENTS, added=1, gone=1),
    ),
    "label renamed": (
        seen(labels=(Label("l1", "defect"),)),
        Difference(connection=Connection.LABELS, changed=1),
    ),
    "issue moved": (
        seen(closing_issues=(ClosingIssue("i1", "o/elsewhere", 1),)),
        Difference(connection=Connection.CLOSING_ISSUES, changed=1),
    ),
    "count alone": (
        bare(
            replace(
                STORED,
                connections={
                    **STORED.connections,
                    Connection.COMMENTS: replace(WHOLE, total_count=2, status=Status.SHORT),
                },
            )
        ),
        Difference(connection=Connection.COMMENTS),
    ),
    "touched": (
        seen(updated_at=LATER),
        Difference(connection=Connection.PULL_REQUEST, changed=1),
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_seen_where_it_is_and_nowhere_else(name: str) -> None:
    snapshot, difference = CHANGES[name]

    assert differences(snapshot, STORED) == [difference]


def test_what_changes_for_whole_repositories_at_once_is_no_difference() -> None:
    elsewhere = replace(
        PULL,
        author_association="MEMBER",
        head_repository="o/renamed",
        full_database_id=2,
        comments=(replace(PULL.comments[0], author_association="MEMBER", full_database_id=9),),
    )

    assert differences(replace(STORED, conversation=elsewhere), STORED) == []


@pytest.mark.parametrize("status", [Status.CUT, Status.UNKNOWN])
@pytest.mark.parametrize("name", FIRST_LEVEL)
def test_a_list_whose_end_was_not_reached_is_not_compared_but_named(
    name: Connection, status: Status
) -> None:
    cut = replace(WHOLE, kept=0, status=status, reason="too_heavy")
    empty = {
        "comments": (),
        "reviews": (),
        "review_threads": (),
        "labels": (),
        "closing_issues": (),
    }
    lost = replace(
        bare(STORED),
        conversation=replace(bare(STORED).conversation, **empty),
        connections={**STORED.connections, name: cut},
    )
    stored_cut = replace(STORED, connections=lost.connections)

    assert name not in {d.connection for d in differences(lost, STORED)}
    assert (name, "too_heavy") in lacks(lost, STORED)
    assert lacks(lost, stored_cut) == []


def test_a_thread_whose_comments_were_cut_is_named() -> None:
    cut = replace(WHOLE, status=Status.CUT, reason="forbidden")
    lost = replace(bare(STORED), threads={"t1": cut})

    assert lacks(lost, STORED) == [(Connection.THREAD_COMMENTS, "forbidden")]


def test_an_answer_from_an_older_copy_is_no_difference_but_named() -> None:
    stale = seen(updated_at=NOW - timedelta(seconds=1))

    assert differences(stale, STORED) == []
    assert lacks(stale, STORED) == [(Connection.PULL_REQUEST, "answered from an older copy")]


# -- rows

TOTALS = Totals(comments=1, reviews=1, review_threads=1, labels=1, closing_issues=1)
KNOWN = Known(
    updated_at=NOW,
    wanted=None,
    read=NOW,
    state="OPEN",
    settled=True,
    totals=dict.fromkeys(FIRST_LEVEL, 1),
    claims=dict.fromkeys(FIRST_LEVEL, 1),
)


def row(**changes: object) -> StampedRow:
    names = (
        "id",
        "number",
        "title",
        "state",
        "is_draft",
        "author",
        "created_at",
        "updated_at",
        "closed_at",
        "merged_at",
        "base_ref_name",
        "head_ref_name",
    )
    fields = {name: value for name, value in asdict(PULL).items() if name in names}
    rest = {"full_database_id": None, "body": "", "author_association": "", "head_repository": None}
    return StampedRow(**{**fields, **rest, "totals": TOTALS, **changes})


def test_a_row_that_says_the_same_says_nothing() -> None:
    found = sight(row(), KNOWN, STORED, NOW)

    assert (found.why, found.difference, found.doubtful) == (None, None, False)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"updated_at": LATER}, Why.CHANGED),
        ({"state": "CLOSED"}, Why.CHANGED),
        ({"totals": replace(TOTALS, comments=2)}, Why.TOTALS),
        ({"totals": replace(TOTALS, labels=0)}, Why.TOTALS),
        ({"title": "retitled"}, Why.AUDIT),
        ({"is_draft": True}, Why.AUDIT),
        ({"author": None}, Why.AUDIT),
        ({"author": replace(ANN, login="renamed")}, Why.AUDIT),
        ({"base_ref_name": "trunk"}, Why.AUDIT),
        ({"head_ref_name": "renamed"}, Why.AUDIT),
        ({"closed_at": LATER}, Why.AUDIT),
        ({"edited_at": LATER}, Why.AUDIT),
    ],
)
def test_a_row_that_differs_says_why(changes: dict[str, object], why: Why) -> None:
    found = sight(row(**changes), KNOWN, STORED, NOW)

    assert found.why is why
    assert found.difference is not None


@pytest.mark.parametrize(
    "changes",
    [
        {"updated_at": NOW - timedelta(seconds=1), "title": "older"},
        {"title": "", "unreadable": ("title",)},
        {"totals": replace(TOTALS, comments=None, closing_issues=None)},
        {"edited_at": NOW},
        {"author_association": "MEMBER"},
    ],
    ids=["lagging", "unreadable", "no totals", "edited before it was read", "association"],
)
def test_a_row_that_cannot_tell_says_nothing(changes: dict[str, object]) -> None:
    assert sight(row(**changes), KNOWN, STORED, NOW).why is None


@pytest.mark.parametrize(
    ("names", "still", "why"),
    [
        ("author", (), Why.AUDIT),  # it is null by itself now: nothing else would ever tell
        ("headRepository, author", (), Why.AUDIT),
        ("author", ("author",), None),
        ("headRepository", (), None),  # not asked for
    ],
)
def test_a_field_that_could_not_be_read_and_is_told_now_is_read_again(
    names: str, still: tuple[str, ...], why: Why | None
) -> None:
    proof = Coverage(
        total_count=1,
        kept=1,
        has_next_page=False,
        status=Status.SHORT,
        reason=f"unreadable: {names}",
    )
    stored = Snapshot(
        conversation=replace(STORED.conversation, author=None),
        connections={**STORED.connections, Connection.PULL_REQUEST: proof},
        threads=STORED.threads,
    )

    assert sight(row(author=None, unreadable=still), KNOWN, stored, NOW).why is why


@pytest.mark.parametrize(
    ("read_at", "why"),
    [(None, Why.AUDIT), (LATER - timedelta(minutes=1), Why.AUDIT), (LATER, None)],
)
def test_a_description_edited_after_it_was_read_differs(
    read_at: datetime | None, why: Why | None
) -> None:
    assert sight(row(edited_at=LATER), KNOWN, STORED, read_at).why is why


def test_another_number_of_threads_may_be_nothing_but_drafts() -> None:
    more = row(totals=replace(TOTALS, review_threads=2))
    by_file = replace(KNOWN, totals={Connection.COMMENTS: 1})

    assert sight(more, KNOWN, STORED, NOW).why is None
    assert sight(more, KNOWN, STORED, NOW).doubtful
    assert sight(more, by_file, STORED, NOW).doubtful
    assert not sight(row(), by_file, STORED, NOW).doubtful


def test_no_change_of_content_is_overlooked() -> None:
    """Every field of an entry is either compared, or named here as not."""
    silent = {"body", "author_association", "full_database_id", "diff_hunk"}
    samples: dict[type, tuple[Any, Callable[[Any], Snapshot]]] = {
        Comment: (PULL.comments[0], lambda one: seen(comments=(one,))),
        Review: (PULL.reviews[0], lambda one: seen(reviews=(one,))),
        ThreadComment: (
            SAID,
            lambda one: seen(review_threads=(replace(THREAD, comments=(one,)),)),
        ),
        Thread: (THREAD, lambda one: seen(review_threads=(one,))),
        Label: (PULL.labels[0], lambda one: seen(labels=(one,))),
        ClosingIssue: (PULL.closing_issues[0], lambda one: seen(closing_issues=(one,))),
    }
    for sample, put in samples.values():
        for name in sample.__struct_fields__:
            if name in silent or name == "comments":
                continue
            other = replace(sample, **{name: _another(getattr(sample, name))})
            assert differences(put(other), STORED), name


def _another(value: object) -> object:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return f"{value}-other"
        case datetime():
            return value + timedelta(seconds=1)
        case Actor():
            return BEN
        case _:
            return BEN if value is None else None


@given(st.sampled_from(list(CHANGES)))
def test_the_words_of_what_is_seen_are_never_looked_at(name: str) -> None:
    snapshot, difference = CHANGES[name]
    pull = snapshot.conversation
    wordy = replace(pull, body="x", comments=tuple(replace(one, body="x") for one in pull.comments))

    assert differences(replace(snapshot, conversation=wordy), STORED) == [difference]
