"""Which repository answered: a name may pass to another one, an id never does. Pure."""

from __future__ import annotations

from syncer.errors import ConfigError
from syncer.github.answers import Opening
from syncer.repository import Repository

__all__ = ["identified"]


def identified(known: Repository | None, opening: Opening) -> Repository:
    """The repository of the store, which held `known`, under the name it goes by today.

    Raises ConfigError when the name now belongs to another repository than the stored one.
    """
    if known is not None and known.id != opening.repository_id:
        message = (
            f"{opening.name} is another repository today than the one stored here "
            f"({known.name}, id {known.id}): sync it into another --root"
        )
        raise ConfigError(message)
    return Repository(
        id=opening.repository_id,
        name=opening.name if known is None else known.name,
        current_name=opening.name,
        web_url=opening.web_url,
    )
