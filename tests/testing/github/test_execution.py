"""The executor against graphql-core's own: slower, but the reference, over the same resolvers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from graphql import build_schema, execute_sync, get_introspection_query, parse

import queries
from syncer.testing.github import Dataset, Shape, Simulator, Viewer, generate
from syncer.testing.github.connections import CONNECTIONS
from syncer.testing.github.context import Context, RateLimit
from syncer.testing.github.execution import _snake
from syncer.testing.github.fields import DERIVED, SPECIAL, node_id
from syncer.testing.github.pages import turn

FULL = Path(__file__).parents[4] / "shared" / "github" / "schema.graphql"

EXTRA = {
    "edges": "query($ids: [ID!]!, $first: Int!) { nodes(ids: $ids) { ... on PullRequest { comments(first: $first) "
    "{ edges { cursor node { id author { login __typename } } } pageInfo { endCursor hasNextPage } } } } }",
    "aliases": "query($ids: [ID!]!, $first: Int!) { a: nodes(ids: $ids) { ... on PullRequest { n: number m: number "
    "x: comments(first: $first) { totalCount } y: comments(first: 1) { nodes { body } } } } "
    "b: nodes(ids: $ids) { __typename ... on Node { id } } }",
    "fragments": "query($ids: [ID!]!, $first: Int!) { nodes(ids: $ids) { ...P ... on Node { id } ...Q } } "
    "fragment P on PullRequest { author { login } reviews(first: $first) { nodes { id ...R } } } "
    "fragment Q on PullRequest { author { ... on User { id } ... on Bot { login } } } "
    "fragment R on PullRequestReview { state body comments { totalCount } }",
    "directives": "query($ids: [ID!]!, $first: Int!) { nodes(ids: $ids) { ... on PullRequest @include(if: true) "
    "{ title @skip(if: true) number ... @include(if: false) { body } comments(first: $first) { totalCount } } } }",
    "errors": "query($ids: [ID!]!, $first: Int!) { nodes(ids: $ids) { ... on PullRequest { id "
    'comments(first: $first, after: "nonsense") { totalCount } } } '
    'none: node(id: "nothing") { id } }',
    "nullable errors": "query($ids: [ID!]!, $first: Int!) { nodes(ids: $ids) { ... on PullRequest { id "
    'reviews(first: $first, after: "nonsense") { totalCount } } } }',
}


@pytest.fixture(scope="module")
def data() -> Dataset:
    return generate(21, 40, Shape(long_thread=12))


def reference(github: Simulator, text: str, variables: dict[str, Any]) -> dict[str, Any]:
    rate = RateLimit(1, 5000, 0, 4999, "2024-01-01T00:00:00Z", 1)
    context = Context(github.world, Viewer(), new_ids=True, rate=rate)

    def resolve(owner: Any, info: Any, /, **args: Any) -> Any:
        key = (info.parent_type.name, info.field_name)
        if key in DERIVED:
            return DERIVED[key](owner)
        if key in CONNECTIONS:
            return turn(CONNECTIONS[key](owner, args, context), args, -480)
        if key in SPECIAL:
            return SPECIAL[key](owner, args, context)
        if info.field_name == "id":
            return node_id(owner, context)
        return getattr(owner, _snake(info.field_name))

    told = execute_sync(
        queries.schema(),
        parse(text),
        variable_values=variables,
        field_resolver=resolve,
        type_resolver=lambda value, *_: value.kind,
    )
    return {
        "data": told.data,
        "errors": [{"path": error.path, "message": error.message} for error in told.errors or ()],
    }


async def cases(ask, github) -> dict[str, tuple[str, dict[str, Any]]]:
    opening = (await ask(github, "opening", owner="example-org", name="generated")).data
    rows = opening["repository"]["pullRequests"]["nodes"]
    ids = [row["id"] for row in rows]
    found = (await ask(github, "reviewThreads", ids=ids, first=100)).data["nodes"]
    threads = [thread["id"] for node in found for thread in node["connection"]["nodes"]]
    repository = {"repository": opening["repository"]["id"], "first": 30}
    owners = {"ids": ids, "first": 3}
    out = {name: (queries.load(name).text, owners) for name in queries.NAMES}
    out |= {name: (text, owners) for name, text in EXTRA.items()}
    for name in ("census", "changes", "releases", "repositoryLabels", "stampedCensus"):
        out[name] = (queries.load(name).text, repository)
    out["rows"] = (queries.load("rows").text, {"ids": ids})
    out["opening"] = (queries.load("opening").text, {"owner": "example-org", "name": "generated"})
    threaded = queries.load("reviewThreadComments").text
    out["reviewThreadComments"] = (threaded, {"ids": threads[:100], "first": 100})
    return out


@pytest.mark.parametrize("name", [*queries.NAMES, *EXTRA])
async def test_answers_are_those_of_the_reference_executor(ask, data, name):
    github = Simulator(_known_kinds(data))
    text, variables = (await cases(ask, github))[name]
    told = (await ask(github, text, **variables)).json
    right = reference(github, text, variables)
    for answer in (told, right):
        (answer["data"] or {}).pop("rateLimit", None)
    assert told["data"] == right["data"], right["errors"]
    errors = [{"path": e["path"], "message": e["message"]} for e in told.get("errors", ())]
    key = json.dumps
    assert sorted(errors, key=key) == sorted(right["errors"], key=key)
    assert list(told["data"] or {}) == list(right["data"] or {})


def _known_kinds(data: Dataset) -> Dataset:
    """`data` without the kind of account that no schema knows: the reference would refuse it."""
    from syncer.testing.github import dump, parse

    return parse(dump(data).replace(b"KindOfTomorrow", b"User"))


@pytest.mark.skipif(not FULL.exists(), reason="the full schema is not here")
async def test_the_full_schema_gives_the_same_answers(ask, data):
    pruned = Simulator(data)
    full = Simulator(data, schema=build_schema(FULL.read_text("utf-8"), assume_valid=True))
    for name, (text, variables) in (await cases(ask, pruned)).items():
        answers = [(await ask(github, text, **variables)).json for github in (pruned, full)]
        for answer in answers:
            (answer["data"] or {}).pop("rateLimit", None)
        assert answers[0] == answers[1], name


async def test_the_schema_can_be_asked_for(ask, data):
    told = (await ask(Simulator(data), get_introspection_query())).data
    assert {kind["name"] for kind in told["__schema"]["types"]} >= {"PullRequest", "Repository"}


async def test_the_name_of_the_root_is_told(ask, data):
    assert (await ask(Simulator(data), "{ __typename }")).data == {"__typename": "Query"}
