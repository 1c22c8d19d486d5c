"""What a run did and how complete the result is: the one object a line that `--json` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from syncer.errors import WORST_FIRST
from syncer.evidence import Evidence, Status
from syncer.reading.assemble import CONTRADICTION
from syncer.sink import Applied

__all__ = ["Connections", "Conversations", "Problem", "Summary", "exit_of", "problems_of", "worst"]


class Conversations(Struct, frozen=True, rename="camel", kw_only=True):
    """Counts of pull requests. `incomplete` have a connection that is not exhausted."""

    total: int
    read: int
    unchanged: int
    incomplete: int
    behind: int


class Connections(Struct, frozen=True, rename="camel", kw_only=True):
    """Counts of connections by status."""

    exhausted: int
    short: int
    cut: int
    unknown: int


class Problem(Struct, frozen=True, rename="camel", kw_only=True):
    """One thing that is known incomplete. `number` None: it concerns the whole repository."""

    number: int | None
    connection: str
    status: str
    reason: str | None


class Summary(Struct, frozen=True, rename="camel", kw_only=True):
    """A run of one repository."""

    repository: str
    complete: bool
    conversations: Conversations
    connections: Connections
    requests: int
    points: int
    points_planned: int
    duration_s: float
    sinks: Mapping[str, Applied]
    problems: tuple[Problem, ...]
    exit: int
    message: str | None = None  # why the run stopped, and what to do


def problems_of(unfinished: Iterable[tuple[int, Evidence]]) -> list[Problem]:
    """Every connection that is not exhausted, and every contradiction in GitHub's own fields."""
    return [
        Problem(
            number=number,
            connection=evidence.name.value,
            status=_told(evidence),
            reason=evidence.reason,
        )
        for number, evidence in unfinished
        if _told(evidence) != Status.EXHAUSTED
    ]


def _told(evidence: Evidence) -> str:
    odd = (evidence.reason or "").startswith(CONTRADICTION)
    return "contradiction" if odd and evidence.status is Status.EXHAUSTED else evidence.status.value


def exit_of(problems: Iterable[Problem]) -> int:
    """0 when nothing is known incomplete, else 3. A contradiction is no lack: it only is told."""
    return 3 if any(problem.status != "contradiction" for problem in problems) else 0


def worst(statuses: Iterable[int]) -> int:
    """The exit status of several repositories together; an interruption outweighs all."""
    found = set(statuses)
    signals = [status for status in found if status not in WORST_FIRST]
    return max(signals, default=next((one for one in WORST_FIRST if one in found), 0))
