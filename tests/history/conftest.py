"""A corpus too large to write for every test."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from syncer.history import Corpus
from syncer.testing.feed import release
from tests.history.corpora import START, Writer, merged

HOUR = timedelta(hours=1)


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """1,300 pull requests, one an hour from the start, in two releases and behind them."""
    releases = [release("v1", START + 400 * HOUR), release("v2", START + 800 * HOUR)]
    writer = Writer(tmp_path_factory.mktemp("large"), *releases)
    pulls = [merged(number, START + (number - 1) * HOUR) for number in range(1, 1301)]
    return asyncio.run(writer.write(*pulls))
