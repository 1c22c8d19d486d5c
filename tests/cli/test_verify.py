"""`syncer verify` finds what is not as it should be, and mends it when told to."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from syncer.store.lock import hold
from syncer.testing.github import Simulator
from tests.cli.conftest import NAME, Run
from tests.cli.harness import tree


def some_file(root: Path) -> Path:
    return sorted((root / NAME).rglob("pr-*.md"))[3]


def alter(root: Path) -> None:
    path = some_file(root)
    path.write_bytes(path.read_bytes() + b"x")


def lose(root: Path) -> None:
    some_file(root).unlink()


def add(root: Path) -> None:
    path = some_file(root)
    shutil.copy(path, path.with_name("pr-999.md"))


def empty_root(root: Path) -> None:
    (root / NAME / "manifest.json").write_bytes(b"")


def lose_everything(root: Path) -> None:
    for path in (root / NAME).iterdir():
        if path.name != ".syncer":
            shutil.rmtree(path) if path.is_dir() else path.unlink()


DAMAGES = [alter, lose, add, empty_root, lose_everything]


def test_what_sync_left_is_sound(run: Run, synced: Path) -> None:
    done = run("verify", "--root", synced, "--json")

    assert done.status == 0
    assert (done.object["sound"], done.object["files"]) == (True, 30)
    assert done.object["findings"] == []
    assert len(done.object["digest"]) == 64


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damage_ends_in_6_and_each_finding_has_a_path_and_advice(
    run: Run, synced: Path, damage: Callable[[Path], None]
) -> None:
    damage(synced)

    done = run("verify", NAME, "--root", synced, "--json")
    text = run("verify", NAME, "--root", synced)

    assert done.status == text.status == 6
    assert done.object["findings"]
    for finding in done.object["findings"]:
        assert finding["path"] in text.out
        assert finding["advice"] in text.out


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_repair_brings_back_every_byte_and_a_second_one_changes_nothing(
    run: Run, synced: Path, damage: Callable[[Path], None]
) -> None:
    before = tree(synced)
    damage(synced)

    mended = run("verify", "--root", synced, "--repair", "--json")
    again = run("verify", "--root", synced, "--repair", "--json")

    kept_aside = {path for path in tree(synced) if "damaged" in path or "aside" in path}
    assert {path: data for path, data in tree(synced).items() if path not in kept_aside} == before
    assert mended.status == again.status == 0
    assert mended.object["repaired"] is not None
    assert again.object["repaired"] is None


def test_a_repair_tells_what_it_met(run: Run, synced: Path) -> None:
    lose(synced)

    done = run("verify", "--root", synced, "--repair")

    assert f"note: {NAME}: " in done.err
    assert "listed files are missing" in done.err


def test_without_a_store_there_is_nothing_to_repair_from(run: Run, synced: Path) -> None:
    shutil.rmtree(synced / NAME / ".syncer")
    alter(synced)

    done = run("verify", "--root", synced, "--repair")

    assert done.status == 7
    assert "run `syncer sync`" in done.err
    assert not (synced / NAME / ".syncer").exists()


def test_a_corpus_that_came_without_its_store_is_checked_by_itself(run: Run, synced: Path) -> None:
    shutil.rmtree(synced / NAME / ".syncer")

    assert run("verify", "--root", synced).status == 0
    assert not (synced / NAME / ".syncer").exists()


def test_an_older_corpus_is_told_apart_from_its_store_and_the_next_run_restores_it(
    run: Run, github: Simulator, synced: Path, tmp_path: Path
) -> None:
    shutil.copytree(synced / NAME, tmp_path / "older", ignore=shutil.ignore_patterns(".syncer"))
    github.mutate.add_comment(min(github.world.repository.pull_requests), "news")
    run("sync", NAME, "--root", synced)
    newest = tree(synced)
    lose_everything(synced)
    shutil.copytree(tmp_path / "older", synced / NAME, dirs_exist_ok=True)

    found = run("verify", "--root", synced, "--json")
    run("sync", NAME, "--root", synced)

    assert found.status == 6
    assert {one["code"] for one in found.object["findings"]} == {"store_differs"}
    assert tree(synced) == newest
    assert run("verify", "--root", synced).status == 0


def test_a_run_at_work_is_not_disturbed(run: Run, synced: Path) -> None:
    with hold(synced / NAME / ".syncer" / "lock"):
        done = run("verify", "--root", synced)

    assert done.status == 75
    assert "another run holds this repository" in done.err


def test_a_long_check_tells_how_far_it_is(
    run: Run, synced: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("syncer.cli.verify._EVERY_S", 0.0)

    done = run("verify", "--root", synced)

    assert f"{NAME}: 30 files checked" in done.err
