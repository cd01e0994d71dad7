"""
Tilewright as a plugin of xDSL: with it installed, stock `xdsl-opt` knows its dialects, passes and output formats.

A name that xDSL uses itself stays xDSL's there: two owners of a name would break every tool of the environment.
"""

from __future__ import annotations

from xdsl.universe import XDSL_UNIVERSE, Universe

from .dialects import own_dialects
from .passes import own_passes
from .passes.formats import own_formats

UNIVERSE = Universe(
    all_dialects={name: load for name, load in own_dialects().items() if name not in XDSL_UNIVERSE.all_dialects},
    all_passes={name: load for name, load in own_passes().items() if name not in XDSL_UNIVERSE.all_passes},
    all_targets={name: load for name, load in own_formats().items() if name not in XDSL_UNIVERSE.all_targets},
)
