from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime

import pytest

from queries import load
from syncer.errors import TransientError
from syncer.github.exchange import Exchange, Prepared, http_date, unpacked
from tests.github.support import SECRET, answer


def test_neither_headers_nor_body_are_printed():
    exchange = answer({"body": SECRET}, headers={"set-cookie": SECRET})

    assert SECRET not in f"{exchange!r} {exchange} {[exchange]}"
    assert "200" in repr(exchange)


def test_a_request_carries_the_text_of_its_document_and_its_variables():
    sent = json.loads(Prepared(load("comments"), {"ids": ["PR_1"], "first": 7}).encoded())

    assert sent == {
        "query": load("comments").text,
        "operationName": "Comments",
        "variables": {"ids": ["PR_1"], "first": 7},
    }


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("Sun, 01 Mar 2026 12:00:00 GMT", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        ("Sun, 01 Mar 2026 13:00:00 +0100", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        ("Sun, 01 Mar 2026 12:00:00 -0000", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        ("", None),
        ("soon", None),
        ("Sun, 99 Mar 2026 12:00:00 GMT", None),
    ],
)
def test_http_dates_are_read_as_utc(text, instant):
    assert http_date(text) == instant


def test_an_answer_without_the_servers_clock_is_no_answer():
    with pytest.raises(TransientError, match="Date"):
        _ = Exchange(status=200, headers={}, body=b"", elapsed_s=0.0).date


@pytest.mark.parametrize(
    ("text", "number"),
    [("60", 60), (" 60 ", 60), ("-1", None), ("1.5", None), ("", None), ("٣", None)],
)
def test_only_whole_numbers_are_numbers(text, number):
    assert answer(headers={"retry-after": text}).number("retry-after") == number


def test_a_packed_body_is_unpacked():
    assert unpacked(gzip.compress(b"words"), "gzip") == b"words"
    assert unpacked(b"words", "") == b"words"
    assert unpacked(b"", "gzip") == b""


@pytest.mark.parametrize("coding", ["GZIP", "Gzip", "x-gzip", " gzip "])
def test_the_name_of_the_packing_is_read_as_http_reads_it(coding):
    assert unpacked(gzip.compress(b"words"), coding) == b"words"
    assert unpacked(b"words", "Identity") == b"words"


@pytest.mark.parametrize("cut", range(1, len(gzip.compress(b"words"))))
def test_a_packed_body_that_was_cut_anywhere_is_not_half_read(cut):
    with pytest.raises(TransientError):
        unpacked(gzip.compress(b"words")[:cut], "gzip")


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, gzip"])
def test_a_packing_that_was_not_asked_for_is_a_fault(encoding):
    with pytest.raises(TransientError):
        unpacked(b"words", encoding)
