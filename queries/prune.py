"""Prune GitHub's full schema to what our documents, and a double of GitHub, can reach.

    python -m queries.prune FULL_SCHEMA > queries/schema.graphql

The result builds strictly and every document of ours validates against it. Arguments, enumerations
and inputs are kept whole; fields are kept one by one. The same input gives the same bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from graphql import (
    DefinitionNode,
    DocumentNode,
    FieldDefinitionNode,
    FieldNode,
    GraphQLSchema,
    InputObjectTypeDefinitionNode,
    InterfaceTypeDefinitionNode,
    ListTypeNode,
    NamedTypeNode,
    NonNullTypeNode,
    ObjectTypeDefinitionNode,
    TypeDefinitionNode,
    TypeInfo,
    TypeInfoVisitor,
    TypeNode,
    UnionTypeDefinitionNode,
    Visitor,
    build_ast_schema,
    parse,
    print_ast,
    visit,
)

from queries._documents import NAMES, load

__all__ = ["main", "prune"]

NOTICE = """\
Pruned from GitHub's public GraphQL schema by queries/prune.py; do not edit.

Copyright (c) GitHub 2025 - Licensed as MIT.

Permission is hereby granted, free of charge, to any person obtaining
a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including
without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to
permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be
included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND,
EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION
OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""

# What a stranger would ask of the same objects, and so what a double of GitHub has to answer.
ALSO = """
query Also($owner: String!, $name: String!, $id: ID!, $ids: [ID!]!) {
  viewer { id login }
  rateLimit(dryRun: true) { cost limit nodeCount remaining resetAt used }
  node(id: $id) { id }
  nodes(ids: $ids) { id }
  repository(owner: $owner, name: $name, followRenames: true) {
    id name nameWithOwner url
    pullRequest(number: 1) { ...Whole }
    pullRequests(first: 1) { edges { cursor node { id } } nodes { id } ...Walk }
    releases(first: 1) { edges { cursor node { id name url } } pageInfo { ...Info } }
  }
}
fragment Info on PageInfo { hasNextPage hasPreviousPage startCursor endCursor }
fragment Walk on PullRequestConnection { totalCount pageInfo { ...Info } }
fragment Whole on PullRequest {
  url closed merged
  repository { id }
  comments(first: 1) { edges { cursor node { id url } } }
  reviews(first: 1) { edges { cursor node { id url comments(first: 1) { nodes { id } } } } }
  reviewThreads(first: 1) {
    edges { cursor node { id comments(first: 1) { edges { cursor node { id url } } } } }
  }
  labels(first: 1) { edges { cursor node { id } } }
  closingIssuesReferences(first: 1) { edges { cursor node { id url title } } }
}
"""

# Hundreds of types are a Node; only those that something else reaches are kept. Of every other
# interface and union all members are kept, for any of them may come back.
_OPEN = frozenset({"Node"})

_Composite = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode


def prune(text: str) -> str:
    """The pruned schema of `text`, which is in GraphQL's schema definition language."""
    full = parse(text, no_location=True)
    asked = _asked(full, [*(load(name).node for name in NAMES), parse(ALSO)])
    reach = _Reach(full, asked)
    kept = DocumentNode(definitions=tuple(reach.definitions()))
    header = "".join(f"# {line}".rstrip() + "\n" for line in NOTICE.splitlines())
    return f"{header}\n{print_ast(kept)}\n"


def main(arguments: list[str]) -> int:
    """Print the pruned schema of the file named by the only argument."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m queries.prune FULL_SCHEMA > queries/schema.graphql\n")
        return 2
    sys.stdout.write(prune(Path(arguments[0]).read_text("utf-8")))
    return 0


class _Asked(Visitor):
    """Collects the fields that a document selects and the types that it names."""

    def __init__(self, info: TypeInfo) -> None:
        super().__init__()
        self._info = info
        self.fields: set[tuple[str, str]] = set()
        self.types: set[str] = set()

    def enter_field(self, node: FieldNode, *_: object) -> None:
        parent = self._info.get_parent_type()
        if parent is None or self._info.get_field_def() is None:
            raise LookupError(f"the full schema has no field {parent}.{node.name.value}")
        if not node.name.value.startswith("__"):
            self.fields.add((parent.name, node.name.value))

    def enter_named_type(self, node: NamedTypeNode, *_: object) -> None:
        self.types.add(node.name.value)


def _asked(full: DocumentNode, documents: Iterable[DocumentNode]) -> _Asked:
    # One field of the published schema stands twice, so it cannot be built strictly.
    schema: GraphQLSchema = build_ast_schema(full, assume_valid=True)
    info = TypeInfo(schema)
    asked = _Asked(info)
    for document in documents:
        visit(document, TypeInfoVisitor(info, asked))
    return asked


class _Reach:
    """What was asked for, grown by what it needs to stand: the types of fields and arguments."""

    def __init__(self, full: DocumentNode, asked: _Asked) -> None:
        self._all = {
            definition.name.value: definition
            for definition in full.definitions
            if isinstance(definition, TypeDefinitionNode)
        }
        self._fields = asked.fields
        self._types: set[str] = set()
        pending = asked.types | {owner for owner, _ in asked.fields}
        while pending:
            self._types |= pending
            pending = {need for name in self._types for need in self._needs(name)} - self._types

    def definitions(self) -> Iterator[DefinitionNode]:
        """The kept definitions, by name."""
        for name in sorted(self._types & self._all.keys()):
            definition = self._all[name]
            yield self._kept(definition) if isinstance(definition, _Composite) else definition

    def _needs(self, name: str) -> Iterator[str]:
        match self._all.get(name):  # None: one of GraphQL's own scalars
            case InputObjectTypeDefinitionNode(fields=fields):
                yield from (_named(item.type) for item in fields or ())
            case UnionTypeDefinitionNode(types=members):
                yield from (member.name.value for member in members or ())
            case ObjectTypeDefinitionNode() | InterfaceTypeDefinitionNode() as definition:
                for item in self._kept_fields(definition):
                    yield _named(item.type)
                    yield from (_named(argument.type) for argument in item.arguments or ())
                yield from self._members(name)
            case _:
                return

    def _members(self, interface: str) -> Iterator[str]:
        if interface not in _OPEN:
            for name, definition in self._all.items():
                if isinstance(definition, _Composite) and interface in _interfaces(definition):
                    yield name

    def _kept(self, definition: _Composite) -> _Composite:
        interfaces = definition.interfaces or ()
        return replace(
            definition,
            fields=tuple(self._kept_fields(definition)),
            interfaces=tuple(item for item in interfaces if item.name.value in self._types),
        )

    def _kept_fields(self, definition: _Composite) -> Iterator[FieldDefinitionNode]:
        owners = {definition.name.value, *(_interfaces(definition) & self._types)}
        names = {name for owner, name in self._fields if owner in owners}
        for item in definition.fields or ():
            if item.name.value in names:
                names.discard(item.name.value)  # the field that stands twice is kept once
                yield item


def _interfaces(definition: _Composite) -> set[str]:
    return {item.name.value for item in definition.interfaces or ()}


def _named(node: TypeNode) -> str:
    while isinstance(node, ListTypeNode | NonNullTypeNode):
        node = node.type
    assert isinstance(node, NamedTypeNode)  # noqa: S101 - for the type checkers
    return node.name.value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
