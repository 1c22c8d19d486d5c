"""The command: its verdict is the exit status, its answer stands on standard output."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from birdview.cli import main
from syncer.corpus import MANIFEST
from syncer.testing.feed import release
from syncer.testing.samples import HOSTILE_TEXT
from tests.history.corpora import DAY, START, Writer, closed, merged, opened
from tests.history.test_proof import legacy

TURN = START.replace(year=2024)


class Result(Struct, frozen=True):
    status: int
    out: str
    err: str

    @property
    def object(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Result]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """`birdview` with these words, in this process."""

    def call(*words: str | Path) -> Result:
        capfd.readouterr()
        status = main([str(word) for word in words])
        captured = capfd.readouterr()
        return Result(status, captured.out, captured.err)

    return call


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A release with two pull requests, and one of each state behind it."""
    writer = Writer(tmp_path, release("v1", START))
    asyncio.run(
        writer.write(
            merged(1, TURN),
            closed(2, TURN + DAY),
            opened(3, START),
            merged(4, START, title="Clear the screen \x1b[2J now"),
        )
    )
    return tmp_path


def test_a_proven_window_exits_0_and_shows_coverage_before_the_narrative(
    run: Run, written: Path
) -> None:
    result = run("explore", "octo/demo", "--root", written, "--release", "v1")

    assert (result.status, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0].startswith("Window (v1): from the beginning until just before 2025-06-01")
    assert lines[1] == "Resolved: 2; proven whole: 2; not: 0"
    assert "https://github.example/octo/demo/pull/1" in result.out
    assert result.out.index("Census: complete") < result.out.index("Outcomes")


def test_json_is_the_envelope(run: Run, written: Path) -> None:
    words = ("--root", written, "--start", "2024-01-01", "--end", "2025-12-01")
    result = run("explore", *words, "--resolution", "merged", "--model", "none", "--json")

    assert result.status == 0
    assert [pull["number"] for pull in result.object["pulls"]] == [1, 4]
    assert result.object["synthesis"]["reason"] == "no_model"


def test_what_is_not_proven_exits_3_and_is_named(run: Run, written: Path) -> None:
    result = run("explore", "--root", written)

    assert result.status == 3  # the made-up census is long past
    assert "! stale: " in result.out
    assert "No narrative: coverage_degraded" in result.out


def test_a_partial_narrative_says_so(run: Run, written: Path) -> None:
    words = ("--root", written, "--start", "2024-01-01", "--end", "2029-01-01")
    result = run("explore", *words, "--allow-partial")

    assert result.status == 3
    assert "(partial: it rests on less than the whole window)" in result.out


def test_a_corpus_that_cannot_be_read_exits_6(run: Run, written: Path) -> None:
    (written / "octo" / "demo" / MANIFEST).write_bytes(b"{}")

    result = run("explore", "--root", written)

    assert result.status == 6
    assert "! corpus_unreadable: " in result.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("explore", "octo/other"), "octo/demo"),
        (("explore", "--preset", "yearly"), "preset: must be one of"),
        (("explore", "--start", "2024-01-01"), "--end: give both --start and --end"),
        (("explore", "--start", "soon", "--end", "2024-01-01"), "--start: is no time"),
        (("explore", "--release", "v9"), "release: "),
        (("explore", "--release", "v1", "--preset", "weekly"), "release: "),
        (("explore", "--model", "oracle"), "model: "),
        (("explore", "--live"), "GITHUB_TOKEN"),
        (("explore", "--nonsense"), "--nonsense"),
        (("conversation", "octo/demo", "99"), "birdview list"),
        (("conversation", "octo/demo", "IC_1", "--number", "2"), "pull request 2"),
        (("list", "octo/other"), "octo/demo"),
        (("list", "--state", "dead"), "state"),
        (("status", "octo/other"), "octo/demo"),
    ],
)
def test_a_wrong_call_exits_2_and_says_what_to_change(
    words: tuple[str, ...], message: str, run: Run, written: Path
) -> None:
    result = run(*words, "--root", written)

    assert (result.status, result.out) == (2, "")
    assert message in result.err


