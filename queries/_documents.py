"""Loading, joining and printing documents. Everything here is pure and cached by its arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    NameNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
    Visitor,
    parse,
    print_ast,
    visit,
)

__all__ = ["NAMES", "Document", "compose", "load", "variables"]

_PRICE = "rateLimit"


def _stems(*folder: str) -> tuple[str, ...]:
    listing = files("queries").joinpath(*folder).iterdir()
    names = (entry.name for entry in listing)
    return tuple(sorted(n.removesuffix(".graphql") for n in names if n.endswith(".graphql")))


NAMES = tuple(name for name in _stems() if name != "schema")
"""The documents, by file name without its ending."""


@dataclass(frozen=True)
class Document:
    """A document ready to send: its operation's name, syntax tree and text."""

    name: str
    node: DocumentNode
    text: str


@lru_cache(maxsize=256)
def load(name: str) -> Document:
    """The document of `queries/<name>.graphql` with the fragments that it uses.

    Raises KeyError for a name that is not in `NAMES`.
    """
    if name not in NAMES:
        raise KeyError(name)
    return _document(_operation(name))


@lru_cache(maxsize=1024)
def compose(names: tuple[str, ...]) -> Document:
    """One document that asks for each of `names` in turn, the i-th under the alias `a<i>`.

    Each part must be a document whose one field beside `rateLimit` is to be aliased. A variable
    `v` of the i-th part is called `v<i>`; `variables` builds the matching values.
    """
    parts = [_aliased(_operation(name), index) for index, name in enumerate(names)]
    price = [field for field in _fields(_operation(names[0])) if field.name.value == _PRICE]
    selections = [*price, *(field for part in parts for field in _fields(part))]
    batch = replace(
        parts[0],
        name=NameNode(value="Batch"),
        variable_definitions=tuple(
            definition for part in parts for definition in part.variable_definitions or ()
        ),
        selection_set=SelectionSetNode(selections=tuple(selections)),
    )
    return _document(batch)


def variables(parts: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """The variables of a composed document: those of the i-th part with `i` at their end."""
    return {
        f"{name}{index}": value for index, part in enumerate(parts) for name, value in part.items()
    }


@lru_cache(maxsize=256)
def _operation(name: str) -> OperationDefinitionNode:
    document = parse(files("queries").joinpath(f"{name}.graphql").read_text("utf-8"))
    (operation,) = document.definitions
    assert isinstance(operation, OperationDefinitionNode)
    return operation


@lru_cache(maxsize=1)
def _fragments() -> dict[str, FragmentDefinitionNode]:
    found: dict[str, FragmentDefinitionNode] = {}
    for stem in _stems("fragments"):
        text = files("queries").joinpath("fragments", f"{stem}.graphql").read_text("utf-8")
        for definition in parse(text).definitions:
            assert isinstance(definition, FragmentDefinitionNode)
            found[definition.name.value] = definition
    return found


def _fields(operation: OperationDefinitionNode) -> Iterable[FieldNode]:
    return (field for field in operation.selection_set.selections if isinstance(field, FieldNode))


def _aliased(operation: OperationDefinitionNode, index: int) -> OperationDefinitionNode:
    renamed = visit(operation, _Suffix(str(index)))
    field = next(field for field in _fields(renamed) if field.name.value != _PRICE)
    aliased = replace(field, alias=NameNode(value=f"a{index}"))
    return replace(renamed, selection_set=SelectionSetNode(selections=(aliased,)))


class _Suffix(Visitor):
    """Renames every variable by adding a suffix."""

    def __init__(self, suffix: str) -> None:
        super().__init__()
        self._suffix = suffix

    def enter_variable(self, node: VariableNode, *_: object) -> VariableNode:
        return VariableNode(name=NameNode(value=node.name.value + self._suffix))


class _Spreads(Visitor):
    """Collects the names of the fragments that are spread."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def enter_fragment_spread(self, node: FragmentSpreadNode, *_: object) -> None:
        self.names.append(node.name.value)


def _document(operation: OperationDefinitionNode) -> Document:
    used: dict[str, FragmentDefinitionNode] = {}
    pending: list[OperationDefinitionNode | FragmentDefinitionNode] = [operation]
    while pending:
        spreads = _Spreads()
        visit(pending.pop(), spreads)
        for name in spreads.names:
            if name not in used:
                used[name] = _fragments()[name]
                pending.append(used[name])
    node = DocumentNode(definitions=(operation, *(used[name] for name in sorted(used))))
    assert operation.name is not None
    return Document(name=operation.name.value, node=node, text=print_ast(node))
