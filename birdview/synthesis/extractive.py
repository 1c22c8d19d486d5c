"""A binding that needs no model: it picks sentences by plain rules, and groups what it picked.

It answers the same questions in the same form as a model, so what it says goes through the same
checker. It understands nothing: a rule sees a word, not whether it was meant. That is why every
sentence of other people's stands in quotation marks, with who wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence

import msgspec

from birdview.synthesis.claims import MAX_QUOTE, Category, visible_bytes
from birdview.synthesis.cues import CUES
from birdview.synthesis.fragments import Batch, Fragment, NodeKind, Part, PullFacts
from birdview.synthesis.grouping import AREA, CLOSED, LABEL, MERGED, group_claims
from birdview.synthesis.limits import Limits
from birdview.synthesis.prompts import Prompt
from birdview.synthesis.sentences import sentences_of, shortened

__all__ = ["GENERATOR", "LIMITS", "generate"]

GENERATOR = "extractive/1"
"""What an envelope names as the maker of such a narrative; the number changes with the rules."""

LIMITS = Limits(
    fragment_bytes=1_000_000,
    batch_bytes=1_000_000,
    reduce_bytes=1_000_000_000,
    claims_per_batch=1_000_000,
    answer_chars=1_000_000_000,
    parallel=1,
    metered=False,
)
"""Nothing here has a context window: every claim is weighed against every other at once."""

# `area: what was done`, and `kind(scope)!: what was done` of conventional commits.
_AREA_OF = re.compile(r"(?P<area>\w[\w./ -]{1,39}?)(?:\((?P<scope>[^()\s]{1,40})\))?!?: ")
_PER_PULL = 2  # sentences of one category from one pull request
_LONGEST_QUOTE = 220  # characters, where a sentence is shown

Claimed = dict[str, object]
_Place = tuple[str, str]  # a node and a sentence in it


async def generate(prompt: Prompt) -> str:
    """The answer to `prompt`, as JSON; the same for the same prompt, everywhere."""
    if prompt.batch is None:
        return msgspec.json.encode(group_claims(prompt.claims)).decode()
    return msgspec.json.encode({"claims": _claims(prompt.batch)}).decode()


def _claims(batch: Batch) -> list[Claimed]:
    by_pull: dict[int, list[Fragment]] = {pull.number: [] for pull in batch.pulls}
    for fragment in batch.fragments:
        by_pull[fragment.number].append(fragment)
    # What people talked about most stands first; the rest stays in the order of the window.
    said = {number: _said(own) for number, own in by_pull.items()}
    pulls = sorted(batch.pulls, key=lambda pull: -len(said[pull.number]))
    return [
        claim for pull in pulls for claim in _of_one(pull, by_pull[pull.number], said[pull.number])
    ]


def _of_one(
    pull: PullFacts, own: Sequence[Fragment], said: Sequence[Fragment]
) -> Iterator[Claimed]:
    title = next((piece for piece in own if _is_title(piece)), None)
    if title is not None:
        yield from _outcome(pull, title)
        yield from _topics(pull, title)
    asked = dict(_requests(pull, said))
    yield from asked.values()
    yield from _cued(pull, said, asked.keys())


def _said(own: Iterable[Fragment]) -> list[Fragment]:
    """What people wrote, the description last: it was there before anything happened."""
    said = [piece for piece in own if _is_said(piece)]
    return sorted(said, key=lambda piece: piece.kind is NodeKind.PULL_REQUEST)


def _is_title(piece: Fragment) -> bool:
    return piece.part is Part.TITLE and visible_bytes(piece.text) > 0


def _is_said(piece: Fragment) -> bool:
    # What programs post and what the site hides tells little of what people did.
    return piece.part is Part.BODY and not piece.bot and piece.minimized is None


def _outcome(pull: PullFacts, title: Fragment) -> Iterator[Claimed]:
    if pull.resolution != "open":
        verb = MERGED if pull.resolution == "merged" else CLOSED
        summary = f"{verb} #{pull.number}, “{shortened(title.text, 120)}”"
        yield _claim(Category.OUTCOMES, summary, title, title.text)


def _topics(pull: PullFacts, title: Fragment) -> Iterator[Claimed]:
    names = [f"{LABEL} “{shortened(label, 60)}”" for label in pull.labels]
    if not names and (area := _AREA_OF.match(title.text)):
        names = [f"{AREA} “{(area['scope'] or area['area']).casefold()}”"]
    for name in names[:3]:
        yield _claim(Category.THEMES, name, title, title.text)


def _requests(pull: PullFacts, said: Sequence[Fragment]) -> Iterator[tuple[_Place, Claimed]]:
    """Reviews that asked for changes, each by the first sentence that came with it.

    That is one of its own, or else one of its threads.
    """
    seen: set[str | None] = set()
    for piece in said:
        if piece.state != "CHANGES_REQUESTED" or piece.review in seen:
            continue
        if (sentence := next(sentences_of(piece.text), None)) is not None:
            seen.add(piece.review)
            claim = _quoted(Category.FRICTION, pull, piece, sentence, asked="asked for changes")
            yield (piece.node, sentence), claim
            if len(seen) == _PER_PULL:
                return


def _cued(pull: PullFacts, said: Sequence[Fragment], told: Container[_Place]) -> Iterator[Claimed]:
    taken = {cue.category: 0 for cue in CUES}
    for piece, sentence in _all_sentences(said):
        cue = next((cue for cue in CUES if cue.pattern.search(sentence)), None)
        if cue is None or taken[cue.category] >= _PER_PULL:
            continue
        if (piece.node, sentence) not in told:
            taken[cue.category] += 1
            yield _quoted(cue.category, pull, piece, sentence)


def _all_sentences(said: Iterable[Fragment]) -> Iterator[tuple[Fragment, str]]:
    for piece in said:
        for sentence in sentences_of(piece.text):
            yield piece, sentence


def _quoted(
    category: Category, pull: PullFacts, piece: Fragment, sentence: str, asked: str = ""
) -> Claimed:
    who = "a deleted account" if piece.author is None else f"@{piece.author}"
    opened = piece.kind is NodeKind.PULL_REQUEST
    verb = asked or ("opened it with" if opened else "wrote")
    summary = f"On #{pull.number}, {who} {verb}: “{shortened(sentence, _LONGEST_QUOTE)}”"
    return _claim(category, summary, piece, sentence)


def _claim(category: Category, summary: str, piece: Fragment, quote: str) -> Claimed:
    return {
        "category": category.value,
        "summary": summary,
        "evidence": [{"node": piece.node, "quote": quote[:MAX_QUOTE]}],
    }
