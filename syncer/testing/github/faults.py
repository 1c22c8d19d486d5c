"""Everything that can go wrong on GitHub's side, as values.

Each function below makes one fault; `Simulator.fail` says when it strikes. `CATALOGUE` holds one of
every kind by name, for tests that want them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count

from syncer.testing.github.context import Call
from syncer.testing.github.failing import FieldError
from syncer.testing.github.fault_kinds import (
    Cut,
    Fault,
    FieldFault,
    Heavy,
    Older,
    PageFault,
    Respond,
    Rewrite,
    Slow,
    Wire,
)
from syncer.testing.github.pages import Page

__all__ = [
    "CATALOGUE",
    "Cut",
    "Fault",
    "FieldFault",
    "Heavy",
    "Older",
    "PageFault",
    "Respond",
    "Rewrite",
    "Slow",
    "Wire",
    "bad_credentials",
    "broken_gzip",
    "connection_reset",
    "cut_chunks",
    "cut_length",
    "empty_cursor",
    "empty_page",
    "field_error",
    "forbidden",
    "gateway_page",
    "gateway_timeout",
    "html_with_200",
    "lone_surrogate",
    "not_found_page",
    "null_connection",
    "null_cursor",
    "null_node",
    "null_nodes",
    "primary_limit",
    "refused_cursor",
    "reset_mid_body",
    "resource_limits",
    "secondary_limit",
    "server_error",
    "single_sign_on",
    "something_went_wrong",
    "stuck_cursor",
    "wrong_total",
]

SECONDARY_WORDS = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)
WRONG_WORDS = (
    "Something went wrong while executing your query. This may be the result of a timeout, or it "
    "could be a GitHub bug."
)
_DOCS = "https://docs.github.com/graphql"


# -- status pages


def gateway_page() -> Respond:
    """502 with a page of HTML."""
    return Respond(
        status=502, body=b"<html><h1>502</h1></html>", content_type="text/html", billed=True
    )


def gateway_timeout() -> Respond:
    """504 with nothing in it."""
    return Respond(status=504, content_type="text/html", billed=True)


def html_with_200() -> Respond:
    """A page of HTML that claims success."""
    return Respond(body=b"<!DOCTYPE html><html></html>", content_type="text/html")


def server_error() -> Respond:
    """500 in JSON."""
    return Respond(status=500, body={"message": "Server Error"})


def not_found_page() -> Respond:
    """404, as for an address or a repository that this token may not know of."""
    return Respond(status=404, body={"message": "Not Found", "documentation_url": _DOCS})


def bad_credentials() -> Respond:
    """401, as for a token that is wrong or has ended."""
    return Respond(status=401, body={"message": "Bad credentials", "documentation_url": _DOCS})


def single_sign_on(status: int = 403) -> Respond:
    """A token that the organisation has not authorised: 403, or 200 with a marked error."""
    words = (
        "Resource protected by organization SAML enforcement. You must grant your Personal Access "
        "token access to this organization."
    )
    error = {"type": "FORBIDDEN", "extensions": {"saml_failure": True}, "message": words}
    body: dict[str, object] = (
        {"data": {"repository": None}, "errors": [{**error, "path": ["repository"]}]}
        if status == 200
        else {"message": words, "documentation_url": _DOCS}
    )
    url = "https://github.com/orgs/example/sso"
    return Respond(status=status, headers={"x-github-sso": f"required; url={url}"}, body=body)


# -- limits


def secondary_limit(status: int = 403, retry_after: str | None = "60") -> Respond:
    """The secondary limit, with or without Retry-After; the hourly budget is not used up.

    Status 200 gives an error inside an answer.
    """
    words = {"message": SECONDARY_WORDS}
    body: dict[str, object] = (
        {"data": None, "errors": [words]}
        if status == 200
        else {**words, "documentation_url": _DOCS}
    )
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Respond(status=status, body=body, headers=headers)


def primary_limit(type: str = "RATE_LIMITED", reset_in_s: int = 90, remaining: int = 0) -> Respond:
    """The hourly limit, as an error with status 200. The reset may lie in the past."""
    error = {"type": type, "message": "API rate limit exceeded for user ID 1."}
    return Respond(
        body={"data": None, "errors": [error]}, reset_in_s=reset_in_s, remaining=remaining
    )


# -- the wire


def connection_reset() -> Cut:
    """The connection ends before a byte of the answer."""
    return Cut(Wire.RESET)


def reset_mid_body() -> Cut:
    """The connection is reset in the middle of the answer."""
    return Cut(Wire.RESET_MID_BODY)


def cut_length() -> Cut:
    """The answer is shorter than its length header says."""
    return Cut(Wire.CUT_LENGTH)


def cut_chunks() -> Cut:
    """A chunked answer ends without its last chunk."""
    return Cut(Wire.CUT_CHUNKS)


def broken_gzip() -> Rewrite:
    """The answer claims to be compressed and is not."""
    return Rewrite(
        lambda body: b"\x1f\x8b\x08\x00" + body[: len(body) // 2], {"Content-Encoding": "gzip"}
    )


def lone_surrogate() -> Rewrite:
    """Half of a character at the beginning of every body."""
    return Rewrite(lambda body: body.replace(b'"body":"', b'"body":"\\ud83d'))


# -- parts of an answer


def field_error(
    type_name: str,
    field_name: str,
    *,
    type: str | None = "FORBIDDEN",
    message: str = "Resource not accessible by personal access token",
    located: bool = True,
    number: int | None = None,
) -> FieldFault:
    """An error beside data: this field is null, or its nearest parent that may be."""
    return FieldFault(
        type_name=type_name,
        field_name=field_name,
        error=FieldError(message, type=type, located=located),
        number=number,
    )


def forbidden(kind: str, number: int | None = None) -> FieldFault:
    """Partial data, because the token may not see `Type.field`."""
    return field_error(*_split(kind), number=number)


def resource_limits(kind: str = "PullRequest.comments", number: int | None = None) -> FieldFault:
    """Partial data, because the query used too much: `Type.field` is missing."""
    return field_error(
        *_split(kind),
        type="RESOURCE_LIMITS_EXCEEDED",
        message="Resource limits for this query exceeded.",
        number=number,
    )


def something_went_wrong(
    kind: str | None = None, *, located: bool = True, number: int | None = None
) -> FieldFault | Respond:
    """GitHub's words for a timeout: for one field `Type.field`, or with no data at all."""
    if kind is None:
        return Respond(body={"data": None, "errors": [{"message": WRONG_WORDS}]}, billed=True)
    return field_error(
        *_split(kind), type=None, message=WRONG_WORDS, located=located, number=number
    )


