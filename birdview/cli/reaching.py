"""The way to GitHub for answers that ask for it, by the token and addresses of the environment."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from birdview.explore import opened
from syncer.cli.clients import Allowance, Clients
from syncer.history import History, Live, LiveClient
from syncer.settings import Settings

__all__ = ["Reaching", "reaching"]

Reaching = Callable[[str | None], AbstractAsyncContextManager[Live | None]]
"""Opens a client for the repository of that name (None: the only one), for one answer."""


def reaching(source: History, environment: Mapping[str, str]) -> Reaching:
    """Clients for the repositories of `source`, all under one budget.

    Raises ConfigError where the environment has no token, or an address that is not one.
    """
    settings = Settings()
    clients = Clients(environment, Allowance(), settings, _without_a_word)

    @asynccontextmanager
    async def reach(origin: str | None) -> AsyncGenerator[Live | None, None]:
        corpus = await opened(source, origin)
        async with clients.of(corpus.name) as client:
            yield LiveClient(client, settings)

    return reach


def _without_a_word(wait_s: float, why: str) -> None:
    """A pause changes nothing about the answer but when it comes."""
    del wait_s, why
