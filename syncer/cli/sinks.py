"""Sinks by name, from the entry-point group `syncer.sinks`: ours and strangers' alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points

from msgspec.structs import replace

from syncer.errors import ConfigError
from syncer.sink import Destination, Factory, Sink

__all__ = ["DEFAULT_SINK", "GROUP", "sink_factories", "sink_names"]

GROUP = "syncer.sinks"
DEFAULT_SINK = "corpus"


def sink_names() -> list[str]:
    """The names of all installed sinks, sorted."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def sink_factories(chosen: Iterable[str] | None) -> dict[str, Factory]:
    """By name, what makes each sink of `--sink NAME[:KEY=VALUE]`, with its options bound.

    A name may stand several times, once an option; the value is all that follows the first `=`.
    Raises ConfigError naming what is wrong.
    """
    options: dict[str, dict[str, str]] = {}
    for text in chosen or [DEFAULT_SINK]:
        name, has_option, option = text.partition(":")
        key, has_value, value = option.partition("=")
        if has_option and not (key and has_value):
            raise ConfigError(f"--sink {text}: an option is written NAME:KEY=VALUE")
        known = options.setdefault(name, {})
        if key in known:
            raise ConfigError(f"--sink {text}: {key} is given twice")
        if has_option:
            known[key] = value
    return {name: _bound(_loaded(name), given) for name, given in options.items()}


def _loaded(name: str) -> Factory:
    points = {point.name: point for point in entry_points(group=GROUP)}
    if name not in points:
        raise ConfigError(f"there is no sink {name!r}; installed are {', '.join(sorted(points))}")
    return _factory(points[name])


def _factory(point: EntryPoint) -> Factory:
    try:
        factory: Factory = point.load()
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"the sink {point.name!r} ({point.value}) cannot be loaded: {type(error).__name__}; "
            "install it again"
        ) from error
    return factory


def _bound(factory: Factory, options: Mapping[str, str]) -> Factory:
    def make(destination: Destination, /) -> Sink:
        return factory(replace(destination, options=dict(options)))

    return make
