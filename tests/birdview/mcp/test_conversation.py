from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from syncer.testing.samples import HOSTILE_TEXT
from tests.birdview.mcp.scene import LONG, MANY, asking, call, merged, pages, refused, talkative
from tests.history.corpora import DAY, START, Writer

PULL = "https://github.example/octo/demo/pull/3"


async def test_a_whole_conversation_stands_in_the_order_of_its_file(served: Path) -> None:
    async with asking(served) as client:
        found = await call(client, "get_conversation", number=3)

    assert [(e["kind"], e["id"]) for e in found["entries"]] == [
        ("pullRequest", "PR_3"),
        ("comment", "IC_3"),
        ("review", "PRR_3"),
        ("thread", "PRRT_3"),
        ("threadComment", "PRRC_3"),
    ]
    assert found["pull"]["title"] == {"userText": "Change 3"}
    assert found["complete"] is True
    assert {e["connection"]: e["status"] for e in found["evidence"]}["comments"] == "exhausted"
    assert found["page"] == {"start": 0, "count": 5, "total": 5, "nextCursor": None}


async def test_a_hidden_comment_says_that_it_is_and_why(served: Path) -> None:
    async with asking(served) as client:
        found = await call(client, "get_conversation", node="PRR_3")

    (review,) = found["entries"]
    assert (review["isMinimized"], review["minimizedReason"]) == (True, "outdated")
    assert review["state"] == "APPROVED"


@pytest.mark.parametrize("with_number", [True, False], ids=["with number", "alone"])
@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("IC_3", ["IC_3"]),
        ("PRR_3", ["PRR_3"]),
        ("PRRC_3", ["PRRC_3"]),
        ("PRRT_3", ["PRRT_3", "PRRC_3"]),
        ("PR_3", ["PR_3", "IC_3", "PRR_3", "PRRT_3", "PRRC_3"]),
        (PULL, ["PR_3", "IC_3", "PRR_3", "PRRT_3", "PRRC_3"]),
        (f"{PULL}#issuecomment-3", ["IC_3"]),
        (f"{PULL}#pullrequestreview-3", ["PRR_3"]),
        (f"{PULL}#discussion_r3", ["PRRC_3"]),
        (f"{PULL}/files#r3", ["PRRC_3"]),
    ],
)
async def test_any_id_or_address_that_a_citation_can_carry_is_found(
    served: Path, node: str, expected: list[str], with_number: bool
) -> None:
    more = {"number": 3} if with_number else {}
    async with asking(served) as client:
        found = await call(client, "get_conversation", node=node, **more)

    assert [entry["id"] for entry in found["entries"]] == expected
    assert found["pull"]["number"] == 3


async def test_an_address_in_another_pull_request_than_the_number_is_refused(served: Path) -> None:
    async with asking(served) as client:
        error = await refused(client, "get_conversation", node=PULL, number=4)

    assert "#3" in error["message"]


async def test_only_the_parts_that_were_asked_for_are_given(served: Path) -> None:
    async with asking(served) as client:
        found = await call(client, "get_conversation", number=3, include=["threads", "description"])

    assert [e["id"] for e in found["entries"]] == ["PR_3", "PRRT_3", "PRRC_3"]


async def test_only_what_was_written_or_edited_since_then_is_given(served: Path) -> None:
    async with asking(served) as client:
        whole = await call(client, "get_conversation", number=3)
        edited = whole["entries"][2]["lastEditedAt"]
        found = await call(client, "get_conversation", number=3, since=edited)
        later = await call(client, "get_conversation", number=MANY, since="2030-01-01")

    assert [e["id"] for e in found["entries"]] == ["PRR_3"]
    assert later["entries"] == []


async def test_a_thread_stands_before_a_comment_that_is_new_in_it(tmp_path: Path) -> None:
    read = merged(1, START + DAY)
    thread = read.conversation.review_threads[0]
    late = replace(thread.comments[0], id="PRRC_late", created_at=START + DAY)
    read = replace(
        read,
        conversation=replace(
            read.conversation,
            review_threads=(replace(thread, comments=(*thread.comments, late)),),
        ),
    )
    await Writer(tmp_path).write(read)

    async with asking(tmp_path) as client:
        found = await call(client, "get_conversation", number=1, since="2025-06-02")

    assert [e["id"] for e in found["entries"]] == ["PRRT_1", "PRRC_late"]


async def test_a_huge_text_is_shortened_aloud_and_its_rest_is_offered_to_the_end(
    served: Path,
) -> None:
    async with asking(served) as client:
        found = await call(client, "get_conversation", number=LONG, include=["description"])
        body = found["entries"][0]["body"]
        text, calls = body["userText"], 1
        assert body["shortened"] is True
        while body["rest"] is not None:
            found = await call(client, body["rest"]["operation"], **body["rest"]["arguments"])
            (entry,) = found["entries"]
            body = entry["body"]
            assert body["offset"] == len(text)
            text += body["userText"]
            calls += 1

    assert text == "é🎉 all of it. " * 20_000
    assert body["totalChars"] == len(text)
    assert calls > 10


