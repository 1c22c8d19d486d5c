"""`syncer demo` shows the whole way, and nothing but its own earlier work is ever replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.harness import tree


def test_the_demonstration_needs_no_token_and_no_network(run: Run, tmp_path: Path) -> None:
    done = run("demo", "--pulls", "60", "--root", tmp_path, "--json")

    first, second, third = (step["summary"] for step in done.object["steps"])
    assert done.status == done.object["exit"] == 0
    assert (first["conversations"]["read"], second["conversations"]["read"]) == (60, 0)
    assert second["requests"] == 1
    assert third["conversations"]["read"] == 2
    assert third["sinks"]["corpus"]["moved"] > 0
    assert done.object["sound"] is True
    assert all(Path(sight["path"]).is_file() for sight in done.object["sights"])


def test_it_shows_a_table_and_where_to_look_and_the_same_every_time(
    run: Run, tmp_path: Path
) -> None:
    first = run("demo", "--pulls", "20", "--root", tmp_path)
    files = tree(tmp_path)
    second = run("demo", "--pulls", "20", "--root", tmp_path)

    assert first.status == second.status == 0
    assert first.out == second.out
    assert tree(tmp_path) == files
    assert "20 files verified: sound." in first.out
    assert "Where to look:" in first.out


@pytest.mark.parametrize("content", [None, b"", b"{}"], ids=["a folder", "an empty file", "a file"])
def test_what_is_not_its_own_work_is_left_alone(
    run: Run, tmp_path: Path, content: bytes | None
) -> None:
    folder = tmp_path / "example-org" / "demo"
    folder.mkdir(parents=True)
    (folder / "precious").write_text("kept")
    if content is not None:
        (folder / "manifest.json").write_bytes(content)

    done = run("demo", "--pulls", "20", "--root", tmp_path)

    assert done.status == 2
    assert "not the work of an earlier demonstration" in done.err
    assert (folder / "precious").read_text() == "kept"
