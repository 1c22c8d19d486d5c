"""One envelope for every question: coverage first and for itself, synthesis for itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from birdview.degraded import Code
from birdview.envelope import Envelope
from birdview.request import Options, RequestError
from birdview.synthesis import Budget
from syncer.corpus import CENSUS, MANIFEST
from syncer.evidence import Connection, Snapshot
from syncer.history import Corpus, Drift, History, LiveCensus
from syncer.repository import Repository
from syncer.testing.feed import release
from tests.birdview.asking import EXTRACTIVE, HOUR, NOW, ask, binding, codes, shown, tools
from tests.history.corpora import (
    DAY,
    SECOND,
    START,
    WATERMARK,
    Writer,
    closed,
    merged,
    opened,
    tree,
)
from tests.history.test_proof import CUT, legacy, with_coverage
from tests.history.test_source import watched

RECENT = WATERMARK - DAY  # inside the last week before the census
WEEK: dict[str, Any] = {"window_start": "2025-12-25", "window_end": "2026-01-01"}


# -- freshness


async def test_the_default_question_to_an_hour_old_corpus_gets_a_narrative(tmp_path: Path) -> None:
    await Writer(tmp_path).write(merged(1, RECENT), merged(2, RECENT - 7 * DAY))

    found = shown(await ask(tmp_path))

    assert found["window"] == {
        "windowStartIso": "2025-12-25T00:00:00Z",
        "windowEndIso": "2026-01-01T00:00:00Z",
        "preset": "weekly",
        "windowSemantics": {"interval": "half-open", "event": "mergedAt|closedAt"},
    }
    assert found["coverage"]["census"] == {
        "status": "complete",
        "source": "corpus",
        "asOf": "2026-01-01T00:00:00Z",
        "lagS": 3600.0,
        "expected": 2,
        "found": 2,
    }
    assert (found["coverage"]["degraded"], found["coverage"]["totalResolved"]) == (False, 1)
    assert found["synthesis"]["available"]
    assert "#1" in found["synthesis"]["narrative"]


async def test_the_default_question_to_a_week_old_corpus_is_answered_stale_and_by_how_much(
    tmp_path: Path,
) -> None:
    await Writer(tmp_path).write(merged(1, WATERMARK - HOUR))
    now = WATERMARK + 7 * DAY - 2 * HOUR

    envelope = await ask(tmp_path, with_=tools(tmp_path, now=now))

    assert envelope.window.window_end_iso == now
    census = envelope.coverage.census
    assert (census.status, census.lag_s) == ("stale", (7 * DAY - 2 * HOUR).total_seconds())
    (reason,) = envelope.coverage.degraded_reasons
    assert (reason.code, "6 d 22 h" in reason.detail) == ("stale", True)
    assert envelope.coverage.total_resolved is None
    assert (envelope.synthesis.available, envelope.synthesis.reason) == (False, "coverage_degraded")


async def test_a_week_old_corpus_still_proves_what_lies_before_its_census(tmp_path: Path) -> None:
    await Writer(tmp_path).write(merged(1, RECENT))
    later = tools(tmp_path, now=WATERMARK + 7 * DAY)

    envelope = await ask(tmp_path, with_=later, **WEEK)

    assert (envelope.coverage.census.status, codes(envelope)) == ("complete", [])
    assert envelope.synthesis.available


async def test_how_old_a_census_may_be_is_an_option(tmp_path: Path) -> None:
    await Writer(tmp_path).write(merged(1, RECENT))
    later = tools(tmp_path, now=WATERMARK + 7 * DAY)

    envelope = await ask(tmp_path, with_=later, options=Options(max_lag=8 * DAY))

    assert (envelope.window.window_end_iso, codes(envelope)) == (WATERMARK, [])


async def test_bounds_past_the_census_are_stale_by_a_second(tmp_path: Path) -> None:
    await Writer(tmp_path).write(merged(1, RECENT))

    envelope = await ask(
        tmp_path, window_start="2025-12-01", window_end="2026-01-01T00:00:01Z", synthesize=False
    )

    assert codes(envelope) == ["stale"]


# -- what is selected


async def test_more_than_a_thousand_are_listed_counted_and_told_of(tmp_path: Path) -> None:
    pulls = [merged(n, WATERMARK - timedelta(minutes=n)) for n in range(1, 1101)]
    await Writer(tmp_path, release("v1", WATERMARK - timedelta(minutes=500))).write(*pulls)

    envelope = await ask(tmp_path)

    assert envelope.coverage.total_resolved == len(envelope.pulls) == 1100
    assert [p.resolved_at for p in envelope.pulls] == sorted(p.resolved_at for p in envelope.pulls)
    corpus = envelope.coverage.corpus
    assert (corpus.active, corpus.archived) == (500, 600)
    assert envelope.synthesis.coverage.sources == envelope.synthesis.coverage.read == 1100
    assert envelope.coverage.child_evidence.comments.fetched == 1100


async def test_a_pull_request_is_shown_with_its_key_facts(tmp_path: Path) -> None:
    await Writer(tmp_path).write(closed(5, RECENT, title="A title"))

    (pull,) = shown(await ask(tmp_path))["pulls"]

    assert pull.pop("revision")
    assert pull == {
        "number": 5,
        "url": "https://github.example/octo/demo/pull/5",
        "title": "A title",
        "author": {"login": "octocat", "kind": "User", "id": "U_1"},
        "resolution": "closed_unmerged",
        "resolvedAt": "2025-12-31T00:00:00Z",
        "counts": {
            "comments": 1,
            "reviews": 1,
            "reviewThreads": 1,
            "reviewThreadComments": 1,
            "labels": 1,
            "closingIssues": 0,
        },
        "complete": True,
    }


@pytest.mark.parametrize(
    ("resolution", "found"),
    [("merged", [1]), ("closed_unmerged", [2]), ("all_resolved", [2, 1])],
)
async def test_the_filter_is_the_request_s(
    resolution: str, found: list[int], tmp_path: Path
) -> None:
    await Writer(tmp_path).write(merged(1, RECENT), closed(2, RECENT - SECOND), opened(3, RECENT))

    envelope = await ask(tmp_path, resolution=resolution)

    assert ([pull.number for pull in envelope.pulls], envelope.resolution) == (found, resolution)


async def test_a_release_is_asked_for_by_its_tag(tmp_path: Path) -> None:
    cuts = [release("v1", START), release("v2", START + DAY)]
    await Writer(tmp_path, *cuts).write(merged(1, START - SECOND), merged(2, START))

    found = shown(await ask(tmp_path, preset="release", release="v2"))
    first = shown(await ask(tmp_path, preset="release", release="v1"))

    assert [pull["number"] for pull in found["pulls"]] == [2]
    assert (found["window"]["release"], found["window"]["previousRelease"]) == ("v2", "v1")
    assert (first["window"]["windowStartIso"], first["window"]["previousRelease"]) == (None, None)


async def test_an_unknown_release_or_repository_is_refused_by_the_field_s_name(
    tmp_path: Path,
) -> None:
    await Writer(tmp_path).write(merged(1, RECENT))

    for field, request in (
        ("release", {"preset": "release", "release": "v9"}),
        ("origin", {"origin": "octo/other"}),
        ("preset", {"preset": "yearly"}),
    ):
        with pytest.raises(RequestError) as refusal:
            await ask(tmp_path, **request)  # type: ignore[arg-type]
        assert refusal.value.field == field


async def test_lists_are_bounded_by_option_and_every_cut_is_declared(tmp_path: Path) -> None:
    await Writer(tmp_path).write(*(legacy(merged(n, RECENT)) for n in range(1, 11)))

    envelope = await ask(tmp_path, options=Options(max_pulls=3, max_listed=4))

    assert len(envelope.pulls) == 3
    (reason,) = envelope.coverage.degraded_reasons
    assert reason.pulls == (1, 2, 3, 4)
    cuts = [(cut.what, cut.shown, cut.left_out) for cut in envelope.coverage.truncated]
    assert cuts == [
        ("degradedReasons.legacy_unknown.pulls", 4, 6),
        ("childEvidence.incomplete", 4, 56),
        ("pulls", 3, 7),
    ]


# -- what is not proven


Damage = Callable[[Writer], Any]


def _file(writer: Writer) -> None:
    writer.file(1).write_bytes(b"damaged")


def _leaf(writer: Writer) -> None:
    writer.file(1).with_name(MANIFEST).write_bytes(b"damaged")


def _no_census(writer: Writer) -> None:
    (writer.folder / CENSUS).unlink()


@pytest.mark.parametrize(
    ("code", "pull", "census", "damage"),
    [
        (Code.CENSUS_UNKNOWN, merged(1, RECENT), {"watermark": None}, None),
        (Code.CENSUS_UNKNOWN, merged(1, RECENT), {}, _no_census),
        (Code.CENSUS_MISMATCH, merged(1, RECENT), {"total_count": 7}, None),
        (Code.UNREAD, merged(1, RECENT), {"found": 3, "total_count": 3, "unread": (9,)}, None),
        (Code.BEHIND, merged(1, RECENT), {"behind": (1,)}, None),
        (Code.INCOMPLETE, with_coverage(merged(1, RECENT), Connection.REVIEWS, CUT), {}, None),
        (Code.LEGACY_UNKNOWN, legacy(merged(1, RECENT)), {}, None),
        (Code.DIGEST_MISMATCH, merged(1, RECENT), {}, _file),
        (Code.DIGEST_MISMATCH, merged(1, RECENT), {}, _leaf),
    ],
)
async def test_each_reason_withholds_the_narrative_unless_a_partial_one_is_allowed(
    code: Code, pull: Snapshot, census: dict[str, Any], damage: Damage | None, tmp_path: Path
) -> None:
    writer = Writer(tmp_path)
    writer.put(pull, merged(1002, RECENT))
    writer.census(**census)
    await writer.flush()
    if damage is not None:
        damage(writer)

    withheld = await ask(tmp_path, **WEEK)
    partial = await ask(tmp_path, allow_partial=True, **WEEK)

    assert codes(withheld) == codes(partial) == [code]
    assert withheld.coverage == partial.coverage
    assert withheld.synthesis.reason == "coverage_degraded"
    assert partial.synthesis.available
    assert partial.synthesis.partial
    whole = {p.number for p in partial.pulls if p.complete}
    assert 1002 in whole
    assert partial.synthesis.coverage.sources == len(whole)
    assert {citation.number for citation in partial.citations} <= whole


async def test_unknown_totals_are_null_and_never_zero(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    await writer.write(legacy(merged(1, RECENT)))
    _no_census(writer)

    coverage = shown(await ask(tmp_path, **WEEK))["coverage"]

    assert coverage["totalResolved"] is None
    assert coverage["census"] == {
        "status": "unknown",
        "source": "corpus",
        "asOf": None,
        "lagS": None,
        "expected": None,
        "found": None,
    }
    comments = coverage["childEvidence"]["comments"]
    assert (comments["expected"], comments["exhausted"]) == (None, None)
    assert (coverage["corpus"]["legacyUnknown"], coverage["included"]) == (1, 0)


async def test_a_cut_connection_is_named_with_what_is_missing(tmp_path: Path) -> None:
    await Writer(tmp_path).write(
        with_coverage(merged(1, RECENT), Connection.COMMENTS, CUT), merged(2, RECENT)
    )

    children = shown(await ask(tmp_path))["coverage"]["childEvidence"]

    assert children["comments"] == {"expected": 6, "fetched": 2, "exhausted": False}
    assert children["reviews"] == {"expected": 2, "fetched": 2, "exhausted": True}
    assert children["incomplete"] == [
        {"number": 1, "connection": "comments", "reason": "cut: too_heavy"}
    ]


async def test_labels_are_named_and_withhold_nothing(tmp_path: Path) -> None:
    await Writer(tmp_path).write(with_coverage(merged(1, RECENT), Connection.LABELS, CUT))

    envelope = await ask(tmp_path)

    assert (codes(envelope), envelope.synthesis.available) == ([], True)
    assert [one.connection for one in envelope.coverage.child_evidence.incomplete] == ["labels"]


async def test_census_and_children_never_fill_in_for_each_other(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    await writer.write(merged(1, RECENT))
    _no_census(writer)
    without_census = (await ask(tmp_path, **WEEK)).coverage
    other = Writer(tmp_path / "other")
    await other.write(legacy(merged(1, RECENT)))
    without_children = (await ask(tmp_path / "other", **WEEK)).coverage

    assert without_census.child_evidence.comments.exhausted
    assert without_census.census.status == "unknown"
    assert without_children.census.status == "complete"
    assert without_children.total_resolved == 1
    assert without_children.child_evidence.comments.exhausted is None


async def test_the_sums_agree(tmp_path: Path) -> None:
    await Writer(tmp_path).write(
        merged(1, RECENT), legacy(merged(2, RECENT)), merged(3, RECENT), merged(4, WATERMARK)
    )

    coverage = (await ask(tmp_path)).coverage

    assert (coverage.included, coverage.excluded, coverage.total_resolved) == (2, 1, 3)


# -- what fails becomes an envelope


@pytest.mark.parametrize("request_", [{}, {"preset": "release", "release": "v1"}, WEEK])
async def test_a_corpus_that_cannot_be_read_is_an_answer_that_knows_nothing(
    request_: dict[str, Any], tmp_path: Path
) -> None:
    writer = Writer(tmp_path)
    await writer.write(merged(1, RECENT))
    (writer.folder / MANIFEST).write_bytes(b"{}")

    found = shown(await ask(tmp_path, **request_))

    assert [one["code"] for one in found["coverage"]["degradedReasons"]] == ["corpus_unreadable"]
    assert (found["coverage"]["totalResolved"], found["pulls"]) == (None, [])
    assert found["coverage"]["census"]["status"] == "unknown"
    assert found["coverage"]["childEvidence"]["comments"]["expected"] is None
    assert found["synthesis"]["reason"] == "coverage_degraded"
    assert found["provenance"]["corpusDigest"] is None
    assert found["sourceManifestHash"].startswith("sha256:")
    if request_.get("preset") == "release":
        assert found["window"]["windowEndIso"] is None


class Broken(Corpus):
    """A corpus that fails as nobody expected."""

    def select(self, *_: object, **__: object) -> Any:
        raise ZeroDivisionError("the words of a stranger")


class BrokenSource(History):
    def corpus(self, origin: str | None) -> Corpus:
        return Broken(self._root, "octo/demo", sleep=lambda _: None)


async def test_what_nobody_expected_is_named_without_its_words(tmp_path: Path) -> None:
    envelope = await ask(tmp_path, with_=tools(tmp_path, source=BrokenSource(tmp_path)))

    (reason,) = envelope.coverage.degraded_reasons
    assert (reason.code, reason.detail) == (
        "unexpected",
        "failed with ZeroDivisionError",
    )


async def test_a_file_that_moves_between_selection_and_reading_is_still_read(
    tmp_path: Path,
) -> None:
    writer = Writer(tmp_path)
    await writer.write(merged(1, RECENT))
    moved = asyncio.Event()

    class Moving(History):
        def corpus(self, origin: str | None) -> Corpus:
            found = super().corpus(origin)
            read = found._snapshot

            def after_a_move(one: Any) -> Snapshot:
                if not moved.is_set():
                    moved.set()
                    writer.released(release("v1", WATERMARK - SECOND))
                    asyncio.run(writer.flush())
                return read(one)

            found._snapshot = after_a_move  # type: ignore[method-assign]
            return found

    source = Moving(tmp_path, sleep=lambda _: None)
    envelope = await ask(tmp_path, with_=tools(tmp_path, source=source))

    assert moved.is_set()
    assert (envelope.synthesis.available, codes(envelope)) == (True, [])


async def test_a_corpus_that_is_written_anew_each_time_is_said_to_change(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    await writer.write(merged(1, RECENT))
    titles = iter(range(100))

    class Rewriting(History):
        def corpus(self, origin: str | None) -> Corpus:
            found = super().corpus(origin)
            read = found._snapshot

            def after_a_write(one: Any) -> Snapshot:
                writer.put(merged(1, RECENT, title=f"Title {next(titles)}"))
                asyncio.run(writer.flush())
                return read(one)

            found._snapshot = after_a_write  # type: ignore[method-assign]
            return found

    source = Rewriting(tmp_path, sleep=lambda _: None)
    envelope = await ask(tmp_path, with_=tools(tmp_path, source=source))

    assert codes(envelope) == ["corpus_changing"]
    assert next(titles) == 3


# -- live


class Fake:
    """A live client with a census, and conversations, of the test's making."""

    def __init__(self, census: LiveCensus | Exception, *snapshots: Snapshot) -> None:
        self._census = census
        self._found = {one.conversation.id: one for one in snapshots}

    async def census(self, repository: Repository, watermark: object) -> LiveCensus:
        if isinstance(self._census, Exception):
            raise self._census
        return self._census

    async def read(self, repository: Repository, drifted: tuple[Drift, ...]) -> dict[str, Snapshot]:
        return {one.id: self._found[one.id] for one in drifted if one.id in self._found}


