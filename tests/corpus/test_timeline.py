"""One rule for buckets and windows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.corpus import Timeline, UnknownReleaseError
from syncer.records import resolution_event
from syncer.repository import Release, Shaping
from tests.strategies import releases, stamps

SECOND = timedelta(seconds=1)


def day(n: int) -> datetime:
    return datetime(2026, 1, n, tzinfo=UTC)


def release(
    tag: str, at: datetime | None, *, id: str = "", draft: bool = False, pre: bool = False
) -> Release:
    return Release(id=id or tag, tag_name=tag, published_at=at, is_draft=draft, is_prerelease=pre)


def timeline(*listed: Release, prereleases: bool = True) -> Timeline:
    return Timeline(listed, Shaping(prereleases=prereleases))


@given(releases(), st.booleans(), st.lists(stamps(), min_size=1))
def test_a_stamp_is_in_the_window_of_its_bucket_and_in_no_other(listed, prereleases, probes):
    line = timeline(*listed, prereleases=prereleases)
    edges = [
        edge for point in line.points for edge in (point.at - SECOND, point.at, point.at + SECOND)
    ]

    for stamp in probes + edges:
        holders = [point.tag for point in line.points if stamp in line.window(point.tag)]
        assert holders == [tag for tag in [line.bucket(stamp)] if tag is not None]
        assert (holders == []) == all(point.at <= stamp for point in line.points)


@given(releases())
def test_the_windows_follow_each_other_without_gap_or_overlap(listed):
    line = timeline(*listed)
    windows = [line.window(point.tag) for point in line.points]

    assert [window.start for window in windows] == [None, *(w.end for w in windows[:-1])][
        : len(windows)
    ]
    assert [line.previous(point.tag) for point in line.points] == [
        None,
        *(p.tag for p in line.points),
    ][: len(windows)]


@given(releases(), st.randoms(), stamps())
def test_the_order_of_listing_does_not_matter(listed, dice, stamp):
    shuffled = list(listed)
    dice.shuffle(shuffled)

    assert timeline(*shuffled).points == timeline(*listed).points
    assert timeline(*shuffled).bucket(stamp) == timeline(*listed).bucket(stamp)


def test_a_release_holds_what_was_resolved_before_it_to_the_second():
    line = timeline(release("v1", day(10)), release("v2", day(20)))

    assert line.bucket(day(1)) == "v1"
    assert line.bucket(day(10) - SECOND) == "v1"
    assert line.bucket(day(10)) == "v2"
    assert line.bucket(day(10) + SECOND) == "v2"
    assert line.bucket(day(20)) is None
    assert line.bucket(None) is None


def test_a_backport_published_late_takes_its_place_on_the_time_line():
    line = timeline(release("v1.9", day(5)), release("v2.0", day(10)), release("v1.9.5", day(15)))

    assert [line.bucket(day(n)) for n in (4, 9, 14, 16)] == ["v1.9", "v2.0", "v1.9.5", None]


def test_of_releases_that_share_a_stamp_the_first_by_id_holds_all():
    line = timeline(
        release("b", day(5), id="2"), release("a", day(5), id="1"), release("c", day(6))
    )

    assert line.bucket(day(4)) == "a"
    assert line.window("b").start == line.window("b").end == day(5)
    assert day(5) not in line.window("b")
    assert line.bucket(day(5)) == "c"
    assert line.window("c").start == day(5)


def test_drafts_are_no_release_points_even_with_a_stamp():
    line = timeline(
        release("d", None, draft=True), release("e", day(9), draft=True), release("v1", day(10))
    )

    assert line.bucket(day(1)) == "v1"
    assert [point.tag for point in line.points] == ["v1"]


def test_a_draft_of_the_same_tag_does_not_hide_the_published_release():
    listed = (release("v1", day(10)), release("v1", None, id="2", draft=True))

    assert timeline(*listed).window("v1").end == day(10)
    assert timeline(*reversed(listed)).window("v1").end == day(10)


def test_a_tag_listed_twice_is_one_point_the_earliest():
    line = timeline(release("v1", day(10), id="1"), release("v1", day(5), id="2"))

    assert line.bucket(day(4)) == "v1"
    assert line.bucket(day(7)) is None


def test_prereleases_count_by_setting():
    listed = (release("v1-rc", day(5), pre=True), release("v1", day(10)))

    assert timeline(*listed).bucket(day(1)) == "v1-rc"
    assert timeline(*listed, prereleases=False).bucket(day(1)) == "v1"


def test_a_new_a_deleted_and_a_redated_release_move_only_what_they_enclose():
    before = (release("v1", day(10)), release("v2", day(20)))
    days = range(1, 30)

    def moved(*after: Release) -> list[int]:
        return [
            n for n in days if timeline(*before).bucket(day(n)) != timeline(*after).bucket(day(n))
        ]

    assert moved(*before, release("v2.1", day(25))) == list(range(20, 25))
    assert moved(before[1]) == list(range(1, 10))
    assert moved(release("v1", day(12)), before[1]) == [10, 11]


def test_more_than_a_hundred_releases_are_one_line():
    line = timeline(*(release(f"v{n}", day(1) + n * SECOND) for n in range(250)))

    assert [line.bucket(day(1) + n * SECOND) for n in range(249)] == [
        f"v{n + 1}" for n in range(249)
    ]


@pytest.mark.parametrize(
    ("tag", "why"),
    [("v9", "not known"), ("d", "draft"), ("rc", "prerelease")],
)
def test_a_tag_that_is_no_release_point_is_refused_by_name(tag, why):
    line = timeline(
        release("v1", day(1)),
        release("d", None, draft=True),
        release("rc", day(2), pre=True),
        prereleases=False,
    )

    with pytest.raises(UnknownReleaseError, match=f"'{tag}'.*{why}") as caught:
        line.window(tag)
    assert caught.value.tag == tag
    assert caught.value.exit_status == 2


@pytest.mark.parametrize(
    ("state", "merged", "closed", "bucket"),
    [
        ("MERGED", day(9), day(10), "v1"),
        ("CLOSED", day(9), day(11), "v1"),
        ("OPEN", day(9), None, "v1"),
        ("CLOSED", None, day(10), None),
        ("CLOSED", None, day(9), "v1"),
        ("OPEN", None, None, None),
        ("OPEN", None, day(9), None),
    ],
)
def test_merging_decides_where_a_pull_request_belongs(state, merged, closed, bucket):
    line = timeline(release("v1", day(10)))

    assert line.bucket(resolution_event(state, merged, closed)) == bucket
