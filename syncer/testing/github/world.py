"""The repository as it stands now: live nodes, found by kind and database id, and in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from syncer.testing.github import dataset as given
from syncer.testing.github.cursors import Key
from syncer.testing.github.ids import parse_id
from syncer.testing.github.nodes import (
    Actor,
    Issue,
    IssueComment,
    Label,
    NamedRepository,
    Node,
    PullRequest,
    PullRequestReview,
    PullRequestReviewComment,
    PullRequestReviewThread,
    Release,
    Repository,
)

__all__ = ["World", "children", "pull_of"]


class World:
    """Every live node of one repository; `touched` counts the changes made to it."""

    def __init__(self, dataset: given.Dataset) -> None:
        spec = dataset.repository
        self.repository = Repository(spec.database_id, spec.name_with_owner)
        self.former_names = {name.lower() for name in spec.former_names}
        self.touched = 0
        self._index: dict[str, dict[int, Node]] = {}
        self._sorted: dict[str, tuple[int, list[PullRequest]]] = {}
        self._highest: dict[str, int] = {}
        self._actors: dict[tuple[str, str], Actor] = {}
        self._others: dict[str, NamedRepository] = {}
        self.add(self.repository)
        for release in dataset.releases:
            self.add_release(release)
        for pull in dataset.pull_requests:
            self.add_pull(pull)

    # -- finding

    def find(self, text: str) -> Node | None:
        """The node whose id, in either form, is `text`."""
        parsed = parse_id(text)
        return None if parsed is None else self._index.get(parsed[0], {}).get(parsed[1])

    def named(self, owner: str, name: str, *, follow: bool) -> Repository | None:
        """The repository under its name, or under a former one where renames are followed."""
        asked = f"{owner}/{name}".lower()
        if asked == self.repository.name_with_owner.lower():
            return self.repository
        return self.repository if follow and asked in self.former_names else None

    def pull(self, number: int) -> PullRequest:
        """The pull request `number`; KeyError where there is none."""
        return self.repository.pull_requests[number]

    def actor(self, login: str) -> Actor:
        """The account called `login`, of whatever kind; a new one is a User."""
        known = (actor for actor in self._actors.values() if actor.login == login)
        return next(known, None) or self._account(given.Account(login=login))

    def renamed(self, login: str, to: str) -> Actor:
        """The account called `login`, which is called `to` from now on."""
        actor = self.actor(login)
        del self._actors[actor.account_kind, login]
        actor.login = to
        self._actors[actor.account_kind, to] = actor
        return actor

    def next_id(self, kind: str) -> int:
        """A database id that no node of `kind` ever had here."""
        return self._highest.get(kind, 0) + 1

    def sorted_pulls(self, order: str, key: Callable[[PullRequest], Key]) -> list[PullRequest]:
        """All pull requests, ascending by `key`, which `order` names; kept until a change."""
        known = self._sorted.get(order)
        if known is None or known[0] != self.touched:
            rows = sorted(self.repository.pull_requests.values(), key=key)
            known = self._sorted[order] = (self.touched, rows)
        return known[1]

    # -- building

    def add(self, node: Node) -> None:
        """Make `node` known by its id."""
        self._index.setdefault(node.kind, {})[node.database_id] = node
        self._highest[node.kind] = max(self._highest.get(node.kind, 0), node.database_id)

    def forget(self, node: Node) -> None:
        """Take `node` and everything under it out of the index; its ids are not found any more."""
        for gone in chain((node,), children(node)):
            self._index[gone.kind].pop(gone.database_id, None)

    def add_release(self, spec: given.Release) -> Release:
        """Add a release as the data set describes it."""
        created = spec.created_at or spec.published_at or "1970-01-01T00:00:00Z"
        release = Release(
            spec.database_id,
            spec.tag_name,
            spec.name,
            created,
            spec.published_at,
            spec.is_draft,
            spec.is_prerelease,
        )
        self.repository.releases[release.database_id] = release
        self.add(release)
        return release

    def label(self, spec: given.Label) -> Label:
        """The repository's label, made where it is not there yet."""
        label = self.repository.labels.get(spec.database_id)
        if label is None:
            label = Label(spec.database_id, spec.name)
            self.repository.labels[label.database_id] = label
            self.add(label)
        return label

    def issue(self, spec: given.Issue) -> Issue:
        """An issue of this or of another repository."""
        known = self._index.get("Issue", {}).get(spec.database_id)
        if isinstance(known, Issue):
            return known
        issue = Issue(spec.database_id, spec.number, self.other(spec.repository))
        self.add(issue)
        return issue

    def other(self, name: str) -> NamedRepository:
        """The repository called `name`, which may be this one."""
        if name == self.repository.name_with_owner:
            return self.repository
        number = self.repository.database_id + 1 + len(self._others)
        return self._others.setdefault(name, NamedRepository(number, name))

    def add_pull(self, spec: given.Pull) -> PullRequest:
        """Add a pull request with everything under it, as the data set describes it."""
        pull = PullRequest(
            spec.database_id,
            self._author(spec.author),
            spec.author_association,
            spec.body,
            spec.created_at,
            spec.last_edited_at,
            self.repository,
            spec.number,
            spec.title,
            spec.state,
            spec.updated_at,
            spec.closed_at,
            spec.merged_at,
            spec.is_draft,
            spec.base_ref_name,
            spec.head_ref_name,
            None if spec.head_repository is None else self.other(spec.head_repository),
        )
        pull.comments = sorted((self._comment(pull, c) for c in spec.comments), key=_by_time)
        pull.reviews = sorted((self._review(pull, r) for r in spec.reviews), key=_by_time)
        reviews = {review.database_id: review for review in pull.reviews}
        for thread in spec.review_threads:
            pull.review_threads.append(self._thread(pull, thread, reviews))
        for review in spec.reviews:
            for orphan in review.orphans:
                self._thread_comment(pull, None, orphan, reviews, {})
        pull.labels = sorted((self.label(label) for label in spec.labels), key=_by_id)
        pull.closing_issues_references = sorted(map(self.issue, spec.closing_issues), key=_by_id)
        pull.review_threads.sort(key=_by_id)
        self.repository.pull_requests[pull.number] = pull
        self.add_all(pull)
        return pull

    def add_all(self, pull: PullRequest) -> None:
        """Make `pull` and everything under it known by its id."""
        for node in chain((pull,), children(pull)):
            self.add(node)

    def _account(self, spec: given.Account) -> Actor:
        key = (spec.kind, spec.login)
        if key not in self._actors:
            number = spec.database_id or self.next_id(spec.kind)
            self._actors[key] = Actor(number, spec.login, spec.kind)
            self.add(self._actors[key])
        return self._actors[key]

    def _author(self, spec: given.Account | None) -> Actor | None:
        return None if spec is None else self._account(spec)

    def _comment(self, pull: PullRequest, spec: given.Comment) -> IssueComment:
        return IssueComment(spec.database_id, *self._said(spec), pull, *_hidden(spec))

    def _review(self, pull: PullRequest, spec: given.Review) -> PullRequestReview:
        submitted = spec.submitted_at or (None if spec.state == "PENDING" else spec.created_at)
        return PullRequestReview(
            spec.database_id, *self._said(spec), pull, *_hidden(spec), spec.state, submitted
        )

    def _thread(
        self, pull: PullRequest, spec: given.Thread, reviews: dict[int, PullRequestReview]
    ) -> PullRequestReviewThread:
        thread = PullRequestReviewThread(
            spec.database_id,
            pull,
            spec.path,
            spec.subject_type,
            spec.diff_side,
            spec.original_line,
            spec.original_start_line,
            spec.line,
            spec.start_line,
            spec.is_outdated,
            spec.is_resolved,
            self._author(spec.resolved_by),
        )
        told: dict[int, PullRequestReviewComment] = {}
        for comment in sorted(spec.comments, key=_by_time):
            self._thread_comment(pull, thread, comment, reviews, told)
        return thread

    def _thread_comment(
        self,
        pull: PullRequest,
        thread: PullRequestReviewThread | None,
        spec: given.ThreadComment,
        reviews: dict[int, PullRequestReview],
        told: dict[int, PullRequestReviewComment],
    ) -> None:
        review = reviews.get(spec.review)
        comment = PullRequestReviewComment(
            spec.database_id,
            *self._said(spec),
            pull,
            *_hidden(spec),
            spec.state,
            told.get(spec.reply_to),
            review,
            spec.diff_hunk,
            thread,
        )
        told[comment.database_id] = comment
        if thread is not None:
            thread.comments.append(comment)
        if review is not None:
            review.comments.append(comment)

    def _said(self, spec: given.Comment) -> tuple[Actor | None, str, str, str, str | None]:
        return (
            self._author(spec.author),
            spec.author_association,
            spec.body,
            spec.created_at,
            spec.last_edited_at,
        )


def children(node: Node) -> Iterator[Node]:
    """Every node that exists only as a part of `node`."""
    groups: Iterable[Iterable[Node]] = ()
    if isinstance(node, PullRequest):
        groups = (node.comments, node.reviews, node.review_threads)
    elif isinstance(node, PullRequestReviewThread):
        groups = (node.comments,)
    elif isinstance(node, PullRequestReview):
        groups = ([comment for comment in node.comments if comment.thread is None],)
    for child in chain.from_iterable(groups):
        yield child
        yield from children(child)


def pull_of(node: object) -> PullRequest | None:
    """The pull request that `node` is, or belongs to."""
    found = node if isinstance(node, PullRequest) else getattr(node, "pull_request", None)
    return found if isinstance(found, PullRequest) else None


def _hidden(spec: given.Comment) -> tuple[bool, str | None]:
    return (spec.is_minimized, spec.minimized_reason)


def _by_time(node: given.Comment | IssueComment | PullRequestReview) -> tuple[str, int]:
    return (node.created_at, node.database_id)


def _by_id(node: Node) -> int:
    return node.database_id
