"""What an audit is to look at, how deep, and what that will cost. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from syncer.errors import ConfigError
from syncer.records import Instant

__all__ = [
    "Depth",
    "Mark",
    "Plan",
    "Sample",
    "Scope",
    "drawn",
    "points",
    "sample_of",
    "scope_of",
    "seed_of",
]

_EPOCH_DAY = 719_163  # 1970-01-01 as a proleptic ordinal


class Depth(StrEnum):
    """How much of a conversation is compared."""

    TOTALS = "totals"  # the row, and how many entries each first-level connection has
    STAMPS = "stamps"  # the row, and every entry but for its words


class Sample(Struct, frozen=True, kw_only=True):
    """A part of the pull requests: `percent` of them, else `count`."""

    count: int = 0
    percent: float | None = None

    def size(self, of: int) -> int:
        """How many of so many that is; at least one where there is one."""
        wanted = self.count if self.percent is None else round(of * self.percent / 100)
        return min(of, max(1, wanted))


class Plan(Struct, frozen=True, kw_only=True):
    """One audit. `since` None: however old; `sample` None: all; `seed` None: by the day."""

    depth: Depth = Depth.STAMPS
    since: Instant | None = None
    sample: Sample | None = None
    seed: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether every pull request is looked at, so that missing ones are found as well."""
        return self.since is None and self.sample is None


class Mark(Struct, frozen=True, kw_only=True):
    """Where an audit stopped early.

    The stamps of all pull requests up to number `through` were compared, and those of `done`.
    """

    plan: Plan  # with the seed that was drawn by
    begun_at: Instant
    through: int = 0
    done: tuple[int, ...] = ()

    @property
    def is_begun(self) -> bool:
        """Whether anything was compared."""
        return self.through > 0 or bool(self.done)

    def goes_on_with(self, plan: Plan) -> bool:
        """Whether an audit by `plan` may go on here."""
        same = (plan.depth, plan.since, plan.sample)
        seed = plan.seed is None or plan.seed == self.plan.seed
        return seed and same == (self.plan.depth, self.plan.since, self.plan.sample)

    def has(self, number: int) -> bool:
        """Whether pull request `number` was compared already."""
        return number <= self.through or number in self.done

    def with_done(self, numbers: Iterable[int]) -> Mark:
        """The mark once `numbers` were compared too."""
        return replace(self, done=tuple(sorted({*self.done, *numbers})))

    def past(self, number: int) -> Mark:
        """The mark once everything up to `number` was compared."""
        return replace(self, through=number, done=tuple(n for n in self.done if n > number))


class Scope(Struct, frozen=True, kw_only=True):
    """What a plan means today: `pulls` (id, number) by number, and where to begin."""

    pulls: tuple[tuple[str, int], ...]
    mark: Mark
    resumed: bool

    @property
    def plan(self) -> Plan:
        """The plan, with the seed that its sample was drawn by."""
        return self.mark.plan

    def left(self) -> list[str]:
        """The ids of those whose stamps are still to be compared."""
        if self.plan.depth is Depth.TOTALS:
            return []
        return [pull for pull, number in self.pulls if not self.mark.has(number)]


def scope_of(
    plan: Plan, pulls: Sequence[tuple[str, int]], mark: Mark | None, today: datetime
) -> Scope:
    """The scope of `plan` over `pulls`, from where an earlier audit of the same kind stopped."""
    resumed = mark is not None and mark.goes_on_with(plan)
    if mark is None or not resumed:
        drawn_by = plan.seed if plan.sample is None or plan.seed is not None else seed_of(today)
        mark = Mark(plan=replace(plan, seed=drawn_by), begun_at=today)
    sample, seed = mark.plan.sample, mark.plan.seed
    chosen = pulls if sample is None else drawn(pulls, sample, seed or 0)
    return Scope(pulls=tuple(chosen), mark=mark, resumed=resumed)


def sample_of(text: str) -> Sample:
    """The sample that `N` or `N%` means. Raises ConfigError for anything else."""
    number, is_percent = text.removesuffix("%"), text.endswith("%")
    try:
        if is_percent and 0 < (percent := float(number)) <= 100:
            return Sample(percent=percent)
        if not is_percent and (count := int(number)) > 0:
            return Sample(count=count)
    except ValueError:
        pass
    message = f"a sample is a number of pull requests or a percentage up to 100%, not {text}"
    raise ConfigError(message)


def seed_of(day: datetime) -> int:
    """The seed of a day: the same all day long, another one the next."""
    return day.toordinal() - _EPOCH_DAY


def drawn(pulls: Sequence[tuple[str, int]], sample: Sample, seed: int) -> list[tuple[str, int]]:
    """The sample of `pulls` (id, number) that `seed` draws, by number.

    Every pull request has its place in the draw by itself: others that come or go do not move it.
    """
    ranked = sorted(pulls, key=lambda pull: _lot(pull[0], seed))
    return sorted(ranked[: sample.size(len(pulls))], key=lambda pull: pull[1])


def points(pulls: int, pages: int, ids: int, page: int) -> int:
    """About what an audit costs that reads `pages` of connections, `ids` a request.

    Rows come by `page`; the opening and the labels cost a point each.
    """
    return 2 + -(-pulls // page) + -(-pages // ids)


def _lot(pull: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}:{pull}".encode()).digest()