async def test_a_live_question_ends_where_the_live_census_does(tmp_path: Path) -> None:
    await Writer(tmp_path).write(merged(1, RECENT))
    now = WATERMARK + 30 * DAY
    live = Fake(LiveCensus(as_of=now - SECOND, total_count=1, rows=()))

    envelope = await ask(tmp_path, live=True, with_=tools(tmp_path, now=now, live=live))

    census = envelope.coverage.census
    assert (census.status, census.source, census.as_of) == ("complete", "live", now - SECOND)
    assert (envelope.window.window_end_iso, codes(envelope)) == (now - SECOND, [])


@pytest.mark.parametrize(
    "live",
    [
        None,
        Fake(LiveCensus(as_of=None, total_count=None, rows=(), complaint="moving")),
        Fake(ValueError("the words of a stranger")),
    ],
    ids=["no client", "nothing proven", "it fails"],
)
async def test_a_live_question_that_cannot_be_asked_falls_back_and_says_so(
    live: Any, tmp_path: Path
) -> None:
    await Writer(tmp_path).write(merged(1, RECENT))

    envelope = await ask(tmp_path, live=True, with_=tools(tmp_path, live=live))

    assert codes(envelope) == ["live_failed"]
    assert "stranger" not in str(envelope.coverage.degraded_reasons)
    assert [pull.number for pull in envelope.pulls] == [1]
    assert (envelope.coverage.census.source, envelope.coverage.census.found) == ("corpus", 1)


