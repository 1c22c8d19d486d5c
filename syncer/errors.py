"""What can go wrong, sorted by what the caller does next.

    SyncError
    ├── StopError                      the run ends; `exit_status` says how (docs/exit-statuses.md)
    │   ├── ConfigError           2    bad usage or settings
    │   ├── RefusedError          4    credentials, permission, repository not found
    │   ├── BudgetError           5    a budget or limit was reached; all is saved
    │   ├── DamagedError          6    corpus or store fails verification
    │   ├── LocalError            7    this machine cannot read or write
    │   │   └── SinkError         7    one sink failed; the others go on
    │   ├── LockedError          75    another run holds the repository
    │   └── ContractError         1    our own fault: GitHub or we broke the agreed shape
    └── AskError                       one request failed; the engine decides what happens
        ├── TransientError             the same request may succeed later
        ├── ThrottledError             wait, then the same request
        ├── TooHeavyError              ask for less
        ├── CursorRefusedError         restart that connection from its first page
        └── UndefinedFieldError        the server's schema lacks a field; leave it out or stop

No message holds a token, a header's value or a user's text.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import ClassVar, cast

__all__ = [
    "WORST_FIRST",
    "AskError",
    "BudgetError",
    "ConfigError",
    "ContractError",
    "CursorRefusedError",
    "DamagedError",
    "LocalError",
    "LockedError",
    "RefusedError",
    "SinkError",
    "StopError",
    "SyncError",
    "ThrottledError",
    "TooHeavyError",
    "TransientError",
    "UndefinedFieldError",
    "sole",
]


WORST_FIRST = (1, 2, 4, 6, 7, 75, 5, 3, 0)
"""Exit statuses, the one that outweighs all others first (docs/exit-statuses.md)."""


class SyncError(Exception):
    """The root of everything this package raises on purpose."""


class StopError(SyncError):
    """The run of one repository ends with `exit_status`; the message says what to do."""

    exit_status: ClassVar[int] = 1


class ConfigError(StopError):
    """A setting or argument is wrong; the message names it and the way out."""

    exit_status = 2


class RefusedError(StopError):
    """GitHub will not answer, however often it is asked."""

    exit_status = 4


class BudgetError(StopError):
    """A budget or rate limit was reached; everything read so far is saved."""

    exit_status = 5

    def __init__(self, message: str, *, resets_at: datetime | None = None) -> None:
        super().__init__(message)
        self.resets_at = resets_at


class DamagedError(StopError):
    """The store or the corpus is not what its own records say it is."""

    exit_status = 6


class LocalError(StopError):
    """A local file or folder could not be read or written."""

    exit_status = 7


class SinkError(LocalError):
    """A sink could not store what it was given; what was durable stays."""


class LockedError(StopError):
    """Another run holds the repository; the message names the holder."""

    exit_status = 75


class ContractError(StopError):
    """An answer or document does not fit the shape both sides agreed on."""


class AskError(SyncError):
    """One request to GitHub failed."""


class TransientError(AskError):
    """Worth the same request again, after a while."""


class ThrottledError(AskError):
    """Every task waits `wait_s` seconds (None: GitHub did not say), then asks again."""

    def __init__(self, message: str, *, wait_s: float | None, primary: bool) -> None:
        super().__init__(message)
        self.wait_s = wait_s
        self.primary = primary


class TooHeavyError(AskError):
    """GitHub could not answer a request of this size; the same size would fail again."""


class CursorRefusedError(AskError):
    """GitHub no longer accepts a cursor."""


class UndefinedFieldError(AskError):
    """The server's schema does not have `type_name.field_name`."""

    def __init__(self, type_name: str, field_name: str) -> None:
        super().__init__(f"this server's GraphQL schema has no field {type_name}.{field_name}")
        self.type_name = type_name
        self.field_name = field_name


def sole(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one exception that decides: the worst StopError, else the group's first leaf."""
    leaves = list(_leaves(group))
    stops = [leaf for leaf in leaves if isinstance(leaf, StopError)]
    return min(stops, key=lambda stop: WORST_FIRST.index(stop.exit_status), default=leaves[0])


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for one in group.exceptions:
        if isinstance(one, BaseExceptionGroup):
            yield from _leaves(cast("BaseExceptionGroup[BaseException]", one))
        else:
            yield one
