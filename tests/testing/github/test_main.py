"""The simulator as a process of its own."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import queries
from syncer.testing.github import dump

ROOT = Path(__file__).parents[3]


@contextmanager
def serving(*args: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    command = [sys.executable, "-m", "syncer.testing.github", "--port", "0", *args]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.fullmatch(r"listening on (http://127\.0\.0\.1:\d+/graphql)\n", line)
            assert found, line + (process.stderr.read() if process.stderr else "")
            yield found[1], process
        finally:
            process.kill()


def post(url: str, token: str) -> tuple[dict[str, Any], str]:
    body = {
        "query": queries.load("opening").text,
        "variables": {"owner": "example-org", "name": "small"},
    }
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Authorization": f"Bearer {token}"}
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read()), answer.headers["Date"]


def test_it_serves_a_file_under_its_settings_and_ends_cleanly(small, tmp_path):
    (tmp_path / "data.json").write_bytes(dump(small))
    marks = tmp_path / "marks"
    marks.mkdir()
    settings = ["--token", "secret", "--viewer", "viewer", "--zone", "330", "--limit", "77"]
    where = [
        "--data",
        str(tmp_path / "data.json"),
        "--log",
        str(tmp_path / "log.jsonl"),
        "--mark-dir",
        str(marks),
    ]
    with serving(*settings, *where, "--now", "2030-05-06T07:08:09Z", "--freeze") as (url, process):
        answer, date = post(url, "secret")
        assert answer["data"]["repository"]["nameWithOwner"] == "Example-Org/Small"
        assert answer["data"]["rateLimit"]["limit"] == 77
        assert date == "Mon, 06 May 2030 07:08:09 GMT"
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=10)
        assert (process.returncode, out, err) == (0, "", "")
    assert {path.name for path in marks.iterdir()} == {"received-1", "answered-1"}
    (line,) = (tmp_path / "log.jsonl").read_text().splitlines()
    assert json.loads(line)["operation"] == "Opening"


def test_it_generates_data_when_it_is_given_none():
    with serving("--pulls", "12", "--seed", "3", "--repository", "example-org/small") as (
        url,
        process,
    ):
        answer, _ = post(url, "simulated-token")
        assert answer["data"]["repository"]["pullRequests"]["totalCount"] == 12
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 0
