"""Ops on sharded values: an instance's own shard, and data that move between instances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import IndexType, IntAttr, MemRefType, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...errors import Diagnostic
from ...ir import Array, where
from ..core.analysis.extrema import maximum, minimum
from ..core.effect_traits import OperandEffects, ViewLike
from ..core.semantics import Runner, Value, semantics
from .programs import program_of
from .sharded import Sharding, ShardStep, shard_type, sharding_of

COMBINATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "mul": np.multiply,
    "max": lambda a, b: (np.maximum if a.dtype.kind in "biu" else maximum)(a, b),
    "min": lambda a, b: (np.minimum if a.dtype.kind in "biu" else minimum)(a, b),
}
"""Kind of a reduction -> its function; `linalg` has an op of each name."""

_NUMBERS = ("axis", "by", "within")
"""Properties with a number, in the order of the syntax."""


@irdl_op_definition
class LocalOp(IRDLOperation):
    """
    View of the shard that the instance of a replicated program holds.

        hier.concurrent {
          hier.program "node" on "array" over (%h, %p) in [4, 4] {
            %own = hier.local %q[%h, %p]
                 : memref<4x64x32xi8, #hier.sharded<"NODE" over [4, 4] (d0, d1, d2) -> (d0, d1 floordiv 16)>>
                 -> memref<1x16x32xi8, "NODE">
          }
        }

    The coordinates are those of the program: what another instance holds is moved by ops on the whole value.
    """

    name = "hier.local"

    source = operand_def(MemRefType)
    coordinates = var_operand_def(IndexType)
    result = result_def(MemRefType)

    assembly_format = "$source `[` $coordinates `]` attr-dict `:` type($source) `->` type($result)"
    traits = traits_def(ViewLike())

    def __init__(self, source: SSAValue, coordinates: Sequence[SSAValue]):
        type = shard_type(cast("MemRefType[Any]", source.type))
        super().__init__(operands=[source, list(coordinates)], result_types=[type])

    @property
    def sharding(self) -> Sharding:
        """The shards of the source."""
        return sharding_of(self.source.type)

    def verify_(self) -> None:
        try:
            expected = shard_type(cast("MemRefType[Any]", self.source.type))
        except Diagnostic as error:
            raise VerifyException(f"{error.message}: {error.found}") from error
        if self.result.type != expected:
            raise VerifyException(f"expected a shard of the type {expected}, found {self.result.type}")
        program = program_of(self)
        if program is None or list(self.coordinates) != list(program.coordinates):
            raise VerifyException(
                "expected the coordinates of the program around the op: an instance has its own shard alone; move that "
                "of another one by hier.shift, or by a stream"
            )


class _BetweenInstances(IRDLOperation):
    """An op that moves the shards of a value along a coordinate."""

    source = operand_def(MemRefType)
    target = operand_def(MemRefType)
    along = prop_def(IntAttr)

    traits = traits_def(OperandEffects(reads=("source",), writes=("target",)))

    @property
    def dim(self) -> int:
        """The coordinate along which shards move."""
        return self.along.data

    @property
    def shardings(self) -> tuple[Sharding, Sharding]:
        """The shards of the source and of the target."""
        return sharding_of(self.source.type), sharding_of(self.target.type)

    def verify_(self) -> None:
        source, target = (cast("MemRefType[Any]", value.type) for value in (self.source, self.target))
        try:
            ends = self.shardings
        except Diagnostic as error:
            raise VerifyException(f"{error.message}: {error.found}") from error
        if source.get_element_type() != target.get_element_type():
            expected, actual = source.get_element_type(), target.get_element_type()
            raise VerifyException(f"expected elements of the type {expected}, found {actual}")
        if not 0 <= self.dim < len(ends[0].extents):
            raise VerifyException(f"expected one of {len(ends[0].extents)} coordinates, found {self.dim}")
        self._verify_ends(*ends)

    def _verify_ends(self, source: Sharding, target: Sharding) -> None:
        """Raise VerifyException unless the shards of the source can become those of the target."""
        if source != target:
            raise VerifyException(f"expected a target that is sharded as the source, found {self.target.type}")

    @classmethod
    def parse(cls, parser: Parser) -> _BetweenInstances:
        properties: dict[str, Attribute] = {}
        if (kind := next(filter(parser.parse_optional_keyword, COMBINATIONS), None)) is not None:
            properties["kind"] = StringAttr(kind)
        start = parser.pos
        source = parser.parse_unresolved_operand()
        parser.parse_keyword("to")
        target = parser.parse_unresolved_operand()
        parser.parse_keyword("along")
        properties["along"] = IntAttr(parser.parse_integer())
        for name in _NUMBERS:
            if parser.parse_optional_keyword(name):
                properties[name] = IntAttr(parser.parse_integer())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        operands = parser.resolve_operands([source, target], types * 2 if len(types) == 1 else types, start)
        return cls.create(operands=operands, properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        kind = cast("StringAttr | None", self.properties.get("kind"))
        printer.print_string(f" {kind.data} " if kind is not None else " ")
        printer.print_ssa_value(self.source)
        printer.print_string(" to ")
        printer.print_ssa_value(self.target)
        printer.print_string(f" along {self.dim}")
        for name in _NUMBERS:
            if (number := cast("IntAttr | None", self.properties.get(name))) is not None:
                printer.print_string(f" {name} {number.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list(dict.fromkeys([self.source.type, self.target.type]), printer.print_attribute)


class _RoundRings(_BetweenInstances):
    """An op that moves shards round rings of the instances along a coordinate."""

    within = opt_prop_def(IntAttr)

    @property
    def ring(self) -> int:
        """The number of instances of a ring."""
        return self.within.data if self.within is not None else self.shardings[0].extents[self.dim]

    def _verify_ring(self, source: Sharding) -> None:
        """Raise VerifyException unless the instances along the coordinate divide into rings."""
        if self.ring < 1 or source.extents[self.dim] % self.ring:
            expected = f"rings that {source.extents[self.dim]} instances along coordinate {self.dim} divide into"
            raise VerifyException(f"expected {expected}, found within {self.ring}")


@irdl_op_definition
class ShiftOp(_RoundRings):
    """
    Cyclic shift along a coordinate: instance p receives the shard of instance p - `by`, modulo the extent.

        hier.shift %k to %k along 1 by -1
            : memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 floordiv 4, d1 floordiv 2)>>

    The target has the type of the source, and may be the source. `shard.shift` with `rotate` is upstream's counterpart.
    `within 2` makes a ring of each two instances that follow each other, such as those of a sub-array.
    """

    name = "hier.shift"

    by = prop_def(IntAttr)

    def _verify_ends(self, source: Sharding, target: Sharding) -> None:
        super()._verify_ends(source, target)
        self._verify_ring(source)


@irdl_op_definition
class AllGatherOp(_RoundRings):
    """
    All-gather along a coordinate: each instance receives the shards of all, concatenated along an axis of the source.

        hier.all_gather %k to %all along 1 axis 0
            : memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d1 floordiv 2, d0 floordiv 4)>>,
              memref<2x8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1, d2) -> (d2 floordiv 2, d0)>>

    A shard of the target has an axis of extent 1 in front, for the copies. `by 2` gathers from each second instance,
    `within 4` from four instances that follow each other, such as those of a sub-array. Upstream's counterpart is
    `shard.all_gather`.
    """

    name = "hier.all_gather"

    axis = prop_def(IntAttr)
    by = opt_prop_def(IntAttr)

    @property
    def stride(self) -> int:
        """The instances between two whose shards are gathered."""
        return self.by.data if self.by is not None else 1

    @property
    def count(self) -> int:
        """The number of shards that an instance receives, its own included."""
        return self.ring // self.stride

    @property
    def step(self) -> ShardStep:
        """The digit of a coordinate that numbers the instances whose shards are gathered."""
        axis = self.shardings[0].axes[self.axis.data]
        return ShardStep(self.dim, self.stride, self.count, axis.size)

    def _verify_ends(self, source: Sharding, target: Sharding) -> None:
        self._verify_ring(source)
        if self.stride < 1 or self.ring % self.stride:
            raise VerifyException(f"expected a distance that {self.ring} instances divide into, found by {self.stride}")
        holders = [(side.level, side.over, side.lower, side.extents) for side in (source, target)]
        if holders[0] != holders[1]:
            raise VerifyException(f"expected a target in the instances of the source, found {self.target.type}")
        axis, shape = self.axis.data, list(source.shape)
        if not 0 <= axis < len(shape):
            raise VerifyException(f"expected one of {len(shape)} axes of the source, found axis {axis}")
        shape[axis] *= self.count
        if list(target.shape) != [1, *shape]:
            raise VerifyException(f"expected shards of the target of {[1, *shape]}, found {list(target.shape)}")


@irdl_op_definition
class BroadcastOp(_BetweenInstances):
    """
    Broadcast along a coordinate: the one instance that holds the source along it gives its shard to all.

        hier.broadcast %row to %all along 1
            : memref<4x1x8xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (d0, 0)>>,
              memref<4x2x8xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (d0, d1)>>

    The target has an axis of the instances, along which the source has extent 1.
    """

    name = "hier.broadcast"

    def _verify_ends(self, source: Sharding, target: Sharding) -> None:
        _verify_one(source, target, self.dim, "source")


@irdl_op_definition
class ReduceOp(_BetweenInstances):
    """
    Reduction along a coordinate, in the order of the instances: `add`, `mul`, `max` or `min`.

        hier.reduce add %partial to %total along 1
            : memref<4x2x8xi32, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (d0, d1)>>,
              memref<4x1x8xi32, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (d0, 1)>>

    The source has an axis of the instances. A target with extent 1 along it is held by one instance; in a target like
    the source each has the result.
    """

    name = "hier.reduce"

    kind = prop_def(StringAttr)

    @property
    def is_for_all(self) -> bool:
        """True if each instance gets the result."""
        return sharding_of(self.target.type) == sharding_of(self.source.type)

    def _verify_ends(self, source: Sharding, target: Sharding) -> None:
        if self.kind.data not in COMBINATIONS:
            raise VerifyException(f"expected {', '.join(COMBINATIONS)}, found {self.kind.data}")
        if source != target:
            _verify_one(target, source, self.dim, "target")
        elif source.axis_along(self.dim) is None:
            raise VerifyException(f"expected an axis with an element for each instance along coordinate {self.dim}")


def _verify_one(one: Sharding, all: Sharding, dim: int, what: str) -> None:
    """Raise VerifyException unless one instance along a coordinate holds what the shards of all become, or are of."""
    axis = all.axis_along(dim)
    if axis is None:
        raise VerifyException(f"expected an axis with an element for each instance along coordinate {dim}")
    holder = one.lower[dim] if len(one.lower) > dim else -1
    inside = one.extents[dim : dim + 1] == (1,) and 0 <= holder - all.lower[dim] < all.extents[dim]
    others = [_other_instances(side, dim) for side in (one, all)]
    same = one.level == all.level and one.shape == all.shape and others[0] == others[1]
    if inside and same and all_but(one, axis) == all_but(all, axis):
        return
    raise VerifyException(
        f"expected a {what} that one instance along coordinate {dim} holds, with extent 1 along axis {axis} and the "
        "other axes sharded alike"
    )


def all_but(sharding: Sharding, axis: int) -> list[Any]:
    """Return the axes of a sharded value but one, each without coordinates of one instance."""
    others: list[Any] = []
    for number, other in enumerate(sharding.axes):
        if number != axis:
            steps = tuple(step for step in other.steps if step.extent > 1)
            others.append((other.size, other.first, steps))
    return others


def _other_instances(sharding: Sharding, dim: int) -> list[tuple[int, int]]:
    """Return the instances that hold shards along the other coordinates."""
    pairs = zip(sharding.lower, sharding.extents, strict=True)
    return [pair for axis, pair in enumerate(pairs) if axis != dim]


# Semantics


@semantics(LocalOp)
def _local(runner: Runner, op: LocalOp, operands: Sequence[Value]) -> list[Array]:
    source, *point = operands
    box = op.sharding.box([int(at) for at in point])
    if box is None:
        raise no_shard(op, [int(at) for at in point])
    return [source[box]]


def no_shard(op: LocalOp, point: Sequence[int]) -> Diagnostic:
    """Return the error of an instance that asks for a shard that it does not hold."""
    sharding = op.sharding
    last = [low + extent - 1 for low, extent in zip(sharding.lower, sharding.extents, strict=True)]
    return Diagnostic(
        f"instance {list(point)} holds no shard of the value",
        where=where(op),
        expected=f"instances {list(sharding.lower)} to {last}",
        found=str(op.source.type),
        remedy="replicate the program over the instances that hold one (over ... in ... from ...)",
    )


@semantics(ShiftOp)
def _shift(runner: Runner, op: ShiftOp, operands: Sequence[Value]) -> list[Value]:
    source, target = operands
    sharding, dim = op.shardings[0], op.dim
    before = np.array(source)
    for point in sharding.holders:
        at = list(point)
        low, ring = sharding.lower[dim], op.ring
        here = at[dim] - low
        at[dim] = low + here - here % ring + (here - op.by.data) % ring
        target[sharding.box(point)] = before[sharding.box(at)]
    return []


@semantics(AllGatherOp)
def _all_gather(runner: Runner, op: AllGatherOp, operands: Sequence[Value]) -> list[Value]:
    source, target = operands
    before = np.array(source)
    ends = op.shardings
    rings: dict[tuple[int, ...], list[Array]] = {}
    for point in ends[0].holders:
        rings.setdefault(_ring(op, point), []).append(before[ends[0].box(point)])
    for point in ends[1].holders:
        target[ends[1].box(point)] = np.concatenate(rings[_ring(op, point)], op.axis.data)[np.newaxis]
    return []


def _ring(op: AllGatherOp, point: Sequence[int]) -> tuple[int, ...]:
    """Return the key of the instances from which the one at a point gathers: its point, as if it were the first."""
    first, behind = list(point), point[op.dim] - op.shardings[0].lower[op.dim]
    first[op.dim] -= op.step.digit(behind) * op.stride
    return tuple(first)


@semantics(BroadcastOp)
def _broadcast(runner: Runner, op: BroadcastOp, operands: Sequence[Value]) -> list[Value]:
    source, target = operands
    target[...] = source
    return []


@semantics(ReduceOp)
def _reduce(runner: Runner, op: ReduceOp, operands: Sequence[Value]) -> list[Value]:
    source, target = operands
    axis = op.shardings[0].axis_along(op.dim)
    assert axis is not None
    total, *others = in_order(source, op.shardings[0], axis)
    for term in others:
        total = COMBINATIONS[op.kind.data](total, term)
    target[...] = total
    return []


def in_order(array: Array, sharding: Sharding, axis: int) -> list[Array]:
    """Return the parts of an array along the axis of a coordinate, in the order of the instances."""
    step, first = sharding.axes[axis].steps[0].elements, sharding.axes[axis].first
    extent = array.shape[axis]
    return [np.take(array, [first + step * number], axis) for number in range(extent)]
