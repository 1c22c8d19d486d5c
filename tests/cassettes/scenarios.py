"""The behaviours that are recorded: one cassette each, named as it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from syncer.testing.github import Dataset, Simulator, load
from syncer.testing.github.faults import (
    bad_credentials,
    forbidden,
    gateway_page,
    primary_limit,
    secondary_limit,
)
from syncer.testing.github.requests import asks

__all__ = ["NAME", "SCENARIOS", "Scenario", "dataset"]

NAME = "example-org/small"


class Scenario(Struct, frozen=True):
    """`runs` times a sync of `name` in one folder, after `arrange` has prepared the simulator."""

    arrange: Callable[[Simulator], object] = lambda _: None
    name: str = NAME
    runs: int = 1


def dataset() -> Dataset:
    """The repository behind every cassette, written by hand."""
    return load(Path(__file__).with_name("repository.json"))


SCENARIOS: Mapping[str, Scenario] = {
    "a_repository_is_read_whole_and_then_has_nothing_new": Scenario(runs=2),
    "the_hourly_limit_is_waited_for": Scenario(
        lambda github: github.fail(primary_limit(reset_in_s=40), at=2)
    ),
    "a_secondary_limit_pauses_for_a_minute": Scenario(
        lambda github: github.fail(secondary_limit(403, None), at=2)
    ),
    "a_page_of_html_is_asked_for_again": Scenario(lambda github: github.fail(gateway_page(), at=1)),
    "a_forbidden_connection_is_named": Scenario(
        # Only where pages are asked for: a row that may not show its totals is no row at all.
        lambda github: github.fail(
            forbidden("PullRequest.comments", 5), at=asks("PullRequest.comments"), times=None
        )
    ),
    "an_unknown_repository_is_refused": Scenario(name="example-org/unknown"),
    "a_bad_token_is_refused": Scenario(lambda github: github.fail(bad_credentials(), times=None)),
}
