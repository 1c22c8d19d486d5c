"""Every fault does what it says, strikes when it should, and no more often."""

from __future__ import annotations

import json

import msgspec
import pytest

import queries
from syncer.testing.github import DEFAULT_TOKEN, CutError, Dataset, Shape, Simulator, generate
from syncer.testing.github import faults as f
from syncer.testing.github import requests as when

COMMENTS = "PullRequest.comments"
HEADERS = {"Authorization": f"Bearer {DEFAULT_TOKEN}", "X-Github-Next-Global-ID": "1"}


@pytest.fixture(scope="module")
def data() -> Dataset:
    return generate(3, 12, Shape(hostile=False, long_conversation=25))


@pytest.fixture
def github(data) -> Simulator:
    return Simulator(data)


def longest(github) -> tuple[str, int]:
    from syncer.testing.github.ids import new_id

    pull = max(github.world.repository.pull_requests.values(), key=lambda p: len(p.comments))
    return new_id("PullRequest", pull.database_id, 70_001_234), pull.number


async def comments(ask, github, first=10, after=None):
    return await ask(github, "comments", ids=[longest(github)[0]], first=first, after=after)


async def page(ask, github, **more):
    return (await comments(ask, github, **more)).data["nodes"][0]["connection"]


@pytest.mark.parametrize("name", sorted(f.CATALOGUE))
async def test_every_fault_of_the_catalogue_changes_an_answer_and_then_leaves_off(
    ask, github, name
):
    async def answer(after):
        try:
            got = await comments(ask, github, after=after)
        except CutError as cut:
            return cut
        return (
            got.status,
            {k: v for k, v in got.headers.items() if k.startswith(("Retry", "X-Rate", "Content"))},
            _unpriced(got.body),
        )

    async def nothing(_):
        return None

    github._sleep = nothing
    after = (await page(ask, github))["pageInfo"]["endCursor"]
    right = await answer(after)
    rule = github.fail(f.CATALOGUE[name](COMMENTS))
    wrong = await answer(after)
    assert rule.hits == 1
    if name != "slow":
        assert _essence(wrong) != _essence(right)
    assert _essence(await answer(after)) == _essence(right)
    assert rule.hits == 1


def _unpriced(body: bytes) -> bytes:
    try:
        found = json.loads(body)
    except ValueError:
        return body
    (found.get("data") or {}).pop("rateLimit", None)
    return json.dumps(found).encode()


def _essence(answer):
    return answer if isinstance(answer, CutError) else (answer[0], answer[2])


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        (f.gateway_page(), 502, b"<html>"),
        (f.gateway_timeout(), 504, b""),
        (f.html_with_200(), 200, b"<!DOCTYPE"),
        (f.server_error(), 500, b"Server Error"),
        (f.bad_credentials(), 401, b"Bad credentials"),
        (f.single_sign_on(), 403, b"SAML"),
        (f.single_sign_on(200), 200, b'"saml_failure":true'),
        (f.not_found_page(), 404, b"Not Found"),
        (f.secondary_limit(429), 429, b"secondary rate limit"),
        (f.secondary_limit(200, None), 200, b"secondary rate limit"),
        (f.primary_limit("RATE_LIMIT"), 200, b'"type":"RATE_LIMIT"'),
        (f.something_went_wrong(), 200, b"Something went wrong while executing your query"),
    ],
)
async def test_a_scripted_answer_has_its_status_and_words(ask, github, fault, status, words):
    github.fail(fault)
    answer = await comments(ask, github)
    assert answer.status == status
    assert words in answer.body


async def test_retry_after_and_sso_stand_in_headers(ask, github):
    github.fail(f.secondary_limit(403, "17"), at=1)
    github.fail(f.secondary_limit(403, None), at=2)
    github.fail(f.single_sign_on(), at=3)
    headers = [(await comments(ask, github)).headers for _ in range(3)]
    assert [h.get("Retry-After") for h in headers] == ["17", None, None]
    assert headers[2]["x-github-sso"].startswith("required; url=")


async def test_a_primary_limit_can_lie_about_its_reset(ask, github):
    github.fail(f.primary_limit(reset_in_s=-3, remaining=12))
    answer = await comments(ask, github)
    assert int(answer.headers["X-RateLimit-Reset"]) == github.clock.now().timestamp() - 3
    assert answer.headers["X-RateLimit-Remaining"] == "12"
    assert answer.json["data"] is None


# -- when


async def statuses(ask, github, count):
    return [(await comments(ask, github)).status for _ in range(count)]


async def test_a_fault_strikes_the_request_it_was_set_for(ask, github):
    github.fail(f.gateway_page(), at=3)
    assert await statuses(ask, github, 5) == [200, 200, 502, 200, 200]


async def test_a_fault_strikes_as_often_as_it_was_told(ask, github):
    github.fail(f.gateway_page(), times=2)
    assert await statuses(ask, github, 4) == [502, 502, 200, 200]


