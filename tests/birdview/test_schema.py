"""The published schema is that of today's structs, and its keys are the ones that were promised."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from birdview import schema
from birdview.envelope import Envelope
from birdview.request import Options
from syncer.testing.feed import release
from tests.birdview.asking import ask, shown
from tests.history.corpora import START, Writer, merged

_PROMISED = {
    "": "window resolution coverage sourceManifestHash pulls synthesis citations generatedAt "
    "notAuthority provenance",
    "window": "windowStartIso windowEndIso preset release previousRelease windowSemantics",
    "window.windowSemantics": "interval event",
    "coverage": "totalResolved included excluded truncated degraded degradedReasons census "
    "childEvidence corpus",
    "coverage.census": "status source asOf lagS expected found",
    "coverage.childEvidence": "comments reviews reviewThreads reviewThreadComments incomplete",
    "coverage.childEvidence.comments": "expected fetched exhausted",
    "coverage.corpus": "active archived digestMismatches legacyUnknown refreshedLive",
    "pulls.0": "number url title author resolution resolvedAt revision counts complete",
    "synthesis": "available partial narrative themes decisions friction outcomes notableEvents "
    "coverage",
    "synthesis.coverage": "sources read cited batches failedBatches droppedClaims",
    "citations.0": "id number url drillDown",
    "citations.0.drillDown": "operation arguments",
    "provenance": "generator corpusDigest",
}


def test_the_published_schema_is_current() -> None:
    assert schema.published() == schema.made(), "run `python -m birdview.schema`"


def test_the_published_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(schema.published()))


@pytest.fixture
async def answer(tmp_path: Path) -> Envelope:
    await Writer(tmp_path, release("v1", START)).write(merged(1, START.replace(year=2024)))
    return await ask(tmp_path, preset="release", release="v1", options=Options(max_pulls=1))


def test_an_answer_has_the_promised_keys_and_no_others(answer: Envelope) -> None:
    found = shown(answer)

    for path, keys in _PROMISED.items():
        value: Any = found
        for step in filter(None, path.split(".")):
            value = value[int(step)] if step.isdigit() else value[step]
        assert set(value) == set(keys.split()), path


def test_an_answer_can_be_read_back(answer: Envelope) -> None:
    assert msgspec.json.decode(msgspec.json.encode(answer), type=Envelope) == answer


def test_the_schema_refuses_an_answer_that_lacks_a_key(answer: Envelope) -> None:
    validator = jsonschema.Draft202012Validator(json.loads(schema.published()))
    for key in shown(answer):
        found = shown(answer)
        del found[key]
        assert list(validator.iter_errors(found)), key
