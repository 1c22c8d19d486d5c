"""A corpus to serve, and clients of the SDK to ask for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from mcp import Client
from msgspec.structs import replace

from birdview.explore import Tools
from birdview.mcp import build
from birdview.synthesis import bind
from syncer.evidence import Connection, Coverage, Snapshot, Status
from syncer.history import History
from syncer.records import Comment
from tests.history.corpora import DAY, START, WATERMARK, Writer, closed, merged, opened

__all__ = [
    "LONG",
    "MANY",
    "NOW",
    "WINDOW",
    "asking",
    "call",
    "everything",
    "merged",
    "opened",
    "pages",
    "refused",
    "talkative",
    "tools_of",
    "write",
]

NOW = WATERMARK + timedelta(hours=1)
LONG, MANY = (
    50,
    51,
)  # numbers of the pull request with a huge text, and of the one with 3,000 comments
WINDOW = {"windowStart": "2025-06-01", "windowEnd": "2025-08-01"}


def words(number: int) -> str:
    return f"We decided to keep part {number} as it is.\r\nThat is the plan."


async def write(root: Path) -> Writer:
    """Eleven resolved in the window, one of them closed and one huge; one open; one that is long."""
    writer = Writer(root)
    await writer.write(
        *(merged(n, START + n * DAY, title=f"Change {n}", body=words(n)) for n in range(1, 10)),
        closed(10, START + 10 * DAY, title="A dead end", body=words(10)),
        opened(11, START + 11 * DAY),
        merged(LONG, START + 40 * DAY, body="é🎉 all of it. " * 20_000),
        talkative(MANY, START + 200 * DAY, 3_000),
    )
    return writer


def talkative(number: int, at: datetime, comments: int) -> Snapshot:
    found = merged(number, at)
    first = found.conversation.comments[0]
    many = tuple(_comment(first, number, index) for index in range(comments))
    coverage = Coverage(
        total_count=comments, kept=comments, has_next_page=False, status=Status.EXHAUSTED
    )
    return replace(
        found,
        conversation=replace(found.conversation, comments=many),
        connections={**found.connections, Connection.COMMENTS: coverage},
    )


def _comment(first: Comment, number: int, index: int) -> Comment:
    return replace(
        first,
        id=f"IC_{number}_{index}",
        full_database_id=number * 10_000 + index,
        created_at=first.created_at + timedelta(seconds=index),
        body=f"Remark number {index} of many.",
    )


def tools_of(root: Path, model: str = "extractive") -> Tools:
    return Tools(source=History(root), clock=lambda: NOW, binding=bind(model, {}))


@asynccontextmanager
async def asking(
    root: Path, mode: str = "auto", model: str = "extractive"
) -> AsyncIterator[Client]:
    async with Client(build(tools_of(root, model)), mode=mode) as client:
        yield client


async def call(client: Client, tool: str, **arguments: Any) -> Any:
    """The structured answer; the SDK's client has checked it against the tool's output schema."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    error = result.structured_content["error"]
    (content,) = result.content
    assert content.type == "text"
    assert error["message"] in content.text
    return error


async def pages(client: Client, tool: str, **arguments: Any) -> list[Any]:
    """Every page from the first to the last."""
    found = [await call(client, tool, **arguments)]
    while (cursor := found[-1].get("page", found[-1]).get("nextCursor")) is not None:
        sizes = {name: value for name, value in arguments.items() if name == "maxBytes"}
        found.append(await call(client, tool, cursor=cursor, **sizes))
    return found


async def everything(client: Client, **arguments: Any) -> list[dict[str, Any]]:
    found = await pages(client, "read_window_evidence", **arguments)
    return [piece for page in found for piece in page["fragments"]]
