"""People's text inside a prompt: between borders that the text cannot forge.

A border holds a digest of everything that it encloses, and is checked to occur nowhere in it. Who
writes a comment cannot know the digest of the batch that the comment will stand in.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from birdview.synthesis.fragments import Batch, Fragment, PullFacts

__all__ = ["border_for", "frame_batch", "frame_items"]


def border_for(texts: Iterable[str]) -> str:
    """A line's beginning that occurs in none of `texts`; the same for the same texts."""
    held = list(texts)
    digest = hashlib.sha256()
    for text in held:
        data = text.encode()
        digest.update(b"%d:" % len(data) + data)
    turn = 0
    while True:
        seed = digest.digest() + turn.to_bytes(4, "big")
        border = f"====={hashlib.sha256(seed).hexdigest()[:24]}"
        if not any(border in text for text in held):
            return border
        turn += 1


def frame_batch(batch: Batch) -> tuple[str, str]:
    """The border and the framed text of `batch`.

    Each text stands as it is between two lines that begin with the border; the first of them goes
    on with one line of JSON that says where the text is from.
    """
    facts = {pull.number: _pull_heading(pull) for pull in batch.pulls}
    headings = [_heading(fragment) for fragment in batch.fragments]
    texts = [fragment.text for fragment in batch.fragments]
    border = border_for([*facts.values(), *headings, *texts])
    lines: list[str] = []
    number: int | None = None
    for fragment, heading in zip(batch.fragments, headings, strict=True):
        if fragment.number != number:
            number = fragment.number
            lines.append(f"{border} PULL {facts[number]}")
        lines += [f"{border} TEXT {heading}", fragment.text]
    return border, "\n".join([*lines, f"{border} END"])


def frame_items(items: Sequence[object]) -> tuple[str, str]:
    """The border and `items`, each as one line of ASCII JSON, between two lines of border."""
    lines = [_line(item) for item in items]
    border = border_for(lines)
    return border, "\n".join([f"{border} CLAIMS", *lines, f"{border} END"])


def _pull_heading(pull: PullFacts) -> str:
    return _line(
        {
            "number": pull.number,
            "resolution": pull.resolution,
            "resolvedAt": None if pull.resolved_at is None else pull.resolved_at.isoformat(),
            "author": pull.author,
            "labels": list(pull.labels),
        }
    )


def _heading(fragment: Fragment) -> str:
    heading: dict[str, object] = {
        "node": fragment.node,
        "kind": fragment.kind.value,
        "part": fragment.part.value,
        "author": fragment.author,
        "at": fragment.at.isoformat(),
    }
    optional = {
        "state": fragment.state,
        "path": fragment.path,
        "thread": fragment.thread,
        "hiddenAs": fragment.minimized,
        "continuesAt": fragment.offset or None,
    }
    heading.update({key: value for key, value in optional.items() if value is not None})
    return _line(heading)


def _line(value: object) -> str:
    # ASCII: no separator of any script may look like the end of the line.
    return json.dumps(value, ensure_ascii=True)