async def test_a_token_ends_at_a_request_and_another_goes_on(ask, data):
    from syncer.testing.github import Viewer

    github = Simulator(data, tokens={"old": Viewer(), "new": Viewer()})
    github.fail(
        f.bad_credentials(), at=when.every(when.from_request(3), when.with_token("old")), times=None
    )
    got = [
        (await ask(github, "rows", token=token, ids=[])).status
        for token in ("old", "old", "old", "old", "new")
    ]
    assert got == [200, 200, 401, 401, 200]


async def test_chances_come_from_the_seed(ask, data):
    async def run(seed):
        github = Simulator(data, seed=seed)
        github.fail(f.gateway_page(), times=None, chance=0.5)
        return await statuses(ask, github, 30)

    first = await run(1)
    assert first == await run(1)
    assert first != await run(2)
    assert {200, 502} == set(first)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (when.operation("Comments"), True),
        (when.operation("Labels"), False),
        (when.asks(COMMENTS), True),
        (when.asks("PullRequest.labels"), False),
        (when.first_over(9), True),
        (when.first_over(10), False),
        (when.nodes_over(10), True),
        (when.nodes_over(11), False),
    ],
    ids=[
        "its operation",
        "another operation",
        "its connection",
        "another connection",
        "a larger page",
        "a page no larger",
        "more nodes",
        "no more nodes",
    ],
)
async def test_a_fault_meets_what_its_condition_says(ask, github, condition, expected):
    rule = github.fail(f.gateway_page(), at=condition)
    assert (await comments(ask, github)).status == (502 if expected else 200)
    assert rule.hits == expected


async def test_one_pull_request_can_fail_at_any_size(ask, github):
    node, number = longest(github)
    github.fail(f.gateway_timeout(), at=when.touches(number), times=None)
    assert (await ask(github, "comments", ids=[node], first=1)).status == 504
    other = next(n for n in github.world.repository.pull_requests if n != number)
    assert (
        await ask(
            github, f'{{ repository(owner: "example-org", name: "generated") {{ id }} }} # {other}'
        )
    ).status == 200


async def test_an_answer_of_too_many_nodes_can_be_refused_after_the_work(ask, github):
    github.fail(f.Heavy(11, f.gateway_timeout()), times=None)
    assert (await comments(ask, github, first=10)).status == 200
    assert (await comments(ask, github, first=11)).status == 504
    assert github.points == 2


# -- parts of an answer


async def test_an_error_at_a_path_leaves_the_rest(ask, github):
    ids = [node["id"] for node in await census(ask, github)]
    number = (await ask(github, "rows", ids=ids)).data["nodes"][1]["number"]
    github.fail(f.field_error("PullRequest", "author", number=number))
    answer = await ask(github, "rows", ids=ids)
    (error,) = answer.errors
    assert error["path"] == ["nodes", 1, "author"]
    assert error["type"] == "FORBIDDEN"
    nodes = answer.json["data"]["nodes"]
    assert nodes[1]["author"] is None
    assert nodes[1]["title"] is not None


async def census(ask, github):
    opening = (await ask(github, "opening", owner="example-org", name="generated")).data
    return opening["repository"]["pullRequests"]["nodes"]


async def test_an_error_in_a_field_that_may_not_be_null_takes_its_parent(ask, github):
    github.fail(f.resource_limits())
    answer = await comments(ask, github)
    assert answer.errors[0]["type"] == "RESOURCE_LIMITS_EXCEEDED"
    assert answer.errors[0]["path"] == ["nodes", 0, "connection"]
    assert answer.json["data"]["nodes"] == [None]


async def test_an_error_can_come_without_a_path_or_type(ask, github):
    github.fail(f.something_went_wrong("PullRequest.author", located=False))
    answer = await ask(github, "rows", ids=[longest(github)[0]])
    (error,) = answer.errors
    assert set(error) == {"message"}
    assert answer.json["data"]["nodes"][0]["author"] is None


async def test_a_plain_text_field_can_fail_too(ask, github):
    github.fail(f.field_error("PullRequest", "title"))
    answer = await ask(github, "rows", ids=[longest(github)[0]])
    assert answer.errors[0]["path"] == ["nodes", 0, "title"]
    assert answer.json["data"]["nodes"] == [None]


async def test_an_older_schema_refuses_a_document_that_uses_the_field(ask, github):
    rule = github.fail(f.Older("PullRequestReviewThread", "subjectType"), times=None)
    answer = await ask(github, "reviewThreads", ids=[], first=1)
    assert answer.errors[0]["extensions"]["fieldName"] == "subjectType"
    assert "data" not in answer.json
    assert (await comments(ask, github)).status == 200
    assert rule.hits == 1


async def test_a_total_can_be_wrong_wherever_it_is_told(ask, github):
    true = (await page(ask, github))["totalCount"]
    github.fail(f.wrong_total(COMMENTS, by=-2, number=longest(github)[1]), times=2)
    assert (await page(ask, github))["totalCount"] == true - 2
    row = (await ask(github, "rows", ids=[longest(github)[0]])).data["nodes"][0]
    assert row["comments"]["totalCount"] == true - 2


async def test_a_null_among_nodes_keeps_the_total(ask, github):
    right = await page(ask, github)
    github.fail(f.null_node(COMMENTS, index=2))
    wrong = await page(ask, github)
    assert wrong["nodes"][2] is None
    assert wrong["totalCount"] == right["totalCount"]
    assert len(wrong["nodes"]) == len(right["nodes"])


