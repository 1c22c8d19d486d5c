"""Why an answer proves less than everything: stable codes, in one order.

Docs: docs/bird-view.md, which says of each what to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import UNSET

from birdview.envelope import DegradedReason
from syncer.evidence import Status
from syncer.history import CensusReport, CensusStatus, Selected, Selection
from syncer.stamps import to_text

__all__ = ["Code", "reason", "reasons_of"]


class Code(StrEnum):
    """What an envelope's `degradedReasons` can say."""

    STALE = "stale"
    CENSUS_UNKNOWN = "census_unknown"
    CENSUS_MISMATCH = "census_mismatch"
    UNREAD = "unread"
    BEHIND = "behind"
    INCOMPLETE = "incomplete"
    LEGACY_UNKNOWN = "legacy_unknown"
    DIGEST_MISMATCH = "digest_mismatch"
    CORPUS_CHANGING = "corpus_changing"
    CORPUS_UNREADABLE = "corpus_unreadable"
    LIVE_FAILED = "live_failed"
    UNEXPECTED = "unexpected"


def reason(code: Code, detail: str, pulls: Iterable[int] | None = None) -> DegradedReason:
    """One reason; `pulls` are the numbers that it is about, where it is about some."""
    numbers = UNSET if pulls is None else tuple(sorted(pulls))
    return DegradedReason(code=code, detail=detail, pulls=numbers)


def reasons_of(selection: Selection, now: datetime) -> list[DegradedReason]:
    """Everything that keeps `selection` from being proven, the census first."""
    return [*_of_census(selection.census, selection.window.end, now), *_of_content(selection)]


def _of_census(census: CensusReport, end: datetime, now: datetime) -> Iterator[DegradedReason]:
    if census.as_of is None:
        detail = census.complaint or "no walk over the pull requests was ever proven complete"
        yield reason(Code.CENSUS_UNKNOWN, detail)
    else:
        if census.status(census.as_of) is CensusStatus.MISMATCH:
            yield reason(Code.CENSUS_MISMATCH, census.complaint or _difference(census))
        if end > census.as_of:
            yield reason(Code.STALE, _staleness(census.as_of, end, now))
    if census.unread:
        detail = f"{len(census.unread)} pull requests are known and were never read"
        yield reason(Code.UNREAD, detail, census.unread)


def _of_content(selection: Selection) -> Iterator[DegradedReason]:
    damaged = [one.number for one in selection.selected if one.is_damaged]
    if damaged or selection.lost:
        yield _damage(selection.lost, damaged)
    behind = [one.number for one in selection.selected if one.is_behind]
    if found := {*behind, *selection.doubtful}:
        detail = f"of {len(found)} pull requests GitHub is known to hold a newer state"
        yield reason(Code.BEHIND, detail, found)
    whole = [one for one in selection.selected if not one.is_damaged]
    if legacy := _with_status(whole, {Status.UNKNOWN}):
        detail = f"of {len(legacy)} pull requests it is not known how far they were read"
        yield reason(Code.LEGACY_UNKNOWN, detail, legacy)
    if cut := _with_status(whole, {Status.CUT, Status.SHORT}):
        detail = f"{len(cut)} pull requests were not read to the end"
        yield reason(Code.INCOMPLETE, detail, cut)


def _with_status(selected: Iterable[Selected], statuses: set[Status]) -> list[int]:
    return [
        one.number
        for one in selected
        if any(standing.status in statuses for standing in one.judged.values())
    ]


def _damage(lost: Sequence[str], damaged: list[int]) -> DegradedReason:
    parts = [f"{len(damaged)} files are not what the corpus's seal says"] if damaged else []
    if lost:
        parts.append(f"these manifests are not what the root says: {', '.join(lost)}")
    return reason(Code.DIGEST_MISMATCH, "; ".join(parts), damaged or None)


def _difference(census: CensusReport) -> str:
    claimed = "an unknown number of" if census.expected is None else census.expected
    return f"GitHub claimed {claimed} pull requests, {census.found} are known"


def _staleness(as_of: datetime, end: datetime, now: datetime) -> str:
    past = int((end - as_of).total_seconds())
    lag = int((now - as_of).total_seconds())
    return (
        f"the window ends {_time(past)} after the census of {to_text(as_of)}, "
        f"which is {_time(lag)} old"
    )


def _time(seconds: int) -> str:
    """`seconds` in the two largest units that matter."""
    days, rest = divmod(abs(seconds), 86_400)
    hours, rest = divmod(rest, 3600)
    minutes, left = divmod(rest, 60)
    units = [(days, "d"), (hours, "h"), (minutes, "min"), (left, "s")]
    found = [f"{number} {unit}" for number, unit in units if number]
    return " ".join(found[:2]) or "0 s"
