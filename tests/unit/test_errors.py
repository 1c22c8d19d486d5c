"""Errors are a tree with one drawing; of several that met, the one that decides is picked."""

from __future__ import annotations

import inspect
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer import errors
from syncer.errors import (
    AskError,
    BudgetError,
    ContractError,
    LocalError,
    LockedError,
    StopError,
    ThrottledError,
    TransientError,
    UndefinedFieldError,
    sole,
)

KINDS = {name: kind for name, kind in vars(errors).items() if inspect.isclass(kind)}
OURS = {name: kind for name, kind in KINDS.items() if kind.__module__ == errors.__name__}


def test_the_drawing_shows_every_error_below_its_parent_with_its_status() -> None:
    assert errors.__doc__ is not None
    path: list[tuple[int, str]] = []
    drawn: dict[str, str | None] = {}
    for line in errors.__doc__.splitlines():
        found = re.match(r"^    ([│├└─ ]*)(\w+Error)\b(?:\s+(\d+)\s)?", line)
        if found is None:
            continue
        depth, name, status = len(found[1]), found[2], found[3]
        path = [(d, n) for d, n in path if d < depth]
        drawn[name] = path[-1][1] if path else None
        path.append((depth, name))
        if status is not None:
            assert OURS[name].exit_status == int(status)  # type: ignore[attr-defined]
    parents = {name: kind.__mro__[1] for name, kind in OURS.items()}
    assert drawn == {
        name: parent.__name__ if parent in OURS.values() else None
        for name, parent in parents.items()
    }


def test_the_list_of_names_is_whole() -> None:
    assert sorted(errors.__all__) == sorted([*OURS, "WORST_FIRST", "sole"])


def test_facts_are_attributes() -> None:
    resets_at = datetime(2026, 1, 1, tzinfo=UTC)
    assert BudgetError("spent", resets_at=resets_at).resets_at == resets_at
    assert BudgetError("spent").resets_at is None
    throttled = ThrottledError("wait", wait_s=60.0, primary=False)
    assert (throttled.wait_s, throttled.primary) == (60.0, False)
    missing = UndefinedFieldError("PullRequest", "closingIssuesReferences")
    assert "PullRequest.closingIssuesReferences" in str(missing)


leaves = st.sampled_from([TransientError("t"), KeyError("k"), ContractError("c"), LocalError("l")])
groups = st.recursive(
    leaves,
    lambda inner: st.lists(inner, min_size=1, max_size=3).map(
        lambda found: BaseExceptionGroup("g", found)
    ),
    max_leaves=6,
)


@given(st.lists(groups, min_size=1, max_size=3))
def test_one_exception_decides_and_it_stops_the_run_where_any_does(
    found: list[BaseException],
) -> None:
    group = BaseExceptionGroup("all", found)
    decisive = sole(group)
    assert not isinstance(decisive, BaseExceptionGroup)
    assert group.subgroup(lambda one: one is decisive) is not None
    assert isinstance(decisive, StopError) == (group.subgroup(StopError) is not None)


@pytest.mark.parametrize("swap", [False, True])
def test_of_two_that_stop_a_run_the_worse_one_decides(swap: bool) -> None:
    for worse, better in [
        (ContractError("c"), BudgetError("b")),
        (LocalError("l"), BudgetError("b")),
        (LockedError("k"), BudgetError("b")),
        (LocalError("l"), LockedError("k")),
    ]:
        pair = [better, worse] if swap else [worse, better]
        assert sole(BaseExceptionGroup("two", [AskError("a"), *pair])) is worse
