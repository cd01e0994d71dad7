"""Constraints on the attributes of an operator beyond its schema."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any, NamedTuple

from .registry import Registry


class AttributeRule(NamedTuple):
    """Constraint on the values of some attributes."""

    attributes: tuple[str, ...]
    holds: Callable[[Any], bool]
    expected: str


def _is_power_of_two(value: int) -> bool:
    return value > 0 and value & (value - 1) == 0


def _is_finite_scale(value: float) -> bool:
    return 0 < abs(value) < float("inf")


def _at_least(least: int, *attributes: str) -> AttributeRule:
    return AttributeRule(attributes, least.__le__, f"{least} or more")


_POWER_OF_TWO = "a positive power of two"
_DIVISOR = AttributeRule(("D",), _is_power_of_two, _POWER_OF_TWO)
_SCALE = AttributeRule(("scale",), _is_finite_scale, "finite and not zero")
RULES: Registry[str, tuple[AttributeRule, ...]] = Registry(
    "constraints on attributes",
    {
        "RequantShift": (
            AttributeRule(("div",), _is_power_of_two, _POWER_OF_TWO),
            AttributeRule(("signed",), (0, 1).__contains__, "0 or 1"),
            _at_least(2, "n_levels"),
        ),
        "iSoftmax": (_at_least(1, "log2"), _at_least(2, "n_levels")),
        "ITAMax": (_at_least(2, "n_levels"),),
        "ITAPartialMax": (_at_least(2, "n_levels"), _at_least(1, "group_width")),
        "iRMSNorm": (_DIVISOR,),
        "iLayerNorm": (_DIVISOR,),
        "iNoNorm": (_DIVISOR,),
        "Quant": (_SCALE,),
        "Dequant": (_SCALE,),
    },
)
"""Operator -> what its attributes must satisfy."""

REQUIRED = Registry(
    "constraints on attributes",
    {
        "Constant": {"value": "in which the graph level holds every constant"},
    },
)
"""Operator -> the attributes that it must have though its schema leaves them open, and what for."""


def missing(operator: str, attributes: Container[str]) -> str:
    """Return the first required attribute that is not given, empty where all are."""
    for name, reason in REQUIRED.get(operator, {}).items():
        if name not in attributes:
            return f"expected the attribute '{name}', {reason}"
    return ""


class Violation(NamedTuple):
    """Attribute whose value violates a constraint."""

    attribute: str
    value: Any
    expected: str

    def __str__(self) -> str:
        return f"attribute '{self.attribute}' is {self.value}, it must be {self.expected}"


def violation(operator: str, value: Callable[[str], Any]) -> Violation | None:
    """Return the first violated constraint of an operator's attributes, None if there is none."""
    for rule in RULES.get(operator, ()):
        for name in rule.attributes:
            if not rule.holds(value(name)):
                return Violation(name, value(name), rule.expected)
    return None
