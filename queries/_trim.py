"""Leaving fields out of a document: an older Enterprise Server's schema lacks some of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from graphql import (
    REMOVE,
    SKIP,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    Node,
    OperationDefinitionNode,
    SelectionSetNode,
    TypeInfo,
    TypeInfoVisitor,
    VariableNode,
    Visitor,
    VisitorAction,
    visit,
)

from queries._schema import schema

__all__ = ["Without", "trimmed"]

Without = frozenset[tuple[str, str]]
"""Fields to leave out, each as (name of the type, name of the field)."""

_Fragments = Mapping[str, FragmentDefinitionNode]
_Definition = TypeVar("_Definition", OperationDefinitionNode, FragmentDefinitionNode)


def trimmed(
    operation: OperationDefinitionNode, fragments: _Fragments, without: Without
) -> tuple[OperationDefinitionNode, _Fragments]:
    """`operation` and `fragments` without the fields `without`, and without what that empties.

    Raises ValueError if nothing is left to ask for.
    """
    hollow: set[str] = set()
    while True:
        # A fragment that lost its last field takes its spreads along, which may empty another.
        kept = {n: _cut(f, without, hollow) for n, f in fragments.items() if n not in hollow}
        emptied = {name for name, fragment in kept.items() if _empty(fragment.selection_set)}
        if not emptied:
            break
        hollow |= emptied
    cut = _cut(operation, without, hollow)
    if _empty(cut.selection_set):
        raise ValueError("nothing is left to ask for")
    return _declaring_what_it_uses(cut, kept.values()), kept


class _Cut(Visitor):
    """Removes fields, spreads of hollow fragments, and selections that became empty."""

    def __init__(self, info: TypeInfo, without: Without, hollow: set[str]) -> None:
        super().__init__()
        self._info = info
        self._without = without
        self._hollow = hollow

    def enter_field(self, node: FieldNode, *_: object) -> VisitorAction:
        parent = self._info.get_parent_type()
        unwanted = parent is not None and (parent.name, node.name.value) in self._without
        return REMOVE if unwanted else None

    def enter_fragment_spread(self, node: FragmentSpreadNode, *_: object) -> VisitorAction:
        return REMOVE if node.name.value in self._hollow else None

    def leave_field(self, node: FieldNode, *_: object) -> VisitorAction:
        return REMOVE if _empty(node.selection_set) else None

    def leave_inline_fragment(self, node: InlineFragmentNode, *_: object) -> VisitorAction:
        return REMOVE if _empty(node.selection_set) else None


class _Uses(Visitor):
    """Collects the names of the variables that are used, not those that are declared."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def enter_variable_definition(self, *_: object) -> VisitorAction:
        return SKIP

    def enter_variable(self, node: VariableNode, *_: object) -> None:
        self.names.add(node.name.value)


def _cut(definition: _Definition, without: Without, hollow: set[str]) -> _Definition:
    info = TypeInfo(schema())
    cut: _Definition = visit(definition, TypeInfoVisitor(info, _Cut(info, without, hollow)))
    return cut


def _empty(selection_set: SelectionSetNode | None) -> bool:
    return selection_set is not None and not selection_set.selections


def _declaring_what_it_uses(
    operation: OperationDefinitionNode, fragments: Iterable[Node]
) -> OperationDefinitionNode:
    uses = _Uses()
    for node in (operation, *fragments):
        visit(node, uses)
    declared = operation.variable_definitions or ()
    return replace(
        operation,
        variable_definitions=tuple(d for d in declared if d.variable.name.value in uses.names),
    )
