"""The corpus's format, without a file system: texts, places, release points, manifests.

Everything here is a pure function; `sinks` write and `syncer.history` reads what this describes.
"""

from __future__ import annotations

from syncer.corpus.census_file import CENSUS, CensusFile, census_file_of
from syncer.corpus.errors import CorpusError, UnknownReleaseError
from syncer.corpus.front import GRAMMAR, FrontMatter, front_matter
from syncer.corpus.manifest import (
    SCHEMA,
    Counts,
    Incomplete,
    Leaf,
    LeafEntry,
    LeafRef,
    Root,
    RootRelease,
    bytes_digest,
    leaf_entry,
    leaf_ref,
    root_digest,
    root_of,
)
from syncer.corpus.names import (
    BLOCK_SIZE,
    MANIFEST,
    Placed,
    block_of,
    folder_of,
    leaf_directory,
    place,
    placed,
    placed_leaf,
    repository_path,
)
from syncer.corpus.parse import parse
from syncer.corpus.render import render
from syncer.corpus.sealing import (
    decode_census,
    decode_leaf,
    decode_root,
    encode_census,
    encode_leaf,
    encode_root,
)
from syncer.corpus.timeline import Point, Timeline, Window
from syncer.corpus.urls import Kind, Target, pull_url, recognise

__all__ = [
    "BLOCK_SIZE",
    "CENSUS",
    "GRAMMAR",
    "MANIFEST",
    "SCHEMA",
    "CensusFile",
    "CorpusError",
    "Counts",
    "FrontMatter",
    "Incomplete",
    "Kind",
    "Leaf",
    "LeafEntry",
    "LeafRef",
    "Placed",
    "Point",
    "Root",
    "RootRelease",
    "Target",
    "Timeline",
    "UnknownReleaseError",
    "Window",
    "block_of",
    "bytes_digest",
    "census_file_of",
    "decode_census",
    "decode_leaf",
    "decode_root",
    "encode_census",
    "encode_leaf",
    "encode_root",
    "folder_of",
    "front_matter",
    "leaf_directory",
    "leaf_entry",
    "leaf_ref",
    "parse",
    "place",
    "placed",
    "placed_leaf",
    "pull_url",
    "recognise",
    "render",
    "repository_path",
    "root_digest",
    "root_of",
]
