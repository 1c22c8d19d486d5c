"""Fields that an older Enterprise Server may lack without harm to what is read.

What stands in a record for a field that was left out is its struct's default in
`syncer.github.wire`: no id, no reason, not minimised, no line. `closingIssuesReferences` takes its
connection with it: its total is then None, which proves nothing, and it is never asked for.
"""

from __future__ import annotations

__all__ = ["CLOSING_ISSUES", "Lack", "is_optional"]

Lack = tuple[str, str]
"""(type, field), as GitHub's schema names them."""

CLOSING_ISSUES: Lack = ("PullRequest", "closingIssuesReferences")

_ENTRIES = ("IssueComment", "PullRequestReview", "PullRequestReviewComment")
_OPTIONAL = frozenset(
    {
        CLOSING_ISSUES,
        ("PullRequest", "fullDatabaseId"),
        ("PullRequest", "lastEditedAt"),
        *((entry, "fullDatabaseId") for entry in _ENTRIES),
        *((entry, "isMinimized") for entry in _ENTRIES),
        *((entry, "minimizedReason") for entry in _ENTRIES),
        *((entry, "lastEditedAt") for entry in _ENTRIES),
        ("PullRequestReviewThread", "subjectType"),
        ("PullRequestReviewThread", "originalStartLine"),
        ("PullRequestReviewThread", "startLine"),
        ("PullRequestReviewThread", "resolvedBy"),
        ("RateLimit", "limit"),
        ("RateLimit", "nodeCount"),
        ("RateLimit", "used"),
    }
)


def is_optional(type_name: str, field_name: str) -> bool:
    """Whether the field may be left out of every document."""
    return (type_name, field_name) in _OPTIONAL
