"""Documents: parsed and checked against the schema once per text, refused in GitHub's words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    execute_sync,  # pyright: ignore[reportUnknownVariableType] - its hooks are not typed
    get_named_type,
    get_variable_values,
    parse,
    validate,
    visit,
)
from graphql.execution.values import VariableValues
from graphql.validation import FieldsOnCorrectTypeRule, specified_rules

__all__ = ["Document", "Documents", "RefusedDocument", "undefined_field"]

Payload = dict[str, Any]

_OTHER_RULES = tuple(rule for rule in specified_rules if rule is not FieldsOnCorrectTypeRule)


class RefusedDocument(Exception):  # noqa: N818 - the answer is the list of errors, with status 200
    """The request is not executed; `errors` says why."""

    def __init__(self, errors: list[Payload]) -> None:
        super().__init__(errors[0]["message"])
        self.errors = errors


@dataclass(frozen=True)
class Document:
    """A valid document. `uses` names every (type, field) in it."""

    operations: tuple[OperationDefinitionNode, ...]
    fragments: dict[str, FragmentDefinitionNode]
    uses: frozenset[tuple[str, str]]

    def operation(self, name: str | None) -> OperationDefinitionNode:
        """The operation called `name`, or the only one. Raises RefusedDocument."""
        named = [
            op for op in self.operations if name is None or (op.name and op.name.value == name)
        ]
        if len(named) != 1:
            raise RefusedDocument([{"message": f"No operation named {name!r}"}])
        if named[0].operation is not OperationType.QUERY:
            raise RefusedDocument([{"message": "Only queries are simulated"}])
        return named[0]


class Documents:
    """The documents that a schema allows, kept by their text."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self.schema = schema
        self._known: dict[str, Document] = {}

    def get(self, text: str) -> Document:
        """The document with this text. Raises RefusedDocument."""
        if text not in self._known:
            self._known[text] = self._read(text)
        return self._known[text]

    def variables(self, operation: OperationDefinitionNode, given: Any) -> VariableValues:
        """The coerced variables. Raises RefusedDocument."""
        found = get_variable_values(
            self.schema, list(operation.variable_definitions or ()), given or {}
        )
        if isinstance(found, list):
            raise RefusedDocument([_plain(error) for error in found])
        return found

    def introspect(self, document: Document, variables: VariableValues) -> Payload:
        """The answer to a question about the schema itself."""
        tree = DocumentNode(definitions=(*document.operations, *document.fragments.values()))
        told = execute_sync(self.schema, tree, variable_values=dict(variables.coerced))
        return dict(told.formatted)

    def _read(self, text: str) -> Document:
        try:
            tree = parse(text, no_location=False)
        except GraphQLError as error:
            raise RefusedDocument([_plain(error)]) from None
        fields = _Fields(self.schema)
        visit(tree, TypeInfoVisitor(fields.types, fields))
        if fields.undefined:
            raise RefusedDocument(fields.undefined)
        if errors := validate(self.schema, tree, _OTHER_RULES):
            raise RefusedDocument([_plain(error) for error in errors])
        definitions = tree.definitions
        return Document(
            tuple(d for d in definitions if isinstance(d, OperationDefinitionNode)),
            {d.name.value: d for d in definitions if isinstance(d, FragmentDefinitionNode)},
            frozenset(fields.uses),
        )


class _Fields(Visitor):
    """Collects the fields of a document, and those that the schema does not have."""

    def __init__(self, schema: GraphQLSchema) -> None:
        super().__init__()
        self.types = TypeInfo(schema)
        self.uses: set[tuple[str, str]] = set()
        self.undefined: list[Payload] = []

    def enter_field(self, node: FieldNode, *_: Any) -> None:
        """Note the field under the type on which it is asked."""
        parent = self.types.get_parent_type()
        if parent is None:
            return
        type_name, name = get_named_type(parent).name, node.name.value
        self.uses.add((type_name, name))
        if self.types.get_field_def() is None:
            self.undefined.append(undefined_field(type_name, name, _locations(node)))


def undefined_field(type_name: str, name: str, locations: list[Payload] | None = None) -> Payload:
    """What GitHub answers to a field that its schema lacks."""
    return {
        "path": ["query", name],
        "extensions": {"code": "undefinedField", "typeName": type_name, "fieldName": name},
        "locations": locations or [],
        "message": f"Field '{name}' doesn't exist on type '{type_name}'",
    }


def _plain(error: GraphQLError) -> Payload:
    locations = [{"line": place.line, "column": place.column} for place in error.locations or ()]
    return {"message": error.message, "locations": locations}


def _locations(node: FieldNode) -> list[Payload]:
    if node.loc is None:
        return []
    token = node.loc.start_token
    return [{"line": token.line, "column": token.column}]
