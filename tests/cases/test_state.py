"""What is remembered from run to run: nothing too early, nothing twice, nothing of somebody else's."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import time
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path

import pytest

from syncer.corpus import parse
from syncer.errors import ConfigError, LockedError, RefusedError
from syncer.evidence import Connection
from syncer.github.access import Endpoint
from syncer.github.client import GitHub
from syncer.github.governor import Governor
from syncer.github.token import Credentials, Token
from syncer.history import History
from syncer.report import Summary
from syncer.session import sync
from syncer.settings import Settings
from syncer.store import read_store
from syncer.testing.github import faults
from syncer.testing.github.dataset import Dataset, Release
from syncer.testing.github.expected import expected
from syncer.testing.github.mutations import Mutations
from syncer.testing.github.requests import every, operation, touches
from syncer.testing.github.simulator import DEFAULT_TOKEN, Simulator
from syncer.verify import verify
from tests.cases.scene import FOLDER, HOUR_S, NAME, comment, pull, read, repository, talk
from tests.engine.harness import CORPUS, UNHURRIED, Hurry, content, run, tree
from tests.history.corpora import numbers, select

SMALL = Settings(page=2, ids=2)
DAY_S = 86_400.0


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return repository(*(pull(n, comments=(comment(f"on {n}"),)) for n in range(1, 11)))


# -- watermarks


async def test_a_census_that_failed_in_its_middle_leaves_the_watermark_and_what_was_read(
    dataset: Dataset, tmp_path: Path
) -> None:
    third = every(operation("Census"), lambda asked: asked.cursors > 0)
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        seen = iter(range(100))
        simulator.fail(
            faults.server_error(), lambda asked: third(asked) and next(seen) >= 1, times=None
        )
        failed = await run(simulator, tmp_path, settings=SMALL, hurry=hurry)
        kept = len(content(tmp_path))
        unproven = _census(tmp_path)["watermark"]
        simulator.rules.clear()
        simulator.clock.advance(HOUR_S)
        simulator.mutate.add_comment(1, "while nobody looked")
        simulator.clock.advance(HOUR_S)
        whole = await run(simulator, tmp_path, settings=SMALL, hurry=hurry)
        after = await run(simulator, tmp_path, settings=SMALL, hurry=hurry)
        await run(simulator, tmp_path / "fresh", settings=SMALL, hurry=hurry)

    assert (failed.exit, whole.exit, after.exit) == (3, 0, 0)
    assert unproven is None
    assert 2 <= kept < 10
    assert len(read(tmp_path, 1).conversation.comments) == 2
    assert content(tmp_path / FOLDER) == content(tmp_path / "fresh" / FOLDER)


async def test_the_watermark_is_the_servers_time_at_the_first_answer_less_the_margin(
    dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        began = simulator.clock.now().replace(microsecond=0)
        for k in range(1, 60):
            simulator.between(k, lambda _: simulator.clock.advance(10))
        await run(simulator, tmp_path, settings=SMALL)

    watermark = datetime.fromisoformat(str(_census(tmp_path)["watermark"]))
    assert watermark == began - timedelta(seconds=60)


async def test_one_that_fails_takes_none_of_the_others_and_holds_no_watermark_back(
    dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        refused = faults.forbidden("PullRequest.comments", 7)
        simulator.fail(refused, touches(7), times=None)
        failed = await run(simulator, tmp_path, settings=SMALL, hurry=hurry)
        marked = _census(tmp_path)["watermark"]
        simulator.clock.advance(2 * HOUR_S)
        simulator.rules.clear()
        mended = await run(simulator, tmp_path, settings=SMALL, hurry=hurry)

    assert (failed.exit, mended.exit) == (3, 0)
    assert {p.number for p in failed.problems} == {7}
    assert marked is not None
    assert mended.conversations.read == 1


# -- states

STATES = ("open", "closed", "merged")


def _become(mutate: Mutations, state: str) -> None:
    {"open": mutate.reopen, "closed": mutate.close, "merged": mutate.merge}[state](1)


@pytest.mark.parametrize("history", [h for h in product(STATES, repeat=3) if "merged" not in h[:2]])
async def test_every_history_of_states_leaves_one_file_as_if_it_had_been_read_today(
    history: tuple[str, ...], tmp_path: Path
) -> None:
    dataset = repository(
        pull(1, comments=(comment(),)), releases=(Release(tag_name="v1", published_at="2026-03-02T00:00:00Z"),)
    )  # fmt: skip
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "kept")
        for n, state in enumerate(history):
            simulator.clock.advance(HOUR_S)
            _become(simulator.mutate, state)
            if n == 1:
                simulator.clock.advance(HOUR_S)
                simulator.mutate.add_release("v2")
            simulator.clock.advance(HOUR_S)
            assert (await run(simulator, tmp_path / "kept")).exit == 0
        await run(simulator, tmp_path / "fresh")

    wanted = {"open": "OPEN", "closed": "CLOSED", "merged": "MERGED"}[history[-1]]
    assert len(content(tmp_path / "kept")) == 1
    assert read(tmp_path / "kept", 1).conversation.state == wanted
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")
    assert verify(tmp_path / "kept" / FOLDER).findings == ()


@pytest.mark.parametrize("state", ["OPEN", "CLOSED"])
async def test_a_stamp_of_merging_decides_against_any_state_and_the_contradiction_is_told(
    state: str, tmp_path: Path
) -> None:
    at = "2026-03-02T00:00:00Z"
    odd = pull(
        1, state=state, updated_at=at, merged_at=at, closed_at=None if state == "OPEN" else at
    )
    async with Simulator(repository(odd, pull(2))) as simulator:
        summary = await run(simulator, tmp_path)

    day = datetime.fromisoformat(at)
    found = select(History(tmp_path).corpus(NAME), day, day + timedelta(days=1))
    (problem,) = summary.problems
    assert numbers(found) == [1]
    assert (summary.exit, problem.number, problem.status) == (0, 1, "contradiction")
    assert Connection.PULL_REQUEST in read(tmp_path, 1).connections
    assert read(tmp_path, 1).conversation.merged_at is not None


# -- a repository that moves


async def test_an_old_name_that_leads_nowhere_stops_the_run_and_the_new_one_goes_on_in_place(
    dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
        before = tree(tmp_path)
        simulator.mutate.rename("octo/elsewhere")
        simulator.world.former_names.clear()
        simulator.clock.advance(HOUR_S)
        with pytest.raises(RefusedError, match="finds no such repository"):
            await _sync(simulator, NAME, tmp_path)
        untouched = tree(tmp_path)
        found = await _sync(simulator, "octo/elsewhere", tmp_path)

    assert untouched == before
    assert (found.exit, found.conversations.read, found.conversations.unchanged) == (0, 0, 10)
    assert _folders(tmp_path) == [NAME]


@pytest.mark.parametrize("name", ["octo/elsewhere", "other/demo", "other/third.name"])
async def test_a_transfer_is_followed_from_the_old_name_and_the_new_with_or_without_a_store(
    name: str, dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
        before = content(tmp_path)
        simulator.mutate.rename(name)
        results = []
        for asked, lost in ((NAME, False), (name, False), (name, True), (NAME, True)):
            if lost:
                for path in (tmp_path / FOLDER / ".syncer").glob("state.db*"):
                    path.unlink()
            simulator.clock.advance(HOUR_S)
            results.append(await _sync(simulator, asked, tmp_path))

    assert [one.exit for one in results] == [0] * 4
    assert [one.conversations.read for one in results] == [0] * 4
    assert content(tmp_path) == before
    assert _folders(tmp_path) == [NAME]


@pytest.mark.parametrize("torn", ["manifest.json", "census.json"])
async def test_a_torn_file_does_not_hide_the_folder_from_a_repository_that_was_renamed(
    torn: str, dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
        before = content(tmp_path)
        (tmp_path / FOLDER / torn).write_bytes(b"")
        simulator.mutate.rename("octo/elsewhere")
        simulator.clock.advance(HOUR_S)
        summary = await _sync(simulator, "octo/elsewhere", tmp_path)

    assert (summary.exit, summary.conversations.read) == (0, 0)
    assert _folders(tmp_path) == [NAME]
    assert content(tmp_path) == before


async def test_a_folder_of_another_repository_is_not_overwritten_by_the_one_that_took_its_name(
    dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
        before = tree(tmp_path)
        simulator.mutate.rename("octo/first")
        simulator.clock.advance(HOUR_S)
        await _sync(simulator, "octo/first", tmp_path)
        simulator.mutate.rename(NAME)
        simulator.mutate.recreate()
        with pytest.raises(ConfigError, match="another repository"):
            await _sync(simulator, NAME, tmp_path)

    assert content(tmp_path).keys() == {name for name in before if name.endswith(".md")}


# -- what is deleted without a sign


async def test_holes_in_the_numbers_are_normal_and_asked_for_by_nobody(tmp_path: Path) -> None:
    async with Simulator(repository(pull(3), pull(5), pull(9))) as simulator:
        summary = await run(simulator, tmp_path)

    assert (summary.exit, summary.complete, summary.conversations.total) == (0, True, 3)
    assert simulator.requests == 2


@pytest.mark.parametrize("after", range(1, 7))
@pytest.mark.parametrize("what", ["pull request", "thread", "comment", "review comment"])
async def test_what_is_deleted_during_a_run_takes_nothing_else_along(
    what: str, after: int, tmp_path: Path
) -> None:
    dataset = repository(*(talk(n, 2) for n in range(1, 11)))

    def delete(mutate: Mutations) -> None:
        victim = mutate.world.pull(4)
        if what == "pull request":
            mutate.delete_pull(4)
        elif what == "thread":
            mutate.delete_thread(victim.review_threads[0])
        elif what == "comment":
            mutate.delete_comment(victim.comments[0])
        else:
            mutate.delete_comment(victim.review_threads[1].comments[0])

    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        simulator.between(after, delete)
        first = await run(simulator, tmp_path / "kept", settings=Settings(ids=10), hurry=hurry)
        others = content(tmp_path / "kept" / FOLDER)
        for _ in range(2):
            simulator.clock.advance(2 * DAY_S)
            full = Settings(ids=10, full=True)
            last = await run(simulator, tmp_path / "kept", settings=full, hurry=hurry, requested=[])
        await run(simulator, tmp_path / "fresh", hurry=hurry)
        whole = expected(simulator.world)

    found = {int(Path(name).stem.removeprefix("pr-")): parse(data) for name, data in others.items()}
    assert first.exit in (0, 3)
    assert {n: found[n].conversation for n in whole if n != 4} == {
        n: one for n, one in whole.items() if n != 4
    }
    assert last.exit == 0
    assert content(tmp_path / "kept" / FOLDER) == content(tmp_path / "fresh" / FOLDER)


# -- two at once


async def test_a_second_run_of_the_same_corpus_names_the_first_and_changes_nothing(
    dataset: Dataset, tmp_path: Path
) -> None:
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def hold(_: float) -> None:
        if slow.requests == 3:
            reached.set()
            await go_on.wait()

    slow = Simulator(dataset, latency_s=0.001, sleep=hold)
    async with slow, Simulator(dataset) as other:
        first = asyncio.create_task(run(slow, tmp_path, settings=Settings(concurrency=1)))
        await reached.wait()
        before = content(tmp_path)
        with pytest.raises(LockedError, match=f"process {os.getpid()} ") as refused:
            await run(other, tmp_path)
        after = content(tmp_path)
        go_on.set()
        summary = await first

    assert refused.value.exit_status == 75
    assert after == before
    assert (summary.exit, summary.conversations.read) == (0, 10)
    assert verify(tmp_path / FOLDER).findings == ()


async def test_a_reader_goes_on_while_a_run_is_under_way(dataset: Dataset, tmp_path: Path) -> None:
    counts: list[tuple[int, int]] = []

    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path, settings=SMALL)
        simulator.clock.advance(HOUR_S)
        for number in range(1, 11):
            simulator.mutate.add_comment(number, "more")

        def look(_: int) -> None:
            with sqlite3.connect(f"file:{_database(tmp_path)}?mode=ro", uri=True) as reader:
                stored = reader.execute("SELECT count(*) FROM conversation").fetchone()[0]
            reader.close()
            counts.append((stored, len(content(tmp_path))))

        simulator.on_answered(look)
        summary = await run(simulator, tmp_path, settings=SMALL)

    async with read_store(tmp_path / FOLDER) as store:
        assert await store.conversations.count() == 10
    assert summary.exit == 0
    assert len(counts) > 5
    assert set(counts) == {(10, 10)}


async def test_a_writer_in_another_process_is_waited_for(dataset: Dataset, tmp_path: Path) -> None:
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
        simulator.clock.advance(HOUR_S)
        simulator.mutate.add_comment(1, "more")
        other = await asyncio.to_thread(_hold, _database(tmp_path), 0.6)
        began = time.monotonic()
        summary = await run(simulator, tmp_path)
        waited = time.monotonic() - began
        await asyncio.to_thread(other.wait)

    assert (summary.exit, summary.conversations.read) == (0, 1)
    assert waited > 0.3


# -- inside

_HOLD = """
import sqlite3, sys, time
held = sqlite3.connect(sys.argv[1], isolation_level=None)
held.execute("BEGIN IMMEDIATE")
print("held", flush=True)
time.sleep(float(sys.argv[2]))
held.execute("ROLLBACK")
"""


def _hold(database: Path, seconds: float) -> subprocess.Popen[str]:
    """A process that holds a write transaction for so long, as soon as it does."""
    other = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(database), str(seconds)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    other.stdout.close()
    return other


def _folders(root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in root.glob("*/*")]


def _database(root: Path) -> Path:
    return root / FOLDER / ".syncer" / "state.db"


async def _sync(simulator: Simulator, name: str, root: Path) -> Summary:
    """A run that asks for `name`, whatever the repository is called today."""
    client = GitHub(
        Credentials(Token(DEFAULT_TOKEN)),
        Governor(UNHURRIED),
        name=name,
        endpoint=Endpoint(url=simulator.url),
    )
    async with client:
        return await sync(
            client,
            name,
            root,
            sinks=CORPUS,
            settings=Settings(),
            observer=lambda _: None,
            monotonic=time.monotonic,
        )


def _census(root: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((root / FOLDER / "census.json").read_bytes())
    return found
