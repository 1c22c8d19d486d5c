"""The verdict of a run and of several: one number, of which the worst outweighs the rest."""

from __future__ import annotations

import re
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer import errors
from syncer.evidence import Connection, Status
from syncer.report import Problem, exit_of, problems_of, worst
from tests.unit.making import proof

IN_ORDER = (1, 2, 4, 6, 7, 75, 5, 3, 0)


@pytest.mark.parametrize(("heavier", "lighter"), list(pairwise(IN_ORDER)))
def test_each_status_outweighs_the_one_after_it(heavier: int, lighter: int) -> None:
    for statuses in permutations([heavier, lighter, 0]):
        assert worst(statuses) == heavier


@given(st.lists(st.sampled_from(IN_ORDER), max_size=5), st.sampled_from([130, 143]))
def test_an_interruption_outweighs_everything(statuses: list[int], signal: int) -> None:
    assert worst([*statuses, signal]) == signal


def test_nothing_to_do_is_done() -> None:
    assert worst([]) == 0
    assert exit_of([]) == 0


def test_every_error_that_ends_a_run_has_a_status_with_a_rank() -> None:
    kinds = [
        getattr(errors, name) for name in errors.__all__ if isinstance(getattr(errors, name), type)
    ]
    statuses = {kind.exit_status for kind in kinds if issubclass(kind, errors.StopError)}
    assert statuses <= set(IN_ORDER)
    assert statuses == {1, 2, 4, 5, 6, 7, 75}


def test_the_page_about_exit_statuses_names_every_one_of_them(root: Path) -> None:
    page = (root / "docs" / "exit-statuses.md").read_text()
    assert {int(n) for n in re.findall(r"^\| `?(\d+)`?", page, re.MULTILINE)} >= set(IN_ORDER)


@pytest.mark.parametrize("status", [Status.SHORT, Status.CUT, Status.UNKNOWN])
def test_what_is_not_exhausted_is_a_problem_with_its_number_and_reason(status: Status) -> None:
    found = problems_of([(7, proof(Connection.REVIEWS, status, reason="why"))])
    assert found == [Problem(number=7, connection="reviews", status=status.value, reason="why")]
    assert exit_of(found) == 3


def test_what_is_exhausted_is_no_problem_though_its_text_was_repaired() -> None:
    assert problems_of([(7, proof())]) == []


def test_a_contradiction_is_told_and_is_no_lack() -> None:
    odd = proof(Connection.PULL_REQUEST, reason="contradiction: OPEN with mergedAt")
    found = problems_of([(7, odd)])
    assert [one.status for one in found] == ["contradiction"]
    assert exit_of(found) == 0


def test_a_contradiction_beside_a_lack_hides_nothing() -> None:
    odd = proof(Connection.PULL_REQUEST, Status.SHORT, reason="contradiction: x")
    assert [one.status for one in problems_of([(7, odd)])] == ["short"]
