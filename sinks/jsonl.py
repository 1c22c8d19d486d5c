"""JSON lines: one record a line, a thousand numbers a file, `jsonl/0012000.jsonl`.

`jsonl/manifest.json` names every file with its digest; the token is a digest of it. A file that
is not what the manifest says makes the token void, and the next run writes what is wrong anew.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import PurePosixPath

import msgspec
from msgspec import Struct

from sinks.files import FileSystem, Folder, in_thread
from syncer.canonical import canonical_bytes
from syncer.corpus.names import block_of
from syncer.corpus.unfinished import meant_by, temporary_of
from syncer.errors import ConfigError, ContractError
from syncer.export import export_line
from syncer.repository import Repository
from syncer.sink import Applied, Batch, Change, ChangeKind, Destination, Sink

__all__ = ["JsonLinesSink", "open_sink"]

_DIRECTORY = "jsonl"
_MANIFEST = f"{_DIRECTORY}/manifest.json"
_BLOCK_FILE = re.compile(r"([0-9]{7,})\.jsonl")
SCHEMA = 1


class Block(Struct, frozen=True, kw_only=True):
    """One file as the manifest names it."""

    block: str
    count: int
    bytes: int
    sha256: str


class Manifest(Struct, frozen=True, kw_only=True):
    """All files, by block. `repository` is the id, `name` the name first synced."""

    schema: int
    repository: str
    name: str
    blocks: tuple[Block, ...]


class _Numbered(Struct):
    number: int


_manifest = msgspec.json.Decoder(Manifest)
_numbered = msgspec.json.Decoder(_Numbered)


def open_sink(destination: Destination) -> Sink:
    """The sink `jsonl` of the entry-point group `syncer.sinks`; it takes no options."""
    if destination.options:
        raise ConfigError(f"sink jsonl has no option {min(destination.options)!r}; leave it out")
    return JsonLinesSink(Folder(destination.folder, FileSystem()))


class JsonLinesSink:
    """Blocks of lines sorted by number. At most one block is in memory at a time.

    `notes` says what was found damaged and what became of it.
    """

    def __init__(self, folder: Folder) -> None:
        self.notes: list[str] = []
        self._folder = folder
        self._blocks: dict[str, Block] = {}
        self._staged: dict[str, Block | None] = {}  # None: the block has no line left
        self._named: set[int] = set()  # every number met since `open`
        self._replaying = False
        self._repository: Repository | None = None
        self._token: str | None = None

    async def open(self) -> str | None:
        """The digest of the manifest, or None unless every file is what the manifest says."""
        await in_thread(self._open)
        return self._token

    async def apply(self, batch: Batch) -> Applied:
        """Stage the blocks that the changes touch, beside the ones in place."""
        self._repository = batch.facts.repository
        self._replaying |= batch.replay
        self._named |= {change.number for change in batch.changes}
        applied = Applied()
        for block, changes in _by_block(batch.changes).items():
            applied += await in_thread(partial(self._apply, block, changes))
        return applied

    async def flush(self) -> str:
        """Put the staged blocks in place, then the manifest that names them."""
        await in_thread(self._flush)
        return self._token or ""

    async def close(self) -> None:
        """Drop what was staged; the files stay as the last flush left them."""
        await in_thread(self._drop_staged)

    def _open(self) -> None:
        for name in self._folder.names(_DIRECTORY):
            if found := _BLOCK_FILE.fullmatch(name):
                data = self._folder.read(f"{_DIRECTORY}/{name}") or b""
                self._blocks[found[1]] = _describe(found[1], data)
        manifest = self._folder.read(_MANIFEST)
        if manifest is not None and self._trusted(manifest):
            self._token = hashlib.sha256(manifest).hexdigest()

    def _trusted(self, data: bytes) -> bool:
        try:
            manifest = _manifest.decode(data)
        except (msgspec.MsgspecError, RecursionError):
            aside = self._folder.set_aside(_MANIFEST)
            self.notes.append(f"{_MANIFEST} is damaged; it is kept as {aside}")
            return False
        return manifest.blocks == self._sorted_blocks()

    def _sorted_blocks(self) -> tuple[Block, ...]:
        return tuple(block for _, block in sorted(self._blocks.items()))

    def _apply(self, block: str, changes: list[Change]) -> Applied:
        data = self._data(block)
        lines = _numbered_lines(data)
        applied = Applied()
        for change in changes:
            applied += self._take(lines, change)
        self._stage(block, data, lines)
        return applied

    def _take(self, lines: dict[int, bytes], change: Change) -> Applied:
        before = lines.pop(change.number, None)
        if change.kind is ChangeKind.GONE:
            return Applied(removed=int(before is not None))
        if self._repository is None:
            raise ContractError("the changes came without the facts of their repository")
        # A line does not show the bucket: a move is a put that finds its line there.
        lines[change.number] = export_line(change.snapshot(), self._repository)
        return Applied(written=int(lines[change.number] != before))

    def _data(self, block: str) -> bytes:
        if block not in self._staged:
            return self._folder.read(_name(block)) or b""
        described = self._staged[block]
        return b"" if described is None else self._folder.read(temporary_of(_name(block))) or b""

    def _stage(self, block: str, before: bytes, lines: Mapping[int, bytes]) -> None:
        data = b"".join(line for _, line in sorted(lines.items()))
        if data == before:
            return
        if lines:
            self._folder.stage(_name(block), data)
        self._staged[block] = _describe(block, data) if lines else None

    def _flush(self) -> None:
        if self._repository is None:
            return
        if self._replaying:
            self._drop_unnamed(self._named)
        self._replaying = False
        if self._staged:
            self._publish()
        self._drop_staged()
        manifest = Manifest(
            schema=SCHEMA,
            repository=self._repository.id,
            name=self._repository.name,
            blocks=self._sorted_blocks(),
        )
        data = msgspec.json.format(canonical_bytes(manifest), indent=1) + b"\n"
        if self._folder.read(_MANIFEST) != data:
            self._folder.write(_MANIFEST, data)
        self._token = hashlib.sha256(data).hexdigest()

    def _drop_unnamed(self, named: set[int]) -> None:
        for block in sorted(self._blocks.keys() | self._staged.keys()):
            data = self._data(block)
            lines = _numbered_lines(data)
            self._stage(block, data, {n: line for n, line in lines.items() if n in named})

    def _publish(self) -> None:
        self._folder.sync()
        for block, described in self._staged.items():
            if described is None:
                self._folder.remove(_name(block))
                self._blocks.pop(block, None)
            else:
                self._folder.publish(_name(block))
                self._blocks[block] = described
        self._staged.clear()

    def _drop_staged(self) -> None:
        self._staged.clear()
        for name in self._folder.names(_DIRECTORY):
            meant = meant_by(name) or ""
            if meant == PurePosixPath(_MANIFEST).name or _BLOCK_FILE.fullmatch(meant):
                self._folder.remove(f"{_DIRECTORY}/{name}")
        self._folder.prune(_DIRECTORY)


def _name(block: str) -> str:
    return f"{_DIRECTORY}/{block}.jsonl"


def _describe(block: str, data: bytes) -> Block:
    digest = hashlib.sha256(data).hexdigest()
    return Block(block=block, count=data.count(b"\n"), bytes=len(data), sha256=digest)


def _by_block(changes: Iterable[Change]) -> dict[str, list[Change]]:
    grouped: dict[str, list[Change]] = {}
    for change in changes:
        grouped.setdefault(block_of(change.number), []).append(change)
    return grouped


def _numbered_lines(data: bytes) -> dict[int, bytes]:
    lines: dict[int, bytes] = {}
    for line in data.split(b"\n"):
        try:
            lines[_numbered.decode(line).number] = line + b"\n"
        except (msgspec.MsgspecError, RecursionError):
            # Not a line of ours: the file failed its digest, and the replay under way brings all.
            continue
    return lines
