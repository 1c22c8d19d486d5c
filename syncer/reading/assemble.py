"""A conversation made of its row and its staged pages; may it replace the stored one? Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from syncer.census.known import by_connection
from syncer.evidence import (
    FIRST_LEVEL,
    Connection,
    Coverage,
    Evidence,
    Snapshot,
    Status,
    coverage_of,
)
from syncer.github.answers import Row
from syncer.reading.judgement import UNSUPPORTED, zero
from syncer.reading.staged import Staged
from syncer.records import (
    ClosingIssue,
    Comment,
    Conversation,
    Label,
    Review,
    Thread,
    ThreadComment,
    contradiction,
    in_canonical_order,
)

__all__ = [
    "CONTRADICTION",
    "UNREADABLE",
    "Assembled",
    "assemble",
    "children",
    "is_part",
    "orphans",
    "replaces",
]

CONTRADICTION = "contradiction: "
"""How the reason begins where GitHub contradicts itself; nothing is missing then."""

UNREADABLE = "unreadable: "
"""How the reason begins where fields of the row, GitHub's names for which follow, were not told."""

E = TypeVar("E", Comment, Review, Thread, ThreadComment, Label, ClosingIssue)


class Assembled(Struct, frozen=True, kw_only=True):
    """A finished reading: the record with its coverage, and the evidence it rests on."""

    snapshot: Snapshot
    evidence: tuple[Evidence, ...]


def assemble(row: Row, row_date: datetime, staged: Iterable[Staged]) -> Assembled:
    """The conversation of `row`; every staged connection must have ended."""
    by_key = {(one.item.owner, one.item.name): one for one in staged}
    first = {name: by_key.get((row.id, name)) for name in FIRST_LEVEL}
    totals = by_connection(row.totals)
    evidence = {
        name: _evidence(row.id, name, one, totals.get(name), row_date)
        for name, one in first.items()
    }
    threads, below, drafts = _threads(first[Connection.REVIEW_THREADS], by_key, row_date)
    if drafts:
        held = evidence[Connection.REVIEW_THREADS]
        evidence[Connection.REVIEW_THREADS] = replace(
            held, kept=held.kept - drafts, left_out=held.left_out + drafts
        )
    if missing := orphans(
        _claims(first[Connection.REVIEWS]), threads, [*evidence.values(), *below]
    ):
        evidence[Connection.REVIEW_THREADS] = replace(
            evidence[Connection.REVIEW_THREADS],
            status=Status.SHORT,
            reason=f"orphan comments: {missing}",
        )
    conversation = in_canonical_order(_conversation(row, first, threads))
    proof = (*evidence.values(), *below, *_row_evidence(row, row_date))
    return Assembled(snapshot=_snapshot(conversation, proof), evidence=proof)


def children(
    pull: str, threads: Iterable[Thread], totals: Mapping[str, int | None]
) -> list[tuple[str, int | None]]:
    """(thread id, expected comments) of the threads whose comments must be read."""
    return [
        (thread.id, totals.get(thread.id))
        for thread in threads
        if thread.id != pull and totals.get(thread.id) != 0
    ]


def orphans(
    claims: Mapping[str, int | None], threads: Iterable[Thread], evidence: Iterable[Evidence]
) -> int:
    """How many comments the reviews claim that no thread holds; 0 where either side is not proven.

    The witness: each review brings the bare total of its comments, and each thread comment the id
    of its review.
    """
    involved = {Connection.REVIEWS, Connection.REVIEW_THREADS, Connection.THREAD_COMMENTS}
    if any(e.status is not Status.EXHAUSTED for e in evidence if e.name in involved):
        return 0
    held: dict[str, int] = {}
    for thread in threads:
        for comment in thread.comments:
            if comment.review is not None:
                held[comment.review] = held.get(comment.review, 0) + 1
    return sum(
        abs((claim or 0) - held.get(review, 0))
        for review, claim in claims.items()
        if claim is not None
    )


def is_part(evidence: Iterable[Evidence]) -> bool:
    """Whether a reading lacks what another might bring: a connection is cut, or unknown as yet.

    What the server's schema does not have no reading brings: that is named, and left at that.
    """
    return any(
        one.status in (Status.CUT, Status.UNKNOWN) and one.reason != UNSUPPORTED for one in evidence
    )


def replaces(new: Sequence[Evidence], stored: Sequence[Evidence]) -> bool:
    """Whether a reading may replace the stored one: no part a whole, no smaller part a larger."""
    if not is_part(new):
        return True
    if not is_part(stored):
        return False
    have, had = _kept(new), _kept(stored)
    return all(have.get(name, 0) >= kept for name, kept in had.items())


