"""Each sink from its own position to the end of the feed; one that fails stops nobody else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from syncer import delivery as module
from syncer.canonical import canonical_bytes
from syncer.delivery import Delivery
from syncer.errors import DamagedError, SinkError
from syncer.repository import Census, Facts, Repository, Shaping
from syncer.sink import Applied, Batch, ChangeKind
from syncer.store import Commit, SinkState, Store, open_store
from syncer.testing.samples import sample
from tests.unit.making import LATER, proof

FACTS = Facts(
    repository=Repository(id="R_1", name="o/r", current_name="o/r", web_url="https://x.test"),
    releases=(),
    shaping=Shaping(),
    census=Census(watermark=None, total_count=None, found=0),
)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path) as opened:
        yield opened


class Destination:
    """What outlives the sinks that write to it."""

    def __init__(self) -> None:
        self.token: str | None = None
        self.held: dict[int, tuple[str | None, bytes]] = {}


class Scribe:
    """A sink that is durable only by `flush`, and fails where it is told to."""

    def __init__(
        self, destination: Destination, *, fails: str = "", kind: type[Exception] = SinkError
    ) -> None:
        self._kind = kind
        self._destination = destination
        self._fails = fails
        self._held = dict(destination.held)
        self.batches: list[Batch] = []
        self.calls: list[str] = []

    async def open(self) -> str | None:
        self._call("open")
        return self._destination.token

    async def apply(self, batch: Batch) -> Applied:
        self._call("apply")
        self.batches.append(batch)
        for one in batch.changes:
            if one.kind is ChangeKind.GONE:
                self._held.pop(one.number, None)
            elif one.kind is ChangeKind.PUT:
                self._held[one.number] = (one.release, one.record)
            else:
                self._held[one.number] = (one.release, self._held[one.number][1])
        return Applied(written=len(batch.changes))

    async def flush(self) -> str:
        self._call("flush")
        self._destination.held = dict(self._held)
        self._destination.token = f"token {len(self._held)} {len(self.batches)}"
        return self._destination.token

    async def close(self) -> None:
        self._call("close")

    def _call(self, name: str) -> None:
        self.calls.append(name)
        if name == self._fails:
            raise self._kind(f"{name} failed")


async def _put(store: Store, number: int, revised: int = 0, bucket: str | None = None) -> None:
    snapshot = sample(number, revised=revised)
    pull = snapshot.conversation.id
    commit = Commit(
        snapshot=snapshot,
        evidence=(replace(proof(), owner=pull),),
        bucket=bucket,
        read_at=LATER,
        settled=True,
    )
    async with store.transaction():
        stored = (await store.conversations.stored([pull])).get(pull)
        await store.conversations.commit([(commit, stored)])


async def _run(store: Store, **sinks: Scribe) -> Delivery:
    delivery = Delivery(store, sinks)
    await delivery.open()
    await delivery.deliver(FACTS)
    await delivery.close()
    return delivery


async def _whole(store: Store) -> dict[int, tuple[str | None, bytes]]:
    found = {}
    for pull, number, _, bucket in await store.conversations.placements():
        words = canonical_bytes((await store.conversations.snapshot(pull)).conversation)
        found[number] = (bucket, words)
    return found


async def test_a_new_sink_replays_the_feed_and_an_old_one_goes_on_where_it_was(
    store: Store,
) -> None:
    kept = Destination()
    await _put(store, 1)
    first = Scribe(kept)
    await _run(store, kept=first)
    await _put(store, 2)
    second = Scribe(kept)
    await _run(store, kept=second)

    assert [one.replay for one in first.batches] == [True, True]
    assert [one.replay for one in second.batches] == [False, False]
    assert [c.number for one in second.batches for c in one.changes] == [2]
    assert kept.held == await _whole(store)
    assert await store.ledger.sink("kept") == SinkState(
        await store.conversations.head(), kept.token
    )


async def test_a_destination_with_another_token_is_replayed_from_the_beginning(
    store: Store,
) -> None:
    kept = Destination()
    await _put(store, 1)
    await _run(store, kept=Scribe(kept))
    for token in ("from a backup", None):
        kept.token, kept.held = token, {}
        sink = Scribe(kept)
        await _run(store, kept=sink)
        assert all(one.replay for one in sink.batches)
        assert kept.held == await _whole(store)


async def test_nothing_new_is_still_told_as_facts_and_made_durable(store: Store) -> None:
    kept = Destination()
    await _run(store, kept=Scribe(kept))
    sink = Scribe(kept)
    delivery = await _run(store, kept=sink)
    assert sink.calls == ["open", "apply", "flush", "close"]
    assert sink.batches == [Batch(facts=FACTS)]
    assert delivery.applied == {"kept": Applied()}


@pytest.mark.parametrize("kind", [SinkError, OSError, KeyError])
@pytest.mark.parametrize("at", ["open", "apply", "flush"])
async def test_a_sink_that_fails_is_named_and_keeps_its_backlog_and_the_others_go_on(
    at: str, kind: type[Exception], store: Store
) -> None:
    broken, whole = Destination(), Destination()
    await _put(store, 1)
    failing = Scribe(broken, fails=at, kind=kind)
    delivery = await _run(store, broken=failing, whole=Scribe(whole))

    assert set(delivery.failures) == {"broken"}
    assert failing.calls[-1] == "close"
    assert whole.held == await _whole(store)
    assert await store.ledger.sink("broken") == SinkState(0, None)
    assert broken.held == {}
    await _run(store, broken=Scribe(broken))
    assert broken.held == await _whole(store)


async def test_a_sink_that_has_failed_is_not_asked_again_in_the_same_run(store: Store) -> None:
    failing = Scribe(Destination(), fails="flush")
    delivery = Delivery(store, {"broken": failing})
    await delivery.open()
    for _ in range(3):
        await _put(store, 1)
        await delivery.deliver(FACTS)
    assert failing.calls == ["open", "apply", "apply", "flush"]


async def test_a_mistake_in_a_sink_is_told_by_its_kind_without_its_words(store: Store) -> None:
    delivery = await _run(store, one=Scribe(Destination(), fails="apply", kind=ValueError))
    failure = delivery.failures["one"]
    assert "ValueError in the sink itself" in str(failure)
    assert "apply failed" not in str(failure)
    assert isinstance(failure.__cause__, ValueError)


async def test_what_the_store_raises_is_no_failure_of_a_sink(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def damaged(*_: object) -> None:
        raise DamagedError("the store is damaged")

    monkeypatch.setattr(store.conversations, "after", damaged)
    with pytest.raises(DamagedError):
        await _run(store, one=Scribe(Destination()))


async def test_a_failure_to_close_is_named_and_hides_no_earlier_one(store: Store) -> None:
    delivery = await _run(store, one=Scribe(Destination(), fails="close"))
    assert str(delivery.failures["one"]) == "close failed"


async def test_a_sink_whose_backlog_is_longer_than_a_batch_gets_the_words_that_moved(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A put, and a move of the same words so much later that other batches lie between."""
    monkeypatch.setattr(module, "_BATCH", 2)
    kept = Destination()
    for number in (1, 2, 3, 4):
        await _put(store, number)
    await _run(store, kept=Scribe(kept))
    await _put(store, 1, revised=1)
    await _put(store, 5)
    for number in (2, 3, 4):
        await _put(store, number, revised=1)
    async with store.transaction():
        await store.conversations.move("PR_1", 1, "v1")
        await store.conversations.move("PR_5", 5, "v1")

    sink = Scribe(kept)
    await _run(store, kept=sink)

    assert kept.held == await _whole(store)
    assert [len(one.changes) for one in sink.batches] == [2, 2, 1, 0]
