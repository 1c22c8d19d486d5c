"""The frontier on disk: what a killed run finds is what it had, page by page."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from syncer.evidence import Connection, Evidence
from syncer.github.answers import Entry, PageRead
from syncer.reading.frontier import Item
from syncer.reading.staged import Staged, staged_page
from syncer.records import ClosingIssue
from syncer.store import Store
from tests.unit.making import (
    PULL,
    comment,
    item,
    label,
    page,
    proof,
    review,
    thread,
    thread_comment,
)

NODES: dict[Connection, tuple[Entry, ...]] = {
    Connection.COMMENTS: (comment(), comment("IC_2", database=None)),
    Connection.REVIEWS: (review(),),
    Connection.REVIEW_THREADS: (thread(),),
    Connection.THREAD_COMMENTS: (thread_comment(review=None),),
    Connection.LABELS: (label(),),
    Connection.CLOSING_ISSUES: (ClosingIssue(id="I_1", repository="a/b", number=4),),
}


async def _add(store: Store, *items: Item) -> None:
    async with store.transaction():
        await store.frontier.add(items)


async def _stage(store: Store, after: Item, read: PageRead) -> None:
    async with store.transaction():
        await store.frontier.stage([(after, read)])


async def _of(store: Store, pull: str = PULL) -> list[Staged]:
    return (await store.frontier.of([pull]))[pull]


@pytest.mark.parametrize("name", NODES, ids=lambda name: name.value)
async def test_a_page_comes_back_as_it_was_with_the_item_as_it_stood_after_it(
    name: Connection, store: Store
) -> None:
    read = replace(
        page(NODES[name], name, left_out=2, unreadable=1, children={"x": None, "y": 3}),
        repaired=5,
    )
    after = item(name, total=read.total_count, pages=1, held=len(NODES[name]) + 3, cursor="end")
    await _add(store, item(name, total=4))
    await _stage(store, after, read)
    assert await _of(store) == [Staged(item=after, evidence=None, pages=(staged_page(read),))]


async def test_every_kind_of_connection_but_the_row_has_pages() -> None:
    assert set(NODES) == set(Connection) - {Connection.PULL_REQUEST}


async def test_pages_come_back_in_the_order_of_their_reading(store: Store) -> None:
    await _add(store, item(total=12))
    for n in range(1, 13):
        read = page([comment(f"IC_{n}")], total=12)
        await _stage(store, item(total=12, pages=n, held=n, cursor=f"c{n}"), read)
    (found,) = await _of(store)
    assert [node.id for one in found.pages for node in one.nodes] == [
        f"IC_{n}" for n in range(1, 13)
    ]
    assert found.item == item(total=12, pages=12, held=12, cursor="c12")


async def test_an_item_that_is_there_already_is_left_as_it_is(store: Store) -> None:
    await _add(store, item(total=2))
    await _stage(store, item(total=2, pages=1, held=1, cursor="c"), page([comment()], total=2))
    before = await _of(store)
    await _add(store, item(total=9))
    assert await _of(store) == before


async def test_the_end_of_a_connection_is_remembered_with_its_evidence(store: Store) -> None:
    await _add(store, item(), item(Connection.LABELS))
    ended: Evidence = replace(proof(), end_cursor="e", unreadable=2)
    async with store.transaction():
        await store.frontier.end([(item(), ended)])
    found = {one.item.name: one.evidence for one in await _of(store)}
    assert found == {Connection.COMMENTS: ended, Connection.LABELS: None}


async def test_a_restart_forgets_pages_and_evidence_and_remembers_the_doubt(store: Store) -> None:
    other = item(Connection.LABELS, pages=1, held=1, cursor="l")
    await _add(store, item(), other)
    await _stage(store, item(total=2, pages=1, held=1, cursor="c"), page([comment()], total=2))
    await _stage(store, other, page([label()], Connection.LABELS))
    async with store.transaction():
        await store.frontier.end([(item(), proof())])
        await store.frontier.restart([item(total=2, doubt="d")])
    comments, labels = await _of(store)
    assert comments == Staged(item=item(total=2, doubt="d"), evidence=None, pages=())
    assert len(labels.pages) == 1


async def test_what_is_dropped_is_gone_with_its_pages_and_nothing_else_is(store: Store) -> None:
    other = item(pull="PR_2", owner="PR_2")
    await _add(store, item(), other)
    await _stage(store, item(pages=1, held=1), page([comment()]))
    assert await store.frontier.pulls() == {PULL, "PR_2"}
    async with store.transaction():
        await store.frontier.drop([PULL, "PR_none"])
    assert await _of(store) == []
    assert await store.frontier.pulls() == {"PR_2"}
    await _add(store, item())
    (found,) = await _of(store)
    assert found.pages == ()


async def test_several_pull_requests_are_told_apart(store: Store) -> None:
    await _add(store, item(), item(pull="PR_2", owner="PR_2", total=5))
    found = await store.frontier.of(["PR_2", PULL, "PR_3"])
    assert found["PR_2"][0].item.total == 5
    assert found[PULL][0].item.total == 1
    assert not found.get("PR_3")


async def test_a_page_whose_transaction_is_undone_leaves_the_cursor_where_it_was(
    store: Store,
) -> None:
    await _add(store, item(total=2))
    before = await _of(store)

    async def interrupted() -> None:
        async with store.transaction():
            await store.frontier.stage([(item(pages=1, held=1, cursor="c"), page([comment()]))])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await interrupted()
    assert await _of(store) == before
