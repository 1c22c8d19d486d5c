"""A reader beside a writer: what does not fit is looked at again before it is called damage."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from syncer.corpus import CENSUS, MANIFEST, CorpusError
from syncer.history import ChangingError, NoCorpusError
from syncer.history.look import Look, steady
from syncer.testing.feed import release
from tests.history.corpora import DAY, START, Writer, merged


def texts(look: Look) -> dict[int, bytes | None]:
    """Every file of the corpus, None where it does not fit."""
    return {
        entry.number: look.file(entry, leaf.release)
        for leaf in look.root.leaves
        for entry in look.entries(leaf)
    }


class Pause:
    """A sleep that lets something happen meanwhile, and remembers how long it was."""

    def __init__(self, *happenings: Callable[[], object]) -> None:
        self.slept: list[float] = []
        self._happenings = list(happenings)

    def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)
        if self._happenings:
            self._happenings.pop(0)()


async def corpora(tmp_path: Path, count: int) -> list[Path]:
    """The same folder as it was after each of `count` runs, every one a new release."""
    writer = Writer(tmp_path / "work")
    writer.put(merged(1, START))
    found: list[Path] = []
    for run in range(count):
        writer.released(*(release(f"v{n}", START + (count - n) * DAY) for n in range(run)))
        await writer.flush()
        found.append(tmp_path / f"state-{run}")
        shutil.copytree(writer.folder, found[-1])
    return found


def switch(folder: Path, state: Path) -> None:
    shutil.rmtree(folder)
    shutil.copytree(state, folder)


async def test_a_whole_corpus_is_read_at_one_look_without_waiting(tmp_path: Path) -> None:
    (state,) = await corpora(tmp_path, 1)
    pause = Pause()

    found = steady(state, texts, pause)

    assert None not in found.values()
    assert pause.slept == []


async def test_a_file_that_stays_wrong_for_a_second_is_damage(tmp_path: Path) -> None:
    (state,) = await corpora(tmp_path, 1)
    next(state.rglob("pr-1.md")).write_bytes(b"not what was sealed")
    pause = Pause()

    assert steady(state, texts, pause) == {1: None}
    assert pause.slept == [1.0]


async def test_a_file_that_is_put_right_within_the_second_is_none(tmp_path: Path) -> None:
    (state,) = await corpora(tmp_path, 1)
    file = next(state.rglob("pr-1.md"))
    whole = file.read_bytes()
    file.unlink()

    found = steady(state, texts, Pause(lambda: file.write_bytes(whole)))

    assert found == {1: whole}


async def test_a_file_that_a_new_seal_moved_is_read_at_its_new_place(tmp_path: Path) -> None:
    before, after = await corpora(tmp_path, 2)
    looks: list[str] = []
    pause = Pause()

    def read(look: Look) -> dict[int, bytes | None]:
        looks.append(look.root.digest)
        if len(looks) == 1:
            switch(before, after)  # between the root and its files
        return texts(look)

    assert None not in steady(before, read, pause).values()
    assert len(set(looks)) == 2
    assert pause.slept == []  # another root is reason enough to look again at once


async def test_a_corpus_that_never_holds_still_is_said_to_change(tmp_path: Path) -> None:
    states = await corpora(tmp_path, 6)
    folder = tmp_path / "read"
    shutil.copytree(states[0], folder)
    looks: list[str] = []

    def read(look: Look) -> dict[int, bytes | None]:
        looks.append(look.root.digest)
        switch(folder, states[len(looks)])
        return texts(look)

    with pytest.raises(ChangingError):
        steady(folder, read, Pause())
    assert len(looks) == 4  # the first, and three from the start


async def test_damage_that_is_raised_gets_the_same_second_look(tmp_path: Path) -> None:
    (state,) = await corpora(tmp_path, 1)
    calls: list[str] = []

    def read(look: Look) -> str:
        calls.append(look.root.digest)
        if len(calls) == 1:
            raise CorpusError("half of it was not there yet")
        return "whole"

    assert steady(state, read, Pause()) == "whole"


async def test_damage_that_is_raised_again_is_raised(tmp_path: Path) -> None:
    (state,) = await corpora(tmp_path, 1)
    pause = Pause()

    def read(_: Look) -> str:
        raise CorpusError("torn")

    with pytest.raises(CorpusError, match="torn"):
        steady(state, read, pause)
    assert pause.slept == [1.0]


async def test_a_root_that_is_written_in_steps_is_waited_for(tmp_path: Path) -> None:
    (state,) = await corpora(tmp_path, 1)
    root = state / MANIFEST
    whole = root.read_bytes()
    root.write_bytes(whole[:100])

    found = steady(state, texts, Pause(lambda: root.write_bytes(whole)))

    assert None not in found.values()


async def test_a_census_of_another_moment_than_the_root_is_looked_at_again(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    await writer.write(merged(1, START))
    earlier = (writer.folder / CENSUS).read_bytes()
    await writer.write(merged(2, START))
    later = (writer.folder / CENSUS).read_bytes()
    (writer.folder / CENSUS).write_bytes(earlier)  # the root was written, the census not yet
    pause = Pause(lambda: (writer.folder / CENSUS).write_bytes(later))

    census = steady(writer.folder, lambda look: look.census, pause)

    assert census is not None
    assert (census.found, pause.slept) == (2, [1.0])


async def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (state,) = await corpora(tmp_path, 1)
    block = next(state.rglob("pr-1.md")).parent
    block.rename(tmp_path / "elsewhere")
    block.symlink_to(tmp_path / "elsewhere")

    assert steady(state, lambda look: (texts(look), look.misfits), Pause())[1] == {
        f"pulls/0000000/{MANIFEST}"
    }


def test_no_corpus_is_not_an_empty_one(tmp_path: Path) -> None:
    with pytest.raises(NoCorpusError, match="syncer sync"):
        steady(tmp_path, texts, Pause())
