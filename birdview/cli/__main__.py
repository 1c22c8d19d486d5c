"""`python -m birdview.cli` is the same as `birdview`."""

from __future__ import annotations

import sys

from birdview.cli.entry import main

sys.exit(main())
