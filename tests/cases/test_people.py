"""People who are gone, hidden, no people at all, or of a kind that nobody has heard of."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sinks.corpus import open_sink as corpus_sink
from sinks.jsonl import open_sink as jsonl_sink
from syncer.records import Actor
from syncer.testing.github.dataset import Account, Dataset
from syncer.testing.github.expected import expected
from syncer.testing.github.simulator import Simulator
from tests.cases.scene import (
    ANN,
    FOLDER,
    HOUR_S,
    NAME,
    comment,
    only,
    pull,
    read,
    repository,
    review,
    thread,
    thread_comment,
)
from tests.engine.harness import content, run, tree

GHOST = Account(login="ghost")
KINDS = ("User", "Bot", "Mannequin", "Organization", "EnterpriseUserAccount", "MadeUpAccount")
REASONS = ("spam", "outdated", "off-topic", "a made `up` reason\n---", None)


def _by(author: Account | None, number: int) -> Dataset:
    """A pull request where `author` said one thing of every kind, each beside one of Ann's."""
    both = (author, ANN)
    return repository(
        pull(
            number,
            author=author,
            comments=tuple(comment(author=one) for one in both),
            reviews=(review(1, author=author), review(2)),
            review_threads=(
                thread(*(thread_comment(n, author=one) for n, one in enumerate(both, start=1))),
            ),
        )
    )


@pytest.mark.parametrize("author", [None, GHOST], ids=["nobody", "an account called ghost"])
async def test_what_a_deleted_account_said_is_kept_everywhere_and_is_no_ghosts(
    author: Account | None, tmp_path: Path
) -> None:
    dataset = _by(author, 1)
    async with Simulator(dataset) as simulator:
        summary = await run(simulator, tmp_path)

    told = read(tmp_path, 1).conversation
    (found,) = told.review_threads
    authors = [
        told.author,
        *(one.author for one in (*told.comments, *told.reviews, *found.comments)),
    ]
    text = next(iter(content(tmp_path).values()))
    assert summary.exit == 0
    assert [one and one.login for one in authors] == [
        author and author.login,
        *[author and author.login, "ann"] * 3,
    ]
    assert told == expected(dataset)[1]
    assert text.count(b"### _deleted account_") == (3 if author is None else 0)
    assert text.count(b"`@ghost`") == (0 if author is None else 3)


@pytest.mark.parametrize("login", ["helper", "helper[bot]"])
@pytest.mark.parametrize("kind", KINDS)
async def test_any_kind_of_account_and_association_comes_through_as_text(
    kind: str, login: str, tmp_path: Path
) -> None:
    account = Account(login=login, kind=kind)
    said = comment(author=account, author_association="MANNEQUIN")
    odd = comment(author=account, author_association="SOMETHING_NEW")
    dataset = repository(pull(1, author=account, comments=(said, odd)))
    async with Simulator(dataset) as simulator:
        summary = await run(simulator, tmp_path)

    told = read(tmp_path, 1).conversation
    assert summary.exit == 0
    assert isinstance(told.author, Actor)
    assert (told.author.login, told.author.kind) == (login, kind)
    assert [one.author_association for one in told.comments] == ["MANNEQUIN", "SOMETHING_NEW"]
    assert told == expected(dataset)[1]


async def test_a_gone_fork_leaves_the_pull_request_and_the_name_of_its_branch(
    tmp_path: Path,
) -> None:
    at = "2026-03-02T12:00:00Z"
    gone = pull(
        1, state="MERGED", updated_at=at, closed_at=at, merged_at=at,
        head_repository=None, head_ref_name="patch-1",
    )  # fmt: skip
    kept = pull(2, head_repository="ann/demo", head_ref_name="patch-2")
    async with Simulator(repository(gone, kept)) as simulator:
        first = await run(simulator, tmp_path)
        simulator.clock.advance(HOUR_S)
        simulator.mutate.delete_fork(2)
        simulator.mutate.touch(2)
        second = await run(simulator, tmp_path)

    assert (first.exit, second.exit, second.sinks["corpus"].written) == (0, 0, 1)
    for number in (1, 2):
        told = read(tmp_path, number).conversation
        assert (told.head_repository, told.head_ref_name) == (None, f"patch-{number}")


