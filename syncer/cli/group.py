"""The commands by name. A command's module is imported when the command is called, not before."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from syncer import __version__

__all__ = ["COMMANDS", "command_group"]

COMMANDS = {
    "sync": "Bring the local copy of repositories up to date, and say how complete it is.",
    "status": "What is known, what is missing and why, without asking GitHub.",
    "verify": "Check every file against the manifests, and the manifests against the store.",
    "audit": "Compare what is stored with GitHub, and read again what differs.",
    "reindex": "Read pull requests again whatever is known of them, or write all files anew.",
    "export": "Every conversation as one JSON object a line, sorted by number.",
    "demo": "Sync a made-up repository from a simulated GitHub, verify it, say where to look.",
    "doctor": "Check the token, the address, the root and this machine.",
}
"""Every command with its line in `syncer --help`; the module `syncer.cli.<name>` holds the rest."""

_app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="The exit status is the whole verdict: 0 is proven complete, 3 done with something "
    "named missing, 5 saved and to be continued; docs/exit-statuses.md tells of the others.",
)


def command_group() -> TyperGroup:
    """`syncer` with all its commands, none of them loaded yet."""
    group = get_command(_app)
    if not isinstance(group, TyperGroup):  # pragma: no cover  a callback makes it one
        raise TypeError(type(group))
    for name, summary in COMMANDS.items():
        group.add_command(_Lazy(name, help=summary, rich_markup_mode=None))
    return group


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"syncer {__version__}")
        raise typer.Exit


@_app.callback()
def _syncer(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_tell_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Read every pull-request conversation of a repository, prove it, and keep it as files."""
    del version  # told before anything else is looked at


class _Lazy(TyperCommand):
    """Stands in the list for a command that is loaded when it is called."""

    # What typer calls a context has another class in each of its versions.
    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        *more: Any,  # noqa: ANN401
        **extra: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        return load(self.name or "").make_context(info_name, args, *more, **extra)


def load(name: str) -> TyperCommand:
    """The command `name` with its arguments and options: the function `command` of its module."""
    module = import_module(f"syncer.cli.{name}")
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.command(name, epilog=module.EXAMPLES)(module.command)
    command = get_command(app)
    if not isinstance(command, TyperCommand):  # pragma: no cover  one function makes one command
        raise TypeError(type(command))
    return command
