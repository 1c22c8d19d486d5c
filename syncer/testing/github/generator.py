"""Seeded data sets of any size: like real repositories, and as unkind as they can be.

The same arguments give the same data set, on every machine. Most pull requests have few comments,
some have many; numbers have holes; releases come with backports, ties, prereleases, drafts and odd
tags; some resolutions fall on a release's very second, or one beside it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from msgspec.structs import replace

from syncer.testing.github.clock import stamp
from syncer.testing.github.dataset import (
    Comment,
    Dataset,
    Issue,
    Label,
    Pull,
    Release,
    Repository,
)
from syncer.testing.github.hostile import TAGS, TITLES, huge, prose
from syncer.testing.github.loading import with_ids
from syncer.testing.github.speech import ASSOCIATIONS, Shape, Speech

__all__ = ["Shape", "generate"]

_START = datetime(2021, 3, 1, 9, 0, tzinfo=UTC)


def generate(seed: int, pulls: int, shape: Shape | None = None) -> Dataset:
    """A repository with `pulls` pull requests, every database id set."""
    return _Maker(seed, pulls, shape or Shape()).dataset()


class _Maker:
    def __init__(self, seed: int, pulls: int, shape: Shape) -> None:
        self._dice = Random(f"{seed}:{pulls}")
        self._count = pulls
        self._shape = shape
        self._speech = Speech(self._dice, shape)
        self._labels = [Label(name=f"label {n}") for n in range(12)]
        self._step = timedelta(minutes=max(20, 1_500_000 // max(1, pulls)))

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

    def _title(self) -> str:
        if self._shape.hostile and self._dice.random() < 0.15:
            return self._dice.choice(TITLES)
        return prose(self._dice, 10).replace("\n", "") or "Change"

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
        comments = self._speech.comments(created, self._speech.few())
        reviews, threads = self._speech.reviews(created, self._speech.few() // 2)
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
            body=self._speech.body(),
            author=self._speech.author(),
            author_association=dice.choice(ASSOCIATIONS),
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
        return self._speech.later(created, self._dice.choice((1, 20, 200, 2000)))

    # -- drafts and special conversations

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
                database_id=self._speech.next_id("comment"),
                body=huge(self._dice, n),
                author=self._speech.author(),
                created_at=pulls[place].created_at,
            )
            pulls[place] = replace(pulls[place], comments=(*pulls[place].comments, comment))

    def _long_conversation(self, pull: Pull, size: int) -> Pull:
        since = datetime.fromisoformat(pull.created_at)
        return replace(pull, comments=self._speech.comments(since, size))

    def _long_thread(self, pull: Pull, size: int) -> Pull:
        since = datetime.fromisoformat(pull.created_at)
        review = self._speech.plain_review(since)
        thread = self._speech.thread(review, since, size)
        return replace(
            pull,
            reviews=(*pull.reviews, review),
            review_threads=(*pull.review_threads, thread),
        )

    def _many_reviews(self, pull: Pull, size: int) -> Pull:
        since = datetime.fromisoformat(pull.created_at)
        return replace(pull, reviews=tuple(self._speech.plain_review(since) for _ in range(size)))

    def _many_threads(self, pull: Pull, size: int) -> Pull:
        since = datetime.fromisoformat(pull.created_at)
        review = self._speech.plain_review(since)
        threads = tuple(self._speech.thread(review, since, 1) for _ in range(size))
        return replace(
            pull, reviews=(*pull.reviews, review), review_threads=(*pull.review_threads, *threads)
        )

    def _orphans(self, pull: Pull, size: int) -> Pull:
        since = datetime.fromisoformat(pull.created_at)
        review = self._speech.plain_review(since)
        orphans = tuple(self._speech.said(review, since, "@@ -1 +1 @@", []) for _ in range(size))
        return replace(pull, reviews=(*pull.reviews, replace(review, orphans=orphans)))


def _release(tag: str, when: datetime | None, *, pre: bool = False) -> Release:
    return Release(
        tag_name=tag,
        name=f"Release {tag}",
        published_at=None if when is None else stamp(when),
        created_at=stamp(when or _START),
        is_draft=when is None,
        is_prerelease=pre,
    )


def _settled(pull: Pull) -> Pull:
    """`pull` with an `updatedAt` that is not before anything that moves it."""
    stamps = [pull.created_at, pull.updated_at]
    stamps += [comment.created_at for comment in pull.comments]
    stamps += [review.created_at for review in pull.reviews if review.state != "PENDING"]
    for thread in pull.review_threads:
        stamps += [comment.created_at for comment in thread.comments]
    return replace(pull, updated_at=max(stamps))
