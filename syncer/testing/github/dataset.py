"""The data set behind the simulator: one repository as plain JSON.

    {"repository": {"nameWithOwner": "o/r", "databaseId": 7, "formerNames": ["o/old"]},
     "releases": [{"tagName": "v1", "publishedAt": "…Z", "isDraft": false, "isPrerelease": false}],
     "pullRequests": [{"number": 1, "title": "…", "body": "…",
        "author": {"login": "…", "kind": "Bot"}, "state": "MERGED",
        "createdAt": "…Z", "updatedAt": "…Z", "closedAt": …, "mergedAt": …,
        "comments": [{"body": "…", "author": null, "createdAt": "…Z"}],
        "reviews": [{"state": "APPROVED", "databaseId": 5, …}],
        "reviewThreads": [{"path": "…", "comments": [{"review": 5, "diffHunk": "…", …}]}],
        "labels": [{"name": "bug"}], "closingIssues": [{"repository": "o/r", "number": 3}]}]}

The structs below name every field and its default. Stamps are UTC with whole seconds and a `Z`, so
that text order is time order. Where a `databaseId` is 0 or missing, loading gives one, the same one
each time. Node ids follow from kind and database id (`ids`). A looser form is read too:
the repository as its name, authors as logins, labels as names.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

__all__ = [
    "Account",
    "Comment",
    "Dataset",
    "Issue",
    "Label",
    "Pull",
    "Release",
    "Repository",
    "Review",
    "Stamp",
    "Thread",
    "ThreadComment",
]

Stamp = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]


class Account(Struct, frozen=True, rename="camel", kw_only=True):
    """Any kind of account; `kind` may be one that no schema knows."""

    login: str
    kind: str = "User"
    database_id: int = 0


class Label(Struct, frozen=True, rename="camel", kw_only=True):
    """A label of the repository: the same name is the same label."""

    name: str
    database_id: int = 0


class Issue(Struct, frozen=True, rename="camel", kw_only=True):
    """An issue that merging closes; `repository` is `owner/name`."""

    repository: str
    number: int
    database_id: int = 0


class Comment(Struct, frozen=True, rename="camel", kw_only=True):
    """One issue comment, and what reviews and thread comments share with it."""

    body: str
    author: Account | None
    created_at: Stamp
    database_id: int = 0
    author_association: str = "NONE"
    last_edited_at: Stamp | None = None
    is_minimized: bool = False
    minimized_reason: str | None = None


class ThreadComment(Comment, frozen=True, rename="camel", kw_only=True):
    """One comment of a thread. PENDING ones are drafts: only their author sees them.

    `reply_to` and `review` are database ids; 0 is none.
    """

    state: str = "SUBMITTED"
    reply_to: int = 0
    review: int = 0
    diff_hunk: str = ""


class Review(Comment, frozen=True, rename="camel", kw_only=True):
    """One review; PENDING ones are drafts. `orphans` are its comments that no thread holds."""

    state: str
    submitted_at: Stamp | None = None
    orphans: tuple[ThreadComment, ...] = ()


class Thread(Struct, frozen=True, rename="camel", kw_only=True):
    """One review thread. It is visible where one of its comments is."""

    path: str
    comments: tuple[ThreadComment, ...]
    database_id: int = 0
    subject_type: str = "LINE"
    diff_side: str = "RIGHT"
    original_line: int | None = None
    original_start_line: int | None = None
    line: int | None = None
    start_line: int | None = None
    is_outdated: bool = False
    is_resolved: bool = False
    resolved_by: Account | None = None


class Pull(Struct, frozen=True, rename="camel", kw_only=True):
    """One pull request. `head_repository` is `owner/name`, or None where the fork is gone."""

    number: int
    title: str
    body: str
    author: Account | None
    state: str
    created_at: Stamp
    updated_at: Stamp
    closed_at: Stamp | None = None
    merged_at: Stamp | None = None
    database_id: int = 0
    is_draft: bool = False
    author_association: str = "NONE"
    base_ref_name: str = "main"
    head_ref_name: str = "topic"
    head_repository: str | None = None
    last_edited_at: Stamp | None = None
    comments: tuple[Comment, ...] = ()
    reviews: tuple[Review, ...] = ()
    review_threads: tuple[Thread, ...] = ()
    labels: tuple[Label, ...] = ()
    closing_issues: tuple[Issue, ...] = ()


class Release(Struct, frozen=True, rename="camel", kw_only=True):
    """One release; `published_at` None is a draft's. `created_at` None: as published."""

    tag_name: str
    name: str | None = None
    published_at: Stamp | None = None
    created_at: Stamp | None = None
    database_id: int = 0
    is_draft: bool = False
    is_prerelease: bool = False


class Repository(Struct, frozen=True, rename="camel", kw_only=True):
    """The repository itself; under a former name it is found as well."""

    name_with_owner: str
    database_id: int = 70_001_234
    former_names: tuple[str, ...] = ()


class Dataset(Struct, frozen=True, rename="camel", kw_only=True):
    """Everything that the simulator answers from."""

    repository: Repository
    releases: tuple[Release, ...] = ()
    pull_requests: tuple[Pull, ...] = ()
