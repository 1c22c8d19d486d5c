from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.errors import TransientError
from syncer.evidence import Connection
from syncer.github.answers import BatchAnswer, Fault, PageRead, Part, Row
from syncer.github.batches import batch_in
from syncer.github.marks import marks_of
from syncer.github.surrogates import opened
from syncer.records import Actor, ClosingIssue, Comment, Label, Review, Thread, ThreadComment
from tests.github.support import ANN, NOW, batch, comment, owner, page, row

C = Connection


def read(parts: list[Part], data: object, *errors: dict[str, object]) -> BatchAnswer:
    envelope, repairs = opened(json.dumps({"data": data, "errors": errors}).encode())
    assert envelope is not None
    return batch_in(bytes(envelope.data), marks_of(envelope.errors or ()), repairs, NOW, parts)


def one(
    name: Connection, found: object, *errors: dict[str, object], after: str | None = None
) -> PageRead:
    (read_page,) = read(
        [Part(name=name, ids=("PR_1",), after=after)], batch([found]), *errors
    ).pages
    return read_page


def fault(
    name: Connection, found: object, *errors: dict[str, object], after: str | None = None
) -> Fault:
    answer = read([Part(name=name, ids=("PR_1",), after=after)], batch([found]), *errors)
    assert (answer.pages, answer.rows) == ((), ())
    return answer.faults[0]


# -- nodes become records


def test_a_comment_is_read_whole():
    found = one(C.COMMENTS, owner(page([comment(createdAt="2026-01-01T01:00:00+01:00")])))

    assert found.nodes == (
        Comment(
            id="IC_1",
            full_database_id=1,
            author=Actor(login="ann", kind="User", id="U_1"),
            author_association="NONE",
            body="words",
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
            last_edited_at=None,
            is_minimized=False,
            minimized_reason=None,
        ),
    )
    assert (found.owner, found.pull, found.name) == ("PR_1", "PR_1", C.COMMENTS)
    assert (found.total_count, found.has_next_page, found.end_cursor) == (1, False, None)


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("12", 12),
        (12, 12),
        ("9007199254740993", 9007199254740993),
        (None, None),
        ("x", None),
        ("9" * 5000, None),
    ],
    ids=["text", "number", "beyond a float", "null", "no number", "absurd"],
)
def test_a_database_id_is_a_whole_number_however_it_travels(sent, read):
    (found,) = one(C.COMMENTS, owner(page([comment(fullDatabaseId=sent)]))).nodes

    assert isinstance(found, Comment)
    assert found.full_database_id == read


def test_a_deleted_account_is_none_and_a_user_called_ghost_is_not():
    ghost = ANN | {"login": "ghost"}
    nodes = [comment(author=None), comment(author=ghost)]

    gone, named = one(C.COMMENTS, owner(page(nodes))).nodes

    assert isinstance(gone, Comment)
    assert gone.author is None
    assert isinstance(named, Comment)
    assert named.author == Actor(login="ghost", kind="User", id="U_1")


@pytest.mark.parametrize(
    "kind", ["Bot", "Mannequin", "Organization", "EnterpriseUserAccount", "Hologram"]
)
@pytest.mark.parametrize("login", ["helper", "helper[bot]"])
def test_any_kind_of_account_and_association_passes_through(kind, login):
    author = {"__typename": kind, "login": login}

    (found,) = one(
        C.COMMENTS, owner(page([comment(author=author, authorAssociation="PASSER_BY")]))
    ).nodes

    assert isinstance(found, Comment)
    assert found.author == Actor(login=login, kind=kind, id=None)
    assert found.author_association == "PASSER_BY"


def test_a_hidden_comment_keeps_its_flag_and_reason():
    (found,) = one(
        C.COMMENTS, owner(page([comment(isMinimized=True, minimizedReason="made-up")]))
    ).nodes

    assert isinstance(found, Comment)
    assert (found.is_minimized, found.minimized_reason) == (True, "made-up")


