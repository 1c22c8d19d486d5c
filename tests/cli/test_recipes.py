"""The recipes in docs/recipes do what docs/operations.md says of them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from syncer.testing.github import Dataset, Simulator
from tests.cli.conftest import NAME
from tests.cli.harness import ROOT, environment, served

RECIPES = ROOT / "docs" / "recipes"
SCRIPT = RECIPES / "sync-and-commit.sh"
EVERY_STATUS = (0, 1, 2, 3, 4, 5, 6, 7, 75, 130, 143)
FINE = {0, 3}

STUB = """#!/bin/sh
mkdir -p corpus/o/r/.syncer
echo '*' >corpus/o/r/.syncer/.gitignore
echo state >corpus/o/r/.syncer/state.db
[ -z "$CONTENT" ] || echo "$CONTENT" >corpus/o/r/pr-1.md
echo "$CENSUS" >corpus/o/r/census.json
exit "$STATUS"
"""


class Home:
    """A work tree with the corpus in a folder of it, and a `syncer` that does as it is told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "tree"
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.command(STUB)
        self.git("init", "-q", "-b", "main", str(self.folder), cwd=folder)
        (self.folder / "corpus").mkdir()
        (self.folder / "README").write_text("mine")
        self.git("add", "README")
        self.git("commit", "-qm", "Begin")

    @property
    def env(self) -> dict[str, str]:
        return {
            **os.environ,
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            **{f"GIT_{who}_NAME": "test" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "test@localhost" for who in ("AUTHOR", "COMMITTER")},
        }

    def command(self, text: str) -> None:
        (self.bin / "syncer").write_text(text)
        (self.bin / "syncer").chmod(0o755)

    def git(
        self, *words: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> str:
        return subprocess.run(
            ["git", *words],
            cwd=cwd or self.folder,
            env={**self.env, **(env or {})},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    def sync(
        self,
        *names: str,
        status: int = 0,
        content: str = "",
        census: str = "1",
        env: Mapping[str, str] | None = None,
    ) -> int:
        told = {"STATUS": str(status), "CONTENT": content, "CENSUS": census, **(env or {})}
        done = subprocess.run(
            ["sh", str(SCRIPT), "corpus", *(names or ("o/r",))],
            cwd=self.folder,
            env={**self.env, **told},
            check=False,
            capture_output=True,
            text=True,
        )
        return done.returncode

    @property
    def commits(self) -> int:
        return int(self.git("rev-list", "--count", "HEAD"))

    @property
    def committed(self) -> set[str]:
        return set(self.git("ls-files").split("\n"))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    return Home(tmp_path)


@pytest.mark.parametrize("status", EVERY_STATUS)
def test_content_is_committed_after_0_and_3_and_after_nothing_else(home: Home, status: int) -> None:
    assert home.sync(status=status, content="words") == status

    assert home.commits == (2 if status in FINE else 1)
    assert ("corpus/o/r/pr-1.md" in home.committed) == (status in FINE)


def test_the_census_goes_with_content_and_the_store_never(home: Home) -> None:
    home.sync(content="words")

    assert home.committed == {"README", "corpus/o/r/census.json", "corpus/o/r/pr-1.md"}
    assert home.git("log", "-1", "--format=%s") == "Sync o/r"
    assert home.git("status", "--porcelain") == ""


def test_the_census_alone_is_committed_once_a_day(home: Home) -> None:
    home.sync(content="words", census="1")
    soon = home.sync(census="2"), home.commits
    yesterday = {f"GIT_{who}_DATE": "2001-01-01T00:00:00Z" for who in ("AUTHOR", "COMMITTER")}
    home.git("commit", "-q", "--amend", "--no-edit", env=yesterday)
    late = home.sync(census="3"), home.commits
    again = home.sync(census="4"), home.commits

    assert (soon, late, again) == ((0, 2), (0, 3), (0, 3))
    assert home.git("show", "--format=", "--name-only", "HEAD") == "corpus/o/r/census.json"


def test_a_run_that_changes_nothing_commits_nothing(home: Home) -> None:
    home.sync(content="words")
    before = home.commits

    assert home.sync(content="words") == 0
    assert home.commits == before


def test_what_else_lies_in_the_work_tree_is_left_alone(home: Home) -> None:
    (home.folder / "README").write_text("changed")
    (home.folder / "notes").write_text("new")
    home.git("add", "notes")

    home.sync(content="words")

    assert home.git("status", "--porcelain").split("\n") == ["M README", "A  notes"]


def test_a_commit_can_be_pushed(home: Home, tmp_path: Path) -> None:
    home.git("init", "-q", "--bare", "-b", "main", str(tmp_path / "there"), cwd=tmp_path)
    home.git("remote", "add", "origin", str(tmp_path / "there"))
    home.git("push", "-q", "--set-upstream", "origin", "main")

    assert home.sync(content="words", env={"SYNC_PUSH": "1"}) == 0
    assert home.git("rev-parse", "main") == home.git("rev-parse", "main", cwd=tmp_path / "there")


def test_a_folder_that_is_no_work_tree_ends_in_7(home: Home) -> None:
    shutil.rmtree(home.folder / ".git")

    assert home.sync(content="words", env={"GIT_CEILING_DIRECTORIES": str(home.folder.parent)}) == 7


def test_a_corpus_that_was_cloned_is_adopted_and_goes_on(
    home: Home, dataset: Dataset, tmp_path: Path
) -> None:
    home.command(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m syncer.cli "$@"\n')
    with served(Simulator(dataset)) as github:
        env = environment(github)
        assert home.sync(NAME, env=env) == 0
        home.git("clone", "-q", str(home.folder), str(tmp_path / "clone"), cwd=tmp_path)
        home.folder = tmp_path / "clone"
        github.clock.advance(3600)
        asked, commits = github.requests, home.commits
        assert home.sync(NAME, env=env) == 0

        assert (github.requests - asked, home.commits) == (1, commits)
        github.mutate.add_comment(min(github.world.repository.pull_requests), "news")
        assert home.sync(NAME, env=env) == 0
    names = home.git("show", "--format=", "--name-only", "HEAD").split("\n")
    assert [Path(name).name for name in names if name.endswith(".md")] != []
    assert f"corpus/{NAME}/census.json" in names
    assert not any(".syncer" in name for name in home.committed)


@pytest.fixture(scope="module")
def workflow() -> dict[str, Any]:
    return YAML(typ="safe").load(RECIPES / "github-actions.yml")


def test_the_workflow_runs_hourly_one_at_a_time_with_leave_to_commit(
    workflow: dict[str, Any],
) -> None:
    assert is_schedule(workflow["on"]["schedule"][0]["cron"])
    assert workflow["permissions"] == {"contents": "write"}
    assert workflow["concurrency"]["cancel-in-progress"] is False
    assert workflow["jobs"]["sync"]["timeout-minutes"] <= 60


@pytest.mark.parametrize("status", EVERY_STATUS)
def test_the_workflow_fails_where_somebody_has_to_look(
    workflow: dict[str, Any], tmp_path: Path, status: int
) -> None:
    script = tmp_path / "syncer" / "docs" / "recipes" / SCRIPT.name
    script.parent.mkdir(parents=True)
    script.write_text(f"#!/bin/sh\necho '{{}}'\nexit {status}\n")
    script.chmod(0o755)
    step = workflow["jobs"]["sync"]["steps"][-1]

    # https://docs.github.com/actions/reference/workflow-syntax: how a step is run
    done = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=tmp_path, check=False)

    assert done.returncode == (0 if status in {0, 3, 5, 75} else status)
    assert SCRIPT.name in step["run"]


def is_schedule(text: str) -> bool:
    bounds = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
    fields = text.split()
    return len(fields) == 5 and all(
        field == "*" or (field.isdecimal() and low <= int(field) <= high)
        for field, (low, high) in zip(fields, bounds, strict=True)
    )


def test_every_line_of_the_crontab_has_a_time_and_a_command_that_a_shell_reads() -> None:
    lines = [
        line
        for line in (RECIPES / "crontab").read_text().splitlines()
        if line and not line.startswith("#")
    ]

    assert lines
    for line in lines:
        *when, command = line.split(maxsplit=5)
        assert is_schedule(" ".join(when))
        assert "%" not in command  # cron would end the command there
        subprocess.run(["sh", "-n", "-c", command], check=True)


def test_the_service_counts_as_success_what_the_next_run_mends() -> None:
    text = (RECIPES / "syncer.service").read_text()
    found = re.search(r"^SuccessExitStatus=(.*)$", text, re.MULTILINE)

    assert found is not None
    assert {int(status) for status in found[1].split()} == {3, 5, 75, 143}


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd is not installed")
    for name in ("syncer.service", "syncer.timer"):
        text = (RECIPES / name).read_text()
        text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", text, flags=re.MULTILINE)
        (tmp_path / name).write_text(text)

    done = subprocess.run(
        [analyze, "verify", "--man=no", str(tmp_path / "syncer.timer")],
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
        capture_output=True,
        text=True,
        check=False,
    )

    ours = [line for line in done.stderr.splitlines() if str(tmp_path) in line or "syncer." in line]
    assert ours == []
    assert done.returncode == 0, done.stderr


def test_every_recipe_is_named_by_the_page() -> None:
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")

    assert {f"recipes/{path.name}" for path in RECIPES.iterdir()} <= set(
        re.findall(r"\]\(([^)]+)\)", page)
    )
    assert os.access(SCRIPT, os.X_OK)
