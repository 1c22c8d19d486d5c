"""Changes that reach many pull requests at once, none of which says so in its `updatedAt`."""

from __future__ import annotations

from syncer.testing.github.clock import Clock
from syncer.testing.github.nodes import Node
from syncer.testing.github.world import World

__all__ = ["WideMutations"]


class WideMutations:
    """Changes to labels, branches and accounts of a world."""

    def __init__(self, world: World, clock: Clock) -> None:
        self.world = world
        self._clock = clock

    def rename_label(self, name: str, to: str) -> None:
        """Does not move. Rename a label everywhere."""
        for label in self.world.repository.labels.values():
            if label.name == name:
                label.name = to
                self._changed(label)

    def delete_label(self, name: str) -> None:
        """Does not move. Delete a label of the repository, and so take it off everywhere."""
        repository = self.world.repository
        for label in [x for x in repository.labels.values() if x.name == name]:
            del repository.labels[label.database_id]
            for pull in repository.pull_requests.values():
                pull.labels = [x for x in pull.labels if x is not label]
            self._forget(label)

    def rename_branch(self, name: str, to: str) -> None:
        """Does not move. A base branch is renamed, under all pull requests to it."""
        for pull in self.world.repository.pull_requests.values():
            if pull.base_ref_name == name:
                pull.base_ref_name = to
        self.world.touched += 1

    def rename_account(self, login: str, to: str) -> None:
        """Does not move. An account is called otherwise from now on, wherever it spoke."""
        self._changed(self.world.renamed(login, to))

    def delete_account(self, login: str) -> None:
        """Does not move. An account ends: what it wrote has no author any more."""
        for pull in self.world.repository.pull_requests.values():
            said = [c for t in pull.review_threads for c in t.comments]
            for entry in (pull, *pull.comments, *pull.reviews, *said):
                if entry.author is not None and entry.author.login == login:
                    entry.author = None
        self.world.touched += 1

    # -- inside

    def _changed(self, node: Node) -> None:
        self.world.add(node)
        self.world.touched += 1

    def _forget(self, node: Node) -> None:
        self.world.forget(node)
        self.world.touched += 1
