"""The addresses of a pull request and its entries on the site, and the way back from them.

Fragments are GitHub's own: `#issuecomment-N`, `#pullrequestreview-N`, `#discussion_rN`, where N is
the entry's database id.
"""

from __future__ import annotations

import re
from enum import StrEnum

from msgspec import Struct

from syncer.repository import Repository

__all__ = [
    "Kind",
    "Target",
    "comment_url",
    "pull_url",
    "recognise",
    "review_url",
    "thread_comment_url",
]


class Kind(StrEnum):
    """What an address points at."""

    PULL = "pull"
    COMMENT = "comment"
    REVIEW = "review"
    THREAD_COMMENT = "threadComment"


class Target(Struct, frozen=True, kw_only=True):
    """An address taken apart. `web_url` is the site without a slash at the end."""

    web_url: str
    name: str  # owner/name as the address spells it
    number: int
    kind: Kind
    database_id: int | None  # None: the pull request itself


# `issues/N` leads to the pull request N on the site; `#rN` is the form of its page of files.
_ADDRESS = re.compile(
    r"(?P<web_url>https?://[^/?#\s]+)/(?P<name>[\w.-]+/[\w.-]+)/(?:pull|issues)/(?P<number>[1-9][0-9]*)"
    r"(?:/[^?#\s]*)?(?:\?[^#\s]*)?(?:#(?P<fragment>\S*))?",
    re.ASCII,
)
_FRAGMENT = re.compile(r"(?P<kind>issuecomment-|pullrequestreview-|discussion_r|r)(?P<id>[0-9]+)")
_KINDS = {
    "issuecomment-": Kind.COMMENT,
    "pullrequestreview-": Kind.REVIEW,
    "discussion_r": Kind.THREAD_COMMENT,
    "r": Kind.THREAD_COMMENT,
}


def pull_url(repository: Repository, number: int) -> str:
    """The address of pull request `number`, under the name that the repository first had."""
    return f"{repository.web_url}/{repository.name}/pull/{number}"


def comment_url(pull: str, database_id: int | None) -> str | None:
    """The address of an issue comment on the pull request at `pull`; None without a database id."""
    return None if database_id is None else f"{pull}#issuecomment-{database_id}"


def review_url(pull: str, database_id: int | None) -> str | None:
    """The address of a review on the pull request at `pull`; None without a database id."""
    return None if database_id is None else f"{pull}#pullrequestreview-{database_id}"


def thread_comment_url(pull: str, database_id: int | None) -> str | None:
    """The address of a thread's comment on that pull request; None without a database id."""
    return None if database_id is None else f"{pull}#discussion_r{database_id}"


def recognise(url: str) -> Target | None:
    """What `url` points at, or None if it is no address of a pull request.

    An unknown fragment points at the pull request itself.
    """
    if (found := _ADDRESS.fullmatch(url)) is None:
        return None
    entry = _FRAGMENT.fullmatch(found["fragment"] or "")
    return Target(
        web_url=found["web_url"],
        name=found["name"],
        number=int(found["number"]),
        kind=Kind.PULL if entry is None else _KINDS[entry["kind"]],
        database_id=None if entry is None else int(entry["id"]),
    )
