"""`syncer verify`: whether every file is what its seal and its store say."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from syncer.cli import options
from syncer.cli.checking import Note, check
from syncer.cli.console import Console
from syncer.cli.places import Place, chosen
from syncer.cli.running import Interruption, run
from syncer.cli.sinks import DEFAULT_SINK, sink_factories
from syncer.cli.verdict import judge
from syncer.errors import DamagedError
from syncer.findings import Finding, Report
from syncer.repair import repair as mend
from syncer.report import worst
from syncer.sink import Applied
from syncer.store import NewerStoreError

__all__ = ["EXAMPLES", "Checked", "command"]

_EVERY_S = 10.0

EXAMPLES = """\b
Examples:
  syncer verify --root corpus
  syncer verify OWNER/REPO --root corpus --json
  syncer verify OWNER/REPO --root corpus --repair
"""


class Checked(Struct, frozen=True, rename="camel", kw_only=True):
    """What a check of one repository found; `repaired` is what `--repair` changed before it."""

    repository: str
    sound: bool
    digest: str | None  # None: there is no readable root
    leaves: int
    files: int
    findings: tuple[Finding, ...]
    repaired: Applied | None
    exit: int
    message: str | None = None


def command(
    context: typer.Context,
    repositories: Annotated[
        list[str] | None,
        typer.Argument(metavar="OWNER/REPO", help="Default: every one below the root."),
    ] = None,
    *,
    root: options.Root = Path(),
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Write anew, from the store, what is not as it should be."),
    ] = False,
    as_json: options.AsJson = False,
    debug: options.Debug = False,
) -> None:
    """Check every file against the manifests, and the manifests against the store.

    Nothing is asked of GitHub, and without --repair nothing is changed. Exit 6 when something is
    not as it should be; each finding is printed with its path and what to do.
    """
    console = options.console_of(context, as_json=as_json, debug=debug)
    raise typer.Exit(run(partial(_verify, console, chosen(root, repositories), repair)))


async def _verify(
    console: Console, places: list[Place], repair: bool, interruption: Interruption
) -> int:
    pulse = _Pulse(console, interruption, time.monotonic)
    return worst([await _tell(console, place, repair, pulse) for place in places])


async def _tell(console: Console, place: Place, repair: bool, pulse: _Pulse) -> int:
    try:
        checked = await _checked(console, place, repair, pulse)
    except Exception as error:  # noqa: BLE001  one unreadable repository hides no other
        verdict = judge(error)
        console.trace(error)
        console.say(f"{place.name}: {verdict.message}", level="error", status=verdict.status)
        checked = Checked(
            repository=place.name,
            sound=False,
            digest=None,
            leaves=0,
            files=0,
            findings=(),
            repaired=None,
            exit=verdict.status,
            message=verdict.message,
        )
    if console.as_json:
        console.emit(checked)
    elif checked.message is None:
        for line in _lines(checked):
            console.print(line)
    return checked.exit


class _Pulse:
    """Tells now and then how far a check has come, and ends it when the command is to end."""

    def __init__(
        self, console: Console, interruption: Interruption, monotonic: Callable[[], float]
    ) -> None:
        self._console = console
        self._interruption = interruption
        self._monotonic = monotonic
        self._told_at = monotonic()

    def beat(self, name: str, files: int) -> None:
        """A check of `name` has gone through `files` files."""
        if self._interruption.status is not None:
            raise InterruptedError
        now = self._monotonic()
        if now - self._told_at >= _EVERY_S:
            self._told_at = now
            self._console.say(f"{name}: {files} files checked")


async def _checked(console: Console, place: Place, repair: bool, pulse: _Pulse) -> Checked:
    progress = partial(pulse.beat, place.name)

    def note(text: str) -> None:
        console.say(f"{place.name}: {text}", level="note")

    try:
        report = await check(place.folder, note, progress)
    except DamagedError as error:
        if not repair or isinstance(error, NewerStoreError):
            raise  # otherwise the store is what has to be mended first
    else:
        if report.sound or not repair:
            return _told(place, report, None)
    repaired = await _repaired(place, note)
    return _told(place, await check(place.folder, note, progress), repaired)


async def _repaired(place: Place, note: Note) -> Applied:
    done = await mend(place.folder, corpus=sink_factories([DEFAULT_SINK])[DEFAULT_SINK])
    for found in done.notes:
        note(found)
    return done.applied


def _told(place: Place, report: Report, repaired: Applied | None) -> Checked:
    return Checked(
        repository=place.name,
        sound=report.sound,
        digest=report.digest,
        leaves=report.leaves,
        files=report.files,
        findings=report.findings,
        repaired=repaired,
        exit=0 if report.sound else DamagedError.exit_status,
    )


def _lines(checked: Checked) -> Iterator[str]:
    if (done := checked.repaired) is not None:
        yield (
            f"{checked.repository}: repaired, {done.written} written, {done.moved} moved, "
            f"{done.removed} removed"
        )
    words = "sound" if checked.sound else f"{len(checked.findings)} findings, exit {checked.exit}"
    yield f"{checked.repository}: {words}"
    yield f"  checked        {checked.files} files in {checked.leaves} directories"
    yield f"  digest         {checked.digest or 'none: there is no readable root'}"
    for one in checked.findings:
        yield f"  {one.grade.value:<14} {one.path}: {one.detail} ({one.code.value}); {one.advice}"
