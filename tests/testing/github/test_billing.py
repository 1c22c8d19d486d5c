from __future__ import annotations

from pathlib import Path

import pytest
from graphql import (
    FragmentDefinitionNode,
    OperationDefinitionNode,
    build_schema,
    get_variable_values,
    parse,
)

import queries
from syncer.testing.github.billing import Bill, bill

FULL = Path(__file__).parents[4] / "shared" / "github" / "schema.graphql"


def price(text: str, schema=None, **variables: object) -> Bill:
    schema = schema or queries.schema()
    tree = parse(text)
    fragments = {d.name.value: d for d in tree.definitions if isinstance(d, FragmentDefinitionNode)}
    operation = tree.definitions[0]
    assert isinstance(operation, OperationDefinitionNode)
    values = get_variable_values(schema, operation.variable_definitions or (), dict(variables))
    assert not isinstance(values, list), values
    return bill(schema, operation, fragments, values)


def listing(inner: str) -> str:
    return f'{{ repository(owner: "o", name: "n") {{ {inner} }} }}'


def test_a_bare_total_costs_nothing_and_a_request_at_least_one_point():
    found = price(listing("pullRequests { totalCount } releases { totalCount }"))
    assert (found.connections, found.nodes, found.cost) == (0, 0, 1)


def test_siblings_add_up():
    found = price(
        listing("pullRequests(first: 100) { nodes { id } } releases(first: 30) { nodes { id } }")
    )
    assert (found.connections, found.nodes, found.cost) == (2, 130, 1)


def test_a_nested_connection_counts_once_for_each_possible_parent():
    found = price(
        listing(
            "pullRequests(first: 50) { nodes { reviewThreads(first: 100) "
            "{ nodes { comments(first: 99) { nodes { id } } } } } }"
        )
    )
    assert found.connections == 1 + 50 + 50 * 100
    assert found.nodes == 50 + 50 * 100 + 50 * 100 * 99
    assert found.cost == 51
    assert found.kinds["PullRequestReviewThread.comments"] == 5000


def test_the_size_of_a_leaf_does_not_change_the_price():
    sizes = {
        size: price(
            listing(
                f"pullRequests(first: 100) {{ nodes {{ labels(first: {size}) {{ nodes {{ id }} }} }} }}"
            )
        )
        for size in (1, 100)
    }
    assert sizes[1].cost == sizes[100].cost == 1
    assert sizes[100].nodes - sizes[1].nodes == 100 * 99


@pytest.mark.parametrize(("parents", "cost"), [(149, 1), (150, 2), (249, 2), (250, 3)])
def test_the_price_is_rounded_to_the_nearest_point(parents: int, cost: int):
    found = price(
        "query($a: [ID!]!, $b: [ID!]!, $c: [ID!]!) {"
        + "".join(
            f"{v}: nodes(ids: ${v}) {{ ... on PullRequest {{ comments(first: 9) {{ totalCount }} }} }}"
            for v in "abc"
        )
        + "}",
        a=["x"] * min(100, parents),
        b=["x"] * max(0, min(100, parents - 100)),
        c=["x"] * max(0, parents - 200),
    )
    assert found.connections == parents
    assert found.cost == cost


def test_ids_are_parents_and_nodes():
    text = queries.load("comments").text
    found = price(text, ids=["a"] * 100, first=100)
    assert (found.connections, found.nodes, found.cost) == (100, 100 + 100 * 100, 1)


def test_a_field_asked_twice_through_fragments_is_billed_once():
    found = price(
        'query { node(id: "x") { ...A ...A ... on PullRequest { comments(first: 5) { totalCount } } } }'
        " fragment A on PullRequest { comments(first: 5) { nodes { id } } }"
    )
    assert found.connections == 1


def test_a_skipped_connection_is_free():
    text = (
        'query($no: Boolean!) { node(id: "x") { ... on PullRequest {'
        " comments(first: 5) @skip(if: $no) { totalCount } labels(first: 5) @include(if: $no) { totalCount } } } }"
    )
    assert dict(price(text, no=True).kinds) == {"PullRequest.labels": 1}
    assert dict(price(text, no=False).kinds) == {"PullRequest.comments": 1}


@pytest.mark.parametrize(
    ("inner", "kind"),
    [
        ("pullRequests { nodes { id } }", "MISSING_PAGINATION_BOUNDARIES"),
        ("pullRequests { edges { cursor } }", "MISSING_PAGINATION_BOUNDARIES"),
        ("pullRequests(first: 101) { totalCount }", "EXCESSIVE_PAGINATION"),
        ("pullRequests(last: 101) { totalCount }", "EXCESSIVE_PAGINATION"),
        ("pullRequests(first: 1, last: 1) { totalCount }", "EXCESSIVE_PAGINATION"),
        ("pullRequests(first: 0) { totalCount }", "INSUFFICIENT_PAGINATION"),
    ],
)
def test_bounds_are_demanded(inner: str, kind: str):
    (problem,) = price(listing(inner)).problems
    assert problem["type"] == kind
    assert problem["path"] == ["repository", "pullRequests"]
    assert "`pullRequests` connection" in problem["message"]


def test_more_than_half_a_million_possible_nodes_are_refused():
    text = listing(
        "pullRequests(first: 100) { nodes { reviewThreads(first: 100) "
        "{ nodes { comments(first: %d) { nodes { id } } } } } }"
    )
    assert price(text % 48).problems == []
    (problem,) = price(text % 49).problems
    assert problem["type"] == "MAX_NODE_LIMIT_EXCEEDED"
    assert "500,100" in problem["message"]


def test_more_than_a_hundred_ids_are_refused():
    (problem,) = price(queries.load("rows").text, ids=["x"] * 101).problems
    assert problem["type"] == "ARGUMENT_LIMIT"
    assert problem["message"].endswith("you provided 101.")


@pytest.mark.skipif(not FULL.exists(), reason="the full schema is not here")
def test_a_recorded_price_of_github_is_met():
    # Asked and answered in public: cost 1, 800 nodes.
    found = price(
        listing(
            "pullRequests(first: 50) { nodes { comments { totalCount } commits { totalCount } "
            "labels(first: 15) { totalCount nodes { name } } participants { totalCount } } "
            "pageInfo { endCursor } }"
        ),
        schema=build_schema(FULL.read_text("utf-8"), assume_valid=True),
    )
    assert (found.cost, found.nodes) == (1, 800)
