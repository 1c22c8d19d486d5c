"""What must hold after every round, whatever befell it."""

from __future__ import annotations

from pathlib import Path

from syncer.canonical import revision_of
from syncer.cli.checking import check
from syncer.corpus import parse
from syncer.evidence import Snapshot, is_complete
from syncer.report import Summary
from syncer.testing.github.expected import expected
from syncer.testing.github.world import World
from tests.soak.people import People

__all__ = ["Checks", "files_of"]


class Checks:
    """Looks at one corpus after each round. Every method raises AssertionError, naming numbers."""

    def __init__(self, folder: Path, world: World, people: People) -> None:
        self._folder = folder
        self._world = world
        self._people = people
        self._before: set[int] = set()

    async def after(
        self, summary: Summary | None, *, moving: set[int], ended: bool, clean: bool
    ) -> None:
        """After a run that `ended` with everything delivered, or did not; a `clean` one met no fault.

        `moving` are the numbers that people touched while it was under way.
        """
        await self._nothing_is_damaged(ended=ended)
        found = files_of(self._folder, doubled=not ended)
        self._nothing_is_lost(found)
        self._nothing_is_made_up(found)
        if summary is not None:
            self._is_honest(summary, found, moving)
        if clean and summary is not None and summary.problems == ():
            assert summary.exit == 0, summary
        self._before = set(found)

    async def _nothing_is_damaged(self, *, ended: bool) -> None:
        if not (self._folder / "manifest.json").exists():
            assert not ended
            return  # nothing was ever sealed
        report = await check(self._folder, lambda _: None)
        damage = [one for one in report.findings if one.grade == "damage"]
        # A store that a stopped run left ahead of the corpus is no damage: the corpus is behind it.
        assert not damage, damage[:5]
        if ended:
            assert report.sound, report.findings[:5]

    def _nothing_is_lost(self, found: dict[int, Snapshot]) -> None:
        lost = self._before - found.keys() - self._people.gone
        assert not lost, f"lost: {sorted(lost)}"

    def _nothing_is_made_up(self, found: dict[int, Snapshot]) -> None:
        """What claims to be whole is what GitHub held at some moment, and never a mixture."""
        torn = [
            number
            for number, snapshot in found.items()
            if is_complete(snapshot.judged().values())
            and revision_of(snapshot.conversation) not in self._people.revisions[number]
        ]
        assert not torn, f"whole, and never so on GitHub: {torn}"

    def _is_honest(self, summary: Summary, found: dict[int, Snapshot], moving: set[int]) -> None:
        """What is not as GitHub has it is named, unless only an audit could have found it."""
        problems = [one for one in summary.problems if one.status != "contradiction"]
        assert (summary.exit == 0) == summary.complete
        assert summary.complete <= (not problems)
        if summary.message is not None or any(one.number is None for one in problems):
            return
        named = {one.number for one in problems}
        present = expected(self._world)
        wrong = {
            number
            for number, conversation in present.items()
            if number not in found or found[number].conversation != conversation
        }
        unnamed = wrong - named - moving - self._people.silent
        assert not unnamed, f"not as on GitHub, and not named: {sorted(unnamed)}"


def files_of(folder: Path, *, doubled: bool = False) -> dict[int, Snapshot]:
    """Every conversation of a corpus by its number.

    A number has one file alone, unless a run was stopped while it moved files: then it may be
    `doubled` until the next one.
    """
    found: dict[int, Snapshot] = {}
    for path in sorted(folder.rglob("pr-*.md")):
        snapshot = parse(path.read_bytes(), file=path.name)
        number = snapshot.conversation.number
        assert doubled or number not in found, f"doubled: {path}"
        assert path.stem == f"pr-{number}"
        found[number] = snapshot
    return found
