"""What is answered: visibility, ids, names, nulls, and the shape of errors."""

from __future__ import annotations

import json

import pytest

import queries
from syncer.testing.github import Access, Simulator, Viewer, parse
from syncer.testing.github.ids import legacy_id, new_id

REPO = 70_000_001


def pr(number: int, index: int = 1_000_000) -> str:
    return new_id("PullRequest", index + {1: 1, 3: 2, 9: 3}[number], REPO)


async def one(ask, github, name, number=1, **more):
    answer = await ask(github, name, ids=[pr(number)], first=100, **more)
    return answer.data["nodes"][0]["connection"]


async def bodies(ask, github, token="v"):
    reviews = await one(ask, github, "reviews", token=token)
    threads = await one(ask, github, "reviewThreads", token=token)
    ids = [thread["id"] for thread in threads["nodes"]]
    said = (await ask(github, "reviewThreadComments", token=token, ids=ids, first=100)).data[
        "nodes"
    ]
    assert threads["totalCount"] == len(ids)
    assert [t["comments"]["totalCount"] for t in threads["nodes"]] == [
        len(t["connection"]["nodes"]) for t in said
    ]
    return (
        [review["body"] for review in reviews["nodes"]],
        [[comment["body"] for comment in thread["connection"]["nodes"]] for thread in said],
    )


@pytest.fixture
def github(small) -> Simulator:
    return Simulator(
        small, tokens={"simulated-token": Viewer(), "v": Viewer(), "other": Viewer(login="nobody")}
    )


async def test_drafts_are_seen_by_their_author_alone(ask, github):
    assert await bodies(ask, github, "v") == (["r1"], [["t1", "draft reply"], ["draft only"]])
    assert await bodies(ask, github, "other") == (["r1"], [["t1"]])


async def test_reviews_without_a_filter_hold_the_viewers_drafts(ask, github):
    text = "query($id: ID!) { node(id: $id) { ... on PullRequest { reviews(first: 9) { totalCount nodes { body state submittedAt } } } } }"
    mine = (await ask(github, text, id=pr(1))).data["node"]["reviews"]
    assert [r["body"] for r in mine["nodes"]] == ["r1", "mine"]
    assert mine["totalCount"] == 2
    assert mine["nodes"][1] == {"body": "mine", "state": "PENDING", "submittedAt": None}
    theirs = (await ask(github, text, token="other", id=pr(1))).data["node"]["reviews"]
    assert theirs["totalCount"] == 1


async def test_a_draft_is_not_found_by_anyone_else(ask, github):
    ids = [new_id("PullRequestReviewThread", 32, REPO), new_id("PullRequestReview", 22, REPO)]
    text = "query($ids: [ID!]!) { nodes(ids: $ids) { __typename } }"
    assert None not in (await ask(github, text, ids=ids)).data["nodes"]
    hidden = await ask(github, text, token="other", ids=ids)
    assert hidden.json["data"]["nodes"] == [None, None]


async def test_ids_have_the_form_that_was_asked_for_and_both_are_found(ask, github):
    text = "query($ids: [ID!]!) { nodes(ids: $ids) { id ... on PullRequest { number author { ... on Node { id } } } } }"
    both = [pr(1), legacy_id("PullRequest", 1_000_001)]
    new = (await ask(github, text, ids=both)).data["nodes"]
    old = (await ask(github, text, new=False, ids=both)).data["nodes"]
    assert [n["number"] for n in new + old] == [1, 1, 1, 1]
    assert {n["id"] for n in new} == {both[0]}
    assert {n["id"] for n in old} == {both[1]}
    assert new[0]["author"]["id"].startswith("BOT_kg")


async def test_names_are_found_in_any_case_and_after_a_rename(ask, github):
    text = "query($o: String!, $n: String!, $f: Boolean = true) { repository(owner: $o, name: $n, followRenames: $f) { nameWithOwner id } }"
    name = {"nameWithOwner": "Example-Org/Small", "id": new_id("Repository", REPO, REPO)}
    for owner, repo in (("example-org", "SMALL"), ("Example-Org", "old")):
        assert (await ask(github, text, o=owner, n=repo)).data["repository"] == name
    gone = await ask(github, text, o="example-org", n="old", f=False)
    assert gone.json["data"] == {"repository": None}
    github.mutate.rename("Elsewhere/New")
    moved = (await ask(github, text, o="example-org", n="small")).data["repository"]
    assert moved == {"nameWithOwner": "Elsewhere/New", "id": name["id"]}


