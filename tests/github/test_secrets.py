"""The token, a header's value and anybody's text never leave the door by a message or a log."""

from __future__ import annotations

import json
import logging
import traceback

import pytest

from syncer.errors import SyncError, TransientError
from syncer.evidence import Connection
from syncer.github import Credentials, Endpoint, GitHub, Patience, Token
from syncer.github.answers import Part
from tests.github.support import SECRET, Script, Time, answer, chain, governor
from tests.github.test_transport import BROKEN, raw

TEXT = "a-sentence-that-somebody-wrote-in-confidence"
HEADERS = {
    "set-cookie": SECRET,
    "x-github-sso": f"required; url=https://{SECRET}",
    "location": f"https://{SECRET}",
    "x-oauth-scopes": SECRET,
    "x-github-enterprise-version": f"<{SECRET}>",
}


def error(**fields: object) -> dict[str, object]:
    return {"message": f"{TEXT} {SECRET}"} | fields


def _bodies() -> dict[str, bytes]:
    errors = {
        "no data": [error()],
        "refused": [error(type="FORBIDDEN")],
        "not found": [error(type="NOT_FOUND")],
        "throttled": [error(type="RATE_LIMITED")],
        "heavy": [error(type="RESOURCE_LIMITS_EXCEEDED")],
        "cursor": [error(type="INVALID_CURSOR_ARGUMENTS")],
        "unknown": [error(type=TEXT)],
        "field": [{"message": f"Field '{TEXT}' doesn't exist on type '{SECRET}'"}],
        "code": [error(extensions={"code": TEXT, "typeName": SECRET})],
    }
    found = {
        name: json.dumps({"data": None, "errors": errors}).encode()
        for name, errors in errors.items()
    }
    wrong = {"a0": [{"id": TEXT, "updatedAt": SECRET, "connection": TEXT}], "rateLimit": TEXT}
    return found | {
        "html": f"<html>{TEXT}{SECRET}</html>".encode(),
        "cut": json.dumps({"data": TEXT + SECRET}).encode()[:-3],
        "surrogate and cut": f'{{"data": "{TEXT}{SECRET}\\ud800'.encode(),
        "shape": json.dumps({"data": wrong}).encode(),
        "message": json.dumps({"message": f"{TEXT} {SECRET}"}).encode(),
    }


async def _everything_said(github: GitHub, time: Time, caplog) -> str:
    caplog.set_level(logging.DEBUG)
    said = []
    with pytest.raises(SyncError) as caught:
        await time.run(github.batch([Part(name=Connection.COMMENTS, ids=("PR_1",))]))
    for one in chain(caught.value):
        said += [str(one), repr(one), repr(vars(one)), *getattr(one, "__notes__", [])]
    said += traceback.format_exception(caught.value)
    for record in caplog.records:
        said += [record.getMessage(), repr(record.args), repr(record.exc_info)]
    return "\n".join(said)


@pytest.mark.parametrize("status", [200, 302, 400, 401, 403, 404, 429, 500, 502, 503])
@pytest.mark.parametrize("body", _bodies().values(), ids=_bodies())
async def test_no_failure_tells_a_secret_or_anybodys_text(status, body, caplog):
    time = Time()
    exchange = answer(status=status, headers=HEADERS, body=body)
    github = GitHub(
        Credentials(Token(SECRET)),
        governor(time, wait=True),
        name="octo/bird",
        transport=Script(exchange, loop=True),
        patience=Patience(faults=1, throttles=1),
    )

    said = await _everything_said(github, time, caplog)

    assert said
    assert SECRET not in said
    assert TEXT not in said


@pytest.mark.parametrize("chunks", BROKEN.values(), ids=BROKEN)
async def test_no_broken_connection_tells_a_secret(chunks, caplog):
    async with raw(*chunks) as endpoint:
        github = GitHub(
            Credentials(Token(SECRET)),
            governor(Time()),
            name="octo/bird",
            endpoint=Endpoint(url=endpoint.url),
            patience=Patience(faults=0),
        )
        async with github:
            caplog.set_level(logging.DEBUG)
            with pytest.raises(TransientError) as caught:
                await github.batch([Part(name=Connection.COMMENTS, ids=("PR_1",))])

    said = "\n".join(f"{one!r} {vars(one)}" for one in chain(caught.value))
    said += "".join(traceback.format_exception(caught.value)) + caplog.text
    assert SECRET not in said


def test_the_door_itself_shows_no_token():
    github = GitHub(Credentials(Token(SECRET)), governor(Time()), name="octo/bird")

    assert SECRET not in f"{github!r} {vars(github)}"
