"""The store's single values: identity, settings, releases, and where the census stands."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

from syncer.census.walk import Walk
from syncer.errors import DamagedError
from syncer.records import Instant
from syncer.repository import Release, Repository, Shaping
from syncer.store.database import Database

__all__ = ["Discrepancy", "Key", "Meta"]

T = TypeVar("T")


class Discrepancy(msgspec.Struct, frozen=True, rename="camel"):
    """A difference between the pull requests that GitHub claims and those that are known."""

    claimed: int
    known: int
    confirmed_at: Instant | None  # by a full walk; None: one is still to look


class Key(Generic[T]):
    """The name of a single value, with the codec of its type."""

    def __init__(self, name: str, kind: object) -> None:
        self.name = name
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(kind)

    def decode(self, data: bytes) -> T:
        """The stored value. Raises DamagedError when it is not of this key's type."""
        try:
            value: T = self._decoder.decode(data)
        except msgspec.MsgspecError as error:
            message = (
                f"the store's value {self.name} cannot be read: "
                "move the .syncer folder away, the next run rebuilds it from the corpus"
            )
            raise DamagedError(message) from error
        return value


REPOSITORY: Key[Repository] = Key("repository", Repository)
RELEASES: Key[tuple[Release, ...]] = Key("releases", tuple[Release, ...])
SHAPING: Key[Shaping] = Key("shaping", Shaping)
WATERMARK: Key[Instant] = Key("watermark", Instant)
TOTAL: Key[int] = Key("totalCount", int)
WALK: Key[Walk] = Key("walk", Walk)
WALKS: Key[int] = Key("walks", int)
PLACED_BY: Key[str] = Key("placedBy", str)  # digest of what placement depends on
DISCREPANCY: Key[Discrepancy] = Key("discrepancy", Discrepancy)


class Meta:
    """Typed access to single values. A missing one is None, which differs from any value."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, key: Key[T]) -> T | None:
        """The value, or None where none is stored."""
        found = await self._database.one("SELECT value FROM meta WHERE key = ?", (key.name,))
        return None if found is None else key.decode(found[0])

    async def put(self, key: Key[T], value: T | None) -> None:
        """Store a value; None removes it."""
        if value is None:
            await self._database.run("DELETE FROM meta WHERE key = ?", (key.name,))
        else:
            await self._database.run(
                "REPLACE INTO meta (key, value) VALUES (?, ?)",
                (key.name, msgspec.json.encode(value)),
            )
