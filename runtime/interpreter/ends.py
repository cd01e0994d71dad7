"""
Inputs at the ends of their types: 0, 1, least and greatest numbers, powers of two, signed zeros, infinities, NaN.

Numbers of one list stand in the order of their use: the ends of the type, the constants of the program and their
neighbours, then all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, cast

import ml_dtypes
import numpy as np
from xdsl.dialects import arith, cf, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, ModuleOp

from ...dialects.core.nesting import nested_ops
from ...ir import Array
from .boundary import FunctionPort, narrow_limits

_CONSTANTS = 12
"""Constants of a program that inputs are drawn near to, the first that differ."""


def constants(module: ModuleOp) -> list[float]:
    """Return the scalar constants of a program, and the cases of its switches, without repetition."""
    return list(islice(dict.fromkeys(_constants(module)), _CONSTANTS))


def _constants(module: ModuleOp) -> Iterator[float]:
    for op in nested_ops(module):
        match op:
            case arith.ConstantOp() if isinstance(op.value, IntegerAttr | FloatAttr):
                yield cast(Any, op.value).value.data
            case scf.IndexSwitchOp():
                yield from map(int, op.cases.get_values())
            case cf.SwitchOp() if isinstance(op.case_values, DenseIntOrFPElementsAttr):
                yield from map(int, op.case_values.get_values())
            case _:
                pass


def ends(port: FunctionPort, near: Sequence[float], *, is_moderate: bool = False) -> Array:
    """
    Return the numbers of an input's type that a program may treat in a way of its own, the ends of the type first.

    `near` are numbers to include with their neighbours. Moderate numbers are finite, and small enough that a few sums
    and products of them do not overflow.
    """
    if port.declared.kind == "b":
        return np.array([False, True])
    return _integers(port, near) if port.declared.kind in "iu" else _floats(port.declared, near, is_moderate)


def _integers(port: FunctionPort, near: Sequence[float]) -> Array:
    kind = np.iinfo(port.declared)
    least, greatest = port.limits or narrow_limits(port) or (kind.min, kind.max)
    numbers = [0, 1, -1, least, greatest, 2, least + 1, greatest - 1]
    numbers += [int(number) + step for number in near if abs(number) < 2**64 for step in (0, 1, -1)]
    powers = [1 << bits for bits in range(1, 64)]
    numbers += [sign * (power + step) for power in powers for sign in (1, -1) for step in (0, -1)]
    inside = [number for number in dict.fromkeys(numbers) if least <= number <= greatest]
    return np.array(inside, port.declared)


def _floats(dtype: np.dtype[Any], near: Sequence[float], is_moderate: bool) -> Array:
    info = cast(Any, ml_dtypes.finfo(dtype))
    moderate = [0.0, 1.0, -1.0, 0.5, -2.0, 3.0, 1e-3, -0.1, 100.0]
    with np.errstate(all="ignore"):
        close = np.array([number for number in near if abs(number) < 2.0**63], np.float64).astype(dtype)
        if is_moderate:
            return np.concatenate([np.array(moderate).astype(dtype), close])
        largest, normal, subnormal = float(info.max), float(info.smallest_normal), float(info.smallest_subnormal)
        first = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, largest, -largest, subnormal, -subnormal, normal]
        beside = [np.nextafter(close, dtype.type(side * np.inf)) for side in (1, -1)]
        others = [-normal, 0.5, -0.5, 1.5, 2.5, 2.0**24 + 2, 2.0**31, -(2.0**31), 2.0**63, 1 / 3, *moderate]
        parts = [np.array(first).astype(dtype), close, *beside, np.array(others).astype(dtype)]
    return np.concatenate(parts)


def samples(
    arguments: Sequence[FunctionPort], near: Sequence[float], seed: int, *, is_moderate: bool = False
) -> Iterator[dict[str, Array]]:
    """
    Yield inputs for a function without end: every third gives inputs of one type equal numbers, others mix them.

    Each number of an input's list occurs in turn, then numbers from anywhere.
    """
    generator = np.random.default_rng(seed)
    inputs = [port for port in arguments if not port.is_output]
    lists = {port.name: ends(port, near, is_moderate=is_moderate) for port in inputs}
    orders = {name: _shuffled(numbers, generator) for name, numbers in lists.items()}
    turn = 0
    while True:
        for kind in range(3):
            position = turn if kind == 0 else 2 * turn + kind - 1
            numbers = lists if kind == 0 else orders
            yield {port.name: _drawn(port, numbers[port.name], position, generator) for port in inputs}
        turn += 1


_FIRST = 12
"""Numbers of a list that are used before all others: the ends of a type."""


def _shuffled(numbers: Array, generator: np.random.Generator) -> Array:
    return np.concatenate([generator.permutation(part) for part in (numbers[:_FIRST], numbers[_FIRST:])])


def _drawn(port: FunctionPort, numbers: Array, position: int, generator: np.random.Generator) -> Array:
    """Return the value of an input: the number at a position of a list, or an array of the numbers from there on."""
    size = int(np.prod(port.shape, dtype=np.int64))
    if port.state:
        return np.zeros(port.shape, port.declared)
    if size == 1 and position >= len(numbers):
        return np.full(port.shape, _anywhere(port, numbers, generator))
    places = (position * max(1, size) + np.arange(size)) % len(numbers)
    return numbers[places].reshape(port.shape)


def _anywhere(port: FunctionPort, numbers: Array, generator: np.random.Generator) -> Any:
    if port.declared.kind in "iu":
        least, greatest = (
            port.limits or narrow_limits(port) or (np.iinfo(port.declared).min, np.iinfo(port.declared).max)
        )
        low, high = (-128, 127) if least <= -128 and greatest >= 127 else (least, greatest)
        small = generator.integers(low, high, dtype=port.declared, endpoint=True)
        wide = generator.integers(least, greatest, dtype=port.declared, endpoint=True)
        return np.asarray(small if generator.random() < 0.5 else wide).astype(port.declared)
    if port.declared.kind == "b":
        return generator.choice(numbers)
    return np.asarray(generator.normal() * generator.choice([1.0, 100.0])).astype(port.declared)
