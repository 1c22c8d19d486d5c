"""Addresses of entries, and the way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.corpus import Kind, Target, pull_url, recognise
from syncer.corpus.urls import comment_url, review_url, thread_comment_url
from tests.strategies import REPOSITORY

MAKERS = {
    Kind.COMMENT: comment_url,
    Kind.REVIEW: review_url,
    Kind.THREAD_COMMENT: thread_comment_url,
}


@given(st.integers(1, 10**7), st.sampled_from(sorted(MAKERS)), st.integers(0, 2**63 - 1))
def test_every_address_we_write_is_recognised(number, kind, database_id):
    pull = pull_url(REPOSITORY, number)
    url = MAKERS[kind](pull, database_id)
    common = {"web_url": REPOSITORY.web_url, "name": REPOSITORY.name, "number": number}

    assert url is not None
    assert recognise(pull) == Target(**common, kind=Kind.PULL, database_id=None)
    assert recognise(url) == Target(**common, kind=kind, database_id=database_id)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_an_entry_without_a_database_id_has_no_address(make):
    assert make(pull_url(REPOSITORY, 1), None) is None


def test_an_address_keeps_the_name_that_the_repository_first_had():
    assert pull_url(REPOSITORY, 3) == "https://ghe.example:8443/Octo/Repo.x/pull/3"


@pytest.mark.parametrize(
    ("tail", "kind", "database_id"),
    [
        ("pull/5/files#r77", Kind.THREAD_COMMENT, 77),
        ("pull/5/files/abc..def?w=1#r77", Kind.THREAD_COMMENT, 77),
        ("issues/5#issuecomment-77", Kind.COMMENT, 77),
        ("pull/5?notification=1#pullrequestreview-77", Kind.REVIEW, 77),
        ("pull/5/commits", Kind.PULL, None),
        ("pull/5#", Kind.PULL, None),
        ("pull/5#issue-77", Kind.PULL, None),
    ],
)
def test_forms_that_people_copy_from_the_site_are_recognised(tail, kind, database_id):
    found = recognise(f"https://github.com/octo/repo/{tail}")

    assert found == Target(
        web_url="https://github.com", name="octo/repo", number=5, kind=kind, database_id=database_id
    )


@pytest.mark.parametrize(
    "url",
    [
        "",
        "PR_kwDO1",
        "github.com/octo/repo/pull/5",
        "ftp://github.com/octo/repo/pull/5",
        "https://github.com/octo/repo",
        "https://github.com/octo/repo/pull/0",
        "https://github.com/octo/repo/pull/5x",
        "https://github.com/octo/repo/pulls/5",
        "https://github.com/octo/pull/5",
        "https://github.com/octo/repo/pull/5 ",
    ],
)
def test_anything_else_is_not_an_address(url):
    assert recognise(url) is None
