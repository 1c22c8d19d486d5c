"""The door against the simulated GitHub: everything is read, every fault ends in a name."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from datetime import UTC, datetime

import pytest

from syncer.errors import StopError, SyncError, ThrottledError, TransientError
from syncer.evidence import FIRST_LEVEL, Connection
from syncer.github import Bounds, Credentials, Endpoint, GitHub, Governor, Patience, Token
from syncer.github.answers import BatchAnswer, Entry, PageRead, Part, Row
from syncer.github.direct import DirectTransport
from syncer.records import Comment
from syncer.testing.github import (
    DEFAULT_TOKEN,
    Access,
    Clock,
    CutError,
    Dataset,
    Shape,
    Simulator,
    Viewer,
    generate,
)
from syncer.testing.github.faults import (
    CATALOGUE,
    Older,
    bad_credentials,
    field_error,
    gateway_page,
)
from syncer.testing.github.requests import touches
from tests.github.support import Time, governor

C = Connection
DATA = generate(3, 12, Shape(many_reviews=12, long_thread=15, long_conversation=30, orphans=2))
OWNER, NAME = DATA.repository.name_with_owner.split("/")


def simulator(time: Time, dataset: Dataset = DATA, **kwargs) -> Simulator:
    clock = Clock(datetime(2030, 1, 1, tzinfo=UTC), time.clock)
    return Simulator(dataset, clock=clock, sleep=time.sleep, **kwargs)


def door(
    other: Simulator,
    time: Time,
    governed: Governor | None = None,
    token: str = DEFAULT_TOKEN,
    patience: Patience | None = None,
) -> GitHub:
    credentials = Credentials(Token(token))
    return GitHub(
        credentials,
        governed or governor(time),
        name=DATA.repository.name_with_owner,
        transport=DirectTransport(other.respond, credentials, broken=(CutError,), clock=time.clock),
        patience=patience,
    )


async def census(github: GitHub, first: int = 100) -> list[Row]:
    repository = (await github.opening(OWNER, NAME)).repository_id
    rows, after = [], None
    while True:
        listing = await github.census(repository, first, after)
        rows += listing.items
        if not listing.has_next_page:
            assert len(rows) == listing.total_count
            return rows
        after = listing.end_cursor


async def connection(
    github: GitHub, name: Connection, ids: Sequence[str], first: int
) -> dict[str, list[PageRead]]:
    """Every page of the connection `name` of each of `ids`."""
    pages: dict[str, list[PageRead]] = {}
    pending = [Part(name=name, ids=tuple(ids), first=first)] if ids else []
    while pending:
        answer = await github.batch(pending[:20])
        assert not answer.faults
        pending = pending[20:]
        for page in answer.pages:
            pages.setdefault(page.owner, []).append(page)
            if page.has_next_page:
                after = page.end_cursor
                pending.append(Part(name=name, ids=(page.owner,), first=first, after=after))
    return pages


def kept(pages: dict[str, list[PageRead]]) -> Iterator[Entry]:
    return (node for found in pages.values() for page in found for node in page.nodes)


async def everything(github: GitHub, first: int) -> dict[Connection, dict[str, list[PageRead]]]:
    ids = [row.id for row in await census(github, first)]
    found = {name: await connection(github, name, ids, first) for name in FIRST_LEVEL}
    threads = [thread.id for thread in kept(found[C.REVIEW_THREADS])]
    found[C.THREAD_COMMENTS] = await connection(github, C.THREAD_COMMENTS, threads, first)
    return found


@pytest.mark.parametrize("first", [3, 100])
async def test_everything_that_was_said_is_read_to_the_last_node(first):
    time = Time()
    github = door(simulator(time), time)

    found = await time.run(everything(github, first))

    for pages in found.values():
        for owned in pages.values():
            held = [len(p.nodes) + p.left_out + p.unreadable for p in owned]
            assert sum(held) == owned[-1].total_count
    bodies = sorted(
        e.body for pages in found.values() for e in kept(pages) if isinstance(e, Comment)
    )
    pulls = DATA.pull_requests
    said = [c.body for pull in pulls for c in pull.comments]
    said += [r.body for pull in pulls for r in pull.reviews if r.state != "PENDING"]
    said += [
        c.body
        for pull in pulls
        for thread in pull.review_threads
        for c in thread.comments
        if c.state != "PENDING"
    ]
    assert bodies == sorted(said)


async def test_rows_hold_what_the_data_set_says():
    time = Time()

    rows = await time.run(census(door(simulator(time), time), 7))

    assert [(row.number, row.title, row.body) for row in sorted(rows, key=lambda r: r.number)] == [
        (pull.number, pull.title, pull.body)
        for pull in sorted(DATA.pull_requests, key=lambda p: p.number)
    ]
    authors = {row.number: row.author and row.author.login for row in rows}
    assert authors == {p.number: p.author and p.author.login for p in DATA.pull_requests}
    assert not any(row.unreadable or row.repaired for row in rows)


async def test_drafts_are_left_out_and_counted_whoever_looks():
    async def look(login: str) -> tuple[list[str], int]:
        time = Time()
        other = simulator(time, generate(3, 30), tokens={"t": Viewer(login=login)})
        found = await time.run(everything(door(other, time, token="t"), 100))
        pages = [page for owned in found[C.THREAD_COMMENTS].values() for page in owned]
        return sorted(e.id for p in pages for e in p.nodes), sum(p.left_out for p in pages)

    mine, left_out = await look("viewer")
    theirs, nothing = await look("somebody-else")

    assert mine == theirs
    assert left_out > 0
    assert nothing == 0


async def test_points_are_billed_as_planned():
    time = Time()
    other = simulator(time)
    github = door(other, time)

    await time.run(everything(github, 10))

    assert github.points == github.points_planned == other.points
    assert github.requests == len(other.log)


async def test_told_a_number_of_points_a_minute_it_is_never_refused():
    time = Time()
    other = simulator(time, points_per_minute=12)
    github = door(other, time, governor(time, Bounds(points_per_minute=12)))

    await time.run(everything(github, 10))

    assert other.minute.peak <= 12
    assert github.requests > 12
    assert {entry.status for entry in other.log} == {200}


async def test_slow_answers_are_spread_so_that_no_minute_holds_too_many_seconds():
    time = Time()
    other = simulator(time, seconds_per_minute=60, latency_s=4.0)
    github = door(other, time)
    rows = await time.run(census(github))
    parts = [Part(name=name, ids=(row.id,)) for row in rows for name in FIRST_LEVEL]

    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            for part in parts:
                group.create_task(github.batch([part]))

    await time.run(run())

    assert len(parts) > 45
    assert {entry.status for entry in other.log} == {200}


async def test_an_hours_budget_that_ends_is_waited_for():
    time, pauses = Time(), []
    other = simulator(time, tokens={DEFAULT_TOKEN: Viewer(limit=6)})
    governed = governor(time, wait=True, reserve=2, on_pause=lambda s, _: pauses.append(s))

    await time.run(everything(door(other, time, governed), 10))

    assert len(pauses) >= 2
    assert all(3000 < seconds <= 3602 for seconds in pauses)
    assert {entry.status for entry in other.log} == {200}


async def test_both_forms_of_id_are_never_mixed():
    time = Time()

    rows = await time.run(census(door(simulator(time), time)))

    assert all(row.id.startswith("PR_") for row in rows)


OPTIONAL = [
    ("PullRequest", "fullDatabaseId"),
    ("IssueComment", "minimizedReason"),
    ("PullRequestReview", "isMinimized"),
    ("PullRequestReviewComment", "lastEditedAt"),
    ("PullRequestReviewThread", "subjectType"),
    ("PullRequestReviewThread", "resolvedBy"),
    ("RateLimit", "nodeCount"),
]


@pytest.mark.parametrize(("type_name", "field_name"), OPTIONAL)
async def test_an_older_server_is_read_without_the_field_that_it_lacks(type_name, field_name):
    time = Time()
    other = simulator(time)
    lacking = other.fail(Older(type_name, field_name), times=None)
    github = door(other, time)

    found = await time.run(everything(github, 100))

    assert all(found.values())
    assert github.unsupported == (f"{type_name}.{field_name}",)
    assert lacking.hits == 1


async def test_an_older_server_without_closing_issues_is_read_all_the_same():
    time = Time()
    other = simulator(time)
    other.fail(Older("PullRequest", "closingIssuesReferences"), times=None)
    github = door(other, time)

    async def run() -> tuple[list[Row], BatchAnswer]:
        rows = await census(github)
        ids = tuple(row.id for row in rows)
        return rows, await github.batch(
            [Part(name=C.CLOSING_ISSUES, ids=ids), Part(name=C.LABELS, ids=ids)]
        )

    rows, answer = await time.run(run())

    assert {row.totals.closing_issues for row in rows} == {None}
    assert {fault.reason for fault in answer.faults} == {"unsupported"}
    assert len(answer.pages) == len(rows)


# -- every fault, at every kind of question, once and for ever


QUESTIONS = ["opening", "census", "comments", "more comments"]
KINDS = {
    "opening": "Repository.pullRequests",
    "census": "Repository.pullRequests",
    "comments": "PullRequest.comments",
    "more comments": "PullRequest.comments",
}


async def ask(github: GitHub, question: str) -> object:
    if question == "opening":
        return await github.opening(OWNER, NAME)
    repository = (await github.opening(OWNER, NAME)).repository_id
    first = await github.census(repository, 10, None)
    if question == "census":
        return await github.census(repository, 5, first.end_cursor)
    ids = tuple(row.id for row in first.items)
    whole = await github.batch([Part(name=C.COMMENTS, ids=ids, first=1)])
    if question == "comments":
        return whole
    more = next(page for page in whole.pages if page.has_next_page)
    return await github.batch(
        [Part(name=C.COMMENTS, ids=(more.owner,), first=2, after=more.end_cursor)]
    )


NTH = {"opening": 1, "census": 3, "comments": 3, "more comments": 4}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("times", [1, None], ids=["once", "for ever"])
@pytest.mark.parametrize("name", CATALOGUE)
async def test_every_fault_ends_in_a_whole_answer_a_named_fault_or_a_named_error(
    name, times, question
):
    time = Time()
    other = simulator(time)
    nth = NTH[question]
    rule = other.fail(
        CATALOGUE[name](KINDS[question]), at=lambda asked: asked.k >= nth, times=times
    )
    github = door(other, time, governor(time, wait=True), patience=Patience(throttles=3))

    found = await _outcome(time.run(ask(github, question)))

    if isinstance(found, SyncError):
        assert rule.hits
        assert not isinstance(found, ThrottledError)
        assert str(found)
        return
    undisturbed = await _undisturbed(question)
    assert _claims(found) <= _claims(undisturbed)
    if not rule.hits or (times == 1 and other.requests > nth):
        assert _content(found) == _content(undisturbed)


async def _outcome(work: Awaitable[object]) -> object:
    """What `work` returns, or the error of ours that it raises."""
    try:
        return await work
    except SyncError as exc:
        return exc


_FOUND: dict[str, object] = {}


async def _undisturbed(question: str) -> object:
    if question not in _FOUND:
        time = Time()
        _FOUND[question] = await time.run(ask(door(simulator(time), time), question))
    return _FOUND[question]


def _claims(found: object) -> int:
    """How many pages claim to be whole: as many nodes as GitHub said, none of them null."""
    if isinstance(found, BatchAnswer):
        return sum(
            not page.unreadable and not page.has_next_page and len(page.nodes) == page.total_count
            for page in found.pages
        )
    return 1


def _content(found: object) -> object:
    if isinstance(found, BatchAnswer):
        return [(page.owner, [node.id for node in page.nodes]) for page in found.pages]
    items = getattr(found, "items", None)
    return [row.id for row in items] if items is not None else getattr(found, "name", None)


async def test_a_fault_of_one_pull_request_leaves_the_others_standing():
    time = Time()
    other = simulator(time)
    github = door(other, time)
    rows = await time.run(census(github))
    number = rows[0].number
    other.fail(field_error("PullRequest", "comments", number=number))

    answer = await time.run(
        github.batch([Part(name=C.COMMENTS, ids=tuple(row.id for row in rows))])
    )

    assert [(fault.owner, fault.reason) for fault in answer.faults] == [(rows[0].id, "forbidden")]
    assert len(answer.pages) == len(rows) - 1


async def test_a_pull_request_that_is_gone_is_not_found_and_the_others_are_read():
    time = Time()
    other = simulator(time)
    github = door(other, time)
    rows = await time.run(census(github))
    other.mutate.delete_pull(rows[3].number)

    answer = await time.run(
        github.batch(
            [
                Part(name=C.PULL_REQUEST, ids=tuple(row.id for row in rows)),
                Part(name=C.LABELS, ids=tuple(row.id for row in rows)),
            ]
        )
    )

    assert {(fault.owner, fault.reason) for fault in answer.faults} == {(rows[3].id, "not_found")}
    assert (len(answer.rows), len(answer.pages)) == (len(rows) - 1, len(rows) - 1)


async def test_a_batch_that_one_pull_request_makes_too_heavy_can_be_split():
    time = Time()
    other = simulator(time)
    github = door(other, time)
    ids = [row.id for row in await time.run(census(github))]
    poison = DATA.pull_requests[5].number
    other.fail(gateway_page(), at=touches(poison), times=None)

    async def split(some: list[str]) -> list[str]:
        try:
            found = await github.batch([Part(name=C.COMMENTS, ids=tuple(some))], nodes=len(some))
        except SyncError:
            if len(some) == 1:
                return []
            half = len(some) // 2
            return await split(some[:half]) + await split(some[half:])
        return [page.owner for page in found.pages]

    read = await time.run(split(ids))

    assert len(read) == len(ids) - 1


@pytest.mark.parametrize(
    ("access", "words"),
    [(Access.HIDDEN, "spelling"), (Access.FORBIDDEN, "may not read")],
    ids=["hidden", "forbidden"],
)
async def test_a_repository_that_cannot_be_seen_is_refused_with_advice(access, words):
    time = Time()
    other = simulator(time, tokens={DEFAULT_TOKEN: Viewer(access=access)})

    with pytest.raises(StopError, match=words):
        await time.run(door(other, time).opening(OWNER, NAME))


async def test_a_wrong_token_is_refused_with_advice():
    time = Time()
    other = simulator(time)

    with pytest.raises(StopError, match="GITHUB_TOKEN"):
        await time.run(door(other, time, token="wrong").opening(OWNER, NAME))


async def test_a_token_that_ends_is_renewed_once_for_all():
    time = Time()
    other = simulator(time, tokens={"old": Viewer(), "new": Viewer()})
    other.fail(bad_credentials(), at=lambda asked: asked.token == "old" and asked.k > 1, times=None)

    class Source:
        asked = 0

        async def renew(self) -> Token:
            self.asked += 1
            return Token("new")

    source = Source()
    credentials = Credentials(Token("old"), source)
    github = GitHub(
        credentials,
        governor(time),
        name=NAME,
        transport=DirectTransport(other.respond, credentials),
    )

    async def run() -> list[object]:
        opening = await github.opening(OWNER, NAME)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(github.census(opening.repository_id, 5, None)) for _ in range(6)
            ]
        return [task.result() for task in tasks]

    assert len(await time.run(run())) == 6
    assert source.asked == 1


WIRE = (
    "connection reset",
    "reset in mid-body",
    "cut short of its length",
    "cut between chunks",
    "broken gzip",
)


@pytest.mark.parametrize("name", [*WIRE, "502 with a page of HTML"])
async def test_over_a_real_socket_a_broken_answer_is_asked_for_again(name):
    async with Simulator(DATA) as other:
        other.fail(CATALOGUE[name]("PullRequest.comments"), at=1)
        time = Time()
        github = GitHub(
            Credentials(Token(DEFAULT_TOKEN)),
            Governor(sleep=lambda _: asyncio.sleep(0), clock=time.clock),
            name=NAME,
            endpoint=Endpoint(url=other.url),
        )
        async with github:
            opening = await github.opening(OWNER, NAME)

    assert opening.changes.total_count == len(DATA.pull_requests)
    assert github.requests == 2


async def test_over_a_real_socket_a_broken_answer_that_stays_is_named():
    async with Simulator(DATA) as other:
        other.fail(CATALOGUE["connection reset"](""), times=None)
        github = GitHub(
            Credentials(Token(DEFAULT_TOKEN)),
            Governor(sleep=lambda _: asyncio.sleep(0)),
            name=NAME,
            endpoint=Endpoint(url=other.url),
        )
        async with github:
            with pytest.raises(TransientError, match=r"127\.0\.0\.1"):
                await github.opening(OWNER, NAME)

    assert github.requests == 5
