"""`list_pull_requests` and `get_sync_status`: what there is, and how it stands."""

from __future__ import annotations

import asyncio

from birdview.explore import Tools, opened
from birdview.mcp import cursors
from birdview.mcp.cursors import Cursor
from birdview.mcp.errors import ToolError
from birdview.mcp.inputs import GetSyncStatus, ListPullRequests
from birdview.mcp.outputs import PullListPage, StatusList
from birdview.request import Bounds, Request, RequestError, asked_of
from birdview.standing import SyncStatus, listing, standing
from syncer.corpus import Window
from syncer.history import Corpus, UnknownOriginError

__all__ = ["LIST", "get_sync_status", "list_pull_requests"]

LIST = "list_pull_requests"
_OWN = frozenset({"limit"})


async def list_pull_requests(asked: ListPullRequests, tools: Tools) -> PullListPage:
    """The page that `asked` is about. Raises ToolError, RequestError and what reading raises."""
    cursor = None
    if asked.cursor is not None:
        cursor = cursors.opened(asked.cursor, LIST)
        asked = cursors.continued(asked, cursor, _OWN)
    corpus = await opened(tools.source, asked.origin)
    return await asyncio.to_thread(_page, asked, corpus, cursor)


def _page(asked: ListPullRequests, corpus: Corpus, cursor: Cursor | None) -> PullListPage:
    digest = corpus.overview().digest
    if cursor is not None and cursor.bound != digest:
        raise ToolError("changed", "the corpus changed since that page; begin without it", "cursor")
    start = 0 if cursor is None else cursor.at[0]
    found = listing(corpus, asked.state, window=_window(asked), start=start, count=asked.limit)
    end = start + len(found.rows)
    following = None
    if len(found.rows) == asked.limit and (found.total is None or end < found.total):
        following = cursors.sealed(
            Cursor(
                tool=LIST,
                asked=cursors.asked_of(asked, _OWN),
                resolved={"origin": corpus.name},
                bound=digest,
                at=(end,),
            )
        )
    return PullListPage(list=found, next_cursor=following)


def _window(asked: ListPullRequests) -> Window | None:
    if asked.window_start is None and asked.window_end is None:
        return None
    asked_for = asked_of(Request(window_start=asked.window_start, window_end=asked.window_end))
    match asked_for.window:
        case Bounds(start, end):
            return Window(start, end)
        case _:
            return None


async def get_sync_status(asked: GetSyncStatus, tools: Tools) -> StatusList:
    """How one repository stands, or each of them."""
    return StatusList(repositories=await asyncio.to_thread(_statuses, asked, tools))


def _statuses(asked: GetSyncStatus, tools: Tools) -> tuple[SyncStatus, ...]:
    now = tools.clock()
    if asked.origin is not None:
        return (standing(_corpus(tools, asked.origin), now, most=asked.max_listed),)
    corpora = [tools.source.corpus(name) for name in tools.source.origins()]
    return tuple(standing(corpus, now, most=asked.max_listed) for corpus in corpora)


def _corpus(tools: Tools, origin: str) -> Corpus:
    try:
        return tools.source.corpus(origin)
    except UnknownOriginError as error:
        raise RequestError("origin", str(error)) from error
