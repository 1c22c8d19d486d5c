"""`read_window_evidence`: everything that was said in one window, page by page, to quote from.

Nothing is lost between pages: the pieces of a text, in order, are the text.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from birdview.explore import Tools
from birdview.mcp import cursors
from birdview.mcp.cursors import Cursor
from birdview.mcp.errors import ToolError
from birdview.mcp.inputs import ReadWindowEvidence
from birdview.mcp.outputs import EvidencePage, piece_of
from birdview.mcp.selecting import Chosen, choose
from birdview.synthesis.fragments import Fragment, PullFacts, facts_of, fragments_of, size_of

__all__ = ["TOOL", "read_window_evidence"]

TOOL = "read_window_evidence"
_OWN = frozenset({"maxBytes"})
_PIECE_BYTES = 4_000  # the same for every page, so that a place in a text stays that place
_HEADING_BYTES = 300  # about what a piece takes beside its text


class _Filled(Struct, frozen=True):
    """What a page holds, and where the next one begins: (pull request, piece); None: nowhere."""

    pulls: tuple[PullFacts, ...]
    fragments: tuple[Fragment, ...]
    following: tuple[int, int] | None


async def read_window_evidence(asked: ReadWindowEvidence, tools: Tools) -> EvidencePage:
    """The page that `asked` is about. Raises ToolError, RequestError and what reading raises."""
    cursor = None
    if asked.cursor is not None:
        cursor = cursors.opened(asked.cursor, TOOL)
        asked = cursors.continued(asked, cursor, _OWN)
    chosen = await choose(asked, tools)
    if cursor is not None and cursor.bound != chosen.hash:
        raise ToolError(
            "changed",
            "what was resolved in the window, or said on it, changed since that page; begin "
            "without it, and check no claim against the old hash",
            "cursor",
        )
    filled = await _fill(chosen, (0, 0) if cursor is None else cursor.at, asked.max_bytes)
    return _page(asked, chosen, filled)


async def _fill(chosen: Chosen, start: Sequence[int], most: int) -> _Filled:
    pulls: list[PullFacts] = []
    fragments: list[Fragment] = []
    position, first = start
    size = 0
    async for snapshot in chosen.snapshots(position):
        pieces = list(fragments_of(snapshot, _PIECE_BYTES))
        for index in range(first, len(pieces)):
            size += _HEADING_BYTES + size_of(pieces[index].text)
            if fragments and size > most:
                return _Filled(tuple(pulls), tuple(fragments), (position, index))
            if index in (0, first):
                pulls.append(facts_of(snapshot.conversation))
            fragments.append(pieces[index])
        position, first = position + 1, 0
    return _Filled(tuple(pulls), tuple(fragments), None)


def _page(asked: ReadWindowEvidence, chosen: Chosen, filled: _Filled) -> EvidencePage:
    return EvidencePage(
        window=chosen.resolved.shown(),
        resolution=chosen.selection.resolution.value,
        source_manifest_hash=chosen.hash,
        degraded=chosen.coverage.degraded,
        degraded_reasons=chosen.coverage.degraded_reasons,
        sources=len(chosen.proven),
        excluded=len(chosen.selection.selected) - len(chosen.proven),
        pulls=filled.pulls,
        fragments=tuple(piece_of(fragment) for fragment in filled.fragments),
        next_cursor=_cursor(asked, chosen, filled.following),
        check_with={**chosen.arguments(), "sourceManifestHash": chosen.hash},
    )


def _cursor(asked: ReadWindowEvidence, chosen: Chosen, at: tuple[int, int] | None) -> str | None:
    if at is None:
        return None
    # The explicit bounds stand in for a preset, whose end moves.
    resolved = {"preset": None, "release": None, **chosen.arguments()}
    cursor = Cursor(
        tool=TOOL,
        asked=cursors.asked_of(asked, _OWN),
        resolved=resolved,
        bound=chosen.hash,
        at=at,
    )
    return cursors.sealed(cursor)