def _split(kind: str) -> tuple[str, str]:
    type_name, _, field_name = kind.partition(".")
    return type_name, field_name


def wrong_total(kind: str, by: int = 1, number: int | None = None) -> PageFault:
    """A claimed total that differs from what can be read."""

    def change(_: Call, page: Page) -> Page:
        page.total_count += by
        return page

    return PageFault(kind=kind, change=change, number=number, bare=True)


def null_node(kind: str, index: int = 0, number: int | None = None) -> PageFault:
    """One entry of a page is null; pages without an entry at `index` are left alone."""

    def change(_: Call, page: Page) -> Page:
        if page.nodes is not None and index < len(page.nodes):
            page.nodes[index] = None
        return page

    return PageFault(kind=kind, change=change, number=number)


def null_nodes(kind: str, number: int | None = None) -> PageFault:
    """`nodes: null` beside a page-info."""

    def change(_: Call, page: Page) -> Page:
        page.nodes = None
        return page

    return PageFault(kind=kind, change=change, number=number)


def null_connection(kind: str, number: int | None = None) -> PageFault:
    """The whole connection is null, or, where it may not be, its owner."""
    return PageFault(kind=kind, change=lambda _, __: None, number=number)


def stuck_cursor(kind: str, number: int | None = None) -> PageFault:
    """There is more, behind the cursor that was just used."""

    def change(call: Call, page: Page) -> Page:
        after = call.args.get("after")
        page.page_info.has_next_page = True
        page.page_info.end_cursor = after or page.page_info.end_cursor
        return page

    return PageFault(kind=kind, change=change, number=number)


