"""How picked claims are brought together without a model: counted, ranked, and told in order.

A pull request weighs as much as there is to say about it: the more friction, decisions and notable
events, the earlier its outcome stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from birdview.synthesis.claims import Category, Claim
from birdview.synthesis.prompts import Numbered

__all__ = ["AREA", "CLOSED", "LABEL", "MERGED", "group_claims"]

MERGED = "Merged"
CLOSED = "Closed without merging"
LABEL = "Label"
AREA = "Area"
"""The first words of a picked claim, by which its kind is known here."""

_FORM = 3  # as many pull requests with the very same sentence make it a form
_SHOWN_OF_TOPIC = 8  # pull requests under one subject
_SHOWN = 3  # examples in one sentence

Answer = dict[str, list[dict[str, object]]]


def group_claims(claims: Sequence[Numbered]) -> Answer:
    """Items and narrative, in the form in which a model answers the same question."""
    told = _without_forms(claims)
    weights = Counter(
        _number(one.claim)
        for one in told
        if one.claim.category not in (Category.OUTCOMES, Category.THEMES)
    )
    columns = {
        category: _heaviest([one for one in told if one.claim.category is category], weights)
        for category in Category
    }
    topics = _by_topic(columns[Category.THEMES])
    items = [_topic_item(topic, members) for topic, members in topics]
    for category in (c for c in Category if c is not Category.THEMES):
        items += [_item(category, one.claim.summary, [one]) for one in columns[category]]
    return {"items": items, "narrative": _narrative(columns, topics)}


def _without_forms(claims: Sequence[Numbered]) -> list[Numbered]:
    """`claims` without words that come from a form: the same quote from several pull requests."""
    places: dict[str, set[int]] = {}
    for one in claims:
        for piece in one.claim.evidence:
            places.setdefault(piece.quote, set()).add(piece.number)
    own_words = (Category.FRICTION, Category.DECISIONS, Category.NOTABLE_EVENTS)
    return [
        one
        for one in claims
        if one.claim.category not in own_words or len(places[one.claim.evidence[0].quote]) < _FORM
    ]


def _number(claim: Claim) -> int:
    return claim.evidence[0].number


def _heaviest(claims: Iterable[Numbered], weights: Counter[int]) -> list[Numbered]:
    """By the weight of the pull request; those from one pull request take turns with others."""
    turns: Counter[int] = Counter()
    keyed: list[tuple[int, int, Numbered]] = []
    for one in claims:
        number = _number(one.claim)
        keyed.append((turns[number], -weights[number], one))
        turns[number] += 1
    return [one for _, _, one in sorted(keyed, key=lambda key: key[:2])]


def _by_topic(themes: Sequence[Numbered]) -> list[tuple[str, list[Numbered]]]:
    topics: dict[str, list[Numbered]] = {}
    for one in themes:
        topics.setdefault(one.claim.summary, []).append(one)
    shared = {name: members for name, members in topics.items() if len(members) > 1}
    # A subject of one pull request says no more than its title, unless there is nothing else.
    return sorted((shared or topics).items(), key=lambda topic: (-len(topic[1]), topic[0]))


def _topic_item(topic: str, members: Sequence[Numbered]) -> dict[str, object]:
    numbers = _numbers(members[:_SHOWN_OF_TOPIC])
    more = len(members) - _SHOWN_OF_TOPIC
    tail = f" and {more} more" if more > 0 else ""
    summary = f"{topic}: {_count(len(members), 'pull request')}, {numbers}{tail}"
    return _item(Category.THEMES, summary, members[:_SHOWN_OF_TOPIC])


def _narrative(
    columns: dict[Category, list[Numbered]], topics: Sequence[tuple[str, list[Numbered]]]
) -> list[dict[str, object]]:
    outcomes = columns[Category.OUTCOMES]
    sentences = [
        _outcome_sentence("was merged", "were merged", _starting(outcomes, MERGED)),
        _outcome_sentence(
            "was closed unmerged", "were closed unmerged", _starting(outcomes, CLOSED)
        ),
        _topic_sentence(topics),
    ]
    for category in (Category.FRICTION, Category.DECISIONS, Category.NOTABLE_EVENTS):
        sentences += [_quoted_sentence(one) for one in columns[category][:2]]
    return [sentence for sentence in sentences if sentence is not None]


def _starting(claims: Iterable[Numbered], word: str) -> list[Numbered]:
    return [one for one in claims if one.claim.summary.startswith(f"{word} #")]


def _outcome_sentence(
    one_was: str, many_were: str, claims: Sequence[Numbered]
) -> dict[str, object] | None:
    if not claims:
        return None
    shown = ", ".join(
        one.claim.summary.partition("#")[1] + _after_hash(one) for one in claims[:_SHOWN]
    )
    verb = one_was if len(claims) == 1 else many_were
    lead = ", among them" if len(claims) > _SHOWN else ":"
    return _sentence(f"{_count(len(claims), 'pull request')} {verb}{lead} {shown}.", claims)


def _after_hash(one: Numbered) -> str:
    return one.claim.summary.partition("#")[2].replace(", “", " “", 1)


def _topic_sentence(
    topics: Sequence[tuple[str, list[Numbered]]],
) -> dict[str, object] | None:
    common = [topic for topic in topics if len(topic[1]) > 1][:_SHOWN]
    if not common:
        return None
    names = ", ".join(f"{name[:1].lower()}{name[1:]} ({len(members)})" for name, members in common)
    return _sentence(
        f"Shared subjects: {names}.", [one for _, members in common for one in members]
    )


def _quoted_sentence(one: Numbered) -> dict[str, object]:
    summary = one.claim.summary
    ended = summary.endswith((".”", "!”", "?”", "…”"))
    return _sentence(summary if ended else f"{summary}.", [one])


def _numbers(claims: Iterable[Numbered]) -> str:
    return ", ".join(f"#{_number(one.claim)}" for one in claims)


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _item(category: Category, summary: str, claims: Iterable[Numbered]) -> dict[str, object]:
    ids = [one.id for one in claims]
    return {"category": category.value, "summary": summary, "claims": ids}


def _sentence(text: str, claims: Iterable[Numbered]) -> dict[str, object]:
    return {"text": text, "claims": [one.id for one in claims]}
