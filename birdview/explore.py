"""`explore_pull_request_history`: one question about a window of a repository's past, one envelope.

A request that is not in order is refused; past that point nothing is raised: what fails is named in
the envelope. Coverage is what the files prove, the synthesis what a model made of them; neither
ever stands in for the other. Nothing is written anywhere.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import UNSET, Struct
from msgspec.structs import replace

from birdview.coverage import coverage_of, nothing_known, pulls_of
from birdview.degraded import Code, reason
from birdview.envelope import (
    Coverage,
    Cut,
    DegradedReason,
    Envelope,
    Provenance,
    Synthesis,
    SynthesisCoverage,
    SynthesisReason,
    findings_of,
)
from birdview.request import Asked, Options, Request, RequestError, asked_of
from birdview.synthesis import Binding, Budget, Synthesised, synthesise
from birdview.windows import Resolved, resolve, unread
from syncer import __version__
from syncer.canonical import digest_of
from syncer.corpus import CorpusError, Window
from syncer.errors import DamagedError, LocalError, SyncError
from syncer.evidence import Snapshot
from syncer.history import (
    ChangingError,
    Corpus,
    History,
    Live,
    Overview,
    Selection,
    UnknownOriginError,
)

__all__ = ["GENERATOR", "Tools", "explore", "opened"]

GENERATOR = f"birdview/{__version__}"

_MAX_STARTS = 3


class Tools(Struct, frozen=True, kw_only=True):
    """Everything that an exploration is handed: nothing is found by itself.

    `clock` gives aware times, `monotonic` seconds that never go back.
    """

    source: History
    clock: Callable[[], datetime]
    binding: Binding | None = None  # None: no model, no narrative
    live: Live | None = None  # None: the network is out of reach
    budget: Budget = Budget()
    monotonic: Callable[[], float] = time.monotonic


async def explore(request: Request, tools: Tools, options: Options | None = None) -> Envelope:
    """The answer to `request`. Raises RequestError, and nothing else that can be answered to."""
    bounds = options or Options()
    asked = asked_of(request)
    corpus = await opened(tools.source, request.origin)
    run = _Exploration(request, asked, corpus, tools, bounds)
    try:
        return await run.envelope()
    except RequestError:
        raise
    except Exception as error:  # noqa: BLE001 - the caller is owed an envelope, whatever broke
        return run.failed(error)


async def opened(source: History, origin: str | None) -> Corpus:
    """The corpus of `origin`. Raises RequestError naming those that there are."""
    try:
        return await asyncio.to_thread(source.corpus, origin)
    except UnknownOriginError as error:
        raise RequestError("origin", str(error)) from error


class _Exploration:
    def __init__(
        self, request: Request, asked: Asked, corpus: Corpus, tools: Tools, options: Options
    ) -> None:
        self._request = request
        self._asked = asked
        self._corpus = corpus
        self._tools = tools
        self._options = options
        self._now = tools.clock()
        self._resolved: Resolved | None = None
        self._more: list[DegradedReason] = []

    async def envelope(self) -> Envelope:
        for _ in range(_MAX_STARTS):
            self._more = []
            selection = await self._selection()
            try:
                return await self._answer(selection)
            except ChangingError:
                continue  # a newer seal took a file away between the selection and its reading
        message = "the corpus was written anew each time that its files were read"
        raise ChangingError(message)

    def failed(self, error: Exception) -> Envelope:
        """The envelope where not even a selection could be made."""
        window = unread(self._asked.window, self._now, self._options.max_lag)
        question = [self._corpus.name, window, self._asked.resolution]
        return Envelope(
            window=window,
            resolution=self._asked.resolution.value,
            coverage=nothing_known([*self._more, _why(error)]),
            source_manifest_hash=_hash(digest_of(question)),
            pulls=(),
            synthesis=_without(self._refusal() or "coverage_degraded"),
            citations=(),
            generated_at=self._now,
            provenance=Provenance(generator=GENERATOR, corpus_digest=None),
        )

    async def _selection(self) -> Selection:
        if not self._request.live:
            return await self._stored()
        if self._tools.live is None:
            self._more.append(reason(Code.LIVE_FAILED, "there is no client to ask GitHub with"))
            return await self._stored()
        try:
            selection, census = await self._corpus.select_live(
                self._choose, self._asked.resolution, self._tools.live
            )
        except (RequestError, DamagedError, LocalError):
            raise  # about the question or the corpus: asking without GitHub would end the same
        except Exception as error:  # noqa: BLE001 - without GitHub there is still the corpus
            self._more.append(reason(Code.LIVE_FAILED, _words(error)))
            return await self._stored()
        if census.as_of is None:
            detail = census.complaint or "the live census was not proven complete"
            self._more.append(reason(Code.LIVE_FAILED, detail))
        return selection

    async def _stored(self) -> Selection:
        return await asyncio.to_thread(self._corpus.select, self._choose, self._asked.resolution)

    def _choose(self, overview: Overview) -> Window:
        self._resolved = resolve(
            self._asked.window,
            overview.timeline,
            overview.census.as_of,
            self._now,
            self._options.max_lag,
        )
        return self._resolved.window

    async def _answer(self, selection: Selection) -> Envelope:
        coverage = coverage_of(selection, self._now, self._options, self._more)
        known = len(self._more)
        told = await self._told(selection, degraded=coverage.degraded)
        if len(self._more) > known:
            coverage = coverage_of(selection, self._now, self._options, self._more)
        binding = self._tools.binding if told.synthesis.coverage.sources else None
        return Envelope(
            window=(self._resolved or Resolved(window=selection.window)).shown(),
            resolution=selection.resolution.value,
            coverage=_with_cut(coverage, told),
            source_manifest_hash=_hash(selection.digest),
            pulls=pulls_of(selection, self._options.max_pulls),
            synthesis=told.synthesis,
            citations=told.citations,
            generated_at=self._now,
            provenance=Provenance(
                generator=GENERATOR if binding is None else binding.generator,
                model=UNSET if binding is None or binding.model is None else binding.model,
                corpus_digest=selection.overview.digest,
            ),
        )

    def _refusal(self) -> SynthesisReason | None:
        if self._request.synthesize is False:
            return "not_requested"
        return "no_model" if self._tools.binding is None else None

    async def _told(self, selection: Selection, *, degraded: bool) -> Synthesised:
        """What happened, over what is proven; or why that is not told."""
        refusal, binding = self._refusal(), self._tools.binding
        if refusal is not None or binding is None:
            return Synthesised(synthesis=_without(refusal or "no_model"))
        proven = [one for one in selection.selected if one.is_complete]
        if degraded and not (self._request.allow_partial and proven):
            return Synthesised(synthesis=_without("coverage_degraded"))
        if not proven:
            return Synthesised(synthesis=_without("empty_window"))
        try:
            snapshots = [one async for one in self._corpus.snapshots(selection, proven)]
        except CorpusError as error:  # what the seal covers is not what the grammar says
            self._more.append(reason(Code.DIGEST_MISMATCH, str(error)))
            return Synthesised(synthesis=_without("coverage_degraded"))
        told = await self._synthesised(snapshots, selection, binding)
        partial = told.synthesis.available and (told.synthesis.partial or degraded)
        return replace(told, synthesis=replace(told.synthesis, partial=partial))

    async def _synthesised(
        self, snapshots: Sequence[Snapshot], selection: Selection, binding: Binding
    ) -> Synthesised:
        try:
            return await synthesise(
                snapshots,
                binding.generate,
                selection.overview.repository,
                clock=self._tools.monotonic,
                budget=self._tools.budget,
                limits=binding.limits,
                max_citations=self._options.max_citations,
            )
        except Exception:  # noqa: BLE001 - a broken model says nothing about what is proven
            sources = SynthesisCoverage(sources=len(snapshots))
            return Synthesised(synthesis=_without("inference_failed", sources))


def _without(why: SynthesisReason, coverage: SynthesisCoverage | None = None) -> Synthesis:
    return Synthesis(available=False, reason=why, coverage=coverage or SynthesisCoverage())


def _with_cut(coverage: Coverage, told: Synthesised) -> Coverage:
    if not told.left_out:
        return coverage
    shown = sum(len(found) for found in findings_of(told.synthesis))
    cut = Cut(what="findings", shown=shown, left_out=told.left_out)
    return replace(coverage, truncated=(*coverage.truncated, cut))


def _hash(digest: str) -> str:
    return f"sha256:{digest}"


def _why(error: Exception) -> DegradedReason:
    match error:
        case ChangingError():
            return reason(Code.CORPUS_CHANGING, str(error))
        case SyncError():
            return reason(Code.CORPUS_UNREADABLE, str(error))
        case _:
            return reason(Code.UNEXPECTED, _words(error))


def _words(error: Exception) -> str:
    """What may be told of `error`: our own words, of a stranger's only its class."""
    return str(error) if isinstance(error, SyncError) else f"failed with {type(error).__name__}"
