"""The documented sink is real: its code, its test and its entry point run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from syncer.sink import Applied, Sink


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "writing-a-sink.md").read_text("utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


@pytest.fixture
def package(page: str, tmp_path: Path) -> Path:
    """The documented files in a folder of their own, as a stranger would lay them out."""
    for code in blocks(page, "python"):
        name = code.splitlines()[0].removeprefix("# ")
        (tmp_path / name).write_text(code, "utf-8")
    return tmp_path


def test_the_documented_sink_passes_the_conformance_suite(package: Path, root: Path) -> None:
    # Plain pytest is promised to be enough.
    plain = ["-p", "no:asyncio", "-p", "no:cacheprovider", "-W", "error"]
    command = [sys.executable, "-m", "pytest", "-q", *plain]
    done = subprocess.run(
        [*command, "test_search_sink.py"],
        cwd=package,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(package), str(root)])},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d{2} passed", done.stdout)


def test_the_documented_entry_point_names_a_factory_of_sinks(page: str, package: Path) -> None:
    (described,) = blocks(page, "toml")
    points = tomllib.loads(described)["project"]["entry-points"]
    (value,) = points["syncer.sinks"].values()
    module, _, factory = value.partition(":")
    namespace: dict[str, object] = {"__name__": module}
    exec(compile((package / f"{module}.py").read_text("utf-8"), module, "exec"), namespace)
    assert callable(namespace[factory])


def test_every_method_and_count_of_the_contract_is_described(page: str) -> None:
    methods = [name for name in vars(Sink) if not name.startswith("_")]
    assert [name for name in methods if f"`{name}(" not in page] == []
    assert [name for name in Applied.__struct_fields__ if f"{name}=" not in page] == []
