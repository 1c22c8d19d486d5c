"""What leaves a command, whatever happens, holds no secret and no traceback unless asked for."""

from __future__ import annotations

import io
import json
import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.cli.console import Console

SECRET = "ghp_0123456789abcdef"


@given(before=st.text(max_size=20), after=st.text(max_size=20))
def test_a_secret_is_masked_wherever_it_stands(before: str, after: str) -> None:
    console = Console(secrets=[SECRET])
    lines: list[str] = []
    console.above = lines.append

    console.say(f"{before}{SECRET}{after}{SECRET}")

    assert SECRET not in lines[0]
    assert lines[0].count("***") >= 2


def test_a_secret_within_another_is_masked_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(secrets=[SECRET, SECRET + "more"])

    console.emit({"message": SECRET + "more"})
    console.print(SECRET)

    assert capsys.readouterr().out == '{"message":"***"}\n***\n'


def test_an_empty_or_tiny_variable_garbles_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Console(secrets=["", " ", "o"]).print("one two")

    assert capsys.readouterr().out == "one two\n"


def test_messages_and_records_never_stand_among_results(
    capsys: pytest.CaptureFixture[str],
) -> None:
    console = Console()
    console.say("a message", level="note")
    console.record("progress", left=1, points=None)
    captured = capsys.readouterr()

    assert captured.out == ""
    message, record = captured.err.splitlines()
    assert message == "note: a message"
    assert json.loads(record).keys() == {"time", "level", "event", "left"}


def test_a_traceback_is_shown_when_asked_for_only(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(secrets=[SECRET])
    error = ValueError(SECRET)
    console.trace(error)
    silent = capsys.readouterr().err
    console.debug = True
    console.trace(error)

    assert silent == ""
    assert "ValueError: ***" in capsys.readouterr().err


TEXT = "naïve \u2192 \U0001f600"
NO_TEXT = os.fsdecode(b"/old/caf\xe9")


@pytest.mark.parametrize("charset", ["utf-8", "ascii", "latin-1", "cp1252", "utf-16"])
def test_json_is_the_same_whatever_the_charset_of_the_stream(
    charset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    results, messages = io.BytesIO(), io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(results, encoding=charset))
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(messages, encoding=charset))
    console = Console()
    console.emit({"title": TEXT, "path": NO_TEXT})
    console.record("message", message=TEXT)

    reading = "utf-16" if charset == "utf-16" else "utf-8"  # a superset of ASCII otherwise
    assert json.loads(results.getvalue().decode(reading)) == {
        "title": TEXT,
        "path": "/old/caf\ufffd",
    }
    assert json.loads(messages.getvalue().decode(reading))["message"] == TEXT


@pytest.mark.parametrize("charset", ["utf-8", "ascii", "latin-1"])
def test_a_word_that_a_terminal_cannot_show_ends_no_command(
    charset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding=charset))
    Console().print(f"{TEXT} {NO_TEXT}")

    words = shown.getvalue().decode(charset)
    assert words.startswith("na")
    assert words.endswith("/old/caf\\udce9\n")
    assert (TEXT in words) == (charset == "utf-8")
