"""The project as a stranger finds it: what is declared is pinned, shipped, linked and runnable."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from importlib.metadata import entry_points, requires, version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import syncer
from syncer.errors import StopError

PIN = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
NAMES_A_HOST = re.compile(r"--(?:extra-)?index-url|--find-links|://[^\s/]*@|:\d{2,5}/")

NAME = "pr-syncer"


@pytest.fixture(scope="module")
def pins(root: Path) -> dict[str, str]:
    lines = (root / "constraints.txt").read_text("utf-8").splitlines()
    found = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): pinned for name, pinned in found}


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text("utf-8"))


def needed(name: str) -> set[str]:
    """Every distribution that `name[dev]` brings here, by what the installed ones say of themselves."""
    found: set[str] = set()
    pending: list[tuple[str, tuple[str, ...]]] = [(name, ("dev", "mcp", "openai"))]
    while pending:
        current, extras = pending.pop()
        for line in requires(current) or ():
            requirement = Requirement(line)
            wanted = any(
                requirement.marker is None or requirement.marker.evaluate({"extra": extra})
                for extra in (*extras, "")
            )
            other = canonicalize_name(requirement.name)
            if wanted and other != canonicalize_name(NAME) and other not in found:
                found.add(other)
                pending.append((other, tuple(requirement.extras)))
    return found


def stops(kind: type[StopError]) -> set[type[StopError]]:
    return {kind}.union(*(stops(below) for below in kind.__subclasses__()))


def test_a_constraint_is_a_name_and_an_exact_version_and_nothing_else(root: Path) -> None:
    lines = (root / "constraints.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]

    assert [line for line in pins if not PIN.fullmatch(line)] == []
    assert pins == sorted(pins, key=lambda pin: canonicalize_name(pin.split("==")[0]))


def test_everything_that_is_installed_for_the_checks_is_pinned(pins: dict[str, str]) -> None:
    assert needed(NAME) - pins.keys() == set()
    assert canonicalize_name(NAME) not in pins


def test_the_pins_are_within_what_the_project_says_may_work(
    project: dict[str, Any], pins: dict[str, str]
) -> None:
    extras = project["project"]["optional-dependencies"].values()
    lines = [*project["project"]["dependencies"], *(line for extra in extras for line in extra)]
    outside = [
        str(requirement)
        for requirement in map(Requirement, lines)
        if requirement.name != NAME
        and not requirement.specifier.contains(pins[canonicalize_name(requirement.name)])
    ]

    assert outside == []


def test_no_file_of_the_frame_names_where_packages_come_from(root: Path) -> None:
    frame = ("pyproject.toml", "constraints.txt", "Makefile", ".ci/run")

    assert [n for n in frame if NAMES_A_HOST.search((root / n).read_text("utf-8"))] == []


def test_the_package_says_the_version_that_is_installed() -> None:
    assert version(NAME) == syncer.__version__


def test_our_sinks_are_found_by_entry_point_like_a_strangers() -> None:
    found = {point.name: point.load() for point in entry_points(group="syncer.sinks")}

    assert {"corpus", "jsonl"} <= found.keys()
    assert all(callable(factory) for factory in found.values())


def test_every_console_command_can_be_loaded(project: dict[str, Any]) -> None:
    ours = project["project"]["scripts"]
    found = {p.name: p for p in entry_points(group="console_scripts") if p.name in ours}

    assert found.keys() == ours.keys()
    assert [name for name, point in found.items() if not callable(point.load())] == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs"])
def test_every_link_to_a_file_leads_to_one(root: Path, page: str) -> None:
    pages = sorted((root / page).glob("*.md")) if page == "docs" else [root / page]
    dead = [
        (str(path.relative_to(root)), link)
        for path in pages
        for link in LINK.findall(FENCE.sub("", path.read_text("utf-8")))
        if not link.startswith(("http://", "https://", "#", "mailto:"))
        and not (path.parent / link.split("#")[0]).exists()
    ]

    assert pages
    assert dead == []


def anchors(page: str) -> set[str]:
    """What GitHub lets a link point at: headings in lower case, without marks, joined by hyphens."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs"])
def test_every_link_to_a_heading_leads_to_one(root: Path, page: str) -> None:
    pages = sorted((root / page).glob("*.md")) if page == "docs" else [root / page]
    links = [
        (path, *link.split("#"))
        for path in pages
        for link in LINK.findall(FENCE.sub("", path.read_text("utf-8")))
        if "#" in link and not link.startswith(("http://", "https://"))
    ]
    dead = [
        (str(path.relative_to(root)), f"{other}#{anchor}")
        for path, other, anchor in links
        if anchor not in anchors((path.parent / other if other else path).read_text("utf-8"))
    ]

    assert links or page != "docs"
    assert dead == []


def test_every_page_of_the_docs_can_be_reached_from_the_readme(root: Path) -> None:
    linked = set(LINK.findall((root / "README.md").read_text("utf-8")))
    pages = {f"docs/{path.name}" for path in (root / "docs").glob("*.md")}

    assert pages - linked == set()


def test_every_way_to_stop_has_a_documented_exit_status(root: Path) -> None:
    page = (root / "docs" / "exit-statuses.md").read_text("utf-8")
    documented = {int(status) for status in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}

    assert {kind.exit_status for kind in stops(StopError)} <= documented
    assert documented == {0, 1, 2, 3, 4, 5, 6, 7, 75, 130, 143}


def test_the_readme_leads_with_two_commands_that_the_makefile_has(root: Path) -> None:
    first = re.search(
        r"^```sh\n(.*?)^```$", (root / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    assert first is not None

    commands = [line.split("#")[0].split() for line in first[1].splitlines()]
    assert commands == [["make", "demo"], ["make", "test"]]
    makefile = (root / "Makefile").read_text("utf-8")
    assert all(f"\n{target}: " in makefile for _, target in commands)


def test_the_checks_that_run_before_a_change_lands_can_be_started(root: Path) -> None:
    assert os.access(root / ".ci" / "run", os.X_OK)
    subprocess.run(["bash", "-n", str(root / ".ci" / "run")], check=True)


def test_make_without_a_new_enough_python_says_what_to_do(root: Path, tmp_path: Path) -> None:
    make = shutil.which("make")
    if make is None:
        pytest.skip("make is not installed")
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(root / name, tmp_path)
    (tmp_path / "bin").mkdir()
    old = tmp_path / "bin" / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    shell = shutil.which("sh")
    assert shell is not None
    (tmp_path / "bin" / "sh").symlink_to(shell)

    done = subprocess.run(
        [make, "test", f"SHELL={shell}"],
        cwd=tmp_path,
        env={"PATH": str(tmp_path / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode != 0
    assert "Python 3.11 or newer is needed" in done.stderr
    assert not (tmp_path / ".venv").exists()
