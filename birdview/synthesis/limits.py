"""How large the pieces of a synthesis are: what one question holds and one answer may."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Limits"]


class Limits(Struct, frozen=True, kw_only=True):
    """Sizes are bytes of UTF-8, about three to a token.

    `items` is the most findings of one category; `parallel` the most questions at once. Without
    `metered`, calls and tokens cost nothing, and only the seconds of a budget count.
    """

    fragment_bytes: int = 20_000
    batch_bytes: int = 60_000
    reduce_bytes: int = 60_000
    claims_per_batch: int = 40
    items: int = 12
    parallel: int = 4
    max_answer_tokens: int = 6_000
    answer_chars: int = 60_000
    call_timeout_s: float = 120.0
    metered: bool = True
