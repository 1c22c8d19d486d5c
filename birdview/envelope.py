"""What Bird View answers: the envelope, as it stands on the wire.

Keys are stable; a key may be added, none changes its meaning. An absent optional key and a null
differ: null says "not known", as far as a comment beside the field does not say otherwise.
Docs: docs/bird-view.md; schema: birdview/schemas/envelope.json.
"""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from syncer.corpus.manifest import Counts
from syncer.records import Actor, Instant

__all__ = [
    "CensusCoverage",
    "ChildEvidence",
    "Citation",
    "ConnectionEvidence",
    "CorpusCoverage",
    "Coverage",
    "Cut",
    "DegradedReason",
    "DrillDown",
    "Envelope",
    "Finding",
    "IncompleteConnection",
    "Node",
    "NodeKind",
    "Provenance",
    "Pull",
    "Resolution",
    "ResolutionFilter",
    "Support",
    "Synthesis",
    "SynthesisCoverage",
    "SynthesisReason",
    "WindowSemantics",
    "WindowShown",
    "findings_of",
]

Resolution = Literal["merged", "closed_unmerged"]
ResolutionFilter = Literal["merged", "closed_unmerged", "all_resolved"]
NodeKind = Literal["comment", "review", "thread", "threadComment"]
SynthesisReason = Literal[
    "not_requested",
    "no_model",
    "coverage_degraded",
    "inference_failed",
    "budget_exhausted",
    "empty_window",
]


class WindowSemantics(Struct, frozen=True, rename="camel", kw_only=True):
    """How the window is to be read; the same for every answer."""

    interval: Literal["half-open"] = "half-open"
    event: Literal["mergedAt|closedAt"] = "mergedAt|closedAt"


class WindowShown(Struct, frozen=True, rename="camel", kw_only=True):
    """The one window that the request came down to: start inclusive, end exclusive, in UTC."""

    window_start_iso: Instant | None  # null: from the repository's beginning
    window_end_iso: Instant | None  # null, and the start too: a release of an unreadable corpus
    preset: str | None  # null: the request gave bounds
    release: str | UnsetType = UNSET
    previous_release: str | UnsetType | None = UNSET  # null: this is the first release
    window_semantics: WindowSemantics = WindowSemantics()


class DegradedReason(Struct, frozen=True, rename="camel", kw_only=True):
    """One thing that is not proven; `code` is stable, `detail` is for people."""

    code: str
    detail: str
    pulls: tuple[int, ...] | UnsetType = UNSET


class CensusCoverage(Struct, frozen=True, rename="camel", kw_only=True):
    """Whether every pull request of the repository is known, as of when, and by whose word."""

    status: Literal["complete", "stale", "unknown", "mismatch"]
    source: Literal["corpus", "live"]
    as_of: Instant | None  # the watermark; null: there is none
    lag_s: float | None  # how far `asOf` lies behind the clock
    expected: int | None  # what GitHub claimed
    found: int | None  # what is known, read or not


class ConnectionEvidence(Struct, frozen=True, rename="camel", kw_only=True):
    """One kind of child over all selected pull requests.

    `exhausted` is true where every connection of the kind was read to its end, false where one is
    known not to have been, null where of one nothing is known (and none is known to fall short).
    """

    expected: int | None
    fetched: int
    exhausted: bool | None


class IncompleteConnection(Struct, frozen=True, rename="camel", kw_only=True):
    """A connection of pull request `number` not proven whole; `reason` begins with its status."""

    number: int
    connection: str
    reason: str


class ChildEvidence(Struct, frozen=True, rename="camel", kw_only=True):
    """What was said on the selected pull requests: how much is claimed, and how much is here."""

    comments: ConnectionEvidence
    reviews: ConnectionEvidence
    review_threads: ConnectionEvidence
    review_thread_comments: ConnectionEvidence
    incomplete: tuple[IncompleteConnection, ...]


class CorpusCoverage(Struct, frozen=True, rename="camel", kw_only=True):
    """Where the selected pull requests came from; counts of pull requests."""

    active: int
    archived: int
    digest_mismatches: int
    legacy_unknown: int
    refreshed_live: int


class Cut(Struct, frozen=True, rename="camel", kw_only=True):
    """A list that a bound shortened; `what` is its key, and `findings` all findings together."""

    what: str
    shown: int
    left_out: int


