"""Twenty-five changes that move no `updatedAt`, one of every kind, each on pull requests of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from syncer.testing.github.dataset import Issue
from syncer.testing.github.mutations import Mutations
from syncer.testing.github.nodes import (
    PullRequest,
    PullRequestReview,
    PullRequestReviewComment,
    PullRequestReviewThread,
)
from syncer.testing.github.simulator import Simulator

__all__ = ["EDITS", "Editor", "prepare", "said"]

LABEL, DOOMED, BRANCH, ACCOUNT, LEAVER = "label 3", "label 7", "release/1", "writer", "leaver"


def prepare(simulator: Simulator) -> None:
    """Before the first sync: what the edits need and a generated repository has none of."""
    mutate = simulator.mutate
    pulls = list(simulator.world.repository.pull_requests.values())
    for pull in pulls[:4]:
        pull.base_ref_name = BRANCH
    for pull in pulls[4:7]:
        mutate.add_comment(pull.number, "mine", ACCOUNT)
    for pull in pulls[7:9]:
        mutate.add_comment(pull.number, "soon nobody's", LEAVER)
    for pull in pulls[9:14]:
        review = mutate.add_review(pull.number, "a draft", "somebody-else", "PENDING")
        mutate.add_thread(review, "a draft thread")
    simulator.clock.advance(3600)


@dataclass
class Editor:
    """Makes edits and remembers whose they are. No pull request is edited twice by number."""

    simulator: Simulator
    touched: set[int] = field(default_factory=set)
    expected: dict[str, set[int]] = field(default_factory=dict)

    @property
    def mutate(self) -> Mutations:
        return self.simulator.mutate

    @property
    def every(self) -> Iterator[PullRequest]:
        return iter(self.simulator.world.repository.pull_requests.values())

    def pull(self, suits: Callable[[PullRequest], object]) -> PullRequest:
        """A pull request that no edit has taken yet."""
        found = next(p for p in self.every if p.number not in self.touched and suits(p))
        self.touched.add(found.number)
        return found

    def thread(
        self, suits: Callable[[PullRequestReviewThread], object] = bool
    ) -> PullRequestReviewThread:
        def fits(thread: PullRequestReviewThread) -> bool:
            return bool(said(thread)) and bool(suits(thread))

        pull = self.pull(lambda p: any(map(fits, p.review_threads)))
        return next(filter(fits, pull.review_threads))

    def review(self, suits: Callable[[PullRequestReview], object]) -> PullRequestReview:
        pull = self.pull(lambda p: any(map(suits, p.reviews)))
        return next(filter(suits, pull.reviews))

    def make(self, name: str) -> None:
        """Make one edit of `EDITS`."""
        before = {p.number: p.updated_at for p in self.every}
        found = EDITS[name](self)
        self.expected[name] = {found} if isinstance(found, int) else found
        assert {p.number: p.updated_at for p in self.every} == before, name


def said(thread: PullRequestReviewThread) -> list[PullRequestReviewComment]:
    return [comment for comment in thread.comments if comment.state != "PENDING"]


def _edit_comment(at: Editor) -> int:
    pull = at.pull(lambda p: p.comments)
    at.mutate.edit(pull.comments[0], "other words")
    return pull.number


def _edit_review(at: Editor) -> int:
    review = at.review(lambda r: r.state == "APPROVED")
    at.mutate.edit(review, "other words")
    return review.pull_request.number


def _edit_thread_comment(at: Editor) -> int:
    thread = at.thread()
    at.mutate.edit(said(thread)[-1], "other words")
    return thread.pull_request.number


def _edit_description(at: Editor) -> int:
    pull = at.pull(lambda p: p.body)
    at.mutate.edit(pull, "another description")
    return pull.number


def _minimise_comment(at: Editor) -> int:
    pull = at.pull(lambda p: p.comments and not p.comments[0].is_minimized)
    at.mutate.minimize(pull.comments[0], "off-topic")
    return pull.number


def _minimise_for_another_reason(at: Editor) -> int:
    pull = at.pull(lambda p: any(c.is_minimized for c in p.comments))
    at.mutate.minimize(next(c for c in pull.comments if c.is_minimized), "a new reason")
    return pull.number


def _show_again(at: Editor) -> int:
    pull = at.pull(lambda p: any(c.is_minimized for c in p.comments))
    at.mutate.minimize(next(c for c in pull.comments if c.is_minimized), None)
    return pull.number


def _minimise_review(at: Editor) -> int:
    review = at.review(lambda r: r.state == "COMMENTED" and not r.is_minimized)
    at.mutate.minimize(review)
    return review.pull_request.number


def _minimise_thread_comment(at: Editor) -> int:
    thread = at.thread(lambda t: not said(t)[0].is_minimized)
    at.mutate.minimize(said(thread)[0], "outdated")
    return thread.pull_request.number


def _dismiss(at: Editor) -> int:
    review = at.review(lambda r: r.state == "CHANGES_REQUESTED")
    at.mutate.dismiss(review, quietly=True)
    return review.pull_request.number


def _submit(at: Editor) -> int:
    review = at.review(lambda r: r.state == "PENDING" and r.comments)
    at.mutate.submit(review, "APPROVED", quietly=True)
    return review.pull_request.number


def _resolve(at: Editor) -> int:
    thread = at.thread(lambda t: not t.is_resolved)
    at.mutate.resolve(thread)
    return thread.pull_request.number


def _unresolve(at: Editor) -> int:
    thread = at.thread(lambda t: t.is_resolved)
    at.mutate.resolve(thread, None)
    return thread.pull_request.number


def _outdate(at: Editor) -> int:
    thread = at.thread(lambda t: not t.is_outdated and t.line is not None)
    at.mutate.outdate(thread)
    return thread.pull_request.number


def _delete_comment(at: Editor) -> int:
    pull = at.pull(lambda p: len(p.comments) > 1)
    at.mutate.delete_comment(pull.comments[0])
    return pull.number


def _delete_only_comment(at: Editor) -> int:
    pull = at.pull(lambda p: len(p.comments) == 1)
    at.mutate.delete_comment(pull.comments[0])
    return pull.number


def _delete_answer(at: Editor) -> int:
    thread = at.thread(lambda t: len(said(t)) > 1)
    at.mutate.delete_comment(said(thread)[-1])
    return thread.pull_request.number


def _delete_first_of_thread(at: Editor) -> int:
    thread = at.thread(lambda t: len(said(t)) > 1)
    at.mutate.delete_comment(said(thread)[0])
    return thread.pull_request.number


def _delete_thread(at: Editor) -> int:
    thread = at.thread()
    at.mutate.delete_thread(thread)
    return thread.pull_request.number


def _exchange_comment(at: Editor) -> int:
    """One is deleted and another appears: no total tells."""
    pull = at.pull(lambda p: p.comments)
    at.mutate.delete_comment(pull.comments[0])
    at.mutate.uncover(pull.number, "in its place")
    return pull.number


def _uncover(at: Editor) -> int:
    pull = at.pull(lambda p: not p.comments)
    at.mutate.uncover(pull.number, "was held back")
    return pull.number


def _link(at: Editor) -> int:
    pull = at.pull(lambda p: not p.closing_issues_references)
    at.mutate.link_issue(pull.number, Issue(repository="o/r", number=1, database_id=987_654))
    return pull.number


def _unlink(at: Editor) -> int:
    pull = at.pull(lambda p: p.closing_issues_references)
    at.mutate.unlink_issues(pull.number)
    return pull.number


def _with_label(at: Editor, name: str) -> set[int]:
    return {p.number for p in at.every if any(label.name == name for label in p.labels)}


def _rename_label(at: Editor) -> set[int]:
    found = _with_label(at, LABEL)
    at.mutate.rename_label(LABEL, "renamed")
    return found


def _delete_label(at: Editor) -> set[int]:
    found = _with_label(at, DOOMED)
    at.mutate.delete_label(DOOMED)
    return found


def _rename_branch(at: Editor) -> set[int]:
    found = {p.number for p in at.every if p.base_ref_name == BRANCH}
    at.mutate.rename_branch(BRANCH, "support/1")
    return found


def _by(at: Editor, login: str) -> set[int]:
    return {
        p.number for p in at.every if any(c.author and c.author.login == login for c in p.comments)
    }


def _rename_account(at: Editor) -> set[int]:
    found = _by(at, ACCOUNT)
    at.mutate.rename_account(ACCOUNT, "writer-to-be")
    return found


def _delete_account(at: Editor) -> set[int]:
    found = _by(at, LEAVER)
    at.mutate.delete_account(LEAVER)
    return found


EDITS: dict[str, Callable[[Editor], int | set[int]]] = {
    "edit a comment": _edit_comment,
    "edit a review": _edit_review,
    "edit a thread's comment": _edit_thread_comment,
    "edit the description": _edit_description,
    "minimise a comment": _minimise_comment,
    "minimise for another reason": _minimise_for_another_reason,
    "show a comment again": _show_again,
    "minimise a review": _minimise_review,
    "minimise a thread's comment": _minimise_thread_comment,
    "dismiss a review": _dismiss,
    "submit a draft": _submit,
    "resolve a thread": _resolve,
    "open a thread again": _unresolve,
    "outdate a thread": _outdate,
    "delete a comment": _delete_comment,
    "delete the only comment": _delete_only_comment,
    "delete an answer": _delete_answer,
    "delete the first of a thread": _delete_first_of_thread,
    "delete a thread": _delete_thread,
    "put a comment in another's place": _exchange_comment,
    "show a held-back comment": _uncover,
    "link an issue": _link,
    "unlink the issues": _unlink,
    "rename a label": _rename_label,
    "delete a label": _delete_label,
    "rename a branch": _rename_branch,
    "rename an account": _rename_account,
    "delete an account": _delete_account,
}
