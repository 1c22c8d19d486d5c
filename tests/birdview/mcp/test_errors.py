from __future__ import annotations

import msgspec
import pytest
from msgspec import Struct

from birdview.mcp.errors import ToolError, refusal_of
from birdview.request import RequestError
from syncer.corpus import CorpusError
from syncer.errors import LocalError
from syncer.history import ChangingError, NoCorpusError


class Taken(Struct, forbid_unknown_fields=True):
    size: int
    inner: tuple[int, ...] = ()


@pytest.mark.parametrize(
    ("error", "code", "field", "says"),
    [
        (ToolError("changed", "begin again", "cursor"), "changed", "cursor", "begin again"),
        (RequestError("preset", "must be one of"), "bad_argument", "preset", "must be one of"),
        (ChangingError("x"), "corpus_changing", None, "call again"),
        (NoCorpusError("x"), "no_corpus", None, "syncer sync"),
        (CorpusError("x", file="manifest.json"), "corpus_damaged", None, "manifest.json"),
        (LocalError("cannot read"), "unreadable", None, "cannot read"),
        (KeyError("a secret"), "unexpected", None, "KeyError"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_every_failure_says_what_to_change_or_to_do(
    error: Exception, code: str, field: str | None, says: str
) -> None:
    refusal = refusal_of(error)

    assert (refusal.code, refusal.field) == (code, field)
    assert says in refusal.detail
    assert "secret" not in str(refusal)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [({}, "size"), ({"size": 1, "x": 2}, "x"), ({"size": "1"}, "size"), ([], None)],
)
def test_a_misfit_names_the_argument_that_does_not_fit(
    arguments: object, field: str | None
) -> None:
    with pytest.raises(msgspec.ValidationError) as raised:
        msgspec.convert(arguments, type=Taken)

    assert refusal_of(raised.value).field == field
