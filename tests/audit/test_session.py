"""An audit finds what moves no `updatedAt`, has it read again, and else leaves everything alone."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from syncer.audit.plan import Depth, Plan, Sample
from syncer.audit.report import AuditSummary
from syncer.errors import ConfigError
from syncer.store import Tombstone, read_store
from syncer.testing.github import faults
from syncer.testing.github.dataset import Dataset
from syncer.testing.github.expected import quotient
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.nodes import PullRequest
from syncer.testing.github.simulator import DEFAULT_TOKEN, Simulator
from syncer.testing.github.viewers import Viewer
from tests.audit.edits import EDITS, Editor, prepare, said
from tests.audit.harness import TODAY, audited, everything_stored, files, folder
from tests.engine.harness import run, tree

SMALL = Shape(releases=3, long_conversation=230, long_thread=120, many_threads=110)
TOTALS = Plan(depth=Depth.TOTALS)


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return generate(11, 40, SMALL)


@pytest.fixture(scope="module")
def _synced(dataset: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("synced")

    async def read() -> None:
        async with Simulator(dataset) as simulator:
            assert (await run(simulator, root)).exit == 0

    asyncio.run(read())
    return root


@pytest.fixture
def root(_synced: Path, tmp_path: Path) -> Path:
    """A root as a whole sync of `dataset` left it, for this test alone."""
    return Path(shutil.copytree(_synced, tmp_path / "root"))


@asynccontextmanager
async def later(pulls: int, wait_s: float = 7200.0) -> AsyncIterator[Simulator]:
    """A repository of so many pull requests, made ready for edits, a while after its sync."""
    async with Simulator(generate(8, pulls, Shape(releases=4))) as simulator:
        prepare(simulator)
        simulator.clock.advance(wait_s)
        yield simulator


async def _sync(pulls: int, at: Path) -> None:
    async with later(pulls, 0) as simulator:
        assert (await run(simulator, at)).exit == 0


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root that a sync of `later(1000)` left. To be copied where something is changed."""
    root = tmp_path_factory.mktemp("thousand")
    asyncio.run(_sync(1000, root))
    return root


