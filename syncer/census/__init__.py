"""Which pull requests there are, which of them must be read, and the proof that none was missed."""
