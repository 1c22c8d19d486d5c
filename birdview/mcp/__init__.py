"""Bird View over the Model Context Protocol. Needs the extra `[mcp]`: import it only to serve."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from birdview.explore import Tools
from birdview.mcp.server import Reaching, build
from birdview.mcp.serving import address_of, listening, serve_http, serve_stdio
from birdview.synthesis import Binding
from syncer.history import History

__all__ = ["Reaching", "build", "serve"]


async def serve(
    root: Path,
    http: str | None = None,
    *,
    binding: Binding | None = None,
    reaching: Reaching | None = None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve the corpora below `root` until the client leaves (stdio) or the process is stopped.

    `http` is `HOST:PORT` on the loopback; without it standard input and output are the client's.
    `say` is told where the server listens. Raises ConfigError, and LocalError where the port is
    taken. Nothing is written anywhere.
    """
    server = build(Tools(source=History(root), clock=clock, binding=binding), reaching)
    if http is None:
        await serve_stdio(server)
        return
    with listening(*address_of(http)) as sock:
        host, port = sock.getsockname()[:2]
        say(f"http://{f'[{host}]' if ':' in host else host}:{port}/mcp")
        await serve_http(server, sock)