def review(**fields: object) -> dict[str, object]:
    return (
        comment(
            id="PRR_1",
            state="APPROVED",
            submittedAt="2026-01-02T00:00:00Z",
            comments={"totalCount": 3},
        )
        | fields
    )


def test_a_review_tells_the_total_of_its_comments():
    found = one(C.REVIEWS, owner(page([review(), review(id="PRR_2", comments=None)])))

    assert isinstance(found.nodes[0], Review)
    assert found.nodes[0].submitted_at == datetime(2026, 1, 2, tzinfo=UTC)
    assert found.child_totals == {"PRR_1": 3, "PRR_2": None}


def test_a_draft_review_is_left_out_and_counted():
    draft = review(id="PRR_2", state="PENDING", submittedAt=None)

    found = one(C.REVIEWS, owner(page([review(), draft])))

    assert [node.id for node in found.nodes] == ["PRR_1"]
    assert (found.left_out, found.unreadable) == (1, 0)
    assert found.child_totals == {"PRR_1": 3}


def thread_comment(**fields: object) -> dict[str, object]:
    return (
        comment(
            id="PRRC_1",
            state="SUBMITTED",
            replyTo=None,
            pullRequestReview={"id": "PRR_1"},
            diffHunk="@@ -1 +1 @@",
        )
        | fields
    )


def of_thread(connection: object) -> dict[str, object]:
    return {
        "__typename": "PullRequestReviewThread",
        "id": "PRRT_1",
        "pullRequest": {"id": "PR_9", "updatedAt": "2026-02-01T00:00:00Z"},
        "connection": connection,
    }


def test_a_threads_comments_name_their_pull_request():
    part = Part(name=C.THREAD_COMMENTS, ids=("PRRT_1",))
    reply = thread_comment(id="PRRC_2", replyTo={"id": "PRRC_1"}, pullRequestReview=None)

    (found,) = read([part], batch([of_thread(page([thread_comment(), reply]))])).pages

    assert (found.owner, found.pull) == ("PRRT_1", "PR_9")
    first, second = found.nodes
    assert isinstance(first, ThreadComment)
    assert isinstance(second, ThreadComment)
    assert (first.reply_to, first.review, first.diff_hunk) == (None, "PRR_1", "@@ -1 +1 @@")
    assert (second.reply_to, second.review) == ("PRRC_1", None)


def test_a_draft_reply_is_left_out_and_counted():
    part = Part(name=C.THREAD_COMMENTS, ids=("PRRT_1",))
    nodes = [thread_comment(), thread_comment(id="PRRC_2", state="PENDING"), None]

    (found,) = read([part], batch([of_thread(page(nodes))])).pages

    assert [node.id for node in found.nodes] == ["PRRC_1"]
    assert (found.left_out, found.unreadable) == (1, 1)


@pytest.mark.parametrize(
    ("line", "original", "outdated"), [(5, 5, False), (None, 5, True), (None, None, False)]
)
def test_a_line_that_is_missing_is_none_and_never_zero(line, original, outdated):
    thread = {
        "id": "PRRT_1",
        "path": "a/b.py",
        "subjectType": "LINE",
        "diffSide": "RIGHT",
        "originalLine": original,
        "originalStartLine": None,
        "line": line,
        "startLine": None,
        "isOutdated": outdated,
        "isResolved": True,
        "resolvedBy": ANN,
        "comments": {"totalCount": 2},
    }

    found = one(C.REVIEW_THREADS, owner(page([thread])))

    (kept,) = found.nodes
    assert isinstance(kept, Thread)
    assert (kept.line, kept.original_line, kept.is_outdated) == (line, original, outdated)
    assert kept.comments == ()
    assert found.child_totals == {"PRRT_1": 2}


