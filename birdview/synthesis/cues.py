"""Words that tell what a sentence is likely about. English only, as whole words, in any case."""

from __future__ import annotations

import re

from msgspec import Struct

from birdview.synthesis.claims import Category

__all__ = ["CUES", "Cue"]


class Cue(Struct, frozen=True):
    """A sentence that `pattern` is found in counts for `category`."""

    category: Category
    pattern: re.Pattern[str]


def _words(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!\w)", re.IGNORECASE)


# In this order: a sentence counts for the first cue that it holds.
CUES = (
    Cue(
        Category.NOTABLE_EVENTS,
        _words(
            r"breaking changes?",
            r"security (?:issue|fix|advisory|hole|problem|vulnerability)",
            r"vulnerabilit(?:y|ies)",
            r"CVE-\d{4}-\d+",
            r"data loss",
            r"back-?port(?:ed|ing)?",
            r"deprecat(?:e|es|ed|ing|ion)",
            r"first contribution",
            r"revert(?:s|ed|ing)?",
        ),
    ),
    Cue(
        Category.DECISIONS,
        _words(
            r"(?:we|I)(?:'ve| have)? (?:decided|agreed|settled)",
            r"agreed",
            r"decided (?:to|on|against|not)",
            r"(?:let's|let us|lets) (?:go|keep|use|do|drop|leave|merge|close|move|stick|not)",
            r"(?:going|go|went) with",
            r"we(?:'ll| will| should) (?:go|keep|use|drop|leave|merge|close|move|stick|not)",
            r"(?:superseded|replaced|obsoleted) by",
            r"in fav(?:ou)?r of",
            r"clos(?:e|ed|ing) (?:this|as|it|since|because|in)",
            r"(?:won't|will not) (?:fix|merge|do|be merged)",
            r"not planned",
        ),
    ),
    Cue(
        Category.FRICTION,
        _words(
            r"(?<!no )regressions?",
            r"(?:this|it|that) (?:breaks?|broke|fails?|crash(?:es|ed)?)",
            r"(?:tests?|build|CI|checks?) (?:\w+ )?(?:fail(?:s|ed|ing)?|broken?)",
            r"still (?:fails?|failing|broken|not|see)",
            r"flaky",
            r"merge conflicts?",
            r"blocked (?:by|on)",
            r"(?:I|we) (?:disagree|object|don't (?:think|like|agree|understand))",
            r"(?:my|a|one|some) concerns?",
            r"not (?:convinced|sure (?:about|that|this|if))",
            r"doesn't (?:work|seem|look)",
            r"NACK",
        ),
    ),
)
