from __future__ import annotations

import asyncio
import json

import pytest

from queries import compose, load
from syncer.errors import (
    BudgetError,
    ContractError,
    CursorRefusedError,
    RefusedError,
    TooHeavyError,
    TransientError,
)
from syncer.evidence import Connection
from syncer.github import Bounds, Patience, Token, price
from syncer.github.answers import Fault, Part
from syncer.github.exchange import Exchange
from tests.github.support import (
    Script,
    Time,
    answer,
    batch,
    change,
    comment,
    door,
    governor,
    listing,
    opening,
    owner,
    page,
    refusal,
    row,
)

C = Connection
LABELS = Part(name=C.LABELS, ids=("PR_1",))
ISSUES = Part(name=C.CLOSING_ISSUES, ids=("PR_1", "PR_2"))
EMPTY = batch([owner(page())])


def lack(type_name: str, field_name: str) -> dict[str, object]:
    return {
        "message": f"Field '{field_name}' doesn't exist on type '{type_name}'",
        "extensions": {
            "code": "undefinedField",
            "typeName": type_name,
            "fieldName": field_name,
        },
    }


# -- what is asked


async def test_every_question_is_asked_by_its_document():
    script = Script(
        answer(opening()),
        answer(listing(page(), "releases")),
        answer(listing(page([row()]))),
        answer(listing(page([change()]))),
    )
    github = door(script)

    await github.opening("octo", "bird")
    await github.releases("R_1", "c1")
    census = await github.census("R_1", 50, None)
    await github.changes("R_1", 100, "c2")

    assert [one.operation_name for one in script.asked] == [
        "Opening",
        "Releases",
        "Census",
        "Changes",
    ]
    assert [one.variable_values for one in script.asked] == [
        {"owner": "octo", "name": "bird"},
        {"repository": "R_1", "first": 100, "after": "c1"},
        {"repository": "R_1", "first": 50, "after": None},
        {"repository": "R_1", "first": 100, "after": "c2"},
    ]
    assert census.items[0].title == "A title"


async def test_a_batch_is_one_request_with_a_part_under_each_alias():
    parts = [
        Part(name=C.PULL_REQUEST, ids=("PR_1",)),
        Part(name=C.COMMENTS, ids=("PR_1", "PR_2"), first=7),
        Part(name=C.COMMENTS, ids=("PR_3",), first=100, after="c"),
    ]
    found = [owner(page([comment()])), owner(page())], [owner(page(), "PR_3")], [row()]
    script = Script(answer(batch(*found, cost=2)))

    read = await door(script).batch(parts)

    assert script.asked[0].text == compose(("comments", "comments", "rows")).text
    assert script.asked[0].variable_values == {
        "ids0": ("PR_1", "PR_2"),
        "first0": 7,
        "after0": None,
        "ids1": ("PR_3",),
        "first1": 100,
        "after1": "c",
        "ids2": ("PR_1",),
    }
    assert [one.owner for one in read.pages] == ["PR_1", "PR_2", "PR_3"]
    assert [one.id for one in read.rows] == ["PR_1"]
    assert read.cost == 2


@pytest.mark.parametrize(
    ("connections", "points"),
    [(0, 1), (1, 1), (100, 1), (149, 1), (150, 2), (250, 3), (300, 3), (5_100, 51)],
)
def test_a_hundred_connections_cost_a_point(connections, points):
    assert price(connections) == points


async def test_points_are_counted_as_planned_and_as_billed():
    part = Part(name=C.LABELS, ids=tuple(f"PR_{n}" for n in range(80)))
    found = [owner(page())] * 80
    script = Script(answer(opening()), answer(batch(found, found, cost=5)), answer(status=500))
    github = door(script, patience=Patience(faults=0))

    await github.opening("octo", "bird")
    await github.batch([part, part])
    with pytest.raises(TransientError):
        await github.batch([LABELS])

    assert (github.requests, github.points_planned, github.points) == (3, 1 + 2 + 1, 1 + 5)


async def test_what_the_headers_tell_is_what_github_tells():
    headers = {"x-ratelimit-remaining": "4999", "x-ratelimit-reset": "1772370000"}
    github = door(Script(answer(opening(), headers=headers)))
    assert github.limits is None

    await github.opening("octo", "bird")

    assert github.limits is not None
    assert github.limits.remaining == 4999


