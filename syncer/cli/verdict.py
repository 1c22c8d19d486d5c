"""Which exit status a failure means, and what to tell a person about it. Pure."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from msgspec import Struct

from syncer.errors import AskError, BudgetError, LocalError, StopError, sole

__all__ = ["Verdict", "judge"]

_SOURCE = Path(__file__).resolve().parents[2]


class Verdict(Struct, frozen=True):
    """An exit status of docs/exit-statuses.md with its message."""

    status: int
    message: str


def judge(error: BaseException) -> Verdict:
    """The verdict on `error`. What nobody foresaw is named by its class and place alone.

    A foreign exception's own words may hold anything, so they are not repeated.
    """
    if isinstance(error, BaseExceptionGroup):
        error = sole(cast("BaseExceptionGroup[BaseException]", error))
    notes = "".join(f"; {note}" for note in getattr(error, "__notes__", ()))
    match error:
        case StopError():
            return Verdict(error.exit_status, f"{error}{notes}")
        case AskError():
            message = f"GitHub could not be asked ({error}{notes}); nothing was changed, run again"
            return Verdict(BudgetError.exit_status, message)
        case OSError():
            return Verdict(LocalError.exit_status, _local(error))
        case _:
            message = (
                f"unexpected failure: {type(error).__name__} at {_place(error)}; what was read is "
                "saved. Run again; if it stays, report this line and the traceback of --debug"
            )
            return Verdict(StopError.exit_status, message)


def _local(error: OSError) -> str:
    what = f" {error.filename}" if isinstance(error.filename, str) else ""
    return (
        f"cannot read or write{what}: {error.strerror or type(error).__name__}; "
        "mend its permissions or make room, and run again"
    )


def _place(error: BaseException) -> str:
    """The innermost line of our own source that `error` passed."""
    trace, found = error.__traceback__, "an unknown place"
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if path.is_relative_to(_SOURCE) and "site-packages" not in path.parts:
            found = f"{path.relative_to(_SOURCE)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found
