"""How long everybody pauses after a refusal, and when refusals count as a series. Pure."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from syncer.errors import ThrottledError

__all__ = ["QUIET_S", "Pauses"]

QUIET_S = 60.0
"""After so long without a refusal the next one is the first again."""

_UNTOLD_S = 60.0  # GitHub: without a Retry-After at least a minute, then longer each time
_LONGEST_S = 900.0


class Pauses(Struct, frozen=True, kw_only=True):
    """Where a series of refusals stands, by the monotonic clock."""

    until_s: float  # nobody asks before then
    refused_s: float  # when the newest pause began
    refusals: int = 0  # in this series

    def refused(self, sent_s: float, now_s: float) -> Pauses:
        """After the refusal of a request sent at `sent_s`.

        One that was under way when the pause began was refused by the same breath of the server.
        """
        if sent_s < self.until_s and self.refusals:
            return self
        quiet = now_s - max(self.refused_s, self.until_s) > QUIET_S
        return replace(self, refused_s=now_s, refusals=1 if quiet else self.refusals + 1)

    def length_s(self, error: ThrottledError, dice: float) -> float:
        """How long to pause for `error`, already counted; `dice` from 0 to 1 spreads the untold."""
        if error.wait_s is None:
            return _grown_s(self.refusals - 1) * (1 + 0.1 * dice)
        if error.primary or self.refusals <= 1:
            return error.wait_s
        # What was told did not help: no longer believe that less than a minute is enough.
        return max(error.wait_s, _grown_s(self.refusals - 2))

    def extended(self, until_s: float) -> Pauses:
        """With a pause until `until_s` at least."""
        return replace(self, until_s=max(self.until_s, until_s))


def _grown_s(times: int) -> float:
    return min(_UNTOLD_S * 2.0 ** min(max(times, 0), 10), _LONGEST_S)
