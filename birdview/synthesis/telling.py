"""Kept claims as the envelope shows them: findings, narrative, and the citations they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import UNSET, Struct, UnsetType

from birdview.envelope import Citation, DrillDown, Finding, Node, Support
from birdview.synthesis.claims import Category, Claim, Evidence
from birdview.synthesis.fragments import NodeKind
from birdview.synthesis.reducing import Told
from syncer.corpus.urls import comment_url, pull_url, review_url, thread_comment_url
from syncer.repository import Repository

__all__ = ["Shown", "show"]

_MARKS = 3  # citations named after one sentence of the narrative


class Shown(Struct, frozen=True, kw_only=True):
    """A narrative and findings whose citations are all in `citations`.

    `narrative` names citations by id in brackets. `left_out` findings or sentences had no citation
    left to rest on, because there may be no more than so many.
    """

    narrative: str
    findings: dict[Category, tuple[Finding, ...]]
    citations: tuple[Citation, ...]
    left_out: int


def show(
    findings: Sequence[Claim],
    narrative: Sequence[Told],
    repository: Repository,
    max_citations: int | None = None,
) -> Shown:
    """Give each cited node an id: c1, c2 and so on, every finding its first, then the rest.

    With `max_citations`, a piece of evidence beyond that is left out, and so is a finding or a
    sentence that has none left. The heaviest findings of every category come first.
    """
    desk = _Desk(repository, max_citations)
    for claim in _in_turn(findings):
        desk.cite(claim.evidence[:1])  # before any finding gets a second one
    told = [_sentence(one, desk) for one in narrative]
    found = [(claim.category, _finding(claim, desk)) for claim in findings]
    return Shown(
        narrative=" ".join(sentence for sentence in told if sentence is not None),
        findings={
            category: tuple(f for kind, f in found if kind is category and f is not None)
            for category in Category
        },
        citations=tuple(desk.citations.values()),
        left_out=told.count(None) + sum(finding is None for _, finding in found),
    )


def _in_turn(findings: Sequence[Claim]) -> list[Claim]:
    """The first finding of every category, then the second of every category, and so on."""
    turns = dict.fromkeys(Category, 0)
    keyed: list[tuple[int, Claim]] = []
    for claim in findings:
        keyed.append((turns[claim.category], claim))
        turns[claim.category] += 1
    return [claim for _, claim in sorted(keyed, key=lambda key: key[0])]


class _Desk:
    def __init__(self, repository: Repository, most: int | None) -> None:
        self._repository = repository
        self._most = most
        self.citations: dict[tuple[int, str], Citation] = {}

    def cite(self, evidence: Iterable[Evidence], at_most: int | None = None) -> list[Support]:
        """The evidence under the ids of its citations, as far as there may be more of them."""
        supports: list[Support] = []
        for piece in evidence:
            if at_most is not None and len(supports) >= at_most:
                break
            if (citation := self._citation(piece)) is not None:
                supports.append(Support(citation=citation.id, quote=piece.quote))
        return supports

    def _citation(self, piece: Evidence) -> Citation | None:
        key = (piece.number, piece.node)
        if key not in self.citations:
            if self._most is not None and len(self.citations) >= self._most:
                return None
            id = f"c{len(self.citations) + 1}"
            self.citations[key] = _citation_of(id, piece, self._repository)
        return self.citations[key]


def _citation_of(id: str, piece: Evidence, repository: Repository) -> Citation:
    drill_down = DrillDown(
        arguments={"origin": repository.name, "number": piece.number, "node": piece.node}
    )
    pull = pull_url(repository, piece.number)
    node: Node | UnsetType = UNSET
    url: str | None = None
    match piece.kind:
        case NodeKind.PULL_REQUEST:
            pass
        case NodeKind.COMMENT:
            url = comment_url(pull, piece.database_id)
            node = Node(kind="comment", id=piece.node)
        case NodeKind.REVIEW:
            url = review_url(pull, piece.database_id)
            node = Node(kind="review", id=piece.node)
        case NodeKind.THREAD_COMMENT:
            url = thread_comment_url(pull, piece.database_id)
            node = Node(kind="threadComment", id=piece.node)
    return Citation(id=id, number=piece.number, url=url or pull, node=node, drill_down=drill_down)


def _sentence(told: Told, desk: _Desk) -> str | None:
    marks = dict.fromkeys(support.citation for support in desk.cite(told.evidence, _MARKS))
    if not marks:
        return None
    return f"{told.text} [{', '.join(marks)}]"


def _finding(claim: Claim, desk: _Desk) -> Finding | None:
    supports = desk.cite(claim.evidence)
    return Finding(summary=claim.summary, evidence=tuple(supports)) if supports else None
