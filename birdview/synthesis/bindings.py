"""Which model a name means. Heavy libraries are loaded only for the binding that needs them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from birdview.synthesis import extractive
from birdview.synthesis.limits import Limits
from birdview.synthesis.prompts import PROMPT_VERSION, Generate
from syncer.errors import ConfigError

__all__ = ["Binding", "bind"]

_OPENAI = "openai:"


class Binding(Struct, frozen=True, kw_only=True):
    """A model with what an envelope says of it; `generate` keeps its key to itself."""

    generator: str
    model: str | None  # None: no model is behind it
    generate: Generate
    limits: Limits


def bind(name: str, environment: Mapping[str, str]) -> Binding | None:
    """The binding that `name` stands for: `none`, `extractive` or `openai:NAME`.

    The last reads `OPENAI_API_KEY` and `OPENAI_BASE_URL` from `environment` (with a base URL no key
    is needed: a local server may ask for none). Raises ConfigError for any other name, without a
    key, or without the library.
    """
    if name == "none":
        return None
    if name == "extractive":
        return Binding(
            generator=extractive.GENERATOR,
            model=None,
            generate=extractive.generate,
            limits=extractive.LIMITS,
        )
    if name.startswith(_OPENAI) and len(name) > len(_OPENAI):
        return _openai(name.removeprefix(_OPENAI), environment)
    raise ConfigError(f"model: there is no {name!r}; use none, extractive or openai:NAME")


def _openai(model: str, environment: Mapping[str, str]) -> Binding:
    try:
        from birdview.synthesis.openai_compatible import connect  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as exc:
        raise ConfigError(
            "model: openai:NAME needs the extra `openai`: run pip install '.[openai]' where this "
            "project lies"
        ) from exc
    limits = Limits()
    return Binding(
        generator=f"map-reduce/{PROMPT_VERSION}",
        model=model,
        generate=connect(model, environment, timeout_s=limits.call_timeout_s),
        limits=limits,
    )
