"""Answers that GitHub once gave to others, in a shape that nobody here chose. Optional data."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from syncer.github.judge import judge
from syncer.github.listings import census_in
from syncer.github.marks import Marks
from syncer.github.surrogates import UNTOUCHED, opened
from syncer.github.throttle import limits_of
from syncer.github.wire import Envelope
from tests.github.support import NOW, answer, listing, page


@pytest.fixture
def exchanges(shared: Path) -> list[dict[str, Any]]:
    file = shared / "payloads" / "mergestat-graphql-prs-reviews-comments.json"
    if not file.is_file():
        pytest.skip("the recorded answers are not beside the repository")
    return [one["response"] for one in json.loads(file.read_text("utf-8"))]


def test_recorded_answers_are_answers_with_their_budget_and_clock(exchanges):
    for one in exchanges:
        body = json.dumps(one["body"]).encode()
        exchange = answer(status=one["status"], headers=one["headers"], body=body)

        assert isinstance(judge(exchange, opened(exchange.body)[0]), Envelope)
        assert exchange.date.year == 2022
        limits = limits_of(exchange)
        assert limits is not None
        assert limits.limit == 5000
        assert limits.resets_at > exchange.date


def _asked_for(node: dict[str, Any]) -> dict[str, Any]:
    """The recorded row with the two things that its query did not ask for."""
    author = node["author"] and node["author"] | {"__typename": "User"}
    return node | {"id": f"PR_{node['number']}", "author": author}


def test_recorded_rows_are_read_as_they_were(exchanges):
    repositories = [one["body"]["data"]["repository"] for one in exchanges]
    nodes = [
        node
        for repository in repositories
        for node in repository.get("pullRequests", {}).get("nodes", ())
    ]
    data = listing(page([_asked_for(node) for node in nodes]))

    found = census_in(json.dumps(data).encode(), Marks(), UNTOUCHED, NOW, after=None)

    assert nodes
    assert found.unreadable == 0
    for read, node in zip(found.items, nodes, strict=True):
        assert (read.number, read.title, read.body) == (node["number"], node["title"], node["body"])
        assert (read.author and read.author.login) == (node["author"] and node["author"]["login"])
        fork = node["headRepository"]
        assert read.head_repository == (fork and fork["nameWithOwner"])
        assert (read.state, read.head_ref_name) == (node["state"], node["headRefName"])
        assert read.merged_at == (node["mergedAt"] and datetime.fromisoformat(node["mergedAt"]))
        assert read.totals.comments == node["comments"]["totalCount"]
        assert read.totals.reviews is None  # never asked for: unknown
    assert any(read.head_repository is None for read in found.items)
