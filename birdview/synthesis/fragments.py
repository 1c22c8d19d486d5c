"""Conversations cut into fragments, with nothing lost, and packed into batches by size.

A *source* is one text that somebody wrote: the title or the description of a pull request, or the
body of one comment, review or thread comment. A *fragment* is a piece of one source. The pieces of
a source, in order, are the source: `"".join(piece.text for piece in pieces) == source.text`.

Sizes are in bytes of UTF-8; `estimate_tokens` turns them into what a model would count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from syncer.evidence import Snapshot
from syncer.records import Actor, Comment, Conversation, Thread, resolution_event

__all__ = [
    "Batch",
    "Fragment",
    "NodeKind",
    "Part",
    "PullFacts",
    "cut",
    "end_of_piece",
    "estimate_tokens",
    "facts_of",
    "fragments_of",
    "pack",
    "size_of",
    "sources_of",
]


class NodeKind(StrEnum):
    """What kind of node a text stands on."""

    PULL_REQUEST = "pullRequest"
    COMMENT = "comment"
    REVIEW = "review"
    THREAD_COMMENT = "threadComment"


class Part(StrEnum):
    """Which text of the node: only a pull request has a title."""

    TITLE = "title"
    BODY = "body"


class PullFacts(Struct, frozen=True, rename="camel", kw_only=True):
    """What is known of a pull request beside its texts. Title and labels are people's words."""

    number: int
    title: str
    author: str | None  # None: the account was deleted
    resolution: str  # merged | closed_unmerged | open
    resolved_at: datetime | None  # None: open
    labels: tuple[str, ...]


class Fragment(Struct, frozen=True, rename="camel", kw_only=True):
    """One piece of one text. `offset` counts the characters of the source before it."""

    number: int
    node: str
    database_id: int | None  # as in the node's address on the site; None: the server did not say
    kind: NodeKind
    part: Part
    thread: str | None  # the review thread of a thread comment, else None
    path: str | None  # the file that a thread is about, else None
    review: str | None  # the review that this is or came with, where there is one
    state: str | None  # what that review decided
    author: str | None  # None: the account was deleted
    bot: bool  # whether the account is a program's
    at: datetime
    minimized: str | None  # why the text is hidden on the site; None: it is not hidden
    offset: int
    last: bool
    text: str


class Batch(Struct, frozen=True, kw_only=True):
    """What one question to a model is about: fragments in order, and the facts of their pulls."""

    fragments: tuple[Fragment, ...]
    pulls: tuple[PullFacts, ...]


_BYTES_A_TOKEN = 3
# What a fragment's heading takes in a prompt, at most, beside people's own words.
_HEADING_BYTES = 400


def size_of(text: str) -> int:
    """The bytes of `text` in UTF-8."""
    return len(text.encode())


