"""What an audit found: told beside what the run after it did."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from syncer.audit.compare import Difference
from syncer.audit.plan import Depth
from syncer.records import Instant
from syncer.report import Summary

__all__ = ["AuditSummary", "Audited", "Found", "audit_lines", "found_in"]


_SHOWN = 10


class Found(Struct, frozen=True, rename="camel", kw_only=True):
    """One difference, in numbers: of whose pull request, in which connection, how many entries.

    All three zero: only GitHub's count differs.
    """

    number: int
    connection: str
    added: int
    changed: int
    gone: int


class Audited(Struct, frozen=True, rename="camel", kw_only=True):
    """What was compared, what that was expected to cost, and what differed.

    `pulls` were looked at; `resumed`: the stamps of some were compared by an earlier audit, which
    this one went on with. `seed` None: no sample was drawn.
    """

    depth: Depth
    since: Instant | None
    seed: int | None
    pulls: int
    points_expected: int
    points: int
    resumed: bool
    found: tuple[Found, ...]


class AuditSummary(Summary, frozen=True, rename="camel", kw_only=True):
    """A run's summary with the audit before it."""

    audit: Audited


def found_in(number: int, difference: Difference) -> Found:
    """A difference as it is told."""
    return Found(
        number=number,
        connection=difference.connection.value,
        added=difference.added,
        changed=difference.changed,
        gone=difference.gone,
    )


def audit_lines(audited: Audited) -> Iterator[str]:
    """What was compared and what differed, for people: a line a connection."""
    cost = f"{audited.points} points ({audited.points_expected} expected)"
    yield f"  audit          {audited.depth} of {audited.pulls} pull requests, {cost}"
    if not audited.found:
        yield "  differing      nothing"
    for connection in dict.fromkeys(one.connection for one in audited.found):
        of = [one for one in audited.found if one.connection == connection]
        numbers = sorted({one.number for one in of})
        shown = ", ".join(f"#{number}" for number in numbers[:_SHOWN])
        more = f" and {len(numbers) - _SHOWN} more" if len(numbers) > _SHOWN else ""
        yield (
            f"  differing      {connection}: {sum(one.added for one in of)} added, "
            f"{sum(one.changed for one in of)} changed, {sum(one.gone for one in of)} gone, "
            f"on {shown}{more}"
        )
