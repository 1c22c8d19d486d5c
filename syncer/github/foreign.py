"""What the exceptions of aiohttp and gql mean to us. They stop here: some of them hold headers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import aiohttp
from aiohttp import client_exceptions as http
from aiohttp.http_exceptions import HttpProcessingError
from gql.transport import exceptions as gql

from syncer.errors import (
    ConfigError,
    ContractError,
    RefusedError,
    SyncError,
    TooHeavyError,
    TransientError,
)

__all__ = ["FOREIGN", "MEANINGS", "meaning_of"]

FOREIGN = (aiohttp.ClientError, HttpProcessingError, gql.TransportError, OSError)
"""What sending a request can raise; TimeoutError is an OSError."""


def _broken(name: str, host: str) -> SyncError:
    return TransientError(f"the connection to {host} failed ({name})")


def _slow(name: str, host: str) -> SyncError:
    return TooHeavyError(f"{host} did not answer in time ({name})")


def _untrusted(name: str, host: str) -> SyncError:
    return ConfigError(
        f"the certificate of {host} is not trusted on this machine ({name}): check the address, "
        "or add the authority (SSL_CERT_FILE)"
    )


def _address(name: str, host: str) -> SyncError:
    return ConfigError(f"the address at {host} cannot be used ({name}): check GITHUB_GRAPHQL_URL")


def _redirected(name: str, host: str) -> SyncError:
    return RefusedError(f"{host} redirects ({name}): check GITHUB_GRAPHQL_URL")


def _ours(name: str, host: str) -> SyncError:
    return ContractError(f"the client was used against its own rules towards {host} ({name})")


MEANINGS: Mapping[type[BaseException], Callable[[str, str], SyncError]] = {
    OSError: _broken,
    TimeoutError: _slow,
    HttpProcessingError: _broken,
    http.ClientError: _broken,
    http.ClientResponseError: _broken,
    http.ContentTypeError: _broken,
    http.WSServerHandshakeError: _ours,
    http.ClientHttpProxyError: _broken,
    http.TooManyRedirects: _redirected,
    http.ClientConnectionError: _broken,
    http.ClientConnectionResetError: _broken,
    http.ClientOSError: _broken,
    http.ClientConnectorError: _broken,
    http.ClientConnectorDNSError: _broken,
    http.ClientProxyConnectionError: _broken,
    http.UnixClientConnectorError: _broken,
    http.ServerConnectionError: _broken,
    http.ServerDisconnectedError: _broken,
    http.ServerTimeoutError: _slow,
    http.ConnectionTimeoutError: _broken,  # nothing was asked yet: smaller would not help
    http.SocketTimeoutError: _slow,
    http.ServerFingerprintMismatch: _untrusted,
    http.ClientPayloadError: _broken,
    http.UploadAbortedError: _broken,
    http.InvalidURL: _address,
    http.InvalidUrlClientError: _address,
    http.RedirectClientError: _redirected,
    http.NonHttpUrlClientError: _address,
    http.InvalidUrlRedirectClientError: _redirected,
    http.NonHttpUrlRedirectClientError: _redirected,
    http.ClientSSLError: _broken,
    http.ClientConnectorSSLError: _broken,
    http.ClientConnectorCertificateError: _untrusted,
    http.WSMessageTypeError: _ours,
    gql.TransportError: _broken,
    gql.TransportProtocolError: _broken,
    gql.TransportServerError: _broken,
    gql.TransportQueryError: _broken,
    gql.TransportClosed: _ours,
    gql.TransportConnectionFailed: _broken,
    gql.TransportAlreadyConnected: _ours,
}
"""By class; for one that is not named, its nearest parent decides."""


def meaning_of(exc: BaseException, host: str) -> SyncError:
    """Our error for `exc`, one of `FOREIGN`. It keeps the class's name and nothing else of it."""
    found = next(MEANINGS[kind] for kind in type(exc).__mro__ if kind in MEANINGS)
    return found(type(exc).__name__, host)
