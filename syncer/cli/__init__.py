"""The `syncer` command. One module a command, loaded when it is called; `main` is the way in."""

from __future__ import annotations

from syncer.cli.entry import main

__all__ = ["main"]
