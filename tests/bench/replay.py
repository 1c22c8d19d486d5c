"""Serves a tape: to each request the answer it had, at no cost. `python -m tests.bench.replay TAPE`.

Prints `listening on http://127.0.0.1:PORT/` when it is ready and ends at SIGTERM.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

from aiohttp import web

from tests.bench.tape import read_tape

__all__ = ["main"]

_LARGEST_BODY = 8 * 1024 * 1024


def main(tape: Path) -> int:
    """Serve `tape` until told to stop."""
    asyncio.run(_serve({spoken.asked: spoken.answered for spoken in read_tape(tape)}))
    return 0


async def _serve(answers: dict[bytes, bytes]) -> None:
    async def answer(request: web.Request) -> web.Response:
        body = answers[await request.read()]
        return web.Response(body=body, content_type="application/json")

    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    app = web.Application(client_max_size=_LARGEST_BODY)
    app.router.add_post("/", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    sys.stdout.write(f"listening on http://127.0.0.1:{runner.addresses[0][1]}/\n")
    sys.stdout.flush()
    await stop.wait()
    await runner.cleanup()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
