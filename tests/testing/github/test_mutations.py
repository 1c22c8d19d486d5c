"""Which changes move `updatedAt`, and what a reader finds afterwards."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from syncer.testing.github import Simulator
from syncer.testing.github.dataset import Issue
from syncer.testing.github.expected import expected


@pytest.fixture
def github(small) -> Simulator:
    return Simulator(small)


def pull(github):
    return github.world.pull(1)


LOUD = {
    "touch": lambda m, p: m.touch(1),
    "comment": lambda m, p: m.add_comment(1, "new"),
    "review": lambda m, p: m.add_review(1, "new", state="APPROVED"),
    "thread": lambda m, p: m.add_thread(p.reviews[0], "new"),
    "reply": lambda m, p: m.reply(p.review_threads[0], "new"),
    "submit a draft": lambda m, p: m.submit(p.reviews[1], "APPROVED"),
    "edit the pull request": lambda m, p: m.edit_pull(1, title="other", body="other"),
    "label": lambda m, p: m.add_label(1, "fresh"),
    "remove a label": lambda m, p: m.remove_label(1, "bug"),
    "close": lambda m, p: m.close(1),
    "reopen": lambda m, p: m.reopen(1),
    "merge": lambda m, p: m.merge(1),
    "dismiss": lambda m, p: m.dismiss(p.reviews[0]),
}
SILENT = {
    "edit a comment": lambda m, p: m.edit(p.comments[0], "edited"),
    "edit a review": lambda m, p: m.edit(p.reviews[0], "edited"),
    "edit a thread comment": lambda m, p: m.edit(p.review_threads[0].comments[0], "edited"),
    "minimise": lambda m, p: m.minimize(p.comments[0]),
    "show again": lambda m, p: m.minimize(p.comments[2], None),
    "resolve": lambda m, p: m.resolve(p.review_threads[0]),
    "outdate": lambda m, p: m.outdate(p.review_threads[0]),
    "delete a comment": lambda m, p: m.delete_comment(p.comments[0]),
    "delete a thread": lambda m, p: m.delete_thread(p.review_threads[0]),
    "rename a label": lambda m, p: m.rename_label("bug", "defect"),
    "delete a label": lambda m, p: m.delete_label("bug"),
    "rename the base branch": lambda m, p: m.rename_branch("main", "trunk"),
    "an account is renamed": lambda m, p: m.rename_account("b", "bee"),
    "a comment appears": lambda m, p: m.uncover(1, "held back until now"),
    "link an issue": lambda m, p: m.link_issue(
        1, Issue(repository="o/r", number=9, database_id=99)
    ),
    "unlink the issues": lambda m, p: m.unlink_issues(1),
    "an account ends": lambda m, p: m.delete_account("b"),
    "dismiss quietly": lambda m, p: m.dismiss(p.reviews[0], quietly=True),
    "submit quietly": lambda m, p: m.submit(p.reviews[1], quietly=True),
}


@pytest.mark.parametrize("name", LOUD)
def test_a_loud_change_moves_the_stamp(github, name):
    before = expected(github.world)[1]
    github.clock.advance(60)
    LOUD[name](github.mutate, pull(github))
    assert pull(github).updated_at == github.clock.stamp()
    after = expected(github.world)[1]
    assert after.updated_at > before.updated_at
    assert name == "touch" or replace(after, updated_at=before.updated_at) != before


@pytest.mark.parametrize("name", SILENT)
def test_a_silent_change_is_found_by_reading_alone(github, name):
    before = expected(github.world)[1]
    github.clock.advance(60)
    SILENT[name](github.mutate, pull(github))
    after = expected(github.world)[1]
    assert after.updated_at == before.updated_at
    assert after != before


def test_a_draft_changes_nothing_until_it_is_submitted(github):
    before = expected(github.world)[1]
    review = github.mutate.add_review(1, "draft", "viewer", "PENDING")
    thread = github.mutate.add_thread(review, "draft thread")
    github.mutate.draft_reply(pull(github).review_threads[0], review, "draft reply")
    assert expected(github.world)[1] == before
    github.mutate.submit(review)
    after = expected(github.world)[1]
    assert "draft" in [r.body for r in after.reviews]
    assert [c.body for t in after.review_threads for c in t.comments] == [
        "t1",
        "draft reply",
        "draft thread",
    ]
    assert thread.comments[0].state == "SUBMITTED"


async def test_what_is_deleted_is_not_found_and_its_id_never_comes_back(ask, github):
    comment = github.mutate.add_comment(3, "short-lived")
    github.mutate.delete_comment(comment)
    again = github.mutate.add_comment(3, "next")
    assert again.database_id != comment.database_id
    rows = (await ask(github, "changes", repository=await _repository(ask, github), first=9)).data
    ids = {row["number"]: row["id"] for row in rows["node"]["pullRequests"]["nodes"]}
    github.mutate.delete_pull(9)
    answer = await ask(github, "rows", ids=[ids[9], ids[3]])
    assert answer.errors[0]["type"] == "NOT_FOUND"
    assert [node and node["number"] for node in answer.json["data"]["nodes"]] == [None, 3]
    assert github.mutate.open_pull().number == 4


async def _repository(ask, github):
    opening = await ask(github, "opening", owner="example-org", name="small")
    return opening.data["repository"]["id"]


def test_deleting_the_last_comment_of_a_thread_deletes_the_thread(github):
    thread = pull(github).review_threads[1]
    github.mutate.delete_comment(thread.comments[0])
    assert thread not in pull(github).review_threads


def test_deleting_a_comment_leaves_no_reference_to_it(github):
    thread = pull(github).review_threads[0]
    reply = github.mutate.reply(thread, "still here")
    github.mutate.delete_comment(thread.comments[0])
    assert reply.reply_to is None
    said = [c for t in expected(github.world)[1].review_threads for c in t.comments]
    assert [c.body for c in said] == ["still here"]


def test_states_and_stamps_of_resolution_follow_each_other(github):
    changed = pull(github)
    github.mutate.reopen(1)
    assert (changed.state, changed.closed_at) == ("OPEN", None)
    github.clock.advance(5)
    github.mutate.close(1)
    assert (changed.state, changed.closed_at) == ("CLOSED", github.clock.stamp())
    github.mutate.merge(1)
    assert (changed.state, changed.merged_at) == ("MERGED", github.clock.stamp())


async def test_releases_come_go_and_move(ask, github):
    async def listed():
        opening = await ask(github, "opening", owner="example-org", name="small")
        nodes = opening.data["repository"]["releases"]["nodes"]
        return {node["tagName"]: (node["publishedAt"], node["isDraft"]) for node in nodes}

    github.mutate.add_release("v3", prerelease=True)
    github.mutate.publish_release("v2")
    github.mutate.redate_release("v1", "2023-01-01T00:00:00Z")
    now = github.clock.stamp()
    assert await listed() == {
        "v1": ("2023-01-01T00:00:00Z", False),
        "v2": (now, False),
        "v3": (now, False),
    }
    github.mutate.delete_release("v1")
    assert "v1" not in await listed()
    with pytest.raises(KeyError):
        github.mutate.delete_release("v1")


async def test_a_repository_made_anew_has_another_id_and_the_old_one_is_gone(ask, github):
    before = await _repository(ask, github)
    github.mutate.recreate()
    after = await _repository(ask, github)
    assert after != before
    assert (await ask(github, "changes", repository=before, first=1)).errors[0][
        "type"
    ] == "NOT_FOUND"
    found = await ask(github, "changes", repository=after, first=1)
    assert found.data["node"]["pullRequests"]["totalCount"] == 3
