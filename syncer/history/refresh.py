"""A selection brought up to now by a live client, in memory. Nothing is written."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from syncer.corpus import leaf_entry
from syncer.evidence import Snapshot, Status
from syncer.history.census import Drift
from syncer.history.selected import Selected, resolution_of, selected_of
from syncer.history.selection import Selection, ordered
from syncer.records import resolution_event

__all__ = ["refreshed"]


def refreshed(selection: Selection, read: Mapping[str, Snapshot]) -> Selection:
    """`selection` with `read` (by id) in the place of what had drifted.

    What could not be read stays as the corpus holds it, behind and doubtful; so does what could be
    read in part only, for a part is never put over a whole.
    """
    selected = {one.id: one for one in selection.selected}
    doubtful = set(selection.doubtful)
    for drift in selection.drifted:
        snapshot = read.get(drift.id)
        if snapshot is None or (drift.is_stored and _is_part(snapshot)):
            doubtful.add(drift.number)
            continue
        doubtful.discard(drift.number)
        selected.pop(drift.id, None)
        if (found := _selected(selection, drift, snapshot)) is not None:
            selected[drift.id] = found
    return replace(
        selection,
        selected=ordered(selected.values()),
        doubtful=tuple(sorted(doubtful)),
        refreshed=read,
    )


def _is_part(snapshot: Snapshot) -> bool:
    return any(one.status in (Status.CUT, Status.UNKNOWN) for one in snapshot.judged().values())


def _selected(selection: Selection, drift: Drift, snapshot: Snapshot) -> Selected | None:
    pull = snapshot.conversation
    resolved_at = resolution_event(pull.state, pull.merged_at, pull.closed_at)
    resolution = resolution_of(pull.state, pull.merged_at)
    if resolved_at is None or resolved_at not in selection.window:
        return None
    if not selection.resolution.admits(resolution):
        return None
    found = selected_of(
        leaf_entry(snapshot, b""),
        pull,
        selection.overview.repository,
        resolved_at=resolved_at,
        release=drift.release,
        is_behind=False,
    )
    return replace(found, sha256=None)
