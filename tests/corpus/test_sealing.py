"""Manifests and census: one byte form each, and no other is taken for it."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from syncer.canonical import revision_of
from syncer.corpus import (
    CorpusError,
    Leaf,
    LeafEntry,
    Root,
    bytes_digest,
    census_file_of,
    decode_census,
    decode_leaf,
    decode_root,
    encode_census,
    encode_leaf,
    encode_root,
    folder_of,
    leaf_directory,
    leaf_entry,
    leaf_ref,
    render,
    root_of,
)
from syncer.evidence import Connection, Coverage, Status
from syncer.repository import Census, Facts, Release, Shaping
from tests.corpus.examples import WHEN, comment, snapshot, thread, thread_comment
from tests.strategies import REPOSITORY, hostile_text, releases, snapshots, stamps

CENSUS = Census(watermark=WHEN, total_count=3, found=3, unread=(9, 2), behind=(4,))


def release(tag: str, at: datetime | None = WHEN, *, draft: bool = False) -> Release:
    return Release(
        id=f"RE_{tag}", tag_name=tag, published_at=at, is_draft=draft, is_prerelease=False
    )


def entry(number: int, **fields) -> LeafEntry:
    found = snapshot(number=number, **fields)
    return leaf_entry(found, render(found, REPOSITORY))


def sealed(
    *buckets: tuple[str | None, tuple[LeafEntry, ...]], listed: tuple[Release, ...] = ()
) -> Root:
    refs = []
    for tag, entries in buckets:
        leaf = Leaf(entries=entries)
        refs.append(leaf_ref(leaf_directory(entries[0].number, tag), tag, leaf, encode_leaf(leaf)))
    return root_of(
        Facts(repository=REPOSITORY, releases=listed, shaping=Shaping(), census=CENSUS), refs
    )


LEAF = encode_leaf(Leaf(entries=(entry(1), entry(12), entry(999, comments=(comment(),)))))
ROOT = encode_root(
    sealed(
        (None, (entry(1), entry(2, state="OPEN", merged_at=None, closed_at=None))),
        ("v1", (entry(1500),)),
        ("feature/1.0", (entry(3),)),
        listed=(release("v1"), release("feature/1.0")),
    )
)
CENSUS_FILE = encode_census(census_file_of("R_1", CENSUS))
FORMS = {
    "leaf": (LEAF, decode_leaf, encode_leaf),
    "root": (ROOT, decode_root, encode_root),
    "census": (CENSUS_FILE, decode_census, encode_census),
}
every_form = pytest.mark.parametrize(("data", "decode", "encode"), FORMS.values(), ids=FORMS.keys())


@every_form
def test_bytes_come_back_as_they_were(data, decode, encode):
    assert encode(decode(data)) == data
    assert json.loads(data)["schema"] == 1
    assert data.endswith(b"}\n")


@settings(max_examples=40)
@given(st.lists(snapshots(), max_size=3))
def test_every_leaf_comes_back_as_it_was(found):
    entries = [leaf_entry(s, render(s, REPOSITORY)) for s in found]
    leaf = Leaf(entries=tuple(replace(e, number=7000 + i) for i, e in enumerate(entries)))
    data = encode_leaf(leaf)

    assert decode_leaf(data) == leaf
    assert data.count(b"\n{") == len(entries)


@given(releases(), st.booleans())
def test_every_root_comes_back_as_it_was(listed, prereleases):
    facts = Facts(
        repository=REPOSITORY,
        releases=listed,
        shaping=Shaping(prereleases=prereleases),
        census=CENSUS,
    )
    leaf = Leaf(entries=())
    tags = [None, *(r.tag_name for r in listed)]
    refs = [leaf_ref(leaf_directory(1, tag), tag, leaf, encode_leaf(leaf)) for tag in tags]
    root = root_of(facts, refs)

    assert decode_root(encode_root(root)) == root
    assert root_of(facts, reversed(refs)) == root


@given(
    st.builds(
        Census,
        watermark=st.none() | stamps(),
        total_count=st.none() | st.integers(0, 9),
        found=st.integers(0, 9),
        discrepancy=st.none() | hostile_text(2),
        unread=st.sets(st.integers(1, 99)).map(sorted).map(tuple),
        behind=st.sets(st.integers(1, 99)).map(sorted).map(tuple),
    )
)
def test_every_census_comes_back_as_it_was(census):
    found = decode_census(encode_census(census_file_of("R_1", census)))

    assert found.census() == census
    assert found.repository_id == "R_1"


def test_equal_knowledge_gives_equal_bytes():
    turned = replace(CENSUS, unread=(2, 9))

    assert encode_census(census_file_of("R_1", turned)) == CENSUS_FILE


@every_form
def test_a_file_cut_off_anywhere_is_refused(data, decode, encode):
    for end in range(len(data)):
        with pytest.raises(CorpusError):
            decode(data[:end])


@every_form
@pytest.mark.parametrize("junk", [b"\n", b" ", b"}", b"\x00", b"{}", b"\xff"], ids=repr)
def test_junk_around_a_file_is_refused(data, decode, encode, junk):
    for changed in (data + junk, junk + data, data + data):
        with pytest.raises(CorpusError) as caught:
            decode(changed, file="manifest.json")
        assert str(caught.value).startswith("manifest.json: ")


@every_form
def test_the_same_content_in_another_form_is_refused(data, decode, encode):
    with pytest.raises(CorpusError, match="one form"):
        decode(json.dumps(json.loads(data)).encode())
    with pytest.raises(CorpusError, match="one form"):
        decode(data.replace(b'{\n"schema":1,', b'{\n"schema":1,\n"added":2,'))


@every_form
def test_a_newer_schema_is_told_from_damage(data, decode, encode):
    with pytest.raises(CorpusError, match="schema 2 is not ours"):
        decode(b'{"schema":2,"whatever":[]}')


def test_a_newer_grammar_is_told_from_damage():
    with pytest.raises(CorpusError, match="grammar 2 is not ours"):
        decode_root(ROOT.replace(b'"grammar":1', b'"grammar":2'))


@settings(max_examples=300)
@given(st.integers(0, len(ROOT) - 1), st.integers(0, 255))
def test_a_root_with_any_byte_changed_is_refused(at, value):
    changed = bytearray(ROOT)
    changed[at] = value
    if changed == ROOT:
        assert decode_root(bytes(changed))
        return

    with pytest.raises(CorpusError):
        decode_root(bytes(changed))


@settings(max_examples=200)
@given(st.integers(0, len(LEAF) - 1), st.integers(0, 255))
def test_a_leaf_with_any_byte_changed_has_another_digest_and_is_no_other_form_of_the_same(
    at, value
):
    changed = bytearray(LEAF)
    changed[at] = value
    same = changed == LEAF

    assert (bytes_digest(bytes(changed)) == bytes_digest(LEAF)) == same
    try:
        found = decode_leaf(bytes(changed))
    except CorpusError:
        assert not same
    else:
        assert (found == decode_leaf(LEAF)) == same


def test_the_digest_of_the_root_can_be_recomputed_with_standard_tools():
    fields = json.loads(ROOT)
    stated = fields.pop("digest")
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    assert hashlib.sha256(canonical.encode()).hexdigest() == stated


def test_the_digest_of_the_root_moves_with_anything_below_it():
    base = (None, (entry(1),))
    roots = [
        sealed(base),
        sealed((None, (entry(1, title="Another title"),))),
        sealed((None, (entry(1, head_ref_name="as-read"),))),
        sealed((None, (entry(1), entry(2)))),
        sealed(("v1", (entry(1),))),
        sealed(base, listed=(release("v1"),)),
    ]

    assert len({root.digest for root in roots}) == len(roots)


def test_drafts_are_not_in_the_root_since_not_everybody_sees_them():
    drafts = (release("v2", None, draft=True), release("v3", WHEN, draft=True), release("v4", None))

    assert sealed((None, (entry(1),)), listed=(release("v1"), *drafts)) == sealed(
        (None, (entry(1),)), listed=(release("v1"),)
    )


def test_the_root_maps_each_folder_to_its_tag():
    root = decode_root(ROOT)

    assert {r.tag_name: r.folder for r in root.releases} == {
        t: folder_of(t) for t in ("v1", "feature/1.0")
    }
    assert root.releases[0].release() in (release("v1"), release("feature/1.0"))


def test_a_leaf_is_named_with_its_range_and_its_counts():
    early, late = datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 2, 1, tzinfo=UTC)
    cut = Coverage(total_count=5, kept=1, has_next_page=True, status=Status.CUT, reason="too_heavy")
    part = snapshot(number=3, merged_at=early, comments=(comment(),))
    part = replace(part, connections={**part.connections, Connection.COMMENTS: cut})
    still_open = entry(4, state="OPEN", merged_at=None, closed_at=None)
    leaf = Leaf(
        entries=(leaf_entry(part, b"data"), still_open, entry(5, merged_at=None, closed_at=late))
    )
    ref = leaf_ref(leaf_directory(3, None), None, leaf, b"leaf")

    assert (ref.path, ref.kind, ref.release) == ("pulls/0000000/manifest.json", "pulls", None)
    assert (ref.count, ref.incomplete) == (3, 1)
    assert (ref.resolved_from, ref.resolved_to) == (early, late)
    assert ref.digest == hashlib.sha256(b"leaf").hexdigest()
    nothing = leaf_ref(leaf_directory(3, None), None, Leaf(entries=(still_open,)), b"")
    assert (nothing.resolved_from, nothing.resolved_to) == (None, None)


def test_an_entry_tells_what_its_file_must_be_and_what_it_lacks():
    found = snapshot(
        comments=(comment(),),
        review_threads=(thread(thread_comment(), thread_comment(id="C_2")),),
    )
    short = Coverage(
        total_count=3, kept=2, has_next_page=False, status=Status.SHORT, reason="1 unreadable"
    )
    part = replace(found, threads={"PRRT_1": short})
    data = render(part, REPOSITORY)
    told = leaf_entry(part, data)

    assert (told.sha256, told.bytes) == (hashlib.sha256(data).hexdigest(), len(data))
    assert told.revision == revision_of(part.conversation)
    assert told.resolved_at == WHEN
    assert (
        told.counts.comments,
        told.counts.review_threads,
        told.counts.review_thread_comments,
    ) == (1, 1, 2)
    assert [(i.connection, i.total_count, i.kept, i.status, i.reason) for i in told.incomplete] == [
        (Connection.THREAD_COMMENTS, 3, 2, Status.SHORT, "1 unreadable")
    ]
    assert leaf_entry(found, data).incomplete == ()


def test_what_is_unknown_is_listed_as_incomplete_with_no_total():
    older = replace(snapshot(), connections={}, threads={})

    assert {(i.total_count, i.status) for i in leaf_entry(older, b"").incomplete} == {
        (None, Status.UNKNOWN)
    }


@pytest.mark.parametrize(
    ("numbers", "complaint"),
    [((2, 1), "sorted"), ((1, 1), "sorted"), ((1, 1000), "more than one block")],
)
def test_a_leaf_of_wrong_numbers_is_refused(numbers, complaint):
    data = encode_leaf(Leaf(entries=tuple(entry(number) for number in numbers)))

    with pytest.raises(CorpusError, match=complaint):
        decode_leaf(data)


def _resealed(root: Root, **fields) -> bytes:
    unsealed = replace(root, **fields, digest="")
    raw = json.loads(encode_root(unsealed))
    del raw["digest"]
    canonical = json.dumps(raw, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return encode_root(replace(unsealed, digest=hashlib.sha256(canonical.encode()).hexdigest()))


@pytest.mark.parametrize(
    "path",
    [
        "../pulls/0000000/manifest.json",
        "/pulls/0000000/manifest.json",
        "pulls/./0000000/manifest.json",
        "pulls/0000000/other.json",
        "pulls/0000001/manifest.json",
        "archive/pulls/v1/0000000/manifest.json",
        "manifest.json",
    ],
)
def test_a_sealed_root_that_points_elsewhere_is_refused(path):
    root = sealed((None, (entry(1),)))
    leaf = replace(root.leaves[0], path=path)

    with pytest.raises(CorpusError, match="no leaf can stand"):
        decode_root(_resealed(root, leaves=(leaf,)))


def test_a_sealed_root_whose_folders_or_order_are_wrong_is_refused():
    root = decode_root(ROOT)
    other = replace(root.releases[0], folder="elsewhere")

    assert decode_root(_resealed(root)) == root
    with pytest.raises(CorpusError, match="folder"):
        decode_root(_resealed(root, releases=(other,)))
    with pytest.raises(CorpusError, match="sorted by path"):
        decode_root(_resealed(root, leaves=root.leaves[::-1]))
