"""From the bytes of a request to a reply: who asks, what it costs, what is refused or said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
from graphql import FieldNode, GraphQLSchema, OperationDefinitionNode, SelectionSetNode
from graphql.execution.values import VariableValues

from syncer.testing.github import faults
from syncer.testing.github.billing import Bill, bill
from syncer.testing.github.clock import Clock, stamp
from syncer.testing.github.context import Context, RateLimit
from syncer.testing.github.documents import Document, Documents, RefusedDocument, undefined_field
from syncer.testing.github.execution import Execution
from syncer.testing.github.fault_kinds import Cut, Heavy, Older, Respond, Rewrite, Wire
from syncer.testing.github.journal import Entry
from syncer.testing.github.limits import Budget, Minute
from syncer.testing.github.replies import Reply, encoded, headers_of, scripted
from syncer.testing.github.requests import Asked
from syncer.testing.github.rules import Rule, watch
from syncer.testing.github.viewers import Viewer
from syncer.testing.github.world import World, pull_of

__all__ = ["Answering", "Prepared"]


class _Body(msgspec.Struct, rename="camel"):
    query: str
    variables: dict[str, Any] | None = None
    operation_name: str | None = None


_body = msgspec.json.Decoder(_Body)


@dataclass
class Prepared:
    """A request that has been read and priced, but not executed.

    `refusal` is the answer where its document or variables do not fit the schema.
    """

    asked: Asked
    viewer: Viewer | None
    new_ids: bool
    bill: Bill = field(default_factory=Bill)
    document: Document | None = None
    operation: OperationDefinitionNode | None = None
    variables: VariableValues | None = None
    refusal: Respond | None = None
    produced: int = 0
    cost: int = 0
    seconds: float = 0.0  # for how long it was held


class Answering:
    """Answers prepared requests over a world."""

    def __init__(
        self,
        world: World,
        clock: Clock,
        schema: GraphQLSchema,
        tokens: Mapping[str, Viewer],
        retry_after: str | None,
    ) -> None:
        self.minute = Minute()
        self.seconds = Minute()
        self._world = world
        self._clock = clock
        self._documents = Documents(schema)
        self._tokens = tokens
        self._budgets: dict[str, Budget] = {}
        self._secondary = faults.secondary_limit(403, retry_after)

    # -- reading

    def prepare(self, k: int, headers: Mapping[str, str], body: bytes) -> Prepared:
        """Read and price a request; nothing is billed yet."""
        given = {name.lower(): value for name, value in headers.items()}
        token = _token(given.get("authorization", ""))
        out = Prepared(
            Asked(k, token),
            None if token is None else self._tokens.get(token),
            given.get("x-github-next-global-id") == "1",
        )
        try:
            self._read(out, _body.decode(body))
        except RefusedDocument as refused:
            out.refusal = Respond(body={"errors": refused.errors})
        except msgspec.MsgspecError:
            out.refusal = Respond(status=400, body={"message": "Problems parsing JSON"})
        return out

    def _read(self, out: Prepared, body: _Body) -> None:
        out.document = self._documents.get(body.query)
        out.operation = out.document.operation(body.operation_name)
        out.variables = self._documents.variables(out.operation, body.variables)
        fragments = out.document.fragments
        out.bill = bill(self._documents.schema, out.operation, fragments, out.variables)
        priced = out.bill
        pulls = (pull_of(self._world.find(text)) for text in priced.ids)
        out.asked = replace(
            out.asked,
            operation=out.operation.name.value if out.operation.name else "",
            kinds=dict(priced.kinds),
            ids=tuple(priced.ids),
            numbers=frozenset(priced.numbers | {p.number for p in pulls if p is not None}),
            first=priced.first,
            cursors=priced.cursors,
            connections=priced.connections,
            nodes=priced.nodes,
            cost=priced.cost,
            uses=out.document.uses,
            text=body.query,
        )

    # -- answering

    def reply(self, prepared: Prepared, struck: list[Rule], crowded: bool) -> tuple[Reply, Entry]:
        """The reply, and its entry in the log. `crowded`: too many requests run at once."""
        budget = self._budget(prepared.viewer)
        instead = self._instead(prepared, struck, budget, crowded)
        if instead is None:
            reply = self._executed(prepared, struck, budget)
        else:
            if instead.billed:
                self._charge(prepared, budget)
            headers = headers_of(self._clock, prepared.asked.k, budget)
            reply = scripted(instead, self._clock, headers)
        for rule in struck:
            if isinstance(rule.fault, Cut):
                reply.wire = rule.fault.wire
        return reply, self._entry(prepared, reply)

    def _budget(self, viewer: Viewer | None) -> Budget | None:
        if viewer is None:
            return None
        budget = self._budgets.setdefault(viewer.login, Budget(viewer.limit))
        return budget.at(self._clock.now())

    def _instead(
        self, prepared: Prepared, struck: list[Rule], budget: Budget | None, crowded: bool
    ) -> Respond | None:
        """The answer that is given without executing anything, if there is one."""
        for rule in struck:
            fault = rule.fault
            if isinstance(fault, Respond):
                rule.apply()
                return fault
            if isinstance(fault, Older) and (
                (fault.type_name, fault.field_name) in prepared.asked.uses
            ):
                rule.apply()
                error = undefined_field(fault.type_name, fault.field_name)
                return Respond(body={"errors": [error]})
        if budget is None:
            return faults.bad_credentials()
        if prepared.refusal is not None:
            return prepared.refusal
        if crowded or self._too_fast(prepared.bill.cost):
            return self._secondary
        if budget.remaining == 0 and not prepared.bill.dry_run:
            return Respond(body=faults.primary_limit().body)
        if prepared.bill.problems:
            return Respond(body={"data": None, "errors": prepared.bill.problems})
        return None

    def _too_fast(self, points: int) -> bool:
        now = self._clock.now()
        return not (self.minute.allows(points, now) and self.seconds.allows(0.0, now))

    def _charge(self, prepared: Prepared, budget: Budget | None) -> None:
        if budget is None or prepared.bill.dry_run:
            return
        prepared.cost = prepared.bill.cost
        budget.charge(prepared.cost)
        self.minute.charge(prepared.cost, self._clock.now())

    def _executed(self, prepared: Prepared, struck: list[Rule], budget: Budget | None) -> Reply:
        assert budget is not None
        assert prepared.viewer is not None
        self._charge(prepared, budget)
        context = Context(
            self._world, prepared.viewer, prepared.new_ids, _rate(prepared.bill, budget)
        )
        watch(struck, context)
        payload = self._run(prepared, context)
        prepared.produced = context.produced
        headers = headers_of(self._clock, prepared.asked.k, budget)
        for rule in struck:
            if isinstance(rule.fault, Heavy) and context.produced > rule.fault.nodes:
                rule.apply()
                return scripted(rule.fault.instead, self._clock, headers)
        reply = Reply(200, headers, encoded(payload))
        for rule in struck:
            if isinstance(rule.fault, Rewrite):
                _rewrite(reply, rule, rule.fault)
        return reply

    def _run(self, prepared: Prepared, context: Context) -> dict[str, Any]:
        assert prepared.document is not None
        assert prepared.operation is not None
        assert prepared.variables is not None
        operation = prepared.operation
        if _introspects(operation):
            return self._documents.introspect(prepared.document, prepared.variables)
        execution = Execution(
            self._documents.schema, prepared.document.fragments, prepared.variables, context
        )
        data = execution.run(_price_only(operation) if prepared.bill.dry_run else operation)
        return {"data": data} | ({"errors": execution.errors} if execution.errors else {})

    def _entry(self, prepared: Prepared, reply: Reply) -> Entry:
        asked = prepared.asked
        return Entry(
            k=asked.k,
            time=self._clock.stamp(),
            operation=asked.operation,
            kinds=dict(asked.kinds),
            ids=len(asked.ids),
            connections=asked.connections,
            nodes=prepared.produced,
            cost=prepared.cost,
            seconds=prepared.seconds,
            status=0 if reply.wire is Wire.RESET else reply.status,
            bytes=len(reply.body),
        )


def _rewrite(reply: Reply, rule: Rule, fault: Rewrite) -> None:
    changed = fault.change(reply.body)
    if changed != reply.body:
        rule.apply()
        reply.body = changed
        reply.headers |= fault.headers


def _rate(priced: Bill, budget: Budget) -> RateLimit:
    assert budget.resets_at is not None
    return RateLimit(
        priced.cost,
        budget.limit,
        priced.nodes,
        budget.remaining,
        stamp(budget.resets_at),
        budget.used,
    )


def _introspects(operation: OperationDefinitionNode) -> bool:
    """Whether the question is about the schema alone."""
    fields = [node for node in operation.selection_set.selections if isinstance(node, FieldNode)]
    return any(node.name.value in ("__schema", "__type") for node in fields)


def _price_only(operation: OperationDefinitionNode) -> OperationDefinitionNode:
    """The part of `operation` that is answered when only its price is asked for."""
    selections = tuple(
        node
        for node in operation.selection_set.selections
        if isinstance(node, FieldNode) and node.name.value == "rateLimit"
    )
    return OperationDefinitionNode(
        operation=operation.operation,
        name=operation.name,
        variable_definitions=operation.variable_definitions,
        directives=operation.directives,
        selection_set=SelectionSetNode(selections=selections),
    )


def _token(authorization: str) -> str | None:
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() in ("bearer", "token") and token else None
