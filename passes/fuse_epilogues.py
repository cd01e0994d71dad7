"""Fusion of elementwise consumers into their producer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from xdsl.context import Context
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import AffineMapAttr, LocationAttr, ModuleOp, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import Rewriter

from ..dialects.core.kernel_op import KernelOp
from ..ir import functions, fused_location, node_names
from .core.base import Pass
from .core.remarks import missed, passed, wanted


def is_elementwise(op: Operation) -> bool:
    """
    Return whether an op is an elementwise `linalg.generic` with one result.

    Excludes ops with `linalg.index` and gathers from other tensors.
    """
    if op.name != "linalg.generic" or len(op.results) != 1:
        return False
    generic = cast(linalg.GenericOp, op)
    if any(isinstance(inner, linalg.IndexOp | tensor.ExtractOp) for inner in generic.body.walk()):
        return False
    parallel = all(kind == IteratorTypeAttr.parallel() for kind in generic.iterator_types)
    identity = is_identity(generic.indexing_maps.data[-1].data)
    return parallel and identity and not generic.body.block.args[-1].uses


def is_identity(map: AffineMap) -> bool:
    """Return whether a map is the identity."""
    return map == AffineMap.identity(map.num_dims)


MOST_OPS = 512
"""Maximum number of scalar ops of a fused kernel; C compilers and checks are superlinear in it."""
MOST_OPERANDS = 128
"""Maximum number of operands of a fused kernel, besides its output."""


@dataclass
class _FusableOp:
    """Op with its position in program order, body size, and the locations of its fused ops."""

    place: int
    size: int
    elementwise: bool
    locations: list[LocationAttr]


_Kernels: TypeAlias = dict[Operation, _FusableOp]


def fuse_epilogues(block: Block) -> None:
    """
    Fuse the elementwise kernels of a block into the producers of their operands, tensors with no other use.

    An elementwise producer is merged into its elementwise user; then the user becomes the epilogue of a structured
    kernel that produces one of its operands, the last one in program order. Operands count only where the user reads
    them at the output's own index. An extension waits for its elementwise user, so that no producer stores wider
    numbers than it computes. Fusion stops at MOST_OPS and MOST_OPERANDS, so that its cost is linear in the ops.
    """
    kernels: _Kernels = {}
    for place, op in enumerate(list(block.ops)):
        kernels[op] = _FusableOp(place, _size(op), is_elementwise(op), [op.location])
        if not kernels[op].elementwise:
            continue
        user = cast(linalg.GenericOp, op)
        while (index := _producer(user, kernels, elementwise=True)) is not None:
            user = _merge(user, index, kernels)
        if not _is_widening(user) and (index := _producer(user, kernels, elementwise=False)) is not None:
            _append(user, index, kernels)
    for op, kernel in kernels.items():
        if len(kernel.locations) > 1:
            op.location = fused_location(kernel.locations)
    if wanted():
        _remark(kernels)


def _is_widening(op: linalg.GenericOp) -> bool:
    """Return whether a kernel only extends integers, for one elementwise kernel that follows."""
    first, result = op.body.block.first_op, op.results[0]
    if not isinstance(first, arith.ExtSIOp | arith.ExtUIOp) or first.next_op is not op.body.block.last_op:
        return False
    users = {use.operation for use in result.uses}
    only = users.pop() if len(users) == 1 and result.has_one_use() else None
    return only is not None and only.parent is op.parent and is_elementwise(only) and _reads_there(only, result)


def _reads_there(op: Operation, value: SSAValue) -> bool:
    """Return whether an elementwise kernel reads a tensor at the index of its output."""
    generic = cast(linalg.GenericOp, op)
    pairs = zip(generic.inputs, generic.indexing_maps.data, strict=False)
    return all(is_identity(map.data) for operand, map in pairs if operand is value)


def _size(op: Operation) -> int:
    """Return the number of scalar ops of a kernel without terminators."""
    if not isinstance(op, KernelOp | linalg.GenericOp):
        return 0
    return sum(len(region.block.ops) - 1 for region in op.regions if region.blocks)


def _producer(user: linalg.GenericOp, kernels: _Kernels, *, elementwise: bool) -> int | None:
    """Return the position of the operand to fuse across, None if there is none."""
    candidates: list[tuple[int, int]] = []
    for index, value in enumerate(user.inputs):
        if not isinstance(value, OpResult) or value.op not in kernels or _obstacle(user, index, kernels):
            continue
        if kernels[value.op].elementwise == elementwise:
            candidates.append((kernels[value.op].place, index))
    return max(candidates)[1] if candidates else None


def _obstacle(user: linalg.GenericOp, index: int, kernels: _Kernels) -> str:
    """Return why an elementwise kernel cannot be fused with the producer of an operand, empty if it can."""
    value, map = user.inputs[index], user.indexing_maps.data[index].data
    producer = cast(OpResult, value).op
    if not kernels[producer].elementwise and not _takes_epilogue(producer):
        return f"'{producer.name}' takes no epilogue"
    if not is_identity(map):
        return f"it reads the result at {map}, not at the index of its own"
    if not value.has_one_use():
        return f"the result has {len(list(value.uses))} uses"
    if len(user.operands) + len(producer.operands) - 3 > MOST_OPERANDS:
        return f"the fused kernel would have more than {MOST_OPERANDS} operands"
    if kernels[user].size + kernels[producer].size > MOST_OPS:
        return f"the fused kernel would have more than {MOST_OPS} scalar ops"
    return ""


def _takes_epilogue(op: Operation) -> bool:
    return isinstance(op, KernelOp) and op.TAKES_EPILOGUES and bool(op.results)


def _remark(kernels: _Kernels) -> None:
    """Remark on the fused kernels, and on elementwise ones that read the result of a kernel not fused with them."""
    for op, kernel in kernels.items():
        if len(kernel.locations) > 1:
            passed(
                op,
                "fusion",
                "one kernel of {kernels}, of {ops} scalar ops",
                kernels=len(kernel.locations),
                ops=kernel.size,
            )
        if kernel.elementwise:
            _remark_unfused(cast(linalg.GenericOp, op), kernels)


def _remark_unfused(op: linalg.GenericOp, kernels: _Kernels) -> None:
    for index, value in enumerate(op.inputs):
        producer = value.op if isinstance(value, OpResult) else None
        if producer is None or producer not in kernels or not isinstance(producer, KernelOp | linalg.GenericOp):
            continue
        reason = _obstacle(op, index, kernels) or "it widens integers for another kernel"
        arguments = {"operand": index, "producer": producer.name, "nodes": node_names(producer), "reason": reason}
        missed(op, "fusion", "not fused into '{producer}', operand {operand}: {reason}", **arguments)


def _merge(user: linalg.GenericOp, index: int, kernels: _Kernels) -> linalg.GenericOp:
    """Merge an elementwise kernel with the elementwise producer of operand `index`."""
    producer = cast(linalg.GenericOp, cast(OpResult, user.inputs[index]).op)
    own = [i for i in range(len(user.inputs)) if i != index]
    inputs = [*producer.inputs, *(user.inputs[i] for i in own)]
    maps = [*producer.indexing_maps.data[:-1], *(user.indexing_maps.data[i] for i in own), user.indexing_maps.data[-1]]
    body = producer.detach_region(producer.body)
    first, second = body.block, user.body.block
    first.erase_arg(first.args[-1])
    _join(first, second, index, own)
    first.insert_arg(second.args[-1].type, len(first.args))
    fused = linalg.GenericOp(inputs, list(user.outputs), body, maps, user.iterator_types, user.result_types)
    _replace(user, producer, fused, kernels)
    return fused


def _join(first: Block, second: Block, index: int, own: Sequence[int]) -> None:
    """
    Inline a body at the end of another, which computes its argument `index`.

    The arguments `own` of `second` become arguments of `first`.
    """
    terminator = first.last_op
    assert terminator is not None
    for argument in first.args:
        argument.name_hint = None
    second.args[index].replace_all_uses_with(terminator.operands[0])
    for i in own:
        second.args[i].replace_all_uses_with(first.insert_arg(second.args[i].type, len(first.args)))
    first.erase_op(terminator)
    *computing, end = second.ops
    for op in computing:
        op.detach()
        first.add_op(op)
    first.add_op(linalg.YieldOp(end.operands[0]))


def _append(user: linalg.GenericOp, index: int, kernels: _Kernels) -> None:
    """Append an elementwise kernel to the epilogue of the structured kernel that produces operand `index`."""
    producer = cast(KernelOp, cast(OpResult, user.inputs[index]).op)
    own = [i for i in range(len(user.inputs)) if i != index]
    extras: Sequence[SSAValue] = [*producer.extras, *(user.inputs[i] for i in own)]
    old_maps: Sequence[AffineMapAttr] = producer.epilogue_maps.data if producer.epilogue_maps else ()
    maps = [*old_maps, *(user.indexing_maps.data[i] for i in own)]
    body = _epilogue_of(producer)
    _join(body.block, user.body.block, index, own)
    properties = {k: v for k, v in producer.properties.items() if k not in ("operandSegmentSizes", "epilogue_maps")}
    fused = producer.__class__(
        list(producer.inputs),
        user.outputs[0],
        cast(Any, properties),
        extras=extras,
        epilogue_maps=maps,
        epilogue=body,
    )
    _replace(user, producer, fused, kernels)


def _epilogue_of(producer: KernelOp) -> Region:
    """Detach the epilogue of a kernel; an identity epilogue if it has none."""
    if producer.epilogue is not None:
        return producer.detach_region(producer.epilogue)
    block = Block(arg_types=[cast("TensorType[Any]", producer.results[0].type).get_element_type()])
    block.add_op(linalg.YieldOp(block.args[0]))
    return Region(block)


def _replace(user: Operation, producer: Operation, fused: Operation, kernels: _Kernels) -> None:
    first, second = kernels.pop(producer), kernels.pop(user)
    first.locations += second.locations
    kernels[fused] = _FusableOp(second.place, first.size + second.size, first.elementwise, first.locations)
    fused.attributes |= producer.attributes | user.attributes
    name = user.results[0].name_hint
    Rewriter.replace_op(user, fused)
    fused.results[0].name_hint = name
    Rewriter.erase_op(producer)


def with_branches(block: Block) -> list[Block]:
    """Return a block and those of the conditionals in it."""
    conditionals = [op for op in block.walk() if isinstance(op, scf.IfOp)]
    return [block, *(inner for op in conditionals for region in op.regions for inner in region.blocks)]


@dataclass(frozen=True)
class FuseEpiloguesPass(Pass):
    """
    Fuse bias, requantisation, activation and residual addition into the kernel before them.

    Afterwards a chain such as Conv, RequantShift, Add, RequantShift is one kernel whose accumulator never leaves it.
    """

    name = "fuse-epilogues"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            for block in with_branches(function.body.block):
                fuse_epilogues(block)
