from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

import pytest
from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    OperationDefinitionNode,
    VariableNode,
    Visitor,
    parse,
    print_ast,
    validate,
    visit,
)
from hypothesis import given
from hypothesis import strategies as st

import queries
from queries import NAMES, compose, load, variables

FRAGMENTS = sorted(files("queries").joinpath("fragments").iterdir(), key=lambda entry: entry.name)
BATCHES = st.lists(st.sampled_from(NAMES), min_size=1, max_size=12).map(tuple)


class _Seen(Visitor):
    def __init__(self) -> None:
        super().__init__()
        self.spreads: list[str] = []
        self.variables: list[str] = []

    def enter_fragment_spread(self, node: FragmentSpreadNode, *_: object) -> None:
        self.spreads.append(node.name.value)

    def enter_variable(self, node: VariableNode, *_: object) -> None:
        self.variables.append(node.name.value)


def seen(node: object) -> _Seen:
    visitor = _Seen()
    visit(node, visitor)  # type: ignore[arg-type]
    return visitor


def operation(document: queries.Document) -> OperationDefinitionNode:
    (found,) = (d for d in document.node.definitions if isinstance(d, OperationDefinitionNode))
    return found


def top_fields(document: queries.Document) -> list[FieldNode]:
    return [f for f in operation(document).selection_set.selections if isinstance(f, FieldNode)]


def declared(document: queries.Document) -> list[str]:
    return [d.variable.name.value for d in operation(document).variable_definitions or ()]


def fragment_definitions() -> Iterable[FragmentDefinitionNode]:
    for entry in FRAGMENTS:
        for definition in parse(entry.read_text("utf-8")).definitions:
            assert isinstance(definition, FragmentDefinitionNode), entry.name
            yield definition


def test_every_document_file_has_a_name_that_loads(root: Path) -> None:
    stems = {path.stem for path in (root / "queries").glob("*.graphql")} - {"schema"}

    assert set(NAMES) == stems
    assert all(load(name).text for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_document_file_is_one_operation_named_as_the_file(name: str) -> None:
    definitions = parse(files("queries").joinpath(f"{name}.graphql").read_text("utf-8")).definitions

    assert len(definitions) == 1
    assert load(name).name == name[0].upper() + name[1:]


@pytest.mark.parametrize("name", NAMES)
def test_a_document_asks_for_one_thing_and_its_price(name: str) -> None:
    names = [field.name.value for field in top_fields(load(name))]

    assert names[0] == "rateLimit"
    assert len(names) == 2


@pytest.mark.parametrize("name", NAMES)
def test_a_document_is_valid_against_the_schema_that_we_ship(name: str) -> None:
    assert validate(queries.schema(), load(name).node) == []


def test_every_fragment_is_defined_once_and_used() -> None:
    defined = [definition.name.value for definition in fragment_definitions()]
    used = {spread for name in NAMES for spread in seen(load(name).node).spreads}

    assert len(defined) == len(set(defined))
    assert set(defined) == used


def test_a_fragment_uses_no_variable_so_it_can_be_shared_by_parts() -> None:
    assert [v for definition in fragment_definitions() for v in seen(definition).variables] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_a_document_says_what_its_tree_says(name: str) -> None:
    document = load(name)

    assert document.text == print_ast(parse(document.text)) == print_ast(document.node)


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        load("schema")
    with pytest.raises(KeyError):
        compose(("comments", "nothing"))


def test_composing_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing to ask for"):
        compose(())


@given(BATCHES)
def test_any_composition_is_valid(names: tuple[str, ...]) -> None:
    assert validate(queries.schema(), compose(names).node) == []


@given(BATCHES)
def test_a_composition_asks_for_the_price_once_and_each_part_under_its_own_alias(
    names: tuple[str, ...],
) -> None:
    price, *parts = top_fields(compose(names))

    assert price.name.value == "rateLimit"
    assert price.alias is None
    assert [part.alias and part.alias.value for part in parts] == [
        f"a{index}" for index in range(len(names))
    ]
    assert [part.name.value for part in parts] == [top_fields(load(n))[1].name.value for n in names]


@given(BATCHES)
def test_a_composition_declares_each_parts_variables_with_its_number(
    names: tuple[str, ...],
) -> None:
    expected = variables([dict.fromkeys(declared(load(name))) for name in names])

    assert declared(compose(names)) == list(expected)


@given(st.lists(st.dictionaries(st.sampled_from(["ids", "first", "after"]), st.integers())))
def test_variables_of_different_parts_never_meet(parts: list[dict[str, int]]) -> None:
    joined = variables(parts)

    assert len(joined) == sum(map(len, parts))
    assert all(joined[f"{k}{i}"] == v for i, part in enumerate(parts) for k, v in part.items())


def test_composing_leaves_the_parts_as_they_were() -> None:
    before = load("comments").text

    compose(("comments", "comments"))

    assert load("comments").text == before
    assert load("comments") is load("comments")


def test_documents_are_valid_against_the_full_schema(shared: Path) -> None:
    from graphql import build_schema

    text = (shared / "github" / "schema.graphql").read_text("utf-8")
    full = build_schema(text, assume_valid=True)  # one of its fields stands twice

    assert [error for name in NAMES for error in validate(full, load(name).node)] == []
    assert validate(full, compose(NAMES).node) == []
