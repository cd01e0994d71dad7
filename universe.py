"""
Tilewright as a plugin of xDSL: with it installed, stock `xdsl-opt` knows its dialects, passes and output formats.

A name that xDSL uses itself stays xDSL's there: two owners of a name would break every tool of the environment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from xdsl.universe import XDSL_UNIVERSE, Universe

from .dialects import own_dialects
from .passes import own_passes
from .passes.formats import own_formats

T = TypeVar("T")


def _new(own: Mapping[str, T], of_xdsl: Mapping[str, object]) -> dict[str, T]:
    """Return the passes or dialects whose names xDSL does not have."""
    return {name: load for name, load in own.items() if name not in of_xdsl}


UNIVERSE = Universe(
    all_dialects=_new(own_dialects(), XDSL_UNIVERSE.all_dialects),
    all_passes=_new(own_passes(), XDSL_UNIVERSE.all_passes),
    all_targets=_new(own_formats(), XDSL_UNIVERSE.all_targets),
)