def null_cursor(kind: str, number: int | None = None) -> PageFault:
    """There is more, behind no cursor."""
    return _ending(kind, None, number)


def empty_cursor(kind: str, number: int | None = None) -> PageFault:
    """There is more, behind an empty text."""
    return _ending(kind, "", number)


def _ending(kind: str, cursor: str | None, number: int | None) -> PageFault:
    def change(_: Call, page: Page) -> Page:
        page.page_info.has_next_page = True
        page.page_info.end_cursor = cursor
        return page

    return PageFault(kind=kind, change=change, number=number)


def empty_page(kind: str, number: int | None = None) -> PageFault:
    """No entries, and a new cursor behind which the same page waits."""
    salts = count(1)

    def change(_: Call, page: Page) -> Page:
        page.nodes = []
        page.page_info.has_next_page = True
        page.page_info.end_cursor = page.same_place(next(salts))
        return page

    return PageFault(kind=kind, change=change, number=number)


def refused_cursor(kind: str, number: int | None = None) -> PageFault:
    """A cursor that was given out is not accepted."""

    def change(call: Call, page: Page) -> Page:
        if (after := call.args.get("after")) is None:
            return page
        raise FieldError(
            f"`{after}` does not appear to be a valid cursor.", type="INVALID_CURSOR_ARGUMENTS"
        )

    return PageFault(kind=kind, change=change, number=number)


CATALOGUE: Mapping[str, Callable[[str], Fault]] = {
    "502 with a page of HTML": lambda _: gateway_page(),
    "504 with nothing": lambda _: gateway_timeout(),
    "200 with a page of HTML": lambda _: html_with_200(),
    "500": lambda _: server_error(),
    "404": lambda _: not_found_page(),
    "401": lambda _: bad_credentials(),
    "403 for single sign-on": lambda _: single_sign_on(),
    "200 for single sign-on": lambda _: single_sign_on(200),
    "secondary limit 403": lambda _: secondary_limit(),
    "secondary limit 403 without Retry-After": lambda _: secondary_limit(403, None),
    "secondary limit 429": lambda _: secondary_limit(429),
    "secondary limit 429 without Retry-After": lambda _: secondary_limit(429, None),
    "secondary limit 200": lambda _: secondary_limit(200, None),
    "secondary limit, Retry-After 0": lambda _: secondary_limit(403, "0"),
    "secondary limit, Retry-After a date": lambda _: secondary_limit(
        403, "Wed, 21 Oct 2015 07:28:00 GMT"
    ),
    "primary limit": lambda _: primary_limit(),
    "primary limit, other type": lambda _: primary_limit("RATE_LIMIT", remaining=12),
    "primary limit, reset in the past": lambda _: primary_limit(reset_in_s=-3),
    "connection reset": lambda _: connection_reset(),
    "reset in mid-body": lambda _: reset_mid_body(),
    "cut short of its length": lambda _: cut_length(),
    "cut between chunks": lambda _: cut_chunks(),
    "broken gzip": lambda _: broken_gzip(),
    "lone surrogate": lambda _: lone_surrogate(),
    "slow": lambda _: Slow(30.0),
    "no data, words only": lambda _: something_went_wrong(),
    "words at a path": something_went_wrong,
    "words without a path": lambda kind: something_went_wrong(kind, located=False),
    "resource limits": resource_limits,
    "forbidden": forbidden,
    "wrong total, more": lambda kind: wrong_total(kind, 2),
    "wrong total, less": lambda kind: wrong_total(kind, -1),
    "null node": null_node,
    "null nodes": null_nodes,
    "null connection": null_connection,
    "stuck cursor": stuck_cursor,
    "null cursor": null_cursor,
    "empty cursor": empty_cursor,
    "empty page": empty_page,
    "refused cursor": refused_cursor,
}
"""One fault of every kind, by name; those that strike a connection take its `Type.field`."""
