"""The one door to GitHub: typed questions of one repository, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

from msgspec.structs import replace

from queries import Document, compose, load, variables
from syncer.errors import ContractError, TooHeavyError, UndefinedFieldError
from syncer.evidence import Connection
from syncer.github import batches, listings
from syncer.github.access import Endpoint
from syncer.github.answers import (
    Answer,
    BatchAnswer,
    ChangeRow,
    Fault,
    Listing,
    Opening,
    Part,
    Row,
    StampedRow,
)
from syncer.github.asking import Asker, Question, Read
from syncer.github.forms import STAMPED, WHOLE, Form
from syncer.github.governor import Governor, Lane
from syncer.github.lacks import CLOSING_ISSUES, Lack
from syncer.github.retry import Patience
from syncer.github.throttle import Limits
from syncer.github.token import Credentials
from syncer.github.transport import Transport, WireTransport
from syncer.records import Label
from syncer.repository import Release

__all__ = ["GitHub", "price"]

T = TypeVar("T", bound=Answer)

# https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
MAX_IDS = MAX_PAGE = 100
MAX_NODES = 500_000


def price(connections: int) -> int:
    """The points that GitHub bills for so many connections: a hundredth each, rounded, at least 1.

    https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
    """
    return max(1, (connections + 50) // 100)


class GitHub:
    """Questions about one repository. `async with` opens and closes the connection.

    Every call waits for its turn at the governor and retries what may pass. Raises, beside what a
    call names: TransientError when retries are used up, BudgetError, RefusedError, ContractError.
    Calls may run at the same time. `transport` replaces the wire, for tests.
    """

    def __init__(
        self,
        credentials: Credentials,
        governor: Governor,
        *,
        name: str,
        endpoint: Endpoint | None = None,
        transport: Transport | None = None,
        max_points: int | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._transport = transport or WireTransport(endpoint or Endpoint(), credentials)
        self._governor = governor
        self._lane = Lane(name, max_points)
        self._asker = Asker(
            self._transport,
            credentials,
            governor,
            self._lane,
            patience=patience,
        )
        self._without: frozenset[Lack] = frozenset()

    async def __aenter__(self) -> Self:
        await self._transport.connect()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._transport.close()

    @property
    def concurrency(self) -> int:
        """How many requests the server currently bears at once."""
        return self._governor.concurrency

    @property
    def nodes_limit(self) -> int:
        """How many expected nodes a request the server currently bears."""
        return self._governor.nodes_limit

    @property
    def requests(self) -> int:
        """Requests sent, repeated ones included."""
        return self._asker.requests

    @property
    def points(self) -> int:
        """Points billed, as far as answers told."""
        return self._lane.spent

    @property
    def points_planned(self) -> int:
        """Points that all requests sent should have been billed by our own model."""
        return self._asker.points_planned

    @property
    def limits(self) -> Limits | None:
        """The hour's budget as last told; None where the server tracks none."""
        return self._governor.limits

    @property
    def unsupported(self) -> tuple[str, ...]:
        """`Type.field` of what the server's schema lacks and is no longer asked for, sorted."""
        return tuple(sorted(".".join(lack) for lack in self._without))

    async def opening(self, owner: str, name: str) -> Opening:
        """The first answer of a run. It cannot be made smaller: too heavy counts as a fault."""
        asked = {"owner": owner, "name": name}
        document = partial(load, "opening")
        return await self._ask(document, asked, listings.opening_in, connections=2, rigid=True)

    async def releases(self, repository: str, after: str | None) -> Listing[Release]:
        """A page of a hundred releases after the cursor `after`. Too heavy counts as a fault."""
        asked = {"repository": repository, "first": 100, "after": after}
        read = partial(listings.releases_in, after=after)
        return await self._ask(partial(load, "releases"), asked, read, rigid=True)

    async def census(self, repository: str, first: int, after: str | None) -> Listing[Row]:
        """A page of `first` full rows in the order of creation.

        Raises TooHeavyError (ask for fewer) and CursorRefusedError at once.
        """
        asked = {"repository": repository, "first": first, "after": after}
        read = partial(listings.census_in, after=after)
        return await self._ask(partial(load, "census"), asked, read)

    async def changes(self, repository: str, first: int, after: str | None) -> Listing[ChangeRow]:
        """A page of `first` light rows, the newest change first.

        Raises TooHeavyError (ask for fewer) and CursorRefusedError at once.
        """
        asked = {"repository": repository, "first": first, "after": after}
        read = partial(listings.changes_in, after=after)
        return await self._ask(partial(load, "changes"), asked, read)

    async def batch(self, parts: Sequence[Part], *, nodes: int | None = None) -> BatchAnswer:
        """One page, row or fault for every id of every part, in one request.

        `nodes` is the expected size, by which the governor learns what is too large; left out, the
        largest possible size counts. A connection that the server's schema lacks is not asked for:
        its ids come back as faults, `unsupported`. Raises TooHeavyError (ask for less), and
        CursorRefusedError where GitHub does not say whose cursor it was, at once.
        """
        return await self._batched(WHOLE, parts, nodes)

    async def stamped_census(
        self, repository: str, first: int, after: str | None
    ) -> Listing[StampedRow]:
        """A page of `first` rows without words, as `census` gives whole ones."""
        asked = {"repository": repository, "first": first, "after": after}
        read = partial(listings.stamped_census_in, after=after)
        return await self._ask(partial(load, "stampedCensus"), asked, read)

    async def stamps(self, parts: Sequence[Part], *, nodes: int | None = None) -> BatchAnswer:
        """As `batch`, for entries without words and StampedRows in the place of whole ones."""
        return await self._batched(STAMPED, parts, nodes)

    async def labels(self, repository: str, after: str | None) -> Listing[Label]:
        """A page of a hundred of the repository's labels. Too heavy counts as a fault."""
        asked = {"repository": repository, "first": 100, "after": after}
        read = partial(listings.labels_in, after=after)
        return await self._ask(partial(load, "repositoryLabels"), asked, read, rigid=True)

    async def _batched(self, form: Form, parts: Sequence[Part], nodes: int | None) -> BatchAnswer:
        while True:
            without = self._without
            asked = [part for part in parts if not _is_lacking(part, without)]
            lacking = [part for part in parts if _is_lacking(part, without)]
            try:
                found = await self._once(form, asked, without, nodes) if asked else self._nothing()
            except UndefinedFieldError as exc:
                self._leave_out(exc, without)
            else:
                return replace(found, faults=found.faults + _unsupported(lacking))

    async def _once(
        self, form: Form, parts: Sequence[Part], without: frozenset[Lack], nodes: int | None
    ) -> BatchAnswer:
        parts = sorted(parts, key=lambda part: part.name)  # few orders are few documents to print
        largest = _checked_size(parts)
        connections = sum(part.connections for part in parts)
        question = Question(
            document=compose(tuple(form.documents[part.name] for part in parts), without),
            variables=variables([_variables(part) for part in parts]),
            points=price(connections),
            nodes=largest if nodes is None else nodes,
        )
        return await self._asker.ask(question, partial(batches.batch_in, parts=parts, form=form))

    def _nothing(self) -> BatchAnswer:
        # What is lacking was learnt from an answer, so the server's clock is known.
        date = self._governor.server_date
        if date is None:
            raise ContractError("an empty batch was asked for")
        return BatchAnswer(date=date, cost=0, pages=(), rows=(), faults=())

    async def _ask(
        self,
        document: Callable[[frozenset[Lack]], Document],
        asked: Mapping[str, object],
        read: Read[T],
        *,
        connections: int = 1,
        rigid: bool = False,
    ) -> T:
        while True:
            without = self._without
            question = Question(document(without), asked, price(connections), rigid=rigid)
            try:
                return await self._asker.ask(question, read)
            except UndefinedFieldError as exc:
                self._leave_out(exc, without)

    def _leave_out(self, lack: UndefinedFieldError, without: frozenset[Lack]) -> None:
        found = (lack.type_name, lack.field_name)
        if found in without:
            raise ContractError(f"{lack}, and says so although it was not asked for")
        self._without |= {found}


