from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra [mcp] is not installed")

from tests.birdview.mcp.scene import write


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root with one corpus, that nobody may change."""
    root = tmp_path_factory.mktemp("served")
    asyncio.run(write(root))
    return root