def test_a_conversation_is_shown_whole_or_by_its_node(run: Run, written: Path) -> None:
    whole = run("conversation", "octo/demo", "1", "--root", written)
    node = run("conversation", "octo/demo", "PRRC_1", "--root", written)
    link = "https://github.example/octo/demo/pull/1#issuecomment-1"
    comment = run("conversation", "octo/demo", link, "--root", written, "--json")

    assert whole.status == node.status == comment.status == 0
    for words in ("#1 A change", "read to the end", "commented", "reviewed (APPROVED)", "src/a.py"):
        assert words in whole.out
    assert "reviewed" not in node.out
    assert "> @octocat commented" in node.out
    assert comment.object["node"] == {"kind": "comment", "id": "IC_1", "thread": None}
    assert (comment.object["release"], comment.object["behind"]) == ("v1", False)
    assert comment.object["connections"]["comments"]["status"] == "exhausted"


def test_rows_are_listed_with_their_true_count(run: Run, written: Path) -> None:
    text = run("list", "--root", written, "--count", "2")
    merged_ones = run("list", "--root", written, "--state", "merged", "--json")

    assert text.out.splitlines()[-1] == "1 to 2 of 4"
    assert merged_ones.object["total"] == 2
    assert [row["number"] for row in merged_ones.object["rows"]] == [1, 4]


def test_the_status_names_what_is_missing_and_exits_3(run: Run, tmp_path: Path) -> None:
    whole, lacking = Writer(tmp_path, name="octo/a"), Writer(tmp_path, name="octo/b")
    asyncio.run(whole.write(merged(1, START)))
    lacking.put(legacy(merged(1, START)))
    lacking.census(found=2, total_count=2, unread=(7,))
    asyncio.run(lacking.flush())

    both = run("status", "--root", tmp_path)
    good = run("status", "octo/a", "--root", tmp_path, "--json")

    assert both.status == 3
    assert "octo/a: complete as of 2026-01-01" in both.out
    assert "octo/b: not proven complete" in both.out
    assert "#7  unread" in both.out
    assert "#1  comments unknown" in both.out
    assert (good.status, good.object["complete"], good.object["found"]) == (0, True, 1)


def test_what_people_wrote_moves_nobody_s_cursor(run: Run, tmp_path: Path) -> None:
    pulls = [
        merged(n, TURN, title=text[:200], body=text)
        for n, text in enumerate((*HOSTILE_TEXT, "\x1b]0;title\x07\x9b2J\u202e"), 1)
    ]
    asyncio.run(Writer(tmp_path, release("v1", START)).write(*pulls))

    shown = [run("explore", "--root", tmp_path, "--release", "v1"), run("list", "--root", tmp_path)]
    shown += [run("conversation", "octo/demo", str(n), "--root", tmp_path) for n in range(1, 11)]

    for result in shown:
        assert result.status == 0
        assert all(c == "\n" or c.isprintable() or c == "\u200d" for c in result.out), result.out


def test_a_root_that_is_not_there_is_not_served(run: Run, tmp_path: Path) -> None:
    result = run("serve", "--root", tmp_path / "nowhere")

    assert (result.status, result.out) == (2, "")
    assert "there is no folder" in result.err


@pytest.mark.parametrize("command", ["explore", "conversation", "list", "status", "serve"])
def test_every_command_explains_itself_with_examples(command: str, run: Run) -> None:
    result = run(command, "--help")

    assert result.status == 0
    assert f"birdview {command}" in result.out


def test_the_version_is_that_of_the_package(run: Run) -> None:
    from syncer import __version__

    assert run("--version").out == f"birdview {__version__}\n"


def test_a_title_cannot_forge_a_line(run: Run, tmp_path: Path) -> None:
    forged = "A change\nResolved: 9; proven whole: 9; not: 0"
    asyncio.run(Writer(tmp_path, release("v1", START)).write(merged(1, TURN, title=forged)))

    result = run("explore", "--root", tmp_path, "--release", "v1")

    assert sum(line.startswith("Resolved: ") for line in result.out.splitlines()) == 1