def _kept(evidence: Iterable[Evidence]) -> dict[Connection, int]:
    found: dict[Connection, int] = {}
    for one in evidence:
        found[one.name] = found.get(one.name, 0) + one.kept
    return found


def _evidence(
    owner: str, name: Connection, staged: Staged | None, total: int | None, at: datetime
) -> Evidence:
    """What was read; where nothing was asked for, only a `total` of zero proves that all is."""
    if staged is None:
        empty = zero(owner, name, at)
        if total == 0:
            return empty
        return replace(
            empty,
            total_count=total,
            has_next_page=None,
            status=Status.UNKNOWN,
            reason="not asked for",
        )
    if staged.evidence is None:
        message = f"{name} of {owner} was assembled before it ended"
        raise AssertionError(message)
    return staged.evidence


def _nodes(staged: Staged | None, kind: type[E]) -> list[E]:
    """The nodes of a connection, each once, the newest reading of it winning."""
    pages = () if staged is None else staged.pages
    found = {node.id: node for page in pages for node in page.nodes if isinstance(node, kind)}
    return list(found.values())


def _claims(staged: Staged | None) -> dict[str, int | None]:
    if staged is None:
        return {}
    return {review: total for page in staged.pages for review, total in page.child_totals.items()}


def _threads(
    read: Staged | None, by_key: Mapping[tuple[str, Connection], Staged], at: datetime
) -> tuple[list[Thread], list[Evidence], int]:
    """The threads with comments, the evidence of each, and how many were nothing but drafts."""
    kept: list[Thread] = []
    below: list[Evidence] = []
    drafts = 0
    totals = _claims(read)
    for thread in _nodes(read, Thread):
        staged = by_key.get((thread.id, Connection.THREAD_COMMENTS))
        total = totals.get(thread.id)
        evidence = _evidence(thread.id, Connection.THREAD_COMMENTS, staged, total, at)
        comments = tuple(_nodes(staged, ThreadComment))
        if evidence.left_out and not comments and evidence.status is Status.EXHAUSTED:
            drafts += 1
            continue
        kept.append(replace(thread, comments=comments))
        below.append(evidence)
    return kept, below, drafts


def _conversation(
    row: Row, first: Mapping[Connection, Staged | None], threads: Sequence[Thread]
) -> Conversation:
    return Conversation(
        id=row.id,
        full_database_id=row.full_database_id,
        number=row.number,
        title=row.title,
        body=row.body,
        state=row.state,
        is_draft=row.is_draft,
        author=row.author,
        author_association=row.author_association,
        created_at=row.created_at,
        updated_at=row.updated_at,
        closed_at=row.closed_at,
        merged_at=row.merged_at,
        base_ref_name=row.base_ref_name,
        head_ref_name=row.head_ref_name,
        head_repository=row.head_repository,
        labels=tuple(_nodes(first[Connection.LABELS], Label)),
        closing_issues=tuple(_nodes(first[Connection.CLOSING_ISSUES], ClosingIssue)),
        comments=tuple(_nodes(first[Connection.COMMENTS], Comment)),
        reviews=tuple(_nodes(first[Connection.REVIEWS], Review)),
        review_threads=tuple(threads),
    )


def _row_evidence(row: Row, at: datetime) -> tuple[Evidence, ...]:
    """Evidence of the scalar fields, only where there is something to tell of them."""
    odd = contradiction(row.state, row.merged_at, row.closed_at)
    if not (row.unreadable or row.repaired or odd):
        return ()
    reason = f"{UNREADABLE}{', '.join(row.unreadable)}" if row.unreadable else None
    return (
        Evidence(
            owner=row.id,
            name=Connection.PULL_REQUEST,
            total_count=1,
            kept=1,
            unreadable=len(row.unreadable),
            repaired=row.repaired,
            has_next_page=False,
            status=Status.SHORT if row.unreadable else Status.EXHAUSTED,
            reason=reason or (f"{CONTRADICTION}{odd}" if odd else None),
            read_at=at,
        ),
    )


def _snapshot(conversation: Conversation, proof: Iterable[Evidence]) -> Snapshot:
    connections: dict[Connection, Coverage] = {
        e.name: coverage_of(e) for e in proof if e.name is not Connection.THREAD_COMMENTS
    }
    threads = {e.owner: coverage_of(e) for e in proof if e.name is Connection.THREAD_COMMENTS}
    return Snapshot(conversation=conversation, connections=connections, threads=threads)


def expected_first_level(row: Row) -> list[tuple[Connection, int | None]]:
    """The first-level connections that must be read: those not proven empty by their bare total."""
    totals = by_connection(row.totals)
    return [(name, totals.get(name)) for name in FIRST_LEVEL if totals.get(name) != 0]
