"""What a run may be told: sizes, limits and rules. Bounds are checked where a setting is made."""

from __future__ import annotations

from msgspec import Struct

from syncer.errors import ConfigError
from syncer.reading.frontier import Limits
from syncer.repository import Shaping

__all__ = ["Settings", "checked"]


class Settings(Struct, frozen=True, kw_only=True):
    """Settings of one run; the defaults suit github.com."""

    concurrency: int = 8  # requests at once; GitHub allows 100
    ids: int = 100  # billed connections a request
    page: int = 100  # largest `first`
    nodes: int = 2000  # expected entries a request
    nodes_in_flight: int = 10_000
    wave: int = 2000  # pull requests read and sealed together
    margin_s: float = 60.0  # how long stamps may lag
    full: bool = False  # walk every pull request, whatever the watermark says
    shaping: Shaping | None = None  # None: as stored, else the defaults

    def limits(self, nodes: int | None = None) -> Limits:
        """The limits of one request, `nodes` being what the server has been found to bear."""
        most = self.nodes if nodes is None else min(self.nodes, nodes)
        return Limits(ids=self.ids, nodes=max(1, most), page=self.page)


_BOUNDS = {
    "concurrency": (1, 100),
    "ids": (1, 100),
    "page": (1, 100),
    "nodes": (1, 10_000),
    "nodes_in_flight": (1, 100_000),
    "wave": (1, 2000),
    "margin_s": (0, 3600),
}


def checked(settings: Settings) -> Settings:
    """`settings`, once every number is within GitHub's and our bounds. Raises ConfigError."""
    for name, (low, high) in _BOUNDS.items():
        value = getattr(settings, name)
        if not low <= value <= high:
            message = f"{name.replace('_', '-')} must be from {low} to {high}, not {value}"
            raise ConfigError(message)
    return settings
