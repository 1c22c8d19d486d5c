"""What a request asks for, as faults and the log see it, and predicates over that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

__all__ = [
    "Asked",
    "When",
    "asks",
    "every",
    "first_over",
    "from_request",
    "nodes_over",
    "operation",
    "touches",
    "with_token",
]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request. `kinds` counts billed connections by `Type.field`.

    `numbers` are the pull requests that its ids and arguments name.
    """

    k: int
    token: str | None = None
    operation: str = ""
    kinds: Mapping[str, int] = field(default_factory=dict[str, int])
    ids: tuple[str, ...] = ()
    numbers: frozenset[int] = frozenset()
    first: int = 0
    cursors: int = 0
    connections: int = 0
    nodes: int = 0
    cost: int = 0
    uses: frozenset[tuple[str, str]] = frozenset()
    text: str = ""


When = Callable[[Asked], bool]


def every(*conditions: When) -> When:
    """All of `conditions` hold."""
    return lambda asked: all(condition(asked) for condition in conditions)


def operation(*names: str) -> When:
    """The operation has one of these names."""
    return lambda asked: asked.operation in names


def asks(kind: str) -> When:
    """It asks for pages of a connection, such as `PullRequest.comments`."""
    return lambda asked: kind in asked.kinds


def touches(number: int) -> When:
    """It names the pull request, or something on it, by id or number."""
    return lambda asked: number in asked.numbers


def first_over(size: int) -> When:
    """It asks for a page of more than `size`."""
    return lambda asked: asked.first > size


def nodes_over(count: int) -> When:
    """It could be answered by more than `count` nodes."""
    return lambda asked: asked.nodes > count


def with_token(token: str) -> When:
    """It came with this token."""
    return lambda asked: asked.token == token


def from_request(k: int) -> When:
    """It is the k-th request, or a later one."""
    return lambda asked: asked.k >= k
