"""Any endpoint that speaks OpenAI's chat completions, hosted or on this machine.

Reference: https://platform.openai.com/docs/api-reference/chat. The official client retries what
passes by itself (429, 5xx, lost connections); what it gives up on costs one answer.
"""

from __future__ import annotations

from collections.abc import Mapping

import openai

from birdview.synthesis.prompts import Generate, Prompt
from syncer.errors import ConfigError

__all__ = ["BASE_URL", "ModelError", "connect"]

BASE_URL = "https://api.openai.com/v1"
_NO_KEY = "none"  # the client insists on some key; a server that asks for none ignores it


class ModelError(Exception):
    """The endpoint gave no answer. Names the kind of failure; never a key, a header or a text."""


def connect(
    model: str, environment: Mapping[str, str], *, timeout_s: float, retries: int = 2
) -> Generate:
    """A binding to `model` at `OPENAI_BASE_URL` with `OPENAI_API_KEY`, both from `environment`.

    `timeout_s` holds for each try. Raises ConfigError without a key, unless a base URL is set.
    """
    base_url = environment.get("OPENAI_BASE_URL", "").strip() or None
    key = environment.get("OPENAI_API_KEY", "").strip() or None
    if key is None and base_url is None:
        raise ConfigError(
            "model: openai:NAME needs OPENAI_API_KEY, or OPENAI_BASE_URL of a server without keys"
        )
    _refuse_bad_url(base_url)
    plain: set[str] = set()  # holds the model once it was seen to refuse the JSON mode

    async def generate(prompt: Prompt) -> str:
        # A client for each question: it belongs to the event loop that it was used in.
        async with openai.AsyncOpenAI(
            api_key=key or _NO_KEY,
            base_url=base_url or BASE_URL,
            timeout=timeout_s,
            max_retries=retries,
        ) as client:
            try:
                if model not in plain:
                    return await _ask(client, model, prompt, json_mode=True)
            except (openai.BadRequestError, openai.UnprocessableEntityError):
                plain.add(model)
            except openai.OpenAIError as exc:
                raise ModelError(_named(exc)) from None
            try:
                return await _ask(client, model, prompt, json_mode=False)
            except openai.OpenAIError as exc:
                raise ModelError(_named(exc)) from None

    return generate


async def _ask(client: openai.AsyncOpenAI, model: str, prompt: Prompt, *, json_mode: bool) -> str:
    completion = await client.chat.completions.create(
        model=model,
        messages=[
            {"role": "system", "content": prompt.instructions},
            {"role": "user", "content": prompt.data},
        ],
        max_completion_tokens=prompt.max_answer_tokens,
        response_format={"type": "json_object"} if json_mode else openai.omit,
    )
    if not completion.choices:
        raise ModelError("no choices in the answer")
    return completion.choices[0].message.content or ""


def _named(exc: openai.OpenAIError) -> str:
    # The library's own message may repeat what the server said, and that may repeat anything.
    status = f" {exc.status_code}" if isinstance(exc, openai.APIStatusError) else ""
    return f"{type(exc).__name__}{status}"


def _refuse_bad_url(base_url: str | None) -> None:
    if base_url is not None and not base_url.startswith(("http://", "https://")):
        raise ConfigError("OPENAI_BASE_URL: must begin with http:// or https://")
