"""Rounds of a repository's life: people act, a run or an audit follows, and trouble befalls it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random

from msgspec import Struct

from syncer.audit.report import AuditSummary
from syncer.errors import StopError
from syncer.report import Summary
from syncer.settings import Settings
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.simulator import Simulator
from tests.audit.harness import audited
from tests.engine.harness import Hurry, run, tree
from tests.soak.checks import Checks
from tests.soak.people import People
from tests.soak.trouble import Trouble

__all__ = ["Soaked", "soak"]

DAY_S = 86_400.0
QUEUE_S = 8 * DAY_S
"""Longer than unfinished work ever rests."""

_SETTINGS = Settings(wave=80)
_TIMEOUT_S = 120.0


class Soaked(Struct, frozen=True, kw_only=True):
    """What a soak went through."""

    rounds: int
    complete: int
    incomplete: int
    refused: int  # ended with a status of their own
    stopped: int
    requests: int
    points: int


class _Soak:
    def __init__(
        self, simulator: Simulator, root: Path, seed: int, tell: Callable[[str], None]
    ) -> None:
        self._simulator = simulator
        self._dice = Random(seed)
        self._root = root
        self._tell = tell
        self._hurry = Hurry(simulator)
        self._people = People(simulator.mutate, simulator.clock, self._dice)
        folder = root / "kept" / simulator.world.repository.name_with_owner
        self._checks = Checks(folder, simulator.world, self._people)
        self._moving: set[int] = set()
        self.ends: list[str] = []

    async def round(self, number: int) -> None:
        """People act, then a run, or every third time an audit, meets its trouble."""
        auditing = number % 3 == 0
        self._live(number)
        trouble = Trouble(self._simulator, self._dice)
        trouble.draw()
        self._meanwhile()
        what = "audit" if auditing else "sync"
        try:
            await self._try(what, trouble)
        except BaseException as error:
            error.add_note(f"in round {number}, {what}: {'; '.join(trouble.words) or 'no trouble'}")
            raise
        self._tell(f"{number:3} {what:5} {self.ends[-1]:10} {'; '.join(trouble.words)}")

    async def settle(self) -> None:
        """The trouble is over: what rests is tried again, what is silent is found."""
        # The first audit may go on with one that was stopped, and so pass over what came since.
        for what in ("sync", "audit", "audit", "sync"):
            self._simulator.clock.advance(QUEUE_S)
            await self._try(what, Trouble(self._simulator, self._dice))
            self._tell(f"    {what:5} {self.ends[-1]}")
        assert self.ends[-2:] == ["complete"] * 2, self.ends
        assert not self._people.silent
        fresh = self._root / "fresh"
        await run(self._simulator, fresh, hurry=self._hurry)
        differing = tree(fresh).items() ^ tree(self._root / "kept").items()
        assert not differing, sorted({name for name, _ in differing})

    def _live(self, number: int) -> None:
        self._simulator.clock.advance(self._dice.choice((5.0, 600.0, 3600.0, DAY_S, 2 * DAY_S)))
        if number == 1:
            return
        self._people.act(self._dice.randint(3, 25), silently=True)
        for act, chance in (
            (self._people.open_pull, 0.5),
            (self._people.release, 0.5),
            (self._people.delete_pull, 0.2),
        ):
            if self._dice.random() < chance:
                act()

    def _meanwhile(self) -> None:
        """Loud acts between requests. Silent ones would tear what is read, unseen by anybody."""
        self._moving = set()

        def act(_: object) -> None:
            self._simulator.clock.advance(1)
            self._moving.add(self._people.act_loudly())

        for _ in range(self._dice.choice((0, 0, 2, 5))):
            self._simulator.between(self._simulator.requests + self._dice.randint(1, 12), act)

    async def _try(self, what: str, trouble: Trouble) -> None:
        clean = not trouble.words
        ended, summary = False, None
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                summary = await trouble.befall(lambda: self._one(what, trouble))
                # A run that was refused may leave what an earlier one was stopped at.
                ended = summary is not None and summary.exit in (0, 3)
        except StopError as error:
            if clean:
                raise
            self.ends.append(f"exit {error.exit_status}")
        else:
            self.ends.append(_end(summary))
        self._simulator._plans.clear()
        await self._checks.after(summary, moving=self._moving, ended=ended, clean=clean)
        if isinstance(summary, AuditSummary) and summary.exit == 0 and not summary.audit.resumed:
            self._people.silent.clear()

    async def _one(self, what: str, trouble: Trouble) -> Summary:
        root = self._root / "kept"
        if what == "audit":
            return await audited(
                self._simulator, root, settings=_SETTINGS, hurry=self._hurry, sinks=trouble.sinks
            )
        return await run(
            self._simulator, root, settings=_SETTINGS, hurry=self._hurry, sinks=trouble.sinks
        )


async def soak(
    root: Path, *, rounds: int, seed: int, pulls: int, tell: Callable[[str], None]
) -> Soaked:
    """Go through `rounds` and the settling after them. Raises AssertionError where a law breaks.

    The same arguments give the same repository, acts and trouble; only the order in which answers
    come is the machine's own.
    """
    shape = Shape(releases=6, long_conversation=130, long_thread=110, many_threads=20)
    async with Simulator(generate(seed, pulls, shape), seed=seed) as simulator:
        one = _Soak(simulator, root, seed, tell)
        for number in range(1, rounds + 1):
            await one.round(number)
        ends = one.ends.copy()
        await one.settle()
        return Soaked(
            rounds=rounds,
            complete=ends.count("complete"),
            incomplete=ends.count("incomplete"),
            refused=sum(end.startswith("exit") for end in ends),
            stopped=ends.count("stopped"),
            requests=simulator.requests,
            points=simulator.points,
        )


def _end(summary: Summary | None) -> str:
    if summary is None:
        return "stopped"
    if summary.exit in (0, 3):
        return "incomplete" if summary.exit else "complete"
    return f"exit {summary.exit}"
