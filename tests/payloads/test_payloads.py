"""Answers whose shape nobody here chose: read, rendered, parsed back, compared.

`recorded` ones were recorded by other projects and lie beside the repository, where they are; the
`small` ones are our own and show the same features everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

import pytest

from syncer.canonical import canonical_bytes, decode_conversation
from syncer.corpus import Timeline, folder_of, parse, place, render
from syncer.evidence import Connection, Snapshot, Status
from syncer.records import Comment
from syncer.repository import Release, Repository, Shaping
from tests.payloads.adapters import (
    Adapted,
    Said,
    from_exchanges,
    from_mirror,
    from_rest_releases,
)
from tests.payloads.reading import releases_of, snapshot_of

RECORDED = {
    "exchanges": "mergestat-graphql-prs-reviews-comments.json",
    "mirror": "sourcecred-example-github.json",
    "releases": "hub4j-rest-hub-releases.json",
}
REPOSITORY = Repository(id="R_1", name="o/r", current_name="o/r", web_url="https://github.com/o/r")
BOTH = pytest.mark.parametrize("origin", ["small", "recorded"])


@pytest.fixture
def payload(origin, request):
    """The JSON of a kind of payload, by the origin that the test is run for."""

    def read(kind: str):
        if origin == "small":
            return json.loads(Path(__file__).with_name(f"{kind}.json").read_bytes())
        path = request.getfixturevalue("shared") / "payloads" / RECORDED[kind]
        if not path.is_file():
            pytest.skip(f"{path.name} is not among the shared data")
        return json.loads(path.read_bytes())

    return read


def through_a_file(snapshot: Snapshot) -> Snapshot:
    """`snapshot` after it was rendered and parsed, checked to have lost nothing on the way."""
    data = render(snapshot, REPOSITORY)
    found = parse(data)
    assert found == snapshot
    assert render(found, REPOSITORY) == data
    record = snapshot.conversation
    assert decode_conversation(canonical_bytes(record)) == record
    return found


def said(snapshot: Snapshot) -> Said:
    record = snapshot.conversation
    lines = [comment for thread in record.review_threads for comment in thread.comments]
    entries: list[Comment] = [*record.comments, *record.reviews, *lines]
    found = {entry.id: (entry.author and entry.author.login, entry.body) for entry in entries}
    return found | {record.id: (record.author and record.author.login, record.body)}


def read_back(adapted: Iterable[Adapted]) -> list[Snapshot]:
    """Every conversation through a file, each word held against the foreign form."""
    found = []
    for one in adapted:
        snapshot = through_a_file(snapshot_of(one))
        assert said(snapshot) == one.said
        found.append(snapshot)
    return found


@BOTH
def test_exchanges_come_back_from_their_files_word_for_word(payload):
    found = read_back(from_exchanges(payload("exchanges")))
    records = [snapshot.conversation for snapshot in found]
    assert any(record.head_repository is None and record.title for record in records)
    assert any(not record.body and record.title for record in records)
    assert any("\r\n" in record.body for record in records)
    assert any(record.closed_at and not record.merged_at for record in records)
    assert {record.id[:3] for record in records} == {"PR_"}


@BOTH
def test_a_page_that_promises_more_is_not_taken_for_the_whole_listing(payload):
    listing, *_ = payload("exchanges")
    page = listing["response"]["body"]["data"]["repository"]["pullRequests"]
    assert page["pageInfo"]["hasNextPage"]
    numbers = [node["number"] for node in page["nodes"]]
    assert len(numbers) < max(numbers)  # issues share the numbers, so nothing follows from gaps


@BOTH
def test_a_connection_that_was_not_read_is_cut_and_one_that_was_is_exhausted(payload):
    for snapshot in read_back(from_exchanges(payload("exchanges"))):
        judged = snapshot.judged()
        for name in (Connection.COMMENTS, Connection.REVIEWS):
            nodes = len(getattr(snapshot.conversation, name.value))
            if nodes:
                assert (judged[name].status, judged[name].kept) == (Status.EXHAUSTED, nodes)
        assert judged[Connection.REVIEW_THREADS].status is Status.CUT
        assert judged[Connection.THREAD_COMMENTS].status is not Status.EXHAUSTED


@BOTH
def test_reviews_without_words_that_carry_line_comments_are_kept(payload):
    records = [s.conversation for s in read_back(from_exchanges(payload("exchanges")))]
    reviews = [review for record in records for review in record.reviews]
    assert any(not review.body and review.state == "COMMENTED" for review in reviews)
    assert any(review.state == "APPROVED" for review in reviews)


@BOTH
def test_a_pull_request_is_the_same_under_the_old_name_of_its_repository(payload):
    *_, one, other = payload("exchanges")
    asked = [exchange["request"]["body"]["variables"] for exchange in (one, other)]
    assert asked[0]["name"] != asked[1]["name"]
    first, second = (read_back(from_exchanges([exchange])) for exchange in (one, other))
    assert first == second


@BOTH
def test_a_mirror_comes_back_from_its_files_word_for_word(payload):
    mirror = payload("mirror")
    found = read_back(from_mirror(mirror))
    records = {snapshot.conversation.number: snapshot.conversation for snapshot in found}
    assert [pull["number"] for pull in mirror["pullRequests"]] == [3, 5, 9]
    assert [records[number].merged_at is None for number in (3, 5, 9)] == [False, False, True]
    assert [review.state for review in records[5].reviews] == ["CHANGES_REQUESTED", "APPROVED"]
    assert len(records[5].review_threads) == 1
    assert "\r\n" in records[5].body
    assert any(max(map(ord, record.title)) > 0xFFFF for record in records.values())


@BOTH
def test_a_deleted_account_stays_apart_from_every_other(payload):
    records = [snapshot.conversation for snapshot in read_back(from_mirror(payload("mirror")))]
    (mixed,) = [r for r in records if any(entry.author is None for entry in r.comments)]
    gone = [entry.author is None for entry in mixed.comments]
    assert gone[:3] == [True, False, True]


@BOTH
def test_what_was_not_asked_for_is_named_and_never_made_up(payload):
    for snapshot in read_back(from_mirror(payload("mirror"))):
        row = snapshot.judged()[Connection.PULL_REQUEST]
        assert row.status is not Status.EXHAUSTED
        assert "headRefName" in (row.reason or "")
        assert "title" not in (row.reason or "")


@BOTH
def test_both_forms_of_ids_are_kept_as_they_came(payload):
    legacy = read_back(from_mirror(payload("mirror")))
    modern = read_back(from_exchanges(payload("exchanges")))
    assert all(key.startswith("MD") for snapshot in legacy for key in said(snapshot))
    entries = [
        entry.id for s in modern for entry in (*s.conversation.comments, *s.conversation.reviews)
    ]
    assert entries
    assert all(key.startswith(("IC_", "PRR_")) for key in entries)


@BOTH
@pytest.mark.parametrize("prereleases", [True, False])
def test_every_release_is_a_point_with_the_window_that_its_bucket_says(payload, prereleases):
    releases = releases_of(from_rest_releases(payload("releases")))
    timeline = Timeline(releases, Shaping(prereleases=prereleases))
    points = _points(releases, prereleases=prereleases)
    assert {point.tag for point in timeline.points} == {release.tag_name for release in points}
    assert any(release.is_prerelease for release in releases)
    for release in points:
        for seconds in (-1, 0, 1):
            event = _published(release) + timedelta(seconds=seconds)
            bucket = timeline.bucket(event)
            later = [one for one in points if _published(one) > event]
            first = min(later, key=lambda one: (_published(one), one.id), default=None)
            assert bucket == (first and first.tag_name)
            assert bucket is None or event in timeline.window(bucket)


@BOTH
def test_every_release_has_a_folder_of_its_own_below_the_archive(payload):
    tags = [release["tag_name"] for release in payload("releases")]
    assert len({folder_of(tag) for tag in tags}) == len(tags)
    assert all(str(place(3, tag)).startswith("archive/pulls/") for tag in tags)
    assert [folder_of(tag) for tag in tags] == tags  # plain version numbers stay readable


@BOTH
def test_a_release_counts_from_its_publication_and_not_from_its_creation(payload):
    releases = [one for one in payload("releases") if not one["draft"]]
    assert all(one["created_at"] < one["published_at"] for one in releases)
    timeline = Timeline(releases_of(from_rest_releases(releases)), Shaping())
    stamps = [point.at.strftime("%Y-%m-%dT%H:%M:%SZ") for point in timeline.points]
    assert stamps == sorted(one["published_at"] for one in releases)


def _points(releases: Iterable[Release], *, prereleases: bool) -> list[Release]:
    published = [release for release in releases if release.published_at and not release.is_draft]
    return [release for release in published if prereleases or not release.is_prerelease]


def _published(release: Release):
    assert release.published_at is not None
    return release.published_at
