"""One token, one governor, and a client for each repository that shares them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from syncer.github import (
    Bounds,
    Credentials,
    Endpoint,
    GitHub,
    Governor,
    endpoint_from_env,
    token_from_env,
)
from syncer.settings import Settings

__all__ = ["Allowance", "Client", "Clients", "Spent"]


class Allowance(Struct, frozen=True, kw_only=True):
    """How much of GitHub's patience a command may use."""

    wait: bool = False  # for the reset of the hour's points
    max_points: int | None = None  # for each repository
    reserve_points: int = 0  # of the hour's, left to others
    points_per_minute: int | None = None  # None: just below GitHub's own limit


class Spent(Struct, frozen=True, kw_only=True):
    """What one repository has cost so far, and what is left for all; None where nobody told."""

    points: int
    remaining: int | None
    resets_in_s: float | None


class Client(GitHub):
    """GitHub for one repository, telling what it has cost so far."""

    def spent(self) -> Spent:
        """What was spent, by the server's own word and clock."""
        limits, now = self.limits, self._governor.server_date
        return Spent(
            points=self.points,
            remaining=None if limits is None else limits.remaining,
            resets_in_s=None
            if limits is None or now is None
            else max(0.0, (limits.resets_at - now).total_seconds()),
        )


class Clients:
    """Makes clients that share a token and its governor. Raises ConfigError for bad variables."""

    def __init__(
        self,
        env: Mapping[str, str],
        allowance: Allowance,
        settings: Settings,
        on_pause: Callable[[float, str], None],
    ) -> None:
        self._endpoint: Endpoint = endpoint_from_env(env)
        self._credentials = Credentials(token_from_env(env))
        self._max_points = allowance.max_points
        self._governor = Governor(
            _bounds(allowance, settings),
            reserve=allowance.reserve_points,
            wait=allowance.wait,
            on_pause=on_pause,
        )

    def of(self, repository: str) -> Client:
        """A client for `repository`, not yet connected."""
        return Client(
            self._credentials,
            self._governor,
            name=repository,
            endpoint=self._endpoint,
            max_points=self._max_points,
        )


def _bounds(allowance: Allowance, settings: Settings) -> Bounds:
    default = Bounds()
    return Bounds(
        concurrency=settings.concurrency,
        nodes=settings.nodes,
        points_per_minute=default.points_per_minute
        if allowance.points_per_minute is None
        else float(allowance.points_per_minute),
        seconds_per_minute=default.seconds_per_minute,
    )
