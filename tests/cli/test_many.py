"""Several repositories in one command: side by side, under one governor, none for another's sake."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from syncer.github.governor import Governor
from syncer.store.lock import hold
from syncer.testing.github.faults import bad_credentials, connection_reset, null_node
from tests.cli.conftest import Run
from tests.cli.harness import TOKEN, served, tree
from tests.cli.street import Street

LARGE, SMALL = "example-org/large", "example-org/small"
FEW = ("--batch-ids", "2", "--page-size", "10")


@pytest.fixture
def street(monkeypatch: pytest.MonkeyPatch) -> Iterator[Street]:
    """A large and a small repository under one address, and time that sleeping lets pass."""
    with _opened(Street({LARGE: 60, SMALL: 8}), monkeypatch) as found:
        yield found


@contextmanager
def _opened(street: Street, monkeypatch: pytest.MonkeyPatch) -> Iterator[Street]:
    """`street`, served to this process."""
    now_s = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal now_s
        now_s += seconds
        street.clock.advance(seconds)
        await asyncio.sleep(0)

    timed = partial(Governor, clock=lambda: now_s, sleep=sleep, dice=lambda: 0.0)
    monkeypatch.setattr("syncer.cli.clients.Governor", timed)
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    with served(street):  # type: ignore[arg-type]  # it opens and closes as a simulator does
        monkeypatch.setenv("GITHUB_GRAPHQL_URL", street.url)
        yield street


def test_together_they_end_as_each_would_alone_and_are_told_in_the_order_given(
    run: Run, street: Street, tmp_path: Path
) -> None:
    both = run("sync", LARGE, SMALL, "--root", tmp_path / "both", "--json")
    for name in (LARGE, SMALL):
        assert run("sync", name, "--root", tmp_path / "alone").status == 0

    assert both.status == 0
    assert [(one["repository"], one["complete"]) for one in both.objects] == [
        (LARGE, True),
        (SMALL, True),
    ]
    assert tree(tmp_path / "both") == tree(tmp_path / "alone")


def test_one_token_has_one_governor_whatever_the_number_of_repositories(
    run: Run, street: Street, tmp_path: Path
) -> None:
    words = ("--points-per-minute", "20", *FEW)
    done = run("sync", LARGE, SMALL, "--root", tmp_path, "--json", *words)

    assert done.status == 0
    assert sum(one["points"] for one in done.objects) > 60
    assert max(street.minutes()) <= 20


def test_a_small_repository_does_not_wait_for_a_large_one(
    run: Run, street: Street, tmp_path: Path
) -> None:
    words = ("--points-per-minute", "20", *FEW)
    assert run("sync", LARGE, SMALL, "--root", tmp_path, *words).status == 0

    turns = street.asked.count(SMALL)
    last = len(street.asked) - street.asked[::-1].index(SMALL)
    assert street.asked.count(LARGE) > 4 * turns
    # Half of the turns were its own, beside those that were under way when it had nothing to ask.
    assert last <= 3 * turns + 8


def test_each_has_points_of_its_own(run: Run, street: Street, tmp_path: Path) -> None:
    words = ("--max-points", "25", *FEW)
    done = run("sync", LARGE, SMALL, "--root", tmp_path, "--json", *words)

    large, small = done.objects
    assert done.status == large["exit"] == 5
    assert small["exit"] == 0
    assert max(large["points"], small["points"]) <= 25


def test_more_than_are_worked_on_at_once_are_all_read(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"example-org/r{n}" for n in range(9)]
    with _opened(Street(dict.fromkeys(names, 3)), monkeypatch):
        done = run("sync", *names, "--root", tmp_path, "--json")

    assert done.status == 0
    assert [one["repository"] for one in done.objects] == names
    assert all(one["conversations"]["read"] == 3 for one in done.objects)


def test_whatever_befalls_one_the_others_are_read_and_the_worst_is_the_verdict(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"example-org/{kind}" for kind in ("refused", "cut", "held", "newer", "mute", "fine")]
    refused, cut, held, newer, mute, fine = names
    (tmp_path / newer).mkdir(parents=True)
    (tmp_path / held / ".syncer").mkdir(parents=True)
    (tmp_path / newer / "manifest.json").write_text(json.dumps({"schema": 99}))
    with _opened(Street(dict.fromkeys(names, 4)), monkeypatch) as street:
        street.houses[refused].fail(bad_credentials(), times=None)
        street.houses[cut].fail(null_node("PullRequest.comments"), times=None)
        street.houses[mute].fail(connection_reset(), times=None)
        with hold(tmp_path / held / ".syncer" / "lock"):
            done = run("sync", *names, "--root", tmp_path, "--json")
        later = run("sync", refused, fine, "--root", tmp_path, "--json")

    exits = {one["repository"]: one["exit"] for one in done.objects}
    assert list(exits) == names
    assert exits[refused] == 4
    assert exits[cut] == 3
    assert exits[held] == 75
    assert exits[mute] == 5
    assert exits[newer] == 7
    assert exits[fine] == 0
    assert done.status == 4
    assert [one["exit"] for one in later.objects] == [4, 0]
