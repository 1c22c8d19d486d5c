"""Bird View: reads a corpus, finds what moved a project, and tells it in chapters."""
