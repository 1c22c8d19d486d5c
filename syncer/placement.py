"""What a store says of its repository as a whole, and where its releases put every conversation."""

from __future__ import annotations

from syncer.canonical import digest_of
from syncer.census.enumeration import describe
from syncer.corpus.timeline import Timeline
from syncer.repository import Census, Facts, Repository, Shaping
from syncer.store import Store, meta

__all__ = ["facts_of", "place", "timeline_of"]


async def timeline_of(store: Store) -> Timeline:
    """The release points that the stored releases and settings give."""
    releases = await store.meta.get(meta.RELEASES)
    shaping = await store.meta.get(meta.SHAPING)
    return Timeline(releases or (), shaping or Shaping())


async def place(store: Store) -> None:
    """Put every stored conversation into the bucket that the stored releases give it.

    Nothing is looked at while releases and settings are those of the last time.
    """
    releases = await store.meta.get(meta.RELEASES) or ()
    shaping = await store.meta.get(meta.SHAPING) or Shaping()
    facts = digest_of([releases, shaping])
    if facts == await store.meta.get(meta.PLACED_BY):
        return
    timeline = Timeline(releases, shaping)
    moves = [
        (pull, number, bucket)
        for pull, number, resolved_at, placed in await store.conversations.placements()
        if (bucket := timeline.bucket(resolved_at)) != placed
    ]
    async with store.transaction():
        for pull, number, bucket in moves:
            await store.conversations.move(pull, number, bucket)
        await store.meta.put(meta.PLACED_BY, facts)


async def facts_of(store: Store, repository: Repository) -> Facts:
    """All that sinks need to know beside the conversations, as of now."""
    watermark = await store.meta.get(meta.WATERMARK)
    total_count = await store.meta.get(meta.TOTAL)
    discrepancy = await store.meta.get(meta.DISCREPANCY)
    return Facts(
        repository=repository,
        releases=await store.meta.get(meta.RELEASES) or (),
        shaping=await store.meta.get(meta.SHAPING) or Shaping(),
        census=Census(
            watermark=watermark,
            total_count=total_count,
            found=await store.pulls.count_told(),
            discrepancy=describe(discrepancy),
            unread=await store.pulls.unread(),
            behind=await store.pulls.behind(),
        ),
    )
