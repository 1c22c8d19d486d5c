"""What a later run makes of a repository that changes under it, answers by halves, or lies."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from syncer.corpus import parse
from syncer.errors import ConfigError
from syncer.evidence import Connection, Snapshot, Status
from syncer.records import Actor
from syncer.settings import Settings
from syncer.store import Queued, read_store
from syncer.testing.github import faults
from syncer.testing.github.dataset import Account, Comment, Dataset
from syncer.testing.github.expected import expected
from syncer.testing.github.faults import Fault
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.mutations import Mutations
from syncer.testing.github.pages import Page
from syncer.testing.github.requests import asks, every, operation
from syncer.testing.github.simulator import Simulator
from syncer.verify import verify
from tests.engine.harness import Hurry, content, run, tree

HOUR_S = 3600.0
DAY_S = 86_400.0
NAME = Path("example-org/generated")
COMMENTS = "PullRequest.comments"


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return generate(61, 24, Shape(releases=3, long_conversation=130))


# -- states


async def test_a_pull_request_moves_with_every_change_of_state_and_has_one_file_always(
    dataset: Dataset, tmp_path: Path
) -> None:
    number = next(p.number for p in dataset.pull_requests if p.state == "CLOSED")
    steps: Sequence[Callable[[Mutations], object]] = (
        lambda mutate: mutate.reopen(number),
        lambda mutate: mutate.close(number),
        lambda mutate: mutate.add_release("late-1"),
        lambda mutate: mutate.reopen(number),
        lambda mutate: mutate.merge(number),
        lambda mutate: mutate.add_release("late-2"),
    )
    told: list[tuple[str, str]] = []
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "kept")
        for step in steps:
            simulator.clock.advance(HOUR_S)
            step(simulator.mutate)
            simulator.clock.advance(HOUR_S)
            summary = await run(simulator, tmp_path / "kept")
            assert summary.exit == 0
            path, snapshot = _only(tmp_path / "kept", number)
            told.append((path.split("/")[0], snapshot.conversation.state))
        await run(simulator, tmp_path / "fresh")

    assert told == [
        ("pulls", "OPEN"),
        ("pulls", "CLOSED"),
        ("archive", "CLOSED"),
        ("pulls", "OPEN"),
        ("pulls", "MERGED"),
        ("archive", "MERGED"),
    ]
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


async def test_an_open_one_that_says_it_was_merged_is_kept_as_told_and_is_no_lack(
    dataset: Dataset, tmp_path: Path
) -> None:
    first = replace(dataset.pull_requests[0], state="OPEN", merged_at="2022-01-01T00:00:00Z")
    odd = replace(dataset, pull_requests=(first, *dataset.pull_requests[1:]))
    async with Simulator(odd) as simulator:
        summary = await run(simulator, tmp_path)

    (problem,) = summary.problems
    _, snapshot = _only(tmp_path, first.number)
    assert (summary.exit, summary.complete, summary.conversations.incomplete) == (0, True, 0)
    assert (problem.number, problem.status) == (first.number, "contradiction")
    assert (snapshot.conversation.state, snapshot.conversation.merged_at) == (
        "OPEN",
        datetime.fromisoformat("2022-01-01T00:00:00Z"),
    )


# -- the repository itself


async def test_a_renamed_repository_is_adopted_under_its_new_name_with_everything_in_place(
    dataset: Dataset, tmp_path: Path
) -> None:
    notes: list[str] = []
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
        before = content(tmp_path)
        simulator.mutate.rename("example-org/elsewhere")
        simulator.clock.advance(HOUR_S)
        first = await run(simulator, tmp_path, notes=notes)
        simulator.clock.advance(HOUR_S)
        second = await run(simulator, tmp_path, notes=notes)

    root = json.loads((tmp_path / NAME / "manifest.json").read_bytes())
    assert (first.exit, second.exit) == (0, 0)
    assert content(tmp_path) == before
    assert notes == ["example-org/generated is called example-org/elsewhere now"]
    assert root["repository"]["name"] == NAME.as_posix()
    assert root["repository"]["currentName"] == "example-org/elsewhere"


async def test_another_repository_under_the_old_name_stops_the_run_with_nothing_changed(
    dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
        before = _everything(tmp_path)
        simulator.clock.advance(HOUR_S)
        simulator.mutate.recreate()
        with pytest.raises(ConfigError, match="another repository") as stopped:
            await run(simulator, tmp_path)

    assert stopped.value.exit_status == 2
    assert _everything(tmp_path) == before


async def test_another_repository_under_the_old_name_is_found_without_the_store_as_well(
    dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
        for path in (tmp_path / NAME / ".syncer").glob("state.db*"):
            path.unlink()
        before = tree(tmp_path)
        simulator.mutate.recreate()
        with pytest.raises(ConfigError, match="another repository"):
            await run(simulator, tmp_path)

    assert tree(tmp_path) == before


# -- what the listing itself leaves out


async def test_a_changed_row_that_came_as_null_is_not_passed_over_by_the_watermark(
    tmp_path: Path,
) -> None:
    dataset = generate(63, 130, Shape(releases=0))
    number = dataset.pull_requests[4].number
    row = faults.null_node("Repository.pullRequests")
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "kept")
        simulator.clock.advance(HOUR_S)
        simulator.mutate.add_comment(number, "behind a null")
        simulator.clock.advance(HOUR_S)
        simulator.fail(row, times=1)
        first = await run(simulator, tmp_path / "kept")
        await run(simulator, tmp_path / "fresh")

    assert (first.exit, first.conversations.read) == (0, 1)
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


async def test_a_row_that_stays_null_is_named_asked_for_by_its_id_and_walked_for_once_a_day(
    tmp_path: Path,
) -> None:
    dataset = generate(63, 130, Shape(releases=0))
    number = dataset.pull_requests[4].number
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "kept")
        simulator.clock.advance(HOUR_S)
        simulator.mutate.add_comment(number, "behind a null")
        simulator.clock.advance(HOUR_S)
        simulator.fail(_nulled(number), times=None)
        runs = []
        for _ in range(5):
            runs.append(await run(simulator, tmp_path / "kept"))
            simulator.clock.advance(HOUR_S)
        await run(simulator, tmp_path / "fresh")

    assert [one.exit for one in runs] == [3] * 5
    assert all("claims 130" in (one.problems[0].reason or "") for one in runs)
    assert runs[0].conversations.read == 1
    assert [one.requests for one in runs[1:]] == [1] * 4
    found = {name.rpartition("/")[2]: data for name, data in content(tmp_path / "kept").items()}
    fresh = {name.rpartition("/")[2]: data for name, data in content(tmp_path / "fresh").items()}
    assert b"behind a null" in found.pop(f"pr-{number}.md")
    assert found == fresh


async def test_a_repository_that_moves_through_every_pass_is_named_and_read_when_it_rests(
    tmp_path: Path,
) -> None:
    dataset = generate(64, 130, Shape(releases=0))
    numbers = [pull.number for pull in dataset.pull_requests]
    settings = Settings(page=10)
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "kept", settings=settings)
        simulator.clock.advance(HOUR_S)

        def touch_many(mutate: Mutations) -> None:
            simulator.clock.advance(1)
            for number in numbers[:15]:
                mutate.touch(number)

        for number in numbers:
            simulator.mutate.touch(number)
        start = simulator.requests
        for k in range(1, 80):
            simulator.between(start + k, touch_many)
        first = await run(simulator, tmp_path / "kept", settings=settings)
        simulator._plans.clear()
        simulator.clock.advance(HOUR_S)
        second = await run(simulator, tmp_path / "kept", settings=settings)
        await run(simulator, tmp_path / "fresh", settings=settings)

    assert first.exit == 3
    assert "moving" in {problem.reason for problem in first.problems}
    assert second.exit == 0
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


async def test_a_walk_that_an_earlier_run_began_is_followed_by_what_changed_since(
    tmp_path: Path,
) -> None:
    dataset = generate(66, 130, Shape(releases=0))
    number = dataset.pull_requests[4].number
    settings = Settings(page=50)
    later_page = every(operation("Census"), lambda asked: asked.cursors > 0)
    async with Simulator(dataset) as simulator:
        simulator.fail(faults.bad_credentials(), later_page)
        stopped = await run(simulator, tmp_path / "kept", settings=settings)
        simulator.clock.advance(DAY_S)
        simulator.mutate.add_comment(number, "on a page that was listed already")
        simulator.clock.advance(HOUR_S)
        again = await run(simulator, tmp_path / "kept", settings=settings)
        await run(simulator, tmp_path / "fresh", settings=settings)

    assert (stopped.exit, again.exit) == (4, 0)
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


async def test_a_walk_whose_cursor_is_no_longer_accepted_begins_again(tmp_path: Path) -> None:
    dataset = generate(65, 60, Shape(releases=0))
    settings = Settings(page=20)
    later_page = every(operation("Census"), lambda asked: asked.cursors > 0)
    async with Simulator(dataset) as simulator:
        simulator.fail(faults.server_error(), later_page, times=None)
        hurry = Hurry(simulator)
        stopped = await run(simulator, tmp_path, settings=settings, hurry=hurry)
        simulator.rules.clear()
        simulator.fail(faults.refused_cursor("Repository.pullRequests"), times=1)
        again = await run(simulator, tmp_path, settings=settings, hurry=hurry)

    assert stopped.exit == 3
    assert again.problems == ()
    assert (again.exit, again.conversations.total) == (0, 60)


# -- rows that vanish, and numbers that never were


async def test_what_is_gone_is_removed_only_when_a_second_run_does_not_find_it_either(
    dataset: Dataset, tmp_path: Path
) -> None:
    gone = [pull.number for pull in dataset.pull_requests[3:6]]
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "kept")
        whole = set(content(tmp_path / "kept"))
        simulator.clock.advance(HOUR_S)
        for number in gone:
            simulator.mutate.delete_pull(number)
        first = await run(simulator, tmp_path / "kept")
        between = set(content(tmp_path / "kept"))
        sound = verify(tmp_path / "kept" / NAME).sound
        simulator.clock.advance(HOUR_S)
        second = await run(simulator, tmp_path / "kept")
        buried = await _tombstones(tmp_path / "kept")
        await run(simulator, tmp_path / "fresh")

    assert between == whole
    assert sound
    assert (first.exit, second.exit) == (0, 0)
    assert second.sinks["corpus"].removed == len(gone)
    assert buried == gone
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


@pytest.mark.parametrize("fault", [faults.null_node, faults.wrong_total], ids=["null", "short"])
async def test_a_listing_that_lacks_a_row_removes_nothing(
    fault: Callable[[str], Fault], dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        await run(simulator, tmp_path, hurry=hurry)
        before = content(tmp_path)
        for _ in range(3):
            simulator.clock.advance(2 * DAY_S)
            simulator.fail(fault("Repository.pullRequests"), times=None)
            summary = await run(simulator, tmp_path, hurry=hurry)
            assert summary.exit == 3
            assert content(tmp_path) == before
        simulator.rules.clear()
        simulator.clock.advance(2 * DAY_S)
        assert (await run(simulator, tmp_path, hurry=hurry)).exit == 0

    assert content(tmp_path) == before


async def test_holes_between_numbers_are_no_lack(dataset: Dataset, tmp_path: Path) -> None:
    kept = tuple(
        replace(pull, number=number)
        for pull, number in zip(dataset.pull_requests, (3, 5, 9), strict=False)
    )
    async with Simulator(replace(dataset, pull_requests=kept)) as simulator:
        first = await run(simulator, tmp_path)
        simulator.clock.advance(HOUR_S)
        simulator.mutate.open_pull(number=1234)
        second = await run(simulator, tmp_path)
        asked = await run(simulator, tmp_path, requested=[5, 6])

    assert (first.exit, second.exit) == (0, 0)
    assert (first.conversations.total, second.conversations.total) == (3, 4)
    assert asked.conversations.read == 2  # number 5, and 1234 which is still within the margin
    assert [problem.reason for problem in asked.problems] == ["no such pull request: 6"]


# -- behind: a whole is stored, a newer state is known, and the reading of it did not end


async def test_a_part_leaves_the_whole_in_place_names_it_behind_and_tries_again_ever_later(
    dataset: Dataset, tmp_path: Path
) -> None:
    number = dataset.pull_requests[2].number
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        await run(simulator, tmp_path, hurry=hurry)
        before = content(tmp_path)
        simulator.clock.advance(HOUR_S)
        simulator.mutate.add_comment(number, "cannot be read")
        simulator.clock.advance(HOUR_S)
        rule = simulator.fail(faults.forbidden(COMMENTS, number), asks(COMMENTS), times=None)
        summary = await run(simulator, tmp_path, hurry=hurry)
        first = await _queued(tmp_path)
        delays = []
        for _ in range(9):
            queued = await _queued(tmp_path)
            assert queued.since == first.since
            delays.append(_wait_s(simulator, queued))
            simulator.clock.advance(delays[-1] - 60)
            struck = rule.hits
            early = await run(simulator, tmp_path, hurry=hurry)
            assert (early.exit, rule.hits, early.conversations.read) == (3, struck, 0)
            simulator.clock.advance(120)
            late = await run(simulator, tmp_path, hurry=hurry)
            assert (late.exit, late.conversations.behind) == (3, 1)
            assert rule.hits > struck

    assert (summary.exit, summary.complete) == (3, False)
    assert [(p.number, p.status) for p in summary.problems] == [(number, "behind")]
    assert summary.problems[0].reason == "comments: forbidden"
    assert (summary.conversations.behind, summary.conversations.incomplete) == (1, 0)
    assert _census(tmp_path)["behind"] == [number]
    assert content(tmp_path) == before
    hours = [round(delay / HOUR_S) for delay in delays]
    assert hours == [1, 2, 4, 8, 16, 32, 64, 128, 7 * 24]


async def test_what_is_behind_is_read_at_once_when_it_changes_again(
    dataset: Dataset, tmp_path: Path
) -> None:
    number = dataset.pull_requests[2].number
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        await run(simulator, tmp_path / "kept", hurry=hurry)
        simulator.clock.advance(HOUR_S)
        simulator.mutate.add_comment(number, "cannot be read")
        simulator.fail(faults.forbidden(COMMENTS, number), asks(COMMENTS), times=None)
        assert (await run(simulator, tmp_path / "kept", hurry=hurry)).exit == 3
        simulator.rules.clear()
        simulator.clock.advance(300)
        resting = await run(simulator, tmp_path / "kept", hurry=hurry)
        simulator.mutate.add_comment(number, "and another word")
        simulator.clock.advance(300)
        moved = await run(simulator, tmp_path / "kept", hurry=hurry)
        await run(simulator, tmp_path / "fresh", hurry=hurry)

    assert (resting.exit, resting.conversations.read) == (3, 0)
    assert (moved.exit, moved.conversations.read) == (0, 1)
    assert _census(tmp_path / "kept")["behind"] == []
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


async def test_what_is_behind_is_read_at_once_when_it_is_asked_for(
    dataset: Dataset, tmp_path: Path
) -> None:
    number = dataset.pull_requests[2].number
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        await run(simulator, tmp_path, hurry=hurry)
        simulator.clock.advance(HOUR_S)
        simulator.mutate.add_comment(number, "cannot be read")
        simulator.clock.advance(300)
        simulator.fail(faults.forbidden(COMMENTS, number), asks(COMMENTS), times=None)
        await run(simulator, tmp_path, hurry=hurry)
        simulator.rules.clear()
        asked = await run(simulator, tmp_path, hurry=hurry, requested=[number])
        after = await _all_queued(tmp_path)

    assert (asked.exit, asked.conversations.read) == (0, 1)
    assert after == []


# -- cut: nothing is stored, so the part is, and says so


async def test_without_a_whole_the_part_is_stored_marked_and_grows_but_never_shrinks(
    dataset: Dataset, tmp_path: Path
) -> None:
    number = max(dataset.pull_requests, key=lambda pull: len(pull.comments)).number
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        refused = faults.stuck_cursor(COMMENTS, number)
        simulator.fail(refused, lambda asked: asked.cursors > 0, times=None)
        first = await run(simulator, tmp_path, hurry=hurry)
        held = len(_only(tmp_path, number)[1].conversation.comments)
        simulator.rules.clear()
        simulator.fail(faults.forbidden(COMMENTS, number), asks(COMMENTS), times=None)
        smaller = await run(simulator, tmp_path, hurry=hurry, requested=[number])
        still = len(_only(tmp_path, number)[1].conversation.comments)
        simulator.rules.clear()
        whole = await run(simulator, tmp_path, hurry=hurry, requested=[number])
        _, snapshot = _only(tmp_path, number)

    assert (first.exit, smaller.exit, whole.exit) == (3, 3, 0)
    assert [p.status for p in first.problems if p.connection == "comments"] == ["cut"]
    assert 0 < held < 130
    assert still == held
    assert snapshot.conversation == expected(dataset)[number]


# -- short: the last page was reached, twice with the same ids, and the counts differ


async def test_two_whole_readings_that_agree_are_short_and_replace_what_was_stored(
    dataset: Dataset, tmp_path: Path
) -> None:
    number = dataset.pull_requests[2].number
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        await run(simulator, tmp_path, hurry=hurry)
        simulator.clock.advance(HOUR_S)
        simulator.mutate.add_comment(number, "the newest word")
        simulator.clock.advance(HOUR_S)
        readings = _readings(simulator, number)
        simulator.fail(faults.wrong_total(COMMENTS, 1, number), times=None)
        summary = await run(simulator, tmp_path, hurry=hurry)
        simulator.clock.advance(HOUR_S)
        next_run = await run(simulator, tmp_path, hurry=hurry)

    _, snapshot = _only(tmp_path, number)
    assert (summary.exit, summary.conversations.incomplete) == (3, 1)
    assert len(readings) == 2
    assert snapshot.connections[Connection.COMMENTS].status is Status.SHORT
    assert snapshot.conversation.comments[-1].body == "the newest word"
    assert (next_run.exit, next_run.conversations.read) == (3, 0)


async def test_a_count_that_is_wrong_only_once_is_not_believed(
    dataset: Dataset, tmp_path: Path
) -> None:
    number = dataset.pull_requests[2].number
    async with Simulator(dataset) as simulator:
        readings = _readings(simulator, number)
        simulator.fail(faults.wrong_total(COMMENTS, 1, number), asks(COMMENTS), times=1)
        summary = await run(simulator, tmp_path, hurry=Hurry(simulator))

    assert summary.exit == 0
    assert len(readings) == 2
    assert _only(tmp_path, number)[1].conversation == expected(dataset)[number]


async def test_comments_that_a_review_claims_and_no_thread_holds_are_short(tmp_path: Path) -> None:
    dataset = generate(62, 12, Shape(releases=2, orphans=3))
    async with Simulator(dataset) as simulator:
        first = await run(simulator, tmp_path)
        simulator.clock.advance(HOUR_S)
        second = await run(simulator, tmp_path)

    (problem,) = first.problems
    assert (first.exit, second.exit) == (3, 3)
    assert (problem.connection, problem.status) == ("reviewThreads", "short")
    assert problem.reason == "orphan comments: 3"
    assert second.conversations.read == 0
    assert second.problems == first.problems


# -- drafts


async def test_a_draft_is_nobodys_until_it_is_submitted_and_then_everybodys(
    dataset: Dataset, tmp_path: Path
) -> None:
    number = next(p.number for p in dataset.pull_requests if p.review_threads)
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path / "kept")
        before = content(tmp_path / "kept" / NAME)
        simulator.clock.advance(HOUR_S)
        pull = simulator.world.pull(number)
        draft = simulator.mutate.add_review(number, "thinking", "viewer", "PENDING")
        simulator.mutate.draft_reply(pull.review_threads[0], draft, "half a thought")
        simulator.mutate.touch(number)
        simulator.clock.advance(HOUR_S)
        hidden = await run(simulator, tmp_path / "kept")
        path, kept = _only(tmp_path / "kept", number)
        simulator.mutate.submit(draft)
        simulator.clock.advance(HOUR_S)
        shown = await run(simulator, tmp_path / "kept")
        await run(simulator, tmp_path / "fresh")
        seen = expected(simulator.world)[number]

    assert (hidden.exit, shown.exit) == (0, 0)
    assert "half a thought" not in str(kept)
    assert before.keys() == content(tmp_path / "kept" / NAME).keys()
    assert b"half a thought" in content(tmp_path / "kept" / NAME)[path]
    assert _only(tmp_path / "kept", number)[1].conversation == seen
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


# -- people


async def test_nobody_and_an_account_called_ghost_are_two(dataset: Dataset, tmp_path: Path) -> None:
    first = dataset.pull_requests[0]
    at = first.created_at
    said = (
        Comment(body="by nobody", author=None, created_at=at, database_id=1),
        Comment(body="by ghost", author=Account(login="ghost"), created_at=at, database_id=2),
    )
    changed = replace(first, comments=said, author=None)
    async with Simulator(replace(dataset, pull_requests=(changed,))) as simulator:
        await run(simulator, tmp_path / "kept")
        simulator.clock.advance(HOUR_S)
        simulator.mutate.delete_account("ghost")
        simulator.mutate.touch(first.number)
        path, before = _only(tmp_path / "kept", first.number)
        text = content(tmp_path / "kept" / NAME)[path]
        await run(simulator, tmp_path / "kept")
        _, after = _only(tmp_path / "kept", first.number)

    nobody, ghost = before.conversation.comments
    assert before.conversation.author is nobody.author is None
    assert isinstance(ghost.author, Actor)
    assert (ghost.author.login, ghost.author.kind) == ("ghost", "User")
    assert text.count(b"`@ghost`") == 1
    assert [comment.author for comment in after.conversation.comments] == [None, None]


# -- text


async def test_half_a_character_is_repaired_counted_and_read_the_same_the_next_time(
    dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        simulator.fail(faults.lone_surrogate(), asks(COMMENTS), times=None)
        summary = await run(simulator, tmp_path)
        before = content(tmp_path)
        numbers = [pull.number for pull in dataset.pull_requests]
        again = await run(simulator, tmp_path, requested=numbers)

    repaired = [
        snapshot
        for snapshot in (parse(data) for data in before.values())
        if snapshot.connections[Connection.COMMENTS].repaired
    ]
    assert (summary.exit, again.exit) == (0, 0)
    assert repaired
    for snapshot in repaired:
        bodies = [comment.body for comment in snapshot.conversation.comments]
        told = snapshot.connections[Connection.COMMENTS].repaired
        assert told == sum(body.startswith("\ufffd") for body in bodies)
    assert content(tmp_path) == before
    assert again.sinks["corpus"].written == 0


# -- inside


def _only(root: Path, number: int) -> tuple[str, Snapshot]:
    """The place (below the repository's folder) and the content of the one file of `number`."""
    ((path, data),) = [
        (name, data)
        for name, data in content(root / NAME).items()
        if name.endswith(f"/pr-{number}.md")
    ]
    return path, parse(data)


def _nulled(number: int) -> Fault:
    """The row of `number` is null in every listing; by its id it can be read."""

    def change(_: Any, page: Page) -> Page:
        page.nodes = [
            None if getattr(node, "number", None) == number else node for node in page.nodes or ()
        ]
        return page

    return faults.PageFault(kind="Repository.pullRequests", change=change)


def _everything(root: Path) -> dict[Path, bytes]:
    """Every file, census included; of the store only what is in it, not how SQLite lays it out."""
    return {
        path: path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".syncer" not in path.parts
    }


def _census(root: Path) -> dict[str, Any]:
    return json.loads((root / NAME / "census.json").read_bytes())


async def _queued(root: Path) -> Queued:
    (found,) = await _all_queued(root)
    return found


async def _all_queued(root: Path) -> list[Queued]:
    async with read_store(root / NAME) as store:
        return await store.ledger.queued()


async def _tombstones(root: Path) -> list[int]:
    async with read_store(root / NAME) as store:
        return [one.number for one in await store.tombstones.every() if one.kind == "pullRequest"]


def _wait_s(simulator: Simulator, queued: Queued) -> float:
    return (queued.next_try - simulator.clock.now()).total_seconds()


def _readings(simulator: Simulator, number: int) -> list[int]:
    """Grows by one for every request that asks for comments of `number`."""
    found: list[int] = []

    def note(asked: Any) -> bool:
        if number in asked.numbers and COMMENTS in asked.kinds:
            found.append(asked.k)
        return False

    simulator.fail(faults.server_error(), note, times=None)
    return found
