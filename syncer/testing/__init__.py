"""What a test of the engine, of a sink or of a reader can lean on: a GitHub, and conformance suites."""
