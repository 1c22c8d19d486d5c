"""The benchmark works. What it finds is not tested here: seconds are no facts on a busy machine."""

import subprocess
import sys

import msgspec
import pytest

from tests.bench.figures import Figure, missed, table


def figure(**changes) -> Figure:
    given = {"stage": "a stage", "key": "points", "meaning": "points", "value": 80.0, "unit": "p"}
    return Figure(**(given | changes))


@pytest.mark.timeout(300)  # a dozen processes, one after the other
def test_the_quick_benchmark_measures_every_stage_and_names_every_figure(root):
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench", "--quick", "--json"],
        cwd=root,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    figures = msgspec.json.decode(done.stdout, type=list[Figure])
    found = {one.key: one.value for one in figures}
    assert len(found) == len(figures)
    assert {"points", "quotient", "requests", "wallNear", "wallFar", "cpu", "cpuFloor"} <= {*found}
    assert {"peakFew", "peakMany", "requestsAgain", "peakAgain", "help"} <= {*found}
    assert found.pop("editsMissed") == 0
    assert all(value > 0 for value in found.values())
    assert found["points"] >= found["quotient"]
    assert found["requestsAgain"] == 1


def test_a_bound_that_does_not_hold_is_told():
    broken = figure(key="broken", value=2.0, most=1.5)
    assert missed([figure(), figure(most=80.0), broken]) == [broken]
    assert "MISSED" in table([broken])
    assert "MISSED" not in table([figure(), figure(most=80.0)])


def test_figures_stand_under_their_stage_in_the_order_measured():
    lines = table([figure(), figure(meaning="requests", value=12345.0), figure(stage="b")]).split(
        "\n"
    )
    assert lines[1] == "a stage"
    assert lines[2].split() == ["points", "80", "p"]
    assert lines[3].split() == ["requests", "12,345", "p"]
    assert lines[5] == "b"
