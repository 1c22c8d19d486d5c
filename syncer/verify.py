"""A check of a whole corpus, by reading alone: every digest, every path, every file both ways.

One leaf and one file are in memory at a time. While a run is at work the tree is in motion, and so
would the findings be: hold the repository's lock, or check a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

from msgspec import Struct

from syncer.corpus import (
    CENSUS,
    MANIFEST,
    CorpusError,
    Leaf,
    LeafEntry,
    LeafRef,
    Root,
    Timeline,
    bytes_digest,
    decode_census,
    decode_leaf,
    decode_root,
    leaf_entry,
    leaf_ref,
    parse,
    placed,
    placed_leaf,
    render,
)
from syncer.corpus.unfinished import SEALING, meant_by, set_aside_of
from syncer.findings import Code, Findings, Report
from syncer.tree import Tree

__all__ = ["Expected", "verify"]

_ATTRIBUTES = ".gitattributes"
_ACTIVE = "pulls"
_ARCHIVE = "archive/pulls"


class Expected(Struct, frozen=True):
    """What the store says of one conversation: the tag of its bucket and its revision."""

    release: str | None
    revision: str


def verify(
    folder: Path,
    *,
    expected: Mapping[int, Expected] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Everything that is not as it should be in the corpus at `folder`, which is only read.

    With `expected`, by number, the corpus is compared with what the store holds. `progress` is
    told how many files were gone through. Raises LocalError for what cannot be read.
    """
    return _Check(Tree(folder), expected, progress or (lambda _: None)).run()


