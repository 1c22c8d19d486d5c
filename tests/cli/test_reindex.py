"""`syncer reindex` reads again what is asked for, and with `--local` asks nobody."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from syncer.testing.github import Simulator
from tests.cli.conftest import NAME, Run
from tests.cli.harness import tree


def numbers(github: Simulator) -> list[int]:
    return sorted(github.world.repository.pull_requests)


def silently_edit(github: Simulator, number: int) -> str:
    """Delete a comment: GitHub moves no stamp for that. Give back a word of it."""
    pull = github.world.pull(number)
    comment = pull.comments[0]
    github.mutate.delete_comment(comment)
    return f"IC_{comment.database_id}"


def commented(github: Simulator) -> int:
    return next(n for n in numbers(github) if github.world.pull(n).comments)


def test_the_numbers_asked_for_are_read_again_and_no_others(
    run: Run, github: Simulator, synced: Path
) -> None:
    github.clock.advance(3600)
    first, second, *_ = numbers(github)

    done = run("reindex", NAME, str(first), str(second), "--root", synced, "--json")

    assert (done.status, done.object["conversations"]["read"]) == (0, 2)
    assert done.object["sinks"]["corpus"]["written"] == 0


def test_a_silent_change_is_found_by_reading_again(
    run: Run, github: Simulator, synced: Path
) -> None:
    number = commented(github)
    count = len(github.world.pull(number).comments)
    silently_edit(github, number)
    github.clock.advance(3600)

    done = run("reindex", NAME, str(number), "--root", synced, "--json")
    lines = run("export", NAME, "--root", synced).objects

    assert done.object["sinks"]["corpus"]["written"] == 1
    (told,) = [one for one in lines if one["number"] == number]
    assert len(told["comments"]) == count - 1


def test_a_number_that_is_none_is_named_and_ends_in_3(
    run: Run, github: Simulator, synced: Path
) -> None:
    done = run("reindex", NAME, "999999", "--root", synced, "--json")

    assert done.status == 3
    assert "no such pull request: 999999" in json.dumps(done.object["problems"])


def test_without_numbers_everything_is_read_again(
    run: Run, github: Simulator, synced: Path
) -> None:
    before = tree(synced)

    done = run("reindex", NAME, "--root", synced, "--json")

    assert (done.status, done.object["conversations"]["read"]) == (0, 30)
    assert tree(synced) == before


def test_locally_every_file_is_written_anew_and_nobody_is_asked(run: Run, synced: Path) -> None:
    before = tree(synced)
    for folder in ("pulls", "archive"):
        shutil.rmtree(synced / NAME / folder)

    done = run("reindex", NAME, "--local", "--root", synced, "--json")

    assert done.status == 0
    assert (done.object["requests"], done.object["conversations"]["read"]) == (0, 0)
    assert done.object["sinks"] == {"corpus": {"written": 30, "moved": 0, "removed": 0}}
    assert tree(synced) == before


def test_a_sink_that_is_new_is_filled_locally(run: Run, synced: Path) -> None:
    done = run("reindex", NAME, "--local", "--sink", "jsonl", "--root", synced, "--json")
    blocks = (synced / NAME / "jsonl").glob("*.jsonl")

    assert done.object["sinks"]["jsonl"]["written"] == 30
    assert sum(block.read_bytes().count(b"\n") for block in blocks) == 30


def test_a_sink_that_fails_locally_ends_in_7(run: Run, synced: Path) -> None:
    (synced / NAME / "jsonl").write_text("in the way")

    done = run("reindex", NAME, "--local", "--sink", "jsonl", "--root", synced, "--json")

    assert done.status == done.object["exit"] == 7
    assert [one["connection"] for one in done.object["problems"]] == ["sink:jsonl"]
