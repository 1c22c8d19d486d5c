from __future__ import annotations

import asyncio
import copy
import logging
import pickle

import pytest

from syncer.errors import ConfigError
from syncer.github.token import Credentials, Token
from tests.github.support import SECRET


class Source:
    """Gives out tokens one after the other, then None."""

    def __init__(self, *tokens: str) -> None:
        self._tokens = list(tokens)
        self.asked = 0

    async def renew(self) -> Token | None:
        self.asked += 1
        await asyncio.sleep(0)
        return Token(self._tokens.pop(0)) if self._tokens else None


@pytest.mark.parametrize(
    "printed",
    [
        repr(Token(SECRET)),
        str(Token(SECRET)),
        f"{Token(SECRET)}",
        f"{Token(SECRET)!r:>40}",
        "%s %r" % (Token(SECRET), Token(SECRET)),  # noqa: UP031 - as logging does it
        str({"token": Token(SECRET)}),
        repr(vars(Credentials(Token(SECRET)))),
    ],
    ids=["repr", "str", "format", "spec", "percent", "inside", "credentials"],
)
def test_a_token_is_masked_however_it_is_printed(printed):
    assert SECRET not in printed
    assert "***" in printed


def test_a_logged_token_is_masked(caplog):
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("any").warning("with %s", Token(SECRET))

    assert SECRET not in caplog.text


@pytest.mark.parametrize("write", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_token_is_never_written_anywhere(write):
    with pytest.raises(TypeError) as caught:
        write(Token(SECRET))

    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["", " ", "with space", "line\nbreak", "tab\t", "Zeichen-ä", "nul\0", f"{SECRET}\r\nX-Evil: 1"],
)
def test_a_text_that_no_header_can_carry_is_refused_without_being_shown(text):
    with pytest.raises(ConfigError) as caught:
        Token(text)

    assert not text.strip() or text not in str(caught.value)
    assert SECRET not in str(caught.value)


def test_tokens_are_equal_when_their_secrets_are():
    assert Token("a") == Token("a")
    assert Token("a") != Token("b")
    assert len({Token("a"), Token("a"), Token("b")}) == 2
    assert Token("a") != "a"


async def test_however_many_tasks_were_refused_the_source_is_asked_once():
    source = Source("fresh")
    credentials = Credentials(Token("old"), source)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(credentials.renewed(0)) for _ in range(40)]

    assert all(task.result() for task in tasks)
    assert source.asked == 1
    assert credentials.serial == 1
    assert credentials.token.reveal() == "fresh"


async def test_a_source_that_has_nothing_is_asked_once_for_a_refused_token():
    source = Source()
    credentials = Credentials(Token("old"), source)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(credentials.renewed(0)) for _ in range(40)]

    assert not any(task.result() for task in tasks)
    assert source.asked == 1


async def test_the_same_token_again_is_no_renewal():
    credentials = Credentials(Token("old"), Source("old"))

    assert not await credentials.renewed(0)


async def test_a_renewed_token_can_be_renewed_again():
    credentials = Credentials(Token("a"), Source("b", "c"))

    assert await credentials.renewed(0)
    assert await credentials.renewed(1)
    assert credentials.token.reveal() == "c"


async def test_without_a_source_there_is_no_renewal():
    assert not await Credentials(Token("a")).renewed(0)