class _Check:
    def __init__(
        self,
        tree: Tree,
        expected: Mapping[int, Expected] | None,
        progress: Callable[[int], None],
    ) -> None:
        self._tree = tree
        self._expected = expected
        self._progress = progress
        self._found = Findings()
        self._root: Root | None = None
        self._timeline: Timeline | None = None
        self._listed: dict[str, LeafRef] = {}
        self._places: dict[int, str] = {}  # every number met, and where first
        self._entered: set[int] = set()
        self._leaves = self._files = 0

    def run(self) -> Report:
        self._check_root()
        for directory in sorted(self._directories() | self._listed.keys()):
            self._check_directory(directory)
        self._check_parents()
        self._check_census()
        self._check_store()
        self._check_links()
        return Report(
            digest=None if self._root is None else self._root.digest,
            leaves=self._leaves,
            files=self._files,
            findings=tuple(sorted(self._found, key=lambda finding: (finding.path, finding.code))),
        )

    # --------------------------------------------------------------------------------- root

    def _check_root(self) -> None:
        if self._tree.read(SEALING) is not None:
            self._found.stopped = True
            self._found.add(Code.SEALING, SEALING, "a run was stopped while it sealed the corpus")
        self._note_leftovers("", {MANIFEST, CENSUS, _ATTRIBUTES, SEALING})
        data = self._tree.read(MANIFEST)
        if data is None:
            self._without_root()
            return
        try:
            self._root = decode_root(data, file=MANIFEST)
        except CorpusError as error:
            self._found.add(Code.ROOT_DAMAGED, MANIFEST, error.detail)
            return
        releases = (release.release() for release in self._root.releases)
        self._timeline = Timeline(releases, self._root.shaping)
        self._listed = {str(PurePosixPath(leaf.path).parent): leaf for leaf in self._root.leaves}
        if self._tree.read(_ATTRIBUTES) != b"* -text\n":
            self._found.add(Code.ATTRIBUTES_WRONG, _ATTRIBUTES, "it is not the line `* -text`")

    def _without_root(self) -> None:
        # Before the first seal there are temporary files at most: then nothing is lost.
        directories = self._directories()
        self._found.stopped |= not any(
            placed(f"{directory}/{name}") or name == MANIFEST
            for directory in directories
            for name in self._tree.names(directory)
        )
        self._found.add(Code.ROOT_MISSING, MANIFEST, "there is no root: nothing is sealed here")

    def _check_links(self) -> None:
        top = {_ACTIVE, "archive", _ARCHIVE, MANIFEST, CENSUS, _ATTRIBUTES, SEALING}
        for link in sorted(self._tree.links):
            parent, _, name = link.rpartition("/")
            leaf = name == MANIFEST and placed_leaf(parent) is not None
            if link in top or parent == _ARCHIVE or leaf or placed_leaf(link) or placed(link):
                detail = "a symbolic link stands where the corpus has its own"
                self._found.add(Code.LINK, link, detail)

    # --------------------------------------------------------------------------- directories

    def _directories(self) -> set[str]:
        parents = [_ACTIVE, *self._tree.directories(_ARCHIVE)]
        found = {name for parent in parents for name in self._tree.directories(parent)}
        return {name for name in found if placed_leaf(name) is not None}

    def _check_directory(self, directory: str) -> None:
        self._leaves += 1
        names = self._tree.names(directory)
        files = {found[0] for name in names if (found := placed(f"{directory}/{name}"))}
        entries = self._entries(directory, any_file=bool(files))
        for number in sorted(files | entries.keys()):
            self._check_number(directory, number, entries.get(number))
        ours = {MANIFEST, *(f"pr-{number}.md" for number in entries)}
        self._note_leftovers(directory, ours)
        self._note_empty(directory)

    def _check_parents(self) -> None:
        for directory in (_ACTIVE, "archive", _ARCHIVE, *self._tree.directories(_ARCHIVE)):
            self._note_empty(directory)

    def _note_empty(self, directory: str) -> None:
        if self._tree.is_directory(directory) and not self._tree.names(directory):
            self._found.add(Code.EMPTY_DIRECTORY, directory, "there is nothing in it")

    def _entries(self, directory: str, *, any_file: bool) -> dict[int, LeafEntry]:
        name, ref = f"{directory}/{MANIFEST}", self._listed.get(directory)
        data = self._tree.read(name)
        if data is None:
            if ref is not None or any_file:
                self._found.add(Code.LEAF_MISSING, name, "the files here have no manifest")
            return {}
        try:
            leaf = decode_leaf(data, file=name)
        except CorpusError as error:
            self._found.add(Code.LEAF_DAMAGED, name, error.detail)
            return {}
        self._check_leaf(directory, leaf, data, ref)
        return {entry.number: entry for entry in leaf.entries}

    def _check_leaf(self, directory: str, leaf: Leaf, data: bytes, ref: LeafRef | None) -> None:
        name = f"{directory}/{MANIFEST}"
        if self._root is None:
            return
        if ref is None:
            self._found.add(Code.LEAF_UNLISTED, name, "the root does not list it")
        elif ref.digest != bytes_digest(data):
            self._found.add(Code.LEAF_DIFFERS, name, "it has not the digest that the root states")
        elif ref != leaf_ref(PurePosixPath(directory), ref.release, leaf, data):
            self._found.add(Code.LEAF_SUMMARY_WRONG, name, "the root's summary of it is wrong")

    def _note_leftovers(self, directory: str, ours: set[str]) -> None:
        names = self._tree.names(directory)
        for name in names:
            path = f"{directory}/{name}" if directory else name
            if _is_ours(meant_by(name), directory, ours):
                self._found.add(Code.TEMPORARY, path, "a file that a stopped run was writing")
            elif _is_ours(set_aside_of(name), directory, ours):
                self._found.add(Code.SET_ASIDE, path, "a damaged file that was kept aside")

    # --------------------------------------------------------------------------------- files

    def _check_number(self, directory: str, number: int, entry: LeafEntry | None) -> None:
        path = f"{directory}/pr-{number}.md"
        self._files += 1
        self._progress(self._files)
        first = self._places.setdefault(number, path)
        if first != path:
            self._found.add(Code.DOUBLE, path, f"it stands at {first} as well", number=number)
        data = self._tree.read(path)
        if entry is None:
            self._found.add(Code.FILE_UNLISTED, path, "no manifest lists it", number=number)
        else:
            self._entered.add(number)
            self._check_place(directory, path, entry)
        if data is None:
            self._found.add(Code.FILE_MISSING, path, "it is listed and not there", number=number)
        else:
            self._check_file(path, number, data, entry)

    def _check_place(self, directory: str, path: str, entry: LeafEntry) -> None:
        if placed(path) is None:
            detail = f"number {entry.number} does not belong in this block"
            self._found.add(Code.ENTRY_WRONG, path, detail, number=entry.number)
        ref = self._listed.get(directory)
        if self._timeline is not None and ref is not None:
            bucket = self._timeline.bucket(entry.resolved_at)
            if bucket != ref.release:
                where = "the active tier" if bucket is None else f"the bucket of {bucket!r}"
                detail = f"by the releases it belongs in {where}"
                self._found.add(Code.BUCKET_WRONG, path, detail, number=entry.number)
            self._compare(path, entry, ref.release)

    def _check_file(self, path: str, number: int, data: bytes, entry: LeafEntry | None) -> None:
        try:
            snapshot = parse(data, file=path)
        except CorpusError as error:
            where = "" if error.line is None else f"line {error.line}: "
            self._found.add(Code.FILE_DAMAGED, path, f"{where}{error.detail}", number=number)
            return
        if self._root is not None and render(snapshot, self._root.repository) != data:
            detail = "its bytes are not in the one form that this program writes"
            self._found.add(Code.FILE_DAMAGED, path, detail, number=number)
        elif snapshot.conversation.number != number:
            detail = f"it holds number {snapshot.conversation.number}"
            self._found.add(Code.FILE_DAMAGED, path, detail, number=number)
        elif entry is not None and entry.sha256 != bytes_digest(data):
            detail = "it has not the digest that its manifest states"
            self._found.add(Code.FILE_DIFFERS, path, detail, number=number)
        elif entry is not None and entry != leaf_entry(snapshot, data):
            detail = "its manifest says something else than the file"
            self._found.add(Code.ENTRY_WRONG, path, detail, number=number)

    # ---------------------------------------------------------------------- census and store

    def _check_census(self) -> None:
        data = self._tree.read(CENSUS)
        if data is None:
            if self._root is not None:
                self._found.add(Code.CENSUS_MISSING, CENSUS, "how fresh it is, is not known")
            return
        try:
            census = decode_census(data, file=CENSUS)
        except CorpusError as error:
            self._found.add(Code.CENSUS_DAMAGED, CENSUS, error.detail)
            return
        entered = self._entered
        if self._root is not None and census.repository_id != self._root.repository.id:
            detail = "it is about another repository"
        elif strange := sorted(entered.intersection(census.unread)):
            detail = f"number {strange[0]} is said to be unread, and has a file"
        elif strange := sorted(set(census.behind) - entered):
            detail = f"number {strange[0]} is said to be behind, and has no file"
        elif len(entered) + len(census.unread) != census.found:
            detail = (
                f"{len(entered)} files and {len(census.unread)} unread numbers do not make "
                f"{census.found} known pull requests"
            )
        else:
            return
        self._found.add(Code.CENSUS_MISMATCH, CENSUS, detail)

    def _compare(self, path: str, entry: LeafEntry, release: str | None) -> None:
        if self._expected is None:
            return
        wanted = self._expected.get(entry.number)
        if wanted is None:
            detail = "the store holds no such conversation"
            self._found.add(Code.STORE_LACKS, path, detail, number=entry.number)
        elif wanted.revision != entry.revision:
            detail = "the store holds other content"
            self._found.add(Code.STORE_DIFFERS, path, detail, number=entry.number)
        elif wanted.release != release:
            detail = "the store has it in another bucket"
            self._found.add(Code.STORE_DIFFERS, path, detail, number=entry.number)

    def _check_store(self) -> None:
        for number in sorted((self._expected or {}).keys() - self._entered):
            detail = f"the store holds number {number}, the corpus does not"
            self._found.add(Code.CORPUS_LACKS, MANIFEST, detail, number=number)


def _is_ours(bare: str | None, directory: str, ours: set[str]) -> bool:
    """Whether a file that stands for `bare` is of this corpus: one is there, or could be."""
    return bare is not None and (bare in ours or placed(f"{directory}/{bare}") is not None)
