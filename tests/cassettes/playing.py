"""A scenario through the real client and engine, against whatever answers at an address."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import vcr

from sinks.corpus import open_sink
from syncer.errors import StopError
from syncer.github import Bounds, Credentials, GitHub, Governor, Token
from syncer.github.access import Endpoint
from syncer.report import Summary
from syncer.session import sync
from syncer.settings import Settings
from syncer.testing.github import DEFAULT_TOKEN
from tests.cassettes.scenarios import Scenario
from tests.cassettes.scrub import ADDRESS, scrubbed_request, scrubbed_response

__all__ = ["MATCHED_ON", "Played", "path_of", "play", "tape"]

MATCHED_ON = ("method", "scheme", "host", "port", "path", "query", "body")
"""vcrpy leaves out the body, which in GraphQL is the whole question."""


@dataclass
class Played:
    """What came of it: a summary for each run that had one, an error for one that had none."""

    summaries: list[Summary] = field(default_factory=list)
    error: StopError | None = None
    slept_s: float = 0.0

    def clock(self) -> float:
        """A clock that stands still but for what is slept."""
        return self.slept_s

    async def sleep(self, seconds: float) -> None:
        """Sleep in no time."""
        self.slept_s += seconds


async def play(scenario: Scenario, root: Path, url: str = ADDRESS) -> Played:
    """Sync as `scenario` says, one request at a time, so that their order is always the same."""
    played = Played()
    for _ in range(scenario.runs):
        client = GitHub(
            Credentials(Token(DEFAULT_TOKEN)),
            Governor(Bounds(), clock=played.clock, sleep=played.sleep, dice=lambda: 0.5),
            name=scenario.name,
            endpoint=Endpoint(url=url),
        )
        async with client:
            try:
                played.summaries.append(await _sync(client, scenario.name, root, played))
            except StopError as error:
                played.error = error
    return played


async def _sync(client: GitHub, name: str, root: Path, played: Played) -> Summary:
    return await sync(
        client,
        name,
        root,
        sinks={"corpus": open_sink},
        settings=Settings(concurrency=1),
        observer=lambda _: None,
        monotonic=played.clock,
    )


def tape(mode: str) -> vcr.VCR:
    """A recorder (`all`) or a player that asks nobody (`none`).

    Packed answers are unpacked before they are kept, for nobody could read or scrub them.
    """
    return vcr.VCR(
        record_mode=vcr.mode(mode),
        match_on=MATCHED_ON,
        before_record_request=scrubbed_request,
        before_record_response=scrubbed_response,
        decode_compressed_response=True,
    )


def path_of(folder: Path, name: str) -> Path:
    """Where the cassette of scenario `name` lies."""
    return folder / f"{name}.yaml"
