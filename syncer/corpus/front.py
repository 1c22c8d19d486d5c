"""The front matter: what a file says of its pull request before any word of the conversation.

One `key: value` a line between two `---` lines, every value JSON, the keys in the order of the
fields below. Docs: docs/corpus-format.md, "Front matter".
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from syncer.corpus.errors import CorpusError
from syncer.corpus.lines import Lines
from syncer.corpus.scalars import flow
from syncer.evidence import Connection, Coverage, Snapshot
from syncer.records import Actor, ClosingIssue, Instant, Label

__all__ = ["GRAMMAR", "FrontMatter", "decode_front", "encode_front", "front_matter", "front_of"]

GRAMMAR = 1
"""The version of the Markdown grammar that this package writes, and the only one it reads."""

_RULE = "---"


class FrontMatter(Struct, frozen=True, rename="camel", kw_only=True):
    """The machine fields of a pull request, its address, its revision, and how far it was read.

    `connections` has the comments of all threads as one entry. None: the file of an older tool,
    which tells nothing of how far it was read.
    """

    grammar: int
    id: str
    full_database_id: int | None
    number: int
    title: str
    author: Actor | None  # None: the account was deleted
    author_association: str
    state: str
    is_draft: bool
    created_at: Instant
    updated_at: Instant
    closed_at: Instant | None
    merged_at: Instant | None
    base_ref_name: str
    head_ref_name: str
    head_repository: str | None  # None: the fork is gone
    labels: tuple[Label, ...]
    closing_issues: tuple[ClosingIssue, ...]
    url: str
    revision: str
    connections: dict[Connection, Coverage] | None = None


_FIELDS = tuple(
    (field.encode_name, field.name, field.required, msgspec.json.Decoder(field.type))
    for field in msgspec.structs.fields(FrontMatter)
)


def front_of(snapshot: Snapshot, url: str, revision: str) -> FrontMatter:
    """The front matter of `snapshot`'s file."""
    conversation = snapshot.conversation
    return FrontMatter(
        grammar=GRAMMAR,
        id=conversation.id,
        full_database_id=conversation.full_database_id,
        number=conversation.number,
        title=conversation.title,
        author=conversation.author,
        author_association=conversation.author_association,
        state=conversation.state,
        is_draft=conversation.is_draft,
        created_at=conversation.created_at,
        updated_at=conversation.updated_at,
        closed_at=conversation.closed_at,
        merged_at=conversation.merged_at,
        base_ref_name=conversation.base_ref_name,
        head_ref_name=conversation.head_ref_name,
        head_repository=conversation.head_repository,
        labels=conversation.labels,
        closing_issues=conversation.closing_issues,
        url=url,
        revision=revision,
        connections=_stated(snapshot),
    )


def encode_front(front: FrontMatter) -> str:
    """The lines of `front`, both rules included, without the last line's end."""
    lines = [_RULE]
    for key, name, required, _ in _FIELDS:
        value = getattr(front, name)
        if required or value is not None:
            lines.append(f"{key}: {flow(value)}")
    return "\n".join([*lines, _RULE])


def decode_front(lines: Lines) -> FrontMatter:
    """Read the front matter at the start of `lines`. Raises CorpusError naming the line."""
    lines.expect(_RULE)
    values: dict[str, Any] = {}  # each decoded by the type of its own field
    for key, name, required, decoder in _FIELDS:
        if not required and not lines.next_is(f"{key}: "):
            continue
        values[name] = lines.value(f"{key}: ", "", decoder)
        if values.get("grammar") != GRAMMAR:
            raise lines.damage(f"grammar {GRAMMAR} (a newer program wrote this file?)", back=1)
    lines.expect(_RULE)
    return FrontMatter(**values)


def front_matter(data: bytes, *, file: str | None = None) -> FrontMatter:
    """The front matter of a file, without reading further; `data` may end anywhere after it.

    Raises CorpusError where the file does not begin with a whole front matter.
    """
    end = data.find(b"\n---\n")
    if not data.startswith(b"---\n") or end < 0:
        raise CorpusError("expected a front matter between two lines `---`", file=file, line=1)
    return decode_front(Lines(data[: end + 5], file))


def _stated(snapshot: Snapshot) -> dict[Connection, Coverage]:
    """The coverage in one order. What is not known is left out: absent means unknown."""
    return {
        name: coverage
        for name, coverage in snapshot.judged().items()
        if name is Connection.THREAD_COMMENTS or name in snapshot.connections
    }
