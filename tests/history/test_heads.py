"""The head of a file is what its whole front matter says, whatever people wrote in it."""

from __future__ import annotations

from hypothesis import given

from syncer.corpus import front_matter, render
from syncer.evidence import Snapshot
from syncer.history.heads import head_of
from syncer.repository import Repository
from tests.corpus.examples import snapshot
from tests.strategies import snapshots

REPOSITORY = Repository(
    id="R_1", name="octo/demo", current_name="octo/demo", web_url="https://github.example"
)


@given(snapshots())
def test_it_agrees_with_the_front_matter_of_any_file(found: Snapshot) -> None:
    data = render(found, REPOSITORY)
    front, head = front_matter(data), head_of(data)

    assert head is not None
    assert (head.title, head.author, head.state, head.merged_at) == (
        front.title,
        front.author,
        front.state,
        front.merged_at,
    )


def test_a_body_that_imitates_a_front_matter_is_not_read() -> None:
    data = render(snapshot(title="True", body='---\ntitle: "False"\n---\n'), REPOSITORY)

    head = head_of(data)

    assert head is not None
    assert head.title == "True"


def test_what_has_no_front_matter_has_no_head() -> None:
    whole = render(snapshot(), REPOSITORY)

    torn = whole[: whole.index(b"\n---\n", 4)]
    for data in (b"", b"---\n", torn, whole[4:], whole.replace(b"\nstate: ", b"\nstatus: ", 1)):
        assert head_of(data) is None
