"""How long GitHub wants us to wait: told in three ways, and not always truly. Pure.

https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
"""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec import Struct

from syncer.errors import ThrottledError
from syncer.github.exchange import Exchange, http_date
from syncer.records import Instant

__all__ = ["CAP_S", "MARGIN_S", "MIN_PAUSE_S", "Limits", "limits_of", "throttled"]

MIN_PAUSE_S = 1.0
"""A reset that lies in the past (another clock, another process) never becomes a busy loop."""

MARGIN_S = 2.0
"""Added to a reset: it has a resolution of one second, and replicas lag."""

CAP_S = 3600.0
"""No limit of GitHub lasts longer than its hour; whoever says so is not believed."""


class Limits(Struct, frozen=True, rename="camel", kw_only=True):
    """The primary budget as an answer's headers gave it."""

    limit: int | None
    remaining: int
    resets_at: Instant


def limits_of(exchange: Exchange) -> Limits | None:
    """The primary budget; None where the server tracks none."""
    remaining, reset = exchange.number("x-ratelimit-remaining"), _reset(exchange)
    if remaining is None or reset is None:
        return None
    return Limits(limit=exchange.number("x-ratelimit-limit"), remaining=remaining, resets_at=reset)


def throttled(exchange: Exchange, *, primary: bool) -> ThrottledError:
    """The pause that `exchange` asks for, by the server's own clock.

    Retry-After comes first; the reset of the primary budget counts only where that is used up.
    """
    asked_s = _retry_after(exchange)
    if asked_s is None and primary:
        asked_s = _until_reset(exchange)
    kind = "primary" if primary else "secondary"
    if asked_s is None:
        return ThrottledError(
            f"GitHub's {kind} rate limit, without a time to wait", wait_s=None, primary=primary
        )
    wait_s = min(max(asked_s, MIN_PAUSE_S), CAP_S)
    doubt = f" (asked for {asked_s:.0f} s, which is not believed)" if asked_s > CAP_S else ""
    return ThrottledError(
        f"GitHub's {kind} rate limit: wait {wait_s:.0f} s{doubt}", wait_s=wait_s, primary=primary
    )


def _retry_after(exchange: Exchange) -> float | None:
    if (seconds := exchange.number("retry-after")) is not None:
        return float(seconds)
    until, now = http_date(exchange.headers.get("retry-after", "")), _now(exchange)
    return None if until is None or now is None else (until - now).total_seconds()


def _until_reset(exchange: Exchange) -> float | None:
    reset, now = _reset(exchange), _now(exchange)
    return None if reset is None or now is None else (reset - now).total_seconds() + MARGIN_S


def _reset(exchange: Exchange) -> datetime | None:
    seconds = exchange.number("x-ratelimit-reset")
    # A 32-bit epoch is all that GitHub uses; more would be no time but noise.
    return None if seconds is None or seconds >= 2**32 else datetime.fromtimestamp(seconds, UTC)


def _now(exchange: Exchange) -> datetime | None:
    return http_date(exchange.headers.get("date", ""))
