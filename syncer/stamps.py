"""Time stamps as text: the one spelling that files and the store use."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["from_text", "to_sortable", "to_text"]


def to_text(instant: datetime) -> str:
    """ISO 8601 in UTC with `Z`, and microseconds only where there are any.

    Raises ValueError for a naive stamp: guessing its zone is how windows lose a day.
    """
    return _utc(instant).isoformat().replace("+00:00", "Z")


def to_sortable(instant: datetime) -> str:
    """As `to_text`, always with microseconds: the order of the texts is the order of the stamps."""
    return _utc(instant).isoformat(timespec="microseconds").replace("+00:00", "Z")


def from_text(text: str) -> datetime:
    """The aware stamp that either spelling stands for, in UTC."""
    return _utc(datetime.fromisoformat(text))


def _utc(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        message = "a time stamp without a zone"
        raise ValueError(message)
    return instant.astimezone(UTC)
