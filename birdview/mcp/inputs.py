"""The arguments of the tools. An unknown one is refused: a misspelt filter must not be ignored."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from birdview.request import Preset
from birdview.synthesis import ClaimDraft
from syncer.history import State

__all__ = [
    "CheckClaims",
    "Explore",
    "GetConversation",
    "GetSyncStatus",
    "Include",
    "ListPullRequests",
    "ReadWindowEvidence",
    "Window",
]

Include = Literal["description", "comments", "reviews", "threads"]
Filter = Literal["merged", "closed_unmerged", "all_resolved"]

Origin = Annotated[
    str | None,
    Meta(description="OWNER/REPO. Optional where the server holds just one repository."),
]
Cursor = Annotated[
    str | None, Meta(description="`nextCursor` of the page before. Needs no other argument.")
]
Time = Annotated[
    str | None,
    Meta(description="ISO 8601 with a zone, or a date, which means midnight UTC."),
]
Bytes = Annotated[int, Meta(ge=1_000, le=500_000)]
Number = Annotated[int, Meta(ge=1)]
Node = Annotated[str, Meta(min_length=1, max_length=2_000)]
Rows = Annotated[int, Meta(ge=1, le=500)]


class Window(Struct, frozen=True, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """A half-open window of resolution events. Without bounds and preset: the last week."""

    origin: Origin = None
    resolution: Filter = "all_resolved"
    preset: Annotated[
        Preset | None,
        Meta(description="Rolling days that end where the census does; or `release`."),
    ] = None
    window_start: Time = None
    window_end: Time = None
    release: Annotated[
        str | None, Meta(description="A tag, with preset=release: from the cut before to its own.")
    ] = None


class Explore(Window, frozen=True, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """Arguments of explore_pull_request_history."""

    live: Annotated[
        bool, Meta(description="Ask GitHub what changed since the last sync. Slower.")
    ] = False
    synthesize: Annotated[
        bool | None,
        Meta(description="Whether to tell what happened. Default: if a model is bound."),
    ] = None
    allow_partial: Annotated[
        bool, Meta(description="Tell of what is proven even where not everything is.")
    ] = False
    max_pulls: Annotated[int, Meta(ge=0, le=10_000)] = 100
    max_citations: Annotated[int, Meta(ge=0, le=10_000)] = 100


class GetConversation(
    Struct, frozen=True, rename="camel", kw_only=True, forbid_unknown_fields=True
):
    """Arguments of get_conversation: `number`, or `node`, or both, or `cursor`."""

    origin: Origin = None
    number: Annotated[Number | None, Meta(description="Of the pull request.")] = None
    node: Annotated[
        Node | None,
        Meta(
            description="A node id or an address on the site: of the pull request, a comment, a "
            "review, a thread or a thread's comment. Give `number` too if you know it."
        ),
    ] = None
    include: Annotated[
        tuple[Include, ...], Meta(description="Which parts; all of them without it.")
    ] = ()
    since: Annotated[
        str | None, Meta(description="Only what was written or edited at or after this time.")
    ] = None
    offset: Annotated[
        int, Meta(ge=0, description="With `node`: from this character of its text on.")
    ] = 0
    cursor: Cursor = None
    max_bytes: Annotated[Bytes, Meta(description="About how much text one page holds.")] = 40_000
    max_body_bytes: Annotated[
        Bytes, Meta(description="Longer texts are shortened, and the rest is offered.")
    ] = 10_000


class ListPullRequests(
    Struct, frozen=True, rename="camel", kw_only=True, forbid_unknown_fields=True
):
    """Arguments of list_pull_requests. The window's bounds leave out open ones."""

    origin: Origin = None
    state: Annotated[State | None, Meta(description="All of them without it.")] = None
    window_start: Time = None
    window_end: Time = None
    cursor: Cursor = None
    limit: Annotated[Rows, Meta(description="Rows on one page.")] = 100


class ReadWindowEvidence(
    Window, frozen=True, rename="camel", kw_only=True, forbid_unknown_fields=True
):
    """Arguments of read_window_evidence."""

    cursor: Cursor = None
    max_bytes: Annotated[Bytes, Meta(description="About how much text one page holds.")] = 40_000


class CheckClaims(Window, frozen=True, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """Arguments of check_claims. The window is the one whose evidence was read: see `checkWith`."""

    source_manifest_hash: Annotated[
        str | None, Meta(description="Required: of the evidence that the claims rest on.")
    ] = None
    claims: Annotated[
        tuple[Any, ...],
        Meta(
            max_length=1_000,
            description="Each rests on quotes copied word for word from the node they name.",
            # A claim of another shape costs itself, not the call: so the shape is only shown.
            extra_json_schema={"items": msgspec.json.schema_components([ClaimDraft])[0][0]},
        ),
    ] = ()
    allow_partial: Annotated[
        bool, Meta(description="Present the claims even where the window is not proven complete.")
    ] = False
    max_citations: Annotated[int, Meta(ge=0, le=10_000)] = 200


class GetSyncStatus(Struct, frozen=True, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """Arguments of get_sync_status."""

    origin: Annotated[str | None, Meta(description="OWNER/REPO; all of them without it.")] = None
    max_listed: Annotated[
        int, Meta(ge=0, le=10_000, description="How much of what is incomplete is listed, each.")
    ] = 100
