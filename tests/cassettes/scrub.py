"""What a cassette may hold: the few headers that mean something, and bodies without secrets."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from vcr.request import Request

from syncer.testing.github import DEFAULT_TOKEN

__all__ = ["ADDRESS", "found_secrets", "scrubbed_request", "scrubbed_response"]

ADDRESS = "https://api.github.com/graphql"
"""Where every recorded request seems to have gone, wherever it went."""

_KEPT_OF_REQUESTS = frozenset({"accept", "content-type", "x-github-next-global-id"})
_KEPT_OF_ANSWERS = re.compile(r"content-type|date|retry-after|x-ratelimit-.*")
_FORBIDDEN_HEADERS = frozenset({"authorization", "cookie", "set-cookie", "proxy-authorization"})

_SECRETS: Mapping[str, re.Pattern[str]] = {
    # The forms of GitHub's tokens: https://github.blog/2021-04-05-behind-githubs-new-authentication-token-formats/
    "token": re.compile(
        rf"\b(?:gh[opsu]_[\w.-]{{16,}}|ghr_\w{{16,}}|github_pat_\w{{16,}}|{re.escape(DEFAULT_TOKEN)})"
    ),
    "authorization": re.compile(r"\bbearer\s+[\w.~+/=-]{16,}", re.IGNORECASE),
    "e-mail address": re.compile(r"[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}"),
}


def scrubbed_request(request: Request) -> Request:
    """`request` as if sent to GitHub itself, with the headers that choose an answer."""
    kept = {n: v for n, v in request.headers.items() if n.lower() in _KEPT_OF_REQUESTS}
    return Request(request.method, ADDRESS, request.body, kept)


def scrubbed_response(response: dict[str, Any]) -> dict[str, Any]:
    """`response` with the headers that the client reads, and without anybody's secrets."""
    found = copy.deepcopy(response)
    found["headers"] = {
        name: values
        for name, values in response["headers"].items()
        if _KEPT_OF_ANSWERS.fullmatch(name.lower())
    }
    text = response["body"].get("string", b"").decode("utf-8")
    for pattern in _SECRETS.values():
        text = pattern.sub("removed", text)
    found["body"] = {"string": text.encode("utf-8")}
    return found


def found_secrets(cassette: str) -> list[str]:
    """What `cassette` holds that must not be in it; empty for one that may be shown to anybody.

    Both its text and its values are searched: YAML folds long lines, and a secret with them.
    """
    value = yaml.safe_load(cassette)
    texts = [cassette, *_texts(value)]
    found = [kind for kind, pattern in _SECRETS.items() if any(map(pattern.search, texts))]
    names = {name.lower() for name in _names(value)}
    return found + [f"header {name}" for name in sorted(names & _FORBIDDEN_HEADERS)]


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case bytes():
            yield value.decode("latin-1")  # packed bytes; no cassette should have any
        case dict():
            for item in value.values():
                yield from _texts(item)
        case list():
            for item in value:
                yield from _texts(item)
        case _:
            pass


def _names(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _names(item)
    elif isinstance(value, list):
        for item in value:
            yield from _names(item)
