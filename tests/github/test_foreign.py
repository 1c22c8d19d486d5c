from __future__ import annotations

import inspect

import aiohttp
import pytest
from aiohttp import client_exceptions
from aiohttp.http_exceptions import TransferEncodingError
from gql.transport import exceptions as gql_exceptions

from syncer.errors import (
    ConfigError,
    ContractError,
    RefusedError,
    SyncError,
    TooHeavyError,
    TransientError,
)
from syncer.github.foreign import FOREIGN, MEANINGS, meaning_of
from tests.github.support import SECRET


def _classes(module) -> list[type[BaseException]]:
    return [
        found
        for _, found in inspect.getmembers(module, inspect.isclass)
        if issubclass(found, BaseException) and found.__module__ == module.__name__
    ]


@pytest.mark.parametrize("module", [client_exceptions, gql_exceptions])
def test_every_exception_of_the_libraries_has_a_meaning_of_its_own(module):
    unnamed = [found.__name__ for found in _classes(module) if found not in MEANINGS]

    assert _classes(module)
    assert unnamed == []


def test_whatever_sending_may_raise_has_a_meaning():
    assert all(any(issubclass(named, found) for named in MEANINGS) for found in FOREIGN)


@pytest.mark.parametrize(
    ("exc", "kind"),
    [
        (ConnectionResetError(SECRET), TransientError),
        (TimeoutError(SECRET), TooHeavyError),
        (aiohttp.ServerDisconnectedError(SECRET), TransientError),
        (aiohttp.ClientPayloadError(SECRET), TransientError),
        (aiohttp.ConnectionTimeoutError(SECRET), TransientError),
        (aiohttp.SocketTimeoutError(SECRET), TooHeavyError),
        (aiohttp.InvalidURL(SECRET), ConfigError),
        (TransferEncodingError(SECRET), TransientError),
        (gql_exceptions.TransportServerError(SECRET, 502), TransientError),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_a_foreign_exception_becomes_ours_without_its_words(exc, kind):
    ours = meaning_of(exc, "api.github.com")

    assert type(ours) is kind
    assert SECRET not in str(ours)
    assert type(exc).__name__ in str(ours)


@pytest.mark.parametrize(
    ("kind", "ours", "words"),
    [
        (aiohttp.ClientConnectorCertificateError, ConfigError, "certificate"),
        (aiohttp.TooManyRedirects, RefusedError, "redirects"),
        (aiohttp.WSServerHandshakeError, ContractError, "rules"),
        (gql_exceptions.TransportClosed, ContractError, "rules"),
    ],
    ids=["certificate", "redirect", "another protocol", "closed"],
)
def test_what_no_repetition_can_mend_is_not_repeated(kind, ours, words):
    # Made without its own constructor, which wants a whole connection.
    found = meaning_of(kind.__new__(kind), "api.github.com")

    assert type(found) is ours
    assert words in str(found)


def test_a_class_that_is_not_named_means_what_its_nearest_parent_means():
    class Newer(aiohttp.SocketTimeoutError):
        pass

    assert isinstance(meaning_of(Newer(), "host"), TooHeavyError)
    assert isinstance(meaning_of(Newer(), "host"), SyncError)
