"""What every test may lean on: settings that make a run repeatable, and where optional data lies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

# A busy machine is no reason to fail: properties have no deadline anywhere. `ci` repeats itself.
settings.register_profile("quick", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("quick"), derandomize=True)
settings.register_profile("deep", parent=settings.get_profile("quick"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """A folder of real data beside the repository; without it the test is skipped."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("there is no folder of shared data beside the repository")
    return folder


@pytest.fixture(scope="session", autouse=True)
def _no_token() -> Iterator[None]:
    """No test reads the token or the addresses of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("GITHUB_TOKEN", "GH_TOKEN", "GITHUB_GRAPHQL_URL", "GITHUB_API_URL"):
            patch.delenv(name, raising=False)
        yield
