"""How many requests at once, how large, and how much a minute: decided from what came back. Pure.

Additive increase, multiplicative decrease. A decrease starts from what held when the request was
sent, so that ten refusals of one moment count once.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

__all__ = [
    "SLOW_S",
    "Bounds",
    "Pace",
    "answered",
    "at_start",
    "faltered",
    "quiet_minute",
    "refused",
    "too_heavy",
]

SLOW_S = 8.0
"""GitHub ends a query after about 10 s and takes extra points for it."""

_SOONEST, _LATEST = 4, 64  # answers of about the full size before a larger one is tried
_DOUBTS = 3  # refusals in a row of a size that was good before, until it no longer counts as good
_SLOW_FLOOR = 100  # below this, smaller requests cost more points and are hardly faster
_TELLING_POINTS = 20  # a refusal after fewer points a minute was not about points


class Bounds(Struct, frozen=True, kw_only=True):
    """What is never exceeded: GitHub's published limits with a margin, or what the user set.

    https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
    """

    concurrency: int = 32  # GitHub allows 100 at once over all clients of a user
    nodes: int = 2_000
    points_per_minute: float = 1_800.0  # of 2,000
    seconds_per_minute: float = 55.0  # of 60, summed response time


class Pace(Struct, frozen=True, kw_only=True):
    """What is asked for now. `nodes` is the expected size of one batch."""

    concurrency: int
    nodes: int
    points_per_minute: float
    seconds_per_minute: float
    proven_points: float  # a minute; between these and the limit, one request at a time tries
    answers: int = 0  # since concurrency last changed
    steady: int = 0  # answers of about the full size since `nodes` last changed
    patience: int = _SOONEST  # as many are wanted before a larger one; doubles when that fails
    grown: int = 0  # times in a row that `nodes` grew
    good_nodes: int = 0  # the largest size that was answered in good time
    doubts: int = 0


def at_start(bounds: Bounds) -> Pace:
    """Moderate: eight at once, or fewer where the bounds say so."""
    return Pace(
        concurrency=min(8, bounds.concurrency),
        nodes=bounds.nodes,
        points_per_minute=bounds.points_per_minute,
        seconds_per_minute=bounds.seconds_per_minute,
        proven_points=bounds.points_per_minute,
    )


def answered(pace: Pace, bounds: Bounds, nodes: int, elapsed_s: float) -> Pace:
    """After a good answer to a request of `nodes` expected nodes (0: size does not matter)."""
    if elapsed_s > SLOW_S:
        smaller = max(nodes // 2, min(_SLOW_FLOOR, pace.nodes))
        return replace(pace, nodes=min(pace.nodes, smaller), steady=0, answers=0, doubts=0)
    pace = _more_at_once(replace(pace, doubts=0), bounds)
    return _larger(pace, bounds, nodes) if nodes else pace


def _more_at_once(pace: Pace, bounds: Bounds) -> Pace:
    if pace.answers + 1 < pace.concurrency:
        return replace(pace, answers=pace.answers + 1)
    return replace(pace, answers=0, concurrency=min(pace.concurrency + 1, bounds.concurrency))


def _larger(pace: Pace, bounds: Bounds, nodes: int) -> Pace:
    proven = min(nodes, bounds.nodes)
    pace = replace(pace, good_nodes=max(pace.good_nodes, proven), nodes=max(pace.nodes, proven))
    if 2 * nodes < pace.nodes:
        return pace  # says nothing about the full size
    if pace.steady + 1 < pace.patience:
        return replace(pace, steady=pace.steady + 1)
    step = max(1, min(50, pace.nodes // 8))
    return replace(
        pace,
        steady=0,
        nodes=min(pace.nodes + step, bounds.nodes),
        grown=pace.grown + 1,
        patience=max(_SOONEST, pace.patience // 2) if pace.grown else pace.patience,
    )


def too_heavy(pace: Pace, nodes: int) -> Pace:
    """After a request of `nodes` expected nodes was too heavy.

    Where the same size was good for others, the content is to blame and not the size, and one
    stubborn pull request does not make every batch small.
    """
    if pace.good_nodes >= nodes and pace.doubts < _DOUBTS:
        return replace(pace, doubts=pace.doubts + 1)
    good = min(pace.good_nodes, nodes // 2) if pace.doubts >= _DOUBTS else pace.good_nodes
    smaller = max(good, nodes // 2, 1)
    patience = min(2 * pace.patience, _LATEST) if pace.grown else pace.patience
    return replace(
        pace,
        nodes=min(pace.nodes, smaller),
        good_nodes=good,
        patience=patience,
        grown=0,
        steady=0,
        doubts=0,
    )


def faltered(pace: Pace, sent_at: Pace) -> Pace:
    """After a fault that may pass: the server may be overloaded, so ask a little less at once."""
    fewer = max(1, sent_at.concurrency * 3 // 4)
    return replace(pace, answers=0, concurrency=min(pace.concurrency, fewer))


def refused(pace: Pace, sent_at: Pace, points: float, seconds: float) -> Pace:
    """After a secondary limit, `points` and `seconds` into the last minute.

    GitHub does not say which limit it was; all of them are held below what was just used.
    """
    pace = replace(
        pace, answers=0, concurrency=min(pace.concurrency, max(1, sent_at.concurrency // 2))
    )
    if points < _TELLING_POINTS:
        return pace
    learnt = min(pace.points_per_minute, 0.8 * points)
    return replace(
        pace,
        points_per_minute=learnt,
        proven_points=learnt,
        seconds_per_minute=min(pace.seconds_per_minute, max(1.0, 0.8 * seconds)),
    )


def quiet_minute(pace: Pace, bounds: Bounds) -> Pace:
    """After a minute without a refusal."""
    return replace(
        pace,
        points_per_minute=min(pace.points_per_minute * 1.1 + 1, bounds.points_per_minute),
        proven_points=pace.points_per_minute,
        seconds_per_minute=min(pace.seconds_per_minute * 1.1 + 1, bounds.seconds_per_minute),
    )
