"""A run's summary for people, and the summary of a run that did not get to write its own. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncer.audit.report import AuditSummary, audit_lines
from syncer.report import Connections, Conversations, Problem, Summary
from syncer.session import Metered

__all__ = ["failed", "in_lines", "problem_lines"]

_SHOWN = 20


def failed(
    repository: str, asked: Metered, status: int, message: str, duration_s: float
) -> Summary:
    """The object of a repository that could not be worked on: every key, and nothing known."""
    return Summary(
        repository=repository,
        complete=False,
        conversations=Conversations(total=0, read=0, unchanged=0, incomplete=0, behind=0),
        connections=Connections(exhausted=0, short=0, cut=0, unknown=0),
        requests=asked.requests,
        points=asked.points,
        points_planned=asked.points_planned,
        duration_s=round(duration_s, 3),
        sinks={},
        problems=(),
        exit=status,
        message=message,
    )


def in_lines(summary: Summary) -> Iterator[str]:
    """The summary in a few aligned lines; why it stopped is said elsewhere."""
    yield f"{summary.repository}: {_verdict(summary)}"
    if summary.conversations.total or summary.message is None:
        yield from _counts(summary)
    yield (
        f"  cost           {summary.requests} requests, {summary.points} points "
        f"({summary.points_planned} planned), {summary.duration_s:.1f} s"
    )
    if isinstance(summary, AuditSummary):
        yield from audit_lines(summary.audit)
    for name, done in summary.sinks.items():
        yield f"  {name:<14} {done.written} written, {done.moved} moved, {done.removed} removed"
    yield from problem_lines(summary.problems)


def problem_lines(problems: Sequence[Problem]) -> Iterator[str]:
    """One line a problem, as far as a screen bears them; the rest is counted."""
    for problem in problems[:_SHOWN]:
        where = "repository" if problem.number is None else f"#{problem.number}"
        reason = f" ({problem.reason})" if problem.reason else ""
        yield f"  {'missing':<14} {where} {problem.connection}: {problem.status}{reason}"
    if len(problems) > _SHOWN:
        yield f"  {'':<14} and {len(problems) - _SHOWN} more; --json lists them all"


def _verdict(summary: Summary) -> str:
    if summary.exit == 0:
        return "complete"
    return (
        f"incomplete, exit {summary.exit}" if summary.exit == 3 else f"stopped, exit {summary.exit}"
    )


def _counts(summary: Summary) -> Iterator[str]:
    pulls, lists = summary.conversations, summary.connections
    yield (
        f"  conversations  {pulls.total} known: {pulls.read} read, {pulls.unchanged} unchanged, "
        f"{pulls.incomplete} incomplete, {pulls.behind} behind"
    )
    yield (
        f"  connections    {lists.exhausted} exhausted, {lists.short} short, {lists.cut} cut, "
        f"{lists.unknown} unknown"
    )
