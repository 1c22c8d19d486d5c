"""Whatever a citation can carry leads to the entry it names, and a wrong one leads nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncer.corpus import CorpusError
from syncer.history import Corpus, History, NodeKind, nodes_of
from syncer.testing.feed import release
from tests.history.corpora import START, Writer, merged

SITE = "https://github.example/octo/demo"


@pytest.fixture
async def corpus(tmp_path: Path) -> Corpus:
    """Two pull requests in the archive, one in the active tier."""
    return await Writer(tmp_path, release("v1", START)).write(
        merged(7, START - (START - START.replace(year=2024))), merged(8, START), merged(2008, START)
    )


@pytest.mark.parametrize(
    ("what", "number", "kind", "node"),
    [
        ("7", 7, NodeKind.PULL, "PR_7"),
        (f"{SITE}/pull/7", 7, NodeKind.PULL, "PR_7"),
        (f"{SITE}/issues/7", 7, NodeKind.PULL, "PR_7"),
        (f"{SITE}/pull/7/files", 7, NodeKind.PULL, "PR_7"),
        (f"{SITE.replace('octo', 'OCTO')}/pull/7", 7, NodeKind.PULL, "PR_7"),
        (f"{SITE}/pull/7#issuecomment-7", 7, NodeKind.COMMENT, "IC_7"),
        (f"{SITE}/pull/7#pullrequestreview-7", 7, NodeKind.REVIEW, "PRR_7"),
        (f"{SITE}/pull/7#discussion_r7", 7, NodeKind.THREAD_COMMENT, "PRRC_7"),
        (f"{SITE}/pull/7/files#r7", 7, NodeKind.THREAD_COMMENT, "PRRC_7"),
        ("PR_2008", 2008, NodeKind.PULL, "PR_2008"),
        ("IC_2008", 2008, NodeKind.COMMENT, "IC_2008"),
        ("PRR_2008", 2008, NodeKind.REVIEW, "PRR_2008"),
        ("PRRT_2008", 2008, NodeKind.THREAD, "PRRT_2008"),
        ("PRRC_2008", 2008, NodeKind.THREAD_COMMENT, "PRRC_2008"),
    ],
)
async def test_a_number_an_address_or_an_id_leads_to_its_node(
    what: str, number: int, kind: NodeKind, node: str, corpus: Corpus
) -> None:
    found = corpus.find(what)

    assert found is not None
    assert (found.snapshot.conversation.number, found.node.kind, found.node.id) == (
        number,
        kind,
        node,
    )
    assert found.url == f"{SITE}/pull/{number}"


async def test_every_node_of_a_conversation_is_found_by_its_id(corpus: Corpus) -> None:
    whole = corpus.find("8")
    assert whole is not None

    for node in nodes_of(whole.snapshot.conversation):
        for number in (None, 8):
            found = corpus.find(node.id, number=number)
            assert found is not None
            assert found.node == node


@pytest.mark.parametrize(
    "what",
    [
        "9",
        "IC_9",
        "",
        "pr-7.md",
        "9" * 5000,
        f"{SITE}/pull/{'9' * 5000}",
        f"{SITE}/pull/9",
        f"{SITE}/pull/7#issuecomment-8",
        f"{SITE}/pull/7#discussion_r8",
        "https://github.example/octo/other/pull/7",
        "https://elsewhere.example/octo/demo/pull/7",
    ],
)
async def test_what_is_not_there_is_nothing(what: str, corpus: Corpus) -> None:
    assert corpus.find(what) is None


async def test_a_node_is_not_taken_from_another_number(corpus: Corpus) -> None:
    assert corpus.find("IC_7", number=8) is None


async def test_a_text_that_only_mentions_an_id_is_not_the_node(tmp_path: Path) -> None:
    corpus = await Writer(tmp_path).write(
        merged(1, START, body="See IC_5 and PRRT_5."), merged(5, START)
    )

    for node in ("IC_5", "PRRT_5"):
        found = corpus.find(node)
        assert found is not None
        assert found.snapshot.conversation.number == 5


async def test_a_repository_answers_for_its_links_under_both_names(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.known_as(current_name="octo/renamed")
    corpus = await writer.write(merged(1, START))

    for name in ("octo/demo", "octo/renamed"):
        found = corpus.find(f"https://github.example/{name}/pull/1#issuecomment-1")
        assert found is not None
        assert found.node.id == "IC_1"


async def test_damage_in_the_way_is_said_and_not_taken_for_absence(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    await writer.write(merged(1, START), merged(2, START))
    writer.file(1).write_bytes(b"damaged")
    corpus = History(tmp_path, sleep=lambda _: None).corpus(None)

    for what in ("1", "IC_1", f"{SITE}/pull/1"):
        with pytest.raises(CorpusError):
            corpus.find(what)
    assert corpus.find("IC_2") is not None
