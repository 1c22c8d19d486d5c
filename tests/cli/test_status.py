"""`syncer status` reads, and only reads, what is known."""

from __future__ import annotations

import json
import shutil
from datetime import datetime
from pathlib import Path

import pytest

from syncer.testing.github import Simulator
from syncer.testing.github.faults import null_connection
from tests.cli.conftest import NAME, Run
from tests.cli.harness import tree

KEYS = {
    "repository",
    "source",
    "complete",
    "watermark",
    "totalCount",
    "discrepancy",
    "conversations",
    "connections",
    "behind",
    "unread",
    "queued",
    "problems",
    "sinks",
    "runs",
    "exit",
    "message",
}


def test_a_whole_repository_is_complete_by_its_store(run: Run, synced: Path) -> None:
    done = run("status", "--root", synced, "--json")

    assert done.status == 0
    assert done.object.keys() == KEYS
    assert (done.object["repository"], done.object["source"]) == (NAME, "store")
    assert done.object["conversations"] == {
        "known": 30,
        "stored": 30,
        "incomplete": 0,
        "behind": 0,
        "unread": 0,
    }
    assert done.object["sinks"]["corpus"]["position"] == done.object["sinks"]["corpus"]["head"]
    assert done.object["runs"] == []


def test_without_its_store_the_corpus_tells_the_same(run: Run, synced: Path) -> None:
    by_store = run("status", NAME, "--root", synced, "--json").object
    shutil.rmtree(synced / NAME / ".syncer")

    by_corpus = run("status", NAME, "--root", synced, "--json").object

    assert by_corpus["source"] == "corpus"
    for key in KEYS - {"source", "connections", "sinks"}:
        assert by_corpus[key] == by_store[key], key


@pytest.mark.parametrize("source", ["store", "corpus"])
def test_what_is_incomplete_is_named_and_ends_in_3(
    run: Run, github: Simulator, tmp_path: Path, source: str
) -> None:
    github.fail(null_connection("PullRequest.comments"), times=None)
    told = run("sync", NAME, "--root", tmp_path, "--json").object["problems"]
    if source == "corpus":
        shutil.rmtree(tmp_path / NAME / ".syncer")

    done = run("status", "--root", tmp_path, "--json")

    assert done.status == done.object["exit"] == 3
    assert done.object["problems"] == told
    assert done.object["conversations"]["incomplete"] == len(told) > 0


def test_queued_work_is_told_with_its_cause_its_age_and_its_next_try(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    github.fail(null_connection("PullRequest.comments"), times=None)
    run("sync", NAME, "--root", tmp_path)

    done = run("status", "--root", tmp_path, "--json")
    text = run("status", "--root", tmp_path)

    first = done.object["queued"][0]
    assert (first["reason"], first["tries"]) == ("comments: unreadable", 1)
    assert first["since"] < first["nextTry"]
    assert f"#{first['number']} since 20" in text.out
    assert "tries 1, next 20" in text.out


def test_runs_are_told_newest_first_with_what_they_printed(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    printed = [
        run("sync", NAME, "--root", tmp_path, "--json", *words).object
        for words in (["--max-points", "2"], [], [])
    ]

    runs = run("status", NAME, "--root", tmp_path, "--json", "--runs", "2").object["runs"]

    assert [one["summary"] for one in runs] == printed[:0:-1]
    assert [one["exit"] for one in runs] == [0, 0]
    for one in runs:
        began, ended = (datetime.fromisoformat(one[key]) for key in ("startedAt", "endedAt"))
        assert began <= ended


def test_looking_changes_nothing(run: Run, synced: Path) -> None:
    before = tree(synced)
    state = (synced / NAME / ".syncer" / "state.db").read_bytes()

    run("status", "--root", synced)

    assert tree(synced) == before
    assert (synced / NAME / ".syncer" / "state.db").read_bytes() == state


def test_one_damaged_store_hides_no_other_repository(run: Run, synced: Path) -> None:
    shutil.copytree(synced / NAME, synced / "a" / "damaged")
    (synced / "a" / "damaged" / ".syncer" / "state.db").write_bytes(b"nothing of ours")

    done = run("status", "--root", synced, "--json")

    damaged, whole = done.objects
    assert done.status == damaged["exit"] == 6
    assert damaged["message"] is not None
    assert damaged.keys() == whole.keys()
    assert whole["exit"] == 0


def test_a_corpus_without_census_is_not_taken_for_complete(run: Run, synced: Path) -> None:
    shutil.rmtree(synced / NAME / ".syncer")
    (synced / NAME / "census.json").unlink()

    done = run("status", "--root", synced, "--json")

    assert (done.status, done.object["watermark"]) == (3, None)


def test_a_repository_is_found_by_its_new_name_and_in_any_case(run: Run, synced: Path) -> None:
    manifest = synced / NAME / "manifest.json"
    name = json.loads(manifest.read_text())["repository"]["currentName"]

    assert name == NAME
    assert run("status", NAME.upper(), "--root", synced).status == 0


def test_a_root_that_is_not_there_ends_in_7(run: Run, tmp_path: Path) -> None:
    done = run("status", "--root", tmp_path / "nowhere")

    assert done.status == 7
    assert "there is no folder" in done.err