def test_labels_and_closing_issues_are_read():
    issue = {"id": "I_1", "number": 3, "repository": {"nameWithOwner": "octo/nest"}}
    parts = [
        Part(name=C.LABELS, ids=("PR_1",)),
        Part(name=C.CLOSING_ISSUES, ids=("PR_1",)),
    ]

    found = read(
        parts, batch([owner(page([{"id": "L", "name": "bug"}]))], [owner(page([issue]))], cost=2)
    )

    assert found.pages[0].nodes == (Label(id="L", name="bug"),)
    assert found.pages[1].nodes == (ClosingIssue(id="I_1", repository="octo/nest", number=3),)
    assert (found.cost, found.date) == (2, NOW)


def test_fields_that_an_older_server_lacks_are_none():
    old = comment()
    for name in ("fullDatabaseId", "isMinimized", "minimizedReason", "lastEditedAt"):
        del old[name]

    (found,) = one(C.COMMENTS, owner(page([old]))).nodes

    assert isinstance(found, Comment)
    assert (found.full_database_id, found.is_minimized) == (None, False)


# -- rows


def rows(*found: object, errors: tuple[dict[str, object], ...] = ()) -> BatchAnswer:
    ids = tuple(f"PR_{index}" for index in range(len(found)))
    return read([Part(name=C.PULL_REQUEST, ids=ids)], batch(list(found)), *errors)


def test_a_gone_fork_is_none_and_the_branch_name_stays():
    (found,) = rows(row(headRepository=None, headRefName="gone-branch")).rows

    assert (found.head_repository, found.head_ref_name) == (None, "gone-branch")
    assert found.unreadable == ()


def test_a_forbidden_field_marks_its_row_and_leaves_the_neighbours():
    error = {"type": "FORBIDDEN", "path": ["a0", 1, "author"]}

    found = rows(row(id="A"), row(id="B", author=None), row(id="C"), errors=(error,)).rows

    assert [(one.id, one.unreadable) for one in found] == [("A", ()), ("B", ("author",)), ("C", ())]
    assert found[1].author is None


def test_an_error_below_a_field_marks_the_field_and_no_other():
    error = {"message": "?", "path": ["a0", 0, "headRepository", "nameWithOwner"]}

    (found,) = rows(row(headRepository=None), errors=(error,)).rows

    assert found.unreadable == ("headRepository",)


def test_a_text_that_came_as_null_is_named_even_without_an_error():
    (found,) = rows(row(title=None, isDraft=None)).rows

    assert (found.title, found.is_draft) == ("", False)
    assert found.unreadable == ("isDraft", "title")


def test_a_total_that_came_as_null_is_unknown_and_no_unreadable_field():
    error = {"type": "FORBIDDEN", "path": ["a0", 0, "comments"]}

    (found,) = rows(row(comments=None), errors=(error,)).rows

    assert found.totals.comments is None
    assert found.totals.reviews == 0
    assert found.unreadable == ()


@pytest.mark.parametrize("name", ["id", "number", "state", "createdAt", "updatedAt"])
def test_a_row_without_what_identifies_it_is_a_fault(name):
    answer = rows(row(**{name: None}))

    assert answer.rows == ()
    assert [found.reason for found in answer.faults] == ["unreadable"]


# -- what failed


@pytest.mark.parametrize(
    ("error", "reason", "transient"),
    [
        ({"type": "NOT_FOUND"}, "not_found", False),
        ({"type": "FORBIDDEN"}, "forbidden", False),
        ({"type": "RESOURCE_LIMITS_EXCEEDED"}, "too_heavy", False),
        ({"message": "Something went wrong while executing your query."}, "too_heavy", False),
        ({"type": "INVALID_CURSOR_ARGUMENTS"}, "cursor_refused", False),
        ({"message": "`x` does not appear to be a valid cursor."}, "cursor_refused", False),
        ({"type": "INTERNAL"}, "unreadable", True),
        ({}, "unreadable", True),
    ],
    ids=str,
)
def test_an_error_at_one_id_is_that_ids_fault_alone(error, reason, transient):
    part = Part(name=C.LABELS, ids=("A", "B", "C"))
    nodes = [owner(page()), None, owner(page())]

    found = read([part], batch(nodes), error | {"path": ["a0", 1]})

    assert [one.owner for one in found.pages] == ["A", "C"]
    assert found.faults == (Fault(owner="B", name=C.LABELS, reason=reason, transient=transient),)


