"""The pages on checking and on JSON lines say what the program does."""

from __future__ import annotations

import json
import re
from pathlib import Path

from syncer.export import export_line
from syncer.findings import Code, Grade
from syncer.repository import Repository
from syncer.testing.samples import sample


def first_column(page: str) -> list[str]:
    return re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)


def test_every_code_and_grade_is_described_once(root: Path) -> None:
    page = (root / "docs" / "checking-a-corpus.md").read_text("utf-8")
    described = [cell.strip("`") for cell in first_column(page)]
    assert described == [*Grade, *Code]


def test_every_key_of_a_line_is_described_once(root: Path) -> None:
    page = (root / "docs" / "json-lines.md").read_text("utf-8")
    described = [
        key.removesuffix("[]")
        for cell in first_column(page)
        for key in re.split(r", ", cell.replace("`", ""))
    ]
    repository = Repository(id="R_1", name="a/b", current_name="a/b", web_url="https://x.example")
    line = json.loads(export_line(sample(1), repository))
    assert sorted(described) == sorted(line)
