from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from birdview.synthesis import Budget, Synthesised, bind, synthesise
from birdview.synthesis.extractive import GENERATOR, LIMITS, generate
from birdview.synthesis.sentences import sentences_of, shortened
from syncer.evidence import Snapshot
from syncer.records import Actor, Label
from syncer.testing.samples import sample
from tests.birdview.synthesis.models import REPOSITORY, Clock
from tests.strategies import hostile_text, snapshots


async def tell(*read: Snapshot) -> Synthesised:
    return await synthesise(list(read), generate, REPOSITORY, clock=Clock(), limits=LIMITS)


def pull(number: int, *, title: str = "A change", body: str = "", said: str = "Nice.") -> Snapshot:
    """A merged pull request with that description and one comment, and nothing else."""
    found = sample(number, title=title, body=body)
    comment = replace(found.conversation.comments[0], body=said)
    conversation = replace(
        found.conversation, comments=(comment,), reviews=(), review_threads=(), labels=()
    )
    return replace(found, conversation=conversation)


def reviewed(number: int, state: str, words: str, in_thread: str = "") -> Snapshot:
    found = sample(number)
    c = found.conversation
    review = replace(c.reviews[0], state=state, body=words, is_minimized=False, author=ANN)
    comment = replace(c.review_threads[0].comments[0], body=in_thread, author=ANN)
    thread = replace(c.review_threads[0], comments=(comment,))
    return replace(
        found, conversation=replace(c, comments=(), reviews=(review,), review_threads=(thread,))
    )


ANN = Actor(login="ann", kind="User", id="U_2")
BOT = Actor(login="helper", kind="Bot", id="BOT_1")


async def test_merged_and_closed_ones_are_outcomes_by_their_titles() -> None:
    closed = pull(2, title="A dead end")
    closed = replace(
        closed, conversation=replace(closed.conversation, state="CLOSED", merged_at=None)
    )

    synthesis = (await tell(pull(1, title="Faster start"), closed)).synthesis

    assert [f.summary for f in synthesis.outcomes] == [
        "Merged #1, “Faster start”",
        "Closed without merging #2, “A dead end”",
    ]
    assert synthesis.narrative == (
        "1 pull request was merged: #1 “Faster start”. [c1] "
        "1 pull request was closed unmerged: #2 “A dead end”. [c2]"
    )


async def test_a_review_that_asks_for_changes_is_friction_by_its_own_words() -> None:
    words = "Please keep the old name. It is public."

    (finding,) = (await tell(reviewed(1, "CHANGES_REQUESTED", words))).synthesis.friction

    assert finding.summary == "On #1, @ann asked for changes: “Please keep the old name.”"


async def test_a_review_without_words_speaks_through_its_threads() -> None:
    read = reviewed(1, "CHANGES_REQUESTED", "", "This name is part of the public interface.")

    result = await tell(read)

    (finding,) = result.synthesis.friction
    assert finding.evidence[0].quote == "This name is part of the public interface."
    nodes = {c.id: c.node for c in result.citations}
    node = nodes[finding.evidence[0].citation]
    assert node
    assert (node.kind, node.id) == ("threadComment", "PRRC_1")


async def test_an_approval_is_no_friction() -> None:
    assert (await tell(reviewed(1, "APPROVED", "Works well for me."))).synthesis.friction == ()


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ("Let's keep the old parser for now.", "decisions"),
        ("Closing this in favour of the other change.", "decisions"),
        ("This breaks the build on Windows.", "friction"),
        ("I'm not convinced that this is right.", "friction"),
        ("This is a breaking change for plugins.", "notable_events"),
        ("It closes the hole of CVE-2024-12345.", "notable_events"),
    ],
)
async def test_a_sentence_is_sorted_by_its_words_and_quoted(said: str, where: str) -> None:
    synthesis = (
        await tell(pull(1, said=f"Hello all of you there. {said} Thanks for it."))
    ).synthesis

    (finding,) = getattr(synthesis, where)
    assert finding.summary == f"On #1, @octocat wrote: “{said}”"
    assert finding.evidence[0].quote == said


@pytest.mark.parametrize("kind", ["a program's", "a hidden one's"])
async def test_words_that_nobody_stands_for_are_passed_over(kind: str) -> None:
    read = pull(1, said="This breaks the build on Windows.")
    change = {"author": BOT} if kind == "a program's" else {"is_minimized": True}
    comment = replace(read.conversation.comments[0], **change)
    read = replace(read, conversation=replace(read.conversation, comments=(comment,)))

    assert (await tell(read)).synthesis.friction == ()


