from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.testing.github.ids import ACCOUNT_KINDS, legacy_id, new_id, parse_id

KINDS = sorted(
    ACCOUNT_KINDS
    | {
        "Issue",
        "IssueComment",
        "Label",
        "PullRequest",
        "PullRequestReview",
        "Release",
        "Repository",
    }
    | {"PullRequestReviewComment", "PullRequestReviewThread"}
)


@given(st.sampled_from(KINDS), st.integers(1, 2**40), st.integers(1, 2**31))
def test_an_id_of_either_form_leads_back_to_its_node(kind: str, number: int, repository: int):
    assert parse_id(new_id(kind, number, repository)) == (kind, number)
    assert parse_id(legacy_id(kind, number)) == (kind, number)


def test_the_forms_are_those_that_github_gives_out():
    assert legacy_id("PullRequest", 123) == "MDExOlB1bGxSZXF1ZXN0MTIz"
    assert new_id("PullRequest", 0x332E75AD, 0x1082520C) == "PR_kwDOEIJSDM4zLnWt"
    assert new_id("User", 70_000, 1).startswith("U_kgDO")


@given(st.text(alphabet=st.characters(exclude_characters="_")))
def test_text_that_is_no_id_is_never_taken_for_one(text: str):
    found = parse_id(text)
    assert found is None or legacy_id(*found) == text


@pytest.mark.parametrize("text", ["PR_", "PR_!!!", "MDk6VXNlcjE=", "XX_kgDOAA", ""])
def test_a_damaged_id_is_refused(text: str):
    assert parse_id(text) is None
