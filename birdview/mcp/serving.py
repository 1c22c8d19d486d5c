"""Where the server is reached: standard input and output, or HTTP on this machine alone."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from birdview.mcp.standard_input import standard_input
from syncer.errors import ConfigError, LocalError

__all__ = ["address_of", "listening", "serve_http", "serve_stdio"]

_PATH = "/mcp"
_GRACE_S = 2  # for answers that are under way when the server is stopped


async def serve_stdio(server: Server[dict[str, Any]]) -> None:
    """Serve one client on standard input and output, until its end closes."""
    async with stdio_server(stdin=standard_input()) as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def serve_http(server: Server[dict[str, Any]], sock: socket.socket) -> None:
    """Serve streamable HTTP at /mcp on a listening socket, until interrupted.

    Requests are answered only under a name of this machine (`Host`), and from a page of it
    (`Origin`), so that no web site can reach the corpus through somebody's browser.
    """
    host, port = sock.getsockname()[:2]
    names = [f"[{host}]:{port}" if ":" in host else f"{host}:{port}", f"localhost:{port}"]
    app = server.streamable_http_app(
        streamable_http_path=_PATH,
        stateless_http=True,
        host=host,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=names,
            allowed_origins=[f"http://{name}" for name in names],
        ),
    )
    config = uvicorn.Config(
        app,
        log_config=None,  # logging belongs to the command
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=_GRACE_S,
    )
    running = _Server(config)
    task = asyncio.create_task(running.serve(sockets=[sock]))
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        running.should_exit = True
        await task
        raise


class _Server(uvicorn.Server):
    """Leaves signals to the command, which turns them into a cancellation."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def address_of(http: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT`. Raises ConfigError unless the host is this machine's loopback.

    There is no sign-in here: whoever reaches the port can read the corpus.
    """
    host, colon, port = http.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not (port.isascii() and port.isdigit()) or int(port) > 65_535:
        raise ConfigError(f"http: {http!r} is not HOST:PORT, for example 127.0.0.1:8765")
    if host == "localhost":
        host = "127.0.0.1"
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise ConfigError(
            f"http: {host!r} is not this machine alone; use 127.0.0.1, and a proxy with a sign-in "
            "where others must reach it"
        )
    return host, int(port)


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there; port 0 takes a free one. Raises LocalError if it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen()
    except OSError as error:
        sock.close()
        raise LocalError(f"http: cannot listen on {host}:{port}: {error.strerror}") from error
    return sock
