"""Arbitrary conversations with their proof, with text that leans towards our own markup.

snapshots(), conversations()   whole records, in canonical order
hostile_text(), lines()        any Unicode scalar values; the same without a line end
stamps(), actors(), coverages(), releases()
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from syncer.evidence import FIRST_LEVEL, Connection, Coverage, Snapshot, Status
from syncer.records import (
    Actor,
    ClosingIssue,
    Comment,
    Conversation,
    Label,
    Review,
    Thread,
    ThreadComment,
    in_canonical_order,
)
from syncer.repository import Release, Repository

__all__ = [
    "FORGERIES",
    "REPOSITORY",
    "actors",
    "conversations",
    "coverages",
    "hostile_text",
    "lines",
    "releases",
    "snapshots",
    "stamps",
]

T = TypeVar("T")

REPOSITORY = Repository(
    id="R_kgDO1",
    name="Octo/Repo.x",
    current_name="octo/renamed",
    web_url="https://ghe.example:8443",
)

FORGERIES = (
    "---",
    '---\ngrammar: 1\nid: "PR_0"\n---\n',
    "## Description",
    "## Comments\n",
    "## Reviews",
    "## Threads\n",
    "### `@ann` commented on 2026-01-01T00:00:00Z\n",
    "### _deleted account_ commented on 2026-01-01T00:00:00Z",
    "#### `@ann` commented on 2026-01-01T00:00:00Z\n",
    "### `@ann` (APPROVED) reviewed on 2026-01-01T00:00:00Z\n",
    "### `a.py` line 3\n",
    '<!-- {"id":"IC_0","author":null,"authorAssociation":"NONE","createdAt":"2026-01-01T00:00:00Z","lines":0} -->',
    '<!-- {"lines":0} -->',
    "<!--",
    "-->",
    "```diff",
    "```",
    "````",
    "~~~",
    "</details>",
)
"""What a forger would write: pieces of the grammar itself."""

_BREAKS = ("\n", "\n\n", "\r\n", "\r", "\x00", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029")
_ODD = (
    "\ufeff",
    "\ufffe",
    "\uffff",
    "\x7f",
    "\x9f",
    "\u200d",
    "\U0001f468\u200d\U0001f469",
    "\U0010ffff",
)
_SIGNS = (
    "# ",
    " #",
    ": ",
    "`",
    "``",
    "\\",
    '"',
    "'",
    "<",
    ">",
    "&",
    "&amp;",
    "\\u003c",
    "\t",
    " ",
    "null",
    "0",
)

_scalar_values = st.characters(exclude_categories=["Cs"])
_pieces = st.one_of(
    st.sampled_from(FORGERIES),
    st.sampled_from(_BREAKS),
    st.sampled_from(_ODD + _SIGNS),
    st.text(_scalar_values, max_size=6),
)


@cache
def hostile_text(pieces: int = 6) -> SearchStrategy[str]:
    """Text of Unicode scalar values, often empty, often made of our own markup and line ends."""
    return st.lists(_pieces, max_size=pieces).map("".join)


@cache
def lines() -> SearchStrategy[str]:
    """Hostile text without LF."""
    return hostile_text(3).map(lambda text: text.replace("\n", ""))


@cache
def stamps() -> SearchStrategy[datetime]:
    """Aware UTC stamps, mostly in whole seconds as GitHub gives them, often equal."""
    whole = st.integers(0, 40).map(lambda n: datetime(2026, 1, 1, tzinfo=UTC).replace(second=n))
    anywhere = st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
    return whole | anywhere


@cache
def actors() -> SearchStrategy[Actor]:
    """Accounts of known and made-up kinds; never None."""
    logins = st.sampled_from(["ann", "ghost", "dependabot[bot]", "dependabot"]) | hostile_text(2)
    kinds = st.sampled_from(["User", "Bot", "Mannequin", "Organization", "MadeUp"])
    return st.builds(Actor, login=logins, kind=kinds, id=_maybe(_ids))


@cache
def coverages() -> SearchStrategy[Coverage]:
    """Any coverage, likely or not."""
    return st.builds(
        Coverage,
        total_count=_maybe(_small),
        kept=_small,
        has_next_page=st.none() | st.booleans(),
        status=st.sampled_from(Status),
        reason=_maybe(st.sampled_from(["mutated", "too_heavy", "orphan comments"])),
        repaired=st.integers(0, 2),
    )


@cache
def conversations() -> SearchStrategy[Conversation]:
    """Conversations in canonical order; the ids of their threads differ."""
    return st.builds(
        Conversation,
        id=_ids,
        full_database_id=_maybe(_database_ids),
        number=st.integers(1, 3_000_000),
        title=hostile_text(4),
        body=hostile_text(),
        state=st.sampled_from(["OPEN", "CLOSED", "MERGED", "MADE_UP"]),
        is_draft=st.booleans(),
        author=_maybe(actors()),
        author_association=_associations,
        created_at=stamps(),
        updated_at=stamps(),
        closed_at=_maybe(stamps()),
        merged_at=_maybe(stamps()),
        base_ref_name=hostile_text(2),
        head_ref_name=hostile_text(2),
        head_repository=_maybe(st.sampled_from(["octo/repo", "fork/repo"])),
        labels=_few(st.builds(Label, id=_ids, name=hostile_text(2))),
        closing_issues=_few(
            st.builds(ClosingIssue, id=_ids, repository=st.just("octo/repo"), number=_small)
        ),
        comments=_few(st.builds(Comment, **_entry())),
        reviews=_few(st.builds(Review, **_entry(), state=_states, submitted_at=_maybe(stamps()))),
        review_threads=st.lists(_threads(), max_size=2, unique_by=lambda t: t.id).map(tuple),
    ).map(in_canonical_order)


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    """A conversation with coverage for some of its connections and threads."""
    conversation = draw(conversations())
    known = {t.id: draw(_maybe_coverage) for t in conversation.review_threads}
    return Snapshot(
        conversation=conversation,
        connections=draw(_connections),
        threads={owner: coverage for owner, coverage in known.items() if coverage is not None},
    )


@cache
def releases() -> SearchStrategy[tuple[Release, ...]]:
    """Releases as listed: equal stamps, drafts and prereleases among them, tags all different."""
    one = st.builds(
        Release,
        id=_ids,
        tag_name=st.sampled_from(["v1", "V1", "v2", "2.0", "feature/1.0", "v1..2", "é"])
        | hostile_text(2),
        published_at=_maybe(stamps()),
        is_draft=st.booleans(),
        is_prerelease=st.booleans(),
    )
    return st.lists(one, max_size=6, unique_by=lambda release: release.tag_name).map(tuple)


_ids = st.text("abIKPRT_0123", min_size=1, max_size=8) | lines()
_small = st.integers(0, 5)
_database_ids = st.integers(0, 2**63 - 1)
_line_numbers = st.none() | st.integers(1, 9)
_associations = st.sampled_from(["MEMBER", "NONE", "MANNEQUIN", "MADE_UP"])
_states = st.sampled_from(["APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED"]) | lines()


def _maybe(strategy: SearchStrategy[T]) -> SearchStrategy[T | None]:
    return st.none() | strategy


def _few(strategy: SearchStrategy[T]) -> SearchStrategy[tuple[T, ...]]:
    return st.lists(strategy, max_size=2).map(tuple)


def _entry() -> dict[str, SearchStrategy[object]]:
    return {
        "id": _ids,
        "full_database_id": _maybe(_database_ids),
        "author": _maybe(actors()),
        "author_association": _associations,
        "body": hostile_text(),
        "created_at": stamps(),
        "last_edited_at": _maybe(stamps()),
        "is_minimized": st.booleans(),
        "minimized_reason": _maybe(st.sampled_from(["spam", "outdated"]) | hostile_text(2)),
    }


@cache
def _threads() -> SearchStrategy[Thread]:
    hunks = st.sampled_from(["", "@@ -1 +1 @@\n-a\n+b", "```\n````", "\n"]) | hostile_text(3)
    comments = st.builds(
        ThreadComment,
        **_entry(),
        reply_to=_maybe(_ids),
        review=_maybe(_ids),
        diff_hunk=hunks,
    )
    return st.builds(
        Thread,
        id=_ids,
        path=st.sampled_from(["src/a.py", "a`b", ""]) | hostile_text(2),
        subject_type=st.sampled_from([None, "LINE", "FILE", "MADE_UP"]),
        diff_side=st.sampled_from(["LEFT", "RIGHT", "MADE_UP"]),
        original_line=_line_numbers,
        original_start_line=_line_numbers,
        line=_line_numbers,
        start_line=_line_numbers,
        is_outdated=st.booleans(),
        is_resolved=st.booleans(),
        resolved_by=_maybe(actors()),
        comments=_few(comments),
    )


# Built once: building a strategy costs more than drawing from it.
_maybe_coverage = st.none() | coverages()
_connections = st.dictionaries(
    st.sampled_from([*FIRST_LEVEL, Connection.PULL_REQUEST]), coverages()
)
