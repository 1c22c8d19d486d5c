"""What stands in a corpus: where each conversation is, and what is there that should not be."""

from __future__ import annotations

from pathlib import PurePosixPath

import msgspec
from msgspec import Struct

from sinks.files import Folder
from syncer.corpus.census_file import CENSUS
from syncer.corpus.errors import CorpusError
from syncer.corpus.manifest import SCHEMA, LeafRef, Root, leaf_ref
from syncer.corpus.names import MANIFEST, placed, placed_leaf
from syncer.corpus.sealing import decode_leaf, decode_root
from syncer.corpus.unfinished import SEALING, meant_by
from syncer.errors import SinkError

__all__ = ["ATTRIBUTES", "Index", "scan"]

ATTRIBUTES = ".gitattributes"

_ACTIVE = "pulls"
_ARCHIVE = "archive/pulls"


class _Version(Struct):
    schema: int = 0


_version = msgspec.json.Decoder(_Version)


class Index:
    """Places by number, leaves by directory. It holds no entry and no text, so it stays small.

    `sound` is False when a listed leaf or file is missing or not what the root says, or when a
    run was stopped while it sealed.
    """

    def __init__(self) -> None:
        self.root: Root | None = None
        self.root_bytes: bytes | None = None
        self.sound = True
        self.sealing = False  # whether the marker of a seal under way stands there
        self.leaves: dict[str, LeafRef] = {}  # as they stand on disk, listed by the root or not
        self.unknown: set[str] = set()  # leaves of folders whose tag the root does not tell
        self.where: dict[int, str] = {}  # directory of each listed conversation
        self.extra: dict[int, set[str]] = {}  # other directories with a file or entry of the number
        self.bare: set[str] = set()  # directories without a leaf
        self.leftovers: set[str] = set()  # temporary files of a run that was stopped
        self.notes: list[str] = []

    def places(self, number: int) -> set[str]:
        """Every directory that holds something of `number`."""
        found = set(self.extra.get(number, ()))
        if number in self.where:
            found.add(self.where[number])
        return found

    def settle(self, number: int, directory: str) -> set[str]:
        """Let `number` stand in `directory` alone; the other places it had."""
        others = self.forget(number) - {directory}
        self.where[number] = directory
        return others

    def forget(self, number: int) -> set[str]:
        """Let `number` stand nowhere; the places it had."""
        found = self.places(number)
        self.where.pop(number, None)
        self.extra.pop(number, None)
        return found


def scan(folder: Folder) -> Index:
    """Read the root, every leaf and the names in every directory of files, one at a time.

    A torn root or leaf is kept under another name. Raises SinkError for a root by a newer program.
    """
    index = Index()
    _read_root(folder, index)
    tags = {} if index.root is None else {r.folder: r.tag_name for r in index.root.releases}
    _note_leftovers(folder, index, "")
    _read_marker(folder, index)
    for directory in _directories(folder, index):
        _read_directory(folder, index, directory, tags)
    _compare(index)
    return index


def _read_root(folder: Folder, index: Index) -> None:
    data = folder.read(MANIFEST)
    if data is None:
        return
    _refuse_newer(data)
    try:
        index.root = decode_root(data, file=MANIFEST)
        index.root_bytes = data
    except CorpusError as error:
        _keep_aside(folder, index, MANIFEST, error)


def _read_marker(folder: Folder, index: Index) -> None:
    if folder.exists(SEALING):
        index.sealing, index.sound = True, False
        index.notes.append("the last run was stopped while it sealed; every file is compared")


def _refuse_newer(data: bytes) -> None:
    try:
        found = _version.decode(data).schema
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return
    if found > SCHEMA:
        raise SinkError(
            f"{MANIFEST} has schema {found}, newer than ours ({SCHEMA}); nothing was changed: "
            "use the program that wrote it, or another --root"
        )


def _keep_aside(folder: Folder, index: Index, name: str, error: CorpusError) -> None:
    aside = folder.set_aside(name)
    index.sound = False
    index.notes.append(f"{error}; it is kept as {aside}, and written anew")


def _directories(folder: Folder, index: Index) -> list[str]:
    found = _blocks(folder, index, _ACTIVE)
    releases = folder.names(_ARCHIVE)
    for release in releases:
        if folder.is_directory(f"{_ARCHIVE}/{release}"):
            found += _blocks(folder, index, f"{_ARCHIVE}/{release}")
    if not releases:
        index.bare.add(_ARCHIVE)
    return found


def _blocks(folder: Folder, index: Index, parent: str) -> list[str]:
    if not folder.is_directory(parent):
        return []
    found = [f"{parent}/{name}" for name in folder.names(parent)]
    blocks = [name for name in found if placed_leaf(name) and folder.is_directory(name)]
    if not blocks:
        index.bare.add(parent)
    return blocks


def _read_directory(folder: Folder, index: Index, directory: str, tags: dict[str, str]) -> None:
    files = _note_leftovers(folder, index, directory)
    listed = _read_leaf(folder, index, directory, tags)
    if not listed:
        index.bare.add(directory)
    if not listed <= files:
        index.sound = False
        index.notes.append(f"{directory}: {len(listed - files)} listed files are missing")
    for number in sorted(listed | files):
        _enter(index, number, directory, listed=number in listed and number in files)


def _note_leftovers(folder: Folder, index: Index, directory: str) -> set[int]:
    numbers: set[int] = set()
    for name in folder.names(directory or "."):
        path = str(PurePosixPath(directory) / name)
        if found := placed(path):
            numbers.add(found[0])
        elif (meant := meant_by(name)) and _is_ours(directory, meant):
            index.leftovers.add(path)
    return numbers


def _is_ours(directory: str, name: str) -> bool:
    if not directory:
        return name in {ATTRIBUTES, CENSUS, MANIFEST, SEALING}
    return name == MANIFEST or placed(f"{directory}/{name}") is not None


def _read_leaf(folder: Folder, index: Index, directory: str, tags: dict[str, str]) -> set[int]:
    name = f"{directory}/{MANIFEST}"
    data = folder.read(name)
    if data is None:
        return set()
    try:
        leaf = decode_leaf(data, file=name)
    except CorpusError as error:
        _keep_aside(folder, index, name, error)
        return set()
    place = placed_leaf(directory)
    release = tags.get(place.folder) if place and place.folder else None
    if place and place.folder and release is None:
        index.unknown.add(directory)
    else:
        index.leaves[directory] = leaf_ref(PurePosixPath(directory), release, leaf, data)
    return {entry.number for entry in leaf.entries}


def _enter(index: Index, number: int, directory: str, *, listed: bool) -> None:
    if listed and number not in index.where:
        index.where[number] = directory
    else:
        index.extra.setdefault(number, set()).add(directory)


def _compare(index: Index) -> None:
    if index.root is None:
        index.sound = False
        return
    for leaf in index.root.leaves:
        standing = index.leaves.get(str(PurePosixPath(leaf.path).parent))
        if standing is None or standing.digest != leaf.digest:
            index.sound = False
            index.notes.append(f"{leaf.path} is not what the root says")
