"""Which repositories lie below a root, and what their folders say of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from syncer.adoption import read_root
from syncer.corpus import MANIFEST, repository_path
from syncer.errors import ConfigError, LocalError, StopError
from syncer.repository import Repository
from syncer.store import STATE_FILE, STATE_FOLDER

__all__ = ["Place", "chosen", "has_store", "places"]


class Place(Struct, frozen=True):
    """A repository's folder; `name` is `OWNER/REPO` as the folder spells it."""

    name: str
    folder: Path


def places(root: Path) -> list[Place]:
    """Every repository below `root`, by name. Raises LocalError when it cannot be listed."""
    try:
        folders = [folder for folder in sorted(root.glob("*/*")) if _is_repository(folder)]
        if not folders and not root.is_dir():
            raise LocalError(f"there is no folder {root}; give the --root that `sync` was given")
    except OSError as error:
        message = f"cannot list {root}: {error.strerror}; mend its permissions"
        raise LocalError(message) from error
    return [Place(f"{folder.parent.name}/{folder.name}", folder) for folder in folders]


def chosen(root: Path, names: list[str] | None) -> list[Place]:
    """The places of `names`, or every one when none is named.

    Raises ConfigError where there is nothing: a check that looks at nothing must not pass.
    """
    every = places(root)
    if not names:
        if not every:
            raise ConfigError(
                f"there is no repository below {root}: run `syncer sync OWNER/REPO --root {root}`, "
                "or give the --root that was used"
            )
        return every
    return [_named(name, root, every) for name in dict.fromkeys(names)]


def _named(name: str, root: Path, every: list[Place]) -> Place:
    wanted = str(repository_path(name)).casefold()
    for place in every:
        if place.name.casefold() == wanted:
            return place
    for place in every:
        if wanted in _other_names(place.folder):
            return place
    raise ConfigError(
        f"{name} is not below {root}: run `syncer sync {name} --root {root}`, or give the --root "
        "that was used"
    )


def _other_names(folder: Path) -> Iterator[str]:
    """After a rename the folder keeps its first name; the root manifest knows both."""
    repository = _repository(folder)
    if repository is not None:
        yield repository.name.casefold()
        yield repository.current_name.casefold()


def _repository(folder: Path) -> Repository | None:
    try:
        root = read_root(folder)
    except StopError:
        return None
    return None if root is None else root.repository


def has_store(folder: Path) -> bool:
    """Whether the folder holds a store, readable or not."""
    return (folder / STATE_FOLDER / STATE_FILE).exists()


def _is_repository(folder: Path) -> bool:
    return (folder / MANIFEST).is_file() or has_store(folder)
