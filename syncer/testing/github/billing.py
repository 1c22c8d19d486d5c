"""What a request costs before it is run: GitHub's bounds, node limit and points.

Every connection with `first` or `last` counts once per possible parent, all parents taken as full;
the sum over 100, rounded, is the price, at least one point. A bare total has no page and is free.
https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    GraphQLSchema,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
)
from graphql.execution.values import (
    VariableValues,
    get_argument_values,
    get_directive_values,
)
from graphql.type import GraphQLIncludeDirective, GraphQLSkipDirective

__all__ = ["Bill", "bill"]

MAX_PAGE = 100
MAX_IDS = 100
MAX_NODES = 500_000


@dataclass
class Bill:
    """The price of a request, what it asks for, and why it is refused, if it is.

    `kinds` counts billed connections by `Type.field`; `ids` are those of `node` and `nodes`.
    """

    connections: int = 0
    nodes: int = 0
    first: int = 0  # the largest page asked for
    cursors: int = 0  # connections that continue from a cursor
    kinds: Counter[str] = field(default_factory=Counter[str])
    ids: list[str] = field(default_factory=list[str])
    dry_run: bool = False  # only the price is wanted
    numbers: set[int] = field(default_factory=set[int])
    problems: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def cost(self) -> int:
        """Points."""
        return max(1, (self.connections + 50) // 100)


def bill(
    schema: GraphQLSchema,
    operation: OperationDefinitionNode,
    fragments: Mapping[str, FragmentDefinitionNode],
    variables: VariableValues,
) -> Bill:
    """The bill of `operation` with these coerced variables."""
    assert schema.query_type is not None
    walk = _Walk(schema, fragments, variables)
    walk.selections(schema.query_type.name, (operation.selection_set,), 1, ())
    out = walk.bill
    if out.nodes > MAX_NODES and not out.problems:
        out.problems.append(
            {
                "type": "MAX_NODE_LIMIT_EXCEEDED",
                "message": f"This query requests up to {out.nodes:,} possible nodes which exceeds "
                f"the maximum limit of {MAX_NODES:,}.",
            }
        )
    return out


def _named(kind: Any) -> str:
    while hasattr(kind, "of_type"):
        kind = kind.of_type
    return str(kind.name)


class _Walk:
    def __init__(
        self,
        schema: GraphQLSchema,
        fragments: Mapping[str, FragmentDefinitionNode],
        variables: VariableValues,
    ) -> None:
        self._schema = schema
        self._fragments = fragments
        self._variables = variables
        self.bill = Bill()

    def selections(
        self,
        type_name: str,
        sets: tuple[SelectionSetNode, ...],
        parents: int,
        path: tuple[str, ...],
    ) -> None:
        """Bill everything under `sets`, of which up to `parents` owners can be answered."""
        merged: dict[tuple[str, str], list[FieldNode]] = {}
        for selection_set in sets:
            for owner, node in self._fields(type_name, selection_set):
                merged.setdefault((owner, (node.alias or node.name).value), []).append(node)
        for (owner, key), nodes in merged.items():
            if not nodes[0].name.value.startswith("__"):
                self._field(owner, nodes, parents, (*path, key))

    def _fields(
        self, type_name: str, selection_set: SelectionSetNode
    ) -> Iterator[tuple[str, FieldNode]]:
        for node in selection_set.selections:
            if node.directives and not self._included(node):
                continue
            if isinstance(node, FieldNode):
                yield type_name, node
            elif isinstance(node, InlineFragmentNode):
                condition = node.type_condition
                inner = type_name if condition is None else condition.name.value
                yield from self._fields(inner, node.selection_set)
            else:
                fragment = self._fragments[node.name.value]  # type: ignore[attr-defined]
                yield from self._fields(fragment.type_condition.name.value, fragment.selection_set)

    def _included(self, node: Any) -> bool:
        skip = get_directive_values(GraphQLSkipDirective, node, self._variables)
        include = get_directive_values(GraphQLIncludeDirective, node, self._variables)
        return not (skip and skip["if"]) and not (include and not include["if"])

    def _field(
        self, owner: str, nodes: list[FieldNode], parents: int, path: tuple[str, ...]
    ) -> None:
        name = nodes[0].name.value
        owner_type: Any = self._schema.type_map[owner]
        definition: Any = owner_type.fields[name]
        args = get_argument_values(definition, nodes[0], self._variables)
        inner = _named(definition.type)
        sets = tuple(node.selection_set for node in nodes if node.selection_set is not None)
        if inner.endswith("Connection") and "first" in definition.args:
            selected = {node.name.value for s in sets for _, node in self._fields(inner, s)}
            size = self._page(f"{owner}.{name}", args, selected, parents, path)
            parents *= size or 1
        elif owner == "Query" and name in ("node", "nodes"):
            parents = self._ids(args, path)
        elif name == "rateLimit":
            self.bill.dry_run = self.bill.dry_run or bool(args.get("dryRun"))
        elif name == "pullRequest" and "number" in args:
            self.bill.numbers.add(args["number"])
        self.selections(inner, sets, parents, path)

    def _ids(self, args: Mapping[str, Any], path: tuple[str, ...]) -> int:
        ids: list[str] = args["ids"] if "ids" in args else [args["id"]]
        self.bill.ids += ids
        self.bill.nodes += len(ids)
        if len(ids) > MAX_IDS:
            self._refuse(
                "ARGUMENT_LIMIT",
                f"You may not provide more than {MAX_IDS} node ids; you provided {len(ids)}.",
                path,
            )
        return len(ids)

    def _page(
        self,
        kind: str,
        args: Mapping[str, Any],
        selected: set[str],
        parents: int,
        path: tuple[str, ...],
    ) -> int:
        """The page size of a connection; 0 for a bare total."""
        name = kind.partition(".")[2]
        sizes = [(word, args[word]) for word in ("first", "last") if args.get(word) is not None]
        if not sizes:
            if selected & {"nodes", "edges"}:
                self._refuse(
                    "MISSING_PAGINATION_BOUNDARIES",
                    f"You must provide a `first` or `last` value to properly paginate the "
                    f"`{name}` connection.",
                    path,
                )
            return 0
        word, size = sizes[0]
        if len(sizes) > 1:
            self._refuse(
                "EXCESSIVE_PAGINATION",
                f"Passing both `first` and `last` values to paginate the `{name}` connection is "
                "not supported.",
                path,
            )
        elif size > MAX_PAGE:
            self._refuse(
                "EXCESSIVE_PAGINATION",
                f"Requesting {size} records on the `{name}` connection exceeds the `{word}` limit "
                f"of {MAX_PAGE} records.",
                path,
            )
        elif size < 1:
            self._refuse(
                "INSUFFICIENT_PAGINATION",
                f"`{word}` on the `{name}` connection cannot be less than one.",
                path,
            )
        self.bill.connections += parents
        self.bill.nodes += parents * size
        self.bill.kinds[kind] += parents
        self.bill.first = max(self.bill.first, size)
        self.bill.cursors += args.get("after") is not None or args.get("before") is not None
        return int(size)

    def _refuse(self, kind: str, message: str, path: tuple[str, ...]) -> None:
        self.bill.problems.append({"type": kind, "path": list(path), "message": message})
