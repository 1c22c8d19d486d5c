"""The front matter says the same to our own reader and to those of YAML 1.1 and 1.2."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from ruamel.yaml import YAML

from syncer.corpus import front_matter, parse, render
from syncer.corpus.scalars import flow
from syncer.evidence import Snapshot
from syncer.records import ClosingIssue, Label
from tests.corpus.examples import ANN, snapshot
from tests.strategies import REPOSITORY, hostile_text, snapshots

TITLES = [
    "fix: a # b",
    "@mention",
    "%s",
    "`x`",
    "*star",
    "- dash",
    "? question",
    "| pipe",
    "> fold",
    "no",
    "on",
    "y",
    "null",
    "~",
    "",
    "=",
    "<<",
    "1e3",
    "0123",
    "08",
    "0o7",
    "0x1F",
    "10:00",
    "1:30:00",
    ".inf",
    "2026-01-02",
    "2026-01-02T03:04:05Z",
    "\"quoted\" 'both'",
    "back\\slash",
    "{a}",
    "[b]",
    "!tag",
    "&a",
    "---",
    "...",
    "trailing space ",
    " leading space",
    "an emoji family \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "x" * 256,
    "word " * 400,
    "a\ttab",
    "a line\nbreak",
    "a CR\r",
    "NEL \x85, LS \u2028, PS \u2029",
    "DEL \x7f, APC \x9f, BOM \ufeff, \ufffe, \uffff",
    "\x00\x01\x1b",
    "<!-- & -->",
    "ends of the plane \U0001ffff \U0010ffff \ud7ff \ue000",
]


def _block(data: bytes) -> str:
    text = data.decode()
    assert text.startswith("---\n")
    return text[4 : text.index("\n---\n") + 1]


def _ours(block: str) -> dict[str, Any]:
    pairs = (line.split(": ", 1) for line in block.split("\n")[:-1])
    return {key: json.loads(value) for key, value in pairs}


def _yaml_1_1(block: str) -> Any:
    return yaml.safe_load(block)


def _yaml_1_2(block: str) -> Any:
    reader = YAML(typ="safe", pure=True)
    assert reader.version is None  # which this library reads as 1.2
    return reader.load(StringIO(block))


def _titled(title: str) -> Snapshot:
    author = replace(ANN, login=title)
    labels = (Label("L_1", title), Label(title, "x"))
    return snapshot(
        title=title,
        author=author,
        base_ref_name=title,
        labels=labels,
        closing_issues=(ClosingIssue("I_1", title, 9_007_199_254_740_993),),
    )


@pytest.mark.parametrize("title", TITLES, ids=ascii)
def test_every_title_is_the_same_string_to_three_readers(title):
    found = _titled(title)
    data = render(found, REPOSITORY)
    block = _block(data)

    assert parse(data) == found
    assert front_matter(data).title == title
    assert _yaml_1_1(block) == _yaml_1_2(block) == _ours(block)
    assert _ours(block)["title"] == title
    assert _ours(block)["labels"][0] == {"id": "L_1", "name": title}


@settings(max_examples=60)
@given(snapshots())
def test_all_values_read_alike_in_yaml_1_1_and_1_2_and_json(found):
    block = _block(render(found, REPOSITORY))

    assert _yaml_1_1(block) == _ours(block)
    assert _yaml_1_2(block) == _ours(block)


@given(hostile_text() | st.text())
def test_a_value_is_one_line_of_printable_characters_whatever_is_in_it(text):
    value = flow({"text": text})

    assert json.loads(value) == {"text": text}
    assert not yaml.reader.Reader.NON_PRINTABLE.search(value)
    assert len(value.splitlines()) == 1


def test_every_single_character_reads_alike():
    # All of the basic plane that is a scalar value, and the edges of the others.
    points = [*range(0xD800), *range(0xE000, 0x1_0002), 0x1F600, 0x1_FFFF, 0x10_FFFF]
    text = "".join(map(chr, points))
    block = f"text: {flow(text)}\n"

    assert _yaml_1_1(block) == _yaml_1_2(block) == {"text": text}


def test_readable_text_is_not_escaped():
    assert flow("Größe — 大小 \U0001f600 é") == '"Größe — 大小 \U0001f600 é"'


def test_the_keys_stand_in_their_order():
    keys = list(_ours(_block(render(snapshot(), REPOSITORY))))

    assert keys == [
        "grammar",
        "id",
        "fullDatabaseId",
        "number",
        "title",
        "author",
        "authorAssociation",
        "state",
        "isDraft",
        "createdAt",
        "updatedAt",
        "closedAt",
        "mergedAt",
        "baseRefName",
        "headRefName",
        "headRepository",
        "labels",
        "closingIssues",
        "url",
        "revision",
        "connections",
    ]


@settings(max_examples=40)
@given(snapshots())
def test_the_order_in_which_coverage_was_gathered_does_not_show(found):
    turned = Snapshot(
        conversation=found.conversation,
        connections=dict(reversed(found.connections.items())),
        threads=dict(reversed(found.threads.items())),
    )

    assert render(turned, REPOSITORY) == render(found, REPOSITORY)
