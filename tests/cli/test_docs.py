"""The command line and its page say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from syncer.cli.group import COMMANDS, load
from tests.cli.conftest import Run

OPTION = re.compile(r"`(--?[a-z][a-z-]*)")


@pytest.fixture(scope="module")
def sections(root: Path) -> dict[str, str]:
    """The page by heading; the part for every command is `Every command`."""
    page = (root / "docs" / "command-line.md").read_text("utf-8")
    parts = re.split(r"^## (.*)$", page, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def options(command: str) -> set[str]:
    found = [p for p in load(command).params if p.param_type_name == "option"]
    return {name for p in found for name in (*p.opts, *p.secondary_opts)}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_a_command_is_documented_and_no_other(
    sections: dict[str, str], command: str
) -> None:
    common = set(OPTION.findall(sections["Every command"]))
    documented = set(OPTION.findall(sections[f"`syncer {command}`"]))

    has = options(command) | {"--help", "-h"}
    assert has - documented - common == set()
    assert documented - has == set()
    assert common - has - {"--root"} == set()


def test_every_command_has_its_part_of_the_page(sections: dict[str, str]) -> None:
    documented = {name for name in sections if name.startswith("`syncer ")}

    assert documented == {f"`syncer {command}`" for command in COMMANDS}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_examples_that_it_would_accept(run: Run, command: str) -> None:
    done = run(command, "--help")
    examples = [
        line.strip() for line in done.out.split("Examples:")[1].splitlines() if line.strip()
    ]

    assert done.status == 0
    for example in examples:
        words = example.split(" | ")[0].split(" >")[0].split()
        assert words[:2] == ["syncer", command]
        used = {word.split("=")[0] for word in words if word.startswith("--")}
        assert used <= options(command)


@pytest.mark.parametrize("command", ["sync", "status", "verify", "doctor"])
def test_the_keys_of_the_page_are_those_of_the_output(
    run: Run, github: object, synced: Path, sections: dict[str, str], command: str
) -> None:
    name = ["example-org/small"] if command == "sync" else []

    done = run(command, *name, "--root", synced, "--json")

    page = sections[f"`syncer {command}`"]
    assert done.objects
    for key in done.objects[0]:
        assert f"`{key}`" in page, key
