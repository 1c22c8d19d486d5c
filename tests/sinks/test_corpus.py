"""The corpus sink: the conformance suite, and what is particular to a tree of files."""

from __future__ import annotations

from pathlib import Path

from sinks.corpus import CorpusSink, open_sink
from sinks.files import FileSystem, Folder
from syncer.corpus.parse import parse
from syncer.sink import Sink
from syncer.testing.conformance import SinkConformance


def tree(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


class TestCorpus(SinkConformance):
    def sink(self, folder: Path) -> Sink:
        return CorpusSink(Folder(folder, FileSystem()))

    def stored(self, folder: Path) -> dict[int, object]:
        found: dict[int, object] = {}
        for name, data in tree(folder).items():
            if name.endswith(".md"):
                number = parse(data, file=name).conversation.number
                assert number not in found, "a number with two files"
                found[number] = (name, data)
        return found

    def text(self, folder: Path) -> dict[int, tuple[str, str]]:
        files = [data for name, data in tree(folder).items() if name.endswith(".md")]
        conversations = [parse(data).conversation for data in files]
        return {c.number: (c.title, c.body) for c in conversations}
