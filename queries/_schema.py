"""The schema that the documents are checked against."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from graphql import GraphQLSchema, build_schema

__all__ = ["schema"]


@lru_cache(maxsize=1)
def schema() -> GraphQLSchema:
    """The part of GitHub's schema that our documents reach; `queries.prune` made it."""
    return build_schema(files("queries").joinpath("schema.graphql").read_text("utf-8"))
