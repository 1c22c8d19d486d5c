"""The digest of a selection: it changes with what was asked and found, and with nothing else."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from syncer.corpus import CENSUS
from syncer.evidence import Connection
from syncer.history import History, ResolutionFilter
from tests.history.corpora import DAY, SECOND, START, WATERMARK, Writer, merged, opened, select
from tests.history.test_proof import CUT, legacy, with_coverage

END = START + 7 * DAY
PULLS = (merged(1, START), merged(2, START + DAY), opened(3, START))


async def digest(root: Path, *pulls: object) -> str:
    corpus = await Writer(root).write(*(pulls or PULLS))  # type: ignore[arg-type]
    return select(corpus, START, END).digest


@pytest.mark.parametrize(
    ("start", "end", "resolution"),
    [
        pytest.param(START - SECOND, END, ResolutionFilter.ALL_RESOLVED, id="an earlier start"),
        pytest.param(None, END, ResolutionFilter.ALL_RESOLVED, id="no start"),
        pytest.param(START, END + SECOND, ResolutionFilter.ALL_RESOLVED, id="a later end"),
        pytest.param(START, END, ResolutionFilter.MERGED, id="another filter"),
    ],
)
async def test_the_question_changes_it_though_the_answer_is_the_same(
    start: object, end: object, resolution: ResolutionFilter, tmp_path: Path
) -> None:
    corpus = await Writer(tmp_path).write(*PULLS)
    asked, other = select(corpus, START, END), select(corpus, start, end, resolution)  # type: ignore[arg-type]

    assert asked.selected == other.selected
    assert asked.digest != other.digest


@pytest.mark.parametrize(
    "pulls",
    [
        pytest.param((*PULLS, merged(4, START)), id="one more"),
        pytest.param(PULLS[:1], id="one less"),
        pytest.param((merged(1, START, title="Other words"), *PULLS[1:]), id="another revision"),
        pytest.param((legacy(PULLS[0]), *PULLS[1:]), id="no evidence"),
        pytest.param(
            (with_coverage(PULLS[0], Connection.COMMENTS, CUT), *PULLS[1:]), id="cut evidence"
        ),
    ],
)
async def test_what_was_found_changes_it(pulls: tuple[object, ...], tmp_path: Path) -> None:
    assert await digest(tmp_path / "a", *pulls) != await digest(tmp_path / "b")


async def test_another_repository_changes_it(tmp_path: Path) -> None:
    one = Writer(tmp_path / "a")
    other = Writer(tmp_path / "b")
    other.known_as(id="R_2")

    digests = {select(await w.write(*PULLS), START, END).digest for w in (one, other)}

    assert len(digests) == 2


async def test_being_behind_or_damaged_changes_it(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.put(*PULLS)
    writer.census(behind=(2,))
    behind = select(await writer.flush(), START, END).digest
    writer.file(2).write_bytes(b"damaged")
    damaged = History(tmp_path, sleep=lambda _: None).corpus(None)

    digests = {behind, select(damaged, START, END).digest, await digest(tmp_path / "whole")}

    assert len(digests) == 3


@pytest.mark.parametrize(
    "pulls",
    [
        pytest.param((*PULLS, merged(9, END)), id="what lies after the window"),
        pytest.param((*PULLS[:2], opened(3, START, title="Other words")), id="what is open"),
        pytest.param((merged(1, START, updated_at=END), *PULLS[1:]), id="a touch without a word"),
        pytest.param(
            (with_coverage(PULLS[0], Connection.LABELS, CUT), *PULLS[1:]), id="what is not judged"
        ),
    ],
)
async def test_nothing_outside_the_answer_changes_it(
    pulls: tuple[object, ...], tmp_path: Path
) -> None:
    assert await digest(tmp_path / "a", *pulls) == await digest(tmp_path / "b")


async def test_neither_freshness_nor_a_missing_census_changes_it(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    corpus = await writer.write(*PULLS)
    before = select(corpus, START, END).digest
    writer.census(watermark=WATERMARK + DAY)
    await writer.flush()
    later = select(corpus, START, END).digest
    (writer.folder / CENSUS).unlink()

    assert before == later == select(corpus, START, END).digest


_CHILD = """
import json, sys
from datetime import datetime
from pathlib import Path
from syncer.corpus import Window
from syncer.history import History, ResolutionFilter
root, start, end = sys.argv[1:]
window = Window(datetime.fromisoformat(start), datetime.fromisoformat(end))
found = History(Path(root)).corpus(None).select(lambda _: window, ResolutionFilter.ALL_RESOLVED)
print(json.dumps([found.digest, [one.number for one in found.selected]]))
"""


def test_it_is_the_same_in_every_process_and_place(tmp_path: Path, root: Path) -> None:
    corpus = asyncio.run(Writer(tmp_path / "here").write(*PULLS))
    elsewhere = tmp_path / "ein anderer Ort ✓"
    shutil.copytree(tmp_path / "here", elsewhere)
    expected = [select(corpus, START, END).digest, [1, 2]]

    for place, variables in (
        (tmp_path / "here", {"TZ": "Asia/Kathmandu", "LANG": "C", "PYTHONHASHSEED": "1"}),
        (elsewhere, {"TZ": "America/St_Johns", "LANG": "tr_TR.UTF-8", "PYTHONHASHSEED": "2"}),
    ):
        # The same moments, spelt in another zone.
        spelt = [(at + 0 * DAY).astimezone().isoformat() for at in (START, END)]
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, str(place), *spelt],
            env={**os.environ, **variables, "PYTHONPATH": str(root)},
            capture_output=True,
            check=True,
            text=True,
        )
        assert json.loads(done.stdout) == expected
