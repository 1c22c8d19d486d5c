"""`syncer doctor`: whether everything is there that a run needs, and what to do where not."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from syncer.cli import options
from syncer.cli.clients import Allowance, Client, Clients
from syncer.cli.console import Console
from syncer.cli.display import minutes
from syncer.cli.machine import Check, Grade, fail, folders, installation, ok, stored, warn
from syncer.cli.places import Place, has_store, places
from syncer.cli.running import Interruption, run
from syncer.cli.verdict import judge
from syncer.corpus import repository_path
from syncer.errors import ConfigError, SyncError
from syncer.evidence import Connection
from syncer.github import endpoint_from_env, token_from_env
from syncer.github.answers import Part
from syncer.settings import Settings

__all__ = ["EXAMPLES", "command"]

EXAMPLES = """\b
Examples:
  syncer doctor --root corpus
  syncer doctor OWNER/REPO --json
"""

_FEW_POINTS = 500
_NO_PULL_REQUEST = "PR_kwDOAAAAAM4AAAAA"
"""A well-formed id of nothing: asking for it shows that GitHub answers this token."""


def command(
    context: typer.Context,
    repository: Annotated[
        str | None,
        typer.Argument(metavar="OWNER/REPO", help="Also look whether the token may read this."),
    ] = None,
    *,
    root: options.Root = Path(),
    as_json: options.AsJson = False,
    debug: options.Debug = False,
) -> None:
    """Check the token, the address, the root and this machine.

    Costs one point when there is a token, none when there is not. Exit 2 when something is in the
    way of every run.
    """
    console = options.console_of(context, as_json=as_json, debug=debug)
    if repository is not None:
        repository_path(repository)
    raise typer.Exit(run(partial(_doctor, console, repository, root)))


async def _doctor(
    console: Console, repository: str | None, root: Path, interruption: Interruption
) -> int:
    del interruption  # there is nothing to save
    failed = False
    async with aclosing(_checks(console, repository, root)) as checks:
        async for one in checks:
            failed |= one.grade is Grade.FAIL
            if console.as_json:
                console.emit(one)
            else:
                console.print(f"{one.grade.value:<5} {one.check:<10} {one.message}")
    return ConfigError.exit_status if failed else 0


async def _checks(
    console: Console, repository: str | None, root: Path
) -> AsyncGenerator[Check, None]:
    for check in installation():
        yield check
    for check in (*_address(os.environ), *_token(os.environ)):
        yield check
    yield await _github(console, repository)
    for check in folders(root):
        yield check
    for place in _with_stores(root):
        for check in await stored(place):
            yield check


def _with_stores(root: Path) -> list[Place]:
    if not root.is_dir():
        return []
    return [place for place in places(root) if has_store(place.folder)]


def _address(env: Mapping[str, str]) -> Iterator[Check]:
    try:
        yield ok("address", f"GraphQL is asked at {endpoint_from_env(env).url}")
    except ConfigError as error:
        yield fail("address", str(error))


def _token(env: Mapping[str, str]) -> Iterator[Check]:
    try:
        token_from_env(env)
    except ConfigError as error:
        there = any(env.get(name, "").strip() for name in ("GITHUB_TOKEN", "GH_TOKEN"))
        yield fail("token", str(error)) if there else warn("token", str(error))
    else:
        name = "GITHUB_TOKEN" if env.get("GITHUB_TOKEN", "").strip() else "GH_TOKEN"
        yield ok("token", f"{name} is set")


async def _github(console: Console, repository: str | None) -> Check:
    """One question that costs a point, and what its answer says of the hour's limit."""
    try:
        clients = Clients(os.environ, Allowance(), Settings(), lambda _wait_s, _why: None)
    except ConfigError:
        return warn("github", "not asked: that takes a token and an address")
    try:
        async with clients.of(repository or "doctor") as client:
            words = await _asked(client, repository)
            return _limits(client, words)
    except SyncError as error:
        console.trace(error)
        return fail("github", judge(error).message)


async def _asked(client: Client, repository: str | None) -> str:
    if repository is None:
        await client.batch([Part(name=Connection.PULL_REQUEST, ids=(_NO_PULL_REQUEST,))])
        return "answers this token"
    owner, _, name = repository.partition("/")
    opening = await client.opening(owner, name)
    return f"lets this token read {opening.name}, {opening.changes.total_count} pull requests"


def _limits(client: Client, words: str) -> Check:
    spent = client.spent()
    if spent.remaining is None:
        return ok("github", f"{words}; no rate limit is told")
    reset = "" if spent.resets_in_s is None else f", reset in {minutes(spent.resets_in_s)}"
    message = f"{words}; {spent.remaining} points left this hour{reset}"
    return ok("github", message) if spent.remaining >= _FEW_POINTS else warn("github", message)
