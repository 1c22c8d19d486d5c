"""`syncer audit` finds what GitHub tells nobody of, says what it costs, and else changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncer.testing.github import Simulator
from syncer.testing.github.nodes import PullRequest
from tests.cli.conftest import NAME, Run
from tests.cli.harness import tree


def commented(github: Simulator) -> PullRequest:
    pulls = github.world.repository.pull_requests.values()
    return next(pull for pull in pulls if len(pull.comments) > 1)


def test_where_nothing_differs_nothing_is_written_and_the_price_comes_first(
    run: Run, github: Simulator, synced: Path
) -> None:
    before, census = tree(synced), (synced / NAME / "census.json").read_bytes()

    done = run("audit", NAME, "--root", synced, "--json")

    found = done.object
    assert (done.status, found["complete"], found["audit"]["found"]) == (0, True, [])
    assert (found["audit"]["depth"], found["audit"]["pulls"]) == ("stamps", 30)
    assert found["points"] == found["audit"]["points"] == found["pointsPlanned"]
    said = done.err.splitlines()[0]
    assert f"about {found['audit']['pointsExpected']} points" in said
    assert tree(synced) == before
    assert (synced / NAME / "census.json").read_bytes() == census


def test_a_silent_edit_is_found_and_read_again(run: Run, github: Simulator, synced: Path) -> None:
    github.clock.advance(3600)
    pull = commented(github)
    github.mutate.edit(pull.comments[0], "words that nobody was told of")

    done = run("audit", "--root", synced, "--json")
    again = run("audit", "--root", synced)

    assert done.status == 0
    assert done.object["audit"]["found"] == [
        {"number": pull.number, "connection": "comments", "added": 0, "changed": 1, "gone": 0}
    ]
    assert done.object["conversations"]["read"] == 1
    assert done.object["sinks"]["corpus"]["written"] == 1
    (file,) = (synced / NAME).rglob(f"pr-{pull.number}.md")
    assert "words that nobody was told of" in file.read_text("utf-8")
    assert (again.status, "differing      nothing" in again.out) == (0, True)


def test_people_are_told_what_differs_and_where(run: Run, github: Simulator, synced: Path) -> None:
    pull = commented(github)
    github.mutate.delete_comment(pull.comments[0])

    done = run("audit", "--root", synced, "--totals")

    assert done.status == 0
    assert f"{NAME}: complete" in done.out
    assert "  audit          totals of 30 pull requests, 3 points (3 expected)" in done.out
    assert f"  differing      comments: 0 added, 0 changed, 1 gone, on #{pull.number}" in done.out


def test_a_sample_is_drawn_by_the_seed_that_is_told(
    run: Run, github: Simulator, synced: Path
) -> None:
    by_day = run("audit", "--root", synced, "--sample", "10%", "--json")
    seed = by_day.object["audit"]["seed"]
    again = run("audit", "--root", synced, "--sample", "10%", "--seed", str(seed), "--json")

    assert (by_day.status, by_day.object["audit"]["pulls"]) == (0, 3)
    assert f"--seed {seed}" in by_day.err
    assert again.object["audit"] == by_day.object["audit"]


def test_only_what_changed_since_is_looked_at(run: Run, github: Simulator, synced: Path) -> None:
    stamps = sorted(p.updated_at for p in github.world.repository.pull_requests.values())

    done = run("audit", "--root", synced, "--since", stamps[-4], "--json")
    none = run("audit", "--root", synced, "--since", "2999-01-01", "--json")

    assert (done.status, done.object["audit"]["pulls"]) == (0, 4)
    assert (none.status, none.object["audit"]["pulls"]) == (0, 0)


def test_a_budget_ends_it_with_5_and_what_was_found_is_read_by_the_next_sync(
    run: Run, github: Simulator, synced: Path
) -> None:
    pulls = github.world.repository.pull_requests.values()
    affected = {pull.number for pull in pulls if pull.base_ref_name == "main"}
    github.mutate.rename_branch("main", "trunk")

    done = run("audit", "--root", synced, "--max-points", "3", "--json")
    after = run("sync", NAME, "--root", synced, "--json")

    assert (done.status, done.object["exit"]) == (5, 5)
    assert {one["number"] for one in done.object["audit"]["found"]} == affected
    assert "saved" in done.object["message"]
    assert (after.status, after.object["conversations"]["read"]) == (0, len(affected))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--sample", "none"), "a sample is a number"),
        (("--since", "yesterday"), "--since: yesterday is no date"),
        (("--seed", "3"), "--seed draws a --sample"),
    ],
    ids=["sample", "since", "seed"],
)
def test_a_slip_is_named_before_anything_is_asked(
    words: tuple[str, ...], complaint: str, run: Run, github: Simulator, synced: Path
) -> None:
    done = run("audit", "--root", synced, *words)

    assert (done.status, github.requests) == (2, 0)
    assert complaint in done.err


def test_an_empty_root_is_nothing_to_audit(run: Run, github: Simulator, tmp_path: Path) -> None:
    done = run("audit", "--root", tmp_path)

    assert (done.status, github.requests) == (2, 0)


def test_what_was_compared_is_kept_with_the_run(run: Run, github: Simulator, synced: Path) -> None:
    run("audit", "--root", synced, "--totals")

    done = run("status", "--root", synced, "--runs", "1", "--json")

    (last,) = done.object["runs"]
    assert (last["exit"], last["summary"]["audit"]["depth"]) == (0, "totals")
