"""What the tests of the door share: answers made by hand, a scripted other side, and a time of our own."""

from __future__ import annotations

import asyncio
import heapq
import json
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from itertools import count
from typing import Any, TypeVar

from graphql import ExecutionResult

from syncer.github import Bounds, Credentials, GitHub, Governor, Patience, Token, TokenSource
from syncer.github.exchange import Exchange, Prepared
from syncer.github.transport import EXCHANGE

T = TypeVar("T")

SECRET = "ghp_thisMustNeverBeSeenAnywhere0123456789"
NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
DATE = format_datetime(NOW, usegmt=True)
END = {"hasNextPage": False, "endCursor": None}


class Time:
    """A clock that jumps to the next sleeper when nobody has anything else to do."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = count()

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._order), future))
        await future

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`, in no time at all. Raises AssertionError when it hangs."""
        task = asyncio.ensure_future(work)
        try:
            while not task.done():
                for _ in range(60):
                    await asyncio.sleep(0)
                if not task.done():
                    self._wake_next()
        finally:
            task.cancel()
        return await task

    def _wake_next(self) -> None:
        while self._sleepers:
            due, _, future = heapq.heappop(self._sleepers)
            if not future.done():
                self.now = max(self.now, due)
                future.set_result(None)
                return
        raise AssertionError("everybody waits, and nobody sleeps")


def answer(
    data: object = None,
    *errors: Mapping[str, object],
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    elapsed_s: float = 0.1,
    serial: int = 0,
) -> Exchange:
    """An exchange as the wire brings it; `body` replaces what data and errors make."""
    payload = {"data": data} | ({"errors": list(errors)} if errors else {})
    return Exchange(
        status=status,
        headers={"date": DATE} | dict(headers or {}),
        body=json.dumps(payload).encode() if body is None else body,
        elapsed_s=elapsed_s,
        serial=serial,
    )


def refusal(status: int, message: str = "", **headers: str) -> Exchange:
    """An exchange with a status of its own and GitHub's JSON for it."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer(status=status, headers=given, body=json.dumps({"message": message}).encode())


Reply = Exchange | Exception | Callable[[Prepared], Awaitable[Exchange]]


class Script:
    """The other side: one reply after the other, the last one for ever where `loop` is set."""

    def __init__(self, *replies: Reply, loop: bool = False) -> None:
        self._replies = list(replies)
        self._loop = loop
        self.asked: list[Prepared] = []

    async def connect(self) -> None:
        pass

    async def close(self) -> None:
        pass

    async def execute(self, request: Any) -> ExecutionResult:
        self.asked.append(request)
        assert self._replies, "one request more than there are replies"
        last = self._loop and len(self._replies) == 1
        reply = self._replies[0] if last else self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        exchange = reply if isinstance(reply, Exchange) else await reply(request)
        return ExecutionResult(extensions={EXCHANGE: exchange})


def governor(time: Time, bounds: Bounds | None = None, **kwargs: Any) -> Governor:
    return Governor(bounds, clock=time.clock, sleep=time.sleep, dice=lambda: 0.0, **kwargs)


def door(
    script: Any,
    time: Time | None = None,
    *,
    source: TokenSource | None = None,
    patience: Patience | None = None,
    max_points: int | None = None,
    governed: Governor | None = None,
) -> GitHub:
    """A GitHub whose other side is `script`."""
    return GitHub(
        Credentials(Token(SECRET), source),
        governed or governor(time or Time()),
        name="octo/bird",
        transport=script,
        patience=patience,
        max_points=max_points,
    )


def page(
    nodes: Sequence[object] | None = (), *, total: int | None = None, **turn: object
) -> dict[str, object]:
    """A connection whose one page holds `nodes`."""
    size = len(nodes or ()) if total is None else total
    return {"totalCount": size, "pageInfo": END | turn, "nodes": nodes}


def owner(connection: object, id: str = "PR_1") -> dict[str, object]:
    """A pull request with one of its connections."""
    return {
        "__typename": "PullRequest",
        "id": id,
        "updatedAt": "2026-02-01T00:00:00Z",
        "connection": connection,
    }


ANN = {"__typename": "User", "login": "ann", "id": "U_1"}


def comment(**fields: object) -> dict[str, object]:
    """An issue comment as GitHub sends it."""
    return {
        "id": "IC_1",
        "fullDatabaseId": "1",
        "author": ANN,
        "authorAssociation": "NONE",
        "body": "words",
        "createdAt": "2026-01-01T00:00:00Z",
        "lastEditedAt": None,
        "isMinimized": False,
        "minimizedReason": None,
    } | fields


def change(**fields: object) -> dict[str, object]:
    """A light row as GitHub sends it."""
    totals = ("comments", "reviews", "reviewThreads", "labels", "closingIssues")
    return {
        "id": "PR_1",
        "number": 1,
        "state": "OPEN",
        "createdAt": "2026-01-01T00:00:00Z",
        "updatedAt": "2026-02-01T00:00:00Z",
        "closedAt": None,
        "mergedAt": None,
        **{name: {"totalCount": 0} for name in totals},
    } | fields


def row(**fields: object) -> dict[str, object]:
    """A full row as GitHub sends it."""
    return (
        change()
        | {
            "fullDatabaseId": "7",
            "title": "A title",
            "body": "A body",
            "isDraft": False,
            "author": ANN,
            "authorAssociation": "MEMBER",
            "baseRefName": "main",
            "headRefName": "topic",
            "headRepository": {"nameWithOwner": "octo/bird"},
        }
        | fields
    )


def batch(*aliases: object, cost: int = 1) -> dict[str, object]:
    """The data of a batch whose i-th part was answered by the i-th of `aliases`."""
    return {"rateLimit": {"cost": cost}} | {f"a{i}": found for i, found in enumerate(aliases)}


def opening(**fields: object) -> dict[str, object]:
    """The data of an opening."""
    repository = {
        "id": "R_1",
        "nameWithOwner": "octo/bird",
        "url": "https://github.com/octo/bird",
        "releases": page(),
        "pullRequests": page(),
    }
    return {"rateLimit": {"cost": 1}, "repository": repository | fields}


def listing(connection: object, name: str = "pullRequests") -> dict[str, object]:
    """The data of a listing of the repository."""
    return {"rateLimit": {"cost": 1}, "node": {"__typename": "Repository", name: connection}}


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """`error` with everything that hangs on it: causes, contexts, members of groups."""
    seen: set[int] = set()
    pending = [error]
    while pending:
        found = pending.pop()
        if found is None or id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        pending += [found.__cause__, found.__context__]
        pending += getattr(found, "exceptions", ())
