"""Where a command's words go: results to standard output, all else to standard error.

Every text is searched for the secrets of the environment before it leaves; nothing should hold
one, and this is the net below that promise.
"""

from __future__ import annotations

import codecs
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TextIO

import msgspec

__all__ = ["Console", "begin", "settle"]

_SHORTEST_SECRET = 8
"""A shorter text is no token, and hiding it would garble ordinary words."""


class Console:
    """One command's standard output and standard error.

    `as_json`: results are objects, one a line. `json_log`: so are messages. `above` takes a line of
    text in place of standard error while a progress display is in its way.
    """

    def __init__(self, *, secrets: Iterable[str] = ()) -> None:
        found = {secret.strip() for secret in secrets}
        self._secrets = [
            s for s in sorted(found, key=len, reverse=True) if len(s) >= _SHORTEST_SECRET
        ]
        self.as_json = False
        self.json_log = False
        self.debug = False
        self.above: Callable[[str], None] | None = None

    def emit(self, value: object) -> None:
        """`value` as one line of JSON on standard output."""
        self.print(_json(value, sys.stdout))

    def print(self, text: str) -> None:
        """A line of the result on standard output. A reader who has left stops nothing."""
        line = self._masked(text)
        if self.above is not None and sys.stdout.isatty():
            self.above(line)  # the same screen
        else:
            _write(sys.stdout, line)

    def say(self, message: str, *, level: str = "info", **facts: object) -> None:
        """A message for people and logs; `facts` are told in JSON logs alone."""
        if self.json_log:
            self.record("message", level=level, message=message, **facts)
            return
        line = self._masked(message if level == "info" else f"{level}: {message}")
        if self.above is not None:
            self.above(line)
        else:
            _write(sys.stderr, line)

    def record(self, event: str, *, level: str = "info", **facts: object) -> None:
        """One line of a JSON log: when, what, and `facts` without those that are None."""
        told = {key: value for key, value in facts.items() if value is not None}
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = _json({"time": now, "level": level, "event": event, **told}, sys.stderr)
        _write(sys.stderr, self._masked(line))

    def trace(self, error: BaseException) -> None:
        """With `--debug`, the traceback of `error`."""
        if self.debug:
            text = "".join(traceback.format_exception(error)).rstrip()
            self.say(text, level="debug")

    def _masked(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


def begin() -> None:
    """Give a standard stream that was closed (`2>&-`) a place where nothing is kept."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_WRONLY)
            setattr(sys, name, os.fdopen(nothing, "w", encoding="utf-8"))


def settle() -> None:
    """Let go of results that standard output does not take, or the interpreter ends with 120."""
    try:
        sys.stdout.flush()
    except OSError:
        leave(sys.stdout)


def _json(value: object, stream: TextIO) -> str:
    """One line of JSON: as it is where `stream` takes UTF-8, all ASCII where it does not.

    What is no text, as a path may be, has U+FFFD in its place.
    """
    unicode = codecs.lookup(stream.encoding).name == "utf-8"
    try:
        text = msgspec.json.encode(value).decode()
        text.encode("utf-8" if unicode else "ascii")
    except UnicodeEncodeError:
        raw = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, separators=(",", ":"))
        whole = raw.encode(errors="surrogateescape").decode(errors="replace")
        return whole if unicode else json.dumps(json.loads(whole), separators=(",", ":"))
    return text


def _write(stream: TextIO, line: str) -> None:
    try:
        stream.write(f"{_legible(line, stream.encoding)}\n")
        stream.flush()
    except OSError as error:
        leave(stream)
        # A reader who has left stops nothing, nor does a log that is full; a lost result does.
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            raise


def _legible(line: str, encoding: str) -> str:
    # A terminal of another charset shows what it lacks as an escape, rather than ending the run.
    return line.encode(encoding, "backslashreplace").decode(encoding)


def leave(stream: TextIO) -> None:
    """Point `stream` at nothing: its reader has gone, and the interpreter flushes it once more."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, stream.fileno())
    os.close(nothing)
