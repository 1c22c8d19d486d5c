"""The window of a call, selected from the corpus: one path for reading evidence and checking it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from msgspec import Struct

from birdview.coverage import coverage_of
from birdview.envelope import Coverage
from birdview.explore import Tools, opened
from birdview.mcp.inputs import Window
from birdview.request import Options, Request, asked_of
from birdview.windows import Resolved, resolve
from syncer.corpus import Window as Span
from syncer.evidence import Snapshot
from syncer.history import Corpus, Overview, Selected, Selection
from syncer.stamps import to_text

__all__ = ["Chosen", "choose"]


class Chosen(Struct, frozen=True, kw_only=True):
    """A window and what was resolved in it; `proven` are those that were read whole."""

    corpus: Corpus
    selection: Selection
    resolved: Resolved
    coverage: Coverage

    @property
    def hash(self) -> str:
        """The source manifest hash, as an envelope shows it."""
        return f"sha256:{self.selection.digest}"

    @property
    def proven(self) -> tuple[Selected, ...]:
        """The pull requests whose words count: the same that our own synthesis is told."""
        return tuple(one for one in self.selection.selected if one.is_complete)

    def snapshots(self, start: int = 0) -> AsyncIterator[Snapshot]:
        """The conversations of `proven` from `start` on, one at a time."""
        return self.corpus.snapshots(self.selection, self.proven[start:])

    def arguments(self) -> dict[str, str]:
        """Arguments that choose this window again, whenever: explicit, without a preset's drift."""
        window = self.resolved.window
        arguments = {"origin": self.corpus.name, "resolution": self.selection.resolution.value}
        if window.start is None:
            return {**arguments, "preset": "release", "release": str(self.resolved.release)}
        bounds = {"windowStart": to_text(window.start), "windowEnd": to_text(window.end)}
        return {**arguments, **bounds}


async def choose(asked: Window, tools: Tools) -> Chosen:
    """What `asked` selects. Raises RequestError, and what reading a corpus raises."""
    question = asked_of(
        Request(
            origin=asked.origin,
            resolution=asked.resolution,
            preset=asked.preset,
            window_start=asked.window_start,
            window_end=asked.window_end,
            release=asked.release,
        )
    )
    options = Options()
    now = tools.clock()
    found: list[Resolved] = []

    def resolving(overview: Overview) -> Span:
        as_of = overview.census.as_of
        found.append(resolve(question.window, overview.timeline, as_of, now, options.max_lag))
        return found[-1].window

    corpus = await opened(tools.source, asked.origin)
    selection = await asyncio.to_thread(corpus.select, resolving, question.resolution)
    return Chosen(
        corpus=corpus,
        selection=selection,
        resolved=found[-1],
        coverage=coverage_of(selection, now, options, ()),
    )
