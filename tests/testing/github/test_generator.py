from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from itertools import chain

import pytest

from syncer.testing.github import Dataset, Shape, dump, generate
from syncer.testing.github.hostile import BODIES, TAGS

FULL = Shape(
    long_conversation=3000,
    long_thread=150,
    many_reviews=400,
    many_threads=101,
    huge_bodies=6,
    orphans=2,
)


@pytest.fixture(scope="module")
def data() -> Dataset:
    return generate(11, 1200, FULL)


def entries(data: Dataset):
    for pull in data.pull_requests:
        threads = chain.from_iterable(thread.comments for thread in pull.review_threads)
        yield from chain(pull.comments, pull.reviews, threads)


def test_the_same_seed_gives_the_same_bytes():
    assert dump(generate(4, 60, FULL)) == dump(generate(4, 60, FULL))


def test_another_seed_or_size_gives_another_repository():
    assert len({dump(generate(seed, size)) for seed, size in ((1, 30), (2, 30), (1, 31))}) == 3


def test_numbers_rise_and_have_holes(data):
    numbers = [pull.number for pull in data.pull_requests]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] > len(numbers) * 1.2


def test_no_two_nodes_of_a_kind_share_an_id(data):
    groups = [
        [pull.database_id for pull in data.pull_requests],
        [release.database_id for release in data.releases],
        [c.database_id for pull in data.pull_requests for c in pull.comments],
        [r.database_id for pull in data.pull_requests for r in pull.reviews],
        [t.database_id for pull in data.pull_requests for t in pull.review_threads],
        [
            c.database_id
            for pull in data.pull_requests
            for t in pull.review_threads
            for c in t.comments
        ],
    ]
    for ids in groups:
        assert 0 not in ids
        assert len(ids) == len(set(ids))


def test_most_conversations_are_short_and_some_are_long(data):
    sizes = sorted(len(pull.comments) for pull in data.pull_requests)
    assert sizes[len(sizes) // 2] <= 2
    assert sizes[len(sizes) * 9 // 10] <= 8
    assert sizes[-2] > 20
    assert sizes[-1] >= 3000


def test_the_special_conversations_have_their_sizes(data):
    pulls = data.pull_requests
    assert max(len(pull.reviews) for pull in pulls) == 400
    assert max(len(t.comments) for pull in pulls for t in pull.review_threads) == 150
    assert max(len(pull.review_threads) for pull in pulls) >= 101
    assert sum(len(r.orphans) for pull in pulls for r in pull.reviews) == 2
    longest = [entry.body for entry in entries(data) if len(entry.body) >= 20_000]
    assert len(longest) == 6
    assert max(len(body.encode()) for body in longest) == 262_144


def test_every_hostile_body_and_tag_occurs(data):
    bodies = {entry.body for entry in entries(data)} | {pull.body for pull in data.pull_requests}
    assert set(BODIES) <= bodies
    assert set(TAGS) <= {release.tag_name for release in data.releases}


def test_every_kind_of_account_and_of_absence_occurs(data):
    kinds = Counter(entry.author.kind if entry.author else None for entry in entries(data))
    assert {None, "Bot", "Mannequin", "Organization", "EnterpriseUserAccount", "User"} <= set(kinds)
    assert "KindOfTomorrow" in kinds
    assert "ghost" in {entry.author.login for entry in entries(data) if entry.author}
    assert {None, "person-001/generated"} < {pull.head_repository for pull in data.pull_requests}
    assert any(entry.is_minimized for entry in entries(data))


def test_drafts_of_the_viewer_and_of_others_occur(data):
    drafts = [r for pull in data.pull_requests for r in pull.reviews if r.state == "PENDING"]
    assert {r.author.login == "viewer" for r in drafts if r.author} == {True, False}
    assert all(r.submitted_at is None for r in drafts)
    threads = [t for pull in data.pull_requests for t in pull.review_threads]
    states = {frozenset(c.state for c in t.comments) for t in threads}
    assert {frozenset({"PENDING"}), frozenset({"PENDING", "SUBMITTED"})} < states


def test_threads_on_lines_ranges_files_and_outdated_code_occur(data):
    threads = [t for pull in data.pull_requests for t in pull.review_threads]
    assert any(t.subject_type == "FILE" and t.line is t.original_line is None for t in threads)
    assert any(t.is_outdated and t.line is None and t.original_line for t in threads)
    assert any(t.start_line for t in threads)
    assert {True, False} == {t.is_resolved for t in threads}


def test_releases_have_backports_ties_prereleases_and_a_draft(data):
    published = [r.published_at for r in data.releases if r.published_at]
    assert len(published) > len(set(published))
    assert any(r.is_prerelease for r in data.releases)
    assert [r.published_at for r in data.releases if r.is_draft] == [None]
    assert "v0.9.2" in {r.tag_name for r in data.releases}


def test_resolutions_fall_on_and_beside_release_points(data):
    points = {datetime.fromisoformat(r.published_at) for r in data.releases if r.published_at}
    events = [pull.merged_at or pull.closed_at for pull in data.pull_requests]
    moments = {datetime.fromisoformat(event) for event in events if event}
    for seconds in (-1, 0, 1):
        assert any(moment - timedelta(seconds=seconds) in points for moment in moments)


def test_some_merged_pull_requests_were_closed_a_second_later(data):
    differ = [p for p in data.pull_requests if p.merged_at and p.merged_at != p.closed_at]
    assert 0 < len(differ) < 100


def test_nothing_loud_is_newer_than_the_pull_requests_stamp(data):
    for pull in data.pull_requests:
        loud = [pull.created_at, pull.closed_at or "", pull.merged_at or ""]
        loud += [c.created_at for c in pull.comments]
        loud += [r.submitted_at for r in pull.reviews if r.submitted_at]
        assert pull.updated_at >= max(loud)


def test_nothing_is_hostile_or_odd_where_that_is_not_wanted():
    data = generate(1, 150, Shape(hostile=False, drafts=False))
    said = [*entries(data), *data.pull_requests]
    assert not any(chr(0) in entry.body or "\r" in entry.body for entry in said)
    assert not any(r.state == "PENDING" for pull in data.pull_requests for r in pull.reviews)
    assert not any(r.orphans for pull in data.pull_requests for r in pull.reviews)