class Coverage(Struct, frozen=True, rename="camel", kw_only=True):
    """How far the answer can be trusted. Says nothing of the synthesis, and that nothing of this.

    `included` are the selected pull requests proven whole, `excluded` the selected others;
    `totalResolved` is their sum where it is known that there are no more.
    """

    total_resolved: int | None
    included: int
    excluded: int
    truncated: tuple[Cut, ...]
    degraded: bool
    degraded_reasons: tuple[DegradedReason, ...]
    census: CensusCoverage
    child_evidence: ChildEvidence
    corpus: CorpusCoverage


class Pull(Struct, frozen=True, rename="camel", kw_only=True):
    """One selected pull request."""

    number: int
    url: str
    title: str | None  # null: its file could not be read
    author: Actor | None  # null: the account was deleted, or the file could not be read
    resolution: Resolution
    resolved_at: Instant
    revision: str
    counts: Counts
    complete: bool


class Support(Struct, frozen=True, rename="camel", kw_only=True):
    """`quote` stands, as it is, in the node that the citation with that id names."""

    citation: str
    quote: str


class Finding(Struct, frozen=True, rename="camel", kw_only=True):
    """One claim that was kept, with everything it rests on; never without evidence."""

    summary: str
    evidence: tuple[Support, ...]


class SynthesisCoverage(Struct, frozen=True, rename="camel", kw_only=True):
    """How much of the window the narrative rests on; counts of fragments, batches and claims."""

    sources: int = 0  # conversations that were handed over
    read: int = 0  # of those, the ones every fragment of which went through
    cited: int = 0  # of those, the ones that a finding rests on
    batches: int = 0
    failed_batches: int = 0
    dropped_claims: int = 0  # their evidence was not in the batch, or the quote not in the evidence


class Synthesis(Struct, frozen=True, rename="camel", kw_only=True):
    """What happened, in words. `reason` says why it is not available, or why only in part."""

    available: bool
    reason: SynthesisReason | UnsetType = UNSET
    partial: bool = False  # it rests on less than the whole window
    narrative: str | None = None  # null: not available
    themes: tuple[Finding, ...] = ()
    decisions: tuple[Finding, ...] = ()
    friction: tuple[Finding, ...] = ()
    outcomes: tuple[Finding, ...] = ()
    notable_events: tuple[Finding, ...] = ()
    coverage: SynthesisCoverage = SynthesisCoverage()


def findings_of(synthesis: Synthesis) -> tuple[tuple[Finding, ...], ...]:
    """The findings by kind, in the order of the keys."""
    return (
        synthesis.themes,
        synthesis.decisions,
        synthesis.friction,
        synthesis.outcomes,
        synthesis.notable_events,
    )


class Node(Struct, frozen=True, rename="camel", kw_only=True):
    """An entry of a conversation by its GitHub node id."""

    kind: NodeKind
    id: str


class DrillDown(Struct, frozen=True, rename="camel", kw_only=True):
    """The call that shows what is cited: `operation` with exactly these `arguments`."""

    operation: Literal["get_conversation"] = "get_conversation"
    arguments: dict[str, str | int]


class Citation(Struct, frozen=True, rename="camel", kw_only=True):
    """Where a claim's evidence stands. Without `node` it is the description of the pull request."""

    id: str
    number: int
    url: str
    node: Node | UnsetType = UNSET
    drill_down: DrillDown


class Provenance(Struct, frozen=True, rename="camel", kw_only=True):
    """Who made this answer, and from what."""

    generator: str
    model: str | UnsetType = UNSET
    corpus_digest: str | None  # of the root manifest; null: it could not be read


class Envelope(Struct, frozen=True, rename="camel", kw_only=True):
    """The answer of `explore_pull_request_history`.

    `source_manifest_hash` (`sha256:…`) changes with the repository, the window, the filter and with
    number, revision or evidence status of a selected pull request, and with nothing else.
    """

    window: WindowShown
    resolution: ResolutionFilter
    coverage: Coverage
    source_manifest_hash: str
    pulls: tuple[Pull, ...]
    synthesis: Synthesis
    citations: tuple[Citation, ...]
    generated_at: Instant
    not_authority: Literal[True] = True
    provenance: Provenance
