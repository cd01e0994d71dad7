"""Configuration of the queues of a run: the registers that the instructions issued so far have set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .configuration import Configuration
from .record import Record


class Configured:
    """Configuration of the queues of a run at the present step, in the order of issue."""

    def __init__(self) -> None:
        self._present: dict[type[Configuration], Configuration] = {}

    def of(self, record: Record) -> dict[str, Configuration]:
        """Return the configurations that an instruction takes, by parameter, read-only."""
        return {parameter.name: self._of(parameter.element) for parameter in record.configurations}

    def key(self, record: Record) -> tuple[Any, ...]:
        """Return the values of the configurations that an instruction takes."""
        return tuple(self._of(parameter.element).key for parameter in record.configurations)

    def configure(self, record: Record, run: Callable[[Mapping[str, Configuration]], object]) -> None:
        """Execute an instruction that sets configurations: `run` takes them by parameter."""
        changed = {parameter.name: self._of(parameter.element).copied() for parameter in record.configurations}
        run(changed)
        for parameter in record.configurations:
            changed[parameter.name].freeze()
            self._present[parameter.element] = changed[parameter.name]

    def _of(self, kind: type[Configuration]) -> Configuration:
        if kind not in self._present:
            self._present[kind] = kind()
            self._present[kind].freeze()
        return self._present[kind]
