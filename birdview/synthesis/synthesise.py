"""What happened in a window, told from its conversations: cut, map, reduce, show.

The result speaks of itself alone: whether the window is complete is not known here, and a failing
model changes nothing about that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from birdview.envelope import Citation, Synthesis, SynthesisCoverage, SynthesisReason
from birdview.synthesis.asking import Questioner
from birdview.synthesis.budget import Budget, Clock, Ledger
from birdview.synthesis.claims import Category, Claim, Refusal
from birdview.synthesis.fragments import Batch, facts_of, fragments_of, pack
from birdview.synthesis.limits import Limits
from birdview.synthesis.mapping import Mapped, map_batches
from birdview.synthesis.prompts import Generate
from birdview.synthesis.reducing import plain_narrative, reduce_claims
from birdview.synthesis.telling import Shown, show
from syncer.evidence import Snapshot
from syncer.repository import Repository

__all__ = ["Synthesised", "present", "synthesise"]

_PLENTY = 2**62


class Synthesised(Struct, frozen=True, kw_only=True):
    """A synthesis with the citations that its ids name.

    `left_out` findings and sentences were more than the limits let be shown; `dropped` counts the
    claims that did not hold, by reason.
    """

    synthesis: Synthesis
    citations: tuple[Citation, ...] = ()
    left_out: int = 0
    dropped: dict[Refusal, int] = {}


async def synthesise(
    snapshots: Sequence[Snapshot],
    generate: Generate,
    repository: Repository,
    *,
    clock: Clock,
    budget: Budget | None = None,
    limits: Limits | None = None,
    max_citations: int | None = None,
) -> Synthesised:
    """Tell what happened in `snapshots`, resting on quotes that were checked word for word.

    Never raises for what the model does: without any usable answer the synthesis is not available,
    with reason `inference_failed`, or `budget_exhausted` where the budget ran out first. Where only
    some answers are missing it is available and `partial`, and where that is because the budget ran
    out it says so in `reason`.
    """
    if not snapshots:
        return _unavailable("empty_window", SynthesisCoverage())
    bounds = limits or Limits()
    ledger = Ledger(_spendable(budget or Budget(), bounds), clock)
    questioner = Questioner(
        generate,
        ledger,
        call_timeout_s=bounds.call_timeout_s,
        answer_chars=bounds.answer_chars,
    )
    mapped = await map_batches(_batches(snapshots, bounds), questioner, bounds)
    if not mapped.claims and (mapped.failed or mapped.dropped):
        reason: SynthesisReason = "budget_exhausted" if ledger.ran_out else "inference_failed"
        return _unavailable(reason, _coverage(len(snapshots), mapped), mapped.dropped)
    reduced = await reduce_claims(mapped.claims, questioner, bounds)
    shown = show(reduced.findings, reduced.narrative, repository, max_citations)
    coverage = _coverage(len(snapshots), mapped, shown, reduced.dropped)
    return Synthesised(
        synthesis=_available(
            shown,
            coverage,
            partial=mapped.failed > 0 or ledger.ran_out,
            reason="budget_exhausted" if ledger.ran_out else UNSET,
        ),
        citations=shown.citations,
        left_out=reduced.left_out + shown.left_out,
        dropped=dict(mapped.dropped),
    )


def present(
    claims: Sequence[Claim],
    repository: Repository,
    *,
    sources: int,
    dropped: Counter[Refusal],
    max_citations: int | None = None,
) -> Synthesised:
    """Claims that somebody else made, and that hold, as a synthesis.

    The narrative is made of their summaries. It is not available if none of them holds.
    """
    read = Mapped(claims=(), batches=0, failed=0, unread=frozenset(), dropped=dropped)
    if not claims:
        return _unavailable("inference_failed", _coverage(sources, read), dropped)
    shown = show(claims, plain_narrative(claims), repository, max_citations)
    return Synthesised(
        synthesis=_available(shown, _coverage(sources, read, shown)),
        citations=shown.citations,
        left_out=shown.left_out,
        dropped=dict(dropped),
    )


def _spendable(budget: Budget, limits: Limits) -> Budget:
    return budget if limits.metered else replace(budget, calls=_PLENTY, tokens=_PLENTY)


def _batches(snapshots: Sequence[Snapshot], limits: Limits) -> Iterator[Batch]:
    cut = limits.fragment_bytes
    return pack(
        ((facts_of(s.conversation), [*fragments_of(s, cut)]) for s in snapshots), limits.batch_bytes
    )


def _coverage(
    sources: int, mapped: Mapped, shown: Shown | None = None, unfounded: int = 0
) -> SynthesisCoverage:
    return SynthesisCoverage(
        sources=sources,
        read=sources - len(mapped.unread),
        cited=0 if shown is None else _cited(shown),
        batches=mapped.batches,
        failed_batches=mapped.failed,
        dropped_claims=mapped.dropped.total() + unfounded,
    )


def _cited(shown: Shown) -> int:
    numbers = {citation.id: citation.number for citation in shown.citations}
    findings = [finding for found in shown.findings.values() for finding in found]
    return len({numbers[piece.citation] for finding in findings for piece in finding.evidence})


def _available(
    shown: Shown,
    coverage: SynthesisCoverage,
    *,
    partial: bool = False,
    reason: SynthesisReason | UnsetType = UNSET,
) -> Synthesis:
    return Synthesis(
        available=True,
        reason=reason,
        partial=partial,
        narrative=shown.narrative,
        themes=shown.findings[Category.THEMES],
        decisions=shown.findings[Category.DECISIONS],
        friction=shown.findings[Category.FRICTION],
        outcomes=shown.findings[Category.OUTCOMES],
        notable_events=shown.findings[Category.NOTABLE_EVENTS],
        coverage=coverage,
    )


def _unavailable(
    reason: SynthesisReason, coverage: SynthesisCoverage, dropped: Counter[Refusal] | None = None
) -> Synthesised:
    return Synthesised(
        synthesis=Synthesis(available=False, reason=reason, coverage=coverage),
        dropped=dict(dropped or {}),
    )
