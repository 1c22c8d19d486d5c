"""`syncer sync` as a job meets it: what it prints, what it leaves, and what it exits with."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from syncer.store.lock import hold
from syncer.testing.github import Access, Simulator, Viewer
from syncer.testing.github.faults import connection_reset, null_connection, null_node, primary_limit
from tests.cli.conftest import NAME, Run
from tests.cli.harness import TOKEN, tree

# DESIGN of the summary: these keys are what jobs build on.
KEYS = {
    "repository",
    "complete",
    "conversations",
    "connections",
    "requests",
    "points",
    "pointsPlanned",
    "durationS",
    "sinks",
    "problems",
    "exit",
    "message",
}


def test_a_first_run_reads_everything_and_says_so_under_stable_keys(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    done = run("sync", NAME, "--root", tmp_path, "--json")

    assert done.status == 0
    assert done.object.keys() == KEYS
    assert done.object["complete"] is True
    assert done.object["exit"] == 0
    assert done.object["conversations"] == {
        "total": 30,
        "read": 30,
        "unchanged": 0,
        "incomplete": 0,
        "behind": 0,
    }
    assert done.object["connections"].keys() == {"exhausted", "short", "cut", "unknown"}
    assert done.object["sinks"] == {"corpus": {"written": 30, "moved": 0, "removed": 0}}
    assert done.object["points"] == done.object["pointsPlanned"] == github.points
    assert len(list(tmp_path.glob(f"{NAME}/**/pr-*.md"))) == 30


def test_a_run_with_nothing_new_is_one_request_and_writes_nothing(
    run: Run, github: Simulator, synced: Path
) -> None:
    before = tree(synced)
    github.clock.advance(3600)

    done = run("sync", NAME, "--root", synced, "--json")

    assert (done.status, done.object["requests"]) == (0, 1)
    assert done.object["sinks"] == {"corpus": {"written": 0, "moved": 0, "removed": 0}}
    assert tree(synced) == before


def test_without_json_the_summary_is_for_people(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    done = run("sync", NAME, "--root", tmp_path)

    assert done.out.startswith(f"{NAME}: complete\n")
    assert "30 known: 30 read" in done.out
    assert "0 short, 0 cut" in done.out


def test_progress_tells_what_is_known_and_left_and_what_it_cost(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    done = run("sync", NAME, "--root", tmp_path)

    assert re.search(
        rf"^{NAME}: reading, \d+ of 30 left; \d+ points? used, 49\d\d left, reset in \d+ min$",
        done.err,
        re.MULTILINE,
    )


def test_a_json_log_is_json_in_every_line(run: Run, github: Simulator, tmp_path: Path) -> None:
    done = run("sync", NAME, "no/such", "--root", tmp_path, "--log-format", "json")

    lines = [json.loads(line) for line in done.err.splitlines()]
    assert {"progress", "message"} == {line["event"] for line in lines}
    assert all(line.keys() >= {"time", "level", "event"} for line in lines)
    (failure,) = [line for line in lines if line["level"] == "error"]
    assert failure["status"] == 4
    assert any(line.get("known") == 30 and "resetInS" in line for line in lines)


def test_one_failing_repository_stops_no_other_and_outweighs_it(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    done = run("sync", "example-org/unknown", NAME, "--root", tmp_path, "--json")

    unknown, found = done.objects
    assert done.status == unknown["exit"] == 4
    assert (unknown["repository"], unknown["complete"]) == ("example-org/unknown", False)
    assert "Check the spelling" in unknown["message"]
    assert unknown.keys() == found.keys() == KEYS
    assert (found["repository"], found["exit"]) == (NAME, 0)


def test_a_repository_named_twice_is_read_once(run: Run, github: Simulator, tmp_path: Path) -> None:
    done = run("sync", NAME, NAME.upper(), NAME, "--root", tmp_path, "--json")

    assert [one["exit"] for one in done.objects] == [0]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["sync"], "Missing argument"),
        (["sync", "nonsense"], "write OWNER/REPO"),
        (["sync", NAME, "--sink", "nowhere"], "there is no sink 'nowhere'; installed are corpus"),
        (["sync", NAME, "--sink", "corpus:color"], "NAME:KEY=VALUE"),
        (["sync", NAME, "--sink", "corpus:a=1", "--sink", "corpus:a=2"], "a is given twice"),
        (["sync", NAME, "--sink", "corpus:colour=red"], "has no option 'colour'"),
        (["sync", NAME, "--concurrency", "0"], "--concurrency"),
        (["sync", NAME, "--page-size", "101"], "--page-size"),
        (["sync", NAME, "--batch-ids", "101"], "--batch-ids"),
        (["sync", NAME, "--margin", "-1"], "--margin"),
        (["sync", NAME, "--max-points", "0"], "--max-points"),
        (["sync", NAME, "--nonsense"], "No such option"),
        (["nonsense"], "No such command"),
        (["reindex", NAME, "1", "--local"], "leave out the numbers"),
        (["status", "example-org/other"], "is not below"),
        (["verify"], "there is no repository below"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_usage_ends_in_2_and_names_what_to_mend(
    run: Run,
    github: Simulator,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)

    done = run(*words)

    assert done.status == 2
    assert says in done.err
    assert not list(tmp_path.glob(f"{NAME}/**/*.md"))


def test_a_slip_in_one_name_is_found_before_anything_is_asked(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    assert run("sync", NAME, "a slip", "--root", tmp_path).status == 2
    assert github.requests == 0


def test_without_a_token_both_variables_are_named(
    run: Run, github: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")

    done = run("sync", NAME, "--root", tmp_path)

    assert done.status == 2
    assert "GITHUB_TOKEN" in done.err
    assert "GH_TOKEN" in done.err


def test_a_wrong_token_ends_in_4_and_is_never_shown(
    run: Run, github: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_madeupandwrong")

    done = run("sync", NAME, "--root", tmp_path, "--json", "--debug")

    assert done.status == 4
    assert "GitHub does not accept the token" in done.object["message"]
    assert "Traceback" in done.err
    assert "madeupandwrong" not in done.out + done.err


def test_a_token_without_permission_ends_in_4_and_says_which_is_lacking(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    github.tokens[TOKEN] = Viewer(access=Access.FORBIDDEN)

    done = run("sync", NAME, "--root", tmp_path, "--json")

    assert done.status == 4
    assert "read access" in done.object["message"]
    assert not (tmp_path / NAME).exists()


def test_a_root_that_cannot_be_written_ends_in_7(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    root = tmp_path / "file"
    root.write_text("in the way")

    done = run("sync", NAME, "--root", root)

    assert done.status == 7
    assert "is not a folder: choose another --root" in done.err
    assert github.requests == 0
    assert root.read_text() == "in the way"


def test_a_held_repository_ends_in_75_and_names_the_holder(
    run: Run, github: Simulator, synced: Path
) -> None:

    with hold(synced / NAME / ".syncer" / "lock"):
        done = run("sync", NAME, "--root", synced)

    assert done.status == 75
    assert f"process {os.getpid()} on" in done.err


def test_a_newer_store_ends_in_6_untouched(run: Run, github: Simulator, synced: Path) -> None:
    store = synced / NAME / ".syncer" / "state.db"
    with sqlite3.connect(store) as database:
        database.execute("PRAGMA user_version = 999")
    database.close()
    before = store.read_bytes()

    done = run("sync", NAME, "--root", synced)

    assert done.status == 6
    assert "upgrade the program" in done.err
    assert store.read_bytes() == before


def test_a_zeroed_store_is_kept_aside_and_built_anew_from_the_corpus(
    run: Run, github: Simulator, synced: Path
) -> None:
    before = tree(synced)
    store = synced / NAME / ".syncer" / "state.db"
    store.write_bytes(bytes(len(store.read_bytes())))

    done = run("sync", NAME, "--root", synced, "--json")

    assert done.status == 0
    assert "kept as .syncer/state.db.damaged-1" in done.err
    assert "rebuilt the store from 30 files" in done.err
    assert tree(synced) == before


def test_a_spent_budget_ends_in_5_and_the_next_run_goes_on(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    first = run("sync", NAME, "--root", tmp_path, "--json", "--max-points", "2")
    second = run("sync", NAME, "--root", tmp_path, "--json")

    assert (first.status, first.object["exit"], first.object["points"]) == (5, 5, 2)
    assert "run again to continue" in first.object["message"]
    assert first.object["conversations"]["total"] == 30
    unread = sum(problem["status"] == "unread" for problem in first.object["problems"])
    assert first.object["conversations"]["unchanged"] == 0 < unread
    assert (second.status, second.object["complete"]) == (0, True)


def test_points_kept_for_others_are_not_spent(run: Run, github: Simulator, tmp_path: Path) -> None:
    done = run("sync", NAME, "--root", tmp_path, "--json", "--reserve-points", "4998")

    assert done.status == 5
    assert "reserve of 4998" in done.object["message"]
    assert github.points <= 2


def test_a_limit_that_is_reached_ends_in_5_unless_told_to_wait(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    github.fail(primary_limit(reset_in_s=1800), at=2)
    stopped = run("sync", NAME, "--root", tmp_path)
    github.fail(primary_limit(reset_in_s=1800), at=github.requests + 2)
    waited = run("sync", NAME, "--root", tmp_path, "--wait")

    assert stopped.status == 5
    assert "everything read so far is saved" in stopped.err.lower()
    assert waited.status == 0
    assert re.search(r"^note: waiting 180\d s: ", waited.err, re.MULTILINE)


def test_an_unreachable_github_ends_in_5_with_nothing_changed(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    github.fail(connection_reset(), times=None)

    done = run("sync", NAME, "--root", tmp_path, "--json")

    assert done.status == 5
    assert "nothing was changed, run again" in done.object["message"]
    assert not (tmp_path / NAME).exists()


def test_what_is_missing_ends_in_3_and_is_named(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    github.fail(null_node("PullRequest.comments"), times=None)

    done = run("sync", NAME, "--root", tmp_path, "--json")

    assert done.status == done.object["exit"] == 3
    assert done.object["problems"]
    assert {one["status"] for one in done.object["problems"]} <= {"short", "cut"}
    assert all(
        one.keys() == {"number", "connection", "status", "reason"}
        for one in done.object["problems"]
    )


def prereleases(root: Path) -> bool:
    return json.loads((root / NAME / "manifest.json").read_text())["shaping"]["prereleases"]


def test_the_shaping_of_a_corpus_stays_until_another_is_asked_for(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    seen = []
    for words in (["--no-prereleases"], [], ["--prereleases"], []):
        assert run("sync", NAME, "--root", tmp_path, *words).status == 0
        seen.append(prereleases(tmp_path))

    assert seen == [False, False, True, True]


def test_changing_the_shaping_moves_files_and_reads_nothing_again(
    run: Run, github: Simulator, synced: Path
) -> None:
    github.clock.advance(3600)

    done = run("sync", NAME, "--root", synced, "--json", "--no-prereleases")

    assert done.object["conversations"]["read"] == 0
    assert done.object["requests"] == 1
    assert done.object["sinks"]["corpus"]["moved"] > 0
    assert done.object["sinks"]["corpus"]["written"] == 0


@pytest.mark.parametrize("lost", ["nothing", "the store"])
def test_the_shaping_stays_when_the_repository_was_renamed(
    run: Run, github: Simulator, tmp_path: Path, lost: str
) -> None:
    run("sync", NAME, "--root", tmp_path, "--no-prereleases")
    if lost == "the store":
        for file in (tmp_path / NAME / ".syncer").glob("state.db*"):
            file.unlink()
    github.mutate.rename("example-org/renamed")

    done = run("sync", "example-org/renamed", "--root", tmp_path, "--json")

    assert (done.status, done.object["repository"]) == (0, NAME)
    assert prereleases(tmp_path) is False
    assert not (tmp_path / "example-org/renamed").exists()


def test_unfinished_work_waits_for_its_time_unless_it_is_asked_for(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    github.fail(null_connection("PullRequest.comments"), times=None)
    assert run("sync", NAME, "--root", tmp_path).status == 3
    github.rules.clear()

    waiting = run("sync", NAME, "--root", tmp_path, "--json")
    asked = run("sync", NAME, "--root", tmp_path, "--json", "--retry")

    assert waiting.status == 3
    assert (asked.status, asked.object["complete"]) == (0, True)


def test_sinks_are_told_apart_by_name_and_each_gets_its_options(
    run: Run, github: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = EntryPoint("kept", "tests.cli.strangers:open_sink", "syncer.sinks")
    ours = EntryPoint("corpus", "sinks.corpus:open_sink", "syncer.sinks")
    monkeypatch.setattr("syncer.cli.sinks.entry_points", lambda group: [ours, point])
    words = ["--sink", "corpus", "--sink", "kept:a=1=1", "--sink", "kept:b="]

    done = run("sync", NAME, "--root", tmp_path, "--json", *words)

    assert done.status == 0
    assert done.object["sinks"].keys() == {"corpus", "kept"}
    assert json.loads((tmp_path / NAME / "kept.json").read_text()) == {"a": "1=1", "b": ""}


def test_a_failing_sink_ends_in_7_and_the_others_go_on(
    run: Run, github: Simulator, tmp_path: Path
) -> None:
    (tmp_path / NAME).mkdir(parents=True)
    (tmp_path / NAME / "jsonl").write_text("in the way")

    done = run("sync", NAME, "--root", tmp_path, "--json", "--sink", "jsonl", "--sink", "corpus")

    assert done.status == 7
    assert done.object["sinks"]["corpus"]["written"] == 30
    assert [one["connection"] for one in done.object["problems"]] == ["sink:jsonl"]


def test_an_unexpected_failure_ends_in_1_and_repeats_nobodys_words(
    run: Run, github: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise KeyError(f"words of somebody, and {TOKEN}")

    monkeypatch.setattr("syncer.cli.sync.sync", broken)

    quiet = run("sync", NAME, "--root", tmp_path, "--json")
    loud = run("sync", NAME, "--root", tmp_path, "--debug")

    assert (quiet.status, quiet.object["exit"]) == (1, 1)
    assert "unexpected failure: KeyError at " in quiet.object["message"]
    assert "words of somebody" not in quiet.out + quiet.err
    assert "words of somebody" in loud.err
    assert TOKEN not in loud.out + loud.err
