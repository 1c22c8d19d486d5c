from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from graphql import (
    GraphQLInterfaceType,
    GraphQLObjectType,
    build_schema,
    parse,
    validate,
    validate_schema,
)

import queries
from queries.prune import ALSO, main, prune

TEXT = files("queries").joinpath("schema.graphql").read_text("utf-8")


def test_the_schema_builds_strictly() -> None:
    assert validate_schema(build_schema(TEXT)) == []


def test_the_schema_carries_the_notice_of_its_origin() -> None:
    assert "Copyright (c) GitHub 2025 - Licensed as MIT." in TEXT
    assert "Permission is hereby granted, free of charge" in TEXT


def test_a_stranger_can_ask_for_what_a_double_of_github_answers() -> None:
    assert validate(queries.schema(), parse(ALSO)) == []


def test_every_kind_of_account_is_an_actor_and_a_node() -> None:
    actor = queries.schema().type_map["Actor"]
    assert isinstance(actor, GraphQLInterfaceType)
    kinds = queries.schema().get_possible_types(actor)

    assert {kind.name for kind in kinds} == {
        "Bot",
        "EnterpriseUserAccount",
        "Mannequin",
        "Organization",
        "User",
    }
    assert all("Node" in {i.name for i in kind.interfaces} for kind in kinds)


@pytest.mark.parametrize("name", [n for n in queries.schema().type_map if n.endswith("Connection")])
def test_a_connection_can_be_walked_both_ways_and_by_its_edges(name: str) -> None:
    kind = queries.schema().type_map[name]
    assert isinstance(kind, GraphQLObjectType)

    assert set(kind.fields) == {"edges", "nodes", "pageInfo", "totalCount"}
    for owner in queries.schema().type_map.values():
        for field in getattr(owner, "fields", {}).values():
            if str(getattr(field, "type", "")).rstrip("!") == name:
                assert {"first", "last", "before", "after"} <= set(field.args)


def test_pruning_again_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "schema.graphql"
    path.write_text(TEXT, "utf-8")

    assert main([str(path)]) == 0
    assert capsys.readouterr().out == TEXT


def test_pruning_the_full_schema_gives_the_one_that_we_ship(shared: Path) -> None:
    assert prune((shared / "github" / "schema.graphql").read_text("utf-8")) == TEXT


def test_a_schema_that_lacks_what_we_ask_for_is_refused() -> None:
    with pytest.raises(LookupError, match="isMinimized"):
        prune(TEXT.replace("  isMinimized: Boolean!\n", ""))


def test_pruning_wants_one_file() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "queries.prune"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert done.stdout == ""
    assert "usage: python -m queries.prune FULL_SCHEMA" in done.stderr
