"""`python -m syncer.cli` is the same as `syncer`."""

from __future__ import annotations

import sys

from syncer.cli.entry import main

sys.exit(main())