# -- synthesis


@pytest.mark.parametrize(
    ("request_", "model", "reason"),
    [
        ({"synthesize": False}, EXTRACTIVE, "not_requested"),
        ({"synthesize": False}, None, "not_requested"),
        ({}, None, "no_model"),
        ({"synthesize": True}, None, "no_model"),
        ({"preset": "daily", "resolution": "closed_unmerged"}, EXTRACTIVE, "empty_window"),
        ({}, binding(RuntimeError("no")), "inference_failed"),
        ({}, binding(["not JSON at all"]), "inference_failed"),
        ({}, binding(["x" * 10_000_000]), "inference_failed"),
    ],
)
async def test_why_there_is_no_narrative_is_said_and_coverage_stays_what_it_was(
    request_: dict[str, Any], model: Any, reason: str, tmp_path: Path
) -> None:
    await Writer(tmp_path).write(merged(1, RECENT))

    envelope = await ask(tmp_path, with_=tools(tmp_path, model=model), **request_)
    plain = await ask(tmp_path, **{**request_, "synthesize": None})

    assert (envelope.synthesis.available, envelope.synthesis.reason) == (False, reason)
    assert envelope.synthesis.narrative is None
    assert replace(envelope.coverage, truncated=()) == replace(plain.coverage, truncated=())
    assert (envelope.source_manifest_hash, envelope.pulls) == (
        plain.source_manifest_hash,
        plain.pulls,
    )