# -- what is tried again


async def test_a_fault_that_passes_is_not_noticed():
    time = Time()
    script = Script(
        answer(status=500),
        TransientError("the connection failed"),
        answer(body=b"<html>"),
        answer(body=b'{"data": {"a0"'),
        answer(EMPTY),
    )
    github = door(script, time)

    read = await time.run(github.batch([LABELS]))

    assert len(read.pages) == 1
    assert github.requests == 5
    assert len({one.text for one in script.asked}) == 1


async def test_a_fault_that_stays_is_raised_when_the_tries_are_used_up():
    time = Time()
    github = door(Script(answer(status=500), loop=True), time)

    with pytest.raises(TransientError, match="status 500"):
        await time.run(github.batch([LABELS]))

    assert github.requests == 5
    assert time.slept == [0.5, 1.0, 2.0, 4.0]


async def test_a_damaged_text_is_a_fault_and_another_shape_is_a_contract_broken():
    damaged = json.dumps(batch([owner(page([comment(body="words")]))])).encode()
    damaged = b'{"data": ' + damaged.replace(b"words", b"\xff\xfe") + b"}"
    github = door(Script(answer(body=damaged)), patience=Patience(faults=0))

    with pytest.raises(TransientError, match="damaged"):
        await github.batch([Part(name=C.COMMENTS, ids=("PR_1",))])

    with pytest.raises(ContractError, match=r"\$\.node\.pullRequests\.totalCount"):
        await door(Script(answer(listing({"totalCount": "x"})))).census("R_1", 100, None)
    with pytest.raises(ContractError, match="array"):
        await door(Script(answer({"a0": "text"}))).batch([LABELS])


@pytest.mark.parametrize("status", [502, 504])
async def test_what_is_too_heavy_is_raised_at_once_for_the_caller_to_split(status):
    github = door(Script(answer(status=status)))

    with pytest.raises(TooHeavyError):
        await github.census("R_1", 100, None)

    assert github.requests == 1


@pytest.mark.parametrize(
    "ask",
    [lambda github: github.opening("o", "n"), lambda github: github.releases("R", None)],
    ids=["opening", "releases"],
)
async def test_what_cannot_be_made_smaller_is_tried_again(ask):
    time = Time()
    data = opening() | listing(page(), "releases")
    github = door(Script(answer(status=502), answer(data)), time)

    await time.run(ask(github))
    assert github.requests == 2

    with pytest.raises(TransientError):
        await time.run(ask(door(Script(answer(status=502), loop=True), time)))


async def test_a_refused_cursor_is_raised_at_once():
    error = {"message": "`x` does not appear to be a valid cursor."}

    with pytest.raises(CursorRefusedError):
        await door(Script(answer(None, error))).census("R_1", 100, "x")


async def test_a_batch_that_was_too_heavy_teaches_the_advised_size():
    github = door(Script(answer(status=502)))

    with pytest.raises(TooHeavyError):
        await github.batch([LABELS], nodes=2000)

    assert github.nodes_limit == 1000


async def test_a_part_that_was_too_heavy_teaches_the_advised_size():
    error = {"type": "RESOURCE_LIMITS_EXCEEDED", "path": ["a0", 0]}
    github = door(Script(answer(batch([None]), error)))

    read = await github.batch([LABELS], nodes=2000)

    assert read.faults[0].reason == "too_heavy"
    assert github.nodes_limit == 1000


# -- limits


async def test_a_reached_limit_is_waited_for_and_the_same_page_asked_again():
    time, pauses = Time(), []
    headers = {"x-ratelimit-reset": "1772366490", "x-ratelimit-remaining": "0"}  # 90 s later
    limited = answer(None, {"type": "RATE_LIMITED", "message": "x"}, headers=headers)
    script = Script(limited, answer(listing(page())))
    governed = governor(time, wait=True, on_pause=lambda seconds, _: pauses.append(seconds))
    github = door(script, governed=governed)

    await time.run(github.census("R_1", 100, "here"))

    assert [one.variable_values for one in script.asked] == [
        {"repository": "R_1", "first": 100, "after": "here"}
    ] * 2
    assert pauses == [92.0]


