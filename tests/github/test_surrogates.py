from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncer.github.surrogates import UNTOUCHED, opened

any_text = st.text(st.characters(codec=None, categories=None), max_size=8)
scalar_text = st.text(max_size=8)


def values(texts):
    return st.recursive(
        st.none() | st.booleans() | st.integers(-(2**60), 2**60) | texts,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(scalar_text, inner, max_size=3),
        max_leaves=10,
    )


def lone(value: object) -> int:
    if isinstance(value, str):
        return sum("\ud800" <= sign <= "\udfff" for sign in value)
    if isinstance(value, dict):
        return sum(map(lone, value.values()))
    return sum(map(lone, value)) if isinstance(value, list) else 0


def mended(value: object) -> object:
    if isinstance(value, str):
        return "".join("\ufffd" if "\ud800" <= sign <= "\udfff" else sign for sign in value)
    if isinstance(value, dict):
        return {key: mended(item) for key, item in value.items()}
    return list(map(mended, value)) if isinstance(value, list) else value


@given(values(any_text))
def test_only_lone_surrogates_change_and_each_is_counted(value):
    value = json.loads(json.dumps(value))  # two halves side by side are one sign

    envelope, repairs = opened(json.dumps({"data": {"a": value}}).encode())

    assert envelope is not None
    assert json.loads(bytes(envelope.data)) == {"a": mended(value)}
    assert repairs.under() == repairs.under("a") == lone(value)


@given(values(scalar_text))
def test_whole_text_is_left_untouched(value):
    envelope, repairs = opened(json.dumps({"data": value}, ensure_ascii=False).encode())

    assert envelope is not None
    assert json.loads(bytes(envelope.data)) == value
    assert repairs == UNTOUCHED


@pytest.mark.parametrize("text", ["plain", "\ud83d and more", "x\udc00", "😀"])
def test_a_body_cut_anywhere_is_never_half_an_answer(text):
    body = json.dumps({"data": {"a0": [{"body": text}, None]}, "errors": []}).encode()

    assert opened(body)[0] is not None
    assert all(opened(body[:cut])[0] is None for cut in range(len(body)))


def test_repairs_are_counted_where_they_were_made():
    data = {"a0": [{"body": "\ud800\ud800"}, {"body": "fine"}], "a1": [{"body": "\udfff"}]}

    _, repairs = opened(json.dumps({"data": data}).encode())

    assert repairs.under("a0", 0) == 2
    assert repairs.under("a0", 1) == 0
    assert repairs.under("a1", 0) == 1
    assert repairs.under() == 3


def test_a_half_in_an_errors_words_is_mended_and_is_no_repair_of_data():
    body = json.dumps({"data": {"a": 1}, "errors": [{"message": "\ud800"}]}).encode()

    envelope, repairs = opened(body)

    assert envelope is not None
    assert envelope.errors is not None
    assert envelope.errors[0].message == "\ufffd"
    assert repairs == UNTOUCHED


@pytest.mark.parametrize(
    "body",
    [b'{"data": NaN, "x": "\\ud800"}', b"[" * 100_000, b"\xef\xbb\xbf{}"],
    ids=["NaN", "too deep", "byte order mark"],
)
def test_what_is_no_json_is_no_answer(body):
    assert opened(body)[0] is None
