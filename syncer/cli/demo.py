"""`syncer demo`: the whole way from a made-up GitHub to a verified corpus, without a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from syncer.adoption import read_root
from syncer.cli import options
from syncer.cli.checking import check
from syncer.cli.clients import Allowance, Clients
from syncer.cli.console import Console
from syncer.cli.running import Interruption, run
from syncer.cli.sights import Sight, sights
from syncer.cli.sinks import DEFAULT_SINK, sink_factories
from syncer.cli.sync import Plan, sync_one
from syncer.corpus import CorpusError
from syncer.errors import ConfigError, DamagedError
from syncer.findings import Report
from syncer.report import Summary, worst
from syncer.settings import Settings
from syncer.testing.github import DEFAULT_TOKEN, Shape, Simulator, generate
from syncer.testing.github.ids import parse_id

__all__ = ["EXAMPLES", "command"]

EXAMPLES = """\b
Examples:
  syncer demo
  syncer demo --pulls 2000 --root /tmp/demo
"""

_NAME = "example-org/demo"
_SEED = 1
_AN_HOUR_S = 3600.0
_SHAPE = Shape(name=_NAME, hostile=False, long_conversation=240, long_thread=120, many_threads=110)


class Step(Struct, frozen=True, rename="camel", kw_only=True):
    """One run of the demonstration; `title` says what had happened before it."""

    title: str
    summary: Summary


class Shown(Struct, frozen=True, rename="camel", kw_only=True):
    """All that the demonstration did."""

    folder: str
    steps: tuple[Step, ...]
    sound: bool
    files: int
    sights: tuple[Sight, ...]
    exit: int


def command(
    context: typer.Context,
    *,
    root: Annotated[
        Path, typer.Option("--root", metavar="DIR", help="Where the demonstration may write.")
    ] = Path("demo"),
    pulls: Annotated[
        int, typer.Option("--pulls", metavar="N", min=20, max=20_000, help="How many to make up.")
    ] = 200,
    as_json: options.AsJson = False,
    debug: options.Debug = False,
) -> None:
    """Sync a made-up repository from a simulated GitHub, verify it, and say where to look.

    Needs no token and no network: the simulator answers on this machine. What an earlier
    demonstration left below the root is replaced.
    """
    console = options.console_of(context, as_json=as_json, debug=debug)
    raise typer.Exit(run(partial(_demo, console, root, pulls)))


async def _demo(console: Console, root: Path, pulls: int, interruption: Interruption) -> int:
    del interruption  # there is nothing to save
    github = Simulator(generate(_SEED, pulls, _SHAPE))
    folder = _cleared(root / _NAME, github.world.repository.database_id)
    async with github:
        console.say(f"{pulls} made-up pull requests are served at {github.url}")
        steps = await _steps(github, root)
    report = await check(folder, console.say)
    shown = Shown(
        folder=str(folder),
        steps=tuple(steps),
        sound=report.sound,
        files=report.files,
        sights=tuple(sights(folder)),
        exit=worst([*(step.summary.exit for step in steps), _exit(report)]),
    )
    if console.as_json:
        console.emit(shown)
    else:
        for line in _lines(shown):
            console.print(line)
    return shown.exit


async def _steps(github: Simulator, root: Path) -> list[Step]:
    env = {"GITHUB_TOKEN": DEFAULT_TOKEN, "GITHUB_GRAPHQL_URL": github.url}
    settings = Settings()
    clients = Clients(env, Allowance(), settings, lambda _wait_s, _why: None)
    plan = Plan(root=root, sinks=sink_factories(None), settings=settings)
    steps: list[Step] = []
    for title, happen in (
        ("first run", None),
        ("nothing has happened", None),
        ("two comments and a release", _happen),
    ):
        if happen is not None:
            happen(github)
        github.clock.advance(_AN_HOUR_S)
        async with clients.of(_NAME) as client:
            summary = await sync_one(plan, _NAME, client, lambda _progress: None)
        steps.append(Step(title=title, summary=summary))
    return steps


def _happen(github: Simulator) -> None:
    """What a quiet hour may bring; none of it is the reader's doing."""
    numbers = sorted(github.world.repository.pull_requests)
    github.mutate.add_comment(numbers[0], "Does this still hold?")
    github.mutate.add_comment(numbers[-1], "It does.")
    github.mutate.add_release("v2.0")


def _cleared(folder: Path, database_id: int) -> Path:
    """The folder, without what an earlier demonstration left; nothing else is ever removed."""
    if not folder.exists():
        return folder
    try:
        root = read_root(folder)
    except CorpusError:
        root = None
    if root is None or parse_id(root.repository.id) != ("Repository", database_id):
        raise ConfigError(
            f"{folder} is there and is not the work of an earlier demonstration: "
            "move it away, or give another --root"
        )
    shutil.rmtree(folder)
    return folder


def _exit(report: Report) -> int:
    return 0 if report.sound else DamagedError.exit_status


def _lines(shown: Shown) -> Iterator[str]:
    yield ""
    yield f"{'run':<28}{'requests':>9}{'points':>8}{'read':>7}{'written':>9}{'moved':>7}  result"
    for step in shown.steps:
        done, files = step.summary, step.summary.sinks[DEFAULT_SINK]
        result = "proven complete" if done.exit == 0 else f"exit {done.exit}"
        yield (
            f"{step.title:<28}{done.requests:>9}{done.points:>8}{done.conversations.read:>7}"
            f"{files.written:>9}{files.moved:>7}  {result}"
        )
    lists = shown.steps[-1].summary.connections
    yield ""
    yield f"{lists.exhausted} connections read to their end, {lists.short + lists.cut} not."
    yield f"{shown.files} files verified: {'sound' if shown.sound else 'NOT sound'}."
    yield ""
    yield "Where to look:"
    for sight in shown.sights:
        yield f"  {sight.path}"
        yield f"      {sight.words}"