@pytest.mark.parametrize(
    "path",
    [
        ["connection"],
        ["connection", "nodes", 0, "author"],
        ["connection", "nodes", "0", "author", "login"],
        ["updatedAt"],
        ["pullRequest", "updatedAt"],
    ],
    ids=str,
)
def test_an_error_anywhere_under_an_id_spoils_its_connection(path):
    whole = owner(page([comment(author=None)]))

    found = fault(C.COMMENTS, whole, {"type": "FORBIDDEN", "path": ["a0", 0, *path]})

    assert (found.reason, found.transient) == ("forbidden", False)


def test_something_gone_inside_does_not_make_its_owner_gone():
    error = {"type": "NOT_FOUND", "path": ["a0", 0, "connection", "nodes", 0, "author"]}

    assert fault(C.COMMENTS, owner(page([comment(author=None)])), error).reason == "unreadable"


def test_an_error_at_a_whole_part_is_the_fault_of_each_of_its_ids():
    parts = [Part(name=C.LABELS, ids=("A", "B")), Part(name=C.COMMENTS, ids=("C",))]

    found = read(
        parts, batch(None, [owner(page())]), {"type": "RESOURCE_LIMITS_EXCEEDED", "path": ["a0"]}
    )

    assert [(one.owner, one.reason) for one in found.faults] == [
        ("A", "too_heavy"),
        ("B", "too_heavy"),
    ]
    assert [one.owner for one in found.pages] == ["C"]


def test_the_heaviest_of_several_errors_decides():
    errors = [
        {"type": kind, "path": ["a0", 0, "connection"]}
        for kind in ("NOT_FOUND", "FORBIDDEN", "RESOURCE_LIMITS_EXCEEDED")
    ]

    assert fault(C.COMMENTS, None, *errors).reason == "too_heavy"


def test_null_without_a_word_may_pass():
    assert fault(C.COMMENTS, None).transient


@pytest.mark.parametrize(
    "node",
    [
        {"__typename": "Issue"},
        {"__typename": "Issue", "id": "I_1"},
        owner(page([comment(body=None)])),
        owner(page([comment(createdAt="yesterday")])),
        owner({"totalCount": "many", "pageInfo": {"hasNextPage": False}, "nodes": []}),
        owner("text"),
        {"__typename": "PullRequest", "id": "x", "updatedAt": None, "connection": page()},
    ],
    ids=[
        "other type",
        "other type, id",
        "null body",
        "no date",
        "no number",
        "no page",
        "no stamp",
    ],
)
def test_a_node_of_another_shape_is_a_lasting_fault_and_leaves_its_neighbours(node):
    part = Part(name=C.COMMENTS, ids=("A", "B"))

    found = read([part], batch([node, owner(page([comment()]))]))

    assert [one.owner for one in found.pages] == ["B"]
    assert found.faults == (Fault(owner="A", name=C.COMMENTS, reason="unreadable"),)


@pytest.mark.parametrize(
    "data",
    [batch(), {"a0": None}, batch([]), batch([None, None]), {"a1": [None]}],
    ids=["missing", "null", "too few", "too many", "other alias"],
)
def test_an_answer_that_does_not_match_the_question_is_spoiled(data):
    with pytest.raises(TransientError):
        read([Part(name=C.COMMENTS, ids=("A",))], data)


# -- pages


def test_a_null_connection_is_unknown_and_never_empty():
    found = one(C.REVIEWS, owner(None))

    assert found.total_count is None
    assert (found.nodes, found.has_next_page) == ((), False)


