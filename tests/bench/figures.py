"""What the benchmark found: figures with their bounds, as a table or as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from msgspec import Struct

__all__ = ["Figure", "missed", "table"]


class Figure(Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """One number. `most` is a bound of the project's own; None: a number to look at.

    Bounds stand only on what another machine, or a busier one, would count the same.
    """

    stage: str
    key: str
    meaning: str
    value: float
    unit: str
    most: float | None = None

    @property
    def met(self) -> bool:
        """Whether the bound holds; True where there is none."""
        return self.most is None or self.value <= self.most


def missed(figures: Iterable[Figure]) -> list[Figure]:
    """Those whose bound does not hold."""
    return [figure for figure in figures if not figure.met]


def table(figures: Iterable[Figure]) -> str:
    """The figures under their stages, a line each."""
    return "\n".join(
        line
        for stage, group in groupby(figures, key=lambda figure: figure.stage)
        for line in (f"\n{stage}", *_lines(group))
    )


def _lines(figures: Iterable[Figure]) -> Iterator[str]:
    for figure in figures:
        bound = ""
        if figure.most is not None:
            bound = f"  at most {_text(figure.most)}: {'ok' if figure.met else 'MISSED'}"
        yield f"  {figure.meaning:<64} {_text(figure.value):>10} {figure.unit:<8}{bound}".rstrip()


def _text(value: float) -> str:
    if value == int(value) and abs(value) >= 1:
        return f"{int(value):,}"
    return f"{value:,.3f}" if abs(value) < 10 else f"{value:,.1f}"
