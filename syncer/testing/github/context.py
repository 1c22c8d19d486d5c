"""What one request brings along: who asks, in which id format, and which faults watch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from syncer.testing.github.failing import FieldError
from syncer.testing.github.pages import Page
from syncer.testing.github.viewers import Viewer
from syncer.testing.github.world import World, pull_of

__all__ = ["Call", "Context", "FieldHook", "PageHook", "RateLimit"]


@dataclass(slots=True)
class RateLimit:
    """The `rateLimit` field."""

    cost: int
    limit: int
    node_count: int
    remaining: int
    reset_at: str
    used: int


@dataclass(frozen=True, slots=True)
class Call:
    """One field of one object that is about to be answered."""

    owner: Any
    type_name: str
    field_name: str
    args: Mapping[str, Any]

    @property
    def number(self) -> int | None:
        """The pull request that the owner is or belongs to."""
        pull = pull_of(self.owner)
        return None if pull is None else pull.number


PageHook = Callable[[Call, Page], Page | None]
FieldHook = Callable[[Call], FieldError | None]


@dataclass(slots=True)
class Context:
    """State of one request."""

    world: World
    viewer: Viewer
    new_ids: bool
    rate: RateLimit
    page_hooks: list[PageHook] = field(default_factory=list[PageHook])
    field_hooks: dict[tuple[str, str], list[FieldHook]] = field(
        default_factory=dict[tuple[str, str], list[FieldHook]]
    )
    produced: int = 0  # nodes that connections and `nodes` have answered with
