"""`get_conversation`: one pull request, whole or by part, page by page, with its evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime

from birdview.explore import Tools, opened
from birdview.mcp import cursors
from birdview.mcp.cursors import Cursor
from birdview.mcp.entries import (
    entries_of,
    from_offset,
    part_of,
    shortened,
    text_of,
    written_since,
)
from birdview.mcp.errors import ToolError
from birdview.mcp.inputs import GetConversation
from birdview.mcp.outputs import (
    ConnectionShown,
    ConversationPage,
    Entry,
    Page,
    PullShown,
    UserText,
)
from birdview.request import instant
from birdview.synthesis.fragments import size_of
from syncer.evidence import JUDGED, Snapshot, is_complete
from syncer.history import Corpus, Found, NodeKind

__all__ = ["TOOL", "get_conversation"]

TOOL = "get_conversation"
_OWN = frozenset({"maxBytes"})  # the size of a page may differ from page to page
_ENTRY_BYTES = 500  # about what an entry takes beside its text


async def get_conversation(asked: GetConversation, tools: Tools) -> ConversationPage:
    """The page that `asked` is about. Raises ToolError, RequestError and what reading raises."""
    cursor = None
    if asked.cursor is not None:
        cursor = cursors.opened(asked.cursor, TOOL)
        asked = cursors.continued(asked, cursor, _OWN)
    corpus = await opened(tools.source, asked.origin)
    found = await asyncio.to_thread(_find, corpus, asked)
    if cursor is not None and cursor.bound != found.revision:
        raise ToolError(
            "changed", "the conversation changed since that page; begin without it", "cursor"
        )
    return _page(asked, corpus, found, 0 if cursor is None else cursor.at[0])


def _find(corpus: Corpus, asked: GetConversation) -> Found:
    if asked.number is None and asked.node is None:
        raise ToolError("bad_argument", "give it, or `node`, or both", "number")
    what = asked.node or str(asked.number)
    found = corpus.find(what, number=asked.number if asked.node else None)
    if found is None:
        field = "node" if asked.node else "number"
        where = f" in #{asked.number}" if asked.node and asked.number else ""
        raise ToolError(
            "not_found",
            f"there is no such thing{where} in {corpus.name}; list_pull_requests shows what there "
            "is, get_sync_status what was never read",
            field,
        )
    if asked.number not in (None, found.snapshot.conversation.number):
        number = found.snapshot.conversation.number
        raise ToolError("bad_argument", f"the node stands in #{number}", "number")
    return found


def _page(asked: GetConversation, corpus: Corpus, found: Found, start: int) -> ConversationPage:
    entries = _chosen(asked, found)
    number = found.snapshot.conversation.number
    shown: list[Entry] = []
    size = 0
    for entry in entries[start:]:
        short = shortened(entry, asked.max_body_bytes, corpus.name, number)
        size += _ENTRY_BYTES + _text_size(short)
        if shown and size > asked.max_bytes:
            break
        shown.append(short)
    end = start + len(shown)
    return ConversationPage(
        origin=corpus.name,
        pull=_pull(found),
        node=found.node.id,
        revision=found.revision,
        complete=_is_whole(found),
        behind=found.is_behind,
        evidence=_evidence(found.snapshot),
        entries=tuple(shown),
        page=Page(
            start=start,
            count=len(shown),
            total=len(entries),
            next_cursor=None if end >= len(entries) else _next(asked, corpus, found, end),
        ),
    )


def _next(asked: GetConversation, corpus: Corpus, found: Found, at: int) -> str:
    # Found once, the node need not be looked for in every file again.
    resolved: dict[str, object] = {
        "origin": corpus.name,
        "number": found.snapshot.conversation.number,
    }
    if asked.node is not None:
        resolved["node"] = found.node.id
    cursor = Cursor(
        tool=TOOL,
        asked=cursors.asked_of(asked, _OWN),
        resolved=resolved,
        bound=found.revision,
        at=(at,),
    )
    return cursors.sealed(cursor)


def _chosen(asked: GetConversation, found: Found) -> Sequence[Entry]:
    entries = list(entries_of(found.snapshot.conversation, found.repository))
    if asked.node is not None and (found.node.kind is not NodeKind.PULL or asked.offset):
        return _of_node(asked, found, entries)
    if asked.offset:
        raise ToolError("bad_argument", "goes with `node`: whose text is meant?", "offset")
    since = None if asked.since is None else instant("since", asked.since)
    wanted = asked.include or ("description", "comments", "reviews", "threads")
    return _of_parts([entry for entry in entries if part_of(entry) in wanted], since)


def _of_node(asked: GetConversation, found: Found, entries: list[Entry]) -> Sequence[Entry]:
    for field, given in (("include", asked.include), ("since", asked.since)):
        if given:
            raise ToolError("bad_argument", "does not go with `node`, which is one entry", field)
    node = found.node.id
    if found.node.kind is NodeKind.THREAD and not asked.offset:
        return [entry for entry in entries if node in (entry.id, entry.thread_id)]
    (entry,) = [entry for entry in entries if entry.id == node][:1]
    text = text_of(entry)
    length = 0 if text is None else text.total_chars
    if asked.offset > length:
        raise ToolError("bad_argument", f"the text has {length} characters", "offset")
    return [from_offset(entry, asked.offset)]


def _of_parts(entries: list[Entry], since: datetime | None) -> Sequence[Entry]:
    """The entries since then; a thread stands before its comments wherever one of them is kept."""
    if since is None:
        return entries
    said = [e for e in entries if e.kind != "thread" and written_since(e, since)]
    kept = {entry.id for entry in said} | {entry.thread_id for entry in said}
    return [entry for entry in entries if entry.id in kept]


def _text_size(entry: Entry) -> int:
    text = text_of(entry)
    return 0 if text is None else size_of(text.user_text)


def _pull(found: Found) -> PullShown:
    c = found.snapshot.conversation
    return PullShown(
        id=c.id,
        number=c.number,
        url=found.url,
        title=UserText(c.title),
        state=c.state,
        is_draft=c.is_draft,
        author=c.author,
        created_at=c.created_at,
        updated_at=c.updated_at,
        closed_at=c.closed_at,
        merged_at=c.merged_at,
        base_ref_name=c.base_ref_name,
        head_ref_name=c.head_ref_name,
        labels=tuple(label.name for label in c.labels),
        closing_issues=c.closing_issues,
        release=found.release,
    )


def _evidence(snapshot: Snapshot) -> tuple[ConnectionShown, ...]:
    return tuple(
        ConnectionShown(
            connection=name.value,
            total_count=coverage.total_count,
            kept=coverage.kept,
            status=coverage.status,
            reason=coverage.reason,
        )
        for name, coverage in snapshot.judged().items()
    )


def _is_whole(found: Found) -> bool:
    judged = found.snapshot.judged()
    return is_complete(judged[name] for name in JUDGED) and not found.is_behind
