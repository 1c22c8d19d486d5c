"""What is wrong with a corpus, and where."""

from __future__ import annotations

from syncer.errors import ConfigError, DamagedError

__all__ = ["CorpusError", "UnknownReleaseError"]


class CorpusError(DamagedError):
    """A file of the corpus is not what its grammar or its own digests say.

    `file` is what the caller called it, `line` counts from 1; None where neither is known. The
    message says what was expected there, and holds no user's text.
    """

    def __init__(self, detail: str, *, file: str | None = None, line: int | None = None) -> None:
        where = [part for part in (file, line and f"line {line}") if part]
        super().__init__(": ".join([*where, detail]))
        self.detail = detail
        self.file = file
        self.line = line


class UnknownReleaseError(ConfigError):
    """No release point has this tag; `tag` is the one asked for."""

    def __init__(self, tag: str, why: str) -> None:
        super().__init__(f"release {tag!r} {why}")
        self.tag = tag
