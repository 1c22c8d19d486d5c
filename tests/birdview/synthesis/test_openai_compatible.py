from __future__ import annotations

import logging
import traceback
from collections.abc import AsyncIterator, Callable

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from birdview.synthesis import Limits, bind, synthesise
from birdview.synthesis.prompts import Prompt, Task
from syncer.errors import ConfigError
from syncer.testing.samples import sample
from tests.birdview.synthesis.models import REPOSITORY, Clock

pytest.importorskip("openai", reason="the extra [openai] is not installed")

from birdview.synthesis.openai_compatible import ModelError, connect

KEY = "sk-test-0123456789"
PROMPT = Prompt(
    task=Task.MAP, instructions="Answer in JSON.", data="some words", max_answer_tokens=77
)

Reply = Callable[[dict[str, object]], web.Response]


class Endpoint:
    """A server that answers as it is told and remembers what it was asked."""

    def __init__(self) -> None:
        self.reply: Reply = lambda _: completion('{"claims": []}')
        self.bodies: list[dict[str, object]] = []
        self.keys: list[str] = []
        self.url = ""

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.bodies.append(body)
        self.keys.append(request.headers.get("Authorization", ""))
        return self.reply(body)


def completion(text: str) -> web.Response:
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text},
    }
    answer = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }
    return web.json_response(answer)


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    found = Endpoint()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", found.handle)
    async with TestServer(app) as server:
        found.url = str(server.make_url("/v1"))
        yield found


def environment(endpoint: Endpoint) -> dict[str, str]:
    return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": endpoint.url}


async def test_instructions_and_data_are_sent_apart(endpoint: Endpoint) -> None:
    answer = await connect("small", environment(endpoint), timeout_s=5)(PROMPT)

    (body,) = endpoint.bodies
    assert answer == '{"claims": []}'
    assert body["model"] == "small"
    assert body["messages"] == [
        {"role": "system", "content": "Answer in JSON."},
        {"role": "user", "content": "some words"},
    ]
    assert body["max_completion_tokens"] == 77
    assert body["response_format"] == {"type": "json_object"}
    assert endpoint.keys == [f"Bearer {KEY}"]


async def test_a_server_without_the_json_mode_is_asked_without_it_from_then_on(
    endpoint: Endpoint,
) -> None:
    def reply(body: dict[str, object]) -> web.Response:
        if "response_format" in body:
            return web.json_response({"error": {"message": "unknown field"}}, status=400)
        return completion("{}")

    endpoint.reply = reply
    generate = connect("small", environment(endpoint), timeout_s=5)

    assert [await generate(PROMPT), await generate(PROMPT)] == ["{}", "{}"]
    assert ["response_format" in body for body in endpoint.bodies] == [True, False, False]


async def test_a_local_server_needs_no_key(endpoint: Endpoint) -> None:
    generate = connect("small", {"OPENAI_BASE_URL": endpoint.url}, timeout_s=5)

    assert await generate(PROMPT) == '{"claims": []}'


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        (lambda _: web.json_response({"error": {"message": f"bad key {KEY}"}}, status=401), "401"),
        (lambda _: web.json_response({"error": {"message": KEY}}, status=404), "404"),
        (lambda _: web.json_response({"error": {"message": KEY}}, status=503), "503"),
        (lambda _: web.json_response({"choices": []}), "no choices"),
    ],
    ids=["refused key", "no such model", "out of service", "no answer"],
)
async def test_a_failure_is_named_and_never_shows_the_key(
    endpoint: Endpoint, reply: Reply, named: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint.reply = reply
    generate = connect("small", environment(endpoint), timeout_s=5, retries=0)

    with pytest.raises(ModelError, match=named) as raised:
        await generate(PROMPT)

    shown = "".join(traceback.format_exception(raised.value)) + repr(generate) + caplog.text
    assert KEY not in shown


async def test_a_server_that_is_not_there_costs_the_answer_and_nothing_else() -> None:
    gone = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}

    result = await synthesise(
        [sample(1)],
        connect("small", gone, timeout_s=5, retries=0),
        REPOSITORY,
        clock=Clock(),
        limits=Limits(),
    )

    assert result.synthesis.reason == "inference_failed"


async def test_the_binding_is_found_by_name_and_shows_the_model_but_not_the_key(
    endpoint: Endpoint,
) -> None:
    binding = bind("openai:small", environment(endpoint))

    assert binding is not None
    assert binding.model == "small"
    assert binding.generator == "map-reduce/1"
    assert KEY not in repr(binding)


@pytest.mark.parametrize(
    ("name", "env", "says"),
    [
        ("openai:small", {}, "OPENAI_API_KEY"),
        ("openai:small", {"OPENAI_BASE_URL": "ftp://host"}, "OPENAI_BASE_URL"),
        ("openai:", {}, "openai:NAME"),
        ("gpt", {}, "extractive"),
    ],
)
def test_a_binding_that_cannot_be_made_says_what_to_change(
    name: str, env: dict[str, str], says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        bind(name, env)