async def test_nodes_can_be_null_beside_a_page_info(ask, github):
    right = await page(ask, github)
    github.fail(f.null_nodes(COMMENTS))
    assert await page(ask, github) == {**right, "nodes": None}


async def test_a_connection_that_may_be_null_is_and_another_takes_its_owner(ask, github):
    node = longest(github)[0]
    github.fail(f.null_connection("PullRequest.reviews"))
    assert (await ask(github, "reviews", ids=[node], first=1)).data["nodes"][0][
        "connection"
    ] is None
    github.fail(f.null_connection(COMMENTS))
    assert (await comments(ask, github)).data["nodes"] == [None]


async def test_a_stuck_cursor_stays(ask, github):
    cursor = (await page(ask, github))["pageInfo"]["endCursor"]
    github.fail(f.stuck_cursor(COMMENTS), times=None)
    again = await page(ask, github, after=cursor)
    assert again["pageInfo"] == {"hasNextPage": True, "endCursor": cursor}


@pytest.mark.parametrize(("fault", "cursor"), [(f.null_cursor, None), (f.empty_cursor, "")])
async def test_more_can_be_claimed_behind_no_cursor(ask, github, fault, cursor):
    github.fail(fault(COMMENTS))
    assert (await page(ask, github))["pageInfo"] == {"hasNextPage": True, "endCursor": cursor}


@pytest.mark.parametrize("name", ["comments", "census"])
async def test_an_empty_page_loses_nothing_behind_its_new_cursor(ask, github, name):
    kind = {"comments": COMMENTS, "census": "Repository.pullRequests"}[name]
    repository = (await ask(github, "opening", owner="example-org", name="generated")).data[
        "repository"
    ]["id"]

    async def get(after):
        if name == "comments":
            return await page(ask, github, first=100, after=after)
        got = await ask(github, "changes", repository=repository, first=100, after=after)
        return got.data["node"]["pullRequests"]

    right = await get(None)
    github.fail(f.empty_page(kind), times=3)
    seen, after = [], None
    for _ in range(3):
        got = await get(after)
        assert got["nodes"] == []
        after = got["pageInfo"]["endCursor"]
        seen.append(after)
    assert len(set(seen)) == 3
    assert await get(after) == right


async def test_a_cursor_can_be_refused_after_it_was_given_out(ask, github):
    cursor = (await page(ask, github))["pageInfo"]["endCursor"]
    github.fail(f.refused_cursor(COMMENTS))
    answer = await comments(ask, github, after=cursor)
    assert answer.errors[0]["type"] == "INVALID_CURSOR_ARGUMENTS"
    assert cursor in answer.errors[0]["message"]
    assert (await page(ask, github, after=cursor))["nodes"]


async def test_a_lone_surrogate_is_read_by_the_standard_reader_alone(ask, github):
    github.fail(f.lone_surrogate())
    answer = await comments(ask, github)
    assert answer.data["nodes"][0]["connection"]["nodes"][0]["body"].startswith("\ud83d")
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(answer.body)


async def test_a_fault_on_one_pull_request_leaves_the_others(ask, github):
    ids = [node["id"] for node in await census(ask, github) if node["comments"]["totalCount"]]
    right = (await ask(github, "comments", ids=ids, first=5)).data["nodes"]
    place = ids.index(longest(github)[0])
    github.fail(f.null_nodes(COMMENTS, number=longest(github)[1]))
    wrong = (await ask(github, "comments", ids=ids, first=5)).data["nodes"]
    assert wrong[place]["connection"]["nodes"] is None
    assert wrong[:place] + wrong[place + 1 :] == right[:place] + right[place + 1 :]


async def test_a_change_comes_between_two_requests(ask, github):
    number = longest(github)[1]
    before = len(github.world.pull(number).comments)
    github.between(0, lambda change: change.add_comment(number, "zero"))
    github.between(2, lambda change: change.add_comment(number, "two"))
    totals = [(await page(ask, github))["totalCount"] for _ in range(4)]
    assert totals == [before + 1, before + 1, before + 2, before + 2]


async def test_every_request_is_logged_with_its_price(ask, github, data, tmp_path):
    path = tmp_path / "log.jsonl"
    github = Simulator(data, log=path)
    await census(ask, github)
    document = queries.compose(("comments", "labels"))
    one = {"ids": [longest(github)[0]], "first": 7}
    await ask(github, document.text, **queries.variables([one, one]))
    github.fail(f.gateway_page())
    await comments(ask, github)
    github.journal.close()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines == [msgspec.to_builtins(entry) for entry in github.log]
    assert [line["k"] for line in lines] == [1, 2, 3]
    assert lines[1]["kinds"] == {"PullRequest.comments": 1, "PullRequest.labels": 1}
    assert (lines[1]["ids"], lines[1]["connections"], lines[1]["cost"]) == (2, 2, 1)
    assert [line["status"] for line in lines] == [200, 200, 502]
    assert github.points == sum(line["cost"] for line in lines) == 3
    assert github.requests == 3
