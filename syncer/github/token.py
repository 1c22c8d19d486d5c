"""A token that cannot be printed, and its one renewal for all tasks."""

from __future__ import annotations

import asyncio
import re
from hmac import compare_digest
from typing import Protocol

from syncer.errors import ConfigError

__all__ = ["Credentials", "Token", "TokenSource"]

# What an HTTP header can carry; aiohttp would quote anything else in its own error.
_SENDABLE = re.compile(r"[\x21-\x7e]+")


class Token:
    """A secret. Only `reveal` gives it away; every way of printing it is masked.

    Raises ConfigError, without the text, for one that no HTTP header can carry.
    """

    __slots__ = ("_secret",)

    def __init__(self, secret: str) -> None:
        if not _SENDABLE.fullmatch(secret):
            raise ConfigError("the token is empty or holds spaces or signs that no token has")
        self._secret = secret

    def reveal(self) -> str:
        """The secret itself, for the header of a request and nothing else."""
        return self._secret

    def __repr__(self) -> str:
        return "Token(***)"

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Token):
            return NotImplemented
        return compare_digest(self._secret, other._secret)

    def __hash__(self) -> int:
        return hash(self._secret)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a token is never written anywhere")


class TokenSource(Protocol):
    """Where a new token comes from when the old one has ended."""

    async def renew(self) -> Token | None:
        """A new token, or None when there is none to be had. Asked once per refused token."""
        ...


class Credentials:
    """The token of now. `serial` tells which one a request was sent with."""

    def __init__(self, token: Token, source: TokenSource | None = None) -> None:
        self._token = token
        self._source = source
        self._ended: Token | None = None
        self._lock = asyncio.Lock()
        self.serial: int = 0

    @property
    def token(self) -> Token:
        """The token to send now."""
        return self._token

    async def renewed(self, serial: int) -> bool:
        """Whether there is another token than the one with number `serial`, which was refused.

        However many tasks ask at once, the source is asked a single time.
        """
        async with self._lock:
            if serial != self.serial:
                return True
            if self._source is None or self._ended is self._token:
                return False
            fresh = await self._source.renew()
            if fresh is None or fresh == self._token:
                self._ended = self._token
                return False
            self._token = fresh
            self.serial += 1
            return True
