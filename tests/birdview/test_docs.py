"""The page of Bird View names everything that can be asked and answered."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from birdview import schema
from birdview.degraded import Code
from birdview.envelope import SynthesisReason
from birdview.mcp.catalogue import CATALOGUE
from birdview.request import ROLLING
from syncer.history import CensusStatus, ResolutionFilter


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "bird-view.md").read_text("utf-8")


def rows(page: str) -> set[str]:
    """What stands in code in the first cell of a table's row."""
    cells = re.findall(r"^\| ([^|]*) \|", page, re.MULTILINE)
    return {word for cell in cells for word in re.findall(r"`([^`]+)`", cell)}


def test_every_degraded_reason_has_a_row_with_advice(page: str) -> None:
    assert {code.value for code in Code} <= rows(page)


def test_every_reason_for_no_narrative_has_a_row(page: str) -> None:
    assert set(get_args(SynthesisReason)) <= rows(page)


def test_every_tool_has_a_row(page: str) -> None:
    assert {spec.name for spec in CATALOGUE} <= rows(page)


def test_every_key_of_the_answer_has_a_row(page: str) -> None:
    keys = json.loads(schema.published())["$defs"]["Envelope"]["properties"]

    assert set(keys) - {"generatedAt", "notAuthority"} <= rows(page)


@pytest.mark.parametrize(
    "word",
    [*ROLLING, *ResolutionFilter, *CensusStatus, "notAuthority", "mcpServers", "--max-lag"],
)
def test_every_word_of_a_question_is_explained(word: str, page: str) -> None:
    assert word in page


def test_every_command_and_option_is_one_that_there_is(page: str) -> None:
    from typer.main import get_command

    from birdview.cli import entry

    group = get_command(entry._app)
    known = {
        option
        for command in group.commands.values()  # type: ignore[attr-defined]
        for parameter in command.params
        for option in parameter.opts
    }
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", page))

    assert named - known <= {"--help", "--repair", "--retry"}  # the last two are of syncer
    assert set(re.findall(r"^birdview ([a-z]+)", page, re.MULTILINE)) == set(group.commands)  # type: ignore[attr-defined]
