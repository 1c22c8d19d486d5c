"""Bird View: what happened in a window of a project's pull requests, proven and cited."""
