"""`check_claims`: the claims of somebody else's model, held to the rules of our own synthesis."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from birdview.envelope import Synthesis
from birdview.explore import Tools
from birdview.mcp.errors import ToolError
from birdview.mcp.inputs import CheckClaims
from birdview.mcp.outputs import ClaimsChecked
from birdview.mcp.selecting import Chosen, choose
from birdview.synthesis import Checked, ClaimDraft, Synthesised, Texts, check, present, sources_of
from birdview.synthesis.fragments import Fragment
from syncer.evidence import Snapshot

__all__ = ["TOOL", "check_claims"]

TOOL = "check_claims"


async def check_claims(asked: CheckClaims, tools: Tools) -> ClaimsChecked:
    """What holds. Raises ToolError where the window is no longer the one that was read."""
    if asked.source_manifest_hash is None:
        raise ToolError(
            "bad_argument",
            "is required; read_window_evidence gives it, with the window, as `checkWith`",
            "sourceManifestHash",
        )
    chosen = await choose(asked, tools)
    if chosen.hash != asked.source_manifest_hash:
        raise ToolError(
            "changed",
            f"this window has {chosen.hash}: it is another window, or what was said in it changed "
            "since; read it again and check against that",
            "sourceManifestHash",
        )
    texts = Texts(await _cited(chosen, _nodes(asked.claims)))
    checked = check(asked.claims, texts)
    told = _told(asked, chosen, checked)
    return ClaimsChecked(
        window=chosen.resolved.shown(),
        resolution=chosen.selection.resolution.value,
        source_manifest_hash=chosen.hash,
        holding=checked.indices,
        dropped=checked.dropped,
        synthesis=told.synthesis,
        citations=told.citations,
    )


def _told(asked: CheckClaims, chosen: Chosen, checked: Checked) -> Synthesised:
    degraded = chosen.coverage.degraded
    told = present(
        checked.kept,
        chosen.selection.overview.repository,
        sources=len(chosen.proven),
        dropped=checked.reasons(),
        max_citations=asked.max_citations,
    )
    coverage = told.synthesis.coverage
    if not chosen.proven:
        empty = Synthesis(available=False, reason="empty_window", coverage=coverage)
        return Synthesised(synthesis=empty)
    if degraded and not asked.allow_partial:
        withheld = Synthesis(available=False, reason="coverage_degraded", coverage=coverage)
        return Synthesised(synthesis=withheld)
    partial = told.synthesis.available and degraded
    return replace(told, synthesis=replace(told.synthesis, partial=partial))


def _nodes(claims: tuple[object, ...]) -> frozenset[str]:
    """Every node that a claim of the right shape names."""
    return frozenset(piece.node for draft in _drafts(claims) for piece in draft.evidence)


def _drafts(claims: tuple[object, ...]) -> Iterator[ClaimDraft]:
    for claim in claims:
        try:
            yield msgspec.convert(claim, type=ClaimDraft)
        except msgspec.ValidationError:
            continue  # the checker will say so


async def _cited(chosen: Chosen, nodes: frozenset[str]) -> list[Fragment]:
    """The texts of `nodes` alone: of a large window, only what is asked about is held."""
    held: list[Fragment] = []
    if nodes:
        async for snapshot in chosen.snapshots():
            held += _of_nodes(snapshot, nodes)
    return held


def _of_nodes(snapshot: Snapshot, nodes: frozenset[str]) -> Iterator[Fragment]:
    for source in sources_of(snapshot):
        if source.node in nodes or source.thread in nodes:
            yield source
