"""Who may import whom, who may speak SQL, and who may speak HTTP.

The contracts of pyproject.toml are run here as they are by `make lint`; what they cannot say (only
this part may use that library; no SQL in a string) is said below.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest
from importlinter.cli import lint_imports

PACKAGES = ("queries", "syncer", "sinks", "birdview")

# A library, and the only parts that may import it.
HOMES = {
    "aiohttp": ("syncer.github", "syncer.testing"),
    "aiosqlite": ("syncer.store",),
    "gql": ("syncer.github", "syncer.testing"),
    "graphql": ("queries", "syncer.github", "syncer.testing"),
    "mcp": ("birdview",),
    "openai": ("birdview",),
    "sqlite3": ("syncer.store",),
    "vcr": (),
}

# Other ways to a server. `urllib.parse` is none, so the modules are named.
OTHER_DOORS = frozenset(
    {"http.client", "http.server", "httpx", "requests", "urllib.request", "urllib3", "websockets"}
)

# What a sink builds on; a stranger's sink has no more.
SINKS_MAY_USE = (
    "syncer.canonical",
    "syncer.corpus",
    "syncer.errors",
    "syncer.evidence",
    "syncer.export",
    "syncer.records",
    "syncer.repository",
    "syncer.sink",
    "syncer.stamps",
)

SQL = re.compile(
    r"\b(SELECT\b.+\bFROM|INSERT\s+(OR\s+\w+\s+)?INTO|REPLACE\s+INTO|UPDATE\s+\w+\s+SET"
    r"|DELETE\s+FROM|(CREATE|DROP|ALTER)\s+(TABLE|INDEX|VIEW|TRIGGER)|PRAGMA\s+\w)",
    re.DOTALL,
)


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, include_external_packages=True, cache_dir=None)


def modules(root: Path) -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            yield name, ast.parse(path.read_text("utf-8"), filename=str(path))


def inside(module: str, *homes: str) -> bool:
    return any(module == home or module.startswith(f"{home}.") for home in homes)


def literals(tree: ast.Module) -> Iterator[str]:
    """Every string, with what is formatted into it as a word; docstrings are strings too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else "word" for p in node.values)
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_the_import_contracts_are_kept(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = lint_imports(config_filename=str(root / "pyproject.toml"), no_cache=True)

    assert status == 0, capsys.readouterr().out


@pytest.mark.parametrize("library", HOMES)
def test_a_library_is_imported_only_where_it_is_at_home(
    graph: grimp.ImportGraph, library: str
) -> None:
    users = graph.find_modules_that_directly_import(library) if library in graph.modules else set()

    assert {user for user in users if not inside(user, *HOMES[library])} == set()


def test_only_the_door_to_github_speaks_http(root: Path) -> None:
    strays = {
        (name, module)
        for name, tree in modules(root)
        for module in imported(tree)
        if inside(module, *OTHER_DOORS) and not inside(name, "syncer.github", "syncer.testing")
    }

    assert strays == set()


def test_only_the_store_speaks_sql(root: Path) -> None:
    speakers = {
        name for name, tree in modules(root) if any(SQL.search(text) for text in literals(tree))
    }

    # The test kit has hostile text that looks like SQL; it may not import a database either.
    homes = ("syncer.store", "syncer.testing")
    assert {name for name in speakers if not inside(name, *homes)} == set()
    assert any(inside(name, "syncer.store") for name in speakers), (
        "the store speaks no SQL that this test would know"
    )


def test_a_sink_imports_the_contract_the_records_and_what_is_pure(
    graph: grimp.ImportGraph,
) -> None:
    used = {
        module
        for sink in graph.modules
        if inside(sink, "sinks")
        for module in graph.find_modules_directly_imported_by(sink)
        if inside(module, "syncer")
    }

    assert used, "no sink was found"
    assert {module for module in used if not inside(module, *SINKS_MAY_USE)} == set()


def test_the_engine_itself_never_needs_its_test_kit(graph: grimp.ImportGraph) -> None:
    # The demonstration is the one command that brings its own GitHub.
    users = {
        module
        for kit in graph.modules
        if inside(kit, "syncer.testing")
        for module in graph.find_modules_that_directly_import(kit)
        if not inside(module, "syncer.testing", "syncer.cli", "syncer.demo")
    }

    assert users == set()


def test_the_history_source_opens_neither_the_store_nor_a_database(
    graph: grimp.ImportGraph,
) -> None:
    reached = {
        below
        for module in graph.modules
        if inside(module, "syncer.history")
        for below in graph.find_upstream_modules(module)
    }

    assert {m for m in reached if inside(m, "syncer.store", "sqlite3", "aiosqlite")} == set()


def test_every_folder_of_source_is_a_package_that_ships_its_types(root: Path) -> None:
    folders = {path.parent for package in PACKAGES for path in (root / package).rglob("*.py")}

    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []
    assert [package for package in PACKAGES if not (root / package / "py.typed").is_file()] == []


def test_no_module_has_two_reasons_inside(root: Path) -> None:
    lengths = {
        str(path.relative_to(root)): len(path.read_text("utf-8").splitlines())
        for package in PACKAGES
        for path in (root / package).rglob("*.py")
    }

    assert {path: lines for path, lines in lengths.items() if lines > 400} == {}