def test_null_nodes_beside_a_page_info_leave_the_claim_standing():
    found = one(C.REVIEWS, owner(page(None, total=4)))

    assert (found.total_count, found.nodes, found.unreadable) == (4, (), 0)


def test_null_entries_are_dropped_and_counted():
    found = one(C.LABELS, owner(page([{"id": "L", "name": "bug"}, None])))

    assert (found.total_count, len(found.nodes), found.unreadable) == (2, 1, 1)


@pytest.mark.parametrize("cursor", [None, "", "just-used"], ids=["null", "empty", "used"])
def test_a_cursor_that_does_not_advance_is_a_lasting_fault(cursor):
    connection = page([comment()], total=9, hasNextPage=True, endCursor=cursor)

    found = fault(C.COMMENTS, owner(connection), after="just-used")

    assert (found.reason, found.transient) == ("cursor_stuck", False)


def test_an_empty_page_with_a_new_cursor_goes_on():
    connection = page([], total=9, hasNextPage=True, endCursor="new")

    found = one(C.COMMENTS, owner(connection), after="just-used")

    assert (found.has_next_page, found.end_cursor, found.nodes) == (True, "new", ())


def test_repaired_text_is_counted_for_the_page_that_held_it():
    part = Part(name=C.COMMENTS, ids=("A", "B"))
    nodes = [owner(page([comment(body="\ud83d!"), comment(body="\udc00")])), owner(page())]

    broken, fine = read([part], batch(nodes)).pages

    assert [node.body for node in broken.nodes if isinstance(node, Comment)] == [
        "\ufffd!",
        "\ufffd",
    ]
    assert (broken.repaired, fine.repaired) == (2, 0)


def test_repaired_text_is_counted_for_the_row_that_held_it():
    broken, fine = rows(row(title="\ud800", body="\ud800"), row()).rows

    assert (broken.repaired, fine.repaired) == (2, 0)


# -- laws

kinds = st.sampled_from(["NOT_FOUND", "FORBIDDEN", "RESOURCE_LIMITS_EXCEEDED", "INTERNAL", None])
steps = st.one_of(
    st.integers(-1, 4), st.sampled_from(["a0", "a1", "connection", "nodes", "author", "rateLimit"])
)
marks = st.lists(
    st.builds(lambda kind, path: {"type": kind, "path": path}, kinds, st.lists(steps, max_size=5)),
    max_size=4,
)
connections = st.sampled_from([None, page(), page([comment(), None]), page(None, total=2)])
nodes = st.lists(st.one_of(st.none(), connections.map(owner)), min_size=3, max_size=3)
row_nodes = st.lists(
    st.sampled_from([None, row(), row(author=None), row(number=None), row(title=None)]),
    min_size=2,
    max_size=2,
)


@given(nodes, row_nodes, marks)
def test_every_id_has_exactly_one_page_row_or_fault(comments, pulls, errors):
    parts = [
        Part(name=C.COMMENTS, ids=("A", "B", "C")),
        Part(name=C.PULL_REQUEST, ids=("D", "E")),
    ]

    found = read(parts, batch(comments, pulls), *errors)

    pages = [(one.owner, one.name) for one in found.pages]
    faults = [(one.owner, one.name) for one in found.faults]
    assert len(found.rows) + len(pages) + len(faults) == 5
    assert len(set(pages + faults)) == len(pages + faults)
    assert all(isinstance(one, Row) for one in found.rows)


@given(nodes, marks)
def test_a_page_whose_id_has_an_error_is_never_taken_as_read(comments, errors):
    part = Part(name=C.COMMENTS, ids=("A", "B", "C"))

    found = read([part], batch(comments), *errors)

    struck = {
        error["path"][1] for error in errors if len(error["path"]) > 1 and error["path"][0] == "a0"
    }
    assert (
        not {index for index, id in enumerate(part.ids) if id in {p.owner for p in found.pages}}
        & struck
    )
