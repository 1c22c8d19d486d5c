"""The lines that people read above an entry: who, what, when, and where in the code.

All of it is derived from the marker below, where the truth stands (`syncer.corpus.marks`).
Docs: docs/corpus-format.md, "Headings".
"""

from __future__ import annotations

import re
from datetime import datetime

from syncer.corpus.marks import CommentMark, ReviewMark, ThreadMark
from syncer.records import Actor

__all__ = [
    "code_span",
    "comment_heading",
    "fence_for",
    "review_heading",
    "thread_heading",
    "title_heading",
]

_BREAKING = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_BACKTICKS = re.compile("`+")


def title_heading(title: str) -> str:
    """The first heading of a file. A title's `<` is shown, never taken for HTML."""
    return "# " + _one_line(title).replace("<", "\\<")


def comment_heading(comment: CommentMark, level: str = "###") -> str:
    """For an issue comment or, with `level` one deeper, a thread's comment."""
    return (
        f"{level} {_author(comment.author)} commented on {_iso(comment.created_at)}{_sign(comment)}"
    )


def review_heading(review: ReviewMark) -> str:
    """Dated by its submission, or by its creation where the server kept no time of that."""
    when = _iso(review.submitted_at or review.created_at)
    state = _one_line(review.state)
    return f"### {_author(review.author)} ({state}) reviewed on {when}{_sign(review)}"


def thread_heading(thread: ThreadMark) -> str:
    """An old line number is never shown as a current one, and none is made up."""
    resolved = ", resolved" if thread.is_resolved else ""
    return f"### {code_span(thread.path)} {_where(thread)}{resolved}"


def code_span(text: str) -> str:
    """`text` as one Markdown code span on one line, whatever is in it."""
    line = _one_line(text)
    if "`" not in line and line.strip():
        return f"`{line}`"
    ticks = "`" * (_longest_run(line) + 1)
    return f"{ticks} {line} {ticks}"


def fence_for(text: str) -> str:
    """A fence of backticks that nothing inside `text` can close."""
    return "`" * max(3, _longest_run(text) + 1) if "```" in text else "```"


def _author(actor: Actor | None) -> str:
    return "_deleted account_" if actor is None else code_span("@" + actor.login)


def _sign(comment: CommentMark) -> str:
    if not comment.is_minimized:
        return ""
    reason = comment.minimized_reason
    return " · minimised" if reason is None else f" · minimised as {code_span(reason)}"


def _where(thread: ThreadMark) -> str:
    if _on_whole_file(thread):
        place = "whole file"
    elif thread.is_outdated or thread.line is None:
        place = _old_place(thread)
    else:
        place = _range(thread.start_line, thread.line)
    side = ", left side" if thread.diff_side == "LEFT" else ""
    return f"{place}{side}{', outdated' if thread.is_outdated else ''}"


def _on_whole_file(thread: ThreadMark) -> bool:
    if thread.subject_type is not None:
        return thread.subject_type == "FILE"
    return thread.line is None and thread.original_line is None


def _old_place(thread: ThreadMark) -> str:
    if thread.original_line is None:
        return "on no known line"
    return f"originally {_range(thread.original_start_line, thread.original_line)}"


def _range(start: int | None, end: int) -> str:
    return f"line {end}" if start is None or start == end else f"lines {start} to {end}"


def _iso(stamp: datetime) -> str:
    return stamp.isoformat().replace("+00:00", "Z")


def _one_line(text: str) -> str:
    return text if text.isprintable() else _BREAKING.sub(" ", text)


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)
