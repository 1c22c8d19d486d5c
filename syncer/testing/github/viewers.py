"""Who may ask: tokens and what they see."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

__all__ = ["Access", "Viewer"]


class Access(StrEnum):
    """What a token may do with the repository."""

    READ = "read"
    HIDDEN = "hidden"  # the repository does not exist for this token
    FORBIDDEN = "forbidden"  # it exists, but the token lacks the permission


class Viewer(Struct, frozen=True, kw_only=True):
    """The account behind a token.

    `offset_minutes` is its time zone, which shows in cursors; `limit` its points an hour; who
    `pushes` sees draft releases.
    """

    login: str = "viewer"
    offset_minutes: int = -480
    access: Access = Access.READ
    limit: int = 5000
    pushes: bool = True