async def test_an_unknown_repository_is_told_in_githubs_words(ask, github):
    answer = await ask(github, "opening", owner="no", name="where")
    assert answer.status == 200
    (error,) = answer.errors
    assert error["type"] == "NOT_FOUND"
    assert error["path"] == ["repository"]
    assert error["message"] == "Could not resolve to a Repository with the name 'no/where'."
    assert answer.json["data"]["repository"] is None
    assert answer.json["data"]["rateLimit"]["cost"] == 1


async def test_an_unknown_id_is_null_in_its_place(ask, github):
    answer = await ask(github, "rows", ids=[pr(3), "PR_kwDOnonsense", pr(9)])
    nodes = answer.json["data"]["nodes"]
    assert [n and n["number"] for n in nodes] == [3, None, 9]
    (error,) = answer.errors
    assert (error["type"], error["path"]) == ("NOT_FOUND", ["nodes", 1])


async def test_aliases_stand_in_paths(ask, github):
    document = queries.compose(("comments", "labels"))
    variables = queries.variables([{"ids": ["x"], "first": 1}, {"ids": [pr(1)], "first": 1}])
    answer = await ask(github, document.text, **variables)
    assert answer.errors[0]["path"] == ["a0", 0]
    assert answer.json["data"]["a1"][0]["connection"]["totalCount"] == 2


async def test_accounts_may_be_gone_or_of_a_kind_that_no_schema_knows(ask, github):
    nodes = (await one(ask, github, "comments"))["nodes"]
    assert [n["author"] and n["author"]["__typename"] for n in nodes] == [
        None,
        "KindOfTomorrow",
        "User",
    ]
    assert nodes[1]["author"]["login"] == "new"
    assert nodes[1]["author"]["id"]
    assert (nodes[2]["isMinimized"], nodes[2]["minimizedReason"]) == (True, "spam")


async def test_a_row_has_everything_the_data_set_says(ask, github):
    row = (await ask(github, "rows", ids=[pr(1)])).data["nodes"][0]
    assert row["fullDatabaseId"] == "1000001"
    assert row["headRepository"] is None
    assert row["mergedAt"] == "2024-01-05T00:00:00Z"
    assert row["closedAt"] == "2024-01-05T00:00:01Z"
    totals = {
        name: row[name]["totalCount"]
        for name in ("comments", "reviews", "reviewThreads", "labels", "closingIssues")
    }
    assert totals == {
        "comments": 3,
        "reviews": 1,
        "reviewThreads": 2,
        "labels": 2,
        "closingIssues": 1,
    }


async def test_replies_and_reviews_are_referred_to_by_id(ask, github):
    thread = new_id("PullRequestReviewThread", 31, REPO)
    nodes = (await ask(github, "reviewThreadComments", ids=[thread], first=9)).data["nodes"]
    first, draft = nodes[0]["connection"]["nodes"]
    assert first["replyTo"] is None
    assert draft["replyTo"]["id"] == first["id"]
    assert first["pullRequestReview"]["id"] == new_id("PullRequestReview", 21, REPO)
    assert nodes[0]["pullRequest"]["id"] == pr(1)


async def test_draft_releases_are_seen_by_those_who_push(ask, small):
    github = Simulator(small, tokens={"p": Viewer(), "r": Viewer(login="reader", pushes=False)})
    seen = {}
    for token in "pr":
        answer = await ask(github, "opening", token=token, owner="example-org", name="small")
        seen[token] = [r["tagName"] for r in answer.data["repository"]["releases"]["nodes"]]
    assert seen == {"p": ["v2", "v1"], "r": ["v1"]}


@pytest.mark.parametrize("header", [None, "wrong"])
async def test_a_missing_or_wrong_token_is_refused(ask, github, header):
    answer = await ask(github, "rows", token=header, ids=[])
    assert answer.status == 401
    assert answer.json["message"] == "Bad credentials"
    assert "X-RateLimit-Limit" not in answer.headers


async def test_both_schemes_of_authorisation_are_taken(github):
    body = json.dumps({"query": "{ rateLimit { cost } }"}).encode()
    for header in ("Bearer v", "token v", "bearer v"):
        status, _, told = await github.respond({"authorization": header}, body)
        assert (status, json.loads(told)) == (200, {"data": {"rateLimit": {"cost": 1}}})


