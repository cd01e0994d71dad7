"""Lowering of a structured kernel to a loop nest, from its iteration domain and accesses."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias, cast

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind

from ...dialects.core.analysis.affine_form import Atom, Linear
from ...dialects.core.builder import Loop
from ...dialects.core.kernel import Access, Kernel, Reduction, is_shaped
from ...dialects.core.scalars import Index
from ...dialects.quant import RequantizeOp, RescaleOp
from ...errors import Diagnostic
from ...ir import element_of
from .affine import AccessAxis, Clamp, axes_of, clamps_of
from .nest import PARALLEL, Nest
from .scalar import expand_requantize, expand_rescale, live_ops

_INPUT_NAMES = ("x", "w", "b")

Limits: TypeAlias = "Sequence[tuple[int, Index, Index]]"
"""Dimension of a loop, its first index and its end."""


def lower_kernel(kernel: Kernel, nest: Nest) -> None:
    """
    Build the loops of a kernel on memrefs of static shape.

    Parallel loops are outermost, in order. Inside is one perfect nest per reduction, with loop-carried accumulators;
    then result and epilogue, in loops over the reduction dimensions of the output; then the stores. Out-of-bounds
    points are excluded by the bounds of the reduction loops if they may be skipped, else by a guard.
    """
    KernelLoops(kernel, nest).build()


class KernelLoops:
    """Builder of a kernel's loop nest; subclasses select the loops."""

    def __init__(self, kernel: Kernel, nest: Nest):
        self.kernel = kernel
        self.nest = nest
        self.position: dict[int, Index] = {}
        """Index of each dimension with an open loop."""

    def build(self) -> None:
        """Build the nest."""
        kernel = self.kernel
        with self.over([d for d in range(len(kernel.bounds)) if d not in kernel.reduced], [PARALLEL]):
            accumulators: list[SSAValue] = []
            results: list[SSAValue] = []
            for reduction in kernel.reductions:
                results = self.reduce(reduction, accumulators)
                accumulators += results
            with self.over([d for d in kernel.output_dims if d in kernel.reduced]):
                if kernel.result is not None:
                    results = self.run(kernel.result, [*kernel.inputs, *accumulators], _INPUT_NAMES)
                self.finish(results)

    def finish(self, results: list[SSAValue]) -> None:
        """Build the epilogue and the stores."""
        kernel = self.kernel
        if kernel.epilogue is not None:
            results = self.run(kernel.epilogue, [*results, *kernel.extras], ())
        for value, access in zip(results, kernel.outputs, strict=True):
            indices = [self.nest.value(self.index(axis.index)) for axis in axes_of(access, kernel.bounds)]
            self.nest.insert(memref.StoreOp.get(value, access.value, indices))

    @contextmanager
    def over(self, dims: Sequence[int], marks: Sequence[str] = (), *, name: str = "") -> Generator[None]:
        """Build in loops over whole dimensions, of this name or that of the dimension."""
        names = [name or f"i{dim}" for dim in dims]
        with self.nest.loops(names, [self.kernel.bounds[dim] for dim in dims], marks=marks) as indices:
            self.position |= dict(zip(dims, indices, strict=True))
            yield

    @contextmanager
    def over_reduced(self, limits: Limits, values: Sequence[SSAValue], names: Sequence[str] = ()) -> Generator[Loop]:
        """Build in loops over intervals of reduced dimensions, with loop-carried values of these names."""
        if not limits:
            yield Loop(0, values)
            return
        (dim, lower, upper), *inner = limits
        with self.nest.carried_loop(f"i{dim}", lower, upper, values, names=names) as outer:
            self.position[dim] = outer.index
            with self.over_reduced(inner, outer.values, names) as loop:
                yield loop
            outer.values = loop.values
        del self.position[dim]
        loop.values = outer.values

    def reduce(self, reduction: Reduction, earlier: Sequence[SSAValue]) -> list[SSAValue]:
        """Build the loops of a reduction and return its accumulators."""
        kernel, clamps = self.kernel, clamps_of(self.kernel)
        own = reduction.body.args[len(kernel.inputs) + len(earlier) :]
        outside = [self.initial(number, value) for number, value in enumerate(reduction.initial)]
        inside = [clamp.axis for clamp in clamps]
        with self.over_reduced(self.limits(clamps), outside, [arg.name_hint or "acc" for arg in own]) as loop:
            loop.values = self.run(reduction.body, [*kernel.inputs, *earlier, *loop.values], _INPUT_NAMES, inside)
        return list(loop.values)

    def initial(self, number: int, value: Attribute | None) -> SSAValue:
        """Return the initial value of an accumulator."""
        if value is None:
            return self.load(self.kernel.outputs[number], "acc")
        return self.nest.attribute(cast("IntegerAttr[Any] | FloatAttr[Any]", value))

    def limits(self, clamps: Sequence[Clamp]) -> Limits:
        """Return the reduced dimensions, with the bounds of their loops that keep the accesses in bounds."""
        dims, bounds = sorted(self.kernel.reduced), self.kernel.bounds
        intervals = [self.limits_of(dim, clamps) if bounds[dim] > 1 else (0, 1) for dim in dims]
        return [(dim, lower, upper) for dim, (lower, upper) in zip(dims, intervals, strict=True)]

    def limits_of(self, dim: int, clamps: Sequence[Clamp]) -> tuple[Index, Index]:
        """Return the bounds of a reduction loop that keep the accesses in bounds."""
        lows: list[Index] = []
        highs: list[Index] = []
        for clamp in clamps:
            if clamp.dim == dim and clamp.axis.low:
                lows.append(self.first_inside(clamp))
            if clamp.dim == dim and clamp.axis.high:
                highs.append(self.end_inside(clamp))
        return self.nest.max(0, *lows), self.nest.min(self.kernel.bounds[dim], *highs)

    def first_inside(self, clamp: Clamp) -> Index:
        """Return ceildiv(-outer, factor) if positive, else 0 or less."""
        distance = clamp.outer * -1
        if clamp.factor == 1:
            return self.index(distance)
        positive = self.nest.max(0, self.index(distance))
        return self.nest.div(self.nest.add(positive, clamp.factor - 1), clamp.factor)

    def end_inside(self, clamp: Clamp) -> Index:
        """Return floordiv(extent - 1 - outer, factor) + 1 if positive, else 0 or less."""
        rest = clamp.outer * -1 + (clamp.axis.extent - 1 + clamp.factor)
        return self.nest.div(self.index(rest), clamp.factor)

    def run(
        self,
        block: Block,
        elements: Sequence[Access | SSAValue],
        names: Sequence[str],
        inside: Sequence[AccessAxis] = (),
    ) -> list[SSAValue]:
        """
        Inline a body on these elements and return its yielded values; only used elements are loaded.

        A linalg body that ignores its outputs' old elements takes them as trailing arguments.
        """
        ops, used = live_ops(block)
        values: dict[SSAValue, SSAValue] = {}
        for number, (arg, element) in enumerate(zip(block.args, elements, strict=False)):
            if isinstance(element, SSAValue):
                values[arg] = element
            elif arg in used:
                name = arg.name_hint or (names[number] if number < len(names) else None)
                values[arg] = self.load(element, name, inside)
        for op in ops:
            match op:
                case arith.ConstantOp() if isinstance(op.value, IntegerAttr | FloatAttr):
                    values[op.result] = self.nest.attribute(cast("IntegerAttr[Any] | FloatAttr[Any]", op.value))
                case IndexOp():
                    values[op.result] = self.nest.value(self.position[op.dim.value.data])
                case RequantizeOp():
                    x, mul, add = (values.get(operand, operand) for operand in op.operands)
                    values[op.result] = expand_requantize(op, x, mul, add, self.nest)
                    values[op.result].name_hint = op.result.name_hint
                case RescaleOp():
                    x, scale = (values.get(operand, operand) for operand in op.operands)
                    values[op.result] = expand_rescale(op, x, scale, self.nest)
                    values[op.result].name_hint = op.result.name_hint
                case _:
                    self.clone(op, values)
        terminator = cast(Operation, block.last_op)
        return [values.get(value, value) for value in terminator.operands]

    def clone(self, op: Operation, values: dict[SSAValue, SSAValue]) -> None:
        """Clone a scalar op, with `linalg.index` replaced by loop indices."""
        copy = op.clone(values)
        indices = [nested for nested in copy.walk() if isinstance(nested, IndexOp)]
        for index in indices:
            index.result.replace_all_uses_with(self.nest.value(self.position[index.dim.value.data]))
            index.detach()
            index.erase()
        if isinstance(copy, memref.LoadOp):
            # At a guarded point, the index may be out of the table's bounds.
            self.nest.insert(copy)
        else:
            self.nest.op(copy)

    def load(self, access: Access, name: str | None, inside: Sequence[AccessAxis] = ()) -> SSAValue:
        """Load an element at the current point; the axes in `inside` are known to be in bounds."""
        if not is_shaped(access.value):
            return access.value
        axes = axes_of(access, self.kernel.bounds)
        indices = [self.index(axis.index) for axis in axes]
        tests = [
            (index, axis)
            for index, axis in zip(indices, axes, strict=True)
            if (axis.low or axis.high) and axis not in inside
        ]
        if tests:
            element = self.guarded(access, indices, tests)
        else:
            operands = [access.value, *(self.nest.value(index) for index in indices)]
            element = self.nest.once("load", operands, lambda: memref.LoadOp.get(operands[0], operands[1:]))
        element.name_hint = element.name_hint or name
        return element

    def guarded(self, access: Access, indices: Sequence[Index], tests: Sequence[tuple[Index, AccessAxis]]) -> SSAValue:
        """Load an element if all of these indices are in bounds, else return the fill."""
        condition: SSAValue | None = None
        for index, axis in tests:
            for needed, predicate, limit in ((axis.low, "sge", 0), (axis.high, "slt", axis.extent)):
                if needed:
                    test = self.nest.compare(index, predicate, limit)
                    condition = test if condition is None else self.nest.both(condition, test)
        assert condition is not None
        fill = self.nest.attribute(cast("IntegerAttr[Any] | FloatAttr[Any]", access.fill))
        load = memref.LoadOp.get(access.value, [self.nest.value(index) for index in indices])
        then = Block([load, scf.YieldOp(load.res)])
        other = Block([scf.YieldOp(fill)])
        return self.nest.op(scf.IfOp(condition, [element_of(access.value)], [then], [other]))

    def indices_of(self, access: Access) -> list[SSAValue]:
        """Return the indices of an operand's element at the current position."""
        return [self.nest.value(self.index(axis.index)) for axis in axes_of(access, self.kernel.bounds)]

    def index(self, form: Linear) -> Index:
        """Return the value of a linear form, with each partial sum hoisted as far as possible."""
        atoms = [(self.atom(atom), factor) for atom, factor in form.terms]
        atoms.sort(key=lambda item: self.nest.depth_of(item[0]))
        total: Index = 0
        rest = form.constant
        for number, (value, factor) in enumerate(atoms):
            if number == 0 and factor < 0:
                total, rest = rest, 0
            if factor < 0:
                total = self.nest.sub(total, self.nest.mul(value, -factor))
            else:
                total = self.nest.add(total, self.nest.mul(value, factor))
            total, rest = self.nest.add(total, rest), 0
        return self.nest.add(total, rest)

    def atom(self, atom: Atom) -> Index:
        """Return the index of a loop, or a quotient."""
        if isinstance(atom, int):
            if atom not in self.position:
                raise Diagnostic(
                    f"an operand is read along dimension d{atom}, which is not known at the output's points"
                )
            return self.position[atom]
        value = self.index(atom.of)
        divide = self.nest.floordiv if atom.of.interval(self.kernel.bounds)[0] < 0 else self.nest.div
        if atom.kind is AffineBinaryOpKind.CeilDiv:
            return divide(self.nest.add(value, atom.by - 1), atom.by)
        quotient = divide(value, atom.by)
        if atom.kind is AffineBinaryOpKind.FloorDiv:
            return quotient
        return self.nest.sub(value, self.nest.mul(quotient, atom.by))
