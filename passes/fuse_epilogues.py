"""Elementwise operators join the kernel that makes their operand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import scf, tensor
from xdsl.dialects.builtin import AffineMapAttr, ModuleOp, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import Rewriter

from ..dialects.core.kernel_op import KernelOp
from ..ir import functions, fused_location
from .core.base import Pass


def is_elementwise(op: Operation) -> bool:
    """
    Return whether an op computes each element of one tensor from elements of its inputs, as a `linalg.generic`.

    Not where it is the index of the element that counts, or elements of other tensors at indices of its own.
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
    """Return whether a map leads from each index to itself."""
    return map == AffineMap.identity(map.num_dims)


def fuse_epilogues(block: Block) -> None:
    """
    Fuse the elementwise kernels of a block into what produces their operands, tensors with no other use.

    An elementwise producer is merged into its elementwise user; then the user becomes the epilogue of a structured
    kernel that produces one of its operands, the last one in program order. Operands count only where the user reads
    them at the output's own index.
    """
    place: dict[Operation, int] = {}
    for number, op in enumerate(list(block.ops)):
        place[op] = number
        if not is_elementwise(op):
            continue
        user = cast(linalg.GenericOp, op)
        while (index := _producer(user, place, elementwise=True)) is not None:
            user = _merge(user, index)
        place[user] = number
        if (index := _producer(user, place, elementwise=False)) is not None:
            place[_append(user, index)] = number


def _producer(user: linalg.GenericOp, place: dict[Operation, int], *, elementwise: bool) -> int | None:
    """Return the position of the operand to fuse across, None where there is none."""
    found: list[tuple[int, int]] = []
    for index, (value, map) in enumerate(zip(user.inputs, user.indexing_maps.data, strict=False)):
        if not isinstance(value, OpResult) or not is_identity(map.data) or not value.has_one_use():
            continue
        if value.op.parent_block() is not user.parent_block():
            continue
        if is_elementwise(value.op) if elementwise else _takes_epilogue(value.op):
            found.append((place[value.op], index))
    return max(found)[1] if found else None


def _takes_epilogue(op: Operation) -> bool:
    return isinstance(op, KernelOp) and op.TAKES_EPILOGUES and bool(op.results)


def _inline(block: Block, into: Block, mapping: dict[SSAValue, SSAValue]) -> SSAValue:
    """Clone the ops of a body to the end of another, its terminator aside; returns what that would yield."""
    terminator = block.last_op
    assert terminator is not None
    for op in block.ops:
        if op is not terminator:
            into.add_op(op.clone(value_mapper=mapping))
    value = terminator.operands[0]
    return mapping.get(value, value)


def _merge(user: linalg.GenericOp, index: int) -> linalg.GenericOp:
    """Replace an elementwise kernel and the elementwise producer of operand `index` by one."""
    producer = cast(linalg.GenericOp, cast(OpResult, user.inputs[index]).op)
    own = [i for i in range(len(user.inputs)) if i != index]
    inputs = [*producer.inputs, *(user.inputs[i] for i in own)]
    maps = [*producer.indexing_maps.data[:-1], *(user.indexing_maps.data[i] for i in own), user.indexing_maps.data[-1]]
    first, second = producer.body.block, user.body.block
    taken = [*first.args[:-1], *(second.args[i] for i in own), second.args[-1]]
    body = Block(arg_types=[arg.type for arg in taken])
    mapping: dict[SSAValue, SSAValue] = dict(zip(taken, body.args, strict=True))
    mapping[second.args[index]] = _inline(first, body, mapping)
    body.add_op(linalg.YieldOp(_inline(second, body, mapping)))
    fused = linalg.GenericOp(inputs, list(user.outputs), Region(body), maps, user.iterator_types, user.result_types)
    _replace(user, producer, fused)
    return fused


def _append(user: linalg.GenericOp, index: int) -> Operation:
    """Make an elementwise kernel the end of the epilogue of the structured kernel that produces operand `index`."""
    producer = cast(KernelOp, cast(OpResult, user.inputs[index]).op)
    own = [i for i in range(len(user.inputs)) if i != index]
    extras: Sequence[SSAValue] = [*producer.extras, *(user.inputs[i] for i in own)]
    old_maps: Sequence[AffineMapAttr] = producer.epilogue_maps.data if producer.epilogue_maps else ()
    maps = [*old_maps, *(user.indexing_maps.data[i] for i in own)]
    second = user.body.block
    first = producer.epilogue.block if producer.epilogue is not None else None
    element = cast("TensorType[Any]", producer.results[0].type).get_element_type()
    head = [arg.type for arg in first.args] if first else [element]
    body = Block(arg_types=[*head, *(second.args[i].type for i in own)])
    mapping: dict[SSAValue, SSAValue] = dict(zip(first.args, body.args, strict=False)) if first else {}
    mapping |= dict(zip((second.args[i] for i in own), body.args[len(head) :], strict=True))
    mapping[second.args[index]] = _inline(first, body, mapping) if first else body.args[0]
    body.add_op(linalg.YieldOp(_inline(second, body, mapping)))
    properties = {k: v for k, v in producer.properties.items() if k not in ("operandSegmentSizes", "epilogue_maps")}
    fused = producer.__class__(
        list(producer.inputs),
        user.outputs[0],
        cast(Any, properties),
        extras=extras,
        epilogue_maps=maps,
        epilogue=Region(body),
    )
    _replace(user, producer, fused)
    return fused


def _replace(user: Operation, producer: Operation, fused: Operation) -> None:
    fused.location = fused_location([producer.location, user.location])
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
