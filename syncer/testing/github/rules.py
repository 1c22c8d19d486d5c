"""Which faults strike a request, and how often they still will."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from syncer.testing.github.context import Call, Context, FieldHook, PageHook
from syncer.testing.github.failing import FieldError
from syncer.testing.github.fault_kinds import Fault, FieldFault, PageFault, Slow
from syncer.testing.github.pages import Page
from syncer.testing.github.requests import Asked, When

__all__ = ["Rule", "Rules", "watch"]


@dataclass
class Rule:
    """One fault under its condition. `hits` counts the requests that it really changed."""

    fault: Fault
    when: When
    left: int | None  # requests that it may still strike; None: all
    chance: float = 1.0
    hits: int = 0
    _applied: bool = field(default=False, repr=False)

    def apply(self) -> None:
        """The fault has changed the answer that is being made."""
        self._applied = True

    def settle(self) -> None:
        """The answer is made: count the request if the fault changed it."""
        if self._applied:
            self.hits += 1
            self.left = None if self.left is None else self.left - 1
            self._applied = False


class Rules:
    """All rules, in the order in which they were made; chances come from one seeded source."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self._rules: list[Rule] = []

    def add(self, rule: Rule) -> Rule:
        """Take up `rule`."""
        self._rules.append(rule)
        return rule

    def clear(self) -> None:
        """Forget every rule."""
        self._rules.clear()

    def striking(self, asked: Asked) -> list[Rule]:
        """The rules whose condition holds for `asked`, those that delay it left out."""
        others = (rule for rule in self._rules if not isinstance(rule.fault, Slow))
        return [rule for rule in others if self._strikes(rule, asked)]

    def delay_s(self, asked: Asked) -> float:
        """For how long the rules that delay `asked` hold it; they have struck by then."""
        seconds = 0.0
        for rule in self._rules:
            if isinstance(rule.fault, Slow) and self._strikes(rule, asked):
                rule.apply()
                rule.settle()
                seconds += rule.fault.seconds
        return seconds

    def _strikes(self, rule: Rule, asked: Asked) -> bool:
        if rule.left == 0 or not rule.when(asked):
            return False
        return rule.chance >= 1.0 or self._dice.random() < rule.chance


def watch(rules: list[Rule], context: Context) -> None:
    """Let those of `rules` that change parts of an answer look on while it is made."""
    for rule in rules:
        if isinstance(rule.fault, PageFault):
            context.page_hooks.append(_page_hook(rule, rule.fault))
        elif isinstance(rule.fault, FieldFault):
            key = (rule.fault.type_name, rule.fault.field_name)
            context.field_hooks.setdefault(key, []).append(_field_hook(rule, rule.fault))


def _page_hook(rule: Rule, fault: PageFault) -> PageHook:
    def hook(call: Call, page: Page) -> Page | None:
        if not fault.meets(call):
            return page
        before = _look(page)
        try:
            changed = fault.change(call, page)
        except FieldError:
            rule.apply()
            raise
        if changed is None or _look(changed) != before:
            rule.apply()
        return changed

    return hook


def _look(page: Page) -> tuple[object, ...]:
    info = page.page_info
    nodes = None if page.nodes is None else tuple(map(id, page.nodes))
    return (page.total_count, nodes, info.has_next_page, info.end_cursor)


def _field_hook(rule: Rule, fault: FieldFault) -> FieldHook:
    def hook(call: Call) -> FieldError | None:
        if not fault.meets(call):
            return None
        rule.apply()
        return fault.error

    return hook
