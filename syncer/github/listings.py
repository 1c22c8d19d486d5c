"""Answers about a repository as a whole: the opening, releases, rows of pull requests. Pure.

A listing has no place for a part that failed. What takes away more than single nodes is raised; a
null node is counted `unreadable`, and such a listing proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from syncer.errors import RefusedError, TransientError
from syncer.github import advice, wire
from syncer.github.answers import ChangeRow, Listing, Opening, Row, StampedRow
from syncer.github.entries import utc
from syncer.github.forms import stamped_data, stamped_row
from syncer.github.marks import Mark, Marks
from syncer.github.rows import change_row, row
from syncer.github.surrogates import Path, Repairs
from syncer.records import Label
from syncer.repository import Release

__all__ = [
    "census_in",
    "changes_in",
    "labels_in",
    "opening_in",
    "releases_in",
    "stamped_census_in",
]

N = TypeVar("N")
T = TypeVar("T")
Make = Callable[[N | None, int], T | None]


def opening_in(data: bytes, marks: Marks, _: Repairs, date: datetime) -> Opening:
    """The first answer of a run. Raises RefusedError where the repository is not to be seen."""
    found = wire.opening_data.decode(data)
    cost = _cost(found.rate_limit)
    repository = found.repository
    if repository is None:
        raise _first(marks.under("repository"), RefusedError(advice.NOT_FOUND))
    return Opening(
        date=date,
        cost=cost,
        repository_id=repository.id,
        name=repository.name_with_owner,
        web_url=_site(repository.url, repository.name_with_owner),
        releases=_releases(repository.releases, ("repository", "releases"), marks, date, cost),
        changes=_listing(
            repository.pull_requests, ("repository", "pullRequests"), marks, _change, date, cost
        ),
    )


def releases_in(
    data: bytes, marks: Marks, _: Repairs, date: datetime, after: str | None
) -> Listing[Release]:
    """A page of releases."""
    found = wire.releases_data.decode(data)
    page = _node(found, marks).releases
    path = ("node", "releases")
    return _releases(page, path, marks, date, _cost(found.rate_limit), after)


def changes_in(
    data: bytes, marks: Marks, _: Repairs, date: datetime, after: str | None
) -> Listing[ChangeRow]:
    """A page of light rows."""
    found = wire.changes_data.decode(data)
    page = _node(found, marks).pull_requests
    path = ("node", "pullRequests")
    return _listing(page, path, marks, _change, date, _cost(found.rate_limit), after)


def census_in(
    data: bytes, marks: Marks, repairs: Repairs, date: datetime, after: str | None
) -> Listing[Row]:
    """A page of full rows; a field that came with an error is named in its row."""
    found = wire.census_data.decode(data)
    page = _node(found, marks).pull_requests
    path = ("node", "pullRequests")

    def full(node: wire.RowNode | None, index: int) -> Row | None:
        place = (*path, "nodes", index)
        return row(node, fields_below(marks, place), repairs.under(*place))

    return _listing(page, path, marks, full, date, _cost(found.rate_limit), after)


def stamped_census_in(
    data: bytes, marks: Marks, repairs: Repairs, date: datetime, after: str | None
) -> Listing[StampedRow]:
    """A page of rows without words; a field that came with an error is named in its row."""
    found = stamped_data.decode(data)
    page = _node(found, marks).pull_requests
    path = ("node", "pullRequests")

    def stamped(node: wire.RowNode | None, index: int) -> StampedRow | None:
        place = (*path, "nodes", index)
        return stamped_row(node, fields_below(marks, place), repairs.under(*place))

    return _listing(page, path, marks, stamped, date, _cost(found.rate_limit), after)


def labels_in(
    data: bytes, marks: Marks, _: Repairs, date: datetime, after: str | None
) -> Listing[Label]:
    """A page of the repository's labels."""
    found = wire.changes_data.decode(data)
    page = _node(found, marks).labels
    path = ("node", "labels")
    return _listing(page, path, marks, _label, date, _cost(found.rate_limit), after)


def fields_below(marks: Marks, place: Path) -> frozenset[str]:
    """The fields directly under `place` at or below which there is a mark."""
    depth = len(place)
    found = (mark.path for mark in marks.under(*place))
    return frozenset(str(path[depth]) for path in found if len(path) > depth)


def _releases(
    page: wire.Page[wire.ReleaseNode] | None,
    path: tuple[str, ...],
    marks: Marks,
    date: datetime,
    cost: int,
    after: str | None = None,
) -> Listing[Release]:
    """A release with a mark counts as null: without its date it would be taken for a draft."""

    def whole(node: wire.ReleaseNode | None, index: int) -> Release | None:
        marked = fields_below(marks, (*path, "nodes", index))
        return None if node is None or marked else _release(node)

    return _listing(page, path, marks, whole, date, cost, after)


def _release(node: wire.ReleaseNode) -> Release:
    return Release(
        id=node.id,
        tag_name=node.tag_name,
        published_at=node.published_at and utc(node.published_at),
        is_draft=node.is_draft,
        is_prerelease=node.is_prerelease,
    )


def _label(node: wire.LabelNode | None, _: int) -> Label | None:
    return None if node is None else Label(id=node.id, name=node.name)


def _change(node: wire.ChangeNode | None, _: int) -> ChangeRow | None:
    return change_row(node)


def _node(data: wire.RepositoryData[N], marks: Marks) -> wire.Listed[N]:
    if data.node is None:
        raise _first(marks.under("node"), RefusedError(advice.NOT_FOUND))
    return data.node


def _first(marks: Sequence[Mark], otherwise: Exception) -> Exception:
    return marks[0].raised() if marks else otherwise


def _listing(
    page: wire.Page[N] | None,
    path: Path,
    marks: Marks,
    make: Make[N, T],
    date: datetime,
    cost: int,
    after: str | None = None,
) -> Listing[T]:
    _refuse_partial(page, path, marks)
    if page is None or page.page_info is None or page.total_count is None or page.nodes is None:
        raise TransientError("GitHub answered with null where a listing was asked for")
    turn = page.page_info
    if turn.has_next_page and (not turn.end_cursor or turn.end_cursor == after):
        raise TransientError("GitHub's cursor does not advance, though there is more to list")
    made = [make(node, index) for index, node in enumerate(page.nodes)]
    items = tuple(item for item in made if item is not None)
    return Listing(
        date=date,
        cost=cost,
        items=items,
        total_count=page.total_count,
        has_next_page=turn.has_next_page,
        end_cursor=turn.end_cursor,
        unreadable=len(made) - len(items),
    )


def _refuse_partial(page: object, path: Path, marks: Marks) -> None:
    # Only a lasting error about one node, or a field of it, leaves the listing standing.
    nodes = (*path, "nodes")
    for mark in marks.under(*path):
        about_a_node = len(mark.path) > len(nodes) and mark.path[: len(nodes)] == nodes
        if page is None or not about_a_node or mark.reason in {"too_heavy", "cursor_refused"}:
            raise mark.raised()


def _cost(price: wire.Price | None) -> int:
    return 0 if price is None else price.cost


def _site(url: str, name: str) -> str:
    return url.removesuffix("/").removesuffix(f"/{name}")
