"""Models to test with: scripted ones, and one that lies in every way it can."""

from __future__ import annotations

import json
from collections.abc import Callable

from birdview.synthesis.prompts import Prompt, Task
from syncer.repository import Repository

__all__ = ["REPOSITORY", "Clock", "Scripted", "claim", "honest", "mapped", "reduced"]

REPOSITORY = Repository(
    id="R_1", name="octo/repo", current_name="octo/repo", web_url="https://github.com"
)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Scripted:
    """Answers by `reply`, and remembers what it was asked."""

    def __init__(self, reply: Callable[[Prompt], object]) -> None:
        self.asked: list[Prompt] = []
        self._reply = reply

    async def __call__(self, prompt: Prompt) -> str:
        self.asked.append(prompt)
        answer = self._reply(prompt)
        if isinstance(answer, BaseException):
            raise answer
        return answer if isinstance(answer, str) else json.dumps(answer)

    def count(self, task: Task) -> int:
        return sum(prompt.task is task for prompt in self.asked)


def claim(
    node: str, quote: str, *, category: str = "themes", summary: str = "Something happened."
) -> dict[str, object]:
    return {
        "category": category,
        "summary": summary,
        "evidence": [{"node": node, "quote": quote}],
    }


def mapped(*claims: object) -> dict[str, object]:
    return {"claims": list(claims)}


def reduced(prompt: Prompt) -> dict[str, object]:
    """Every claim as it is, and one sentence on all of them."""
    return {
        "items": [
            {"category": one.claim.category, "summary": one.claim.summary, "claims": [one.id]}
            for one in prompt.claims
        ],
        "narrative": [{"text": "This happened.", "claims": [one.id for one in prompt.claims]}],
    }


def honest(prompt: Prompt) -> dict[str, object]:
    """One true claim for each pull request, by its title."""
    if prompt.batch is None:
        return reduced(prompt)
    titles = [f for f in prompt.batch.fragments if f.part == "title"]
    return mapped(*(claim(f.node, f.text, summary=f"#{f.number} happened.") for f in titles))
