"""Consumers of the change feed, found by entry point like a stranger's (docs/writing-a-sink.md)."""
