"""What a raw answer means, judged once and in one order. Pure.

The order: the wire (no JSON, cut) and the status, the `type` or `extensions.code` of an error,
the words of its message, else transient. An error with a path leaves the rest of the answer
standing (`syncer.github.marks`); one without spoils the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from syncer.errors import (
    ContractError,
    CursorRefusedError,
    RefusedError,
    SyncError,
    ThrottledError,
    TooHeavyError,
    TransientError,
    UndefinedFieldError,
)
from syncer.github import advice
from syncer.github.exchange import Exchange
from syncer.github.lacks import is_optional
from syncer.github.throttle import throttled
from syncer.github.wire import Envelope, GraphError

__all__ = [
    "CURSOR",
    "HEAVY",
    "MISSING",
    "PERMISSION",
    "EndedTokenError",
    "is_cursor",
    "is_heavy",
    "is_single_sign_on",
    "judge",
]

HEAVY = frozenset({"RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED"})
CURSOR = frozenset({"INVALID_CURSOR_ARGUMENTS"})
MISSING = frozenset({"NOT_FOUND"})
PERMISSION = frozenset({"FORBIDDEN", "INSUFFICIENT_SCOPES", "UNAUTHORIZED", "UNAUTHENTICATED"})
_PRIMARY = frozenset({"RATE_LIMITED", "RATE_LIMIT", "GRAPHQL_RATE_LIMIT"})
_PASSING = frozenset({"INTERNAL", "INTERNAL_SERVER_ERROR", "SERVICE_UNAVAILABLE", "LOADING"})

_SECONDARY_WORDS = ("secondary rate limit", "abuse detection")
_PRIMARY_WORDS = ("rate limit exceeded", "rate limit already exceeded")
_HEAVY_WORDS = ("something went wrong while executing your query", "timedout", "timeout on ")
_CURSOR_WORDS = ("appear to be a valid cursor", "invalid cursor")
_SSO_WORDS = ("saml",)
_UNDEFINED = re.compile(r"Field '(\w{1,80})' doesn't exist on type '(\w{1,80})'")


class EndedTokenError(RefusedError):
    """The token with number `serial` is not, or no longer, valid; a new one may be."""

    def __init__(self, serial: int) -> None:
        super().__init__(advice.BAD_CREDENTIALS)
        self.serial = serial


def judge(exchange: Exchange, answer: Envelope | None) -> Envelope | SyncError:
    """The answer when its data can be read, else the error that `exchange` stands for.

    `answer` is the opened body, None where that is no JSON object.
    """
    if exchange.status != 200:
        return _by_status(exchange, answer)
    if answer is None:
        return TransientError(f"status 200 with {_form(exchange.body)} instead of an answer")
    errors = answer.errors or ()
    for error in errors:
        if (limit := _limit(exchange, error)) is not None:
            return limit
    spoiling = [error for error in errors if not error.path or not answer.has_data]
    if spoiling:
        return _by_errors(exchange, spoiling)
    if not answer.has_data:
        return TransientError("an answer without data and without an error")
    return answer


def is_heavy(error: GraphError) -> bool:
    """Whether less at once might succeed."""
    return _has(error, HEAVY) or _says(error.message, _HEAVY_WORDS)


def is_cursor(error: GraphError) -> bool:
    """Whether a cursor was refused."""
    return _has(error, CURSOR) or _says(error.message, _CURSOR_WORDS)


def is_single_sign_on(error: GraphError) -> bool:
    """Whether an organisation wants the token to be authorised."""
    marked = bool((error.extensions or {}).get("saml_failure"))
    return marked or _says(error.message, _SSO_WORDS)


def _by_status(exchange: Exchange, answer: Envelope | None) -> SyncError:
    status = exchange.status
    if status in (403, 429) or (status == 503 and "retry-after" in exchange.headers):
        return _forbidden(exchange, answer)
    if status == 401:
        return EndedTokenError(exchange.serial)
    if status in (413, 502, 504):
        return TooHeavyError(f"status {status} with {_form(exchange.body)}")
    if status in (408, 421, 425) or status >= 500 or status < 300:
        return TransientError(f"status {status} with {_form(exchange.body)}")
    if status in (400, 405, 406, 411, 415, 422):
        return ContractError(f"GitHub does not accept the form of our request (status {status})")
    if status < 400:
        return RefusedError(advice.REDIRECTED.format(status=status))
    return RefusedError(advice.NO_GRAPHQL.format(status=status))


def _forbidden(exchange: Exchange, answer: Envelope | None) -> SyncError:
    text = (answer.message if answer else None) or exchange.body[:4096].decode("utf-8", "replace")
    spent = exchange.number("x-ratelimit-remaining") == 0
    if _says(text, _SECONDARY_WORDS):
        return throttled(exchange, primary=False)
    if spent or _says(text, _PRIMARY_WORDS):
        return throttled(exchange, primary=True)
    if "retry-after" in exchange.headers or exchange.status == 429:
        return throttled(exchange, primary=False)
    if "x-github-sso" in exchange.headers or _says(text, _SSO_WORDS):
        return RefusedError(advice.SINGLE_SIGN_ON)
    return RefusedError(advice.FORBIDDEN)


def _limit(exchange: Exchange, error: GraphError) -> ThrottledError | None:
    if _says(error.message, _SECONDARY_WORDS):
        return throttled(exchange, primary=False)
    if _has(error, _PRIMARY) or _says(error.message, _PRIMARY_WORDS):
        return throttled(exchange, primary=True)
    return None


def _by_errors(exchange: Exchange, errors: list[GraphError]) -> SyncError:
    lacks = [lack for error in errors if (lack := _undefined(error))]
    if lacks:
        return _schema_lacks(exchange, lacks)
    if any(map(is_cursor, errors)):
        return CursorRefusedError("GitHub no longer accepts a cursor")
    if any(map(is_heavy, errors)):
        return TooHeavyError("GitHub refused a query of this size (resource, node or time limit)")
    if any(_has(error, PERMISSION) for error in errors):
        return RefusedError(_permission(exchange, errors))
    if any(_has(error, MISSING) for error in errors):
        return RefusedError(advice.NOT_FOUND)
    if codes := {code for error in errors for code in error.codes} - _PASSING:
        return ContractError(f"GitHub does not accept our query ({_listed(codes)})")
    # A document that does not validate has a code; a type that nobody knows yet may pass.
    if types := {kind for error in errors for kind in error.kinds} - _PASSING:
        return TransientError(
            f"GitHub answered with an error of a kind of its own ({_listed(types)})"
        )
    return TransientError("GitHub answered with an error that it did not explain")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))[:200]


def _permission(exchange: Exchange, errors: Iterable[GraphError]) -> str:
    if "x-github-sso" in exchange.headers or any(map(is_single_sign_on, errors)):
        return advice.SINGLE_SIGN_ON
    return advice.FORBIDDEN


def _undefined(error: GraphError) -> tuple[str, str] | None:
    more = error.extensions or {}
    named = str(more.get("typeName", "")), str(more.get("fieldName", ""))
    if "UNDEFINEDFIELD" in error.kinds and all(map(str.isidentifier, named)):
        return named
    found = _UNDEFINED.search(error.message or "")
    return (found[2], found[1]) if found else None


def _schema_lacks(exchange: Exchange, lacks: list[tuple[str, str]]) -> SyncError:
    needed = [lack for lack in lacks if not is_optional(*lack)]
    if not needed:
        return UndefinedFieldError(*lacks[0])
    return ContractError(
        f"this server's GraphQL schema has no field {'.'.join(needed[0])}, which is needed"
        f"{advice.server_version(exchange)}"
    )


def _has(error: GraphError, kinds: frozenset[str]) -> bool:
    return not kinds.isdisjoint(error.kinds)


def _says(text: str | None, words: Iterable[str]) -> bool:
    said = (text or "").casefold()
    return any(word in said for word in words)


def _form(body: bytes) -> str:
    """The first bytes of a body, named and never quoted: they may be anybody's text."""
    start = body[:64].lstrip().lower()
    if not start:
        return "an empty body"
    if start.startswith(b"<"):
        return "an HTML page"
    return "a JSON text, cut or odd," if start[:1] in (b"{", b"[") else "a plain text"
