"""What an answer says of its own reach, from a selection. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from msgspec import UNSET
from msgspec.structs import replace

from birdview.degraded import reasons_of
from birdview.envelope import (
    CensusCoverage,
    ChildEvidence,
    ConnectionEvidence,
    CorpusCoverage,
    Coverage,
    Cut,
    DegradedReason,
    IncompleteConnection,
    Pull,
)
from birdview.request import Options
from syncer.evidence import JUDGED, Connection, Status
from syncer.history import CensusReport, Selected, Selection, Standing

__all__ = ["coverage_of", "nothing_known", "pulls_of"]


def coverage_of(
    selection: Selection, now: datetime, options: Options, more: Sequence[DegradedReason] = ()
) -> Coverage:
    """The coverage of `selection` at `now`; `more` are reasons that it does not know of."""
    whole = sum(one.is_complete for one in selection.selected)
    reasons, cuts = _listed([*reasons_of(selection, now), *more], options.max_listed)
    incomplete = list(_incomplete(selection.selected))
    cuts += _cut("childEvidence.incomplete", len(incomplete), options.max_listed)
    cuts += _cut("pulls", len(selection.selected), options.max_pulls)
    return Coverage(
        total_resolved=len(selection.selected) if selection.is_whole else None,
        included=whole,
        excluded=len(selection.selected) - whole,
        truncated=tuple(cuts),
        degraded=bool(reasons),
        degraded_reasons=tuple(reasons),
        census=_census(selection.census, selection.window.end, now),
        child_evidence=_children(selection.selected, incomplete[: options.max_listed]),
        corpus=_corpus(selection),
    )


def nothing_known(reasons: Sequence[DegradedReason]) -> Coverage:
    """The coverage of an answer for which no corpus could be read."""
    unknown = ConnectionEvidence(expected=None, fetched=0, exhausted=None)
    return Coverage(
        total_resolved=None,
        included=0,
        excluded=0,
        truncated=(),
        degraded=True,
        degraded_reasons=tuple(reasons),
        census=CensusCoverage(
            status="unknown", source="corpus", as_of=None, lag_s=None, expected=None, found=None
        ),
        child_evidence=ChildEvidence(
            comments=unknown,
            reviews=unknown,
            review_threads=unknown,
            review_thread_comments=unknown,
            incomplete=(),
        ),
        corpus=CorpusCoverage(
            active=0, archived=0, digest_mismatches=0, legacy_unknown=0, refreshed_live=0
        ),
    )


def pulls_of(selection: Selection, most: int | None) -> tuple[Pull, ...]:
    """The dense census: every selected pull request, or the first `most` of them."""
    return tuple(
        Pull(
            number=one.number,
            url=one.url,
            title=one.title,
            author=one.author,
            resolution=one.resolution.value,
            resolved_at=one.resolved_at,
            revision=one.revision,
            counts=one.counts,
            complete=one.is_complete,
        )
        for one in selection.selected[:most]
    )


def _listed(reasons: Iterable[DegradedReason], most: int) -> tuple[list[DegradedReason], list[Cut]]:
    """The reasons with at most `most` numbers each, and which of them were shortened."""
    found: list[DegradedReason] = []
    cuts: list[Cut] = []
    for one in reasons:
        numbers = one.pulls
        if numbers is not UNSET and len(numbers) > most:
            cuts += _cut(f"degradedReasons.{one.code}.pulls", len(numbers), most)
            numbers = numbers[:most]
        found.append(replace(one, pulls=numbers))
    return found, cuts


def _cut(what: str, count: int, most: int | None) -> list[Cut]:
    if most is None or count <= most:
        return []
    return [Cut(what=what, shown=most, left_out=count - most)]


def _census(census: CensusReport, end: datetime, now: datetime) -> CensusCoverage:
    as_of = census.as_of
    return CensusCoverage(
        status=census.status(end).value,
        source=census.source,
        as_of=as_of,
        lag_s=None if as_of is None else (now - as_of).total_seconds(),
        expected=census.expected,
        found=census.found,
    )


def _children(
    selected: Sequence[Selected], incomplete: Sequence[IncompleteConnection]
) -> ChildEvidence:
    found = {name: _sum([one.judged[name] for one in selected]) for name in JUDGED}
    return ChildEvidence(
        comments=found[Connection.COMMENTS],
        reviews=found[Connection.REVIEWS],
        review_threads=found[Connection.REVIEW_THREADS],
        review_thread_comments=found[Connection.THREAD_COMMENTS],
        incomplete=tuple(incomplete),
    )


def _sum(standings: Sequence[Standing]) -> ConnectionEvidence:
    expected = [one.expected for one in standings]
    statuses = {one.status for one in standings}
    exhausted: bool | None = True
    if statuses & {Status.SHORT, Status.CUT}:
        exhausted = False
    elif Status.UNKNOWN in statuses:
        exhausted = None
    return ConnectionEvidence(
        expected=None if None in expected else sum(one or 0 for one in expected),
        fetched=sum(one.fetched for one in standings),
        exhausted=exhausted,
    )


def _incomplete(selected: Iterable[Selected]) -> Iterator[IncompleteConnection]:
    for one in selected:
        found = dict(one.judged)
        found |= {
            named.connection: Standing(
                expected=named.total_count,
                fetched=named.kept,
                status=named.status,
                reason=named.reason,
            )
            for named in one.named
            if named.connection not in found
        }
        for name, standing in found.items():
            if standing.status is not Status.EXHAUSTED:
                words = (
                    f"{standing.status}: {standing.reason}" if standing.reason else standing.status
                )
                yield IncompleteConnection(number=one.number, connection=name, reason=words)


def _corpus(selection: Selection) -> CorpusCoverage:
    selected = selection.selected
    damaged = sum(one.is_damaged for one in selected)
    return CorpusCoverage(
        active=sum(one.release is None for one in selected),
        archived=sum(one.release is not None for one in selected),
        digest_mismatches=damaged + len(selection.lost),
        legacy_unknown=sum(_is_legacy(one) for one in selected),
        refreshed_live=sum(one.is_live for one in selected),
    )


def _is_legacy(one: Selected) -> bool:
    unknown = any(standing.status is Status.UNKNOWN for standing in one.judged.values())
    return unknown and not one.is_damaged
