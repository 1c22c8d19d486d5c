from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from syncer.testing.github import Shape, dump, generate, load, parse
from syncer.testing.github.dataset import Account
from syncer.testing.github.expected import expected

REAL = Path(__file__).parents[4] / "shared" / "data" / "real-project.json"


def test_what_is_written_is_read_again():
    data = generate(2, 40, Shape(huge_bodies=3, orphans=2))
    assert parse(dump(data)) == data


def test_loading_twice_gives_the_same_ids(small):
    assert parse(dump(small)) == small


def test_missing_ids_are_filled_around_those_that_are_there():
    pulls = [
        {
            "number": n,
            "title": "",
            "body": "",
            "author": "a",
            "state": "OPEN",
            "createdAt": "2024-01-01T00:00:00Z",
            "updatedAt": "2024-01-01T00:00:00Z",
            "labels": ["x"],
            **more,
        }
        for n, more in ((1, {}), (2, {"databaseId": 1_000_001}), (3, {}))
    ]
    data = parse(json.dumps({"repository": "o/r", "pullRequests": pulls}).encode())
    ids = [pull.database_id for pull in data.pull_requests]
    assert len(set(ids)) == 3
    assert 0 not in ids
    assert ids[1] == 1_000_001
    assert len({pull.labels[0] for pull in data.pull_requests}) == 1
    assert len({id(pull.author) for pull in data.pull_requests}) == 1


def test_a_login_alone_is_a_user(small):
    assert small.pull_requests[1].author == Account(
        login="b", database_id=small.pull_requests[1].author.database_id
    )


@pytest.mark.parametrize(
    "stamp", ["2024-01-01", "2024-01-01T00:00:00+02:00", "2024-01-01T00:00:00.5Z"]
)
def test_a_stamp_in_another_form_is_refused_with_its_place(stamp):
    pull = {
        "number": 1,
        "title": "",
        "body": "",
        "author": None,
        "state": "OPEN",
        "createdAt": stamp,
        "updatedAt": stamp,
    }
    with pytest.raises(msgspec.ValidationError, match=r"\$\.pullRequests\[0\]\.createdAt"):
        parse(json.dumps({"repository": "o/r", "pullRequests": [pull]}).encode())


def test_a_lone_surrogate_survives_writing_and_reading():
    pull = {
        "number": 1,
        "title": "\ud83d",
        "body": "",
        "author": None,
        "state": "OPEN",
        "createdAt": "2024-01-01T00:00:00Z",
        "updatedAt": "2024-01-01T00:00:00Z",
    }
    data = parse(json.dumps({"repository": "o/r", "pullRequests": [pull]}).encode())
    assert parse(dump(data)).pull_requests[0].title == "\ud83d"


@pytest.mark.skipif(not REAL.exists(), reason="the real project's data is not here")
def test_a_real_project_loads_from_its_loose_form():
    data = load(REAL)
    given = json.loads(REAL.read_bytes())
    found = expected(data)
    assert len(data.releases) == len(given["releases"])
    assert sorted(found) == sorted(pull["number"] for pull in given["pullRequests"])
    for pull in given["pullRequests"]:
        said = sorted(comment["body"] for comment in pull["comments"])
        assert sorted(comment.body for comment in found[pull["number"]].comments) == said
        author = found[pull["number"]].author
        assert (author and author.login) == pull["author"]
