"""An audit's questions ask for nobody's words, and their answers are read like whole ones."""

from __future__ import annotations

import pytest
from graphql import FieldNode, Visitor, visit

from queries import load
from syncer.evidence import Connection
from syncer.github.answers import Part, StampedRow
from syncer.github.client import GitHub
from syncer.github.direct import DirectTransport
from syncer.github.forms import STAMPED, WHOLE
from syncer.github.governor import Governor
from syncer.github.token import Credentials, Token
from syncer.records import Thread, ThreadComment
from syncer.testing.github.dataset import Dataset
from syncer.testing.github.expected import expected
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.simulator import DEFAULT_TOKEN, Simulator

WORDS = {"body", "bodyText", "bodyHTML", "diffHunk", "authorAssociation", "fullDatabaseId"}


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return generate(4, 12, Shape(releases=1, drafts=False))


def door(simulator: Simulator) -> GitHub:
    credentials = Credentials(Token(DEFAULT_TOKEN))
    return GitHub(
        credentials,
        Governor(),
        name="example-org/generated",
        transport=DirectTransport(simulator.respond, credentials),
    )


class _Names(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def enter_field(self, node: FieldNode, *_: object) -> None:
        self.found.add(node.name.value)


@pytest.mark.parametrize("name", sorted({*STAMPED.documents.values(), "stampedCensus"}))
def test_no_document_of_an_audit_asks_for_words(name: str) -> None:
    names = _Names()
    visit(load(name).node, names)
    allowed = set() if name != "reviewThreads" else {"path"}

    assert names.found & WORDS <= allowed


def test_stamps_have_a_document_and_a_shape_for_everything_that_is_read_whole() -> None:
    assert STAMPED.documents.keys() == WHOLE.documents.keys() == set(Connection)
    assert STAMPED.shapes.keys() == WHOLE.shapes.keys() == set(Connection)


async def test_rows_come_without_words_by_a_walk_and_by_their_ids(dataset: Dataset) -> None:
    simulator = Simulator(dataset)
    whole = {pull.id: pull for pull in expected(simulator.world).values()}
    client = door(simulator)
    opening = await client.opening("example-org", "generated")

    walked = await client.stamped_census(opening.repository_id, 100, None)
    asked = await client.stamps([Part(name=Connection.PULL_REQUEST, ids=tuple(whole))])

    assert {row.id for row in walked.items} == whole.keys()
    assert asked.rows == tuple(sorted(walked.items, key=lambda row: list(whole).index(row.id)))
    for row in walked.items:
        assert isinstance(row, StampedRow)
        assert (row.body, row.author_association, row.unreadable) == ("", "", ())
        pull = whole[row.id]
        assert (row.title, row.author, row.base_ref_name) == (
            pull.title,
            pull.author,
            pull.base_ref_name,
        )


async def test_entries_come_with_everything_but_their_words(dataset: Dataset) -> None:
    simulator = Simulator(dataset)
    pull = max(expected(simulator.world).values(), key=lambda p: len(p.review_threads))
    thread = pull.review_threads[0]

    answer = await door(simulator).stamps(
        [
            Part(name=Connection.COMMENTS, ids=(pull.id,)),
            Part(name=Connection.REVIEWS, ids=(pull.id,)),
            Part(name=Connection.REVIEW_THREADS, ids=(pull.id,)),
            Part(name=Connection.THREAD_COMMENTS, ids=(thread.id,)),
        ]
    )

    pages = {page.name: page.nodes for page in answer.pages}
    assert answer.faults == ()
    assert {one.id for one in pages[Connection.COMMENTS]} == {one.id for one in pull.comments}
    assert {one.id for one in pages[Connection.REVIEWS]} == {one.id for one in pull.reviews}
    threads = [one for one in pages[Connection.REVIEW_THREADS] if isinstance(one, Thread)]
    assert {one.path for one in threads} == {one.path for one in pull.review_threads}
    said = [one for one in pages[Connection.THREAD_COMMENTS] if isinstance(one, ThreadComment)]
    assert [(one.id, one.created_at, one.body, one.diff_hunk) for one in said] == [
        (one.id, one.created_at, "", "") for one in thread.comments
    ]


async def test_labels_of_the_repository_come_by_the_hundred(dataset: Dataset) -> None:
    simulator = Simulator(dataset)
    number = min(simulator.world.repository.pull_requests)
    for n in range(130):
        simulator.mutate.add_label(number, f"many {n}")
    client = door(simulator)
    repository = (await client.opening("example-org", "generated")).repository_id

    first = await client.labels(repository, None)
    second = await client.labels(repository, first.end_cursor)

    names = [label.name for label in (*first.items, *second.items)]
    assert len(first.items) == 100
    assert len(names) == len(set(names)) == first.total_count
    assert not second.has_next_page
