"""Sentences of Markdown prose, each exactly as it stands in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from birdview.synthesis.claims import visible_bytes

__all__ = ["sentences_of", "shortened"]

_SHORTEST = 14  # visible bytes; below that it is a greeting
_LONGEST = 400  # characters

# Lines that are no prose of their own: headings, quotations of others, tables, rules, images,
# bold headings, check boxes, trailers, HTML, and addresses alone.
_NOT_PROSE = re.compile(
    r"\s*(#|>|\||(-{3,}|\*{3,}|={3,})\s*$|\[?!\[|[-*+] \[[ xX]\]|</?[a-zA-Z!]|<!--|https?://\S+\s*$"
    r"|(\*\*|__)[^*]+(\*\*|__)\s*(\([^)]*\))?\s*$"
    r"|(Signed-off-by|Co-authored-by|Reviewed-by|Change-Id)\b)"
)
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_BULLET = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+")
_END = re.compile(
    r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[`*_@#]*[A-Z0-9À-ÞА-Я])|(?<=[\u3002\uff01\uff1f])"
)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of `text` in order, without those that are too short or too long to quote.

    Each occurs in `text` as it is, line breaks inside it included. Code, headings, quoted lines,
    tables and HTML comments are skipped.
    """
    for start, end in _paragraphs(text):
        position = start
        for stop in [*(m.end() for m in _END.finditer(text, start, end)), end]:
            sentence = text[position:stop].strip()
            position = stop
            if len(sentence) <= _LONGEST and visible_bytes(sentence) >= _SHORTEST:
                yield sentence


def shortened(text: str, at_most: int) -> str:
    """`text` on one line, cut at a word with an ellipsis where it is longer than `at_most`."""
    line = " ".join(text.split())
    if len(line) <= at_most:
        return line
    head = line[: at_most - 1]
    return (head.rpartition(" ")[0] or head).rstrip(" ,;:.") + "…"


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    start: int | None = None
    end = 0
    fence: str | None = None
    comment = False
    for found in _LINE.finditer(text):
        line = found.group().rstrip("\r\n")
        opening = _FENCE.match(line)
        if comment or fence is not None or opening or not line.strip() or _NOT_PROSE.match(line):
            if start is not None:
                yield start, end
            start = None
            if fence is None and not comment and "<!--" in line:
                comment = "-->" not in line.rpartition("<!--")[2]
            elif comment:
                comment = "-->" not in line
            elif opening:
                fence = _after(fence, opening.group(1))
            continue
        bullet = _BULLET.match(line)
        if bullet and start is not None:
            yield start, end
            start = None
        if start is None:
            start = found.start() + (bullet.end() if bullet else 0)
        end = found.start() + len(line)
    if start is not None:
        yield start, end


def _after(fence: str | None, mark: str) -> str | None:
    # A fence is closed by one of its own sign that is at least as long.
    if fence is None:
        return mark
    return None if mark[0] == fence[0] and len(mark) >= len(fence) else fence
