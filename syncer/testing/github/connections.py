"""The connections of the data set: whose rows they hold and which of them a viewer sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from syncer.testing.github.context import Context
from syncer.testing.github.cursors import Key
from syncer.testing.github.failing import FieldError
from syncer.testing.github.nodes import (
    Entry,
    Label,
    Node,
    PullRequest,
    PullRequestReview,
    PullRequestReviewComment,
    PullRequestReviewThread,
    Release,
    Repository,
)
from syncer.testing.github.pages import Rows

__all__ = ["CONNECTIONS", "Source", "visible_comments", "visible_reviews", "visible_threads"]

Args = Mapping[str, Any]
Source = Callable[[Any, Args, Context], Rows]

_PAGING = frozenset({"first", "last", "after", "before"})


def visible_comments(
    comments: Sequence[PullRequestReviewComment], viewer: str
) -> list[PullRequestReviewComment]:
    """Those of `comments` that `viewer` sees: drafts are their author's alone."""
    return [c for c in comments if c.state != "PENDING" or _wrote(c, viewer)]


def visible_threads(pull: PullRequest, viewer: str) -> list[PullRequestReviewThread]:
    """The threads in which `viewer` sees a comment."""
    return [t for t in pull.review_threads if visible_comments(t.comments, viewer)]


def visible_reviews(pull: PullRequest, viewer: str) -> list[PullRequestReview]:
    """The reviews that `viewer` sees."""
    return [r for r in pull.reviews if r.state != "PENDING" or _wrote(r, viewer)]


def _wrote(entry: PullRequestReview | PullRequestReviewComment, viewer: str) -> bool:
    return entry.author is not None and entry.author.login == viewer


def _by_id(node: Node) -> Key:
    return ("", node.database_id)


def _by_created(node: Entry | Release) -> Key:
    return (node.created_at, node.database_id)


def _by_updated(node: PullRequest) -> Key:
    return (node.updated_at, node.database_id)


def _by_comments(node: PullRequest) -> Key:
    return (f"{len(node.comments):08}", node.database_id)


def _by_name(node: Label | Release) -> Key:
    return (node.name or "", node.database_id)


_PULL_ORDERS: dict[str, Callable[[PullRequest], Key]] = {
    "COMMENTS": _by_comments,
    "CREATED_AT": _by_created,
    "UPDATED_AT": _by_updated,
}


def _name(owner: Node, field: str, order: str = "") -> str:
    return f"{owner.kind}:{owner.database_id}:{field}:{order}"


def _known(args: Args, *names: str) -> None:
    """Refuse an argument that the simulator would have to ignore."""
    for name, value in args.items():
        if value is not None and name not in _PAGING and name not in names:
            raise FieldError(f"The argument `{name}` is not simulated.", type="NOT_SIMULATED")


def _order(args: Args, default: str) -> tuple[str, bool]:
    order: Mapping[str, str] = args.get("orderBy") or {}
    return order.get("field", default), order.get("direction", "ASC") == "DESC"


def _pull_requests(owner: Repository, args: Args, context: Context) -> Rows:
    _known(args, "orderBy", "states", "baseRefName", "headRefName")
    order, descending = _order(args, "CREATED_AT")
    rows: Sequence[PullRequest] = context.world.sorted_pulls(order, _PULL_ORDERS[order])
    if states := args.get("states"):
        rows = [pull for pull in rows if pull.state in states]
    if base := args.get("baseRefName"):
        rows = [pull for pull in rows if pull.base_ref_name == base]
    if head := args.get("headRefName"):
        rows = [pull for pull in rows if pull.head_ref_name == head]
    return Rows(
        _name(owner, "pullRequests", f"{order}{descending}"), rows, _PULL_ORDERS[order], descending
    )


def _releases(owner: Repository, args: Args, context: Context) -> Rows:
    _known(args, "orderBy")
    order, descending = _order(args, "CREATED_AT")
    key = _by_name if order == "NAME" else _by_created
    rows = sorted(owner.releases.values(), key=key)
    # Drafts are listed to those who may push; the viewers here may only read.
    shown = [r for r in rows if not r.is_draft or context.viewer.pushes]
    # Without an order GitHub lists the newest first.
    newest_first = descending or not args.get("orderBy")
    return Rows(_name(owner, "releases", f"{order}{newest_first}"), shown, key, newest_first)


def _repository_labels(owner: Repository, args: Args, _: Context) -> Rows:
    return _label_rows(owner, list(owner.labels.values()), args)


def _labels(owner: PullRequest, args: Args, _: Context) -> Rows:
    return _label_rows(owner, owner.labels, args)


def _label_rows(owner: Node, labels: list[Label], args: Args) -> Rows:
    _known(args, "orderBy")
    order, descending = _order(args, "CREATED_AT")
    key = _by_name if order == "NAME" else _by_id
    rows = sorted(labels, key=key)
    return Rows(_name(owner, "labels", f"{order}{descending}"), rows, key, descending)


def _comments(owner: PullRequest, args: Args, _: Context) -> Rows:
    _known(args)
    return Rows(_name(owner, "comments"), owner.comments, _by_created)


def _reviews(owner: PullRequest, args: Args, context: Context) -> Rows:
    _known(args, "states", "author")
    rows = visible_reviews(owner, context.viewer.login)
    if (states := args.get("states")) is not None:
        rows = [review for review in rows if review.state in states]
    if author := args.get("author"):
        rows = [review for review in rows if _wrote(review, author)]
    return Rows(_name(owner, "reviews"), rows, _by_created)


def _threads(owner: PullRequest, args: Args, context: Context) -> Rows:
    _known(args)
    return Rows(_name(owner, "reviewThreads"), visible_threads(owner, context.viewer.login), _by_id)


def _closing_issues(owner: PullRequest, args: Args, _: Context) -> Rows:
    _known(args, "userLinkedOnly")
    return Rows(_name(owner, "closingIssues"), owner.closing_issues_references, _by_id)


def _thread_comments(
    owner: PullRequestReviewThread | PullRequestReview, args: Args, context: Context
) -> Rows:
    _known(args)
    rows = sorted(visible_comments(owner.comments, context.viewer.login), key=_by_created)
    return Rows(_name(owner, "comments"), rows, _by_created)


CONNECTIONS: dict[tuple[str, str], Source] = {
    ("PullRequest", "closingIssuesReferences"): _closing_issues,
    ("PullRequest", "comments"): _comments,
    ("PullRequest", "labels"): _labels,
    ("PullRequest", "reviewThreads"): _threads,
    ("PullRequest", "reviews"): _reviews,
    ("PullRequestReview", "comments"): _thread_comments,
    ("PullRequestReviewThread", "comments"): _thread_comments,
    ("Repository", "labels"): _repository_labels,
    ("Repository", "pullRequests"): _pull_requests,
    ("Repository", "releases"): _releases,
}
