"""What people do between runs, and while one is under way: drawn by chance, loud and silent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import TypeVar

from syncer.canonical import revision_of
from syncer.testing.github.clock import Clock, stamp
from syncer.testing.github.dataset import Issue
from syncer.testing.github.expected import _Maker
from syncer.testing.github.mutations import Mutations
from syncer.testing.github.nodes import (
    PullRequest,
    PullRequestReviewComment,
    PullRequestReviewThread,
)

__all__ = ["People"]

T = TypeVar("T")
WRITERS = ("writer-1", "writer-2", "writer-3")
"""Accounts that only comment. Who resolved a thread is as it was when it was read, so accounts that
resolve are never renamed here: no audit would tell, and none has to."""


class People:
    """Acts on a simulated repository and keeps what a reader may ever have seen of it.

    `revisions` holds, by number, every content that a pull request ever had; `silent` the numbers
    whose newest content no `updatedAt` tells of; `gone` the numbers that were deleted. Forks are
    never deleted here: their names are as read, and no audit looks for them.
    """

    def __init__(self, mutate: Mutations, clock: Clock, dice: Random) -> None:
        self._mutate = mutate
        self._clock = clock
        self._dice = dice
        self._count = 0
        self.revisions: dict[int, set[str]] = {}
        self.silent: set[int] = set()
        self.gone: set[int] = set()
        self._newest: dict[int, str] = {}
        self.note(self._pulls)

    def act(self, times: int, *, silently: bool) -> None:
        """Do so many things, some seconds apart; with `silently`, one in three without a word."""
        for _ in range(times):
            self._clock.advance(self._dice.choice((0, 1, 7, 90)))
            if silently and self._dice.random() < 1 / 3:
                self._act_silently()
            else:
                self.act_loudly()

    def act_loudly(self) -> int:
        """One thing that moves `updatedAt`; returns whose."""
        pull = self._dice.choice([*self._pulls])
        self._dice.choice(_LOUD)(self, pull)
        self.note([pull])
        return pull.number

    def open_pull(self) -> None:
        """A new pull request, sometimes with the first words on it."""
        pull = self._mutate.open_pull(title=self._words(), body=self._words())
        self.note([pull])

    def delete_pull(self) -> None:
        """One pull request is gone for good."""
        number = self._dice.choice([*self._mutate.world.repository.pull_requests])
        self._mutate.delete_pull(number)
        self.gone.add(number)
        self.silent.discard(number)

    def release(self) -> None:
        """A release is added, drafted, published, dated otherwise or deleted."""
        releases = [*self._mutate.world.repository.releases.values()]
        drafts = [one.tag_name for one in releases if one.is_draft]
        tag = self._dice.choice([one.tag_name for one in releases])
        match self._dice.randrange(5):
            case 0 if drafts:
                self._mutate.publish_release(self._dice.choice(drafts))
            case 1 if tag not in drafts:
                self._mutate.redate_release(tag, self._some_day())
            case 2 if len(releases) > 2:
                self._mutate.delete_release(tag)
            case 3:
                self._mutate.add_release(self._name("draft"), draft=True)
            case _:
                chance = self._dice.random()
                day = self._some_day() if chance < 0.5 else None
                self._mutate.add_release(self._name("v"), day, prerelease=chance < 0.2)

    def note(self, pulls: Iterable[PullRequest]) -> set[int]:
        """Remember the present content of `pulls`; returns the numbers whose content is another."""
        maker = _Maker(self._mutate.world)
        changed: set[int] = set()
        for pull in pulls:
            revision = revision_of(maker.conversation(pull))
            self.revisions.setdefault(pull.number, set()).add(revision)
            if self._newest.get(pull.number) != revision:
                self._newest[pull.number] = revision
                changed.add(pull.number)
        return changed

    # -- inside

    @property
    def _pulls(self) -> Iterator[PullRequest]:
        return iter(self._mutate.world.repository.pull_requests.values())

    def _act_silently(self) -> None:
        if self._dice.random() < 0.1:
            self._dice.choice(_WIDE)(self)
            self.silent |= self.note(self._pulls)
            return
        pull = self._dice.choice([*self._pulls])
        self._dice.choice(_SILENT)(self, pull)
        self.note([pull])
        self.silent.add(pull.number)  # what is only as read may be another as well

    def _words(self) -> str:
        self._count += 1
        return f"word {self._count}"

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"

    def _some_day(self) -> str:
        """A moment of the repository's past, as GitHub writes it."""
        opened = [pull.created_at for pull in self._pulls]
        at = self._dice.choice(opened)
        return min(at, stamp(self._clock.now()))

    def _one(self, items: Sequence[T]) -> T | None:
        return self._dice.choice(items) if items else None

    # -- loud

    def _comment(self, pull: PullRequest) -> None:
        self._mutate.add_comment(pull.number, self._words(), self._dice.choice(WRITERS))

    def _review(self, pull: PullRequest) -> None:
        state = self._dice.choice(("APPROVED", "COMMENTED", "CHANGES_REQUESTED"))
        self._mutate.add_review(pull.number, self._words(), state=state)

    def _thread(self, pull: PullRequest) -> None:
        review = self._mutate.add_review(pull.number, "")
        for _ in range(self._dice.randint(1, 3)):
            self._mutate.add_thread(review, self._words())

    def _reply(self, pull: PullRequest) -> None:
        if thread := self._one(_threads(pull)):
            self._mutate.reply(thread, self._words())

    def _draft(self, pull: PullRequest) -> None:
        """A review that only the reader of the tests sees, and then something that others see."""
        review = self._mutate.add_review(pull.number, self._words(), "viewer", "PENDING")
        self._mutate.add_thread(review, self._words())
        if thread := self._one(_threads(pull)):
            self._mutate.draft_reply(thread, review, self._words())
        self._mutate.touch(pull.number)

    def _submit(self, pull: PullRequest) -> None:
        for review in [one for one in pull.reviews if one.state == "PENDING"]:
            self._mutate.submit(review)

    def _rewrite(self, pull: PullRequest) -> None:
        self._mutate.edit_pull(pull.number, title=self._words(), body=self._words())

    def _label(self, pull: PullRequest) -> None:
        self._mutate.add_label(pull.number, self._dice.choice(("late", "label 1", self._words())))

    def _unlabel(self, pull: PullRequest) -> None:
        if label := self._one(pull.labels):
            self._mutate.remove_label(pull.number, label.name)

    def _change_state(self, pull: PullRequest) -> None:
        if pull.state == "OPEN":
            self._dice.choice((self._mutate.close, self._mutate.merge))(pull.number)
        elif pull.state == "CLOSED":
            self._mutate.reopen(pull.number)

    # -- silent

    def _edit(self, pull: PullRequest) -> None:
        entry = self._one([*pull.comments, *pull.reviews, *_said(pull), pull])
        if entry is not None:
            self._mutate.edit(entry, self._words())

    def _hide(self, pull: PullRequest) -> None:
        if entry := self._one([*pull.comments, *pull.reviews, *_said(pull)]):
            self._mutate.minimize(entry, None if entry.is_minimized else "off-topic")

    def _resolve(self, pull: PullRequest) -> None:
        if thread := self._one(_threads(pull)):
            self._mutate.resolve(thread, None if thread.is_resolved else "someone")

    def _outdate(self, pull: PullRequest) -> None:
        if thread := self._one(_threads(pull)):
            self._mutate.outdate(thread)

    def _delete(self, pull: PullRequest) -> None:
        if entry := self._one([*pull.comments, *_said(pull)]):
            self._mutate.delete_comment(entry)

    def _delete_thread(self, pull: PullRequest) -> None:
        if thread := self._one(_threads(pull)):
            self._mutate.delete_thread(thread)

    def _dismiss(self, pull: PullRequest) -> None:
        if review := self._one([one for one in pull.reviews if one.state == "APPROVED"]):
            self._mutate.dismiss(review, quietly=True)

    def _submit_quietly(self, pull: PullRequest) -> None:
        for review in [one for one in pull.reviews if one.state == "PENDING"]:
            self._mutate.submit(review, quietly=True)

    def _uncover(self, pull: PullRequest) -> None:
        self._mutate.uncover(pull.number, self._words())

    def _link(self, pull: PullRequest) -> None:
        if pull.closing_issues_references:
            self._mutate.unlink_issues(pull.number)
            return
        self._count += 1
        issue = Issue(repository="o/r", number=self._count, database_id=900_000 + self._count)
        self._mutate.link_issue(pull.number, issue)

    # -- silent, and on many pull requests at once

    def _rename_label(self) -> None:
        if label := self._one([*self._mutate.world.repository.labels.values()]):
            self._mutate.rename_label(label.name, self._words())

    def _delete_label(self) -> None:
        if label := self._one([*self._mutate.world.repository.labels.values()]):
            self._mutate.delete_label(label.name)

    def _rename_branch(self) -> None:
        branches = sorted({pull.base_ref_name for pull in self._pulls})
        self._mutate.rename_branch(self._dice.choice(branches), self._name("branch-"))

    def _delete_account(self) -> None:
        self._mutate.delete_account(self._dice.choice(WRITERS))


_LOUD: tuple[Callable[[People, PullRequest], None], ...] = (
    People._comment,
    People._comment,
    People._review,
    People._thread,
    People._reply,
    People._draft,
    People._submit,
    People._rewrite,
    People._label,
    People._unlabel,
    People._change_state,
    People._change_state,
)
_SILENT: tuple[Callable[[People, PullRequest], None], ...] = (
    People._edit,
    People._edit,
    People._hide,
    People._resolve,
    People._outdate,
    People._delete,
    People._delete_thread,
    People._dismiss,
    People._submit_quietly,
    People._uncover,
    People._link,
)
_WIDE: tuple[Callable[[People], None], ...] = (
    People._rename_label,
    People._delete_label,
    People._rename_branch,
    People._delete_account,
)


def _threads(pull: PullRequest) -> list[PullRequestReviewThread]:
    """The threads that everybody sees."""
    return [
        thread
        for thread in pull.review_threads
        if any(comment.state != "PENDING" for comment in thread.comments)
    ]


def _said(pull: PullRequest) -> list[PullRequestReviewComment]:
    return [
        comment
        for thread in pull.review_threads
        for comment in thread.comments
        if comment.state != "PENDING"
    ]
