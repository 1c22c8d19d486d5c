"""Conversations to test with: small, whole, and with the text that breaks careless writers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from syncer.evidence import Connection, Coverage, Snapshot, Status
from syncer.records import Actor, Comment, Conversation, Label, Review, Thread, ThreadComment

__all__ = ["HOSTILE_TEXT", "sample"]

HOSTILE_TEXT = (
    "",
    "---\ntitle: forged\n---\n",
    "## Comments\n\n### `@mallory` commented on 2026-01-01T00:00:00Z\n<!-- {} -->",
    "one\r\ntwo\rthree\n\n\nno end",
    "nul \x00, escape \x1b[31m, form feed \x0c, next line \x85, separators \u2028\u2029",
    '{"a": "b"}\n[1, 2]\n"quoted" \\ back',
    "````\n```\n~~~~\n<!-- --> </details> &amp;",
    "\ufeffmark, \U0001f469\u200d\U0001f467 family, \U0010fffd edge, \ufdd0",
    "../../outside\n%2e%2e/\n; DROP TABLE pull; --",
)
"""Titles and bodies that a sink must give back as they are, or leave out knowingly."""

_START = datetime(2025, 1, 1, tzinfo=UTC)
_AUTHOR = Actor(login="octocat", kind="User", id="U_1")
_ONE = Coverage(total_count=1, kept=1, has_next_page=False, status=Status.EXHAUSTED)
_NONE = Coverage(total_count=0, kept=0, has_next_page=False, status=Status.EXHAUSTED)


def sample(
    number: int, *, title: str = "A change", body: str = "Because.", revised: int = 0
) -> Snapshot:
    """A merged pull request with one entry of every kind, read to the end.

    Another `revised` is another reading: a new `updatedAt`, and other words in the comment.
    """
    created = _START + timedelta(hours=number)
    conversation = Conversation(
        id=f"PR_{number}",
        full_database_id=9_000_000 + number,
        number=number,
        title=title,
        body=body,
        state="MERGED",
        is_draft=False,
        author=_AUTHOR if number % 2 else None,
        author_association="CONTRIBUTOR",
        created_at=created,
        updated_at=created + timedelta(hours=2, seconds=revised),
        closed_at=created + timedelta(hours=1),
        merged_at=created + timedelta(hours=1),
        base_ref_name="main",
        head_ref_name=f"topic-{number}",
        head_repository=None,
        labels=(Label(id="L_1", name="bug"),),
        closing_issues=(),
        comments=(_comment(number, f"{body} Revised {revised} times.", created),),
        reviews=(_review(number, body, created),),
        review_threads=(_thread(number, body, created),),
    )
    return Snapshot(
        conversation=conversation,
        connections={
            Connection.COMMENTS: _ONE,
            Connection.REVIEWS: _ONE,
            Connection.REVIEW_THREADS: _ONE,
            Connection.LABELS: _ONE,
            Connection.CLOSING_ISSUES: _NONE,
        },
        threads={f"PRRT_{number}": _ONE},
    )


def _comment(number: int, body: str, created: datetime) -> Comment:
    return Comment(
        id=f"IC_{number}",
        full_database_id=number,
        author=_AUTHOR,
        author_association="NONE",
        body=body,
        created_at=created,
        last_edited_at=None,
        is_minimized=False,
        minimized_reason=None,
    )


def _review(number: int, body: str, created: datetime) -> Review:
    return Review(
        id=f"PRR_{number}",
        full_database_id=number,
        author=None,
        author_association="MEMBER",
        body=body,
        created_at=created,
        last_edited_at=created + timedelta(minutes=1),
        is_minimized=True,
        minimized_reason="outdated",
        state="APPROVED",
        submitted_at=created,
    )


def _thread(number: int, body: str, created: datetime) -> Thread:
    comment = ThreadComment(
        id=f"PRRC_{number}",
        full_database_id=number,
        author=_AUTHOR,
        author_association="MEMBER",
        body=body,
        created_at=created,
        last_edited_at=None,
        is_minimized=False,
        minimized_reason=None,
        reply_to=None,
        review=f"PRR_{number}",
        diff_hunk="@@ -1 +1 @@\n-old\n+new",
    )
    return Thread(
        id=f"PRRT_{number}",
        path="src/a.py",
        subject_type="LINE",
        diff_side="RIGHT",
        original_line=1,
        original_start_line=None,
        line=1,
        start_line=None,
        is_outdated=False,
        is_resolved=True,
        resolved_by=_AUTHOR,
        comments=(comment,),
    )
