"""Names that are no part of a sealed corpus are told from those that are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.corpus import MANIFEST, place, placed
from syncer.corpus.unfinished import SEALING, meant_by, set_aside_of, temporary_of

numbers = st.integers(1, 10**7)


@given(numbers, st.none() | st.just("v1"))
def test_a_temporary_file_stands_beside_the_one_it_is_for_and_is_no_place(number, release):
    path = place(number, release)
    directory, _, name = temporary_of(str(path)).rpartition("/")

    assert directory == str(path.parent)
    assert meant_by(name) == path.name
    assert placed(f"{directory}/{name}") is None


@given(numbers, numbers)
def test_a_file_that_is_kept_aside_names_the_one_it_was(number, count):
    name = place(number, None).name
    aside = f"{name}.damaged-{count}"

    assert set_aside_of(aside) == name
    assert placed(f"{place(number, None).parent}/{aside}") is None


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".tmp",
        "..tmp",
        "pr-1.md",
        MANIFEST,
        SEALING,
        ".gitattributes",
        "pr-1.md.tmp",
        "pr-1.md.damaged-0",
        ".damaged-1",
    ],
)
def test_other_names_are_neither(name):
    assert meant_by(name) is None
    assert set_aside_of(name) is None
