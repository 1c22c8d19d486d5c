"""What a check of a corpus can find: stable codes, how bad each is, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

__all__ = ["Code", "Finding", "Findings", "Grade", "Report"]


class Grade(StrEnum):
    """How bad a finding is."""

    DAMAGE = "damage"  # no run of this program, stopped or not, leaves it so
    UNFINISHED = "unfinished"  # a run was stopped; the next one brings it to its end
    NOTE = "note"  # harmless; said because nobody else will


class Code(StrEnum):
    """What was found. The words are stable."""

    ROOT_MISSING = "root_missing"
    ROOT_DAMAGED = "root_damaged"
    LEAF_MISSING = "leaf_missing"
    LEAF_DAMAGED = "leaf_damaged"
    LEAF_DIFFERS = "leaf_differs"  # from the digest in the root
    LEAF_UNLISTED = "leaf_unlisted"
    LEAF_SUMMARY_WRONG = "leaf_summary_wrong"  # what the root says of it beside the digest
    FILE_MISSING = "file_missing"
    FILE_DIFFERS = "file_differs"  # from the digest in its leaf, but sound in itself
    FILE_DAMAGED = "file_damaged"
    FILE_UNLISTED = "file_unlisted"
    ENTRY_WRONG = "entry_wrong"  # not what follows from the file
    BUCKET_WRONG = "bucket_wrong"  # not where the releases put it
    DOUBLE = "double"
    LINK = "link"
    SEALING = "sealing"
    TEMPORARY = "temporary"
    EMPTY_DIRECTORY = "empty_directory"
    SET_ASIDE = "set_aside"
    ATTRIBUTES_WRONG = "attributes_wrong"
    CENSUS_MISSING = "census_missing"
    CENSUS_DAMAGED = "census_damaged"
    CENSUS_MISMATCH = "census_mismatch"
    STORE_LACKS = "store_lacks"
    CORPUS_LACKS = "corpus_lacks"
    STORE_DIFFERS = "store_differs"


class Finding(Struct, frozen=True, rename="camel", kw_only=True):
    """One thing that is not as it should be. `path` is relative to the repository's folder."""

    code: Code
    grade: Grade
    path: str
    number: int | None  # None: not about one pull request
    detail: str
    advice: str


class Report(Struct, frozen=True, rename="camel", kw_only=True):
    """What a check went through and what it found. `digest` is None without a readable root."""

    digest: str | None
    leaves: int
    files: int
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        """Whether the corpus is exactly what its seal says."""
        return all(finding.grade is Grade.NOTE for finding in self.findings)

    @property
    def damaged(self) -> bool:
        """Whether there is anything that the next run does not mend by itself."""
        return any(finding.grade is Grade.DAMAGE for finding in self.findings)


_ALWAYS_UNFINISHED = frozenset({Code.SEALING, Code.TEMPORARY, Code.EMPTY_DIRECTORY})
_ALWAYS_DAMAGE = frozenset(
    {Code.ROOT_DAMAGED, Code.LEAF_DAMAGED, Code.FILE_DAMAGED, Code.LINK, Code.CENSUS_DAMAGED}
)
"""Files are replaced whole, so a stopped run leaves none that is torn in itself."""

_REPAIR = "run `syncer verify --repair`, which writes it anew from the store"
_NEXT = "run `syncer sync`: a run was stopped here, and the next one brings it to its end"
_ADVICE = {
    Code.LINK: "replace the link by what it points to; links are never followed",
    Code.SET_ASIDE: "delete it when you no longer want to know what was damaged",
    Code.FILE_UNLISTED: "move it away if it is yours to keep, then run `syncer verify --repair`",
}


class Findings:
    """Gathers findings and grades them: after a stopped seal, what differs is no damage."""

    def __init__(self) -> None:
        self.stopped = False
        self._found: list[Finding] = []

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found)

    def add(self, code: Code, path: str, detail: str, *, number: int | None = None) -> None:
        """One more finding."""
        grade = self._grade(code)
        advice = _NEXT if grade is Grade.UNFINISHED else _ADVICE.get(code, _REPAIR)
        self._found.append(
            Finding(code=code, grade=grade, path=path, number=number, detail=detail, advice=advice)
        )

    def _grade(self, code: Code) -> Grade:
        if code is Code.SET_ASIDE:
            return Grade.NOTE
        if code in _ALWAYS_DAMAGE:
            return Grade.DAMAGE
        unfinished = self.stopped or code in _ALWAYS_UNFINISHED
        return Grade.UNFINISHED if unfinished else Grade.DAMAGE