def _checked_size(parts: Sequence[Part]) -> int:
    """The most nodes that `parts` can bring; refused here where GitHub would refuse it."""
    for part in parts:
        if not (1 <= len(part.ids) <= MAX_IDS and 1 <= part.first <= MAX_PAGE):
            raise ContractError(
                f"{len(part.ids)} ids and pages of {part.first} in a part: GitHub takes from 1 to "
                f"{MAX_IDS} ids and pages from 1 to {MAX_PAGE}"
            )
    size = sum(len(part.ids) * (part.first if part.connections else 1) for part in parts)
    if size > MAX_NODES:
        raise TooHeavyError(f"{size} possible nodes: GitHub takes up to {MAX_NODES} a request")
    return size


def _is_lacking(part: Part, without: frozenset[Lack]) -> bool:
    return part.name is Connection.CLOSING_ISSUES and CLOSING_ISSUES in without


def _unsupported(parts: Sequence[Part]) -> tuple[Fault, ...]:
    return tuple(
        Fault(owner=owner, name=part.name, reason="unsupported")
        for part in parts
        for owner in part.ids
    )


def _variables(part: Part) -> dict[str, object]:
    if part.name is Connection.PULL_REQUEST:
        return {"ids": part.ids}
    return {"ids": part.ids, "first": part.first, "after": part.after}
