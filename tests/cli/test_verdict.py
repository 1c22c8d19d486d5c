"""Every failure has one exit status and a message that says what to do."""

from __future__ import annotations

import pytest

from syncer.cli.verdict import judge
from syncer.errors import (
    BudgetError,
    ConfigError,
    ContractError,
    DamagedError,
    LocalError,
    LockedError,
    RefusedError,
    SinkError,
    TransientError,
)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ConfigError("mend"), 2),
        (RefusedError("mend"), 4),
        (BudgetError("mend"), 5),
        (DamagedError("mend"), 6),
        (LocalError("mend"), 7),
        (SinkError("mend"), 7),
        (LockedError("mend"), 75),
        (ContractError("mend"), 1),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_a_stop_carries_its_own_status_and_words(error: Exception, status: int) -> None:
    verdict = judge(error)

    assert (verdict.status, verdict.message) == (status, "mend")


def test_a_note_on_an_error_is_told_with_it() -> None:
    error = LocalError("disk full")
    error.add_note("while writing o/r")

    assert judge(error).message == "disk full; while writing o/r"


def test_a_request_that_failed_for_good_is_worth_another_run() -> None:
    verdict = judge(TransientError("status 502"))

    assert verdict.status == 5
    assert "status 502" in verdict.message
    assert "run again" in verdict.message


def test_a_file_that_cannot_be_used_is_named() -> None:
    verdict = judge(PermissionError(13, "Permission denied", "/corpus/o"))

    assert verdict.status == 7
    assert "/corpus/o: Permission denied" in verdict.message


def test_of_several_failures_at_once_the_one_that_decides_is_told() -> None:
    group = BaseExceptionGroup(
        "tasks", [ValueError("one"), BaseExceptionGroup("more", [RefusedError("two")])]
    )

    assert judge(group).status == 4


def test_what_nobody_foresaw_is_told_by_its_class_and_place_and_not_by_its_words() -> None:
    with pytest.raises(ValueError, match="somebody's words") as caught:
        int("somebody's words")

    verdict = judge(caught.value)

    assert verdict.status == 1
    assert "ValueError at tests/cli/test_verdict.py:" in verdict.message
    assert "somebody" not in verdict.message
