"""The repository's labels: one that was renamed changes every conversation that holds it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import aclosing
from functools import partial

from syncer.audit.pages import every_page
from syncer.audit.source import AuditSource
from syncer.errors import TransientError
from syncer.store import Labelled

__all__ = ["mislabelled", "names_of"]


async def names_of(source: AuditSource, repository: str) -> dict[str, str]:
    """The name of every label of the repository, by id. Raises AskError unless it has them all."""
    names: dict[str, str] = {}
    claimed = 0
    async with aclosing(every_page(partial(source.labels, repository))) as pages:
        async for page in pages:
            names |= {label.id: label.name for label in page.items}
            claimed = page.total_count
    if len(names) != claimed:
        message = f"GitHub claims {claimed} labels, {len(names)} were read"
        raise TransientError(message)
    return names


def mislabelled(stored: Iterable[Labelled], names: Mapping[str, str]) -> Counter[tuple[str, int]]:
    """By pull request (id, number), how many of its labels have another name or are gone. Pure."""
    return Counter((one.pull, one.number) for one in stored if names.get(one.label) != one.name)
