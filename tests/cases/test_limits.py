"""Answers that fail, refuse, limit, or hold half of what was asked for: nothing is lost or made up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from queries import NAMES
from syncer.errors import ConfigError, ContractError, RefusedError, StopError
from syncer.evidence import Connection, Status
from syncer.github.access import graphql_address
from syncer.github.governor import Governor
from syncer.github.lacks import is_optional
from syncer.github.token import Credentials, Token
from syncer.settings import Settings
from syncer.testing.github import faults
from syncer.testing.github.dataset import Dataset
from syncer.testing.github.expected import expected
from syncer.testing.github.faults import Fault, Older, Respond
from syncer.testing.github.requests import asks, every, first_over, touches
from syncer.testing.github.simulator import DEFAULT_TOKEN, Simulator
from syncer.testing.github.viewers import Access, Viewer
from tests.cases.scene import HOUR_S, comment, fields_of, named, pull, read, repository, talk
from tests.engine.harness import UNHURRIED, Hurry, run, tree

COMMENTS = "PullRequest.comments"


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return repository(
        talk(1, 3), pull(2, comments=tuple(comment(str(n)) for n in range(130))), talk(3, 3)
    )


def _batch(asked: object) -> bool:
    return getattr(asked, "operation", "") == "Batch"


# -- errors beside data


async def test_a_field_that_may_not_be_read_marks_its_own_pull_request_alone(
    dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        simulator.fail(faults.forbidden("PullRequest.author", 2), times=None)
        summary = await run(simulator, tmp_path, hurry=hurry)

    (problem,) = summary.problems
    told = expected(dataset)
    assert summary.exit == 3
    assert (problem.number, problem.connection) == (2, "pullRequest")
    assert (problem.status, problem.reason) == ("short", "unreadable: author")
    assert {n: read(tmp_path, n).conversation for n in (1, 3)} == {n: told[n] for n in (1, 3)}
    assert read(tmp_path, 2).conversation.comments == told[2].comments
    assert read(tmp_path, 2).connections[Connection.COMMENTS].status is Status.EXHAUSTED


@pytest.mark.parametrize("type_", ["FORBIDDEN", None, "SOMETHING_NEW"])
@pytest.mark.parametrize("located", [True, False], ids=["with its path", "without one"])
async def test_an_error_is_understood_whatever_it_leaves_out(
    type_: str | None, located: bool, dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        fault = faults.field_error(
            "PullRequest", "comments", type=type_, message="No.", located=located, number=2
        )
        rule = simulator.fail(fault, asks(COMMENTS), times=None)
        summary = await run(simulator, tmp_path, hurry=hurry)
        simulator.rules.clear()
        again = await run(simulator, tmp_path, hurry=hurry, requested=[1, 2, 3])

    # What has no path spoils the whole answer, and a refusal of the whole stops the run.
    refused = type_ == "FORBIDDEN" and not located
    assert rule.hits
    assert summary.exit == (4 if refused else 3)
    assert refused or 2 in {problem.number for problem in summary.problems}
    assert again.exit == 0
    assert {n: read(tmp_path, n).conversation for n in (1, 2, 3)} == expected(dataset)


@pytest.mark.parametrize(
    "field",
    [
        "PullRequest.title", "PullRequest.state", "PullRequest.labels", "PullRequest.mergedAt",
        "PullRequest.headRepository", "PullRequest.baseRefName", "IssueComment.body",
        "IssueComment.author", "PullRequestReview.state", "PullRequestReviewThread.isResolved",
        "PullRequestReviewThread.resolvedBy", "PullRequestReviewComment.diffHunk",
        "PullRequestReviewComment.pullRequestReview",
    ],
)  # fmt: skip
async def test_whatever_field_is_forbidden_is_named_and_read_when_it_no_longer_is(
    field: str, tmp_path: Path
) -> None:
    dataset = repository(talk(1, 2), talk(2, 2))
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        rule = simulator.fail(faults.forbidden(field, 1), times=None)
        summary = await run(simulator, tmp_path, hurry=hurry)
        other = read(tmp_path, 2).conversation
        simulator.rules.clear()
        simulator.clock.advance(30 * 24 * HOUR_S)
        await run(simulator, tmp_path, hurry=hurry)
        again = await run(simulator, tmp_path, hurry=hurry, requested=[1])

    told = expected(dataset)
    assert rule.hits
    assert (summary.exit, summary.complete) == (3, False)
    assert {problem.number for problem in summary.problems} <= {1, None}
    assert other == told[2]
    assert again.exit == 0
    assert read(tmp_path, 1).conversation == told[1]


async def test_an_answer_that_nests_without_end_is_a_fault_that_may_pass(
    dataset: Dataset, tmp_path: Path
) -> None:
    deep = Respond(body=b'{"more":' + b"[" * 100_000)
    async with Simulator(dataset) as simulator:
        rule = simulator.fail(deep, _batch, times=2)
        summary = await run(simulator, tmp_path, hurry=Hurry(simulator))

    assert (rule.hits, summary.exit) == (2, 0)


# -- limits


@pytest.mark.parametrize(
    ("fault", "least_s"),
    [
        (lambda: faults.primary_limit(reset_in_s=50), 50),
        (lambda: faults.primary_limit("RATE_LIMIT", 50, 40), 50),
        (lambda: faults.secondary_limit(retry_after="60"), 60),
        (lambda: faults.secondary_limit(429, "75"), 75),
        (lambda: faults.secondary_limit(retry_after=None), 60),
        (lambda: faults.secondary_limit(200, None), 60),
        (lambda: faults.primary_limit(reset_in_s=-3), 1),
        (lambda: faults.primary_limit(reset_in_s=0), 1),
    ],
    ids=[
        "primary", "primary with points left", "told 60", "told 75 by 429", "untold", "untold by 200",
        "reset is past", "reset is now",
    ],
)  # fmt: skip
@pytest.mark.parametrize("wait", [True, False], ids=["told to wait", "not told"])
async def test_a_limit_is_waited_for_once_and_the_same_page_asked_again(
    fault: Callable[[], Fault], least_s: float, wait: bool, dataset: Dataset, tmp_path: Path
) -> None:
    pauses: list[float] = []
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        governor = Governor(
            UNHURRIED, wait=wait, clock=hurry.monotonic, sleep=hurry.sleep,
            dice=lambda: 0.5, on_pause=lambda seconds, _: pauses.append(seconds),
        )  # fmt: skip
        simulator.fail(fault(), every(_batch, lambda asked: asked.cursors > 0), times=1)
        summary = await run(simulator, tmp_path, governor=governor)

    assert summary.exit == 0
    assert len(pauses) == 1
    assert least_s <= pauses[0] <= least_s + 60
    assert sum(hurry.slept) >= least_s
    assert min(hurry.slept) >= 0
    assert {n: read(tmp_path, n).conversation for n in (1, 2, 3)} == expected(dataset)


@pytest.mark.parametrize("ahead", [timedelta(hours=2), timedelta(hours=-2)], ids=["fast", "slow"])
async def test_nothing_rests_on_the_clock_of_this_machine(
    ahead: timedelta, dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        simulator.clock.set(simulator.clock.now() + timedelta(days=3650) + ahead)
        hurry = Hurry(simulator)
        simulator.fail(faults.primary_limit(reset_in_s=50), _batch, times=1)
        first = await run(simulator, tmp_path / "kept", hurry=hurry)
        simulator.clock.advance(HOUR_S)
        simulator.mutate.add_comment(1, "later")
        second = await run(simulator, tmp_path / "kept", hurry=hurry)
        await run(simulator, tmp_path / "fresh", hurry=hurry)

    assert (first.exit, second.exit, second.conversations.read) == (0, 0, 1)
    assert 50 <= sum(hurry.slept) <= 120
    assert tree(tmp_path / "kept") == tree(tmp_path / "fresh")


async def test_a_retry_after_that_is_a_date_counts_by_the_servers_clock(
    dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        until = format_datetime(simulator.clock.now() + timedelta(seconds=80), usegmt=True)
        simulator.fail(faults.secondary_limit(retry_after=until), _batch, times=1)
        summary = await run(simulator, tmp_path, hurry=hurry)

    assert summary.exit == 0
    assert 79 <= sum(hurry.slept) <= 120


# -- too much at once


async def test_a_server_that_bears_small_pages_only_is_read_whole_on_the_same_cursors(
    dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        failing = every(_batch, first_over(12))
        simulator.fail(faults.something_went_wrong(None), failing, times=None)
        summary = await run(simulator, tmp_path, hurry=Hurry(simulator))

    assert summary.exit == 0
    assert {n: read(tmp_path, n).conversation for n in (1, 2, 3)} == expected(dataset)


@pytest.mark.parametrize(
    "fault",
    [
        faults.something_went_wrong(None),
        faults.gateway_timeout(),
        faults.gateway_page(),
        faults.resource_limits(COMMENTS, 2),
    ],
    ids=["went wrong", "504", "502", "resource limits with a null parent"],
)
async def test_one_that_is_too_heavy_at_any_size_is_cut_by_name_and_the_rest_goes_on(
    fault: Fault, dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        hurry = Hurry(simulator)
        simulator.fail(fault, every(_batch, asks(COMMENTS), touches(2)), times=None)
        summary = await run(simulator, tmp_path, hurry=hurry)
        simulator.rules.clear()
        again = await run(simulator, tmp_path, hurry=hurry, requested=[2])

    told = expected(dataset)
    problem = named(summary, 2)["comments"]
    assert summary.exit == 3
    assert {p.number for p in summary.problems} == {2}
    assert (problem.status, problem.reason) == ("cut", "too_heavy")
    assert again.exit == 0
    assert {n: read(tmp_path, n).conversation for n in (1, 2, 3)} == told


# -- refusals

REFUSALS: dict[str, tuple[Callable[[Simulator], object], str]] = {
    "single sign-on by 403": (
        lambda s: s.fail(faults.single_sign_on(403), times=None),
        "single sign-on",
    ),
    "single sign-on by 200": (
        lambda s: s.fail(faults.single_sign_on(200), times=None),
        "single sign-on",
    ),
    "hidden": (
        lambda s: s.tokens.update({DEFAULT_TOKEN: Viewer(access=Access.HIDDEN)}),
        "spelling",
    ),
    "no permission": (
        lambda s: s.tokens.update({DEFAULT_TOKEN: Viewer(access=Access.FORBIDDEN)}),
        "read access",
    ),
    "bad credentials": (lambda s: s.tokens.clear(), "GITHUB_TOKEN"),
    "no such address": (
        lambda s: s.fail(faults.not_found_page(), times=None),
        "GITHUB_GRAPHQL_URL",
    ),
}


@pytest.mark.parametrize(("refuse", "words"), REFUSALS.values(), ids=REFUSALS)
async def test_a_refusal_says_what_helps_is_asked_once_and_leaves_the_corpus_alone(
    refuse: Callable[[Simulator], object], words: str, dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        await run(simulator, tmp_path)
        before, asked = _files(tmp_path), simulator.requests
        simulator.clock.advance(HOUR_S)
        simulator.mutate.add_comment(1, "unseen")
        refuse(simulator)
        with pytest.raises(RefusedError, match=words) as refusal:
            await run(simulator, tmp_path, hurry=Hurry(simulator))

    assert refusal.value.exit_status == 4
    assert simulator.requests == asked + 1
    assert _files(tmp_path) == before


async def test_a_token_that_ends_amid_many_requests_is_renewed_once_for_all_of_them(
    tmp_path: Path,
) -> None:
    dataset = repository(*(talk(n, 3) for n in range(1, 13)))
    source = _Source("fresh")
    async with Simulator(dataset, tokens={DEFAULT_TOKEN: Viewer(), "fresh": Viewer()}) as simulator:

        def over(asked: object) -> bool:
            return getattr(asked, "k", 0) >= 12 and getattr(asked, "token", "") == DEFAULT_TOKEN

        simulator.fail(faults.bad_credentials(), over, times=None)
        small = Settings(ids=1, concurrency=8)
        summary = await run(
            simulator, tmp_path, settings=small, hurry=Hurry(simulator),
            credentials=Credentials(Token(DEFAULT_TOKEN), source),
        )  # fmt: skip

    refused = sum(entry.status == 401 for entry in simulator.log)
    assert summary.exit == 0
    assert source.asked == 1
    assert 1 <= refused <= 8
    assert {n: read(tmp_path, n).conversation for n in range(1, 13)} == expected(dataset)


# -- older servers

READING = [name for name in NAMES if not name.startswith("stamped")]  # the others are an audit's
OPTIONAL = sorted({lack for name in READING for lack in fields_of(name) if is_optional(*lack)})


@pytest.mark.parametrize("lack", OPTIONAL, ids=".".join)
async def test_an_optional_field_that_the_server_lacks_is_left_out_and_the_rest_is_read(
    lack: tuple[str, str], tmp_path: Path
) -> None:
    dataset = repository(talk(1, 3))
    async with Simulator(dataset) as simulator:
        rule = simulator.fail(Older(*lack), times=None)
        summary = await run(simulator, tmp_path, hurry=Hurry(simulator))

    bodies = [one.body for one in read(tmp_path, 1).conversation.comments]
    lacking = "closingIssuesReferences" in lack
    assert bodies == [one.body for one in expected(dataset)[1].comments]
    assert summary.exit == (3 if lacking else 0)
    assert [p.reason for p in summary.problems] == (["unsupported"] if lacking else [])
    assert rule.hits == 1


@pytest.mark.parametrize(
    "lack",
    [("PullRequest", "updatedAt"), ("PullRequest", "reviewThreads"), ("IssueComment", "body")],
    ids=".".join,
)
async def test_a_needed_field_that_the_server_lacks_stops_the_run_with_its_name(
    lack: tuple[str, str], dataset: Dataset, tmp_path: Path
) -> None:
    async with Simulator(dataset) as simulator:
        simulator.fail(Older(*lack), times=None)
        with pytest.raises(StopError, match=f"{lack[0]}.{lack[1]}") as stopped:
            await run(simulator, tmp_path, hurry=Hurry(simulator))

    assert isinstance(stopped.value, ContractError)


# -- addresses


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("https://GHE.Example/api/v3", "https://ghe.example/api/graphql"),
        ("https://ghe.example/api/v3//", "https://ghe.example/api/graphql"),
        ("https://ghe.example:443/api/v3", "https://ghe.example/api/graphql"),
        ("https://ghe.example:8443", "https://ghe.example:8443/api/graphql"),
        ("https://ghe.example:8443/", "https://ghe.example:8443/api/graphql"),
        ("https://10.0.0.7/api/v3", "https://10.0.0.7/api/graphql"),
        ("https://[2001:db8::7]:8443/api/v3/", "https://[2001:db8::7]:8443/api/graphql"),
        ("https://API.GitHub.com/", "https://api.github.com/graphql"),
        ("https://api.octo.ghe.com/", "https://api.octo.ghe.com/graphql"),
        ("http://localhost:3000/api/v3", "http://localhost:3000/api/graphql"),
        ("http://[::1]:3000/api/v3/", "http://[::1]:3000/api/graphql"),
        ("https://proxy.example/a/b/api/v3/", "https://proxy.example/a/b/api/graphql"),
    ],
)
def test_every_form_of_a_rest_address_leads_to_its_graphql_address(base: str, address: str) -> None:
    assert graphql_address(base, "GITHUB_API_URL") == address


@pytest.mark.parametrize(
    "base",
    [
        "https://ghe.example/api/v3/graphql",
        "https://ghe.example/api/graphql",
        "https://ghe.example/api/v3/repos",
        "https://ghe.example/api/v33",
        "https://ghe.example/v3",
        "https://api.github.com/graphql",
        "https://www.github.com",
        "https://github.com/api/v3",
        "http://10.0.0.7/api/v3",
        "https://ghe.example:port/api/v3",
        "https:///api/v3",
        "https:ghe.example",
        "ghe.example:8443/api/v3",
        "//ghe.example/api/v3",
        " https://ghe.example /api/v3",
        "https://ghe example/api/v3",
        "https://ghe.example/api/v3/%2e%2e",
        "https://ghe.example/api/v3/..;/x",
        "",
    ],
)
def test_an_address_that_leaves_a_doubt_is_refused_before_anything_is_sent(base: str) -> None:
    with pytest.raises(ConfigError, match="GITHUB_API_URL"):
        graphql_address(base, "GITHUB_API_URL")


# -- inside


class _Source:
    """A new token, for whoever asks first."""

    def __init__(self, token: str) -> None:
        self._token = token
        self.asked = 0

    async def renew(self) -> Token | None:
        self.asked += 1
        await asyncio.sleep(0)
        return Token(self._token)


def _files(root: Path) -> dict[Path, bytes]:
    """Every file of the corpus, the census included."""
    found = (path for path in root.rglob("*") if path.is_file() and ".syncer" not in path.parts)
    return {path: path.read_bytes() for path in found}
