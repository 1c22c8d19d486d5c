"""Settings are within bounds wherever they were made, or refused by their name."""

from __future__ import annotations

import math

import msgspec
import pytest
from msgspec.structs import replace

from syncer.errors import ConfigError
from syncer.reading.frontier import Limits
from syncer.settings import Settings, checked

BOUNDS = {
    "concurrency": (1, 100),
    "ids": (1, 100),
    "page": (1, 100),
    "nodes": (1, 10_000),
    "nodes_in_flight": (1, 100_000),
    "wave": (1, 2000),
    "margin_s": (0, 3600),
}
"""GitHub's and ours (docs/how-it-works.md)."""


def test_the_defaults_are_within_the_bounds() -> None:
    assert checked(Settings()) == Settings()


def test_every_number_has_bounds() -> None:
    numbers = {f.name for f in msgspec.structs.fields(Settings) if f.type in (int, float)}
    assert numbers == set(BOUNDS)


@pytest.mark.parametrize("name", BOUNDS)
def test_a_number_on_its_bound_is_taken_and_one_beyond_is_refused_by_name(name: str) -> None:
    low, high = BOUNDS[name]
    for value in (low, high):
        assert checked(replace(Settings(), **{name: value}))
    for value in (low - 1, high + 1, math.nan):
        with pytest.raises(ConfigError, match=f"{name.replace('_', '-')} must be from {low} to"):
            checked(replace(Settings(), **{name: value}))


def test_limits_are_those_of_the_settings_or_of_what_the_server_bears() -> None:
    settings = Settings(ids=7, page=9, nodes=500)
    assert settings.limits() == Limits(ids=7, nodes=500, page=9)
    assert settings.limits(40).nodes == 40
    assert settings.limits(9000).nodes == 500
    assert settings.limits(0).nodes == 1
