"""
Lowerings of the operators that hold graphs, where the way through them is known only at run time.

If becomes `scf.if`, Loop and Scan become loops that carry tensors. What a loop collects turn by turn is one tensor,
which each turn puts its part into.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, TensorType, i1, i64
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from ...dialects.onnx.registry import mentions
from ...dialects.onnx.schema import OnnxOp
from ...ir import element_of, shape_of
from .code import Code, filled, rank_of
from .lowerer import Lowerer, constant_of, lowers, signless, unsupported


@lowers("If")
def _if(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    node = cast(Any, op)
    condition = _only_element(lower, lower[op.operands[0]])
    branches: list[Block] = []
    for region in (node.then_branch, node.else_branch):
        block = Block()
        _located(lower, block, scf.YieldOp(*_inline(lower, region.block, block)))
        branches.append(block)
    types = [lowered_type(result) for result in op.results]
    branch = scf.IfOp(condition, types, [branches[0]], [branches[1]])
    lower.op(branch)
    return branch.results


@lowers("Loop")
def _loop(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return _Loop(lower, op).build()


@lowers("Scan")
def _scan(lower: Lowerer, op: OnnxOp) -> Sequence[SSAValue]:
    return _Scan(lower, op).build()


def lowered_type(value: SSAValue) -> Attribute:
    """Return the type of the tensor level for a value of the graph level."""
    return TensorType(cast(Any, signless(element_of(value))), shape_of(value))


def _only_element(lower: Lowerer, value: SSAValue) -> SSAValue:
    """Append the element of a tensor that has one."""
    code = Code.after(lower)
    return code.take(value, [code.value(0)] * rank_of(value))


def _inline(lower: Lowerer, graph: Block, block: Block) -> list[SSAValue]:
    """Lower the nodes of a subgraph of bound inputs to the end of a block; returns the yielded values."""
    location = lower.location
    with lower.inside(block):
        for inner in graph.ops:
            if isinstance(inner, OnnxOp):
                lower.lower(inner)
    lower.location = location
    assert graph.last_op is not None
    return [lower[value] for value in graph.last_op.operands]


def _located(lower: Lowerer, block: Block, op: Operation) -> None:
    op.location = lower.location or op.location
    block.add_op(op)


def within(lower: Lowerer, block: Block) -> Lowerer:
    """Return a lowerer that builds in another block."""
    inner = Lowerer(block)
    inner.location = lower.location
    return inner


def _as_tensor(lower: Lowerer, block: Block, number: SSAValue, like: SSAValue) -> SSAValue:
    """Append to a block a tensor of one element, of the type of a value of the graph level."""
    code = Code.at_end(block, lower.location)
    kind = cast("TensorType[Any]", lowered_type(like))
    element = kind.get_element_type()
    value = code.from_index(number, element) if isinstance(number.type, IndexType) else number
    fresh = code.op(tensor.EmptyOp((), kind))
    return code.put(value, fresh, [code.value(0)] * rank_of(like))


# Parts of tensors


def _window(offset_axis: int, sizes: Sequence[int]) -> dict[str, Attribute]:
    offsets = [DYNAMIC_INDEX if axis == offset_axis else 0 for axis in range(len(sizes))]
    return {
        "static_offsets": DenseArrayBase.from_list(i64, offsets),
        "static_sizes": DenseArrayBase.from_list(i64, sizes),
        "static_strides": DenseArrayBase.from_list(i64, [1] * len(sizes)),
    }


def _taken(lower: Lowerer, value: SSAValue, axis: int, index: SSAValue) -> SSAValue:
    """Append the part of a tensor at an index along an axis, which it loses."""
    shape = list(shape_of(value))
    sizes = [1 if d == axis else extent for d, extent in enumerate(shape)]
    part = lower.op(
        tensor.ExtractSliceOp.build(
            operands=[value, [index], [], []],
            result_types=[TensorType(cast(Any, element_of(value)), sizes)],
            properties=_window(axis, sizes),
        )
    )
    return lower.reshape(part, [*shape[:axis], *shape[axis + 1 :]])


def _put(lower: Lowerer, part: SSAValue, whole: SSAValue, axis: int, index: SSAValue) -> SSAValue:
    """Append a tensor with a part in its place, at an index along an axis that the part lacks."""
    sizes = [1 if d == axis else extent for d, extent in enumerate(shape_of(whole))]
    return lower.op(
        tensor.InsertSliceOp.build(
            operands=[lower.reshape(part, sizes), whole, [index], [], []],
            result_types=[whole.type],
            properties=_window(axis, sizes),
        )
    )


# Loops


class _Loop:
    """
    A Loop on its way to `scf.for`, or to `scf.while` where its condition depends on data.

    Both carry the tensors that the Loop carries, and those in which its turns collect what they give.
    """

    def __init__(self, lower: Lowerer, op: OnnxOp):
        self.lower, self.op = lower, op
        self.graph: Block = cast(Any, op).body.block
        self.turns, self.condition, *carried = op.node_inputs
        self.carried = [lower[value] for value in carried]
        self.collected = op.results[len(carried) :]

    def build(self) -> Sequence[SSAValue]:
        """Build it and return its results."""
        assert self.graph.last_op is not None
        goes_on = [self.condition, self.graph.last_op.operands[0]]
        if self.turns is not None and all(value is None or self._is_true(value) for value in goes_on):
            return self._counted(self.turns)
        if self.collected and self.turns is None:
            raise unsupported(self.op, "that collects in turns without a bound", "give it a number of turns")
        return self._while()

    @mentions("Identity")
    def _is_true(self, value: SSAValue) -> bool:
        """Return whether a condition that holds before the first iteration holds in all."""
        if isinstance(value, OpResult) and value.op.name == "onnx.Identity":
            return self._is_true(value.op.operands[0])
        constant = constant_of(value)
        return value is self.graph.args[1] if constant is None else bool(constant.all())

    def _counted(self, turns: SSAValue) -> Sequence[SSAValue]:
        lower, code = self.lower, Code.after(self.lower)
        constant = constant_of(turns)
        if constant is None:
            count = code.limited(_only_element(lower, lower[turns]), 0, self._most())
        else:
            count = code.value(min(max(int(constant.reshape(-1)[0]), 0), _MOST_TURNS))
        is_whole = constant is not None

        def turn(code: Code, index: SSAValue, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            _, *results = self._turn(code.block, index, values)
            return self._with_parts(code.block, index, results, values)

        return code.iterate(count, [*self.carried, *self._wholes(is_whole=is_whole)], turn)

    def _most(self) -> int:
        """Return the largest number of iterations for which the scan outputs are allocated."""
        return min([_MOST_TURNS, *(shape_of(result)[0] for result in self.collected)])

    def _wholes(self, *, is_whole: bool) -> list[SSAValue]:
        """Append the scan outputs of a loop; they start as zeros unless the iterations fill them."""
        kinds = [(shape_of(result), signless(element_of(result))) for result in self.collected]
        if is_whole:
            return [self.lower.empty(shape, element) for shape, element in kinds]
        return [filled(self.lower, shape, 0, element) for shape, element in kinds]

    def _with_parts(
        self, block: Block, index: SSAValue, results: Sequence[SSAValue], values: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """Append the insertion of an iteration's results into the scan outputs; returns all carried values."""
        count, inner = len(self.carried), within(self.lower, block)
        pairs = zip(results[count:], values[count:], strict=True)
        return [*results[:count], *(_put(inner, part, whole, 0, index) for part, whole in pairs)]

    def _turn(self, block: Block, number: SSAValue, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Append the nodes of an iteration to a block; returns the yielded values, the condition first."""
        lower, (count, condition, *arguments) = self.lower, self.graph.args
        for argument, value in zip(arguments, values, strict=False):
            lower.values[argument] = value
        for argument, scalar in ((count, number), (condition, None)):
            if argument.uses:
                code = Code.at_end(block, lower.location)
                lower.values[argument] = _as_tensor(lower, block, scalar or code.constant(1, i1), argument)
        return _inline(lower, self.graph, block)

    def _while(self) -> Sequence[SSAValue]:
        lower, code = self.lower, Code.after(self.lower)
        goes_on = code.constant(1, i1) if self.condition is None else _only_element(lower, lower[self.condition])
        starts = [code.constant(0, i64), goes_on, *self.carried, *self._wholes(is_whole=False)]
        most = None if self.turns is None else _only_element(lower, lower[self.turns])
        if most is not None and self.collected:
            most = code.min(most, self._most())
        types = [value.type for value in starts]
        before, after = Block(arg_types=types), Block(arg_types=types)
        test = Code.at_end(before, lower.location)
        again = before.args[1] if most is None else test.both(before.args[1], test.compare(before.args[0], "slt", most))
        _located(lower, before, scf.ConditionOp(again, *before.args))
        condition, *results = self._turn(after, after.args[0], after.args[2:])
        results = self._with_parts(
            after, Code.at_end(after, lower.location).as_index(after.args[0]), results, after.args[2:]
        )
        flag = _only_element(within(lower, after), condition)
        number = Code.at_end(after, lower.location).add(after.args[0], 1)
        _located(lower, after, scf.YieldOp(number, flag, *results))
        loop = scf.WhileOp(starts, types, [before], [after])
        lower.op(loop)
        return loop.results[2:]


_MOST_TURNS = (1 << 31) - 1
"""An index has 32 bits on small machines."""


class _Scan:
    """A Scan on its way to `scf.for`."""

    def __init__(self, lower: Lowerer, op: OnnxOp):
        self.lower, self.op = lower, op
        self.graph: Block = cast(Any, op).body.block
        count = int(op.attribute("num_scan_inputs"))
        values = [lower[value] for value in op.operands]
        self.states = values[:-count]
        self.scanned = list(zip(values[-count:], *self._ways("input", values[-count:]), strict=True))
        self.collected = op.results[len(self.states) :]
        self.ways = list(zip(*self._ways("output", self.collected), strict=True))

    def _ways(self, side: str, values: Sequence[SSAValue]) -> tuple[list[int], list[bool]]:
        """Return for each scanned or collected tensor its axis, and whether it is gone through backwards."""
        default = (0,) * len(values)
        axes = self.op.attribute(f"scan_{side}_axes") or default
        directions = self.op.attribute(f"scan_{side}_directions") or default
        from_first = [axis % rank_of(value) for axis, value in zip(axes, values, strict=True)]
        return from_first, list(map(bool, directions))

    def build(self) -> Sequence[SSAValue]:
        """Build it and return its results."""
        lower, code = self.lower, Code.after(self.lower)
        first, axis, _ = self.scanned[0]
        count = shape_of(first)[axis]
        wholes = [lower.empty(shape_of(result), signless(element_of(result))) for result in self.collected]

        def turn(code: Code, index: SSAValue, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            inner, number = within(lower, code.block), len(self.states)
            from_end = code.sub(code.value(count - 1), index)
            places = {False: index, True: from_end}
            parts = [_taken(inner, value, axis, places[backwards]) for value, axis, backwards in self.scanned]
            lower.values.update(zip(self.graph.args, [*values[:number], *parts], strict=True))
            results = _inline(lower, self.graph, code.block)
            put = [
                _put(inner, part, whole, axis, places[backwards])
                for part, whole, (axis, backwards) in zip(results[number:], values[number:], self.ways, strict=True)
            ]
            return [*results[:number], *put]

        return code.iterate(count, [*self.states, *wholes], turn)
