"""`syncer doctor` says what is in the way before a run finds out."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from syncer.store.lock import hold
from syncer.testing.github import Simulator, Viewer
from tests.cli.conftest import NAME, Run
from tests.cli.harness import TOKEN, Result


def of(done: Result, check: str) -> list[dict[str, Any]]:
    return [one for one in done.objects if one["check"] == check]


def test_where_all_is_well_every_line_says_so(run: Run, github: Simulator, synced: Path) -> None:
    done = run("doctor", "--root", synced, "--json")

    assert done.status == 0
    assert {one["grade"] for one in done.objects if one["check"] != "space"} == {"ok"}
    assert {one["check"] for one in done.objects} == {
        "python",
        "libraries",
        "sinks",
        "address",
        "token",
        "github",
        "root",
        "case",
        "space",
        "store",
        "lock",
    }
    assert github.points == 1
    assert "points left this hour, reset in 60 min" in of(done, "github")[0]["message"]


def test_the_token_is_never_shown(run: Run, github: Simulator, synced: Path) -> None:
    for words in ([], ["--json"], ["--debug"]):
        done = run("doctor", "--root", synced, *words)

        assert TOKEN not in done.out + done.err


def test_without_a_token_github_is_not_asked_and_nothing_fails(run: Run, tmp_path: Path) -> None:
    done = run("doctor", "--root", tmp_path, "--json")

    assert done.status == 0
    assert of(done, "token")[0]["grade"] == of(done, "github")[0]["grade"] == "warn"
    assert "GITHUB_TOKEN" in of(done, "token")[0]["message"]


def test_a_repository_is_asked_for_by_name(run: Run, github: Simulator, tmp_path: Path) -> None:
    found = run("doctor", NAME, "--root", tmp_path, "--json")
    lacking = run("doctor", "example-org/unknown", "--root", tmp_path, "--json")

    assert f"read {NAME}, 30 pull requests" in of(found, "github")[0]["message"]
    assert lacking.status == 2
    assert of(lacking, "github")[0]["grade"] == "fail"


@pytest.mark.parametrize(
    ("variable", "value", "check"),
    [
        ("GITHUB_TOKEN", "not a token", "token"),
        ("GITHUB_TOKEN", "ghp_wrongbutwellformed", "github"),
        ("GITHUB_GRAPHQL_URL", "http://ghe.example/api/graphql", "address"),
        ("GITHUB_GRAPHQL_URL", "https://ghe.example/api/v3", "address"),
    ],
)
def test_what_is_in_the_way_of_every_run_ends_in_2(
    run: Run,
    github: Simulator,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    check: str,
) -> None:
    monkeypatch.setenv(variable, value)

    done = run("doctor", "--root", tmp_path, "--json")

    assert done.status == 2
    assert [one["check"] for one in done.objects if one["grade"] == "fail"] == [check]


def test_few_points_are_a_warning(run: Run, github: Simulator, tmp_path: Path) -> None:
    github.tokens[TOKEN] = Viewer(limit=100)

    done = run("doctor", "--root", tmp_path, "--json")

    assert (done.status, of(done, "github")[0]["grade"]) == (0, "warn")


def test_a_held_repository_and_a_damaged_store_are_named(run: Run, synced: Path) -> None:
    shutil.copytree(synced / NAME, synced / "a" / "damaged")
    (synced / "a" / "damaged" / ".syncer" / "state.db").write_bytes(b"nothing of ours")

    with hold(synced / NAME / ".syncer" / "lock"):
        done = run("doctor", "--root", synced, "--json")

    damaged, whole = of(done, "store")
    assert (damaged["grade"], whole["grade"]) == ("warn", "ok")
    assert "a/damaged" in damaged["message"]
    held = [one["message"] for one in of(done, "lock") if one["grade"] == "warn"]
    assert len(held) == 1
    assert held[0].startswith(f"{NAME} is held by process ")


def test_looking_leaves_nothing_behind(run: Run, tmp_path: Path) -> None:
    run("doctor", "--root", tmp_path)

    assert list(tmp_path.iterdir()) == []
