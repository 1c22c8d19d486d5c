"""Seeded data sets of any size: like real repositories, and as unkind as they can be.

The same arguments give the same data set, on every machine. Most pull requests have few comments,
some have many; numbers have holes; releases come with backports, ties, prereleases, drafts and odd
tags; some resolutions fall on a release's very second, or one beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from msgspec.structs import replace

from syncer.testing.github.clock import stamp
from syncer.testing.github.dataset import (
    Account,
    Comment,
    Dataset,
    Issue,
    Label,
    Pull,
    Release,
    Repository,
    Review,
    Thread,
    ThreadComment,
)
from syncer.testing.github.hostile import BODIES, TAGS, TITLES, huge, prose
from syncer.testing.github.loading import with_ids

__all__ = ["Shape", "generate"]

_START = datetime(2021, 3, 1, 9, 0, tzinfo=UTC)
_REASONS = ("spam", "off-topic", "outdated", "a-made-up-reason")
_ASSOCIATIONS = ("NONE", "CONTRIBUTOR", "MEMBER", "OWNER", "MANNEQUIN", "COLLABORATOR")
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


def generate(seed: int, pulls: int, shape: Shape | None = None) -> Dataset:
    """A repository with `pulls` pull requests, every database id set."""
    return _Maker(seed, pulls, shape or Shape()).dataset()


class _Maker:
    def __init__(self, seed: int, pulls: int, shape: Shape) -> None:
        self._dice = Random(f"{seed}:{pulls}")
        self._count = pulls
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
        self._labels = [Label(name=f"label {n}") for n in range(12)]
        self._ids = {"comment": 900_000_000, "review": 1_500_000_000, "said": 2_147_480_000}
        self._step = timedelta(minutes=max(20, 1_500_000 // max(1, pulls)))
        self._hostile = list(BODIES)

    def dataset(self) -> Dataset:
        releases = self._releases()
        points = [r.published_at for r in releases if r.published_at is not None]
        pulls = [self._pull(i, number, points) for i, number in enumerate(self._numbers())]
        self._add_specials(pulls)
        repository = Repository(name_with_owner=self._shape.name, database_id=70_001_234)
        return with_ids(
            Dataset(repository=repository, releases=tuple(releases), pull_requests=tuple(pulls))
        )

    # -- small things

    def _numbers(self) -> list[int]:
        out: list[int] = []
        number = 0
        for _ in range(self._count):
            number += self._dice.choices((1, 2, 3, 9), (70, 18, 10, 2))[0]
            out.append(number)
        return out

    def _next(self, kind: str) -> int:
        self._ids[kind] += self._dice.randint(1, 40)
        return self._ids[kind]

    def _author(self) -> Account | None:
        return None if self._dice.random() < 0.03 else self._dice.choice(self._people)

    def _body(self) -> str:
        if not self._shape.hostile or self._dice.random() > 0.08:
            return prose(self._dice)
        # Each hostile body in turn, so that a set of some size holds them all.
        self._hostile.append(self._hostile.pop(0))
        return self._hostile[-1]

    def _title(self) -> str:
        if self._shape.hostile and self._dice.random() < 0.15:
            return self._dice.choice(TITLES)
        return prose(self._dice, 10).replace("\n", "") or "Change"

    def _few(self) -> int:
        """How many of something a conversation has: mostly none to eight, seldom a hundred."""
        if self._dice.random() < 0.35:
            return 0
        return min(130, int(self._dice.paretovariate(1.2)) - (self._dice.random() < 0.3))

    def _later(self, moment: datetime, hours: int = 30) -> datetime:
        return moment + timedelta(seconds=self._dice.randint(0, hours * 3600))

    # -- releases

    def _releases(self) -> list[Release]:
        span = self._step * max(1, self._count)
        gap = span / (self._shape.releases + 1)
        out: list[Release] = []
        for n in range(self._shape.releases):
            when = _START + gap * (n + 1)
            out.append(_release(f"v1.{n}", when, pre=n % 5 == 3))
            if n % 4 == 2:  # a backport, published after a newer one
                out.append(_release(f"v0.9.{n}", when + gap / 3))
            if n % 6 == 1:  # two in the same second
                out.append(_release(f"v1.{n}-tie", when))
        for n, tag in enumerate(TAGS if self._shape.releases else ()):
            out.append(_release(tag, _START + span * (n + 1) / (len(TAGS) + 2)))
        if self._shape.releases:
            out.append(_release("v9-draft", None))
        return out

    # -- conversations

    def _pull(self, index: int, number: int, points: list[str]) -> Pull:
        dice = self._dice
        created = _START + self._step * index + timedelta(seconds=dice.randint(0, 600))
        comments = self._comments(created, self._few())
        reviews, threads = self._reviews(created, self._few() // 2)
        state = dice.choices(("MERGED", "CLOSED", "OPEN"), (70, 14, 16))[0]
        resolved = self._resolution(created, points)
        closed = merged = None
        if state != "OPEN":
            merged = resolved if state == "MERGED" else None
            late = merged is not None and dice.random() < 0.05
            closed = resolved + timedelta(seconds=1) if late else resolved
        pull = Pull(
            number=number,
            database_id=1_000_000_000 + number * 13,
            title=self._title(),
            body=self._body(),
            author=self._author(),
            author_association=dice.choice(_ASSOCIATIONS),
            state=state,
            is_draft=state == "OPEN" and dice.random() < 0.2,
            created_at=stamp(created),
            updated_at=stamp(closed or created),
            closed_at=None if closed is None else stamp(closed),
            merged_at=None if merged is None else stamp(merged),
            base_ref_name=dice.choice(("main", "main", "main", "release-1.9", "dev")),
            head_ref_name=dice.choice(("topic", "fix/a b", "dependabot/x", "naïve", "#1")),
            head_repository=self._head(),
            comments=comments,
            reviews=reviews,
            review_threads=threads,
            labels=tuple(dice.sample(self._labels, dice.choice((0, 0, 0, 1, 2, 3)))),
            closing_issues=tuple(self._issues(number)),
        )
        return _settled(pull)

    def _head(self) -> str | None:
        forks = (None, self._shape.name, self._shape.name, "person-001/generated")
        return self._dice.choice(forks)

    def _issues(self, number: int) -> list[Issue]:
        if self._dice.random() > 0.15:
            return []
        elsewhere = "example-org/other" if self._dice.random() < 0.2 else self._shape.name
        return [Issue(repository=elsewhere, number=number + 500_000)]

    def _resolution(self, created: datetime, points: list[str]) -> datetime:
        """Some time after `created`; now and then at a release's second, or one beside it."""
        if points and self._dice.random() < 0.08:
            point = datetime.fromisoformat(self._dice.choice(points))
            near = point + timedelta(seconds=self._dice.choice((-1, 0, 1)))
            if near >= created:
                return near
        return self._later(created, self._dice.choice((1, 20, 200, 2000)))

    def _comments(self, since: datetime, count: int) -> tuple[Comment, ...]:
        out: list[Comment] = []
        for _ in range(count):
            since = self._later(since, 6)
            out.append(Comment(database_id=self._next("comment"), **self._entry(since)))  # type: ignore[arg-type]
        return tuple(out)

    def _entry(self, when: datetime) -> dict[str, object]:
        hidden = self._dice.random() < 0.03
        edited = self._dice.random() < 0.06
        return {
            "body": self._body(),
            "author": self._author(),
            "author_association": self._dice.choice(_ASSOCIATIONS),
            "created_at": stamp(when),
            "last_edited_at": stamp(self._later(when, 3)) if edited else None,
            "is_minimized": hidden,
            "minimized_reason": self._dice.choice(_REASONS) if hidden else None,
        }

    def _reviews(
        self, since: datetime, count: int
    ) -> tuple[tuple[Review, ...], tuple[Thread, ...]]:
        reviews: list[Review] = []
        threads: list[Thread] = []
        for _ in range(count):
            since = self._later(since, 8)
            review = Review(
                database_id=self._next("review"),
                state=self._dice.choice(_STATES),
                submitted_at=stamp(since),
                **self._entry(since),  # type: ignore[arg-type]
            )
            reviews.append(review)
            sizes = self._dice.choices((1, 1, 2, 3, 6), k=self._dice.choice((0, 0, 1, 1, 2, 4)))
            threads.extend(self._thread(review, since, size) for size in sizes)
        if self._shape.drafts and self._dice.random() < 0.06:
            self._draft(since, reviews, threads)
        return tuple(reviews), tuple(threads)

    def _thread(self, review: Review, since: datetime, count: int) -> Thread:
        dice = self._dice
        kind = dice.choice(("line", "line", "line", "range", "file", "outdated"))
        line = None if kind == "file" else dice.randint(1, 900)
        start = None if line is None or kind != "range" else max(1, line - 4)
        gone = kind == "outdated"
        hunk = self._hunk()
        comments: list[ThreadComment] = []
        for _ in range(count):
            since = self._later(since, 2)
            # Now and then one comment of a thread carries another state of the code.
            same = dice.random() > 0.05
            comments.append(self._said(review, since, hunk if same else self._hunk(), comments))
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
            return "@@ -1,3 +1,4 @@\n ```\n-" + self._body() + "\n+`````"
        return f"@@ -{self._dice.randint(1, 99)},2 +1,2 @@\n-old line\n+new line"

    def _said(
        self, review: Review, when: datetime, hunk: str, before: list[ThreadComment]
    ) -> ThreadComment:
        return ThreadComment(
            database_id=self._next("said"),
            review=review.database_id,
            reply_to=before[0].database_id if before else 0,
            diff_hunk=hunk,
            **self._entry(when),  # type: ignore[arg-type]
        )

    # -- drafts and special conversations

    def _draft(self, since: datetime, reviews: list[Review], threads: list[Thread]) -> None:
        """A review that is not submitted: with a thread of its own, and a reply in another."""
        mine = self._dice.random() < 0.5
        author = Account(login=self._shape.viewer) if mine else self._people[0]
        entry = {**self._entry(since), "author": author}
        review = Review(database_id=self._next("review"), state="PENDING", **entry)  # type: ignore[arg-type]
        reviews.append(review)
        own = self._thread(review, since, 1)
        pending = [_as_draft(comment, author) for comment in own.comments]
        if threads:
            last = threads[-1]
            said = self._said(review, self._later(since, 2), "@@ -1 +1 @@", list(last.comments))
            threads[-1] = replace(last, comments=(*last.comments, _as_draft(said, author)))
        threads.append(replace(own, comments=tuple(pending), is_resolved=False, resolved_by=None))

    def _add_specials(self, pulls: list[Pull]) -> None:
        """Turn some pull requests into the special conversations, spread over the set."""
        shape = self._shape
        makers = (
            (shape.long_conversation, self._long_conversation),
            (shape.long_thread, self._long_thread),
            (shape.many_reviews, self._many_reviews),
            (shape.many_threads, self._many_threads),
            (shape.orphans, self._orphans),
        )
        wanted = [(size, make) for size, make in makers if size]
        for n, (size, make) in enumerate(wanted):
            place = (2 * n + 1) * len(pulls) // (2 * len(wanted) or 1)
            pulls[place] = _settled(make(pulls[place], size))
        for n in range(min(shape.huge_bodies, len(pulls))):
            place = (n * 7 + 3) % len(pulls)
            comment = Comment(
                database_id=self._next("comment"),
                body=huge(self._dice, n),
                author=self._author(),
                created_at=pulls[place].created_at,
            )
            pulls[place] = replace(pulls[place], comments=(*pulls[place].comments, comment))

    def _long_conversation(self, pull: Pull, size: int) -> Pull:
        since = datetime.fromisoformat(pull.created_at)
        return replace(pull, comments=self._comments(since, size))

    def _long_thread(self, pull: Pull, size: int) -> Pull:
        since = datetime.fromisoformat(pull.created_at)
        review = self._plain_review(since)
        thread = self._thread(review, since, size)
        return replace(
            pull,
            reviews=(*pull.reviews, review),
            review_threads=(*pull.review_threads, thread),
        )

    def _many_reviews(self, pull: Pull, size: int) -> Pull:
        since = datetime.fromisoformat(pull.created_at)
        return replace(pull, reviews=tuple(self._plain_review(since) for _ in range(size)))

    def _many_threads(self, pull: Pull, size: int) -> Pull:
        since = datetime.fromisoformat(pull.created_at)
        review = self._plain_review(since)
        threads = tuple(self._thread(review, since, 1) for _ in range(size))
        return replace(
            pull, reviews=(*pull.reviews, review), review_threads=(*pull.review_threads, *threads)
        )

    def _orphans(self, pull: Pull, size: int) -> Pull:
        since = datetime.fromisoformat(pull.created_at)
        review = self._plain_review(since)
        orphans = tuple(self._said(review, since, "@@ -1 +1 @@", []) for _ in range(size))
        return replace(pull, reviews=(*pull.reviews, replace(review, orphans=orphans)))

    def _plain_review(self, since: datetime) -> Review:
        return Review(
            database_id=self._next("review"),
            state="COMMENTED",
            submitted_at=stamp(since),
            **self._entry(since),  # type: ignore[arg-type]
        )


def _release(tag: str, when: datetime | None, *, pre: bool = False) -> Release:
    return Release(
        tag_name=tag,
        name=f"Release {tag}",
        published_at=None if when is None else stamp(when),
        created_at=stamp(when or _START),
        is_draft=when is None,
        is_prerelease=pre,
    )


def _as_draft(comment: ThreadComment, author: Account) -> ThreadComment:
    return replace(comment, state="PENDING", author=author)


def _settled(pull: Pull) -> Pull:
    """`pull` with an `updatedAt` that is not before anything that moves it."""
    stamps = [pull.created_at, pull.updated_at]
    stamps += [comment.created_at for comment in pull.comments]
    stamps += [review.created_at for review in pull.reviews if review.state != "PENDING"]
    for thread in pull.review_threads:
        stamps += [comment.created_at for comment in thread.comments]
    return replace(pull, updated_at=max(stamps))
