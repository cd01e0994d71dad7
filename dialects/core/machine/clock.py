"""Clock of a machine, a link or an engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from .values import NumberForm

_Frequency = Annotated[float, NumberForm(is_positive=True, unit="MHz")]
_Voltage = Annotated[float, NumberForm(is_positive=True, unit="V")]
_Delay = Annotated[float, NumberForm(is_positive=True, unit="µs")]


@dataclass(frozen=True)
class Clock:
    """Operating points of a clock."""

    mhz: tuple[_Frequency, ...]
    """One operating point or several; costs are modelled at the fastest."""
    volts: tuple[_Voltage, ...] = ()
    """Voltage of each operating point."""
    up: tuple[_Delay, ...] = ()
    """Least and most delay until a faster operating point is in force, over the pairs of points; none takes no time."""
    down: tuple[_Delay, ...] = ()
    """Least and most delay until a slower operating point is in force."""

    @property
    def nominal(self) -> float:
        """The fastest operating point in MHz, at which costs are modelled; 0 where none is given."""
        return max(self.mhz, default=0.0)


NO_CLOCK = Clock(())
"""Clock of a link or an engine in whose place the machine's counts."""
