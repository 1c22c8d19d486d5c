"""What is known of a repository itself: identity, releases, and the settings that shape records."""

from __future__ import annotations

from msgspec import Struct

from syncer.records import Instant

__all__ = ["Census", "Facts", "Release", "Repository", "Shaping"]


class Repository(Struct, frozen=True, rename="camel", kw_only=True):
    """A repository is its `id`; names come and go.

    `name` (`owner/name`, GitHub's own spelling) is the one first synced: folders and urls keep it.
    `current_name` follows renames.
    """

    id: str
    name: str
    current_name: str
    web_url: str  # the site, without a slash at the end: https://github.com


class Release(Struct, frozen=True, rename="camel", kw_only=True):
    """One release as GitHub lists it."""

    id: str
    tag_name: str
    published_at: Instant | None  # None: a draft
    is_draft: bool
    is_prerelease: bool


class Shaping(Struct, frozen=True, rename="camel", kw_only=True):
    """The settings on which the bytes of a corpus depend."""

    prereleases: bool = True  # whether a prerelease is a release point


class Census(Struct, frozen=True, rename="camel", kw_only=True):
    """How fresh and how complete the set of known pull requests is.

    Every pull request changed before `watermark` is in the corpus, or its number is in `unread`
    (known, never stored) or `behind` (stored whole, known to have changed since).
    """

    watermark: Instant | None  # None: no walk was ever proven complete
    total_count: int | None  # what GitHub claimed on the last page of the last closed walk
    found: int  # distinct pull requests known
    discrepancy: str | None = None  # a named difference that a full walk confirmed
    unread: tuple[int, ...] = ()
    behind: tuple[int, ...] = ()


class Facts(Struct, frozen=True, rename="camel", kw_only=True):
    """All that a sink needs beside the conversations themselves."""

    repository: Repository
    releases: tuple[Release, ...]
    shaping: Shaping
    census: Census
