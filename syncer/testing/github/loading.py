"""Reading and writing data sets: the loose form made strict, missing database ids filled in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from syncer.testing.github.dataset import (
    Account,
    Comment,
    Dataset,
    Issue,
    Label,
    Pull,
    Release,
    Review,
    Thread,
    ThreadComment,
)

__all__ = ["dump", "load", "parse", "with_ids"]

_SharedT = TypeVar("_SharedT", Account, Label, Issue)
_NodeT = TypeVar("_NodeT", Comment, Review, Thread, ThreadComment, Release, Pull)


def load(path: Path) -> Dataset:
    """The data set in the file `path`, with every database id present."""
    return parse(path.read_bytes())


def parse(data: bytes) -> Dataset:
    """The data set that `data` holds in the strict or the loose form (see `dataset`).

    Raises msgspec.ValidationError naming the place that does not fit.
    """
    # The standard reader, because a lone surrogate is a text that GitHub has been seen to send.
    value = json.loads(data)
    return with_ids(msgspec.convert(_strict(value), Dataset))


def dump(dataset: Dataset) -> bytes:
    """The strict form of `dataset`, one pull request a line."""
    plain: dict[str, Any] = msgspec.to_builtins(dataset)
    pulls = plain.pop("pullRequests")
    head = json.dumps(plain, ensure_ascii=True)[:-1]
    lines = ",\n".join(json.dumps(pull, ensure_ascii=True) for pull in pulls)
    return f'{head}, "pullRequests": [\n{lines}\n]}}\n'.encode()


def _strict(value: Any) -> Any:
    """`value` with the short forms written out."""
    if isinstance(repository := value.get("repository"), str):
        value = {**value, "repository": {"nameWithOwner": repository}}
    pulls = [_strict_node(pull) for pull in value.get("pullRequests", ())]
    return {**value, "pullRequests": pulls}


def _strict_node(node: dict[str, Any]) -> dict[str, Any]:
    out = dict(node)
    for key in ("author", "resolvedBy"):
        if isinstance(out.get(key), str):
            out[key] = {"login": out[key]}
    if "labels" in out:
        out["labels"] = [{"name": x} if isinstance(x, str) else x for x in out["labels"]]
    for key in ("comments", "reviews", "reviewThreads", "orphans"):
        if key in out:
            out[key] = [_strict_node(child) for child in out[key]]
    return out


class _Numbers:
    """Hands out the ids that a kind of node does not use yet, in order."""

    def __init__(self, used: Iterable[int]) -> None:
        self._used = set(used)
        self._next = 1_000_001

    def of(self, database_id: int) -> int:
        if database_id:
            return database_id
        while self._next in self._used:
            self._next += 1
        self._next += 1
        return self._next - 1


class _Shared:
    """One object per account, label and issue, so that a big set is small in memory."""

    def __init__(self, dataset: Dataset) -> None:
        pulls = dataset.pull_requests
        self._accounts = _filled({}, ((_account_key(a), a) for a in _accounts(dataset)))
        self.labels = _filled({}, ((label.name, label) for pull in pulls for label in pull.labels))
        self.issues = _filled(
            {}, ((_issue_key(issue), issue) for pull in pulls for issue in pull.closing_issues)
        )

    def account(self, account: Account | None) -> Account | None:
        return None if account is None else self._accounts[_account_key(account)]

    def issue(self, issue: Issue) -> Issue:
        return self.issues[_issue_key(issue)]


def _account_key(account: Account) -> str:
    return f"{account.kind}:{account.login}"


def _issue_key(issue: Issue) -> str:
    return f"{issue.repository}#{issue.number}"


def _filled(
    found: dict[str, _SharedT], items: Iterable[tuple[str, _SharedT]]
) -> dict[str, _SharedT]:
    """By key the first of `items`, each with a database id; one that brings its id wins."""
    for key, item in items:
        known = found.setdefault(key, item)
        if not known.database_id and item.database_id:
            found[key] = item
    numbers = _Numbers(item.database_id for item in found.values())
    for key in sorted(found):
        found[key] = replace(found[key], database_id=numbers.of(found[key].database_id))
    return found


def _accounts(dataset: Dataset) -> Iterator[Account]:
    for pull in dataset.pull_requests:
        orphans = chain.from_iterable(review.orphans for review in pull.reviews)
        said = chain.from_iterable(thread.comments for thread in pull.review_threads)
        entries: Iterable[Pull | Comment] = chain(
            (pull,), pull.comments, pull.reviews, orphans, said
        )
        for entry in entries:
            if entry.author is not None:
                yield entry.author
        yield from (t.resolved_by for t in pull.review_threads if t.resolved_by is not None)


def with_ids(dataset: Dataset) -> Dataset:
    """`dataset` with a database id everywhere; equal sets get equal ids."""
    if _complete(dataset):
        return dataset
    filler = _Filler(dataset)
    return replace(
        dataset,
        releases=tuple(filler.node(release) for release in dataset.releases),
        pull_requests=tuple(filler.pull(pull) for pull in dataset.pull_requests),
    )


def _complete(dataset: Dataset) -> bool:
    pulls = dataset.pull_requests
    return (
        all(all(ids) for ids in _used(dataset).values())
        and all(account.database_id for account in _accounts(dataset))
        and all(label.database_id for pull in pulls for label in pull.labels)
        and all(issue.database_id for pull in pulls for issue in pull.closing_issues)
    )


class _Filler:
    def __init__(self, dataset: Dataset) -> None:
        self._shared = _Shared(dataset)
        self._numbers = {kind: _Numbers(ids) for kind, ids in _used(dataset).items()}

    def node(self, node: _NodeT) -> _NodeT:
        kind = type(node)
        changes: dict[str, Any] = {"database_id": self._numbers[kind].of(node.database_id)}
        author = getattr(node, "author", None)
        if author is not None:
            changes["author"] = self._shared.account(author)
        return replace(node, **changes)

    def pull(self, pull: Pull) -> Pull:
        return replace(
            self.node(pull),
            comments=tuple(self.node(comment) for comment in pull.comments),
            reviews=tuple(self._review(review) for review in pull.reviews),
            review_threads=tuple(self._thread(thread) for thread in pull.review_threads),
            labels=tuple(self._shared.labels[label.name] for label in pull.labels),
            closing_issues=tuple(self._shared.issue(issue) for issue in pull.closing_issues),
        )

    def _review(self, review: Review) -> Review:
        return replace(
            self.node(review), orphans=tuple(self.node(orphan) for orphan in review.orphans)
        )

    def _thread(self, thread: Thread) -> Thread:
        return replace(
            self.node(thread),
            resolved_by=self._shared.account(thread.resolved_by),
            comments=tuple(self.node(comment) for comment in thread.comments),
        )


def _used(dataset: Dataset) -> Mapping[type[Struct], list[int]]:
    pulls = dataset.pull_requests
    threads = [thread for pull in pulls for thread in pull.review_threads]
    reviews = [review for pull in pulls for review in pull.reviews]
    said = [c for thread in threads for c in thread.comments]
    orphans = [c for review in reviews for c in review.orphans]
    groups: dict[type[Struct], Iterable[Any]] = {
        Release: dataset.releases,
        Pull: pulls,
        Comment: (comment for pull in pulls for comment in pull.comments),
        Review: reviews,
        Thread: threads,
        ThreadComment: chain(said, orphans),
    }
    return {kind: [node.database_id for node in nodes] for kind, nodes in groups.items()}