@pytest.fixture(scope="module")
def sixty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `thousand`, of sixty pull requests."""
    root = tmp_path_factory.mktemp("sixty")
    asyncio.run(_sync(60, root))
    return root


def github(dataset: Dataset, **more: object) -> Simulator:
    """The simulated GitHub, a while after the sync."""
    simulator = Simulator(dataset, **more)  # type: ignore[arg-type]
    simulator.clock.advance(7200)
    return simulator


def first(simulator: Simulator, suits: Callable[[PullRequest], object]) -> PullRequest:
    pulls = simulator.world.repository.pull_requests.values()
    return next(pull for pull in pulls if suits(pull))


def of(number: int, root: Path) -> list[Path]:
    return list(root.glob(f"**/pr-{number}.md"))


def numbers(summary: AuditSummary) -> set[int]:
    return {one.number for one in summary.audit.found}


# -- the two promises, at the size that they are made for


async def test_an_audit_of_1000_with_nothing_changed_costs_its_quotient_and_writes_nothing(
    thousand: Path,
) -> None:
    async with later(1000) as simulator:
        before, stored = files(thousand), await everything_stored(folder(simulator, thousand))

        summary = await audited(simulator, thousand)

        after = await everything_stored(folder(simulator, thousand))
        least = quotient(simulator.world)
    assert (summary.exit, summary.complete, summary.audit.found) == (0, True, ())
    assert summary.points <= 1.1 * least
    assert summary.points == summary.points_planned
    assert summary.requests == simulator.requests
    assert abs(summary.audit.points_expected - summary.points) <= 2
    assert files(thousand) == before
    assert after == stored


async def test_every_kind_of_silent_edit_among_1000_is_found_and_mended(
    thousand: Path, tmp_path: Path
) -> None:
    root = Path(shutil.copytree(thousand, tmp_path / "kept"))
    async with later(1000) as simulator:
        editor = Editor(simulator)
        for name in EDITS:
            editor.make(name)
        simulator.clock.advance(7200)

        summary = await audited(simulator, root)

        await run(simulator, tmp_path / "fresh")
        again = await audited(simulator, root)
    assert len(EDITS) >= 25
    for name, expected in editor.expected.items():
        assert expected, name
        assert expected <= numbers(summary), name
    assert numbers(summary) == set().union(*editor.expected.values())
    assert summary.exit == 0
    assert summary.conversations.read == len(numbers(summary))
    assert tree(root) == tree(tmp_path / "fresh")
    assert again.audit.found == ()


@pytest.mark.parametrize("name", EDITS)
async def test_each_silent_edit_by_itself_is_found_where_it_was_made_and_nowhere_else(
    name: str, sixty: Path, tmp_path: Path
) -> None:
    root = Path(shutil.copytree(sixty, tmp_path / "kept"))
    async with later(60) as simulator:
        editor = Editor(simulator)
        editor.make(name)

        summary = await audited(simulator, root)

    assert numbers(summary) == editor.expected[name]
    assert summary.conversations.read == len(editor.expected[name])


# -- bare totals


async def test_totals_cost_a_point_for_100_pull_requests_and_two_more(thousand: Path) -> None:
    async with later(1000) as simulator:
        before = files(thousand)

        summary = await audited(simulator, thousand, TOTALS)

    assert (summary.points, summary.audit.points_expected) == (10 + 2, 10 + 2)
    assert (summary.exit, summary.audit.found) == (0, ())
    assert files(thousand) == before


COUNTED = [
    "delete a comment",
    "delete the only comment",
    "delete a thread",
    "show a held-back comment",
    "submit a draft",
    "link an issue",
    "unlink the issues",
    "delete a label",
    "rename a label",
    "rename a branch",
    "edit the description",
]


@pytest.mark.parametrize("name", COUNTED)
async def test_totals_find_what_comes_goes_or_stands_in_a_row(
    name: str, sixty: Path, tmp_path: Path
) -> None:
    root = Path(shutil.copytree(sixty, tmp_path / "kept"))
    async with later(60) as simulator:
        editor = Editor(simulator)
        editor.make(name)

        summary = await audited(simulator, root, TOTALS)

    assert numbers(summary) == editor.expected[name]
    assert summary.conversations.read == len(editor.expected[name])


# -- who is reading


@pytest.mark.parametrize("depth", list(Depth))
async def test_drafts_of_whoever_audits_are_no_difference(
    depth: Depth, dataset: Dataset, tmp_path: Path
) -> None:
    tokens = {DEFAULT_TOKEN: Viewer(), "other": Viewer(login="drafter"), "none": Viewer(login="x")}
    async with Simulator(dataset, tokens=tokens) as simulator:
        for pull in list(simulator.world.repository.pull_requests.values())[:6]:
            review = simulator.mutate.add_review(pull.number, "", "drafter", "PENDING")
            simulator.mutate.add_thread(review, "a thread of nothing but a draft")
            if threads := [t for t in pull.review_threads if t.comments[0].state != "PENDING"]:
                simulator.mutate.draft_reply(threads[0], review, "a draft in a thread")
        for reader in tokens:
            await run(simulator, tmp_path / reader, token=reader)
            simulator.clock.advance(7200)
            before = files(tmp_path / reader)
            for token in tokens:
                summary = await audited(
                    simulator, tmp_path / reader, Plan(depth=depth), token=token
                )
                assert (summary.exit, summary.audit.found) == (0, ()), (reader, token)
            assert files(tmp_path / reader) == before


# -- where it begins


@pytest.mark.parametrize("depth", list(Depth))
async def test_a_corpus_without_its_store_is_adopted_and_found_equal(
    depth: Depth, dataset: Dataset, root: Path
) -> None:
    async with github(dataset) as simulator:
        shutil.rmtree(folder(simulator, root) / ".syncer")

        summary = await audited(simulator, root, Plan(depth=depth))

    assert (summary.exit, summary.audit.found) == (0, ())


async def test_nothing_stored_is_nothing_to_audit(dataset: Dataset, tmp_path: Path) -> None:
    async with github(dataset) as simulator:
        with pytest.raises(ConfigError, match="nothing is stored"):
            await audited(simulator, tmp_path)
        assert simulator.requests == 0


async def test_another_repository_under_the_name_is_not_compared(
    dataset: Dataset, root: Path
) -> None:
    async with github(dataset) as simulator:
        simulator.mutate.recreate()

        with pytest.raises(ConfigError, match="another repository"):
            await audited(simulator, root)


async def test_a_renamed_repository_is_audited_where_it_lies(dataset: Dataset, root: Path) -> None:
    async with github(dataset) as simulator:
        at = folder(simulator, root)
        pull = first(simulator, lambda p: p.comments)
        simulator.mutate.delete_comment(pull.comments[0])
        simulator.mutate.rename("example-org/elsewhere")
        simulator.mutate.world.former_names.add(f"{at.parent.name}/{at.name}")
        shutil.move(at, folder(simulator, root))

        summary = await audited(simulator, root)

    assert pull.number in numbers(summary)


async def test_the_price_is_told_before_anything_is_asked(dataset: Dataset, root: Path) -> None:
    told: list[tuple[int, str]] = []

    class Listener(list[str]):
        def append(self, note: str) -> None:
            told.append((simulator.requests, note))

    async with github(dataset) as simulator:
        summary = await audited(simulator, root, notes=Listener())

    requests, note = told[0]
    assert requests == 0
    assert f"about {summary.audit.points_expected} points" in note
    assert "40 pull requests" in note


# -- what is gone


async def test_what_is_gone_leaves_a_tombstone_without_a_word(dataset: Dataset, root: Path) -> None:
    async with github(dataset) as simulator:
        pull = first(simulator, lambda p: len(p.comments) > 1)
        simulator.mutate.delete_comment(pull.comments[0])
        threaded = first(
            simulator,
            lambda p: (
                p is not pull
                and any(c.state != "PENDING" for t in p.review_threads for c in t.comments)
            ),
        )
        thread = next(t for t in threaded.review_threads if t.comments[0].state != "PENDING")
        size = len(said(thread))
        simulator.mutate.delete_thread(thread)

        await audited(simulator, root)

        found = await _tombstones(folder(simulator, root))
    kinds = [(one.kind, one.number) for one in found]
    assert kinds.count(("comment", pull.number)) == 1
    assert kinds.count(("reviewThread", threaded.number)) == 1
    assert kinds.count(("reviewThreadComment", threaded.number)) == size
    assert len(kinds) == size + 2
    assert {one.gone_at for one in found} == {found[0].gone_at}


async def test_a_pull_request_is_removed_when_two_runs_did_not_find_it(
    dataset: Dataset, root: Path
) -> None:
    async with github(dataset) as simulator:
        number = first(simulator, lambda p: p.comments).number
        simulator.mutate.delete_pull(number)

        first_audit = await audited(simulator, root)
        still = of(number, root)
        second = await audited(simulator, root)

        found = await _tombstones(folder(simulator, root))
    assert [(f.number, f.connection, f.gone) for f in first_audit.audit.found] == [
        (number, "pullRequest", 1)
    ]
    assert len(still) == 1
    assert of(number, root) == []
    assert second.audit.found == ()
    assert [(one.kind, one.number) for one in found] == [("pullRequest", number)]


async def test_what_was_opened_and_touched_meanwhile_is_read_too(
    dataset: Dataset, root: Path, tmp_path: Path
) -> None:
    async with github(dataset) as simulator:
        opened = simulator.mutate.open_pull().number
        touched = simulator.mutate.add_comment(
            first(simulator, bool).number, "a loud word"
        ).pull_request.number
        simulator.clock.advance(7200)

        summary = await audited(simulator, root)
        await run(simulator, tmp_path / "fresh")

    assert numbers(summary) == {opened, touched}
    assert tree(root) == tree(tmp_path / "fresh")


# -- a part of it


async def test_a_part_is_looked_at_alone_and_another_day_draws_another(
    dataset: Dataset, root: Path
) -> None:
    async with github(dataset) as simulator:
        looked = [
            (await audited(simulator, root, Plan(sample=Sample(percent=25), seed=seed))).audit
            for seed in (1, 1, 2)
        ]
        default = (await audited(simulator, root, Plan(sample=Sample(count=3)))).audit

    assert [one.pulls for one in looked] == [10, 10, 10]
    assert [one.seed for one in looked] == [1, 1, 2]
    assert (default.pulls, default.seed) == (
        3,
        (TODAY.date() - type(TODAY.date())(1970, 1, 1)).days,
    )


async def test_a_sample_finds_what_is_in_it_and_nothing_else(dataset: Dataset, root: Path) -> None:
    async with github(dataset) as simulator:
        edited = [p for p in simulator.world.repository.pull_requests.values() if p.comments]
        for pull in edited:
            simulator.mutate.edit(pull.comments[0], "other words")
        found: list[set[int]] = []
        for seed in range(4):
            summary = await audited(simulator, root, Plan(sample=Sample(count=10), seed=seed))
            found.append(numbers(summary))

    assert all(found)
    assert all(not one & other for i, one in enumerate(found) for other in found[:i])
    assert set().union(*found) < {pull.number for pull in edited}


async def test_only_what_changed_since_is_looked_at(dataset: Dataset, root: Path) -> None:
    async with github(dataset) as simulator:
        pulls = sorted(
            (p for p in simulator.world.repository.pull_requests.values() if p.comments),
            key=lambda p: p.updated_at,
        )
        old, young = pulls[0], pulls[-1]
        for pull in (old, young):
            simulator.mutate.edit(pull.comments[0], "other words")
        since = TODAY.fromisoformat(young.updated_at)

        summary = await audited(simulator, root, Plan(since=since))

    assert numbers(summary) == {young.number}
    assert summary.audit.pulls < 40


async def _tombstones(at: Path) -> list[Tombstone]:
    async with read_store(at) as store:
        return await store.tombstones.every()


# -- what is unfinished


async def test_unfinished_work_waits_for_its_time_and_is_named_by_the_audit_too(
    dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        pull = first(simulator, lambda p: p.comments)
        wrong = faults.forbidden("PullRequest.comments", pull.number)
        rule = simulator.fail(wrong, lambda asked: asked.operation == "Batch", times=None)
        synced = await run(simulator, tmp_path)
        simulator.rules.clear()
        simulator.clock.advance(60)

        summary = await audited(simulator, tmp_path)

    assert rule.hits
    assert synced.exit == 3
    assert (summary.exit, summary.audit.found) == (3, ())
    assert [(p.number, p.connection) for p in summary.problems] == [(pull.number, "comments")]
    assert summary.conversations.read == 0
