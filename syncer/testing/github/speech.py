"""What people say in generated conversations: comments, reviews, threads and drafts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from msgspec.structs import replace

from syncer.testing.github.clock import stamp
from syncer.testing.github.dataset import Account, Comment, Review, Thread, ThreadComment
from syncer.testing.github.hostile import BODIES, prose

__all__ = ["ASSOCIATIONS", "Shape", "Speech"]

_REASONS = ("spam", "off-topic", "outdated", "a-made-up-reason")
ASSOCIATIONS = ("NONE", "CONTRIBUTOR", "MEMBER", "OWNER", "MANNEQUIN", "COLLABORATOR")
_STATES = ("APPROVED", "CHANGES_REQUESTED", "COMMENTED", "COMMENTED", "DISMISSED")


@dataclass(frozen=True)
class Shape:
    """What a generated repository holds beside its number of pull requests.

    The long ones are each the size of one special conversation, 0 for none. `viewer` has drafts.
    """

    name: str = "example-org/generated"
    releases: int = 14
    hostile: bool = True
    drafts: bool = True
    viewer: str = "viewer"
    long_conversation: int = 0
    long_thread: int = 0
    many_reviews: int = 0
    many_threads: int = 0
    huge_bodies: int = 0
    orphans: int = 0  # review comments whose thread is missing


class Speech:
    """Draws everything that is said from one source of chance."""

    def __init__(self, dice: Random, shape: Shape) -> None:
        self._dice = dice
        self._shape = shape
        self._people = [Account(login=f"person-{n:03}") for n in range(40)]
        self._people += [
            Account(login="helper[bot]", kind="Bot"),
            Account(login="helper", kind="Bot"),
            Account(login="imported", kind="Mannequin"),
            Account(login="example-org", kind="Organization"),
            Account(login="corporate", kind="EnterpriseUserAccount"),
            Account(login="newcomer", kind="KindOfTomorrow"),
            Account(login="ghost"),  # a real account of that name is no deleted one
            Account(login=shape.viewer),
        ]
        self._ids = {"comment": 900_000_000, "review": 1_500_000_000, "said": 2_147_480_000}
        self._hostile = list(BODIES)

    def next_id(self, kind: str) -> int:
        """The next database id of a kind of entry."""
        self._ids[kind] += self._dice.randint(1, 40)
        return self._ids[kind]

    def author(self) -> Account | None:
        """Somebody; now and then nobody, for the account is gone."""
        return None if self._dice.random() < 0.03 else self._dice.choice(self._people)

    def body(self) -> str:
        """A text; hostile now and then."""
        if not self._shape.hostile or self._dice.random() > 0.08:
            return prose(self._dice)
        # Each hostile body in turn, so that a set of some size holds them all.
        self._hostile.append(self._hostile.pop(0))
        return self._hostile[-1]

    def few(self) -> int:
        """How many of something a conversation has: mostly none to eight, seldom a hundred."""
        if self._dice.random() < 0.35:
            return 0
        return min(130, int(self._dice.paretovariate(1.2)) - (self._dice.random() < 0.3))

    def later(self, moment: datetime, hours: int = 30) -> datetime:
        """Some moment up to so many hours after `moment`."""
        return moment + timedelta(seconds=self._dice.randint(0, hours * 3600))

    def comments(self, since: datetime, count: int) -> tuple[Comment, ...]:
        """So many issue comments, in order of time."""
        out: list[Comment] = []
        for _ in range(count):
            since = self.later(since, 6)
            out.append(Comment(database_id=self.next_id("comment"), **self._entry(since)))  # type: ignore[arg-type]
        return tuple(out)

    def _entry(self, when: datetime) -> dict[str, object]:
        hidden = self._dice.random() < 0.03
        edited = self._dice.random() < 0.06
        return {
            "body": self.body(),
            "author": self.author(),
            "author_association": self._dice.choice(ASSOCIATIONS),
            "created_at": stamp(when),
            "last_edited_at": stamp(self.later(when, 3)) if edited else None,
            "is_minimized": hidden,
            "minimized_reason": self._dice.choice(_REASONS) if hidden else None,
        }

    def reviews(self, since: datetime, count: int) -> tuple[tuple[Review, ...], tuple[Thread, ...]]:
        """Reviews with the threads that came with them, and at times a draft."""
        reviews: list[Review] = []
        threads: list[Thread] = []
        for _ in range(count):
            since = self.later(since, 8)
            review = Review(
                database_id=self.next_id("review"),
                state=self._dice.choice(_STATES),
                submitted_at=stamp(since),
                **self._entry(since),  # type: ignore[arg-type]
            )
            reviews.append(review)
            sizes = self._dice.choices((1, 1, 2, 3, 6), k=self._dice.choice((0, 0, 1, 1, 2, 4)))
            threads.extend(self.thread(review, since, size) for size in sizes)
        if self._shape.drafts and self._dice.random() < 0.06:
            self._draft(since, reviews, threads)
        return tuple(reviews), tuple(threads)

    def thread(self, review: Review, since: datetime, count: int) -> Thread:
        """A thread of so many comments that came with `review`."""
        dice = self._dice
        kind = dice.choice(("line", "line", "line", "range", "file", "outdated"))
        line = None if kind == "file" else dice.randint(1, 900)
        start = None if line is None or kind != "range" else max(1, line - 4)
        gone = kind == "outdated"
        hunk = self._hunk()
        comments: list[ThreadComment] = []
        for _ in range(count):
            since = self.later(since, 2)
            # Now and then one comment of a thread carries another state of the code.
            same = dice.random() > 0.05
            comments.append(self.said(review, since, hunk if same else self._hunk(), comments))
        resolved = dice.random() < 0.4
        return Thread(
            path=dice.choice(("src/a.py", "docs/naïve name.md", "a/b/c.ts", "-dash", "x`y")),
            comments=tuple(comments),
            subject_type="FILE" if kind == "file" else "LINE",
            diff_side=dice.choice(("RIGHT", "RIGHT", "LEFT")),
            original_line=line,
            original_start_line=start,
            line=None if gone else line,
            start_line=None if gone else start,
            is_outdated=gone,
            is_resolved=resolved,
            resolved_by=dice.choice(self._people[:40]) if resolved else None,
        )

    def _hunk(self) -> str:
        if self._shape.hostile and self._dice.random() < 0.1:
            return "@@ -1,3 +1,4 @@\n ```\n-" + self.body() + "\n+`````"
        return f"@@ -{self._dice.randint(1, 99)},2 +1,2 @@\n-old line\n+new line"

    def said(
        self, review: Review, when: datetime, hunk: str, before: list[ThreadComment]
    ) -> ThreadComment:
        """A thread comment, answering the first of those `before` it."""
        return ThreadComment(
            database_id=self.next_id("said"),
            review=review.database_id,
            reply_to=before[0].database_id if before else 0,
            diff_hunk=hunk,
            **self._entry(when),  # type: ignore[arg-type]
        )

    def _draft(self, since: datetime, reviews: list[Review], threads: list[Thread]) -> None:
        """A review that is not submitted: with a thread of its own, and a reply in another."""
        mine = self._dice.random() < 0.5
        author = Account(login=self._shape.viewer) if mine else self._people[0]
        entry = {**self._entry(since), "author": author}
        review = Review(database_id=self.next_id("review"), state="PENDING", **entry)  # type: ignore[arg-type]
        reviews.append(review)
        own = self.thread(review, since, 1)
        pending = [_as_draft(comment, author) for comment in own.comments]
        if threads:
            last = threads[-1]
            said = self.said(review, self.later(since, 2), "@@ -1 +1 @@", list(last.comments))
            threads[-1] = replace(last, comments=(*last.comments, _as_draft(said, author)))
        threads.append(replace(own, comments=tuple(pending), is_resolved=False, resolved_by=None))

    def plain_review(self, since: datetime) -> Review:
        """A review of no special kind."""
        return Review(
            database_id=self.next_id("review"),
            state="COMMENTED",
            submitted_at=stamp(since),
            **self._entry(since),  # type: ignore[arg-type]
        )


def _as_draft(comment: ThreadComment, author: Account) -> ThreadComment:
    return replace(comment, state="PENDING", author=author)
