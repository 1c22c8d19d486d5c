from __future__ import annotations

import pytest
from graphql import (
    FieldNode,
    GraphQLInterfaceType,
    GraphQLObjectType,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    get_named_type,
    is_leaf_type,
    validate,
    visit,
)
from hypothesis import given
from hypothesis import strategies as st

import queries
from queries import NAMES, compose, load


class _Asked(Visitor):
    def __init__(self, info: TypeInfo) -> None:
        super().__init__()
        self.info = info
        self.fields: set[tuple[str, str]] = set()

    def enter_field(self, node: FieldNode, *_: object) -> None:
        parent = self.info.get_parent_type()
        assert parent is not None
        self.fields.add((parent.name, node.name.value))


def asked(document: queries.Document) -> set[tuple[str, str]]:
    info = TypeInfo(queries.schema())
    visitor = _Asked(info)
    visit(document.node, TypeInfoVisitor(info, visitor))
    return visitor.fields


ALL = sorted(set().union(*(asked(load(name)) for name in NAMES)))


def named_type(field: tuple[str, str]) -> str:
    owner = queries.schema().type_map[field[0]]
    assert isinstance(owner, GraphQLObjectType | GraphQLInterfaceType)
    return get_named_type(owner.fields[field[1]].type).name


OPTIONAL = [field for field in ALL if field[0] != "Query" and field[1] != "__typename"]
LEAVES = [f for f in OPTIONAL if is_leaf_type(queries.schema().type_map[named_type(f)])]
SUBSETS = st.frozensets(st.sampled_from(OPTIONAL), max_size=8)


def test_what_is_left_out_is_left_out_and_the_rest_stays() -> None:
    without = frozenset({("PullRequestReviewThread", "subjectType"), ("RateLimit", "nodeCount")})

    assert asked(load("reviewThreads", without)) == asked(load("reviewThreads")) - without


def test_a_field_is_named_by_its_type_so_its_namesakes_stay() -> None:
    document = load("reviews", frozenset({("PullRequestReview", "fullDatabaseId")}))

    assert "fullDatabaseId" not in document.text
    assert "fullDatabaseId" in load("comments", frozenset({("PullRequestReview", "body")})).text


def test_an_aliased_field_is_found_by_its_own_name() -> None:
    document = load("rows", frozenset({("PullRequest", "closingIssuesReferences")}))

    assert "closingIssues" in load("rows").text
    assert "closingIssues" not in document.text


def test_a_field_that_no_document_asks_for_changes_nothing() -> None:
    without = frozenset({("PullRequest", "mergeable"), ("Nowhere", "nothing")})

    assert load("rows", without).text == load("rows").text


def test_variables_that_nothing_uses_any_more_go_too() -> None:
    document = load("labels", frozenset({("PullRequest", "labels")}))

    assert "$ids" in document.text
    assert "$first" not in document.text
    assert "$after" not in document.text


def test_a_fragment_that_lost_every_field_takes_its_spreads_along() -> None:
    without = frozenset(
        {("Actor", "__typename"), ("Actor", "login"), ("Node", "id"), ("User", "__typename")}
    )
    document = load("comments", without)

    assert "Account" not in document.text
    assert "author {" not in document.text
    assert validate(queries.schema(), document.node) == []


def test_leaving_out_everything_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing is left"):
        load("rows", frozenset({("Query", "nodes"), ("Query", "rateLimit")}))


@given(st.sampled_from(NAMES), SUBSETS)
def test_any_trimmed_document_is_valid_and_asks_for_nothing_unwanted(
    name: str, without: frozenset[tuple[str, str]]
) -> None:
    document = load(name, without)

    assert validate(queries.schema(), document.node) == []
    assert asked(document) <= asked(load(name)) - without


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6).map(tuple), SUBSETS)
def test_any_trimmed_composition_is_valid_and_asks_for_nothing_unwanted(
    names: tuple[str, ...], without: frozenset[tuple[str, str]]
) -> None:
    document = compose(names, without)

    assert validate(queries.schema(), document.node) == []
    assert asked(document) <= asked(compose(names)) - without


@pytest.mark.parametrize("field", LEAVES, ids=".".join)
def test_only_what_holds_nothing_else_goes_with_a_leaf(field: tuple[str, str]) -> None:
    lost = asked(compose(NAMES)) - asked(compose(NAMES, frozenset({field})))

    assert field in lost
    assert {named_type(other) for other in lost - {field}} <= {field[0]}
