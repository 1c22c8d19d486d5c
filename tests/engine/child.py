"""A run in a process of its own, for tests that kill it: URL, ROOT, and ids a request."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from sinks.corpus import open_sink
from syncer.github.access import Endpoint
from syncer.github.client import GitHub
from syncer.github.governor import Governor
from syncer.github.token import Credentials, Token
from syncer.session import sync
from syncer.settings import Settings
from syncer.testing.github.simulator import DEFAULT_TOKEN
from tests.engine.harness import UNHURRIED


async def main(url: str, root: str, name: str, ids: int) -> int:
    """The exit status of one run."""
    client = GitHub(
        Credentials(Token(DEFAULT_TOKEN)),
        Governor(UNHURRIED),
        name=name,
        endpoint=Endpoint(url=url),
    )
    async with client:
        summary = await sync(
            client,
            name,
            Path(root),
            sinks={"corpus": open_sink},
            settings=Settings(ids=ids, page=ids, concurrency=4, wave=25),
            observer=lambda _: None,
            monotonic=time.monotonic,
        )
    return summary.exit


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))))