@pytest.mark.parametrize(
    ("access", "kind"), [(Access.HIDDEN, "NOT_FOUND"), (Access.FORBIDDEN, "FORBIDDEN")]
)
async def test_a_token_without_rights_gets_no_data(ask, small, access, kind):
    github = Simulator(small, tokens={"t": Viewer(access=access)})
    for name, variables in (
        ("opening", {"owner": "example-org", "name": "small"}),
        ("rows", {"ids": [pr(1)]}),
    ):
        answer = await ask(github, name, token="t", **variables)
        assert answer.errors[0]["type"] == kind
        assert "title" not in answer.body.decode()


async def test_a_field_that_the_schema_lacks_is_named(ask, github):
    answer = await ask(github, '{ node(id: "x") { ... on PullRequest { numero } } }')
    (error,) = answer.errors
    assert answer.status == 200
    assert error["extensions"] == {
        "code": "undefinedField",
        "typeName": "PullRequest",
        "fieldName": "numero",
    }
    assert "data" not in answer.json


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{ rateLimit }",
        "query($x: Int!) { rateLimit { cost } }",
        "fragment A on PullRequest { id }",
        "{ node(id: 1.5) { id } }",
    ],
    ids=["syntax", "no selection", "missing variable", "no operation", "wrong type"],
)
async def test_a_document_that_is_not_valid_is_refused_with_status_200(ask, github, text):
    answer = await ask(github, text)
    assert answer.status == 200
    assert answer.errors[0]["message"]
    assert "data" not in answer.json
    assert github.points == 0


async def test_what_is_not_json_is_refused(github):
    status, _, body = await github.respond({"Authorization": "Bearer v"}, b"{not json")
    assert (status, json.loads(body)) == (400, {"message": "Problems parsing JSON"})


async def test_what_the_data_set_does_not_hold_is_never_made_up(ask, small):
    from graphql import build_schema

    schema = build_schema(
        "type Query { repository(owner: String!, name: String!): Repository } "
        "type Repository { nameWithOwner: String stars: Int }"
    )
    answer = await ask(
        Simulator(small, schema=schema),
        '{ repository(owner: "example-org", name: "small") { nameWithOwner stars } }',
    )
    assert answer.json["data"]["repository"] == {
        "nameWithOwner": "Example-Org/Small",
        "stars": None,
    }
    assert answer.errors[0]["type"] == "NOT_SIMULATED"
    assert answer.errors[0]["path"] == ["repository", "stars"]


async def test_a_dry_run_prices_without_answering_or_billing(ask, github):
    text = "query($ids: [ID!]!) { rateLimit(dryRun: true) { cost nodeCount used } nodes(ids: $ids) { ... on PullRequest { comments(first: 100) { nodes { id } } } } }"
    answer = await ask(github, text, ids=[pr(1)] * 100)
    assert answer.data == {"rateLimit": {"cost": 1, "nodeCount": 10_100, "used": 0}}
    assert github.points == 0


async def test_the_same_field_under_two_selections_is_merged(ask, github):
    text = "query($id: ID!) { node(id: $id) { ... on PullRequest { author { login } } ...A } } fragment A on PullRequest { author { __typename } number }"
    assert (await ask(github, text, id=pr(1))).data["node"] == {
        "author": {"login": "a", "__typename": "Bot"},
        "number": 1,
    }


async def test_fields_come_in_the_order_in_which_they_were_asked(ask, github):
    text = "query($id: ID!) { node(id: $id) { __typename ... on PullRequest { title author { login } number id body } } }"
    found = (await ask(github, text, id=pr(1))).data["node"]
    assert list(found) == ["__typename", "title", "author", "number", "id", "body"]


async def test_a_lone_surrogate_goes_out_as_its_escape(ask, small):
    data = parse(
        json.dumps(
            {
                "repository": "o/r",
                "pullRequests": [
                    {
                        "number": 1,
                        "title": "half \ud83d",
                        "body": "",
                        "author": None,
                        "state": "OPEN",
                        "createdAt": "2024-01-01T00:00:00Z",
                        "updatedAt": "2024-01-01T00:00:00Z",
                    }
                ],
            }
        ).encode()
    )
    answer = await ask(
        Simulator(data),
        '{ repository(owner: "o", name: "r") { pullRequests(first: 1) { nodes { title } } } }',
    )
    assert b'"half \\ud83d"' in answer.body
