"""`syncer export` gives the same lines whatever they are read from."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from tests.cli.conftest import NAME, Run
from tests.cli.harness import started

KEYS = {"id", "number", "comments", "reviews", "reviewThreads", "labels", "closingIssues"}


def test_lines_are_records_sorted_by_number(run: Run, synced: Path) -> None:
    done = run("export", NAME, "--root", synced, "--format", "jsonl")

    numbers = [one["number"] for one in done.objects]
    assert done.status == 0
    assert len(numbers) == 30
    assert numbers == sorted(numbers)
    assert all(one.keys() > KEYS for one in done.objects)


def test_store_and_corpus_give_the_same_bytes(run: Run, synced: Path) -> None:
    by_store = run("export", NAME, "--root", synced).out
    shutil.rmtree(synced / NAME / ".syncer")

    assert run("export", NAME, "--root", synced).out == by_store


def test_the_exported_lines_are_those_of_the_sink(run: Run, github: object, synced: Path) -> None:
    run("sync", NAME, "--root", synced, "--sink", "jsonl")
    blocks = sorted((synced / NAME / "jsonl").glob("*.jsonl"))

    assert run("export", NAME, "--root", synced).out == "".join(b.read_text() for b in blocks)


def test_a_file_takes_the_place_of_an_older_one_when_it_is_whole(run: Run, synced: Path) -> None:
    output = synced / "lines.jsonl"
    output.write_text("older")

    done = run("export", NAME, "--root", synced, "--output", output)

    assert (done.status, done.out) == (0, "")
    assert output.read_text() == run("export", NAME, "--root", synced).out
    assert [path.name for path in synced.iterdir() if path.name.startswith(".")] == []


def test_a_damaged_file_ends_in_6_and_leaves_the_older_output_alone(run: Run, synced: Path) -> None:
    shutil.rmtree(synced / NAME / ".syncer")
    path = max(synced.rglob("pr-*.md"))
    path.write_bytes(path.read_bytes()[:-1])
    output = synced / "lines.jsonl"
    output.write_text("older")

    done = run("export", NAME, "--root", synced, "--output", output)

    assert done.status == 6
    assert path.name in done.err
    assert output.read_text() == "older"
    assert list(synced.glob(".*.part")) == []


def test_an_output_that_cannot_be_written_ends_in_7(run: Run, synced: Path) -> None:
    output = synced / "no" / "such" / "file"

    done = run("export", NAME, "--root", synced, "--output", output)

    assert done.status == 7
    assert f"cannot read or write {output}:" in done.err


def test_a_reader_who_leaves_early_is_no_failure(synced: Path) -> None:
    process = started("export", NAME, "--root", str(synced), env={})
    assert process.stdout is not None
    assert process.stderr is not None
    first = process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()

    assert json.loads(first)["number"] >= 1
    assert process.wait(30) == 0
    assert err == ""


def test_a_reader_who_was_never_there_is_no_failure_either(synced: Path) -> None:
    with subprocess.Popen(["true"], stdin=subprocess.PIPE) as gone:
        gone.wait(30)
        assert gone.stdin is not None
        process = started("export", NAME, "--root", str(synced), env={}, stdout=gone.stdin.fileno())
        assert process.stderr is not None
        err = process.stderr.read()
        process.stderr.close()

        assert (process.wait(30), err) == (0, "")
