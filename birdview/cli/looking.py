"""`birdview conversation`, `list` and `status`: what a corpus holds, without a window."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from birdview import terminal
from birdview.cli.options import UNPROVEN, AsJson, Repository, Root, console_of, now, tell
from birdview.explore import opened
from birdview.standing import listing, standing
from syncer.errors import ConfigError
from syncer.export import export_line
from syncer.history import Corpus, Found, History, State

__all__ = ["CONVERSATION", "LIST", "STATUS", "conversation", "listed", "status"]

CONVERSATION = """\b
Examples:
  birdview conversation OWNER/REPO 1234 --root corpus
  birdview conversation OWNER/REPO https://github.com/OWNER/REPO/pull/1234#issuecomment-5
  birdview conversation OWNER/REPO PRRC_kwDOABCDEF --number 1234 --json
"""
LIST = """\b
Examples:
  birdview list OWNER/REPO --root corpus --state open
  birdview list OWNER/REPO --start 100 --count 50 --json
"""
STATUS = """\b
Examples:
  birdview status --root corpus
  birdview status OWNER/REPO --json
"""


def conversation(
    context: typer.Context,
    repository: Annotated[str, typer.Argument(metavar="OWNER/REPO")],
    what: Annotated[str, typer.Argument(metavar="NUMBER|NODE-ID|URL")],
    *,
    root: Root = Path(),
    number: Annotated[
        int | None, typer.Option("--number", metavar="N", help="Look for the node there alone.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """One conversation, whole, or the entry of it that an id or a link names.

    Everything that a citation can carry is understood. With --json the object is that of `syncer
    export`, with `node`, `release` and `behind` beside it.
    """
    corpus = _corpus(root, repository)
    found = corpus.find(what, number=number)
    if found is None:
        where = corpus.name if number is None else f"pull request {number} of {corpus.name}"
        raise ConfigError(
            f"there is no {what!r} in {where}; `birdview list` shows what there is, and "
            "`birdview status` what is known and was never read"
        )
    tell(console_of(context, as_json=as_json), found, terminal.conversation_lines, _record)


def _record(found: Found) -> dict[str, Any]:
    node = {"kind": found.node.kind, "id": found.node.id, "thread": found.node.thread}
    record: dict[str, Any] = msgspec.json.decode(export_line(found.snapshot, found.repository))
    return {**record, "node": node, "release": found.release, "behind": found.is_behind}


def listed(
    context: typer.Context,
    repository: Repository = None,
    *,
    root: Root = Path(),
    state: Annotated[State | None, typer.Option("--state", help="Default: all.")] = None,
    start: Annotated[
        int, typer.Option("--start", metavar="N", help="Leave out the first N.", min=0)
    ] = 0,
    count: Annotated[
        int, typer.Option("--count", metavar="N", help="Show at most N.", min=1)
    ] = 100,
    as_json: AsJson = False,
) -> None:
    """The pull requests of a corpus, by number, open ones included."""
    found = listing(_corpus(root, repository), state, start=start, count=count)
    tell(console_of(context, as_json=as_json), found, terminal.list_lines)
    raise typer.Exit(UNPROVEN if found.total is None else 0)


def status(
    context: typer.Context,
    repository: Annotated[
        str | None, typer.Argument(metavar="OWNER/REPO", help="Default: every one below the root.")
    ] = None,
    *,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """How fresh a corpus is, what it holds, and what of it is not whole and why.

    Without a repository: of every corpus below the root, one object a line with --json.
    """
    console = console_of(context, as_json=as_json)
    source = History(root)
    names = source.origins() if repository is None else (repository,)
    if not names:
        raise ConfigError(
            f"there is no corpus below {root}: run `syncer sync`, or choose another --root"
        )
    complete = True
    for name in names:
        found = standing(_corpus(root, name), now(), most=None if as_json else 20)
        tell(console, found, terminal.status_lines)
        complete = complete and found.complete
    raise typer.Exit(0 if complete else UNPROVEN)


def _corpus(root: Path, repository: str | None) -> Corpus:
    return asyncio.run(opened(History(root), repository))
