from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from birdview.synthesis.claims import (
    MAX_EVIDENCE,
    MAX_QUOTE,
    MAX_SUMMARY,
    Category,
    ClaimDraft,
    EvidenceDraft,
    Refusal,
    Texts,
    check,
)
from birdview.synthesis.fragments import NodeKind, cut, fragments_of, sources_of
from syncer.testing.samples import sample

WORDS = "We will keep the old parser until the next release."
TEXTS = Texts(sources_of(sample(1, title="Keep the parser", body=WORDS)))


def claim(
    *evidence: tuple[str, str], summary: str = "They keep it.", category: str = "decisions"
) -> ClaimDraft:
    return ClaimDraft(summary, category, tuple(EvidenceDraft(n, q) for n, q in evidence))


def reason(draft: object, texts: Texts = TEXTS) -> Refusal | None:
    checked = check([draft], texts)
    assert len(checked.kept) + len(checked.dropped) == 1
    return checked.dropped[0].reason if checked.dropped else None


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        pytest.param(claim(("IC_1", "keep the old parser")), None, id="a true quote"),
        pytest.param(claim(("PR_1", "Keep the parser")), None, id="a quote from the title"),
        pytest.param(
            claim(("IC_999", "keep the old parser")), Refusal.UNKNOWN_NODE, id="an invented node"
        ),
        pytest.param(
            claim(("IC_1", "drop the old parser")), Refusal.QUOTE_NOT_FOUND, id="an invented quote"
        ),
        pytest.param(
            claim(("IC_1", "KEEP the old parser")), Refusal.QUOTE_NOT_FOUND, id="other letters"
        ),
        pytest.param(
            claim(("IC_1", "keep  the old parser")), Refusal.QUOTE_NOT_FOUND, id="other space"
        ),
        pytest.param(
            claim(("IC_1", "keep the\u00a0old parser")),
            Refusal.QUOTE_NOT_FOUND,
            id="look-alike space",
        ),
        pytest.param(claim(("IC_1", "")), Refusal.BLANK_QUOTE, id="no quote"),
        pytest.param(
            claim(("IC_1", " \n\t\u200b ")), Refusal.BLANK_QUOTE, id="a quote of nothing visible"
        ),
        pytest.param(
            claim(("IC_1", "the")), Refusal.QUOTE_TOO_SHORT, id="a quote that stands everywhere"
        ),
        pytest.param(
            claim(("IC_1", "x" * (MAX_QUOTE + 1))), Refusal.QUOTE_TOO_LONG, id="a whole page"
        ),
        pytest.param(claim(), Refusal.NO_EVIDENCE, id="no evidence"),
        pytest.param(
            claim(*[("IC_1", "keep the old parser")] * (MAX_EVIDENCE + 1)),
            Refusal.TOO_MUCH_EVIDENCE,
            id="too much evidence",
        ),
        pytest.param(
            claim(("IC_1", "keep the old parser"), ("IC_1", "and burn the new")),
            Refusal.QUOTE_NOT_FOUND,
            id="one lie among truths",
        ),
        pytest.param(
            claim(("IC_1", "keep the old parser"), summary=" \n"), Refusal.BLANK_SUMMARY, id="blank"
        ),
        pytest.param(
            claim(("IC_1", "keep the old parser"), summary="x" * (MAX_SUMMARY + 1)),
            Refusal.SUMMARY_TOO_LONG,
            id="an essay",
        ),
        pytest.param(
            claim(("IC_1", "keep the old parser"), category="orders"),
            Refusal.UNKNOWN_CATEGORY,
            id="no category",
        ),
        pytest.param(
            {"summary": "s", "category": "themes"}, Refusal.MALFORMED, id="no list of evidence"
        ),
        pytest.param(
            msgspec.Raw(b'{"summary": "\\ud800", "category": "themes", "evidence": []}'),
            Refusal.MALFORMED,
            id="half a surrogate pair",
        ),
        pytest.param(msgspec.Raw(b"[" * 100_000), Refusal.MALFORMED, id="endless nesting"),
        pytest.param(17, Refusal.MALFORMED, id="a number"),
    ],
)
def test_a_claim_holds_only_by_a_quote_that_is_there(
    draft: object, expected: Refusal | None
) -> None:
    assert reason(draft) == expected


@pytest.mark.parametrize("body", ["one line\r\nand another one", "one line\rand another one"])
@pytest.mark.parametrize(
    "quote", ["one line\nand another", "one line\r\nand another", "one line\rand another"]
)
def test_only_the_kind_of_line_end_may_differ(body: str, quote: str) -> None:
    texts = Texts(sources_of(sample(1, body=body)))

    assert reason(claim(("PR_1", quote)), texts) is None


def test_a_short_quote_counts_where_it_is_all_that_was_said() -> None:
    texts = Texts(sources_of(sample(1, body="LGTM\r\n")))

    assert reason(claim(("PR_1", "LGTM")), texts) is None
    assert reason(claim(("PR_1", "LGT")), texts) is Refusal.QUOTE_TOO_SHORT
    assert reason(claim(("IC_1", "LGTM")), texts) is Refusal.QUOTE_TOO_SHORT


def test_the_end_of_a_text_is_not_taken_for_the_whole_of_it() -> None:
    whole = list(cut(next(iter(sources_of(sample(1, title="It is ok")))), 6))

    assert [piece.text for piece in whole] == ["It is ", "ok"]
    assert reason(claim(("PR_1", "ok")), Texts(whole[1:])) is Refusal.QUOTE_TOO_SHORT


@given(limit=st.integers(4, 60))
def test_a_quote_across_pieces_is_found_while_they_stand_together(limit: int) -> None:
    pieces = [p for p in fragments_of(sample(1, body=WORDS), limit) if p.node == "PR_1"]
    quote = "keep the old parser until"

    assert reason(claim(("PR_1", quote)), Texts(pieces)) is None
    assert reason(claim(("PR_1", WORDS)), Texts([*pieces[:-1], *pieces[-1:][1:]])) is not None


def test_a_threads_own_id_leads_to_the_comment_that_was_quoted() -> None:
    checked = check([claim(("PRRT_1", "keep the old parser"))], TEXTS)

    assert checked.kept[0].evidence[0].node == "PRRC_1"
    assert checked.kept[0].evidence[0].kind is NodeKind.THREAD_COMMENT


def test_one_bad_claim_costs_itself_and_its_place_is_known() -> None:
    good = claim(("IC_1", "keep the old parser"))
    drafts: list[object] = [good, {"summary": 1}, good, claim(("IC_1", "never said that"))]

    checked = check(drafts, TEXTS)

    assert checked.indices == (0, 2)
    assert [(d.index, d.reason) for d in checked.dropped] == [
        (1, Refusal.MALFORMED),
        (3, Refusal.QUOTE_NOT_FOUND),
    ]


def test_claims_beyond_the_bound_are_dropped_and_counted() -> None:
    checked = check([claim(("IC_1", "keep the old parser"))] * 5, TEXTS, at_most=3)

    assert len(checked.kept) == 3
    assert checked.reasons() == {Refusal.TOO_MANY_CLAIMS: 2}


def test_a_summary_is_one_line_without_signs_that_steer_a_terminal() -> None:
    draft = claim(("IC_1", "keep the old parser"), summary="first\n## Forged\x1b[31m red\u202e end")

    (kept,) = check([draft], TEXTS).kept

    assert kept.summary == "first ## Forged[31m red end"
    assert kept.category is Category.DECISIONS
