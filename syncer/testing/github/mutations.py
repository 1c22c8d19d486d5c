"""What people do on GitHub, and what of it moves a pull request's `updatedAt`.

Stamps come from the server's clock. Each method says in its first words whether `updatedAt` moves;
those that do not are the silent changes that only an audit can find.
"""

from __future__ import annotations

from bisect import insort

from syncer.testing.github import dataset as given
from syncer.testing.github.nodes import (
    Actor,
    Entry,
    IssueComment,
    Label,
    PullRequest,
    PullRequestReview,
    PullRequestReviewComment,
    PullRequestReviewThread,
    Release,
)
from syncer.testing.github.wide import WideMutations

__all__ = ["Mutations"]


class Mutations(WideMutations):
    """Changes to a world. Pull requests go by number, entries by the live node."""

    # -- loud: `updatedAt` moves

    def touch(self, number: int) -> PullRequest:
        """Moves. Anything else that people do on a pull request."""
        return self._touch(self.world.pull(number))

    def add_comment(self, number: int, body: str, author: str | None = "someone") -> IssueComment:
        """Moves. Comment on the conversation."""
        pull = self.touch(number)
        comment = IssueComment(*self._entry("IssueComment", author, body), pull, False, None)
        insort(pull.comments, comment, key=_by_time)
        self.world.add(comment)
        return comment

    def add_review(
        self, number: int, body: str, author: str | None = "someone", state: str = "COMMENTED"
    ) -> PullRequestReview:
        """Moves, unless the review is PENDING. Review the pull request, or begin to."""
        pull = self.world.pull(number) if state == "PENDING" else self.touch(number)
        submitted = None if state == "PENDING" else self._clock.stamp()
        review = PullRequestReview(
            *self._entry("PullRequestReview", author, body), pull, False, None, state, submitted
        )
        insort(pull.reviews, review, key=_by_time)
        self._changed(review)
        return review

    def add_thread(
        self,
        review: PullRequestReview,
        body: str,
        path: str = "src/a.py",
        line: int | None = 1,
    ) -> PullRequestReviewThread:
        """Moves, unless `review` is PENDING. Open a thread on the code, as part of a review."""
        pull = review.pull_request
        thread = PullRequestReviewThread(
            self.world.next_id("PullRequestReviewThread"),
            pull,
            path,
            "FILE" if line is None else "LINE",
            "RIGHT",
            line,
            None,
            line,
            None,
            False,
            False,
            None,
        )
        pull.review_threads.append(thread)
        self.world.add(thread)
        self._say(thread, review, body, "@@ -1 +1 @@\n-old\n+new")
        return thread

    def reply(
        self, thread: PullRequestReviewThread, body: str, author: str | None = "someone"
    ) -> PullRequestReviewComment:
        """Moves. Answer in a thread, which makes a review of its own, as on GitHub."""
        review = self.add_review(thread.pull_request.number, "", author)
        return self._say(thread, review, body, thread.comments[0].diff_hunk)

    def draft_reply(
        self, thread: PullRequestReviewThread, review: PullRequestReview, body: str
    ) -> PullRequestReviewComment:
        """Does not move. Answer in a thread as part of the PENDING `review`."""
        return self._say(thread, review, body, thread.comments[0].diff_hunk)

    def submit(
        self, review: PullRequestReview, state: str = "COMMENTED", *, quietly: bool = False
    ) -> None:
        """Moves, unless `quietly`. Submit a draft: what it holds is seen, with its old stamps."""
        review.state, review.submitted_at = state, self._clock.stamp()
        for comment in review.comments:
            comment.state = "SUBMITTED"
        self._decided(review, quietly)

    def edit_pull(self, number: int, *, title: str | None = None, body: str | None = None) -> None:
        """Moves. Edit title or body of the pull request itself."""
        pull = self.touch(number)
        pull.title = pull.title if title is None else title
        if body is not None:
            pull.body, pull.last_edited_at = body, self._clock.stamp()

    def add_label(self, number: int, name: str) -> Label:
        """Moves. Put a label on, which the repository gets if it has none of that name."""
        pull = self.touch(number)
        known = (x for x in self.world.repository.labels.values() if x.name == name)
        spec = given.Label(name=name, database_id=self.world.next_id("Label"))
        label = next(known, None) or self.world.label(spec)
        if label not in pull.labels:
            pull.labels = sorted([*pull.labels, label], key=lambda x: x.database_id)
        return label

    def remove_label(self, number: int, name: str) -> None:
        """Moves. Take a label off."""
        pull = self.touch(number)
        pull.labels = [label for label in pull.labels if label.name != name]

    def close(self, number: int) -> None:
        """Moves. Close without merging."""
        pull = self.touch(number)
        pull.state, pull.closed_at = "CLOSED", pull.updated_at

    def reopen(self, number: int) -> None:
        """Moves. Reopen a closed pull request."""
        pull = self.touch(number)
        pull.state, pull.closed_at = "OPEN", None

    def merge(self, number: int) -> None:
        """Moves. Merge."""
        pull = self.touch(number)
        pull.state, pull.closed_at, pull.merged_at = "MERGED", pull.updated_at, pull.updated_at

    def dismiss(self, review: PullRequestReview, *, quietly: bool = False) -> None:
        """Moves, unless `quietly`. Dismiss a review."""
        review.state = "DISMISSED"
        self._decided(review, quietly)

    # -- silent: `updatedAt` stays

    def edit(self, entry: Entry, body: str) -> None:
        """Does not move. Edit a comment or a review; `lastEditedAt` tells."""
        entry.body, entry.last_edited_at = body, self._clock.stamp()
        self._changed(entry)

    def minimize(
        self,
        entry: IssueComment | PullRequestReview | PullRequestReviewComment,
        reason: str | None = "spam",
    ) -> None:
        """Does not move. Hide a comment; a reason of None shows it again."""
        entry.is_minimized, entry.minimized_reason = reason is not None, reason
        self._changed(entry)

    def resolve(self, thread: PullRequestReviewThread, by: str | None = "someone") -> None:
        """Does not move. Resolve a thread, or open it again with `by` None."""
        thread.is_resolved = by is not None
        thread.resolved_by = None if by is None else self.world.actor(by)
        self._changed(thread)

    def outdate(self, thread: PullRequestReviewThread) -> None:
        """Does not move. The code under a thread has changed."""
        thread.is_outdated, thread.line, thread.start_line = True, None, None
        self._changed(thread)

    def delete_comment(self, comment: IssueComment | PullRequestReviewComment) -> None:
        """Does not move. Delete a comment; a thread goes with its last one."""
        if isinstance(comment, IssueComment):
            comment.pull_request.comments.remove(comment)
        else:
            self._drop(comment)
        self._forget(comment)

    def delete_thread(self, thread: PullRequestReviewThread) -> None:
        """Does not move. Delete every comment of a thread, and so the thread."""
        for comment in list(thread.comments):
            self.delete_comment(comment)

    def uncover(self, number: int, body: str, author: str | None = "someone") -> IssueComment:
        """Does not move. A comment appears that was held back, as of an account under suspicion."""
        stays = self.world.pull(number).updated_at
        comment = self.add_comment(number, body, author)
        comment.pull_request.updated_at = stays
        return comment

    def link_issue(self, number: int, issue: given.Issue) -> None:
        """Does not move. From the issue's side, say that the pull request closes it."""
        pull = self.world.pull(number)
        found = self.world.issue(issue)
        pull.closing_issues_references = sorted(
            [*pull.closing_issues_references, found], key=lambda x: x.database_id
        )
        self.world.touched += 1

    def unlink_issues(self, number: int) -> None:
        """Does not move. From the issues' side, say that nothing is closed by it."""
        self.world.pull(number).closing_issues_references = []
        self.world.touched += 1

    def delete_fork(self, number: int) -> None:
        """Does not move. The repository that the change came from is deleted."""
        self.world.pull(number).head_repository = None
        self.world.touched += 1

    # -- pull requests, the repository, its releases

    def open_pull(self, number: int | None = None, **fields: object) -> PullRequest:
        """A new pull request with the next number, or `number`; `fields` as in `dataset.Pull`."""
        now = self._clock.stamp()
        spec: dict[str, object] = {
            "number": number or max(self.world.repository.pull_requests, default=0) + 1,
            "title": "A new pull request",
            "body": "",
            "author": given.Account(login="someone"),
            "state": "OPEN",
            "created_at": now,
            "updated_at": now,
            "database_id": self.world.next_id("PullRequest"),
        }
        pull = self.world.add_pull(given.Pull(**{**spec, **fields}))  # type: ignore[arg-type]
        self.world.touched += 1
        return pull

    def delete_pull(self, number: int) -> None:
        """The pull request is gone, with everything on it; its number stays a hole."""
        self._forget(self.world.repository.pull_requests.pop(number))

    def rename(self, name_with_owner: str) -> None:
        """The repository is renamed or transferred: the same id, found under both names."""
        self.world.former_names.add(self.world.repository.name_with_owner.lower())
        self.world.former_names.discard(name_with_owner.lower())
        self.world.repository.name_with_owner = name_with_owner
        self.world.touched += 1

    def recreate(self) -> None:
        """The repository is deleted and made anew under its name: another id, the same content."""
        repository = self.world.repository
        self._forget(repository)
        repository.database_id += 1_000
        self._changed(repository)

    def add_release(
        self,
        tag: str,
        published_at: str | None = None,
        *,
        draft: bool = False,
        prerelease: bool = False,
    ) -> Release:
        """A new release, published now unless another stamp is given."""
        now = self._clock.stamp()
        spec = given.Release(
            tag_name=tag,
            name=tag,
            published_at=None if draft else published_at or now,
            created_at=now,
            database_id=self.world.next_id("Release"),
            is_draft=draft,
            is_prerelease=prerelease,
        )
        self.world.touched += 1
        return self.world.add_release(spec)

    def publish_release(self, tag: str) -> None:
        """A draft is published."""
        release = self.release(tag)
        release.is_draft, release.published_at = False, self._clock.stamp()
        self._changed(release)

    def redate_release(self, tag: str, published_at: str) -> None:
        """A release gets another date, as when it is deleted and published again."""
        self.release(tag).published_at = published_at
        self.world.touched += 1

    def delete_release(self, tag: str) -> None:
        """A release is gone."""
        release = self.release(tag)
        del self.world.repository.releases[release.database_id]
        self._forget(release)

    def release(self, tag: str) -> Release:
        """The release with this tag; KeyError where there is none."""
        for release in self.world.repository.releases.values():
            if release.tag_name == tag:
                return release
        raise KeyError(tag)

    # -- inside

    def _touch(self, pull: PullRequest) -> PullRequest:
        pull.updated_at = max(pull.updated_at, self._clock.stamp())
        self.world.touched += 1
        return pull

    def _decided(self, review: PullRequestReview, quietly: bool) -> None:
        if quietly:
            self._changed(review)
        else:
            self._touch(review.pull_request)

    def _entry(
        self, kind: str, author: str | None, body: str
    ) -> tuple[int, Actor | None, str, str, str, None]:
        account = None if author is None else self.world.actor(author)
        return (self.world.next_id(kind), account, "NONE", body, self._clock.stamp(), None)

    def _say(
        self, thread: PullRequestReviewThread, review: PullRequestReview, body: str, hunk: str
    ) -> PullRequestReviewComment:
        author = None if review.author is None else review.author.login
        pending = review.state == "PENDING"
        comment = PullRequestReviewComment(
            *self._entry("PullRequestReviewComment", author, body),
            review.pull_request,
            False,
            None,
            "PENDING" if pending else "SUBMITTED",
            thread.comments[0] if thread.comments else None,
            review,
            hunk,
            thread,
        )
        insort(thread.comments, comment, key=_by_time)
        review.comments.append(comment)
        self._changed(comment)
        if not pending:
            self._touch(review.pull_request)
        return comment

    def _drop(self, comment: PullRequestReviewComment) -> None:
        if comment.pull_request_review is not None:
            comment.pull_request_review.comments.remove(comment)
        thread = comment.thread
        if thread is None:
            return
        thread.comments.remove(comment)
        for other in thread.comments:
            if other.reply_to is comment:
                other.reply_to = None
        if not thread.comments:
            comment.pull_request.review_threads.remove(thread)
            self._forget(thread)


def _by_time(entry: Entry) -> tuple[str, int]:
    return (entry.created_at, entry.database_id)