async def test_a_huge_hunk_is_shortened_aloud_and_its_rest_is_offered(tmp_path: Path) -> None:
    read = merged(1, START)
    thread = read.conversation.review_threads[0]
    hunk = "@@ -1,900 +1,900 @@\n" + "+ a line of code\n" * 900
    first = replace(thread.comments[0], diff_hunk=hunk)
    threads = (replace(thread, comments=(first,)),)
    await Writer(tmp_path).write(
        replace(read, conversation=replace(read.conversation, review_threads=threads))
    )

    async with asking(tmp_path) as client:
        found = await call(client, "get_conversation", number=1, include=["threads"])
        shown = found["entries"][0]["thread"]["diffHunk"]
        rest = await call(client, shown["rest"]["operation"], **shown["rest"]["arguments"])

    (entry,) = rest["entries"]
    assert shown["shortened"] is True
    assert entry["id"] == "PRRT_1"
    assert shown["userText"] + entry["thread"]["diffHunk"]["userText"] == hunk


@pytest.mark.parametrize("size", [1_000, 500_000])
async def test_the_size_of_a_page_is_the_callers_choice(served: Path, size: int) -> None:
    async with asking(served) as client:
        found = await pages(client, "get_conversation", number=3, maxBytes=size)

    assert [e["id"] for page in found for e in page["entries"]] == [
        "PR_3",
        "IC_3",
        "PRR_3",
        "PRRT_3",
        "PRRC_3",
    ]
    assert (len(found) > 1) == (size == 1_000)


async def test_arguments_repeated_with_a_cursor_must_be_the_same(served: Path) -> None:
    asked = {"number": MANY, "include": ["comments"]}
    async with asking(served) as client:
        first = await call(client, "get_conversation", **asked)
        cursor = first["page"]["nextCursor"]
        second = await call(client, "get_conversation", **asked, origin="octo/demo", cursor=cursor)
        error = await refused(client, "get_conversation", number=3, cursor=cursor)

    assert second["page"]["start"] == first["page"]["count"]
    assert error["field"] == "number"


async def test_a_cursor_is_refused_where_the_conversation_changed(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    await writer.write(talkative(1, START, 200))
    async with asking(tmp_path) as client:
        first = await call(client, "get_conversation", number=1)
        await writer.write(talkative(1, START, 201))
        error = await refused(client, "get_conversation", cursor=first["page"]["nextCursor"])

    assert (error["code"], error["field"]) == ("changed", "cursor")


@pytest.mark.parametrize("change", ["cut", "swapped", "another tool's"])
async def test_a_cursor_that_was_not_given_is_refused(served: Path, change: str) -> None:
    async with asking(served) as client:
        first = await call(client, "get_conversation", number=MANY)
        cursor = first["page"]["nextCursor"]
        if change == "another tool's":
            error = await refused(client, "read_window_evidence", cursor=cursor)
        else:
            bad = cursor[:-1] if change == "cut" else cursor.replace("e", "f", 1)
            error = await refused(client, "get_conversation", cursor=bad)

    assert error["field"] == "cursor"
    assert "nextCursor" in error["message"]


@pytest.mark.parametrize("text", HOSTILE_TEXT)
async def test_what_people_wrote_comes_back_as_it_was_in_a_field_of_its_own(
    tmp_path: Path, text: str
) -> None:
    await Writer(tmp_path).write(merged(1, START, title=text, body=text))

    async with asking(tmp_path, mode="legacy") as client:
        found = await call(client, "get_conversation", number=1)

    assert found["pull"]["title"] == {"userText": text}
    assert found["entries"][0]["body"]["userText"] == text
    assert "userText" in found["notice"]


async def test_an_incomplete_conversation_says_where_it_falls_short(tmp_path: Path) -> None:
    from syncer.evidence import Connection, Coverage, Status

    read = merged(1, START)
    cut = Coverage(total_count=9, kept=1, has_next_page=True, status=Status.CUT, reason="too_heavy")
    connections = {**read.connections, Connection.COMMENTS: cut}
    await Writer(tmp_path).write(replace(read, connections=connections))

    async with asking(tmp_path) as client:
        found = await call(client, "get_conversation", number=1)

    assert found["complete"] is False
    assert found["evidence"][0] == {
        "connection": "comments",
        "totalCount": 9,
        "kept": 1,
        "status": "cut",
        "reason": "too_heavy",
    }
