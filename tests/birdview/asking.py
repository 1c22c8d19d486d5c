"""Asking about a made-up corpus, at a moment of choice, with a model of choice."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import msgspec

from birdview import schema
from birdview.envelope import Envelope
from birdview.explore import Tools, explore
from birdview.request import Options, Request
from birdview.synthesis import Binding, Generate, Limits, Prompt, bind
from syncer.history import History
from tests.history.corpora import WATERMARK

__all__ = ["EXTRACTIVE", "HOUR", "NOW", "ask", "binding", "codes", "shown", "tools"]

HOUR = timedelta(hours=1)
NOW = WATERMARK + HOUR
EXTRACTIVE = bind("extractive", {})

_VALIDATOR = jsonschema.Draft202012Validator(json.loads(schema.published()))


def tools(
    root: Path,
    *,
    now: datetime = NOW,
    model: Binding | None = EXTRACTIVE,
    sleep: Callable[[float], None] = lambda _: None,
    **more: Any,
) -> Tools:
    source = more.pop("source", None) or History(root, sleep=sleep)
    return Tools(source=source, clock=lambda: now, binding=model, **more)


async def ask(
    root: Path, *, options: Options | None = None, with_: Tools | None = None, **request: Any
) -> Envelope:
    """The envelope, which fits the published schema whatever happened."""
    envelope = await explore(Request(**request), with_ or tools(root), options)
    _VALIDATOR.validate(json.loads(msgspec.json.encode(envelope)))
    return envelope


def shown(envelope: Envelope) -> dict[str, Any]:
    """The envelope as a reader of JSON has it."""
    found: dict[str, Any] = json.loads(msgspec.json.encode(envelope))
    return found


def codes(envelope: Envelope) -> list[str]:
    return [reason.code for reason in envelope.coverage.degraded_reasons]


def binding(answer: Callable[[Prompt], str] | Sequence[str] | Exception) -> Binding:
    """A model that answers so."""

    async def generate(prompt: Prompt) -> str:
        if isinstance(answer, Exception):
            raise answer
        if callable(answer):
            return answer(prompt)
        return answer[0]

    found: Generate = generate
    return Binding(generator="made-up/1", model="made-up", generate=found, limits=Limits())
