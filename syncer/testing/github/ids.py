"""Node ids in both of GitHub's forms, and back.

New form: a prefix per kind and base64 of a packed list, `PR_kwDO…`; accounts carry their own number
alone, everything else the repository's too. Legacy form: base64 of the length of the kind's name,
the name and the number, `011:PullRequest123`.
https://docs.github.com/en/graphql/guides/migrating-graphql-global-node-ids
"""

from __future__ import annotations

import base64
import binascii
import re

import msgspec

__all__ = ["ACCOUNT_KINDS", "legacy_id", "new_id", "parse_id"]

ACCOUNT_KINDS = frozenset({"Bot", "EnterpriseUserAccount", "Mannequin", "Organization", "User"})

_PREFIXES = {
    "Bot": "BOT",
    "EnterpriseUserAccount": "EUA",
    "Issue": "I",
    "IssueComment": "IC",
    "Label": "LA",
    "Mannequin": "M",
    "Organization": "O",
    "PullRequest": "PR",
    "PullRequestReview": "PRR",
    "PullRequestReviewComment": "PRRC",
    "PullRequestReviewThread": "PRRT",
    "Release": "RE",
    "Repository": "R",
    "User": "U",
}
_KINDS = {prefix: kind for kind, prefix in _PREFIXES.items()}
_LEGACY = re.compile(rb"0(\d{1,2}):([A-Za-z]+)(\d+)")
_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(list[int]).decode


def new_id(kind: str, database_id: int, repository_id: int) -> str:
    """The id that GitHub gives to requests which say `X-Github-Next-Global-ID: 1`.

    A kind that no schema knows is its own prefix: such ids go out and are not found again.
    """
    alone = kind in ACCOUNT_KINDS or kind == "Repository" or kind not in _PREFIXES
    parts = [0, database_id] if alone else [0, repository_id, database_id]
    text = base64.urlsafe_b64encode(_pack(parts)).decode().rstrip("=")
    return f"{_PREFIXES.get(kind, kind)}_{text}"


def legacy_id(kind: str, database_id: int) -> str:
    """The id that GitHub gives to all other requests."""
    return base64.b64encode(f"0{len(kind)}:{kind}{database_id}".encode()).decode()


def parse_id(text: str) -> tuple[str, int] | None:
    """The kind and database id behind an id of either form; None for anything else."""
    prefix, underscore, packed = text.partition("_")
    if underscore and prefix in _KINDS:
        return _parse_new(_KINDS[prefix], packed)
    return _parse_legacy(text)


def _parse_new(kind: str, packed: str) -> tuple[str, int] | None:
    try:
        parts = _unpack(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
    except (binascii.Error, ValueError, msgspec.MsgspecError):
        return None
    return (kind, parts[-1]) if len(parts) in (2, 3) else None


def _parse_legacy(text: str) -> tuple[str, int] | None:
    try:
        found = _LEGACY.fullmatch(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        return None
    if found is None or int(found[1]) != len(found[2]):
        return None
    return found[2].decode(), int(found[3])
