"""From the words of the command line to an exit status. Whatever is raised ends here, once."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from syncer.cli.console import Console, begin, settle
from syncer.cli.group import command_group

__all__ = ["main"]

_SECRETS = ("GITHUB_TOKEN", "GH_TOKEN")


def main(argv: Sequence[str] | None = None) -> int:
    """Run `syncer` with `argv` (without the program's name) and return its exit status.

    The status is the whole verdict (docs/exit-statuses.md); messages stand on standard error, and
    none of them holds a token.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    begin()
    console = Console(secrets=[os.environ.get(name, "") for name in _SECRETS])
    try:
        command_group().main(words, prog_name="syncer", obj=console)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001  the end of the line: every failure gets its status
        from syncer.cli.verdict import judge  # noqa: PLC0415  a command that goes well needs none

        verdict = judge(error)
        console.trace(error)
        console.say(verdict.message, level="error", status=verdict.status)
        return verdict.status
    finally:
        settle()
    return 0
