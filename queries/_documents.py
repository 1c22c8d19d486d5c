"""Loading, joining and printing documents. Everything here is pure and cached by its arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files

from graphql import (
    DefinitionNode,
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

from queries._trim import Without, trimmed

__all__ = ["NAMES", "Document", "compose", "load", "variables"]

_PRICE = "rateLimit"
_WHOLE: Without = frozenset()


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
def load(name: str, without: Without = _WHOLE) -> Document:
    """The document of `queries/<name>.graphql` with the fragments that it uses.

    The fields `without`, pairs of a type's and a field's name, are left out of it, and so is what
    holds nothing else and the variables that nothing else uses. Raises KeyError for a name that is
    not in `NAMES`, and ValueError if nothing is left.
    """
    return _document(_operation(name), without)


@lru_cache(maxsize=1024)
def compose(names: tuple[str, ...], without: Without = _WHOLE) -> Document:
    """One document that asks for each of `names` in turn, the i-th under the alias `a<i>`.

    `rateLimit` is asked for once, the one other field of each document under its alias. A variable
    `v` of the i-th part is called `v<i>`; `variables` builds the matching values. `without` and
    errors are as for `load`; an empty `names` is a ValueError.
    """
    if not names:
        raise ValueError("nothing to ask for")
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
    return _document(batch, without)


def variables(parts: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """The variables of a composed document: those of the i-th part with `i` at their end."""
    return {
        f"{name}{index}": value for index, part in enumerate(parts) for name, value in part.items()
    }


@lru_cache(maxsize=256)
def _operation(name: str) -> OperationDefinitionNode:
    if name not in NAMES:
        raise KeyError(name)
    (operation,) = _definitions(f"{name}.graphql")
    if not isinstance(operation, OperationDefinitionNode):
        raise TypeError(f"queries/{name}.graphql is not one operation")
    return operation


@lru_cache(maxsize=1)
def _fragments() -> dict[str, FragmentDefinitionNode]:
    return {
        definition.name.value: definition
        for stem in _stems("fragments")
        for definition in _definitions("fragments", f"{stem}.graphql")
        if isinstance(definition, FragmentDefinitionNode)
    }


def _definitions(*path: str) -> tuple[DefinitionNode, ...]:
    return parse(files("queries").joinpath(*path).read_text("utf-8")).definitions


def _fields(operation: OperationDefinitionNode) -> Iterable[FieldNode]:
    return (field for field in operation.selection_set.selections if isinstance(field, FieldNode))


def _aliased(operation: OperationDefinitionNode, index: int) -> OperationDefinitionNode:
    renamed: OperationDefinitionNode = visit(operation, _Suffix(str(index)))
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


def _document(operation: OperationDefinitionNode, without: Without) -> Document:
    fragments: Mapping[str, FragmentDefinitionNode] = _fragments()
    if without:
        operation, fragments = trimmed(operation, fragments, without)
    used: dict[str, FragmentDefinitionNode] = {}
    pending: list[OperationDefinitionNode | FragmentDefinitionNode] = [operation]
    while pending:
        spreads = _Spreads()
        visit(pending.pop(), spreads)
        fresh = {name: fragments[name] for name in spreads.names if name not in used}
        used |= fresh
        pending.extend(fresh.values())
    node = DocumentNode(definitions=(operation, *(used[name] for name in sorted(used))))
    name = operation.name.value if operation.name else ""
    return Document(name=name, node=node, text=print_ast(node))
