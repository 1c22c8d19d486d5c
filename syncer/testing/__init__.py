"""What a test of the engine, a sink or a reader can lean on: a GitHub, and conformance suites."""
