"""One byte string for one value, and a revision that follows the words and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from syncer.canonical import canonical_bytes, decode_conversation, digest_of, revision_of
from syncer.records import (
    AS_READ,
    TOUCHED,
    Actor,
    ClosingIssue,
    Comment,
    Conversation,
    Label,
    Review,
    Thread,
    ThreadComment,
    in_canonical_order,
)
from syncer.testing.samples import sample
from tests.strategies import conversations

CONTENT = {
    Conversation: "id number title body state isDraft author createdAt closedAt mergedAt baseRefName"
    " headRefName labels closingIssues comments reviews reviewThreads",
    Comment: "id author body createdAt lastEditedAt isMinimized minimizedReason",
    Review: "id author body createdAt lastEditedAt isMinimized minimizedReason state submittedAt",
    ThreadComment: "id author body createdAt lastEditedAt isMinimized minimizedReason"
    " replyTo review diffHunk",
    Thread: "id path subjectType diffSide originalLine originalStartLine isResolved comments",
    Label: "id name",
    ClosingIssue: "id repository number",
    Actor: "login kind id",
}
"""What belongs to the revision (docs/how-it-works.md): a new field must be put into a class here."""

AS_READ_OR_TOUCHED = {
    Conversation: "fullDatabaseId authorAssociation updatedAt headRepository",
    Comment: "fullDatabaseId authorAssociation",
    Review: "fullDatabaseId authorAssociation",
    ThreadComment: "fullDatabaseId authorAssociation",
    Thread: "line startLine isOutdated resolvedBy",
    Label: "",
    ClosingIssue: "",
    Actor: "",
}


def _conversation() -> Conversation:
    """One of every struct that a record is made of."""
    issue = ClosingIssue(id="I_1", repository="octo/repo", number=3)
    return replace(sample(1).conversation, closing_issues=(issue,))


def _structs(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[Any, Struct]]:
    """Every struct below `value` with the way to it."""
    if isinstance(value, Struct):
        yield path, value
        for name in value.__struct_fields__:
            yield from _structs(getattr(value, name), (*path, name))
    if isinstance(value, tuple):
        for index, one in enumerate(value):
            yield from _structs(one, (*path, index))


def _changed(value: object, path: tuple[str | int, ...], name: str) -> Any:
    """`value` with another value in field `name` of the struct at `path`."""
    if not path:
        assert isinstance(value, Struct)
        return replace(value, **{name: _other(getattr(value, name))})
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        assert isinstance(value, tuple)
        return (*value[:step], _changed(value[step], rest, name), *value[step + 1 :])
    assert isinstance(value, Struct)
    return replace(value, **{step: _changed(getattr(value, step), rest, name)})


def _other(value: object) -> object:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return f"{value}!"
        case datetime():
            return value + timedelta(seconds=1)
        case Actor():
            return None
        case None:
            return "another"
        case tuple():
            return value[:-1]
        case _:
            raise AssertionError(value)


FIELDS = [
    pytest.param(path, kind, name, id=f"{'.'.join(map(str, path)) or 'pull'}.{name}")
    for path, struct in _structs(_conversation())
    for kind in [type(struct)]
    for name in struct.__struct_fields__
]


@pytest.mark.parametrize("kind", CONTENT, ids=lambda kind: kind.__name__)
def test_every_field_of_a_record_is_in_exactly_one_class(kind: type[Struct]) -> None:
    content, other = CONTENT[kind].split(), AS_READ_OR_TOUCHED[kind].split()
    names = [field.encode_name for field in msgspec.structs.fields(kind)]
    assert sorted(content + other) == sorted(names)
    assert not set(content) & (AS_READ | TOUCHED)
    assert set(other) <= AS_READ | TOUCHED


def test_no_struct_of_a_record_escapes_the_classes() -> None:
    assert {type(struct) for _, struct in _structs(_conversation())} == set(CONTENT)


@pytest.mark.parametrize(("path", "kind", "name"), FIELDS)
def test_the_revision_follows_content_and_nothing_else(
    path: tuple[str | int, ...], kind: type[Struct], name: str
) -> None:
    before = _conversation()
    after = _changed(before, path, name)
    encoded = dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))[name]
    below_as_read = "resolved_by" in path
    is_content = encoded in CONTENT[kind].split() and not below_as_read
    assert (revision_of(after) != revision_of(before)) == is_content
    assert canonical_bytes(after) != canonical_bytes(before)


@given(conversations())
def test_a_conversation_comes_back_from_its_bytes(conversation: Conversation) -> None:
    data = canonical_bytes(conversation)
    assert decode_conversation(data) == conversation
    assert canonical_bytes(decode_conversation(data)) == data


@given(conversations())
def test_canonical_bytes_are_json_in_utf_8_with_sorted_keys_and_no_space(
    conversation: Conversation,
) -> None:
    data = canonical_bytes(conversation)
    again = json.dumps(json.loads(data), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert data == again.encode()


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=3), values), st.randoms())
def test_the_order_in_which_keys_were_set_leaves_no_trace(value: dict[str, object], dice) -> None:
    keys = list(value)
    dice.shuffle(keys)
    assert canonical_bytes({key: value[key] for key in keys}) == canonical_bytes(value)


def test_a_digest_is_the_sha_256_of_the_canonical_bytes() -> None:
    assert digest_of({"b": 1, "a": [None]}) == hashlib.sha256(b'{"a":[null],"b":1}').hexdigest()


@given(conversations(), st.randoms())
def test_the_canonical_order_forgets_the_order_before_it(conversation: Conversation, dice) -> None:
    def shuffled(entries: tuple[Any, ...]) -> tuple[Any, ...]:
        found = list(entries)
        dice.shuffle(found)
        return tuple(found)

    mixed = replace(
        conversation,
        labels=shuffled(conversation.labels),
        closing_issues=shuffled(conversation.closing_issues),
        comments=shuffled(conversation.comments),
        reviews=shuffled(conversation.reviews),
        review_threads=shuffled(
            tuple(replace(t, comments=shuffled(t.comments)) for t in conversation.review_threads)
        ),
    )
    keyed = in_canonical_order(conversation)
    found = in_canonical_order(mixed)
    assert in_canonical_order(found) == found
    if _ids_differ(conversation):
        assert found == keyed


def _ids_differ(conversation: Conversation) -> bool:
    threads = conversation.review_threads
    lists = [
        conversation.labels,
        conversation.closing_issues,
        conversation.comments,
        conversation.reviews,
        tuple(entry for thread in threads for entry in thread.comments),
    ]
    return all(len({one.id for one in entries}) == len(entries) for entries in lists)
