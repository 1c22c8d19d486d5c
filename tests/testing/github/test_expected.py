"""A plain reader that asks level by level finds exactly what `expected` says."""

from __future__ import annotations

import pytest

from syncer.testing.github import Shape, Simulator, generate
from syncer.testing.github.expected import expected, node_ids, quotient


async def pages(ask, github, name, ids):
    """Every node of a connection of `ids`, by owner."""
    found = {node: [] for node in ids}
    for start in range(0, len(ids), 100):
        answer = await ask(github, name, ids=ids[start : start + 100], first=100)
        for node in answer.data["nodes"]:
            connection = node["connection"]
            found[node["id"]] += connection["nodes"]
            while connection["pageInfo"]["hasNextPage"]:
                after = connection["pageInfo"]["endCursor"]
                more = await ask(github, name, ids=[node["id"]], first=100, after=after)
                connection = more.data["nodes"][0]["connection"]
                found[node["id"]] += connection["nodes"]
            assert len(found[node["id"]]) == connection["totalCount"]
    return found


async def read(ask, github) -> dict[int, dict[str, str]]:
    opening = (await ask(github, "opening", owner="example-org", name="generated")).data
    rows, after, more = [], None, True
    while more:
        answer = await ask(
            github, "census", repository=opening["repository"]["id"], first=100, after=after
        )
        listing = answer.data["node"]["pullRequests"]
        rows += listing["nodes"]
        after, more = listing["pageInfo"]["endCursor"], listing["pageInfo"]["hasNextPage"]
    found = {row["id"]: {row["id"]: row["body"]} for row in rows}
    for name in ("comments", "reviews"):
        owners = [row["id"] for row in rows if row[name]["totalCount"]]
        for owner, nodes in (await pages(ask, github, name, owners)).items():
            found[owner] |= {node["id"]: node["body"] for node in nodes}
    owners = [row["id"] for row in rows if row["reviewThreads"]["totalCount"]]
    threads = await pages(ask, github, "reviewThreads", owners)
    home = {thread["id"]: owner for owner, nodes in threads.items() for thread in nodes}
    paths = {thread["id"]: thread["path"] for nodes in threads.values() for thread in nodes}
    for thread, nodes in (await pages(ask, github, "reviewThreadComments", list(home))).items():
        said = {node["id"]: node["body"] for node in nodes if node["state"] != "PENDING"}
        found[home[thread]] |= {thread: paths[thread], **said} if said else {}
    return {row["number"]: found[row["id"]] for row in rows}


@pytest.mark.parametrize("viewer", ["viewer", "person-000", "nobody"])
async def test_reading_everything_finds_what_is_expected(ask, viewer):
    from syncer.testing.github import DEFAULT_TOKEN, Viewer

    data = generate(
        8, 130, Shape(long_conversation=230, long_thread=150, many_reviews=120, many_threads=101)
    )
    github = Simulator(data, tokens={DEFAULT_TOKEN: Viewer(login=viewer)})
    found = await read(ask, github)
    assert found == {number: node_ids(c) for number, c in expected(github.world).items()}


def test_the_quotient_of_a_small_set_is_counted_by_hand(small):
    # 3 pull requests; of the first: comments, reviews, labels, closing issues, threads, and those
    # of each thread that the viewer sees.
    assert quotient(small, "viewer") == (3 + 5 + 2) / 100
    assert quotient(small, "nobody") == (3 + 5 + 1) / 100


def test_pages_beyond_the_first_count_in_the_quotient():
    plain = generate(1, 1, Shape(hostile=False, drafts=False))
    counts = {size: quotient(_with_comments(plain, size)) for size in (1, 100, 101, 200, 201)}
    assert counts[1] == counts[100]
    assert counts[101] == counts[200] == pytest.approx(counts[100] + 0.01)
    assert counts[201] == pytest.approx(counts[100] + 0.02)


def _with_comments(data, size):
    from msgspec.structs import replace

    from syncer.testing.github.dataset import Comment

    comment = Comment(body="", author=None, created_at="2024-01-01T00:00:00Z")
    pulls = tuple(replace(pull, comments=(comment,) * size) for pull in data.pull_requests)
    return replace(data, pull_requests=pulls)
