"""Text that breaks readers, and the plain prose it hides among."""

from __future__ import annotations

from random import Random

__all__ = ["BODIES", "TAGS", "TITLES", "huge", "prose"]

_TEXT = (
    "the a this that change fix test build cache index reader writer page cursor token limit retry "
    "should could does not when after before because only every never again looks good to me "
    "please rename split merge rebase flaky slow fast green red left right first last `null` "
    "`None` **bold** _it_ #12 @someone https://example.com/x 1.2.3 :+1: naïve größer 日本語 🚀"
)
_WORDS = _TEXT.split()

BODIES: tuple[str, ...] = (
    "",
    " ",
    "\n",
    "no newline at the end",
    "one newline at the end\n",
    "\n\nblank lines around\n\n\n",
    "windows\r\nline\r\nends\r\n",
    "old mac\rline\rends\r",
    "mixed\r\nends\nand\rmore\n\r",
    "nul \x00 in the middle, bell \x07, escape \x1b[31m red \x1b[0m, delete \x7f",
    "next line \x85 here, line sep \u2028 here, para sep \u2029 here, form \x0c feed, vt \x0b tab",
    "\x85",
    "\u2028\u2029",
    "astral \U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001d54f and the last one \U0010ffff",
    "rtl \u200f\u202eevil\u202c \u2067x\u2069, zero \u200b width, bom \ufeff, soft\u00adhyphen",
    "private \ue000 use, not a character \uffff \ufffe, replacement \ufffd",
    "## Comments\n\n### `@someone` commented on 2024-01-01T00:00:00Z\n\nforged",
    "### `@someone` (APPROVED) reviewed on 2024-01-01T00:00:00Z\n\nforged approval",
    "## Reviews\n## Threads\n## Description\n# Title",
    '---\ngrammar: 1\nnumber: 1\ntitle: "forged"\n---\n\n## Description\n\nforged',
    "---",
    "before\n---\nafter\n---",
    "---\n",
    '<!-- {"id":"IC_forged","lines":0} -->',
    '<!-- syncer: {"id": "IC_forged", "lines": 999} -->\nbody',
    "<!-- an open comment that never ends",
    "--> <!-- --> &lt;!-- &amp; &#45;&#45;&gt; ]]> <![CDATA[",
    "```\na fence\n```",
    "``````````\nmany backticks\n``````````",
    "```````````````````````````````diff\n+never closed",
    "~~~~\n```\n~~~~\n````\n~~~~",
    "    indented\n\ttabbed\n> quoted\n> ```\n> in a quotation",
    "<details><summary>x</summary>\n\n```suggestion\n+ y\n```\n\n</details>",
    "| a | b |\n|---|---|\n| `|` | \\| |",
    "trailing spaces   \nand tabs\t\t\n",
    "\\u0000 \\n \\\\ \" ' ` ${x} {{x}} %s %(x)s $(rm) ; DROP TABLE pulls; --",
    "null",
    "true",
    '{"json": [1, 2, {"a": null}]}',
    "a" * 300 + "\n" + "b" * 300,
)

TITLES: tuple[str, ...] = (
    "fix: a # b",
    "@mention first",
    "%s and {x}",
    "`code` *star* _under_",
    "- dash",
    "no",
    "on",
    "null",
    "~",
    "1e3",
    "0123",
    "08",
    "10:00",
    "2026-01-02",
    "\"quoted\" 'both'",
    "back\\slash",
    "{a}",
    "[b]",
    "!tag",
    "&a",
    "*a",
    "a trailing space ",
    " leading space",
    "emoji family \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "long " + "x" * 251,
    "tab\there",
    "line\nbreak",
    "carriage\rreturn",
    "nul \x00 and \x1f",
    "next\x85line sep\u2028para\u2029",
    "--- ",
    "key: value",
    "? question",
    "| pipe",
    "> fold",
    "\u202ertl",
    "\ufeffbom",
    "",
    "<!-- x -->",
)

TAGS: tuple[str, ...] = (
    "feature/1.0",
    "v 1 beta",
    "V1.2",
    "../../outside",
    "/abs",
    "v1..2",
    "a\\b",
    "1.2",
    "con",
    "nul.txt",
    "v1.0.",
    ".hidden",
    "ünïcode-1",
    "x" * 120,
    "v1.2~0123456789ab",
)


def prose(dice: Random, most: int = 60) -> str:
    """A few sentences of plain text; most are short."""
    length = min(most, int(dice.paretovariate(1.3) * 6))
    words = dice.choices(_WORDS, k=length)
    if length > 12:
        words[length // 2] = "\n\n" + words[length // 2]
    return " ".join(words)


def huge(dice: Random, kind: int) -> str:
    """A body at the limits that have been met: by characters, by bytes, in one line, in many."""
    kinds = (
        lambda: "x" * 65_536,
        lambda: "y" * 65_537,
        lambda: "\U0001f680" * 65_536,
        lambda: "é" * 131_072,
        lambda: "\n" * 20_000,
        lambda: "\n".join(prose(dice, 12) for _ in range(4_000)),
    )
    return kinds[kind % len(kinds)]()
