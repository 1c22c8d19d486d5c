"""A real project, synced: every resolved pull request is in just one window, and none is lost."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

from syncer.corpus import Window
from syncer.history import Corpus, History, ResolutionFilter, Selection
from syncer.records import resolution_event
from syncer.testing.github import Simulator
from syncer.testing.github.expected import expected
from syncer.testing.github.loading import load
from tests.engine.harness import run
from tests.history.corpora import ALL, numbers, select

FIRST, LAST = ResolutionFilter.MERGED, ResolutionFilter.CLOSED_UNMERGED


async def test_windows_side_by_side_hold_every_resolved_pull_request_once(
    tmp_path: Path, shared: Path
) -> None:
    dataset = load(shared / "data" / "real-project.json")
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
    corpus = History(tmp_path).corpus(None)
    pulls = expected(dataset)
    events = {
        number: event
        for number, pull in pulls.items()
        if (event := resolution_event(pull.state, pull.merged_at, pull.closed_at)) is not None
    }

    by_release = releases(corpus)
    start, end = min(events.values()), max(events.values()) + timedelta(seconds=1)
    by_week = weeks(corpus, start, end)
    by_filter = [select(corpus, start, end, one) for one in (FIRST, LAST)]

    for parts in (by_release, by_week, by_filter):
        counted = Counter(number for part in parts for number in numbers(part))
        assert counted == Counter(dict.fromkeys(events, 1))
        assert all(part.is_whole for part in parts)
    found = {one.number: one.resolved_at for part in by_week for one in part.selected}
    assert found == events


def releases(corpus: Corpus) -> list[Selection]:
    """What each release holds, and what comes after the newest."""
    overview = corpus.overview()
    as_of = overview.census.as_of
    assert as_of is not None
    timeline = overview.timeline
    windows = [timeline.window(point.tag) for point in timeline.points]
    windows.append(Window(timeline.points[-1].at, as_of))
    return [select(corpus, window.start, window.end) for window in windows]


def weeks(corpus: Corpus, start: datetime, end: datetime) -> list[Selection]:
    found: list[Selection] = []
    while start < end:
        following = start + timedelta(days=7)
        found.append(select(corpus, start, min(following, end), ALL))
        start = following
    return found
