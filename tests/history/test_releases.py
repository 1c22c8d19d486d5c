"""The window of a release and the folder of the release are one rule, seen from two sides."""

from __future__ import annotations

import asyncio
import tempfile
from datetime import timedelta
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from syncer.corpus import Window
from syncer.history import Corpus, Overview, Selection
from syncer.repository import Release
from syncer.testing.feed import release
from tests.history.corpora import ALL, DAY, SECOND, START, Writer, merged, numbers

FAR = START + 10_000 * DAY


def cut(corpus: Corpus, tag: str) -> Selection:
    return corpus.select(lambda overview: overview.timeline.window(tag), ALL)


def in_folders(corpus: Corpus) -> dict[str | None, set[int]]:
    """The numbers by the bucket that their file stands in."""
    rows = corpus.rows(count=10_000).rows
    found: dict[str | None, set[int]] = {}
    for row in rows:
        found.setdefault(row.release, set()).add(row.number)
    return found


async def test_a_backport_takes_what_was_resolved_since_the_release_before_it(
    tmp_path: Path,
) -> None:
    # v1.9.5 was published after v2.0, so what came between is its.
    releases = [
        release("v1.9", START + DAY),
        release("v2.0", START + 2 * DAY),
        release("v1.9.5", START + 3 * DAY),
    ]
    corpus = await Writer(tmp_path, *releases).write(
        merged(1, START),
        merged(2, START + DAY),
        merged(3, START + 2 * DAY - SECOND),
        merged(4, START + 2 * DAY, base_ref_name="release-1.9"),
        merged(5, START + 3 * DAY),
    )

    assert [numbers(cut(corpus, tag)) for tag in ("v1.9", "v2.0", "v1.9.5")] == [[1], [2, 3], [4]]
    assert in_folders(corpus) == {"v1.9": {1}, "v2.0": {2, 3}, "v1.9.5": {4}, None: {5}}


async def test_of_releases_at_one_moment_the_first_holds_all_and_the_others_nothing(
    tmp_path: Path,
) -> None:
    corpus = await Writer(tmp_path, release("b", START), release("a", START)).write(
        merged(1, START - SECOND), merged(2, START)
    )

    assert [numbers(cut(corpus, tag)) for tag in ("a", "b")] == [[1], []]
    assert in_folders(corpus) == {"a": {1}, None: {2}}


async def test_the_first_release_reaches_back_to_the_beginning(tmp_path: Path) -> None:
    corpus = await Writer(tmp_path, release("v1", START)).write(merged(1, START - 9000 * DAY))

    selection = cut(corpus, "v1")

    assert (selection.window.start, numbers(selection)) == (None, [1])


async def test_prereleases_are_cuts_by_the_setting_of_the_corpus_alone(tmp_path: Path) -> None:
    candidate = replace(release("v1-rc", START), is_prerelease=True)
    releases = (candidate, release("v1", START + DAY))
    pulls = (merged(1, START - SECOND), merged(2, START))
    with_them = await Writer(tmp_path / "with", *releases).write(*pulls)
    without = await Writer(tmp_path / "without", *releases, prereleases=False).write(*pulls)

    assert (numbers(cut(with_them, "v1-rc")), numbers(cut(with_them, "v1"))) == ([1], [2])
    assert numbers(cut(without, "v1")) == [1, 2]


async def test_a_release_that_appears_later_takes_its_pull_requests_with_it(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    await writer.write(merged(1, START), merged(2, START + DAY))
    writer.released(release("v1", START + SECOND))

    corpus = await writer.flush()

    assert numbers(cut(corpus, "v1")) == [1]


moments = st.integers(0, 12).map(lambda hour: START + timedelta(hours=hour))
points = st.lists(
    st.builds(
        lambda tag, at, pre: replace(release(tag, at), is_prerelease=pre),
        st.sampled_from(["v1", "v2", "V2", "a/b", "v1.9.5", "con"]),
        moments,
        st.booleans(),
    ),
    max_size=5,
    unique_by=lambda one: one.tag_name,
)


@settings(max_examples=25)
@given(points, st.lists(moments, min_size=1, max_size=12), st.booleans())
def test_window_and_folder_agree_for_every_pull_request(
    releases: list[Release], resolved: list[object], prereleases: bool
) -> None:
    with tempfile.TemporaryDirectory() as root:
        writer = Writer(Path(root), *releases, prereleases=prereleases)
        pulls = [merged(number, at) for number, at in enumerate(resolved, 1)]  # type: ignore[arg-type]
        corpus = asyncio.run(writer.write(*pulls))

        folders = in_folders(corpus)
        tags = [point.tag for point in writer.timeline.points]
        found: dict[str | None, set[int]] = {tag: set(numbers(cut(corpus, tag))) for tag in tags}
        found[None] = set(numbers(corpus.select(_after_all, ALL)))

    assert {tag: held for tag, held in found.items() if held} == folders


def _after_all(overview: Overview) -> Window:
    points = overview.timeline.points
    return Window(points[-1].at if points else None, FAR)
