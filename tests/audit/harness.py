"""An audit through the real client and wire, against the simulator."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import aiosqlite

from syncer.audit.plan import Plan
from syncer.audit.report import AuditSummary
from syncer.audit.session import audit
from syncer.github.access import Endpoint
from syncer.github.client import GitHub
from syncer.github.governor import Governor
from syncer.github.token import Credentials, Token
from syncer.progress import Progress
from syncer.settings import Settings
from syncer.sink import Factory
from syncer.testing.github.simulator import DEFAULT_TOKEN, Simulator
from tests.engine.harness import CORPUS, UNHURRIED, Hurry

__all__ = ["TODAY", "audited", "everything_stored", "files", "folder"]

TODAY = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def folder(simulator: Simulator, root: Path) -> Path:
    return root / simulator.world.repository.name_with_owner


async def audited(
    simulator: Simulator,
    root: Path,
    plan: Plan | None = None,
    *,
    settings: Settings | None = None,
    token: str = DEFAULT_TOKEN,
    hurry: Hurry | None = None,
    max_points: int | None = None,
    notes: list[str] | None = None,
    sinks: Mapping[str, Factory] | None = None,
) -> AuditSummary:
    """One `syncer audit` of the simulator's only repository."""

    def observe(progress: Progress) -> None:
        if notes is not None and progress.note:
            notes.append(progress.note)

    client = GitHub(
        Credentials(Token(token)),
        hurry.governor() if hurry else Governor(UNHURRIED),
        name=simulator.world.repository.name_with_owner,
        endpoint=Endpoint(url=simulator.url),
        max_points=max_points,
    )
    async with client:
        return await audit(
            client,
            folder(simulator, root),
            plan or Plan(),
            sinks=CORPUS if sinks is None else sinks,
            settings=settings or Settings(),
            observer=observe,
            monotonic=time.monotonic,
            today=TODAY,
        )


def files(root: Path) -> dict[str, tuple[int, bytes]]:
    """Time of writing and bytes of every file of the corpus, `census.json` included."""
    return {
        path.relative_to(root).as_posix(): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".syncer" not in path.parts
    }


async def everything_stored(at: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table of the store but the records of runs."""
    async with aiosqlite.connect(at / ".syncer" / "state.db") as db:
        tables = await db.execute_fetchall(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
        return {
            name: [tuple(row) for row in await db.execute_fetchall(f"SELECT * FROM {name}")]
            for (name,) in tables
            if name != "run"
        }
