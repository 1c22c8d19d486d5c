"""A way to ask a simulator without a socket, and small data sets to ask about."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

import queries
from syncer.testing.github import DEFAULT_TOKEN, Dataset, Simulator, parse


@dataclass
class Told:
    """One answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.body)

    @property
    def data(self) -> dict[str, Any]:
        found = self.json
        assert "errors" not in found, found["errors"]
        return found["data"]

    @property
    def errors(self) -> list[dict[str, Any]]:
        return self.json["errors"]


Ask = Callable[..., Awaitable[Told]]


@pytest.fixture
def ask() -> Ask:
    """Ask a simulator: a document's name or text, then its variables by name."""

    async def run(
        github: Simulator,
        text: str,
        *,
        token: str | None = DEFAULT_TOKEN,
        new: bool = True,
        **variables: Any,
    ) -> Told:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        if new:
            headers["X-Github-Next-Global-ID"] = "1"
        query = queries.load(text).text if text in queries.NAMES else text
        body = json.dumps({"query": query, "variables": variables}).encode()
        return Told(*await github.respond(headers, body))

    return run


@pytest.fixture
def small() -> Dataset:
    """Three pull requests; on the first, something of everything."""
    return parse(json.dumps(SMALL).encode())


SMALL: dict[str, Any] = {
    "repository": {
        "nameWithOwner": "Example-Org/Small",
        "databaseId": 70_000_001,
        "formerNames": ["example-org/old"],
    },
    "releases": [
        {"tagName": "v1", "publishedAt": "2024-02-01T00:00:00Z"},
        {
            "tagName": "v2",
            "publishedAt": None,
            "isDraft": True,
            "createdAt": "2024-03-01T00:00:00Z",
        },
    ],
    "pullRequests": [
        {
            "number": 1,
            "title": "one",
            "body": "first",
            "author": {"login": "a", "kind": "Bot"},
            "state": "MERGED",
            "createdAt": "2024-01-01T00:00:00Z",
            "updatedAt": "2024-01-09T00:00:00Z",
            "closedAt": "2024-01-05T00:00:01Z",
            "mergedAt": "2024-01-05T00:00:00Z",
            "headRepository": None,
            "labels": ["bug", "ui"],
            "closingIssues": [{"repository": "example-org/other", "number": 7}],
            "comments": [
                {
                    "body": "c1",
                    "author": None,
                    "createdAt": "2024-01-02T00:00:00Z",
                    "databaseId": 11,
                },
                {
                    "body": "c2",
                    "author": {"login": "new", "kind": "KindOfTomorrow"},
                    "createdAt": "2024-01-02T00:00:00Z",
                    "databaseId": 12,
                },
                {
                    "body": "c3",
                    "author": "b",
                    "createdAt": "2024-01-03T00:00:00Z",
                    "databaseId": 13,
                    "isMinimized": True,
                    "minimizedReason": "spam",
                },
            ],
            "reviews": [
                {
                    "body": "r1",
                    "author": "b",
                    "state": "APPROVED",
                    "createdAt": "2024-01-03T00:00:00Z",
                    "databaseId": 21,
                    "submittedAt": "2024-01-03T00:00:00Z",
                },
                {
                    "body": "mine",
                    "author": "viewer",
                    "state": "PENDING",
                    "createdAt": "2024-01-04T00:00:00Z",
                    "databaseId": 22,
                },
                {
                    "body": "theirs",
                    "author": "b",
                    "state": "PENDING",
                    "createdAt": "2024-01-04T00:00:00Z",
                    "databaseId": 23,
                },
            ],
            "reviewThreads": [
                {
                    "path": "src/a.py",
                    "line": 3,
                    "originalLine": 3,
                    "databaseId": 31,
                    "comments": [
                        {
                            "body": "t1",
                            "author": "b",
                            "createdAt": "2024-01-03T00:00:00Z",
                            "databaseId": 41,
                            "review": 21,
                            "diffHunk": "@@",
                        },
                        {
                            "body": "draft reply",
                            "author": "viewer",
                            "createdAt": "2024-01-04T00:00:00Z",
                            "databaseId": 42,
                            "review": 22,
                            "replyTo": 41,
                            "state": "PENDING",
                        },
                    ],
                },
                {
                    "path": "src/b.py",
                    "databaseId": 32,
                    "comments": [
                        {
                            "body": "draft only",
                            "author": "viewer",
                            "createdAt": "2024-01-04T00:00:00Z",
                            "databaseId": 43,
                            "review": 22,
                            "state": "PENDING",
                        }
                    ],
                },
            ],
        },
        {
            "number": 3,
            "title": "three",
            "body": "",
            "author": "b",
            "state": "OPEN",
            "createdAt": "2024-01-06T00:00:00Z",
            "updatedAt": "2024-01-06T00:00:00Z",
        },
        {
            "number": 9,
            "title": "nine",
            "body": "x",
            "author": "b",
            "state": "CLOSED",
            "createdAt": "2024-01-07T00:00:00Z",
            "updatedAt": "2024-01-08T00:00:00Z",
            "closedAt": "2024-01-08T00:00:00Z",
        },
    ],
}