async def test_threads_without_a_current_line_are_told_apart_and_none_is_made_up(
    tmp_path: Path,
) -> None:
    said = [thread_comment(1, f"on {n}") for n in range(4)]
    threads = (
        thread(said[0]),
        thread(said[1], line=None, original_line=7, is_outdated=True),
        thread(said[2], line=None, original_line=None, subject_type="FILE"),
        thread(said[3], path="new/name.py", line=9, original_line=9),
    )
    dataset = repository(pull(1, reviews=(review(1),), review_threads=threads))
    async with Simulator(dataset) as simulator:
        summary = await run(simulator, tmp_path)

    text = next(iter(content(tmp_path).values())).decode()
    assert summary.exit == 0
    assert sorted(line for line in text.split("\n") if line.startswith("### `")) == [
        "### `@ann` (COMMENTED) reviewed on 2026-03-01T12:00:00Z",
        "### `new/name.py` line 9",
        "### `src/a.py` line 4",
        "### `src/a.py` originally line 7, outdated",
        "### `src/a.py` whole file",
    ]
    assert {thread.line for thread in read(tmp_path, 1).conversation.review_threads} == {
        4,
        9,
        None,
    }


async def test_a_draft_is_left_out_reckoned_and_the_same_files_come_of_every_viewer(
    tmp_path: Path,
) -> None:
    async with Simulator(repository(pull(1, comments=(comment(),)))) as simulator:
        simulator.mutate.add_review(1, "said aloud", "ann", "APPROVED")
        await run(simulator, tmp_path / "before")
        draft = simulator.mutate.add_review(1, "not yet", "viewer", "PENDING")
        simulator.mutate.add_thread(draft, "half a thought")
        summary = await run(simulator, tmp_path / "with a draft")

    assert draft.submitted_at is None
    assert summary.exit == 0
    assert tree(tmp_path / "with a draft") == tree(tmp_path / "before")


async def test_a_hidden_comment_is_kept_with_its_reason_whatever_that_is(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the extra [mcp] is not installed")
    from tests.birdview.mcp.scene import asking, call

    hidden = tuple(comment(is_minimized=True, minimized_reason=reason) for reason in REASONS)
    dataset = repository(pull(1, comments=(*hidden, comment("in sight"))))
    async with Simulator(dataset) as simulator:
        summary = await run(simulator, tmp_path)
    async with asking(tmp_path) as client:
        answer = await call(client, "get_conversation", number=1, include=["comments"])

    assert summary.exit == 0
    assert read(tmp_path, 1).conversation == expected(dataset)[1]
    assert [(e["isMinimized"], e["minimizedReason"]) for e in answer["entries"]] == [
        *((True, reason) for reason in REASONS),
        (False, None),
    ]


async def test_what_nobody_is_left_to_answer_for_reaches_every_sink_and_every_reader(
    tmp_path: Path,
) -> None:
    pytest.importorskip("mcp", reason="the extra [mcp] is not installed")
    from tests.birdview.mcp.scene import asking, call

    sinks = {"corpus": corpus_sink, "jsonl": jsonl_sink}
    async with Simulator(_by(None, 1)) as simulator:
        await run(simulator, tmp_path, sinks=sinks)
    async with asking(tmp_path) as client:
        answer = await call(client, "get_conversation", number=1)
    lines = await asyncio.to_thread((tmp_path / FOLDER / "jsonl/0000000.jsonl").read_bytes)

    path, _ = only(tmp_path, 1)
    assert path == "pulls/0000000/pr-1.md"
    assert answer["pull"]["author"] is None
    assert answer["origin"] == NAME
    assert [e["author"] and e["author"]["login"] for e in answer["entries"]] == [
        None, None, "ann", None, "ann", None, None, "ann",
    ]  # fmt: skip
    assert lines.count(b'"author":null') == 4
