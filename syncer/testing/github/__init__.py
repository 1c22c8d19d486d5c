"""A GitHub to test against: GraphQL over a data set, with GitHub's rules, limits and faults.

    async with Simulator(generate(seed=1, pulls=200)) as github:
        github.fail(gateway_page(), at=3)
        ...  # POST to github.url with `Authorization: Bearer` and DEFAULT_TOKEN
    assert github.points <= 10

`python -m syncer.testing.github --help` starts one for other processes.
"""

from syncer.testing.github.clock import Clock
from syncer.testing.github.dataset import Dataset
from syncer.testing.github.generator import Shape, generate
from syncer.testing.github.loading import dump, load, parse
from syncer.testing.github.mutations import Mutations
from syncer.testing.github.replies import CutError
from syncer.testing.github.requests import Asked
from syncer.testing.github.simulator import DEFAULT_TOKEN, Simulator
from syncer.testing.github.viewers import Access, Viewer

__all__ = [
    "DEFAULT_TOKEN",
    "Access",
    "Asked",
    "Clock",
    "CutError",
    "Dataset",
    "Mutations",
    "Shape",
    "Simulator",
    "Viewer",
    "dump",
    "generate",
    "load",
    "parse",
]
