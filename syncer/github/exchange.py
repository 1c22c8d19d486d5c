"""One request and its raw answer. Neither headers nor body are ever printed."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import msgspec
from gql import GraphQLRequest

from queries import Document
from syncer import __version__
from syncer.errors import TransientError
from syncer.github.token import Token

__all__ = ["HEADERS", "Exchange", "Prepared", "authorization", "http_date", "unpacked"]

HEADERS: dict[str, str] = {
    "Accept": "application/json",
    "Accept-Encoding": "gzip",
    "Content-Type": "application/json",
    "User-Agent": f"pr-syncer/{__version__}",
    # Without it, older objects come back under their legacy ids.
    # https://docs.github.com/graphql/guides/migrating-graphql-global-node-ids
    "X-Github-Next-Global-ID": "1",
}
"""What every request says beside its token."""


def authorization(token: Token) -> dict[str, str]:
    """The one header that holds the token."""
    return {"Authorization": f"bearer {token.reveal()}"}


class Prepared(GraphQLRequest):
    """A request whose document is printed already: printing costs more than sending it."""

    def __init__(self, document: Document, variables: Mapping[str, object]) -> None:
        super().__init__(
            document.node, variable_values=dict(variables), operation_name=document.name
        )
        self.text = document.text

    def encoded(self) -> bytes:
        """The body to post."""
        return msgspec.json.encode(
            {
                "query": self.text,
                "operationName": self.operation_name,
                "variables": self.variable_values,
            }
        )


@dataclass(frozen=True, slots=True, repr=False)
class Exchange:
    """What one POST brought back, whatever it was."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes  # decompressed
    elapsed_s: float  # from sending to the status line: what the server took
    serial: int = 0  # of the token that was sent (`Credentials.serial`)

    def __repr__(self) -> str:
        return f"Exchange(status={self.status}, {len(self.body)} bytes)"

    def number(self, name: str) -> int | None:
        """The whole number in header `name`; None where there is none."""
        text = self.headers.get(name, "").strip()
        return int(text) if text.isascii() and text.isdigit() else None

    @property
    def date(self) -> datetime:
        """The server's clock. Raises TransientError where it is not told: nothing replaces it."""
        date = http_date(self.headers.get("date", ""))
        if date is None:
            raise TransientError("the answer does not tell the server's clock (header Date)")
        return date


def unpacked(raw: bytes, encoding: str) -> bytes:
    """A body as it was before it was packed. Raises TransientError for one that is not whole."""
    coding = encoding.strip().lower()  # https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1
    if not raw or coding in ("", "identity"):
        return raw
    if coding not in ("gzip", "x-gzip"):
        raise TransientError("the answer is packed in a way that was not asked for")
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError, zlib.error):
        pass
    raise TransientError("the answer's gzip stream is broken or cut")


def http_date(text: str) -> datetime | None:
    """The instant of an HTTP date, in UTC; None where `text` is none."""
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
