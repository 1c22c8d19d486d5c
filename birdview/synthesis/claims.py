"""The checker of claims: a claim is kept only if what it rests on is really there, word for word.

One checker serves our own synthesis, where the texts are those of one batch, and the claims that a
client hands in, where they are those of a whole window. It knows nothing of who made a claim.

The rules, all of which must hold:

* the category is one of `Category`; the summary is not blank and not longer than `MAX_SUMMARY`
* there is evidence, and each piece of it holds: its node is among the texts, and its quote occurs
  in one text of that node (a review thread's id stands for its comments). Line ends are made LF on
  both sides before comparing; nothing else is changed
* a quote has at least `MIN_QUOTE` bytes of visible characters, unless it is the whole text: "ok"
  occurs everywhere and proves nothing, but may be all that somebody said
* nothing is longer than its bound
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

import msgspec
from msgspec import Struct

from birdview.synthesis.fragments import Fragment, NodeKind, size_of

__all__ = [
    "MAX_EVIDENCE",
    "MAX_QUOTE",
    "MAX_SUMMARY",
    "MIN_QUOTE",
    "Category",
    "Checked",
    "Claim",
    "ClaimDraft",
    "Dropped",
    "Evidence",
    "EvidenceDraft",
    "Refusal",
    "Texts",
    "check",
    "one_line",
    "visible_bytes",
]

MAX_SUMMARY = 600  # characters
MAX_QUOTE = 1000  # characters
MIN_QUOTE = 12  # bytes of UTF-8: twelve letters of English, four signs of Chinese
MAX_EVIDENCE = 20  # pieces for one claim


class Category(StrEnum):
    """What a claim is about; the keys of the synthesis."""

    THEMES = "themes"
    DECISIONS = "decisions"
    FRICTION = "friction"
    OUTCOMES = "outcomes"
    NOTABLE_EVENTS = "notableEvents"


class Refusal(StrEnum):
    """Why a claim was dropped."""

    MALFORMED = "malformed"
    UNKNOWN_CATEGORY = "unknown_category"
    BLANK_SUMMARY = "blank_summary"
    SUMMARY_TOO_LONG = "summary_too_long"
    NO_EVIDENCE = "no_evidence"
    TOO_MUCH_EVIDENCE = "too_much_evidence"
    UNKNOWN_NODE = "unknown_node"
    BLANK_QUOTE = "blank_quote"
    QUOTE_TOO_SHORT = "quote_too_short"
    QUOTE_TOO_LONG = "quote_too_long"
    QUOTE_NOT_FOUND = "quote_not_found"
    TOO_MANY_CLAIMS = "too_many_claims"


class EvidenceDraft(Struct, frozen=True, rename="camel"):
    """What a claim says that it rests on."""

    node: str
    quote: str


class ClaimDraft(Struct, frozen=True, rename="camel"):
    """A claim as somebody made it; nothing about it is known to be true."""

    summary: str
    category: str
    evidence: tuple[EvidenceDraft, ...]


class Evidence(Struct, frozen=True, rename="camel"):
    """A quote that stands, as it is, in `node` of pull request `number`."""

    number: int
    node: str
    database_id: int | None  # None: the server did not say
    kind: NodeKind
    quote: str


class Claim(Struct, frozen=True, rename="camel"):
    """A claim that was checked and holds; its evidence is never empty."""

    summary: str
    category: Category
    evidence: tuple[Evidence, ...]


class Dropped(Struct, frozen=True, rename="camel"):
    """The claim at position `index` of what was handed in, and why it does not count."""

    index: int
    reason: Refusal
    detail: str
    evidence: int | None = None  # which piece of its evidence; None: the claim itself


class Checked(Struct, frozen=True, kw_only=True):
    """What became of a list of claims. `kept` and `indices` run side by side."""

    kept: tuple[Claim, ...]
    indices: tuple[int, ...]
    dropped: tuple[Dropped, ...]

    def reasons(self) -> Counter[Refusal]:
        """How many were dropped for which reason."""
        return Counter(dropped.reason for dropped in self.dropped)


class _Text(Struct, frozen=True):
    """A run of neighbouring fragments of one source, with LF for every line end."""

    number: int
    node: str
    database_id: int | None
    kind: NodeKind
    whole: bool
    text: str


class Texts:
    """The texts that claims may rest on, by the node they stand on."""

    def __init__(self, fragments: Iterable[Fragment]) -> None:
        self._by_node: dict[str, list[_Text]] = {}
        for run in _runs(fragments):
            text = _text_of(run)
            for node in (run[0].node, run[0].thread):
                if node is not None:
                    self._by_node.setdefault(node, []).append(text)

    def find(self, node: str, quote: str) -> Evidence | Refusal:
        """The evidence that `quote` stands in `node`, or why it is none."""
        if node not in self._by_node:
            return Refusal.UNKNOWN_NODE
        wanted = _with_lf(quote)
        visible = visible_bytes(wanted)
        if not visible:
            return Refusal.BLANK_QUOTE
        if len(quote) > MAX_QUOTE:
            return Refusal.QUOTE_TOO_LONG
        for text in self._by_node[node]:
            if wanted in text.text and (visible >= MIN_QUOTE or _is_all_of(wanted, text)):
                return Evidence(text.number, text.node, text.database_id, text.kind, quote)
        return Refusal.QUOTE_TOO_SHORT if visible < MIN_QUOTE else Refusal.QUOTE_NOT_FOUND


def check(drafts: Sequence[object], texts: Texts, *, at_most: int | None = None) -> Checked:
    """Sort `drafts` into those that hold against `texts` and those that do not.

    A draft is a `ClaimDraft`, raw JSON (`msgspec.Raw`), or built-in values of that shape. Each
    stands alone: one that is malformed or false costs itself. Those after the first `at_most` are
    dropped.
    """
    kept: list[tuple[int, Claim]] = []
    dropped: list[Dropped] = []
    for index, draft in enumerate(drafts):
        if at_most is not None and index >= at_most:
            verdict: Claim | Dropped = _drop(index, Refusal.TOO_MANY_CLAIMS)
        else:
            verdict = _judge(index, draft, texts)
        if isinstance(verdict, Claim):
            kept.append((index, verdict))
        else:
            dropped.append(verdict)
    return Checked(
        kept=tuple(claim for _, claim in kept),
        indices=tuple(index for index, _ in kept),
        dropped=tuple(dropped),
    )


def one_line(text: str) -> str:
    """`text` on one line, without control and format characters.

    A summary is a sentence, whatever the one who wrote it was told to put there.
    """
    words = " ".join(text.split())
    return "".join(char for char in words if char.isprintable())


def visible_bytes(text: str) -> int:
    """The bytes of UTF-8 of what can be seen of `text`: no blanks, controls or format signs."""
    seen = "".join(char for char in text if char.isprintable() and not char.isspace())
    return size_of(seen)


def _judge(index: int, draft: object, texts: Texts) -> Claim | Dropped:
    try:
        claim = _draft_of(draft)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return _drop(index, Refusal.MALFORMED)
    if claim.category not in {category.value for category in Category}:
        return _drop(index, Refusal.UNKNOWN_CATEGORY)
    if not (summary := one_line(claim.summary)):
        return _drop(index, Refusal.BLANK_SUMMARY)
    if len(claim.summary) > MAX_SUMMARY:
        return _drop(index, Refusal.SUMMARY_TOO_LONG)
    if not claim.evidence:
        return _drop(index, Refusal.NO_EVIDENCE)
    if len(claim.evidence) > MAX_EVIDENCE:
        return _drop(index, Refusal.TOO_MUCH_EVIDENCE)
    found: list[Evidence] = []
    for position, piece in enumerate(claim.evidence):
        result = texts.find(piece.node, piece.quote)
        if isinstance(result, Refusal):
            return _drop(index, result, position)
        found.append(result)
    return Claim(summary, Category(claim.category), tuple(dict.fromkeys(found)))


def _draft_of(draft: object) -> ClaimDraft:
    if isinstance(draft, ClaimDraft):
        return draft
    if isinstance(draft, msgspec.Raw):
        return msgspec.json.decode(draft, type=ClaimDraft)
    return msgspec.convert(draft, type=ClaimDraft)


_DETAILS: Mapping[Refusal, str] = {
    Refusal.MALFORMED: "a claim is {summary: text, category: text, evidence: [{node, quote}]}",
    Refusal.UNKNOWN_CATEGORY: "category is one of " + ", ".join(Category),
    Refusal.BLANK_SUMMARY: "summary has no visible character",
    Refusal.SUMMARY_TOO_LONG: f"summary has more than {MAX_SUMMARY} characters",
    Refusal.NO_EVIDENCE: "evidence is empty: name a node and quote from it",
    Refusal.TOO_MUCH_EVIDENCE: f"evidence has more than {MAX_EVIDENCE} pieces",
    Refusal.UNKNOWN_NODE: "node is not among the texts that were read",
    Refusal.BLANK_QUOTE: "quote has no visible character",
    Refusal.QUOTE_TOO_SHORT: f"quote has fewer than {MIN_QUOTE} bytes and is not the whole text",
    Refusal.QUOTE_TOO_LONG: f"quote has more than {MAX_QUOTE} characters",
    Refusal.QUOTE_NOT_FOUND: "quote does not occur in that node, word for word",
    Refusal.TOO_MANY_CLAIMS: "there were more claims than are taken at once",
}


def _drop(index: int, reason: Refusal, evidence: int | None = None) -> Dropped:
    return Dropped(index, reason, _DETAILS[reason], evidence)


def _runs(fragments: Iterable[Fragment]) -> Iterable[list[Fragment]]:
    run: list[Fragment] = []
    for fragment in fragments:
        if run and not _follows(run[-1], fragment):
            yield run
            run = []
        run.append(fragment)
    if run:
        yield run


def _follows(before: Fragment, after: Fragment) -> bool:
    same = (before.number, before.node, before.part) == (after.number, after.node, after.part)
    return same and after.offset == before.offset + len(before.text) and after.offset > 0


def _text_of(run: Sequence[Fragment]) -> _Text:
    first = run[0]
    return _Text(
        number=first.number,
        node=first.node,
        database_id=first.database_id,
        kind=first.kind,
        whole=first.offset == 0 and run[-1].last,
        text=_with_lf("".join(fragment.text for fragment in run)),
    )


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_all_of(quote: str, text: _Text) -> bool:
    return text.whole and quote.strip() == text.text.strip()
