"""The answer to a batch: for every id of every part exactly one page, row or fault. Pure.

An error under one id is that id's fault alone: its connection is not taken as read, however much
of it came, and its neighbours stand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET, Raw

from syncer.errors import TransientError
from syncer.evidence import Connection
from syncer.github import wire
from syncer.github.answers import BatchAnswer, Entry, Fault, PageRead, Part, Row
from syncer.github.entries import ENTRIES, child_total, is_draft, utc
from syncer.github.forms import WHOLE, Form
from syncer.github.listings import fields_below
from syncer.github.marks import Mark, Marks
from syncer.github.surrogates import Repairs

__all__ = ["batch_in"]


class _Misfit:
    """Stands for a node of another shape than the schema says."""


_Node = wire.Owner[Any] | wire.RowNode | _Misfit | None

_WORST_FIRST = ("too_heavy", "cursor_refused", "forbidden", "not_found", "unreadable")


def batch_in(
    data: bytes,
    marks: Marks,
    repairs: Repairs,
    date: datetime,
    parts: Sequence[Part],
    form: Form = WHOLE,
) -> BatchAnswer:
    """What `data` holds for `parts`, the i-th under the alias `a<i>`, in the form it was asked in.

    Raises TransientError where an alias is missing or has not one entry for each id.
    """
    aliases = wire.batch_data.decode(data)
    found = [
        outcome
        for index, part in enumerate(parts)
        for outcome in _part(form, part, f"a{index}", aliases.get(f"a{index}"), marks, repairs)
    ]
    return BatchAnswer(
        date=date,
        cost=_cost(aliases.get("rateLimit")),
        pages=tuple(outcome for outcome in found if isinstance(outcome, PageRead)),
        rows=tuple(outcome for outcome in found if isinstance(outcome, Row)),
        faults=tuple(outcome for outcome in found if isinstance(outcome, Fault)),
    )


def _cost(price: Raw | None) -> int:
    found = None if price is None else wire.price_data.decode(price)
    return 0 if found is None else found.cost


def _part(
    form: Form, part: Part, alias: str, raw: Raw | None, marks: Marks, repairs: Repairs
) -> Iterator[PageRead | Row | Fault]:
    nodes = _nodes(form.shapes[part.name], raw)
    if nodes is None:
        whole = [mark for mark in marks.under(alias) if len(mark.path) == 1]
        if not whole:
            raise TransientError("a part of the batch came without data and without an error")
        nodes = [None] * len(part.ids)
    if len(nodes) != len(part.ids):
        raise TransientError("a part of the batch came with another number of nodes than asked")
    for index, (owner, node) in enumerate(zip(part.ids, nodes, strict=True)):
        found = marks.under(alias, index)
        repaired = repairs.under(alias, index)
        if part.name is Connection.PULL_REQUEST:
            marked = fields_below(marks, (alias, index))
            yield _row(form, owner, node, found, marked, repaired)
        else:
            yield _page(part, owner, node, found, repaired)


def _nodes(shapes: wire.Owners[Any], raw: Raw | None) -> Sequence[_Node] | None:
    if raw is None or bytes(raw) == b"null":
        return None
    try:
        return shapes.whole.decode(raw)
    except msgspec.ValidationError:
        # One entry of another shape than the schema says does not take its neighbours along.
        return [_entry(shapes, entry) for entry in shapes.parts.decode(raw)]


def _entry(shapes: wire.Owners[Any], raw: Raw) -> _Node:
    try:
        return shapes.entry.decode(raw)
    except msgspec.ValidationError:
        return _Misfit()


def _row(
    form: Form,
    owner: str,
    node: _Node,
    marks: Sequence[Mark],
    marked: frozenset[str],
    repaired: int,
) -> Row | Fault:
    heavy = [mark for mark in marks if mark.reason == "too_heavy"]
    if not isinstance(node, wire.RowNode) or heavy:
        return _fault(owner, Connection.PULL_REQUEST, node, heavy or marks)
    found = form.row(node, marked, repaired)
    return _fault(owner, Connection.PULL_REQUEST, node, marks) if found is None else found


def _page(
    part: Part, owner: str, node: _Node, marks: Sequence[Mark], repaired: int
) -> PageRead | Fault:
    if marks or not isinstance(node, wire.Owner) or node.connection is UNSET:
        return _fault(owner, part.name, node, marks)
    place = _place(owner, node)
    connection: wire.Page[Any] | None = node.connection
    if place is None or (connection is not None and connection.page_info is None):
        return _fault(owner, part.name, node, ())
    pull, updated_at = place
    if connection is None:
        return _null_page(part, owner, pull, updated_at)
    turn = connection.page_info
    assert turn is not None  # noqa: S101 - seen above; the checker cannot know
    if turn.has_next_page and (not turn.end_cursor or turn.end_cursor == part.after):
        return Fault(owner=owner, name=part.name, reason="cursor_stuck")
    nodes = connection.nodes or ()
    kept = [found for found in nodes if found is not None and not is_draft(found)]
    return PageRead(
        owner=owner,
        name=part.name,
        pull=pull,
        updated_at=updated_at,
        total_count=connection.total_count,
        has_next_page=turn.has_next_page,
        end_cursor=turn.end_cursor,
        nodes=_entries(part.name, kept),
        left_out=sum(found is not None and is_draft(found) for found in nodes),
        unreadable=nodes.count(None),
        repaired=repaired,
        child_totals=dict(total for found in kept if (total := child_total(found))),
    )


def _entries(name: Connection, kept: Sequence[Any]) -> tuple[Entry, ...]:
    make = ENTRIES[name]
    return tuple(make(found) for found in kept)


def _place(owner: str, node: wire.Owner[Any]) -> tuple[str, datetime] | None:
    if node.pull_request is not None:
        return node.pull_request.id, utc(node.pull_request.updated_at)
    return None if node.updated_at is None else (owner, utc(node.updated_at))


def _null_page(part: Part, owner: str, pull: str, updated_at: datetime) -> PageRead:
    return PageRead(
        owner=owner,
        name=part.name,
        pull=pull,
        updated_at=updated_at,
        total_count=None,
        has_next_page=False,
        end_cursor=None,
        nodes=(),
    )


def _fault(owner: str, name: Connection, node: _Node, marks: Sequence[Mark]) -> Fault:
    if not marks:
        # Null without a word may pass; a node of a wrong type or shape will not.
        return Fault(owner=owner, name=name, reason="unreadable", transient=node is None)
    worst = min(marks, key=lambda mark: _WORST_FIRST.index(mark.reason))
    if worst.reason == "not_found" and len(worst.path) > 2:
        # Something inside is gone, not the owner itself.
        return Fault(owner=owner, name=name, reason="unreadable")
    return Fault(owner=owner, name=name, reason=worst.reason, transient=worst.transient)
