"""JSON lines: the conformance suite, and what is particular to files of lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sinks.files import FileSystem, Folder
from sinks.jsonl import JsonLinesSink, open_sink
from syncer.errors import ConfigError
from syncer.sink import Destination, Sink
from syncer.testing.conformance import SinkConformance
from syncer.testing.feed import Bookmark, Feed, deliver
from syncer.testing.samples import sample


def lines(folder: Path) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    for path in sorted(folder.glob("jsonl/*.jsonl")):
        data = path.read_bytes()
        assert data.endswith(b"\n")
        for line in data[:-1].split(b"\n"):
            number = json.loads(line)["number"]
            assert number not in found
            found[number] = line
    return found


class TestJsonLines(SinkConformance):
    def sink(self, folder: Path) -> Sink:
        return JsonLinesSink(Folder(folder, FileSystem()))

    def stored(self, folder: Path) -> dict[int, bytes]:
        return lines(folder)

    def text(self, folder: Path) -> dict[int, tuple[str, str]]:
        records = [json.loads(line) for line in lines(folder).values()]
        return {record["number"]: (record["title"], record["body"]) for record in records}
