"""From the words of the command line to an exit status. Whatever is raised ends here, once."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.main import get_command

from birdview.cli import exploring, looking, serving
from syncer import __version__
from syncer.cli.console import Console, begin, settle
from syncer.cli.verdict import judge

__all__ = ["main"]

_SECRETS = ("GITHUB_TOKEN", "GH_TOKEN", "OPENAI_API_KEY")

_app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit 0: what was asked is proven; 3: answered, but something named is not; "
    "docs/exit-statuses.md tells of the others.",
)
_app.command("explore", epilog=exploring.EXAMPLES)(exploring.command)
_app.command("conversation", epilog=looking.CONVERSATION)(looking.conversation)
_app.command("list", epilog=looking.LIST)(looking.listed)
_app.command("status", epilog=looking.STATUS)(looking.status)
_app.command("serve", epilog=serving.EXAMPLES)(serving.command)


def main(argv: Sequence[str] | None = None) -> int:
    """Run `birdview` with `argv` (without the program's name) and return its exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    begin()
    console = Console(secrets=[os.environ.get(name, "") for name in _SECRETS])
    try:
        get_command(_app).main(words, prog_name="birdview", obj=console)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the end of the line: every failure gets its status
        verdict = judge(error)
        console.trace(error)
        console.say(verdict.message, level="error", status=verdict.status)
        return verdict.status
    finally:
        settle()
    return 0


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"birdview {__version__}")
        raise typer.Exit


@_app.callback()
def _birdview(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", is_eager=True, callback=_show_version
        ),
    ] = False,
) -> None:
    """Read what happened on a repository's pull requests, from its corpus, proven and cited."""
    del version  # shown by its callback