async def test_running_out_of_budget_is_named(tmp_path: Path) -> None:
    await Writer(tmp_path).write(merged(1, RECENT))

    envelope = await ask(
        tmp_path, with_=tools(tmp_path, model=binding(["{}"]), budget=Budget(calls=0))
    )

    assert envelope.synthesis.reason == "budget_exhausted"
    assert codes(envelope) == []


async def test_every_citation_leads_to_its_node(tmp_path: Path) -> None:
    await Writer(tmp_path).write(*(merged(n, RECENT) for n in range(1, 6)))

    envelope = await ask(tmp_path)

    corpus = History(tmp_path).corpus(None)
    assert envelope.citations
    for citation in shown(envelope)["citations"]:
        arguments = citation["drillDown"]["arguments"]
        node = arguments.get("node", str(arguments["number"]))
        found = corpus.find(node, number=arguments["number"] if "node" in arguments else None)
        assert found is not None
        assert found.snapshot.conversation.number == citation["number"] == arguments["number"]
        assert citation.get("node", {}).get("id", found.node.id) == found.node.id
        by_address = corpus.find(citation["url"])
        assert by_address is not None
        assert by_address.node == found.node


async def test_who_made_the_answer_is_told(tmp_path: Path) -> None:
    corpus = await Writer(tmp_path).write(merged(1, RECENT))

    extractive = await ask(tmp_path)
    model = await ask(tmp_path, with_=tools(tmp_path, model=binding(["no"])))
    silent = await ask(tmp_path, synthesize=False)

    assert EXTRACTIVE is not None
    assert shown(extractive)["provenance"] == {
        "generator": EXTRACTIVE.generator,
        "corpusDigest": corpus.overview().digest,
    }
    assert shown(model)["provenance"]["model"] == "made-up"
    assert shown(silent)["provenance"]["generator"].startswith("birdview/")
    assert (extractive.generated_at, extractive.not_authority) == (NOW, True)


# -- the law


async def test_asking_leaves_no_trace_and_goes_nowhere(tmp_path: Path) -> None:
    await Writer(tmp_path, release("v1", START)).write(merged(1, RECENT), merged(2, START))
    questions: list[dict[str, Any]] = [
        {},
        {"live": True},
        WEEK,
        {"preset": "release", "release": "v1"},
        {"allow_partial": True, "preset": "quarterly"},
    ]

    async def everything() -> list[Envelope]:
        return [await ask(tmp_path, **question) for question in questions]

    first = await everything()  # modules are loaded, and compiled, but once
    before = tree(tmp_path)
    with watched() as seen:
        second = await everything()

    assert seen == []
    assert tree(tmp_path) == before
    assert first == second
