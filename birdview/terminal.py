"""Answers as lines for a terminal: coverage first, then what happened, each item with its link.

What people wrote passes without its control characters: a title must not move anybody's cursor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from msgspec import UNSET

from birdview.envelope import Citation, Coverage, Envelope, Finding, Pull, Synthesis, WindowShown
from birdview.standing import PullList, PullRow, SyncStatus
from syncer.evidence import Status
from syncer.history import Found, NodeKind, NodeRef
from syncer.records import Actor, Comment, Conversation, Thread

__all__ = ["conversation_lines", "envelope_lines", "list_lines", "plain", "status_lines"]

_KINDS = ("themes", "decisions", "friction", "outcomes", "notable events")
_LINKS = 5  # of one finding; the rest stand in --json


def plain(text: str) -> str:
    """`text` on one line, without characters that a terminal would obey."""
    return " ".join(_lines(text))


def envelope_lines(envelope: Envelope) -> Iterator[str]:
    """An exploration: what is proven, what happened, and the pull requests."""
    yield _window(envelope.window, envelope.resolution)
    yield from _coverage(envelope.coverage)
    yield ""
    yield from _synthesis(envelope.synthesis, envelope.citations)
    yield ""
    for pull in envelope.pulls:
        yield _pull(pull)
    for cut in envelope.coverage.truncated:
        yield f"({cut.what}: {cut.shown} shown, {cut.left_out} left out)"
    yield ""
    yield "Not an authority: follow the links before you rely on it."


def list_lines(found: PullList) -> Iterator[str]:
    """Rows, one a line, and how many there are."""
    for row in found.rows:
        yield _row(row)
    total = "an unknown number" if found.total is None else found.total
    first = found.start + 1 if found.rows else found.start
    yield f"{first} to {found.start + len(found.rows)} of {total}"
    if found.unread:
        yield f"{len(found.unread)} more are known and were never read"


def status_lines(found: SyncStatus) -> Iterator[str]:
    """How one corpus stands."""
    verdict = "complete" if found.complete else "not proven complete"
    yield f"{found.origin}: {verdict} as of {_moment(found.as_of)}"
    yield f"  census        {_known(found.expected)} claimed, {_known(found.found)} known"
    if found.complaint:
        yield f"  census        {plain(found.complaint)}"
    yield (
        f"  files         {found.active} active, {found.archived} in {found.releases} releases"
        f" (latest: {plain(found.latest_release or 'none')})"
    )
    for one in found.incomplete:
        words = " ".join(filter(None, (one.connection, one.status, one.reason)))
        yield f"  #{one.number}  {words}"
    if (more := found.incomplete_total - len(found.incomplete)) > 0:
        yield f"  and {more} more"


def conversation_lines(found: Found) -> Iterator[str]:
    """One conversation, whole; or the node alone that was asked for, with its thread."""
    pull = found.snapshot.conversation
    yield f"#{pull.number} {plain(pull.title)}"
    yield f"{found.url}  {pull.state.lower()}, {_author(pull.author)}, {_moment(pull.created_at)}"
    lacking = [
        f"{name}: {one.status}{f' ({one.reason})' if one.reason else ''}"
        for name, one in found.snapshot.judged().items()
        if one.status is not Status.EXHAUSTED
    ]
    if found.is_behind:
        lacking.append("behind: GitHub holds a newer state")
    yield "read to the end" if not lacking else "; ".join(lacking)
    for block in _blocks(pull, found.node):
        yield ""
        yield from block


def _lines(text: str) -> list[str]:
    """The lines of `text` as LF ends them, without characters that a terminal would obey."""
    return ["".join(_printable(c) for c in line) for line in text.split("\n")] if text else []


def _printable(character: str) -> str:
    # The joiner of emoji families is no letter, and harmless.
    if character.isprintable() or character == "\u200d":
        return character
    return "    " if character == "\t" else "\ufffd"


def _window(window: WindowShown, resolution: str) -> str:
    start = "the beginning" if window.window_start_iso is None else _moment(window.window_start_iso)
    name = window.release if window.release is not UNSET else window.preset
    named = f" ({plain(name)})" if name else ""
    if window.window_end_iso is None:
        return f"Window{named}: not known; {resolution}"
    end = _moment(window.window_end_iso)
    return f"Window{named}: from {start} until just before {end}; {resolution}"


def _coverage(coverage: Coverage) -> Iterator[str]:
    census = coverage.census
    total = _known(coverage.total_resolved)
    yield f"Resolved: {total}; proven whole: {coverage.included}; not: {coverage.excluded}"
    yield (
        f"Census: {census.status} ({census.source}), as of {_moment(census.as_of)}, "
        f"{_known(census.expected)} claimed, {_known(census.found)} known"
    )
    children = coverage.child_evidence
    counts = (
        ("comments", children.comments),
        ("reviews", children.reviews),
        ("threads", children.review_threads),
        ("thread comments", children.review_thread_comments),
    )
    said = ", ".join(f"{one.fetched} of {_known(one.expected)} {name}" for name, one in counts)
    yield f"Said: {said}"
    for reason in coverage.degraded_reasons:
        pulls = "" if reason.pulls is UNSET else f" ({_numbers(reason.pulls)})"
        yield f"! {reason.code}: {plain(reason.detail)}{pulls}"


def _synthesis(synthesis: Synthesis, citations: Iterable[Citation]) -> Iterator[str]:
    if not synthesis.available:
        yield f"No narrative: {synthesis.reason}"
        return
    links = {one.id: one.url for one in citations}
    yield from _lines(synthesis.narrative or "")
    if synthesis.partial:
        yield "(partial: it rests on less than the whole window)"
    found = (
        synthesis.themes,
        synthesis.decisions,
        synthesis.friction,
        synthesis.outcomes,
        synthesis.notable_events,
    )
    for kind, findings in zip(_KINDS, found, strict=True):
        if findings:
            yield ""
            yield kind.capitalize()
        for finding in findings:
            yield from _finding(finding, links)


def _finding(finding: Finding, links: dict[str, str]) -> Iterator[str]:
    yield f"- {plain(finding.summary)}"
    found = list(dict.fromkeys(links[one.citation] for one in finding.evidence))
    for link in found[:_LINKS]:
        yield f"    {link}"
    if len(found) > _LINKS:
        yield f"    and {len(found) - _LINKS} more"


def _pull(pull: Pull) -> str:
    mark = " " if pull.complete else "!"
    title = "(file damaged)" if pull.title is None else plain(pull.title)
    return f"{mark} {_moment(pull.resolved_at)}  {pull.resolution:<15}  {pull.url}  {title}"


def _row(row: PullRow) -> str:
    mark = " " if row.complete else "!"
    title = "(file damaged)" if row.title is None else plain(row.title)
    return f"{mark} {row.state:<15}  {row.url}  {title}"


def _blocks(pull: Conversation, node: NodeRef) -> Iterator[list[str]]:
    whole = node.kind is NodeKind.PULL
    if whole:
        yield [f"  {line}" for line in _lines(pull.body)]
    for comment in pull.comments:
        if whole or comment.id == node.id:
            yield _entry("commented", comment)
    for review in pull.reviews:
        if whole or review.id == node.id:
            yield _entry(f"reviewed ({review.state})", review)
    for thread in pull.review_threads:
        if whole or thread.id in {node.id, node.thread}:
            yield _thread(thread, node)


def _thread(thread: Thread, node: NodeRef) -> list[str]:
    state = "resolved" if thread.is_resolved else "open"
    lines = [f"{plain(thread.path)} ({state})"]
    for comment in thread.comments:
        mark = "> " if comment.id == node.id else "  "
        lines += [mark + line for line in _entry("commented", comment)]
    return lines


def _entry(verb: str, entry: Comment) -> list[str]:
    reason = plain(entry.minimized_reason or "no reason")
    hidden = f" [hidden: {reason}]" if entry.is_minimized else ""
    head = f"{_author(entry.author)} {verb} on {_moment(entry.created_at)}{hidden}"
    return [head, *(f"  {line}" for line in _lines(entry.body))]


def _author(author: Actor | None) -> str:
    return "(deleted account)" if author is None else f"@{plain(author.login)}"


def _moment(moment: datetime | None) -> str:
    return "(never proven)" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}Z"


def _known(number: int | None) -> str:
    return "an unknown number" if number is None else str(number)


def _numbers(numbers: tuple[int, ...]) -> str:
    shown = ", ".join(f"#{number}" for number in numbers[:10])
    return shown if len(numbers) <= 10 else f"{shown} and {len(numbers) - 10} more"
