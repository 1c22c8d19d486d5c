"""What belongs to a window: by its event alone, to the second, from both tiers, by the manifests."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.corpus import LeafRef, Window
from syncer.history import Corpus, ResolutionFilter
from syncer.history.ask import meets
from syncer.testing.feed import release
from tests.history.corpora import (
    ALL,
    DAY,
    SECOND,
    START,
    Writer,
    closed,
    merged,
    numbers,
    opened,
    select,
    within,
)

END = START + 7 * DAY


async def test_the_start_is_inside_and_the_end_is_not_to_the_second(tmp_path: Path) -> None:
    corpus = await Writer(tmp_path).write(
        merged(1, START - SECOND),
        merged(2, START),
        merged(3, START + SECOND),
        merged(4, END - SECOND),
        merged(5, END),
        merged(6, END + SECOND),
    )

    assert numbers(select(corpus, START, END)) == [2, 3, 4]


async def test_fractions_of_a_bound_count(tmp_path: Path) -> None:
    half = timedelta(milliseconds=500)
    corpus = await Writer(tmp_path).write(merged(1, START), merged(2, END))

    assert numbers(select(corpus, START + half, END + half)) == [2]


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [
        pytest.param(START - DAY, START, [], id="the window ends with the merge"),
        pytest.param(START, START + SECOND, [7], id="the window is the second of the merge"),
        pytest.param(START + SECOND, END, [], id="the window begins as it was closed"),
    ],
)
async def test_a_merge_counts_by_its_own_stamp_though_it_was_closed_a_second_later(
    start: object, end: object, found: list[int], tmp_path: Path
) -> None:
    corpus = await Writer(tmp_path).write(merged(7, START, closed_at=START + SECOND))

    assert numbers(select(corpus, start, end)) == found  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("resolution", "found"),
    [
        (ResolutionFilter.MERGED, [1, 5]),
        (ResolutionFilter.CLOSED_UNMERGED, [2]),
        (ResolutionFilter.ALL_RESOLVED, [1, 2, 5]),
    ],
)
async def test_a_stamp_of_merging_decides_whatever_the_state_says(
    resolution: ResolutionFilter, found: list[int], tmp_path: Path
) -> None:
    corpus = await Writer(tmp_path).write(
        merged(1, START),
        closed(2, START + SECOND),
        opened(3, START + SECOND),
        closed(4, END),
        closed(5, START + 3 * SECOND, merged_at=START + 2 * SECOND),  # GitHub contradicts itself
    )

    selection = select(corpus, START, END, resolution)

    assert numbers(selection) == found
    assert all(resolution.admits(one.resolution) for one in selection.selected)


async def test_active_and_archived_are_one_history(tmp_path: Path) -> None:
    cut = release("v1", START + 3 * DAY)
    corpus = await Writer(tmp_path, cut).write(
        merged(1, START + DAY), merged(2, START + 3 * DAY - SECOND), merged(3, START + 3 * DAY)
    )

    selection = select(corpus, START, END)

    assert [(one.number, one.release) for one in selection.selected] == [
        (1, "v1"),
        (2, "v1"),
        (3, None),
    ]


async def test_order_is_by_event_and_then_by_number(tmp_path: Path) -> None:
    corpus = await Writer(tmp_path).write(
        merged(3, START), merged(1, START + SECOND), merged(2, START), closed(1003, START)
    )

    assert numbers(select(corpus, START, END)) == [2, 3, 1003, 1]


async def test_more_than_a_thousand_are_all_found(large: Corpus) -> None:
    selection = select(large, START, START + 1200 * timedelta(hours=1))

    assert numbers(selection) == list(range(1, 1201))
    assert {one.release for one in selection.selected} == {"v1", "v2", None}
    assert selection.is_whole


async def test_what_lies_outside_the_window_is_not_even_opened(tmp_path: Path) -> None:
    writer = Writer(tmp_path, release("v1", START))
    corpus = await writer.write(merged(1, START - DAY), merged(2, START + DAY))
    writer.file(1).write_bytes(b"damaged")
    writer.file(1).with_name("manifest.json").write_bytes(b"damaged too")

    selection = select(corpus, START, END)

    assert numbers(selection) == [2]
    assert selection.is_whole


async def test_the_fields_of_a_row_are_those_of_its_file(tmp_path: Path) -> None:
    corpus = await Writer(tmp_path).write(merged(4, START, title="# “A” title\n---"))

    (one,) = select(corpus, START, END).selected

    assert (one.title, one.author) == ("# “A” title\n---", None)
    assert one.url == "https://github.example/octo/demo/pull/4"
    assert (one.counts.comments, one.counts.review_thread_comments) == (1, 1)


async def test_the_conversations_follow_the_selection(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    corpus = await writer.write(merged(1, START), merged(2, START + DAY), merged(3, END))
    selection = corpus.select(within(START, END), ALL)

    found = [one async for one in corpus.snapshots(selection, selection.selected)]

    assert [one.conversation.number for one in found] == [1, 2]
    assert found[0] == merged(1, START)


stamps = st.integers(0, 50).map(lambda second: START + second * SECOND)


@given(st.lists(stamps, max_size=5), stamps, stamps)
def test_a_leaf_is_passed_over_only_if_nothing_in_it_can_be_meant(
    resolved: list[object], start: object, end: object
) -> None:
    window = Window(start, end)  # type: ignore[arg-type]
    leaf = LeafRef(
        path="pulls/0000000/manifest.json",
        kind="pulls",
        release=None,
        count=5,
        incomplete=0,
        resolved_from=min(resolved, default=None),  # type: ignore[type-var,arg-type]
        resolved_to=max(resolved, default=None),  # type: ignore[type-var,arg-type]
        digest="",
    )

    assert meets(leaf, window) or not any(stamp in window for stamp in resolved)  # type: ignore[operator]
