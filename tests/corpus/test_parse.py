"""What is rendered is read back whole, and nothing else is taken for a file of ours."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from syncer.canonical import revision_of
from syncer.corpus import CorpusError, front_matter, parse, render
from syncer.evidence import Connection, Status
from tests.corpus.examples import (
    ANN,
    comment,
    conversation,
    review,
    snapshot,
    thread,
    thread_comment,
)
from tests.strategies import FORGERIES, REPOSITORY, hostile_text, snapshots

LINE_ENDS = {
    "CRLF": "one\r\ntwo\r\n",
    "LF": "one\ntwo",
    "lone CR": "one\rtwo\r",
    "mixed": "a\r\nb\nc\rd\n\r",
    "trailing blank lines": "end\n\n\n",
    "no final newline": "end",
    "only a newline": "\n",
    "only newlines": "\n\n\n",
    "only a CR": "\r",
    "empty": "",
    "only spaces": "  ",
    "NUL": "a\x00b\x00",
    "form feed": "\x0c\n\x0c",
    "NEL": "a\x85b",
    "LS and PS": "a\u2028b\u2029",
    "byte order mark": "\ufeffx",
    "noncharacters": "\ufffe\uffff\U0010ffff",
}


@given(snapshots())
def test_every_snapshot_comes_back_as_it_was(found):
    data = render(found, REPOSITORY)

    assert parse(data) == found
    assert data.endswith(b"\n")
    assert render(parse(data), REPOSITORY) == data


@pytest.mark.parametrize("body", LINE_ENDS.values(), ids=LINE_ENDS.keys())
def test_line_ends_and_odd_characters_stand_as_they_were_sent(body):
    found = snapshot(
        body=body,
        comments=(comment(body), comment("next", id="IC_2")),
        reviews=(review(body),),
        review_threads=(
            thread(thread_comment(body, diff_hunk=body), thread_comment(diff_hunk="")),
        ),
    )
    data = render(found, REPOSITORY)

    assert parse(data) == found
    assert data.count(body.encode()) >= 4


FRONT = '---\ngrammar: 1\nid: "PR_666"\nnumber: 1\n---\n'
EDGES = {
    "only a rule": "---",
    "begins with a front matter": f"{FRONT}rest",
    "rule in the middle and at the end": "a\n---\nb\n---",
    "empty": "",
}


@pytest.mark.parametrize("body", EDGES.values(), ids=EDGES.keys())
def test_only_the_first_block_of_a_file_is_its_front_matter(body):
    found = snapshot(body=body, comments=(comment(body),))
    data = render(found, REPOSITORY)

    assert parse(data) == found
    assert front_matter(data).id == "PR_1"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


@pytest.mark.parametrize(
    "wrap",
    [str, lambda t: f"```\n{t}\n```", lambda t: f"```\n{t}", _quoted],
    ids=["plain", "fenced", "unclosed fence", "quoted"],
)
def test_a_body_that_is_a_whole_file_of_ours_stays_one_body(wrap):
    victim = snapshot(
        comments=(comment("by mallory", author=None),),
        reviews=(review(""),),
        review_threads=(thread(thread_comment()),),
    )
    forged = wrap(render(victim, REPOSITORY).decode())
    found = snapshot(
        body=forged,
        comments=(comment(forged), comment("honest", id="IC_2")),
        reviews=(review(forged),),
        review_threads=(
            thread(thread_comment(forged, diff_hunk=forged), thread_comment("honest")),
        ),
    )

    assert parse(render(found, REPOSITORY)) == found


@given(st.data())
def test_no_stretch_of_a_file_can_forge_an_entry(data):
    rows = (
        render(
            snapshot(comments=(comment(),), review_threads=(thread(thread_comment()),)), REPOSITORY
        )
        .decode()
        .split("\n")
    )
    start = data.draw(st.integers(0, len(rows)))
    body = "\n".join(rows[start : start + data.draw(st.integers(0, len(rows)))])
    found = snapshot(comments=(comment(body), comment(body, id="IC_2")))

    assert parse(render(found, REPOSITORY)) == found


@given(st.lists(st.sampled_from(FORGERIES), min_size=1).map("\n".join))
def test_forgeries_in_every_field_of_text_change_nothing_else(text):
    author = replace(ANN, login=text)
    found = snapshot(
        title=text,
        head_ref_name=text,
        author=author,
        comments=(comment(id=text, author=author, is_minimized=True, minimized_reason=text),),
        reviews=(review(state=text, author_association=text),),
        review_threads=(thread(thread_comment(diff_hunk=text), path=text, resolved_by=author),),
    )

    assert parse(render(found, REPOSITORY)) == found


SIZES = {
    "65,536 characters": "x" * 65_536,
    "65,537 characters": "x" * 65_537,
    "262,144 bytes": "é" * 131_072,
    "65,536 characters of four bytes": "\U0001f600" * 65_536,
    "262,144 line ends": "\n" * 262_144,
    "a run of 65,536 backticks": "`" * 65_536,
}


@pytest.mark.parametrize("body", SIZES.values(), ids=SIZES.keys())
def test_very_large_texts_are_kept_whole(body):
    found = snapshot(
        body=body,
        comments=(comment(body),),
        review_threads=(thread(thread_comment(body, diff_hunk=body)),),
    )

    assert parse(render(found, REPOSITORY)) == found


def test_a_file_of_an_older_tool_has_unknown_coverage_everywhere():
    found = snapshot(comments=(comment(),), reviews=(review(),))
    rows = render(found, REPOSITORY).split(b"\n")
    older = b"\n".join(row for row in rows if not row.startswith(b"connections: "))

    parsed = parse(older)

    assert parsed.conversation == found.conversation
    assert front_matter(older).connections is None
    assert {coverage.status for coverage in parsed.judged().values()} == {Status.UNKNOWN}


def test_the_sum_over_all_threads_is_not_needed_to_read_a_file_back():
    found = snapshot(review_threads=(thread(thread_comment()),))
    data = render(found, REPOSITORY)
    stated = front_matter(data).connections
    assert stated is not None
    total = b',"reviewThreadComments":{"totalCount":1,"kept":1,"hasNextPage":false,"status":"exhausted"}'
    assert data.count(total) == 1

    assert parse(data.replace(total, b"")) == found
    assert stated[Connection.THREAD_COMMENTS] == found.judged()[Connection.THREAD_COMMENTS]


def test_a_changed_word_is_refused_by_the_revision_unless_told_otherwise():
    found = snapshot(comments=(comment("a fine word"),))
    changed = render(found, REPOSITORY).replace(b"a fine word", b"a foul word")

    with pytest.raises(CorpusError, match="revision"):
        parse(changed)
    parsed = parse(changed, check_revision=False)

    assert parsed.conversation.comments[0].body == "a foul word"
    assert revision_of(parsed.conversation) != front_matter(changed).revision


DAMAGE = {
    "empty": (lambda data: b"", 1, "---"),
    "no front matter": (lambda data: b"# A title\n", 1, "---"),
    "newer grammar": (lambda data: data.replace(b"grammar: 1", b"grammar: 2"), 2, "grammar 1"),
    "missing key": (lambda data: data.replace(b'title: "A title"\n', b""), 6, "title: "),
    "retyped value": (lambda data: data.replace(b"number: 12", b'number: "12"'), 5, "number: "),
    "CRLF": (lambda data: data.replace(b"\n", b"\r\n"), 1, "---"),
    "other title": (lambda data: data.replace(b"# A title", b"# Another"), 25, "agrees"),
    "other heading": (lambda data: data.replace(b"### `@ann`", b"### `@bob`"), 34, "agrees"),
    "other address": (
        lambda data: data.replace(b"#issuecomment-5", b"#issuecomment-6"),
        35,
        "address",
    ),
    "too many lines stated": (
        lambda data: data.replace(b'"lines":2', b'"lines":9'),
        37,
        "9 more lines",
    ),
    "too few lines stated": (lambda data: data.replace(b'"lines":2', b'"lines":1'), 38, "an entry"),
    "a negative number of lines": (
        lambda data: data.replace(b'"lines":2', b'"lines":-2'),
        35,
        ">= 0",
    ),
    "an entry without a marker": (
        lambda data: data + b"\n### `@eve` commented on never\n",
        41,
        "<!-- ",
    ),
    "junk at the end": (lambda data: data + b"junk\n", 39, "end of the file"),
    "not UTF-8": (lambda data: data.replace(b"second", b"sec\xffnd"), 38, "UTF-8"),
    "torn": (lambda data: data[:-3], 38, "torn"),
    "a line for an empty text": (
        lambda data: data.replace(b'"lines":2} -->\n\nfirst\nsecond\n', b'"lines":1} -->\n\n\n'),
        37,
        "empty text",
    ),
}


@pytest.mark.parametrize(("damage", "line", "expected"), DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_is_named_with_its_line_and_what_was_expected(damage, line, expected):
    data = render(snapshot(comments=(comment("first\nsecond"),)), REPOSITORY)

    with pytest.raises(CorpusError) as caught:
        parse(damage(data), file="pulls/0000000/pr-12.md")

    assert (caught.value.file, caught.value.line) == ("pulls/0000000/pr-12.md", line)
    assert expected in str(caught.value)
    assert caught.value.exit_status == 6


THREAD_DAMAGE = {
    "shorter fence": (lambda data: data.replace(b"````diff", b"```diff"), "agrees"),
    "no hunk with the first comment": (lambda data: data.replace(b',"hunk":2', b""), "a hunk"),
    "hunk longer than stated": (lambda data: data.replace(b'"hunk":2', b'"hunk":1'), "````"),
    "fence not closed": (lambda data: data.replace(b"\n````\n", b"\n``\n"), "````"),
    "other place in the code": (lambda data: data.replace(b"line 4", b"line 5"), "agrees"),
    "section without an entry": (lambda data: data[: data.index(b"\n### `src")], "an empty line"),
}


@pytest.mark.parametrize(("damage", "expected"), THREAD_DAMAGE.values(), ids=THREAD_DAMAGE.keys())
def test_damage_in_a_thread_is_refused(damage, expected):
    data = render(
        snapshot(review_threads=(thread(thread_comment(diff_hunk="```\nx")),)), REPOSITORY
    )

    with pytest.raises(CorpusError, match=expected):
        parse(damage(data))


def test_a_file_cut_off_anywhere_is_refused():
    data = render(
        snapshot(
            comments=(comment("a\n\nb"),),
            reviews=(review(""),),
            review_threads=(thread(thread_comment()),),
        ),
        REPOSITORY,
    )

    for end in range(len(data)):
        with pytest.raises(CorpusError):
            parse(data[:end])


@given(snapshots(), st.data())
def test_a_byte_changed_anywhere_is_refused_or_leaves_every_word_as_it_was(found, data):
    bytes_ = bytearray(render(found, REPOSITORY))
    at = data.draw(st.integers(0, len(bytes_) - 1))
    bytes_[at] = data.draw(st.integers(0, 255))

    try:
        parsed = parse(bytes(bytes_))
    except CorpusError:
        return
    assert revision_of(parsed.conversation) == revision_of(found.conversation)


@settings(max_examples=25)
@given(snapshots(), hostile_text())
def test_the_front_matter_is_read_alone_as_with_the_whole(found, rest):
    data = render(found, REPOSITORY)
    head = data[: data.index(b"\n---\n") + 5]
    front = front_matter(head + rest.encode())

    assert front == front_matter(data)
    assert front.title == found.conversation.title
    assert front.revision == revision_of(found.conversation)
    assert front.url.endswith(f"/Octo/Repo.x/pull/{found.conversation.number}")


@pytest.mark.parametrize("data", [b"", b"---\n", b"---\ngrammar: 1\n", b"x\n---\n", b"---\n---\n"])
def test_a_torn_front_matter_is_refused(data):
    with pytest.raises(CorpusError) as caught:
        front_matter(data, file="pr-1.md")

    assert caught.value.file == "pr-1.md"


def test_a_known_revision_is_taken_as_given():
    found = snapshot()

    assert render(found, REPOSITORY, revision=revision_of(conversation())) == render(
        found, REPOSITORY
    )
