"""The socket: aiohttp in front of the simulator, and the ways in which a connection can end."""

from __future__ import annotations

import socket
import struct
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

from syncer.testing.github.fault_kinds import Wire
from syncer.testing.github.journal import Journal
from syncer.testing.github.replies import Reply

__all__ = ["Server"]

Answer = Callable[[Mapping[str, str], bytes], Awaitable[tuple[int, Reply]]]

_LARGEST_BODY = 8 * 1024 * 1024


class Server:
    """Serves `answer` at `url` on 127.0.0.1 between `start` and `stop`."""

    def __init__(self, answer: Answer, journal: Journal, port: int) -> None:
        self._answer = answer
        self._journal = journal
        self._port = port
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """The address to POST to."""
        return f"http://127.0.0.1:{self._port}/graphql"

    async def start(self) -> None:
        """Listen; with port 0 on a free one."""
        app = web.Application(client_max_size=_LARGEST_BODY)
        app.router.add_post("/graphql", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, backlog=256)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Close every connection."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        k, reply = await self._answer(request.headers, await request.read())
        if reply.wire is None:
            response: web.StreamResponse = web.Response(
                status=reply.status, headers=reply.headers, body=reply.body
            )
            await response.prepare(request)
            await response.write_eof()
        else:
            response = await _cut(request, reply)
        self._journal.answered(k)
        return response


async def _cut(request: web.Request, reply: Reply) -> web.StreamResponse:
    """Send the part of `reply` that its fault lets out, then end the connection."""
    response = web.StreamResponse(status=reply.status, headers=reply.headers)
    if reply.wire is Wire.RESET:
        _reset(request)
        return response
    if reply.wire is Wire.CUT_CHUNKS:
        response.enable_chunked_encoding()
    else:
        response.content_length = len(reply.body)
    await response.prepare(request)
    await response.write(reply.body[: len(reply.body) // 2])
    if reply.wire is Wire.RESET_MID_BODY:
        _reset(request)
    elif request.transport is not None:
        request.transport.close()
    return response


def _reset(request: web.Request) -> None:
    transport = request.transport
    if transport is None:
        return
    sock = transport.get_extra_info("socket")
    # Closing with a linger of zero seconds sends a reset instead of an orderly end.
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