def estimate_tokens(size: int) -> int:
    """About how many tokens `size` bytes are, on the high side.

    English has four bytes a token, scripts of three bytes a character about one token a character.
    """
    return -(-size // _BYTES_A_TOKEN)


def facts_of(conversation: Conversation) -> PullFacts:
    """The facts of one conversation."""
    event = resolution_event(conversation.state, conversation.merged_at, conversation.closed_at)
    merged = conversation.merged_at is not None
    return PullFacts(
        number=conversation.number,
        title=conversation.title,
        author=_login(conversation.author),
        resolution="merged" if merged else "open" if event is None else "closed_unmerged",
        resolved_at=event,
        labels=tuple(label.name for label in conversation.labels),
    )


def sources_of(snapshot: Snapshot) -> Iterator[Fragment]:
    """Every text of the conversation, each as one fragment, in reading order; empty ones too.

    Title, description, comments, reviews, then the threads with their comments.
    """
    conversation = snapshot.conversation
    yield _pull_text(conversation, Part.TITLE, conversation.title)
    yield _pull_text(conversation, Part.BODY, conversation.body)
    for comment in conversation.comments:
        yield _entry(conversation.number, comment, NodeKind.COMMENT)
    for review in conversation.reviews:
        entry = _entry(conversation.number, review, NodeKind.REVIEW)
        at = review.submitted_at or review.created_at
        yield replace(entry, review=review.id, state=review.state, at=at)
    states = {review.id: review.state for review in conversation.reviews}
    for thread in conversation.review_threads:
        yield from _thread(conversation.number, thread, states)


def fragments_of(snapshot: Snapshot, limit: int) -> Iterator[Fragment]:
    """Every text of the conversation in pieces of at most `limit` bytes (at least 4).

    A text of length zero is one empty piece, so that every node is there.
    """
    for source in sources_of(snapshot):
        yield from cut(source, limit)


def cut(source: Fragment, limit: int) -> Iterator[Fragment]:
    """`source` in pieces of at most `limit` bytes.

    Cut between paragraphs, lines or words if it can be, and never inside a character or between CR
    and LF.
    """
    text = source.text
    start = 0
    while start < len(text) or start == 0:
        end = end_of_piece(text, start, max(limit, 4))
        yield replace(
            source,
            offset=source.offset + start,
            last=source.last and end == len(text),
            text=text[start:end],
        )
        if end == len(text):
            return
        start = end


def end_of_piece(text: str, start: int, limit: int) -> int:
    """Where a piece of at most `limit` bytes (at least 4) that begins at `start` should end.

    Counted in characters; `len(text)` where the rest fits.
    """
    window = text[start : start + limit]  # a character has at least one byte
    data = window.encode()
    if len(data) > limit:
        # "ignore" drops the character that the limit stands in, and nothing else.
        window = data[:limit].decode(errors="ignore")
    end = start + len(window)
    if end >= len(text):
        return len(text)
    for seam in _SEAMS:
        # A seam in the first half would leave a very small piece.
        if (found := text.rfind(seam, start + len(window) // 2, end)) != -1:
            return _clear_of_pairs(text, start, found + len(seam))
    return _clear_of_pairs(text, start, end)


def pack(
    conversations: Iterable[tuple[PullFacts, Sequence[Fragment]]], limit: int
) -> Iterator[Batch]:
    """Batches of at most `limit` bytes, headings included, in the given order.

    A conversation that fits into one batch is not torn; one that does not begins a batch of its
    own. Empty texts are left out: there is nothing to read in them. A single fragment larger than
    the limit is a batch by itself.
    """
    pulls: dict[int, PullFacts] = {}
    held: list[Fragment] = []
    size = 0
    for facts, fragments in conversations:
        said = [fragment for fragment in fragments if fragment.text]
        whole = sum(map(_weight, said))
        if held and size + whole > limit:
            yield _batch(held, pulls)
            held, size = [], 0
        for fragment in said:
            if held and size + _weight(fragment) > limit:
                yield _batch(held, pulls)
                held, size = [], 0
            pulls[facts.number] = facts
            held.append(fragment)
            size += _weight(fragment)
    if held:
        yield _batch(held, pulls)


def _batch(held: list[Fragment], pulls: dict[int, PullFacts]) -> Batch:
    numbers = dict.fromkeys(fragment.number for fragment in held)
    batch = Batch(fragments=tuple(held), pulls=tuple(pulls[number] for number in numbers))
    last = held[-1].number
    for number in [number for number in pulls if number != last]:
        del pulls[number]
    return batch


def _weight(fragment: Fragment) -> int:
    return size_of(fragment.text) + _HEADING_BYTES


_SEAMS = ("\n\n", "\r\n\r\n", "\n", "\r", ". ", " ")
# Joined to the character before them: a cut in front would leave half a sign on either side.
_JOINED = ("\u200d", "\ufe0e", "\ufe0f", "\u20e3")


def _clear_of_pairs(text: str, start: int, end: int) -> int:
    moved = end
    while start + 1 < moved < len(text) and (
        text[moved - 1 : moved + 1] == "\r\n"
        or text[moved] in _JOINED
        or text[moved - 1] in _JOINED
    ):
        moved -= 1
    # A run of nothing but joined signs is cut anyway; CR and LF are two bytes and always fit.
    return moved if moved > start + 1 or end == start + 1 else end


def _pull_text(conversation: Conversation, part: Part, text: str) -> Fragment:
    return Fragment(
        number=conversation.number,
        node=conversation.id,
        database_id=conversation.full_database_id,
        kind=NodeKind.PULL_REQUEST,
        part=part,
        thread=None,
        path=None,
        review=None,
        state=None,
        author=_login(conversation.author),
        bot=_is_bot(conversation.author),
        at=conversation.created_at,
        minimized=None,
        offset=0,
        last=True,
        text=text,
    )


def _entry(number: int, entry: Comment, kind: NodeKind) -> Fragment:
    return Fragment(
        number=number,
        node=entry.id,
        database_id=entry.full_database_id,
        kind=kind,
        part=Part.BODY,
        thread=None,
        path=None,
        review=None,
        state=None,
        author=_login(entry.author),
        bot=_is_bot(entry.author),
        at=entry.created_at,
        minimized=(entry.minimized_reason or "no reason given") if entry.is_minimized else None,
        offset=0,
        last=True,
        text=entry.body,
    )


def _thread(number: int, thread: Thread, states: Mapping[str, str]) -> Iterator[Fragment]:
    for comment in thread.comments:
        yield replace(
            _entry(number, comment, NodeKind.THREAD_COMMENT),
            thread=thread.id,
            path=thread.path,
            review=comment.review,
            state=None if comment.review is None else states.get(comment.review),
        )


def _login(actor: Actor | None) -> str | None:
    return None if actor is None else actor.login


def _is_bot(actor: Actor | None) -> bool:
    return actor is not None and actor.kind == "Bot"
