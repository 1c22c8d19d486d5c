"""One pull request, read against a server that may do anything: it ends, and hides nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from syncer.corpus.timeline import Timeline
from syncer.evidence import Connection, Snapshot, Status
from syncer.github.answers import BatchAnswer, Entry, Fault, PageRead, Row
from syncer.reading.board import Board
from syncer.reading.frontier import Item, Limits, parts
from syncer.reading.ingest import Ingest
from syncer.reading.memory import Memory
from syncer.repository import Shaping
from tests.unit.making import (
    LATER,
    PULL,
    START,
    at,
    batch,
    comment,
    label,
    page,
    row,
    thread,
    thread_comment,
    totals,
    wanted,
)

COMMENTS, LABELS, THREADS, BELOW = (
    Connection.COMMENTS,
    Connection.LABELS,
    Connection.REVIEW_THREADS,
    Connection.THREAD_COMMENTS,
)
WHOLE: dict[tuple[str, Connection], tuple[Entry, ...]] = {
    (PULL, COMMENTS): tuple(comment(f"IC_{n}", database=n) for n in range(5)),
    (PULL, LABELS): (label("L_1"), label("L_2")),
    (PULL, THREADS): (thread("T_1"), thread("T_2"), thread("T_3")),
    ("T_1", BELOW): tuple(thread_comment(f"RC_{n}", review=None) for n in range(4)),
    ("T_2", BELOW): (thread_comment("RC_9", review=None),),
    ("T_3", BELOW): (),
}
CLAIMS = {"T_1": 4, "T_2": 1, "T_3": 0}
ROW = row(counts=totals(comments=5, labels=2, threads=3))
LIMITS = Limits(page=2)

ODD = ("touched", "total", "null", "empty", "heavy", "forbidden", "refused", "gone", "passing")
outcomes = st.lists(st.sampled_from(["right"] * 12 + list(ODD)), max_size=60)


class Server:
    """Answers every item by the next of its script, and rightly when that is used up."""

    def __init__(self, script: list[str]) -> None:
        self._script: Iterator[str] = iter(script)
        self._stamp = START
        self.odd = False

    def answer(self, items: list[Item]) -> BatchAnswer:
        pages: list[PageRead] = []
        rows: list[Row] = []
        faults: list[Fault] = []
        for part in parts(items, LIMITS):
            for owner in part.ids:
                outcome = next(self._script, "right")
                self.odd |= outcome != "right"
                if outcome in _FAULTS:
                    reason = _FAULTS[outcome]
                    transient = outcome == "passing"
                    faults.append(
                        Fault(owner=owner, name=part.name, reason=reason, transient=transient)
                    )
                    continue
                if outcome == "touched":
                    self._stamp = at((self._stamp - START).total_seconds() + 1)
                if part.name is Connection.PULL_REQUEST:
                    rows.append(row(updated_at=self._stamp, counts=ROW.totals))
                else:
                    pages.append(self._page(owner, part.name, part.first, part.after, outcome))
        return batch(pages=pages, rows=rows, faults=faults)

    def _page(
        self, owner: str, name: Connection, first: int, after: str | None, outcome: str
    ) -> PageRead:
        whole = WHOLE[owner, name]
        start = int(after or 0)
        nodes = () if outcome == "empty" else whole[start : start + first]
        end = start + len(nodes)
        null = outcome == "null" and len(nodes) > 0
        return page(
            nodes[1:] if null else nodes,
            name,
            owner=owner,
            total=len(whole) + (outcome == "total"),
            more=end < len(whole),
            cursor=str(end),
            stamp=self._stamp,
            unreadable=int(null),
            children=CLAIMS if name is THREADS else None,
        )


_FAULTS = {
    "heavy": "too_heavy",
    "forbidden": "forbidden",
    "refused": "cursor_refused",
    "gone": "not_found",
    "passing": "unreadable",
}


async def _read(server: Server) -> Snapshot | None:
    memory = Memory()
    board = Board(LIMITS)
    ingest = Ingest(board, memory, Timeline((), Shaping()), 60.0)
    async with memory.transaction():
        await memory.frontier.add(board.begin(wanted(ROW, date=LATER), []))
    for _ in range(500):
        items = board.forced.popleft() if board.forced else board.ready.take(LIMITS)
        alive = [one for one in items if board.alive(one)]
        if alive:
            await ingest.answer(alive, server.answer(alive), LIMITS)
        elif not board.forced and not len(board.ready):
            break
    else:
        raise AssertionError("it never ends")
    assert board.readings == {}
    assert await memory.frontier.pulls() == set()
    return memory.snapshots.get(PULL)


def _ids(snapshot: Snapshot, name: Connection, owner: str) -> set[str]:
    found = snapshot.conversation
    match name:
        case Connection.COMMENTS:
            return {one.id for one in found.comments}
        case Connection.LABELS:
            return {one.id for one in found.labels}
        case Connection.REVIEW_THREADS:
            return {one.id for one in found.review_threads}
        case _:
            return {c.id for t in found.review_threads if t.id == owner for c in t.comments}


@settings(max_examples=200)
@given(outcomes)
def test_every_script_ends_and_what_is_called_exhausted_is_all_there(script: list[str]) -> None:
    server = Server(script)
    found = asyncio.run(_read(server))
    if found is None:
        assert server.odd
        return
    for (owner, name), whole in WHOLE.items():
        proof = found.threads.get(owner) if name is BELOW else found.connections[name]
        if proof is not None and proof.status is Status.EXHAUSTED:
            assert _ids(found, name, owner) == {one.id for one in whole}
            assert proof.total_count == proof.kept == len(whole)
        else:
            assert server.odd
    if not server.odd:
        assert all(one.status is Status.EXHAUSTED for one in found.judged().values())


def test_a_server_that_does_everything_right_is_read_to_the_last_node() -> None:
    found = asyncio.run(_read(Server([])))
    assert found is not None
    assert {(o, n): _ids(found, n, o) for o, n in WHOLE} == {
        key: {one.id for one in whole} for key, whole in WHOLE.items()
    }
