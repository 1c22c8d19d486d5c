"""One audit of one repository, from its price to its summary."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from msgspec.structs import asdict, replace

from syncer.audit.auditor import Auditor
from syncer.audit.plan import Mark, Plan, Scope, points, scope_of
from syncer.audit.report import Audited, AuditSummary
from syncer.audit.source import AuditSource
from syncer.engine import Engine
from syncer.errors import BudgetError, ConfigError, RefusedError
from syncer.github.answers import Opening
from syncer.identity import identified
from syncer.progress import Observer, Progress
from syncer.report import Summary
from syncer.repository import Repository
from syncer.session import held_store, opened, record_end, sinks_at, summarised
from syncer.settings import Settings
from syncer.sink import Factory
from syncer.store import Key, Store, meta

__all__ = ["audit"]

_MARK: Key[Mark] = Key("audit", Mark)


async def audit(
    source: AuditSource,
    folder: Path,
    plan: Plan,
    *,
    sinks: Mapping[str, Factory],
    settings: Settings,
    observer: Observer,
    monotonic: Callable[[], float],
    today: datetime,
) -> AuditSummary:
    """Compare what is stored at `folder` with GitHub, and bring what differs up to date.

    The price is told before anything is asked. Where nothing differs, nothing is written but the
    record of the run. What was found when a budget ends the audit is read by the next run, and the
    next audit by the same plan goes on from there. Raises as `syncer.session.sync` does, and
    ConfigError where nothing is stored.
    """
    started = monotonic()
    async with held_store(folder, f"{folder.parent.name}/{folder.name}", observer) as store:
        known = await store.meta.get(meta.REPOSITORY)
        if known is None:
            message = f"nothing is stored at {folder}: there is nothing to audit before a `sync`"
            raise ConfigError(message)
        mark = await store.meta.get(_MARK)
        scope = scope_of(plan, await store.survey.pulls(plan.since), mark, today)
        expected = await _expected(store, scope, settings)
        _tell_price(observer, known, scope, expected)
        opening = await opened(source, known.current_name)
        repository = identified(known, opening)
        run = await store.ledger.begin_run(opening.date)
        engine = Engine(
            source, store, sinks_at(folder, sinks), settings=settings, observer=observer
        )
        auditor = Auditor(source, store, scope, settings=settings, observer=observer)
        spent = await _pass(auditor, engine, opening, repository, source, store, list(sinks))
        found = Audited(
            depth=scope.plan.depth,
            since=scope.plan.since,
            seed=scope.plan.seed if scope.plan.sample is not None else None,
            pulls=auditor.looked_at,
            points_expected=expected,
            points=spent,
            resumed=scope.resumed,
            found=tuple(auditor.found),
        )
        summary = await summarised(source, store, engine, repository.name, monotonic() - started)
        told = _told(summary, auditor, found)
        await record_end(store, run, opening, told)
    return told


async def _pass(
    auditor: Auditor,
    engine: Engine,
    opening: Opening,
    repository: Repository,
    source: AuditSource,
    store: Store,
    sinks: list[str],
) -> int:
    """The audit, then the run that reads what it found; returns the points of the audit alone."""
    try:
        await auditor.run(repository)
    except (BudgetError, RefusedError) as error:
        engine.stopped = error
    finally:
        await _keep(store, auditor)
    spent = source.points
    if engine.stopped is None and (auditor.found or await _is_due(store, sinks, opening.date)):
        await engine.run(opening)
    return spent


async def _keep(store: Store, auditor: Auditor) -> None:
    """Remember how far an audit came that has not come to its end."""
    mark = None if auditor.finished or not auditor.mark.is_begun else auditor.mark
    if mark != await store.meta.get(_MARK):
        async with store.transaction():
            await store.meta.put(_MARK, mark)


async def _is_due(store: Store, sinks: list[str], now: datetime) -> bool:
    """Whether a run has something to do that an earlier audit or run has left."""
    return (
        await store.pulls.count_wanted() > 0
        or bool(await store.ledger.due(now))
        or bool(await store.pulls.vanished())
        or await store.survey.backlog(sinks)
    )


async def _expected(store: Store, scope: Scope, settings: Settings) -> int:
    volume = await store.survey.volume(scope.left(), settings.page)
    return points(len(scope.pulls), volume.pages, settings.ids, settings.page)


def _tell_price(observer: Observer, repository: Repository, scope: Scope, expected: int) -> None:
    plan = scope.plan
    note = f"auditing the {plan.depth} of {len(scope.pulls)} pull requests: about {expected} points"
    if plan.sample is not None:
        note += f", a sample drawn by --seed {plan.seed}"
    if scope.resumed:
        note += f"; goes on where the audit of {scope.mark.begun_at:%Y-%m-%d} stopped"
    observer(Progress(repository=repository.name, stage="auditing", note=note))


def _told(summary: Summary, auditor: Auditor, audited: Audited) -> AuditSummary:
    """The summary with what could not be compared: that, too, is known to be incomplete."""
    status = 3 if auditor.problems and summary.exit == 0 else summary.exit
    problems = (*summary.problems, *auditor.problems)
    outcome = replace(summary, problems=problems, exit=status, complete=status == 0)
    return AuditSummary(**asdict(outcome), audit=audited)
