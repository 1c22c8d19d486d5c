from __future__ import annotations

from datetime import UTC, datetime, timedelta

from syncer.testing.github import Simulator, Viewer
from syncer.testing.github.clock import stamp
from syncer.testing.github.limits import Budget, Minute

NOW = datetime(2024, 1, 1, tzinfo=UTC)


def test_a_budget_starts_anew_an_hour_after_its_first_request():
    budget = Budget(10).at(NOW)
    budget.charge(7)
    assert budget.at(NOW + timedelta(minutes=59)).remaining == 3
    assert budget.at(NOW + timedelta(minutes=60)).remaining == 10
    assert budget.resets_at == NOW + timedelta(hours=2)


def test_any_minute_holds_no_more_than_its_limit():
    minute = Minute(10)
    minute.charge(6, NOW)
    minute.charge(4, NOW + timedelta(seconds=30))
    assert not minute.allows(1, NOW + timedelta(seconds=59))
    assert minute.allows(6, NOW + timedelta(seconds=60))
    assert not minute.allows(7, NOW + timedelta(seconds=60))
    assert minute.peak == 10


async def test_the_hourly_budget_is_really_enforced(ask, small):
    github = Simulator(small, tokens={"t": Viewer(limit=3)})
    answers = [await ask(github, "rows", token="t", ids=[]) for _ in range(5)]
    assert [a.headers["X-RateLimit-Remaining"] for a in answers] == ["2", "1", "0", "0", "0"]
    assert [a.status for a in answers] == [200] * 5
    assert answers[3].errors[0]["type"] == "RATE_LIMITED"
    assert answers[3].json["data"] is None
    assert github.points == 3
    github.clock.advance(3600)
    again = (await ask(github, "rows", token="t", ids=[])).data["rateLimit"]
    assert (again["limit"], again["remaining"], again["used"]) == (3, 2, 1)
    assert again["resetAt"] == stamp(github.clock.now() + timedelta(hours=1))


async def test_points_a_minute_are_really_enforced(ask, small):
    github = Simulator(small, points_per_minute=2, retry_after=None)
    answers = [await ask(github, "rows", ids=[]) for _ in range(3)]
    assert [a.status for a in answers] == [200, 200, 403]
    assert "secondary rate limit" in answers[2].json["message"]
    assert "Retry-After" not in answers[2].headers
    assert answers[2].headers["X-RateLimit-Remaining"] == "4998"
    github.clock.advance(60)
    assert (await ask(github, "rows", ids=[])).status == 200
    assert github.minute.peak == 2


async def test_each_viewer_has_a_budget_of_its_own(ask, small):
    github = Simulator(
        small, tokens={"a": Viewer(login="a"), "b": Viewer(login="b"), "a2": Viewer(login="a")}
    )
    used = [
        (await ask(github, "rows", token=t, ids=[])).data["rateLimit"]["used"]
        for t in ("a", "b", "a2")
    ]
    assert used == [1, 1, 2]


async def test_seconds_of_answering_a_minute_are_really_enforced(ask, small):
    async def sleep(seconds: float) -> None:
        github.clock.advance(seconds)

    github = Simulator(small, latency_s=4.0, seconds_per_minute=10.0, sleep=sleep)
    statuses = [(await ask(github, "rows", ids=[])).status for _ in range(4)]
    assert statuses == [200, 200, 403, 403]
    github.clock.advance(60)
    assert (await ask(github, "rows", ids=[])).status == 200
    assert [entry.seconds for entry in github.log] == [4.0] * 5
