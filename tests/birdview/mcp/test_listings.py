from __future__ import annotations

from pathlib import Path

from tests.birdview.mcp.scene import LONG, MANY, asking, call, merged, refused
from tests.history.corpora import DAY, START, Writer


async def test_rows_are_paged_with_the_true_total(served: Path) -> None:
    async with asking(served) as client:
        page = await call(client, "list_pull_requests", limit=5)
        numbers, totals = [row["number"] for row in page["list"]["rows"]], {page["list"]["total"]}
        while page["nextCursor"] is not None:
            page = await call(client, "list_pull_requests", cursor=page["nextCursor"], limit=5)
            numbers += [row["number"] for row in page["list"]["rows"]]
            totals.add(page["list"]["total"])

    assert numbers == [*range(1, 12), LONG, MANY]
    assert totals == {13}


async def test_rows_are_filtered_by_state_and_window(served: Path) -> None:
    window = {"windowStart": "2025-06-03", "windowEnd": "2025-06-12"}
    async with asking(served) as client:
        unmerged = await call(client, "list_pull_requests", state="closed_unmerged")
        unresolved = await call(client, "list_pull_requests", state="open")
        within = await call(client, "list_pull_requests", **window, state="merged", limit=3)
        rest = await call(client, "list_pull_requests", cursor=within["nextCursor"])

    assert [row["number"] for row in unmerged["list"]["rows"]] == [10]
    assert [row["number"] for row in unresolved["list"]["rows"]] == [11]
    assert within["list"]["total"] == 8
    assert [r["number"] for p in (within, rest) for r in p["list"]["rows"]] == [*range(2, 10)]


async def test_a_page_of_another_state_of_the_corpus_is_never_given(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    await writer.write(*(merged(n, START + n * DAY) for n in range(1, 5)))
    async with asking(tmp_path) as client:
        page = await call(client, "list_pull_requests", limit=2)
        await writer.write(merged(9, START))
        error = await refused(client, "list_pull_requests", cursor=page["nextCursor"])

    assert (error["code"], error["field"]) == ("changed", "cursor")


async def test_the_status_tells_how_fresh_and_how_whole_each_repository_is(tmp_path: Path) -> None:
    await Writer(tmp_path).write(merged(1, START))
    other = Writer(tmp_path, name="octo/other")
    other.put(merged(1, START))
    other.census(unread=(4,), behind=(1,), total_count=2, found=2)
    await other.flush()

    async with asking(tmp_path) as client:
        both = (await call(client, "get_sync_status"))["repositories"]
        one = (await call(client, "get_sync_status", origin="OCTO/other"))["repositories"]

    assert [(r["origin"], r["complete"]) for r in both] == [
        ("octo/demo", True),
        ("octo/other", False),
    ]
    assert both[0]["lagS"] == 3600
    assert one == both[1:]
    assert [(i["number"], i["status"]) for i in one[0]["incomplete"]] == [
        (1, "behind"),
        (4, "unread"),
    ]
