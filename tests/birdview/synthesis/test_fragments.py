from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from birdview.synthesis.fragments import (
    Batch,
    Fragment,
    Part,
    cut,
    facts_of,
    fragments_of,
    pack,
    size_of,
    sources_of,
)
from syncer.evidence import Snapshot
from syncer.testing.samples import sample
from tests.strategies import hostile_text, snapshots

HEADING = 400


def source(text: str) -> Fragment:
    return next(iter(sources_of(sample(1, title=text))))


@given(snapshot=snapshots(), limit=st.integers(1, 200))
def test_the_pieces_of_a_text_are_the_text(snapshot: Snapshot, limit: int) -> None:
    rest = list(fragments_of(snapshot, limit))

    for whole in sources_of(snapshot):
        joined = ""
        while True:
            piece = rest.pop(0)
            assert (piece.number, piece.node, piece.part) == (whole.number, whole.node, whole.part)
            assert piece.offset == len(joined)
            joined += piece.text
            if piece.last:
                break
        assert joined == whole.text
    assert rest == []


@given(snapshot=snapshots())
def test_every_text_of_a_conversation_is_a_source(snapshot: Snapshot) -> None:
    c = snapshot.conversation
    entries = [*c.comments, *c.reviews, *(e for t in c.review_threads for e in t.comments)]

    found = [(piece.node, piece.part, piece.text) for piece in sources_of(snapshot)]

    assert found == [
        (c.id, Part.TITLE, c.title),
        (c.id, Part.BODY, c.body),
        *((entry.id, Part.BODY, entry.body) for entry in entries),
    ]


@given(
    text=st.one_of(
        hostile_text(), st.text(st.sampled_from("a\r\n .\u200d\U0001f468é中"), max_size=60)
    ),
    limit=st.integers(1, 40),
)
def test_no_piece_is_larger_than_it_may_be_or_torn_inside_a_line_end(text: str, limit: int) -> None:
    found = [piece.text for piece in cut(source(text), limit)]

    assert all(size_of(piece) <= max(limit, 4) for piece in found)
    assert not any(
        before.endswith("\r") and after.startswith("\n") for before, after in pairwise(found)
    )
    assert all(found) or text == ""


def test_a_text_is_cut_at_the_end_of_a_paragraph_if_it_can_be() -> None:
    text = "one two three\n\nfour five six seven\nand more of it to the end of it"

    first, *_ = cut(source(text), 24)

    assert first.text == "one two three\n\n"


def conversations(snapshots: list[Snapshot]) -> list[tuple[object, list[Fragment]]]:
    return [(facts_of(s.conversation), list(fragments_of(s, 300))) for s in snapshots]


@given(bodies=st.lists(st.text("ab\n", max_size=900), max_size=6), limit=st.integers(500, 9000))
def test_batches_hold_every_fragment_once_and_in_order(bodies: list[str], limit: int) -> None:
    read = [sample(n, body=body) for n, body in enumerate(bodies, 1)]
    handed = conversations(read)

    batches = list(pack(handed, limit))  # pyright: ignore[reportArgumentType]

    assert [f for batch in batches for f in batch.fragments] == [
        f for _, fragments in handed for f in fragments if f.text
    ]
    for batch in batches:
        assert weight(batch) <= limit or len(batch.fragments) == 1
        assert {pull.number for pull in batch.pulls} == {f.number for f in batch.fragments}


def weight(batch: Batch) -> int:
    return sum(size_of(f.text) + HEADING for f in batch.fragments)


def test_a_conversation_that_fits_is_not_torn() -> None:
    handed = conversations([sample(n, body="word " * 20) for n in range(1, 9)])

    batches = list(pack(handed, 5000))  # pyright: ignore[reportArgumentType]

    homes = [(f.number, index) for index, batch in enumerate(batches) for f in batch.fragments]
    assert len(batches) > 1
    assert len(set(homes)) == 8


def test_a_thread_comment_knows_its_thread_its_file_and_what_its_review_decided() -> None:
    *_, comment = sources_of(sample(3))

    assert (comment.thread, comment.path, comment.review) == ("PRRT_3", "src/a.py", "PRR_3")
    assert comment.state == "APPROVED"


def test_a_hidden_text_is_marked_with_the_reason() -> None:
    hidden = {piece.node: piece.minimized for piece in sources_of(sample(3))}

    assert hidden["PRR_3"] == "outdated"
    assert hidden["IC_3"] is None
