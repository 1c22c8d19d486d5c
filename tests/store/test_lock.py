"""One writer per repository: the lock names its holder, and no end of a process leaves it held."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from syncer.errors import LocalError, LockedError
from syncer.store import hold_folder
from syncer.store.lock import hold

_CHILD = """
import sys, time
from pathlib import Path
from syncer.store.lock import hold
with hold(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lock"


def test_a_second_run_is_told_who_holds_the_repository_and_since_when(path: Path) -> None:
    with hold(path):
        words = f"process {os.getpid()} on {socket.gethostname()}, since 20"
        with pytest.raises(LockedError, match=words), hold(path):
            pytest.fail("held twice")


def test_a_refused_run_leaves_the_name_of_the_holder_in_place(path: Path) -> None:
    with hold(path):
        before = path.read_bytes()
        with pytest.raises(LockedError), hold(path):
            pytest.fail("held twice")
        assert path.read_bytes() == before
        assert msgspec.json.decode(before)["pid"] == os.getpid()


def test_let_go_the_lock_can_be_taken_again_and_the_file_names_nobody(path: Path) -> None:
    for _ in range(2):
        with hold(path):
            assert path.read_bytes() != b""
        assert path.read_bytes() == b""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_that_dies_frees_the_lock_however_it_dies(
    how: signal.Signals, path: Path, root: Path
) -> None:
    command = [sys.executable, "-c", _CHILD, str(path)]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        with pytest.raises(LockedError, match=f"process {child.pid} on "), hold(path):
            pytest.fail("held twice")
        child.send_signal(how)
        child.wait(timeout=30)
    with hold(path):
        assert msgspec.json.decode(path.read_bytes())["pid"] == os.getpid()


@pytest.mark.parametrize("name", [b"", b"{", b'{"pid": "x"}', b"\xff\xfe", b'{"host": "\xff"}'])
def test_a_holder_whose_name_cannot_be_read_still_holds(name: bytes, path: Path) -> None:
    with hold(path):
        path.write_bytes(name)
        with pytest.raises(LockedError, match="did not leave a name"), hold(path):
            pytest.fail("held twice")


def test_a_file_system_without_locks_is_a_local_matter(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(LocalError, match="No locks available"), hold(path):
        pytest.fail("held without a lock")


def test_a_lock_that_cannot_be_opened_is_a_local_matter(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match="cannot open the lock file"), hold(tmp_path):
        pytest.fail("held a folder")


async def test_the_state_folder_is_made_held_and_hidden_from_git(tmp_path: Path) -> None:
    folder = tmp_path / "owner" / "repo"
    async with hold_folder(folder) as state:
        assert state == folder / ".syncer"
        assert (state / ".gitignore").read_text() == "*\n"
        with pytest.raises(LockedError):
            async with hold_folder(folder):
                pytest.fail("held twice")


async def test_a_folder_that_cannot_be_made_is_a_local_matter_with_a_way_out(
    tmp_path: Path,
) -> None:
    (tmp_path / "owner").write_text("a file")
    with pytest.raises(LocalError, match="choose another --root"):
        async with hold_folder(tmp_path / "owner" / "repo"):
            pytest.fail("held what is not there")