async def test_without_leave_to_wait_a_reached_limit_stops_the_run():
    headers = {"x-ratelimit-reset": "1772366490"}
    limited = answer(None, {"type": "RATE_LIMITED"}, headers=headers)

    with pytest.raises(BudgetError) as caught:
        await door(Script(limited)).census("R_1", 100, None)

    assert caught.value.resets_at is not None


async def test_tasks_that_run_at_once_pause_together():
    time = Time()
    served: list[float] = []
    limited = refusal(403, "You have exceeded a secondary rate limit.", retry_after="60")

    async def fine(_: object):
        served.append(time.now)
        return answer(EMPTY)

    github = door(Script(limited, fine, fine, fine, fine, loop=False), time)

    async def run() -> None:
        first = asyncio.ensure_future(github.batch([LABELS]))
        await asyncio.sleep(0)
        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(github.batch([LABELS]))
        await first

    began = time.now
    await time.run(run())

    assert len(served) == 4
    assert min(served) >= began + 60


async def test_endless_throttling_ends_the_run_with_everything_saved():
    time = Time()
    github = door(Script(refusal(429), loop=True), time)

    with pytest.raises(BudgetError, match="again and again"):
        await time.run(github.batch([LABELS]))

    assert github.requests == Patience().throttles + 1


async def test_a_pause_can_be_cancelled():
    time = Time()
    github = door(Script(refusal(429), loop=True), time)
    task = asyncio.ensure_future(github.batch([LABELS]))
    for _ in range(50):
        await asyncio.sleep(0)

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_request_that_is_cancelled_makes_room_for_the_next():
    async def never(_: object) -> Exchange:
        return await asyncio.get_running_loop().create_future()

    time = Time()
    governed = governor(time, Bounds(concurrency=1))
    github = door(Script(never, answer(EMPTY)), governed=governed, max_points=1)
    task = asyncio.ensure_future(github.batch([LABELS]))
    for _ in range(20):
        await asyncio.sleep(0)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert len((await time.run(github.batch([LABELS]))).pages) == 1


async def test_the_runs_own_budget_stops_it():
    github = door(Script(answer(opening())), max_points=1)
    await github.opening("octo", "bird")

    with pytest.raises(BudgetError):
        await github.batch([LABELS])

    assert github.requests == 1


# -- tokens that end


class Source:
    def __init__(self, token: str | None) -> None:
        self._token = token
        self.asked = 0

    async def renew(self) -> Token | None:
        self.asked += 1
        return None if self._token is None else Token(self._token)


async def test_one_renewal_serves_all_and_each_request_is_repeated_once():
    source = Source("fresh")

    async def ended(_: object) -> Exchange:
        await asyncio.sleep(0)  # all eight are under way before the first is refused
        return refusal(401, "Bad credentials")

    github = door(Script(*[ended] * 8, *[answer(EMPTY)] * 8), source=source)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(github.batch([LABELS])) for _ in range(8)]

    assert all(len(task.result().pages) == 1 for task in tasks)
    assert source.asked == 1
    assert github.requests == 16


@pytest.mark.parametrize("source", [None, Source(None)], ids=["no source", "nothing to give"])
async def test_a_token_that_cannot_be_renewed_is_one_clear_stop(source):
    github = door(Script(refusal(401, "Bad credentials")), source=source)

    with pytest.raises(RefusedError, match="GITHUB_TOKEN"):
        await github.batch([LABELS])


async def test_a_new_token_that_is_refused_as_well_is_not_renewed_without_end():
    source = Source("fresh")
    first, second = refusal(401), answer(status=401, serial=1)
    github = door(Script(first, second), source=source)

    with pytest.raises(RefusedError):
        await github.batch([LABELS])

    assert github.requests == 2


# -- older servers


async def test_an_optional_field_is_left_out_from_then_on_and_recorded():
    missing = answer(None, lack("IssueComment", "minimizedReason"))
    old = comment()
    del old["minimizedReason"]
    script = Script(missing, answer(batch([owner(page([old]))])), answer(listing(page())))
    github = door(script)

    (read,) = (await github.batch([Part(name=C.COMMENTS, ids=("PR_1",))])).pages
    await github.census("R_1", 100, None)

    assert len(read.nodes) == 1
    assert github.unsupported == ("IssueComment.minimizedReason",)
    assert "minimizedReason" in script.asked[0].text
    assert "minimizedReason" not in script.asked[1].text


