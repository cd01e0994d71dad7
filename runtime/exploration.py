"""
Design-space exploration as a target declares it: `explore.py` of its folder has AXES and EVALUATIONS.

Both are tables by name: of `DesignAxis`, short names for keys of the machine file, and of `Evaluation`, ways to model a
network on a machine beside the simulation of its program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

FILE = "explore.py"
"""The file of a target's folder that declares them."""


@dataclass(frozen=True)
class DesignAxis:
    """
    Short name of an axis of the design space.

    `settings` maps its value to values of keys, as `levels.NODE.size` of the machine file or `shard-kernels.over` of a
    pass. The value is a text, or so many `integers`, each an argument: `8x16` are two. With `by`, the axis belongs to
    that evaluation alone.
    """

    help: str
    settings: Callable[..., Mapping[str, object]]
    integers: int = 0
    by: str = ""


@dataclass(frozen=True)
class Evaluation:
    """
    Model of a network on a machine: `passes` run on its program after the phase `stop_after`, the machine attached.

    `metrics` reads costs from the result, each the less the better: `cycles`, and others whose units are in `units`.
    """

    help: str
    stop_after: str
    passes: str
    metrics: Callable[[ModuleOp], Mapping[str, float]]
    units: Mapping[str, str] = field(default_factory=dict[str, str])
