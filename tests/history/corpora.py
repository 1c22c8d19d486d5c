"""Corpora to read from, written by the real sink from made-up conversations."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from sinks.corpus import open_sink
from syncer.corpus import Timeline, Window
from syncer.evidence import Snapshot
from syncer.history import Choose, Corpus, History, ResolutionFilter, Selection
from syncer.records import resolution_event
from syncer.repository import Release
from syncer.sink import Destination
from syncer.testing.feed import Bookmark, Feed, deliver
from syncer.testing.samples import sample

__all__ = [
    "ALL",
    "DAY",
    "NAME",
    "SECOND",
    "START",
    "WATERMARK",
    "Writer",
    "closed",
    "merged",
    "numbers",
    "opened",
    "select",
    "tree",
    "within",
]

NAME = "octo/demo"
START = datetime(2025, 6, 1, tzinfo=UTC)
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
WATERMARK = datetime(2026, 1, 1, tzinfo=UTC)  # what a feed says of its census
ALL = ResolutionFilter.ALL_RESOLVED


def merged(
    number: int, at: datetime, *, closed_at: datetime | None = None, **more: Any
) -> Snapshot:
    """A pull request merged `at`, and closed then, or at another moment."""
    return _resolved(number, "MERGED", at, closed_at or at, at, more)


def closed(number: int, at: datetime, **more: Any) -> Snapshot:
    """A pull request closed `at` without being merged."""
    return _resolved(number, "CLOSED", None, at, at, more)


def opened(number: int, at: datetime, **more: Any) -> Snapshot:
    """A pull request that is open, last touched `at`."""
    return _resolved(number, "OPEN", None, None, at, more)


class Writer:
    """The folder of one repository below `root`, and what is to stand in it."""

    def __init__(
        self, root: Path, *releases: Release, name: str = NAME, prereleases: bool = True
    ) -> None:
        self.root = root
        self.folder = root / name
        self.feed = Feed(name)
        self.feed.released(*releases)
        shaping = replace(self.feed.facts.shaping, prereleases=prereleases)
        self.feed.facts = replace(self.feed.facts, shaping=shaping)
        self._bookmark = Bookmark()

    @property
    def timeline(self) -> Timeline:
        return Timeline(self.feed.facts.releases, self.feed.facts.shaping)

    def put(self, *snapshots: Snapshot) -> None:
        for one in snapshots:
            pull = one.conversation
            event = resolution_event(pull.state, pull.merged_at, pull.closed_at)
            self.feed.put(one, self.timeline.bucket(event))

    def census(self, **changes: Any) -> None:
        """Let the census say something else than that all is known; after the last `put`."""
        census = replace(self.feed.facts.census, **changes)
        self.feed.facts = replace(self.feed.facts, census=census)

    def known_as(self, **names: str) -> None:
        """Let the repository have another id or name than a feed gives it."""
        facts = self.feed.facts
        self.feed.facts = replace(facts, repository=replace(facts.repository, **names))

    def released(self, *releases: Release) -> None:
        """The releases from now on; what they move is moved."""
        self.feed.released(*releases)
        for change in self.feed.changes(0):
            snapshot = change.snapshot()
            pull = snapshot.conversation
            event = resolution_event(pull.state, pull.merged_at, pull.closed_at)
            if (bucket := self.timeline.bucket(event)) != change.release:
                self.feed.move(change.number, bucket)

    async def write(self, *snapshots: Snapshot) -> Corpus:
        """Write `snapshots` and all before them, as a run does; the corpus to read."""
        self.put(*snapshots)
        return await self.flush()

    async def flush(self) -> Corpus:
        sink = open_sink(Destination(folder=self.folder))
        self._bookmark, _ = await deliver(self.feed, sink, self._bookmark, batch_size=100)
        return self.corpus()

    def corpus(self) -> Corpus:
        return History(self.root, sleep=never).corpus(self.feed.facts.repository.name)

    def file(self, number: int) -> Path:
        (found,) = self.folder.rglob(f"pr-{number}.md")
        return found


def within(start: datetime | None, end: datetime) -> Choose:
    """The window `[start, end)`, whatever the corpus holds."""
    return lambda _: Window(start, end)


def select(
    corpus: Corpus, start: datetime | None, end: datetime, resolution: ResolutionFilter = ALL
) -> Selection:
    return corpus.select(within(start, end), resolution)


def numbers(selection: Selection) -> list[int]:
    return [one.number for one in selection.selected]


def tree(root: Path) -> dict[str, tuple[bytes, int]]:
    """Name, bytes and time of change of everything below `root`."""
    found: dict[str, tuple[bytes, int]] = {}
    for path in sorted(root.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(root))] = (data, path.stat().st_mtime_ns)
    return found


def never(_: float) -> None:
    raise AssertionError("nothing here is in doubt, so nothing is waited for")


def _resolved(
    number: int,
    state: str,
    merged_at: datetime | None,
    closed_at: datetime | None,
    touched: datetime,
    more: dict[str, Any],
) -> Snapshot:
    found = sample(number)
    stamps: dict[str, Any] = {
        "state": state,
        "merged_at": merged_at,
        "closed_at": closed_at,
        "updated_at": touched,
        "created_at": min(found.conversation.created_at, touched),
    }
    return replace(found, conversation=replace(found.conversation, **{**stamps, **more}))
