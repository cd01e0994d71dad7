"""Configuration registers of a queue: numbers that instructions set, and that later instructions of the queue use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar, get_type_hints

from ....errors import Diagnostic

_C = TypeVar("_C", bound="Configuration")


class NotConfigured(Diagnostic):
    """Error for the use of a register that no instruction has set."""

    def __init__(self, register: str):
        super().__init__(
            f"{register} is used, which no instruction has set",
            expected="an instruction before that sets it",
            remedy="configure the queue before its first use",
        )


class Registers(dict[int, int]):
    """Registers by number, each unset until an instruction sets it."""

    name = ""
    is_frozen = False

    def __missing__(self, key: int) -> int:
        raise NotConfigured(f"the register {self.name}[{key}]")

    def __setitem__(self, key: int, value: int) -> None:
        if self.is_frozen:
            raise _is_set_late(f"{self.name}[{key}]")
        super().__setitem__(key, value)


class Configuration:
    """
    Configuration registers: the attributes that a subclass annotates, each unset until an instruction sets it.

        class Load(Configuration):
            scale: int
            strides: Registers

    An instruction on a queue takes them as `State[Load]`. One that accesses no buffer sets them; all others read them,
    and so may the functions of their regions. Values are numbers that do not depend on data.
    """

    _key: tuple[Any, ...] | None = None
    """The values, of registers that are read-only."""

    def __init__(self) -> None:
        for name, hint in _annotated(type(self)).items():
            if hint is Registers:
                registers = Registers()
                registers.name = f"{type(self).__name__}.{name}"
                setattr(self, name, registers)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotConfigured(f"the register {type(self).__name__}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if self._key is not None:
            raise _is_set_late(f"{type(self).__name__}.{name}")
        super().__setattr__(name, value)

    @property
    def key(self) -> tuple[Any, ...]:
        """The values of read-only registers, hashable."""
        assert self._key is not None
        return self._key

    def copied(self: _C) -> _C:
        """Return registers of the same values, which may be set."""
        copy = type(self)()
        for name, value in vars(self).items():
            if isinstance(value, Registers):
                getattr(copy, name).update(value)
            elif name != "_key":
                setattr(copy, name, value)
        return copy

    def freeze(self) -> None:
        """Make them read-only."""
        values: list[tuple[str, Any]] = []
        for name, value in sorted(vars(self).items()):
            if isinstance(value, Registers):
                value.is_frozen = True
            values.append((name, tuple(sorted(value.items())) if isinstance(value, Registers) else value))
        self._key = tuple(values)


@cache
def _annotated(kind: type[Configuration]) -> Mapping[str, Any]:
    return get_type_hints(kind)


def _is_set_late(register: str) -> Diagnostic:
    return Diagnostic(
        f"an instruction that accesses buffers sets the register {register}",
        expected="an instruction without accesses, which takes effect as it is issued",
    )
