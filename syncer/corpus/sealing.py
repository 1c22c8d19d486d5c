"""Manifests and census as exact bytes, and back.

Each struct has one byte form: JSON, one key a line, one item of a list of objects a line. What is
not byte for byte that form is refused, so that a torn, edited or doubled file never passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TypeVar

import msgspec
from msgspec import Struct

from syncer.corpus.census_file import CensusFile
from syncer.corpus.errors import CorpusError
from syncer.corpus.front import GRAMMAR
from syncer.corpus.manifest import SCHEMA, Leaf, LeafRef, Root, root_digest
from syncer.corpus.names import BLOCK_SIZE, MANIFEST, folder_of, placed_leaf

__all__ = [
    "decode_census",
    "decode_leaf",
    "decode_root",
    "encode_census",
    "encode_leaf",
    "encode_root",
]

T = TypeVar("T", bound=Struct)


class _Versions(Struct):
    schema: int
    grammar: int = GRAMMAR


_encoder = msgspec.json.Encoder()
_leaf = msgspec.json.Decoder(Leaf)
_root = msgspec.json.Decoder(Root)
_census = msgspec.json.Decoder(CensusFile)
_versions = msgspec.json.Decoder(_Versions)


def encode_leaf(leaf: Leaf) -> bytes:
    """The bytes of `leaf`, whose entries must be sorted by number."""
    return _laid_out(leaf, ("entries",))


def encode_root(root: Root) -> bytes:
    """The bytes of `root` as `syncer.corpus.manifest.root_of` made it."""
    return _laid_out(root, ("releases", "leaves"))


def encode_census(census: CensusFile) -> bytes:
    """The bytes of `census`, one key a line."""
    return _laid_out(census, ())


def decode_leaf(data: bytes, *, file: str | None = None) -> Leaf:
    """The leaf whose bytes are `data`. Raises CorpusError; the caller compares the digest."""
    leaf = _decoded(_leaf, data, file)
    _exact(encode_leaf(leaf), data, file)
    numbers = [entry.number for entry in leaf.entries]
    if any(later <= earlier for earlier, later in pairwise(numbers)):
        raise CorpusError("the entries are not sorted by number", file=file)
    if len({number // BLOCK_SIZE for number in numbers}) > 1:
        raise CorpusError("the entries belong to more than one block", file=file)
    return leaf


def decode_root(data: bytes, *, file: str | None = None) -> Root:
    """The root whose bytes are `data`, its digest and every path checked. Raises CorpusError."""
    root = _decoded(_root, data, file)
    _exact(encode_root(root), data, file)
    if root.digest != root_digest(root):
        raise CorpusError("the root's digest is not that of its content", file=file)
    for complaint in _complaints(root):
        raise CorpusError(complaint, file=file)
    return root


def decode_census(data: bytes, *, file: str | None = None) -> CensusFile:
    """The census whose bytes are `data`. Raises CorpusError."""
    census = _decoded(_census, data, file)
    _exact(encode_census(census), data, file)
    return census


def _laid_out(struct: Struct, listed: Iterable[str]) -> bytes:
    lines: list[bytes] = []
    for name, key in _keys(type(struct)):
        value = getattr(struct, name)
        text = _one_a_line(value) if name in listed else _encoder.encode(value)
        lines.append(b'"%s":%s' % (key, text))
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


@cache
def _keys(kind: type[Struct]) -> tuple[tuple[str, bytes], ...]:
    # Asking msgspec takes longer than writing a small manifest does.
    return tuple((f.name, f.encode_name.encode()) for f in msgspec.structs.fields(kind))


def _one_a_line(items: tuple[Struct, ...]) -> bytes:
    return b"[\n" + b",\n".join(map(_encoder.encode, items)) + b"\n]" if items else b"[]"


def _decoded(decoder: msgspec.json.Decoder[T], data: bytes, file: str | None) -> T:
    _check_versions(data, file)
    try:
        return decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise CorpusError(f"expected another shape: {exc}", file=file) from exc


def _check_versions(data: bytes, file: str | None) -> None:
    try:
        versions = _versions.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise CorpusError(f"torn or no manifest at all: {exc}", file=file) from exc
    for name, found, ours in (
        ("schema", versions.schema, SCHEMA),
        ("grammar", versions.grammar, GRAMMAR),
    ):
        if found != ours:
            raise CorpusError(
                f"{name} {found} is not ours ({ours}): use a program that knows it", file=file
            )


def _exact(ours: bytes, data: bytes, file: str | None) -> None:
    if ours != data:
        raise CorpusError("the bytes are not in the one form that this program writes", file=file)


def _complaints(root: Root) -> Iterator[str]:
    for release in root.releases:
        if release.folder != folder_of(release.tag_name):
            yield f"the folder {release.folder!r} is not that of the tag {release.tag_name!r}"
    paths = [leaf.path for leaf in root.leaves]
    if any(later <= earlier for earlier, later in pairwise(paths)):
        yield "the leaves are not sorted by path"
    for leaf in root.leaves:
        if not _in_its_place(leaf):
            yield f"no leaf can stand at {leaf.path!r}"


def _in_its_place(leaf: LeafRef) -> bool:
    path = PurePosixPath(leaf.path)
    found = placed_leaf(path.parent)
    if found is None or str(path) != leaf.path or path.name != MANIFEST:
        return False
    if leaf.release is None:
        return leaf.kind == "pulls" and found.folder is None
    return leaf.kind == "archive" and found.folder == folder_of(leaf.release)