async def test_a_sentence_that_stands_in_many_pull_requests_comes_from_a_form() -> None:
    form = "Does this introduce a breaking change or not?"

    one = (await tell(pull(1, body=form))).synthesis
    many = (await tell(*(pull(n, body=form) for n in range(1, 6)))).synthesis

    assert len(one.notable_events) == 1
    assert many.notable_events == ()


async def test_subjects_are_labels_and_without_any_the_beginning_of_the_title() -> None:
    labelled = [
        replace(p, conversation=replace(p.conversation, labels=(Label(id="L_1", name="bug"),)))
        for p in (pull(1), pull(2), pull(3))
    ]
    prefixed = [pull(4, title="fix(parser): a"), pull(5, title="feat(parser)!: b")]

    synthesis = (await tell(*labelled, *prefixed, pull(6, title="lone: c"))).synthesis

    assert [f.summary for f in synthesis.themes] == [
        "Label “bug”: 3 pull requests, #1, #2, #3",
        "Area “parser”: 2 pull requests, #4, #5",
    ]
    assert synthesis.narrative
    assert "Shared subjects: label “bug” (3), area “parser” (2)." in synthesis.narrative


async def test_what_was_talked_about_most_stands_first() -> None:
    quiet, loud = pull(1), pull(2, said="This breaks the build on Windows.")

    synthesis = (await tell(quiet, loud)).synthesis

    assert [f.summary[:9] for f in synthesis.outcomes] == ["Merged #2", "Merged #1"]


@given(read=st.lists(snapshots(), max_size=3))
@settings(max_examples=30)
async def test_every_claim_it_makes_holds(read: list[Snapshot]) -> None:
    result = await tell(*read)

    assert result.dropped == {}
    assert result.synthesis.available == bool(read)


def test_a_window_of_a_thousand_is_counted_whole() -> None:
    import asyncio

    synthesis = asyncio.run(tell(*(pull(n, title=f"x: {n}") for n in range(1, 1201)))).synthesis

    assert synthesis.narrative
    assert synthesis.narrative.startswith("1,200 pull requests were merged, among them ")
    assert synthesis.coverage.read == 1200
    assert len(synthesis.outcomes) == LIMITS.items


async def test_it_costs_nothing_but_time() -> None:
    read = [pull(1, title="Faster start")]
    nothing = Budget(calls=0, tokens=0)

    told = await synthesise(
        read, generate, REPOSITORY, clock=Clock(), limits=LIMITS, budget=nothing
    )
    late = await synthesise(
        read, generate, REPOSITORY, clock=Clock(), limits=LIMITS, budget=Budget(seconds=0)
    )

    assert told.synthesis.available
    assert late.synthesis.reason == "budget_exhausted"


def test_it_says_the_same_in_every_process(root: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from tests.birdview.synthesis.test_extractive import pull, tell\n"
        "labels = [pull(n, title=f'area{n % 3}: {n}', said='Closing this one for now.' * (n % 2)) for n in range(1, 30)]\n"
        "print(asyncio.run(tell(*labels)).synthesis)\n"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=root,
            env={"PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": "C", "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed, zone in [("0", "UTC"), ("1", "Asia/Tokyo")]
    }

    assert len(runs) == 1
    assert b"were merged" in runs.pop()


@given(text=hostile_text(10))
def test_a_sentence_occurs_in_its_text_as_it_is(text: str) -> None:
    position = 0
    for sentence in sentences_of(text):
        position = text.index(sentence, position) + len(sentence)


def test_prose_is_told_from_everything_else() -> None:
    text = (
        "## A heading is no sentence at all\n"
        "The first sentence goes on\r\nover two lines. And here is a second one!\n\n"
        "> Somebody else said this before.\n"
        "<!-- Please fill in this form.\nAnd this line of it, too. -->\n"
        "- [x] I have read the rules of it\n"
        "- A point of a list is one\n"
        "```python\nprint('Code is no prose.')\n~~~\n```\n"
        "| a table | is not. |\n"
        "Hi.\n"
    )

    assert list(sentences_of(text)) == [
        "The first sentence goes on\r\nover two lines.",
        "And here is a second one!",
        "A point of a list is one",
    ]


def test_a_long_sentence_is_shortened_at_a_word() -> None:
    assert shortened("one two\nthree four", 100) == "one two three four"
    assert shortened("one two, three four", 12) == "one two…"
    assert shortened("x" * 30, 10) == "x" * 9 + "…"


def test_it_is_bound_by_its_name_and_says_that_it_is_no_model() -> None:
    binding = bind("extractive", {})

    assert binding is not None
    assert (binding.generator, binding.model) == (GENERATOR, None)
    assert bind("none", {}) is None
