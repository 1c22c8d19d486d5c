"""Executing a validated operation: each selection becomes a closure once a request, then rows run.

GraphQL's rules for collecting fields, merging, fragments, nulls and errors hold
(https://spec.graphql.org/draft/#sec-Execution); what is left out is what this API has no use for:
mutations, subscriptions and deferred parts. Plain attributes, most of an answer, are read in one
call an object.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    get_named_type,
    is_leaf_type,
)
from graphql.execution.values import (
    VariableValues,
    get_argument_values,
    get_directive_values,
)
from graphql.type import GraphQLIncludeDirective, GraphQLSkipDirective

from syncer.testing.github.connections import CONNECTIONS
from syncer.testing.github.context import Call, Context
from syncer.testing.github.failing import FieldError, Nullified
from syncer.testing.github.fields import DERIVED, SPECIAL, class_of, node_id
from syncer.testing.github.pages import Page, turn

__all__ = ["Execution"]

Complete = Callable[[Any], Any]
Resolve = Callable[[Any], Any]
Selections = tuple[SelectionSetNode, ...]

_INTERNAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Execution:
    """One operation, run once. `errors` is filled while `run` builds the data."""

    def __init__(
        self,
        schema: GraphQLSchema,
        fragments: Mapping[str, FragmentDefinitionNode],
        variables: VariableValues,
        context: Context,
    ) -> None:
        self._schema = schema
        self._fragments = fragments
        self._variables = variables
        self._context = context
        self._path: list[str | int] = []
        self._objects: dict[tuple[str, tuple[int, ...]], Complete] = {}
        self.errors: list[dict[str, Any]] = []

    def run(self, operation: OperationDefinitionNode) -> dict[str, Any] | None:
        """The data of the answer; None where a null went up to the root."""
        query = self._schema.query_type
        assert query is not None
        try:
            data: dict[str, Any] = self._object(query.name, (operation.selection_set,))(None)
        except Nullified:
            return None
        return data

    # -- selections

    def _object(self, type_name: str, selections: Selections) -> Complete:
        """What turns a live object of the type into its answer."""
        key = (type_name, tuple(map(id, selections)))
        if (known := self._objects.get(key)) is None:
            known = self._objects[key] = self._compile(type_name, selections)
        return known

    def _compile(self, type_name: str, selections: Selections) -> Complete:
        fields: dict[str, list[FieldNode]] = {}
        owner_type = self._schema.type_map.get(type_name)
        for selection_set in selections:
            self._collect(type_name, owner_type, selection_set, fields)
        template = dict.fromkeys(fields)
        plain: dict[str, str] = {}
        rest: list[tuple[str, Complete]] = []
        for key, found in fields.items():
            attribute = self._attribute(type_name, owner_type, found[0])
            if attribute is not None:
                plain[key] = attribute
            else:
                rest.append((key, self._field(type_name, owner_type, key, found)))
        return _assembled(template, plain, rest)

    def _collect(
        self,
        type_name: str,
        owner_type: Any,
        selection_set: SelectionSetNode,
        into: dict[str, list[FieldNode]],
    ) -> None:
        for selection in selection_set.selections:
            if not self._included(selection):
                continue
            if isinstance(selection, FieldNode):
                key = (selection.alias or selection.name).value
                into.setdefault(key, []).append(selection)
                continue
            if isinstance(selection, InlineFragmentNode):
                condition, inner = selection.type_condition, selection.selection_set
            else:
                fragment = self._fragments[selection.name.value]  # type: ignore[attr-defined]
                condition, inner = fragment.type_condition, fragment.selection_set
            if condition is None or self._applies(type_name, owner_type, condition.name.value):
                self._collect(type_name, owner_type, inner, into)

    def _included(self, selection: Any) -> bool:
        if not selection.directives:
            return True
        skip = get_directive_values(GraphQLSkipDirective, selection, self._variables)
        include = get_directive_values(GraphQLIncludeDirective, selection, self._variables)
        return not (skip and skip["if"]) and not (include and not include["if"])

    def _applies(self, type_name: str, owner_type: Any, condition: str) -> bool:
        if type_name == condition:
            return True
        wanted = self._schema.type_map[condition]
        if owner_type is None:  # a kind that no schema knows has every interface and is no object
            return isinstance(wanted, GraphQLInterfaceType)
        return isinstance(
            wanted, GraphQLInterfaceType | GraphQLUnionType
        ) and self._schema.is_sub_type(wanted, owner_type)

    # -- fields

    def _attribute(self, type_name: str, owner_type: Any, node: FieldNode) -> str | None:
        """The attribute that is the whole answer of a field, where there is one."""
        name = node.name.value
        if name == "__typename" or (type_name, name) in self._context.field_hooks:
            return None
        if (type_name, name) in DERIVED or (type_name, name) in SPECIAL or name == "id":
            return None
        definition = _definition(self._schema, owner_type, name)
        attribute = _snake(name)
        if not is_leaf_type(get_named_type(definition.type)):
            return None
        return attribute if hasattr(class_of(type_name), attribute) else None

    def _field(self, type_name: str, owner_type: Any, key: str, found: list[FieldNode]) -> Complete:
        name = found[0].name.value
        if name == "__typename":
            return _constant(type_name)
        definition = _definition(self._schema, owner_type, name)
        resolve = self._resolver(type_name, name, definition, found[0])
        selections = tuple(node.selection_set for node in found if node.selection_set is not None)
        nullable = not _is_non_null(definition.type)
        complete = self._complete(_nullable(definition.type), selections)
        path, errors = self._path, self.errors

        def answer(owner: Any) -> Any:
            path.append(key)
            try:
                value = resolve(owner)
                if value is not None and complete is not None:
                    value = complete(value)
            except FieldError as error:
                errors.append(error.payload(path))
                value = None
            except Nullified:
                value = None
            finally:
                path.pop()
            if value is None and not nullable:
                raise Nullified
            return value

        return answer

    def _resolver(self, type_name: str, name: str, definition: Any, node: FieldNode) -> Resolve:
        resolve = self._plain_resolver(type_name, name, definition, node)
        hooks = self._context.field_hooks.get((type_name, name))
        if not hooks:
            return resolve

        def watched(owner: Any) -> Any:
            for hook in hooks:
                if (error := hook(Call(owner, type_name, name, {}))) is not None:
                    raise error
            return resolve(owner)

        return watched

    def _plain_resolver(
        self, type_name: str, name: str, definition: Any, node: FieldNode
    ) -> Resolve:
        context = self._context
        if (derived := DERIVED.get((type_name, name))) is not None:
            return derived
        if (source := CONNECTIONS.get((type_name, name))) is not None:
            args = get_argument_values(definition, node, self._variables)
            return self._connection(type_name, name, source, args)
        if (special := SPECIAL.get((type_name, name))) is not None:
            args = get_argument_values(definition, node, self._variables)
            return lambda owner: special(owner, args, context)
        if name == "id":
            return lambda owner: node_id(owner, context)
        attribute = _snake(name)
        if hasattr(class_of(type_name), attribute):
            return attrgetter(attribute)
        return _not_simulated(type_name, name)

    def _connection(
        self, type_name: str, name: str, source: Any, args: dict[str, Any]
    ) -> Callable[[Any], Page | None]:
        context = self._context

        def page_of(owner: Any) -> Page | None:
            page = turn(source(owner, args, context), args, context.viewer.offset_minutes)
            context.produced += len(page.nodes or ())
            for hook in context.page_hooks:
                changed = hook(Call(owner, type_name, name, args), page)
                if changed is None:
                    return None
                page = changed
            return page

        return page_of

    # -- values

    def _complete(self, kind: Any, selections: Selections) -> Complete | None:
        """What turns a value that is not null into its answer; None where it is one already."""
        if _is_list(kind):
            return self._list(kind.of_type, selections)
        if isinstance(kind, GraphQLObjectType):
            return self._object(kind.name, selections)
        if is_leaf_type(kind):
            return None
        return lambda value: self._object(value.kind, selections)(value)

    def _list(self, item_type: Any, selections: Selections) -> Complete | None:
        nullable = not _is_non_null(item_type)
        complete = self._complete(_nullable(item_type), selections)
        if complete is None:
            return None
        path, errors = self._path, self.errors

        def answer(values: Any) -> list[Any]:
            out: list[Any] = []
            for index, value in enumerate(values):
                item = None
                if isinstance(value, FieldError):
                    errors.append(value.payload([*path, index]))
                elif value is not None:
                    path.append(index)
                    try:
                        item = complete(value)
                    except Nullified:
                        item = None
                    finally:
                        path.pop()
                if item is None and not nullable:
                    raise Nullified
                out.append(item)
            return out

        return answer


def _assembled(
    template: dict[str, None], plain: dict[str, str], rest: list[tuple[str, Complete]]
) -> Complete:
    keys = tuple(plain)
    read = attrgetter(*plain.values()) if plain else None
    single = len(keys) == 1

    def answer(owner: Any) -> dict[str, Any]:
        out: dict[str, Any] = template.copy()
        if read is not None:
            if single:
                out[keys[0]] = read(owner)
            else:
                out.update(zip(keys, read(owner), strict=True))
        for key, field in rest:
            out[key] = field(owner)
        return out

    return answer


def _definition(schema: GraphQLSchema, owner_type: Any, name: str) -> Any:
    """The field `name` of a type; a kind that no schema knows has the fields of its interfaces."""
    if owner_type is not None:
        return owner_type.fields[name]
    for interface in ("Actor", "Node"):
        found = schema.type_map.get(interface)
        if isinstance(found, GraphQLInterfaceType) and name in found.fields:
            return found.fields[name]
    raise FieldError(f"No interface has a field `{name}`.", type="NOT_SIMULATED")


def _constant(value: str) -> Complete:
    return lambda _: value


def _not_simulated(type_name: str, name: str) -> Resolve:
    def fail(_: Any) -> Any:
        raise FieldError(f"The data set has nothing for {type_name}.{name}.", type="NOT_SIMULATED")

    return fail


def _is_list(kind: object) -> bool:
    return isinstance(kind, GraphQLList)


def _is_non_null(kind: object) -> bool:
    return isinstance(kind, GraphQLNonNull)


def _nullable(kind: Any) -> Any:
    return kind.of_type if _is_non_null(kind) else kind


def _snake(name: str) -> str:
    return _INTERNAL.sub("_", name).lower()
