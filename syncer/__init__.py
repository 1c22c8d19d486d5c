"""Read every conversation on a repository's pull requests to the last node, and prove it."""

__version__ = "0.1.0"
