"""What goes out: status, headers, bytes, and where the connection is to end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import msgspec

from syncer.testing.github.clock import Clock
from syncer.testing.github.fault_kinds import Respond, Wire
from syncer.testing.github.limits import Budget

__all__ = ["CutError", "Reply", "encoded", "headers_of", "scripted"]

JSON = "application/json; charset=utf-8"


@dataclass(slots=True)
class Reply:
    """One answer; `wire` says how it is to be cut short."""

    status: int
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    wire: Wire | None = None


class CutError(Exception):
    """The connection ended before the answer did; `sent` is the part of the body that came."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"the connection ended: {reply.wire}")
        self.wire = reply.wire
        self.status = reply.status
        self.headers = reply.headers
        self.sent = b"" if reply.wire is Wire.RESET else reply.body[: len(reply.body) // 2]


def encoded(payload: Mapping[str, Any]) -> bytes:
    """`payload` as JSON; a lone surrogate goes out as its escape."""
    try:
        return msgspec.json.encode(payload)
    except UnicodeEncodeError:
        return json.dumps(payload, ensure_ascii=True, separators=(",", ":")).encode()


def headers_of(clock: Clock, k: int, budget: Budget | None) -> dict[str, str]:
    """The headers of every answer; without a budget those of the rate limit are missing."""
    out = {
        "Content-Type": JSON,
        "Date": clock.http_date(),
        "X-GitHub-Media-Type": "github.v4; format=json",
        "X-GitHub-Request-Id": f"{k:04X}:{k * 7919:06X}:{k * 104_729:07X}",
    }
    if budget is not None and budget.resets_at is not None:
        out |= {
            "X-RateLimit-Limit": str(budget.limit),
            "X-RateLimit-Remaining": str(budget.remaining),
            "X-RateLimit-Used": str(budget.used),
            "X-RateLimit-Reset": str(int(budget.resets_at.timestamp())),
            "X-RateLimit-Resource": "graphql",
        }
    return out


def scripted(fault: Respond, clock: Clock, headers: dict[str, str]) -> Reply:
    """The reply that `fault` dictates, over the usual `headers`."""
    headers["Content-Type"] = fault.content_type
    if fault.reset_in_s is not None:
        reset = clock.now() + timedelta(seconds=fault.reset_in_s)
        headers["X-RateLimit-Reset"] = str(int(reset.timestamp()))
    if fault.remaining is not None:
        headers["X-RateLimit-Remaining"] = str(fault.remaining)
    body = fault.body if isinstance(fault.body, bytes) else encoded(fault.body)
    return Reply(fault.status, {**headers, **fault.headers}, body)
