"""Small repositories to run over, and what a run left of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphql import FieldNode, TypeInfo, TypeInfoVisitor, Visitor, visit

from queries import load, schema
from syncer.corpus import parse
from syncer.evidence import Snapshot
from syncer.report import Problem, Summary
from syncer.testing.github.dataset import (
    Account,
    Comment,
    Dataset,
    Issue,
    Label,
    Pull,
    Release,
    Repository,
    Review,
    Thread,
    ThreadComment,
)
from tests.engine.harness import content

__all__ = [
    "ANN",
    "AT",
    "FOLDER",
    "HOUR_S",
    "NAME",
    "comment",
    "fields_of",
    "named",
    "only",
    "pull",
    "read",
    "repository",
    "review",
    "talk",
    "thread",
    "thread_comment",
]

NAME = "octo/demo"
FOLDER = Path(NAME)
HOUR_S = 3600.0
AT = "2026-03-01T12:00:00Z"
ANN = Account(login="ann")


def repository(*pulls: Pull, releases: tuple[Release, ...] = ()) -> Dataset:
    return Dataset(
        repository=Repository(name_with_owner=NAME), releases=releases, pull_requests=pulls
    )


def pull(number: int, **more: Any) -> Pull:
    fields: dict[str, Any] = {
        "title": f"Change {number}",
        "body": f"What {number} is about.",
        "author": ANN,
        "state": "OPEN",
        "created_at": AT,
        "updated_at": AT,
    }
    return Pull(number=number, **{**fields, **more})


def comment(body: str = "A remark.", **more: Any) -> Comment:
    fields: dict[str, Any] = {"author": ANN, "created_at": AT}
    return Comment(body=body, **{**fields, **more})


def review(database_id: int, body: str = "A review.", **more: Any) -> Review:
    fields: dict[str, Any] = {"author": ANN, "created_at": AT, "state": "COMMENTED"}
    return Review(body=body, database_id=database_id, **{**fields, **more})


def thread_comment(review_id: int, body: str = "A detail.", **more: Any) -> ThreadComment:
    fields: dict[str, Any] = {"author": ANN, "created_at": AT, "diff_hunk": "@@ -1 +1 @@\n-a\n+b"}
    return ThreadComment(body=body, review=review_id, **{**fields, **more})


def thread(*comments: ThreadComment, **more: Any) -> Thread:
    fields: dict[str, Any] = {"path": "src/a.py", "line": 4, "original_line": 3}
    return Thread(comments=comments, **{**fields, **more})


def talk(number: int, size: int, **more: Any) -> Pull:
    """A pull request with `size` of everything, and as many comments in each of its threads."""
    first = number * 10_000
    reviews = tuple(review(first + n) for n in range(size))
    threads = tuple(
        thread(*(thread_comment(first + n, f"{n}.{m}") for m in range(size))) for n in range(size)
    )
    return pull(
        number,
        comments=tuple(comment(f"remark {n}") for n in range(size)),
        reviews=reviews,
        review_threads=threads,
        labels=tuple(Label(name=f"label {n}") for n in range(size)),
        closing_issues=tuple(Issue(repository=NAME, number=first + 5_000 + n) for n in range(size)),
        **more,
    )


def only(root: Path, number: int) -> tuple[str, Snapshot]:
    """The place (below the repository's folder) and the content of the one file of `number`."""
    ((path, data),) = [
        (name, data)
        for name, data in content(root / FOLDER).items()
        if name.endswith(f"/pr-{number}.md")
    ]
    return path, parse(data)


def read(root: Path, number: int) -> Snapshot:
    return only(root, number)[1]


def named(summary: Summary, number: int | None) -> dict[str, Problem]:
    """What is known incomplete of `number`, by connection."""
    return {p.connection: p for p in summary.problems if p.number == number}


def fields_of(name: str) -> set[tuple[str, str]]:
    """Every field that a document asks for, as (type, field)."""
    found: set[tuple[str, str]] = set()
    info = TypeInfo(schema())

    class _Collect(Visitor):
        def enter_field(self, node: FieldNode, *_: object) -> None:
            parent = info.get_parent_type()
            found.add((parent.name if parent else "", node.name.value))

    visit(load(name).node, TypeInfoVisitor(info, _Collect()))
    return found
