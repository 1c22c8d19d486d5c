"""One conversation as one line: whole, stable, and one line whatever it says."""

from __future__ import annotations

import json

from hypothesis import given, settings
from msgspec import to_builtins
from msgspec.structs import replace

from syncer.canonical import revision_of
from syncer.evidence import Snapshot
from syncer.export import export_line
from syncer.repository import Repository
from syncer.testing.samples import HOSTILE_TEXT, sample
from tests.strategies import snapshots

REPOSITORY = Repository(
    id="R_1", name="octo/demo", current_name="octo/new", web_url="https://github.example"
)


@given(snapshots())
@settings(max_examples=60)
def test_the_line_says_all_that_the_record_says(snapshot: Snapshot) -> None:
    data = export_line(snapshot, REPOSITORY)
    assert data.endswith(b"\n")
    assert data.count(b"\n") == 1
    line = json.loads(data)
    threads = [thread.pop("connection") for thread in line["reviewThreads"]]
    record = to_builtins(snapshot.conversation)
    assert {key: line[key] for key in record} == json.loads(json.dumps(record))
    assert line["revision"] == revision_of(snapshot.conversation)
    statuses = [snapshot.threads.get(t.id) for t in snapshot.conversation.review_threads]
    assert [t["status"] for t in threads] == [s.status if s else "unknown" for s in statuses]
    assert {k: c["status"] for k, c in line["connections"].items()} == {
        k: c.status for k, c in snapshot.judged().items()
    }


def test_the_keys_stand_in_the_order_that_is_documented() -> None:
    keys = list(json.loads(export_line(sample(7), REPOSITORY)))
    assert keys[:3] == ["id", "fullDatabaseId", "number"]
    assert keys[-9:] == [
        "labels",
        "closingIssues",
        "comments",
        "reviews",
        "reviewThreads",
        "repository",
        "url",
        "revision",
        "connections",
    ]


def test_the_address_uses_the_name_first_synced() -> None:
    line = json.loads(export_line(sample(7), REPOSITORY))
    assert line["repository"] == "octo/demo"
    assert line["url"] == "https://github.example/octo/demo/pull/7"


def test_hostile_text_stays_in_its_line() -> None:
    for text in HOSTILE_TEXT:
        data = export_line(sample(1, title=text, body=text), REPOSITORY)
        line = json.loads(data)
        assert data.count(b"\n") == 1
        assert (line["title"], line["body"]) == (text, text)


def test_the_order_of_reading_does_not_show() -> None:
    found = sample(1)
    two = (found.conversation.comments[0], replace(found.conversation.comments[0], id="IC_0"))
    lines = {
        export_line(
            replace(found, conversation=replace(found.conversation, comments=order)), REPOSITORY
        )
        for order in (two, two[::-1])
    }
    assert len(lines) == 1
