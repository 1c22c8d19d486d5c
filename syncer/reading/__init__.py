"""Reading pull requests to the end: what is due, what follows from each answer, what comes of it.

`frontier`, `turns`, `judgement` and `assemble` decide and are pure; `board` holds a wave in memory,
`ingest` stores what answers bring, and `wave` sends and receives. `shelf` is where a wave keeps
what it reads: the store, or `memory`.
"""
