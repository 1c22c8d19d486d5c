"""The store's tables and their ordered migrations.

`PRAGMA user_version` counts the migrations applied. A file from a newer program is refused
untouched; an older one is migrated inside one transaction. Stamps are ISO 8601 text in UTC.
"""

from __future__ import annotations

__all__ = ["APPLICATION_ID", "MIGRATIONS", "VERSION"]

APPLICATION_ID = 0x50525359  # "PRSY": tells our files from other SQLite files

_FIRST = """
-- One value a key: repository, releases, shaping, watermark, walk, discrepancy, unsupported fields.
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;

-- Every pull request known, by the newest row seen. `wanted` is why it must be read, or NULL.
-- `row` is the full row that a reading under way goes by; `seen` the last full walk that met it;
-- `vanished` counts the runs in which a complete walk lacked it and its id was not found.
CREATE TABLE pull (
    id TEXT PRIMARY KEY,
    number INTEGER NOT NULL,
    updated_at TEXT NOT NULL,
    state TEXT NOT NULL,
    totals BLOB NOT NULL,
    wanted TEXT,
    row BLOB,
    row_date TEXT,
    seen INTEGER NOT NULL DEFAULT 0,
    vanished INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX pull_by_number ON pull (number);
CREATE INDEX pull_wanted ON pull (number) WHERE wanted IS NOT NULL;

-- The newest record of each conversation. `complete` is 1 when no connection was cut or unknown.
CREATE TABLE conversation (
    pull TEXT PRIMARY KEY,
    number INTEGER NOT NULL,
    updated_at TEXT NOT NULL,
    resolved_at TEXT,
    bucket TEXT,
    record BLOB NOT NULL,
    revision TEXT NOT NULL,
    digest TEXT NOT NULL,
    read_at TEXT,
    settled INTEGER NOT NULL CHECK (settled IN (0, 1)),
    put_seq INTEGER NOT NULL
);

CREATE TABLE evidence (
    pull TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    total_count INTEGER,
    kept INTEGER NOT NULL,
    left_out INTEGER NOT NULL,
    unreadable INTEGER NOT NULL,
    repaired INTEGER NOT NULL,
    has_next_page INTEGER,
    end_cursor TEXT,
    status TEXT NOT NULL,
    reason TEXT,
    read_at TEXT,
    PRIMARY KEY (pull, owner, name)
) WITHOUT ROWID;
CREATE INDEX evidence_to_tell ON evidence (status, name)
    WHERE status <> 'exhausted' OR name = 'pullRequest';

-- What is still to be read of the conversations under way. A row with evidence has ended.
-- `doubt` is the digest of a first whole reading whose counts did not add up.
CREATE TABLE frontier (
    pull TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    total INTEGER,
    pages INTEGER NOT NULL DEFAULT 0,
    cursor TEXT,
    doubt TEXT,
    evidence BLOB,
    PRIMARY KEY (pull, owner, name)
) WITHOUT ROWID;

-- Pages read and not yet assembled.
CREATE TABLE page (
    pull TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (pull, owner, name, seq)
);

-- Unfinished conversations and when to try them again.
CREATE TABLE queue (
    pull TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    since TEXT NOT NULL,
    tries INTEGER NOT NULL,
    next_try TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE tombstone (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    number INTEGER NOT NULL,
    gone_at TEXT NOT NULL
) WITHOUT ROWID;

-- The newest change of each conversation, in order.
CREATE TABLE feed (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    pull TEXT NOT NULL UNIQUE,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL
);

CREATE TABLE sink (
    name TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    token TEXT
) WITHOUT ROWID;

CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    exit INTEGER,
    summary BLOB
);
"""

MIGRATIONS: tuple[str, ...] = (_FIRST,)
"""Scripts in order; the n-th takes a file from version n to n + 1. Never edit a released one."""

VERSION = len(MIGRATIONS)
