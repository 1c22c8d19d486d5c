"""A file of the corpus as lines, read from top to bottom by position and by count.

A line ends at LF and nowhere else. Nothing here ever looks for a line by its content: what a
user wrote is passed over by the number of its lines.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from syncer.corpus.errors import CorpusError

__all__ = ["Lines", "lines_of"]

T = TypeVar("T")


def lines_of(text: str) -> int:
    """How many lines `text` takes: none when it is empty, else one more than it has LFs."""
    return text.count("\n") + 1 if text else 0


class Lines:
    """A cursor over the lines of `data`. Every refusal is a CorpusError naming file and line."""

    def __init__(self, data: bytes, file: str | None = None) -> None:
        self._lines = data.split(b"\n")
        self._at = 0
        self._file = file
        if self._lines.pop():
            self._at = len(self._lines)
            raise self.damage("the last line to end with LF (a torn file?)")

    @property
    def at_end(self) -> bool:
        """Whether every line was passed."""
        return self._at == len(self._lines)

    def damage(self, expected: str, *, back: int = 0) -> CorpusError:
        """The error for the coming line, or for the one `back` lines before it."""
        return CorpusError(f"expected {expected}", file=self._file, line=self._at + 1 - back)

    def next_is(self, start: str) -> bool:
        """Whether there is a coming line and it begins with `start`."""
        return not self.at_end and self._lines[self._at].startswith(start.encode())

    def after_blank(self, start: str) -> bool:
        """Whether an empty line comes, and then one that begins with `start`."""
        at = self._at
        return (
            at + 1 < len(self._lines)
            and not self._lines[at]
            and self._lines[at + 1].startswith(start.encode())
        )

    def expect(self, text: str) -> None:
        """Pass the line `text`, which is the grammar's own."""
        if self.at_end or self._lines[self._at] != text.encode():
            raise self.damage(f"the line {text!r}" if text else "an empty line")
        self._at += 1

    def skip(self) -> None:
        """Pass one line, whatever it is."""
        if self.at_end:
            raise self.damage("another line (a torn file?)")
        self._at += 1

    def confirm(self, back: int, text: str) -> None:
        """Raise unless the line passed `back` lines ago is `text`.

        So what people read agrees with what machines read.
        """
        if self._lines[self._at - back] != text.encode():
            raise self.damage("a line that agrees with the machine fields beside it", back=back)

    def value(self, before: str, after: str, decoder: msgspec.json.Decoder[T]) -> T:
        """Pass a line that holds one JSON value between `before` and `after`."""
        line = self._lines[self._at] if not self.at_end else b""
        start, end = before.encode(), after.encode()
        if not (line.startswith(start) and line.endswith(end) and len(line) > len(start + end)):
            raise self.damage(f"a line {before + '…' + after!r}")
        try:
            found = decoder.decode(line[len(start) : len(line) - len(end)])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
            raise self.damage(
                f"a value that fits ({exc}) in the line {before + '…' + after!r}"
            ) from exc
        self._at += 1
        return found

    def block(self, count: int) -> str:
        """Pass exactly `count` lines and return them as the text they stand for."""
        if count < 0 or self._at + count > len(self._lines):
            raise self.damage(f"{count} more lines (a torn file?)")
        data = b"\n".join(self._lines[self._at : self._at + count])
        if count and not data:
            raise self.damage("no line at all for an empty text")
        try:
            text = data.decode()
        except UnicodeDecodeError as exc:
            raise self._not_utf8(exc, data) from exc
        self._at += count
        return text

    def _not_utf8(self, exc: UnicodeDecodeError, data: bytes) -> CorpusError:
        line = self._at + 1 + data.count(b"\n", 0, exc.start)
        return CorpusError("expected UTF-8", file=self._file, line=line)