async def test_several_missing_fields_are_left_out_one_after_the_other():
    script = Script(
        answer(None, lack("PullRequestReviewThread", "subjectType")),
        answer(None, lack("PullRequestReviewThread", "startLine")),
        answer(batch([owner(page())])),
    )
    github = door(script)

    await github.batch([Part(name=C.REVIEW_THREADS, ids=("PR_1",))])

    assert github.unsupported == (
        "PullRequestReviewThread.startLine",
        "PullRequestReviewThread.subjectType",
    )


async def test_a_needed_field_stops_with_its_name():
    github = door(Script(answer(None, lack("PullRequestReviewThread", "isResolved"))))

    with pytest.raises(ContractError, match=r"PullRequestReviewThread\.isResolved"):
        await github.batch([Part(name=C.REVIEW_THREADS, ids=("PR_1",))])


async def test_a_server_that_misses_a_field_which_was_not_asked_for_ends_the_run():
    missing = answer(None, lack("IssueComment", "minimizedReason"))

    with pytest.raises(ContractError, match="not asked for"):
        await door(Script(missing, missing)).batch([Part(name=C.COMMENTS, ids=("PR_1",))])


async def test_a_connection_that_an_older_server_lacks_is_unsupported_and_never_asked_for():
    missing = answer(None, lack("PullRequest", "closingIssuesReferences"))
    script = Script(missing, answer(batch([owner(page())])))
    github = door(script)

    mixed = await github.batch([LABELS, ISSUES])
    alone = await github.batch([ISSUES])

    unsupported = tuple(
        Fault(owner=id, name=C.CLOSING_ISSUES, reason="unsupported") for id in ISSUES.ids
    )
    assert (mixed.faults, [one.name for one in mixed.pages]) == (unsupported, [C.LABELS])
    assert (alone.faults, alone.pages, alone.cost) == (unsupported, (), 0)
    assert len(script.asked) == 2


async def test_rows_of_such_a_server_have_no_total_for_it():
    old = row()
    del old["closingIssues"]
    missing = answer(None, lack("PullRequest", "closingIssuesReferences"))
    github = door(Script(missing, answer(listing(page([old])))))

    (read,) = (await github.census("R_1", 100, None)).items

    assert read.totals.closing_issues is None
    assert read.totals.labels == 0


@pytest.mark.parametrize(
    "part",
    [
        Part(name=C.LABELS, ids=()),
        Part(name=C.LABELS, ids=("PR_1",) * 101),
        Part(name=C.LABELS, ids=("PR_1",), first=0),
        Part(name=C.LABELS, ids=("PR_1",), first=101),
    ],
    ids=["no id", "many ids", "no page", "large page"],
)
async def test_a_size_that_github_never_takes_is_not_sent(part):
    with pytest.raises(ContractError, match="GitHub takes"):
        await door(Script()).batch([part])


async def test_more_nodes_than_github_takes_are_split_before_they_are_sent():
    part = Part(name=C.LABELS, ids=tuple(f"PR_{n}" for n in range(100)))

    with pytest.raises(TooHeavyError, match="500000"):
        await door(Script()).batch([part] * 51)


async def test_nothing_to_ask_for_is_our_own_fault():
    with pytest.raises(ContractError):
        await door(Script()).batch([])


def test_every_optional_field_stands_in_a_document_and_can_be_left_out():
    from syncer.github.lacks import _OPTIONAL

    names = ("opening", "census", "rows", "comments", "reviews", "reviewThreads")
    names += ("reviewThreadComments", "closingIssues", "stampedRows")
    for type_name, field_name in _OPTIONAL:
        without = frozenset({(type_name, field_name)})
        whole = [load(name).text for name in names]
        trimmed = [
            load(name, without).text
            for name in names
            if name != "closingIssues" or type_name == "RateLimit"
        ]
        assert any(field_name in text for text in whole)
        assert sum(map(len, trimmed)) < sum(map(len, whole))
