"""How single fields are answered where the attribute of that name does not do it.

`DERIVED` holds what follows from the object alone, `SPECIAL` what depends on arguments or on who
asks. Everything else is an attribute of the live object (`nodes`), and what is none of the three is
not in the data set: it answers an error of type NOT_SIMULATED, never a made-up value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from syncer.testing.github import nodes
from syncer.testing.github.context import Context, RateLimit
from syncer.testing.github.failing import FieldError
from syncer.testing.github.ids import legacy_id, new_id
from syncer.testing.github.nodes import (
    Actor,
    Entry,
    IssueComment,
    NamedRepository,
    Node,
    PullRequest,
    PullRequestReview,
    PullRequestReviewComment,
    Release,
    Repository,
)
from syncer.testing.github.pages import Edge, Page, PageInfo
from syncer.testing.github.viewers import Access

__all__ = ["DERIVED", "SITE", "SPECIAL", "class_of", "node_id"]

SITE = "https://github.com"

Special = Callable[[Any, Mapping[str, Any], Context], Any]

_MAX_IDS = 100  # GitHub: "You may not provide more than 100 node ids"


def class_of(type_name: str) -> type[Any] | None:
    """The class whose attributes answer the fields of `type_name`."""
    if type_name.endswith("Connection"):
        return Page
    if type_name.endswith("Edge"):
        return Edge
    known = {"PageInfo": PageInfo, "RateLimit": RateLimit, "Repository": NamedRepository}
    return known.get(type_name) or getattr(nodes, type_name, Actor)


def node_id(node: Node, context: Context) -> str:
    """The id of `node` in the form that the request asked for."""
    if context.new_ids:
        return new_id(node.kind, node.database_id, context.world.repository.database_id)
    return legacy_id(node.kind, node.database_id)


# -- what follows from the object alone


def _repository_path(repository: NamedRepository) -> str:
    return f"/{repository.name_with_owner}"


def _pull_path(pull: PullRequest) -> str:
    return f"{_repository_path(pull.repository)}/pull/{pull.number}"


def _comment_path(comment: IssueComment) -> str:
    return f"{_pull_path(comment.pull_request)}#issuecomment-{comment.database_id}"


def _review_path(review: PullRequestReview) -> str:
    return f"{_pull_path(review.pull_request)}#pullrequestreview-{review.database_id}"


def _discussion_path(comment: PullRequestReviewComment) -> str:
    return f"{_pull_path(comment.pull_request)}#discussion_r{comment.database_id}"


def _actor_path(actor: Actor) -> str:
    return f"/{actor.login}"


def _release_updated(release: Release) -> str:
    return release.published_at or release.created_at


def _said_updated(entry: Entry) -> str:
    return entry.last_edited_at or entry.created_at


def _cross(pull: PullRequest) -> bool:
    head = pull.head_repository
    return head is None or head.name_with_owner != pull.repository.name_with_owner


def _of_pull(node: Any) -> Repository:
    pull: PullRequest = node.pull_request
    return pull.repository


def _big(node: Node) -> str:
    return str(node.database_id)  # a BigInt goes out as text


def _owner(repository: NamedRepository) -> Actor:
    login = repository.name_with_owner.partition("/")[0]
    return Actor(sum(login.encode()) + 1, login, "Organization")


_PATHS: dict[str, Callable[[Any], str]] = {
    "Actor": _actor_path,
    "IssueComment": _comment_path,
    "PullRequest": _pull_path,
    "PullRequestReview": _review_path,
    "PullRequestReviewComment": _discussion_path,
    "Repository": _repository_path,
    "User": _actor_path,
}
_SAID = ("IssueComment", "PullRequestReview", "PullRequestReviewComment")


def _url(path: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda node: SITE + path(node)


DERIVED: dict[tuple[str, str], Callable[[Any], Any]] = {
    **{(kind, "resourcePath"): path for kind, path in _PATHS.items()},
    **{(kind, "url"): _url(path) for kind, path in _PATHS.items()},
    **{(kind, "fullDatabaseId"): _big for kind in (*_SAID, "PullRequest", "Issue")},
    **{(kind, "repository"): _of_pull for kind in (*_SAID, "PullRequestReviewThread")},
    **{(kind, "updatedAt"): _said_updated for kind in _SAID},
    ("PullRequest", "closed"): lambda pull: pull.state != "OPEN",
    ("PullRequest", "isCrossRepository"): _cross,
    ("PullRequest", "merged"): lambda pull: pull.state == "MERGED",
    ("PullRequestReviewComment", "path"): lambda c: "" if c.thread is None else c.thread.path,
    ("PullRequestReviewThread", "isCollapsed"): lambda thread: thread.is_resolved,
    ("Release", "updatedAt"): _release_updated,
    ("Repository", "name"): lambda repository: repository.name_with_owner.partition("/")[2],
    ("Repository", "owner"): _owner,
}


# -- what depends on arguments or on who asks


def _readable(context: Context) -> bool:
    if context.viewer.access is Access.FORBIDDEN:
        raise FieldError("Resource not accessible by personal access token", type="FORBIDDEN")
    return context.viewer.access is Access.READ


def _repository(_: Any, args: Mapping[str, Any], context: Context) -> Repository:
    owner, name = args["owner"], args["name"]
    found = context.world.named(owner, name, follow=args.get("followRenames", True))
    if found is None or not _readable(context):
        raise FieldError(
            f"Could not resolve to a Repository with the name '{owner}/{name}'.", type="NOT_FOUND"
        )
    return found


def _node(_: Any, args: Mapping[str, Any], context: Context) -> Node:
    found = context.world.find(args["id"])
    # A draft is found by its author alone, like everything that hangs on it.
    if found is None or not _readable(context) or _hidden(found, context):
        raise FieldError(
            f"Could not resolve to a node with the global id of '{args['id']}'", type="NOT_FOUND"
        )
    context.produced += 1
    return found


def _hidden(node: Node, context: Context) -> bool:
    login = context.viewer.login
    if isinstance(node, PullRequestReview | PullRequestReviewComment):
        mine = node.author is not None and node.author.login == login
        return node.state == "PENDING" and not mine
    if isinstance(node, nodes.PullRequestReviewThread):
        return all(_hidden(comment, context) for comment in node.comments)
    return False


def _nodes(_: Any, args: Mapping[str, Any], context: Context) -> list[Node | FieldError]:
    ids: list[str] = args["ids"]
    if len(ids) > _MAX_IDS:
        raise FieldError(
            f"You may not provide more than {_MAX_IDS} node ids; you provided {len(ids)}.",
            type="ARGUMENT_LIMIT",
        )
    found: list[Node | FieldError] = []
    for text in ids:
        try:
            found.append(_node(None, {"id": text}, context))
        except FieldError as error:
            found.append(error)
    return found


def _viewer(_: Any, __: Mapping[str, Any], context: Context) -> Actor:
    return context.world.actor(context.viewer.login)


def _rate_limit(_: Any, __: Mapping[str, Any], context: Context) -> RateLimit:
    return context.rate


def _pull_request(owner: Repository, args: Mapping[str, Any], _: Context) -> PullRequest:
    try:
        return owner.pull_requests[args["number"]]
    except KeyError:
        raise FieldError(
            f"Could not resolve to a PullRequest with the number of {args['number']}.",
            type="NOT_FOUND",
        ) from None


def _release(owner: Repository, args: Mapping[str, Any], _: Context) -> Release | None:
    return next((r for r in owner.releases.values() if r.tag_name == args["tagName"]), None)


def _latest_release(owner: Repository, _: Mapping[str, Any], __: Context) -> Release | None:
    final = [r for r in owner.releases.values() if r.published_at and not r.is_prerelease]
    return max(final, key=lambda r: (r.published_at or "", r.database_id), default=None)


def _label(owner: Repository, args: Mapping[str, Any], _: Context) -> nodes.Label | None:
    wanted = str(args["name"]).lower()
    return next((x for x in owner.labels.values() if x.name.lower() == wanted), None)


SPECIAL: dict[tuple[str, str], Special] = {
    ("Query", "id"): lambda _, __, ___: "MDU6UXVlcnk=",
    ("Query", "node"): _node,
    ("Query", "nodes"): _nodes,
    ("Query", "rateLimit"): _rate_limit,
    ("Query", "repository"): _repository,
    ("Query", "viewer"): _viewer,
    ("Repository", "label"): _label,
    ("Repository", "latestRelease"): _latest_release,
    ("Repository", "pullRequest"): _pull_request,
    ("Repository", "release"): _release,
}
