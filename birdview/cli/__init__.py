"""The `birdview` command: explore a window, drill down, list, tell how a corpus stands, serve it.

Results stand on standard output, with `--json` as objects with stable keys; messages on standard
error. Nothing is ever written to a corpus.
"""

from __future__ import annotations

from birdview.cli.entry import main

__all__ = ["main"]
