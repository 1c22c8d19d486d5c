"""What others asked of GitHub, made into the shape in which our own documents would bring it.

Nothing is invented but what identifies a node: a field that was not asked for is null, and is
then reported as unreadable like any other null. `said` is read from the foreign form alone, so
that it can be held against what our readers make of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from syncer.evidence import Connection

__all__ = ["Adapted", "Said", "from_exchanges", "from_mirror", "from_rest_releases"]

Node = dict[str, Any]
Said = dict[str, tuple[str | None, str]]
"""By node id: the login (None: no account any more) and the words."""


@dataclass
class Adapted:
    """A row, and the pages that were read: owner and connection → page."""

    row: Node
    pages: dict[tuple[str, Connection], Node] = field(default_factory=dict)
    said: Said = field(default_factory=dict)

    def add(
        self, owner: str, name: Connection, nodes: list[Node], page: Node | None = None
    ) -> None:
        """Keep a page of the connection `name` of `owner`."""
        turn = (page or {}).get("pageInfo") or {"hasNextPage": False, "endCursor": None}
        total = (page or {}).get("totalCount", len(nodes))
        self.pages[owner, name] = {"totalCount": total, "pageInfo": turn, "nodes": nodes}


# -- GraphQL exchanges: a listing of pull requests, and single ones with a page of one connection


def from_exchanges(exchanges: list[Node]) -> Iterator[Adapted]:
    """Every pull request that the exchanges show, in their order."""
    for exchange in exchanges:
        repository = exchange["response"]["body"]["data"]["repository"]
        if "pullRequests" in repository:
            yield from map(_listed, repository["pullRequests"]["nodes"])
        else:
            yield _single(repository["pullRequest"])


def _listed(pull: Node) -> Adapted:
    made = f"PR_{pull['databaseId']}"  # its node id was not asked for
    labels = [{"id": f"LA_{label['name']}", **label} for label in pull["labels"]["nodes"]]
    row = {**pull, "id": made, "fullDatabaseId": pull["databaseId"], "author": _account(pull)}
    row["labels"] = {"totalCount": pull["labels"]["totalCount"]}
    found = Adapted(row, said={made: (_login(pull), pull["body"])})
    found.add(made, Connection.LABELS, labels, pull["labels"])
    return found


def _single(pull: Node) -> Adapted:
    stamps = [node["createdAt"] for name in _LISTED for node in _nodes(pull, name)]
    row = {
        "id": pull["id"],
        "number": pull["number"],
        "state": "OPEN",
        "createdAt": min(stamps),
        "updatedAt": max(stamps),
    }
    found = Adapted(row, said={pull["id"]: (None, "")})
    for name in _LISTED:
        if name in pull:
            nodes = [_entry(node) for node in _nodes(pull, name)]
            found.add(pull["id"], Connection(name), nodes, pull[name])
            found.said |= {node["id"]: (_login(node), node["body"]) for node in nodes}
    return found


_LISTED = ("comments", "reviews")


def _nodes(pull: Node, name: str) -> list[Node]:
    return pull.get(name, {}).get("nodes", [])


# -- a mirror: the same objects with their connections as plain lists


def from_mirror(repository: Node) -> Iterator[Adapted]:
    """Every pull request, then every issue as if it were one: words are words."""
    for item in repository["pullRequests"] + repository["issues"]:
        yield _mirrored(item)


def _mirrored(item: Node) -> Adapted:
    merged = item.get("mergeCommit")
    at = merged and merged["authoredDate"]
    row = {
        **{name: item[name] for name in ("id", "number", "title", "body", "createdAt")},
        "author": _account(item),
        "updatedAt": item["createdAt"],
        "state": "MERGED" if merged else "OPEN",
        "mergedAt": at,
        "closedAt": at,
        "baseRefName": item.get("baseRefName"),
    }
    found = Adapted(row, said={item["id"]: (_login(item), item["body"])})
    found.add(item["id"], Connection.COMMENTS, [_entry(node) for node in item["comments"]])
    reviews, lines = item.get("reviews", []), []
    for review in reviews:
        lines += [(review["id"], line) for line in review["comments"]]
    found.add(item["id"], Connection.REVIEWS, [_review(review) for review in reviews])
    found.add(item["id"], Connection.REVIEW_THREADS, [_thread(line) for _, line in lines])
    for review, line in lines:
        found.add(f"thread of {line['id']}", Connection.THREAD_COMMENTS, [_line(review, line)])
    for name in (Connection.LABELS, Connection.CLOSING_ISSUES):
        found.add(item["id"], name, [])
    said = [*item["comments"], *reviews, *(line for _, line in lines)]
    found.said |= {node["id"]: (_login(node), node["body"]) for node in said}
    return found


def _review(review: Node) -> Node:
    return {**_entry(review), "comments": {"totalCount": len(review["comments"])}}


def _thread(line: Node) -> Node:
    return {
        "id": f"thread of {line['id']}",
        "path": "not/asked/for",
        "diffSide": "RIGHT",
        "isOutdated": False,
        "isResolved": False,
        "comments": {"totalCount": 1},
    }


def _line(review: str, line: Node) -> Node:
    return {
        **_entry(line),
        "state": "SUBMITTED",
        "diffHunk": "",
        "pullRequestReview": {"id": review},
    }


def _entry(node: Node) -> Node:
    return {
        "authorAssociation": "NONE",
        **node,
        "author": _account(node),
        "fullDatabaseId": node.get("databaseId"),
    }


def _account(node: Node) -> Node | None:
    author = node.get("author")
    return None if author is None else {"__typename": "User", **author}


def _login(node: Node) -> str | None:
    return None if node.get("author") is None else node["author"]["login"]


# -- releases as the REST interface lists them


def from_rest_releases(releases: list[Node]) -> Node:
    """The connection that would hold them."""
    nodes = [
        {
            "id": release["node_id"],
            "tagName": release["tag_name"],
            "publishedAt": release["published_at"],
            "isDraft": release["draft"],
            "isPrerelease": release["prerelease"],
        }
        for release in releases
    ]
    return {
        "totalCount": len(nodes),
        "pageInfo": {"hasNextPage": False, "endCursor": None},
        "nodes": nodes,
    }
