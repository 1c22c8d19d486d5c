"""Names that stand in a tree only while it is written, or because something in it was damaged."""

from __future__ import annotations

import re

__all__ = ["SEALING", "meant_by", "set_aside_of", "temporary_of"]

SEALING = ".sealing"
"""Stands in the repository's folder while files are put in place and sealed.

Where it is found with nobody at work, the writer was stopped in between; its next run compares
every file and takes it away. Where it is not, nothing but damage explains a file that differs.
"""

_SET_ASIDE = re.compile(r"(.+)\.damaged-[1-9][0-9]*")


def temporary_of(path: str) -> str:
    """Where the next content of `path` is written: in its own directory, as renaming needs."""
    directory, slash, name = path.rpartition("/")
    return f"{directory}{slash}.{name}.tmp"


def meant_by(temporary: str) -> str | None:
    """The bare name of which `temporary` is the temporary one; None if it is none."""
    found = temporary.removeprefix(".").removesuffix(".tmp")
    return found if found and temporary == f".{found}.tmp" else None


def set_aside_of(name: str) -> str | None:
    """The bare name of the damaged file that is kept as `name`; None if it is none."""
    found = _SET_ASIDE.fullmatch(name)
    return None if found is None else found[1]
