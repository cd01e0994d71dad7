"""The pass `find-branches`: Transformer blocks, their branches and stages, from the dependences of a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, IntegerType, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute, Operation

from ....dialects.core.kernel import is_kernel, kernel_of
from ....dialects.core.kernel_parts import ints
from ....errors import Diagnostic
from ....ir import functions
from ....passes.core.base import Pass
from ..branches import AttentionNetwork, spatial_dims
from ..branches_blocks import Block, RefusedBlock, blocks_of, stages_of, window_of
from ..schedule.records import BlockStage

_KINDS = {"name": str, "merges": bool}
"""Field of a stage's record -> its type; the others are integers."""
_EXPECTED = {str: "a string", bool: "a boolean", int: "an integer of at least 1, or 0 for an MLP that is missing"}
STAGES, BLOCKS = "pim.stages", "pim.blocks"
BLOCK, PHASE = "pim.block", "pim.phase"
REFUSED = "pim.refused"
BRANCHES = "pim.branches"
BRANCH_DIMS, HEAD_DIMS, QUERY_DIMS = "pim.branch_dims", "pim.head_dims", "pim.query_dims"


def find_branches(module: ModuleOp) -> None:
    """
    Annotate the blocks of a module's functions, the branches of their products, and the stages of the module.

    Raises Diagnostic where there are no kernels.
    """
    all_blocks: list[Block] = []
    refused: list[RefusedBlock] = []
    kernels = 0
    for function in functions(module):
        if not function.body.blocks:
            continue
        network = AttentionNetwork(function)
        active = [op for op in network.order if is_kernel(op) and op.results and op.results[0] in network.flow.active]
        kernels += len(active)
        blocks, without = blocks_of(network)
        for place, block in enumerate(blocks, len(all_blocks)):
            _annotate(block, place)
        for place, block in enumerate(without, len(refused)):
            _mark(block, place)
        inner = {op for block in blocks for op, _ in block.phases}
        _annotate_kernels(network, [op for op in active if op not in inner])
        all_blocks += blocks
        refused += without
    if not kernels:
        raise Diagnostic(
            "the module has no kernels on tensors, and so no branches",
            expected="a network of kernels on tensors",
            remedy="run it after convert-onnx-to-linalg and before bufferize",
        )
    module.attributes[STAGES] = ArrayAttr([record_of(stage) for stage in stages_of(all_blocks)])
    module.attributes[BLOCKS] = ArrayAttr([_facts(block) for block in all_blocks])
    if refused:
        module.attributes[REFUSED] = ArrayAttr([_reason(block.error) for block in refused])


def record_of(stage: BlockStage) -> DictionaryAttr:
    """Return a stage as an attribute."""
    return DictionaryAttr({field.name: _attribute(getattr(stage, field.name)) for field in fields(BlockStage)})


def stage_from(record: DictionaryAttr) -> BlockStage:
    """Return the stage of an attribute. Raises Diagnostic where it is none."""
    names = {field.name for field in fields(BlockStage)}
    if set(record.data) != names:
        raise Diagnostic("not the record of a stage", f"'{STAGES}'", ", ".join(sorted(names)), ", ".join(record.data))
    values = {name: _value(attribute) for name, attribute in record.data.items()}
    for name, value in values.items():
        needed, least = _KINDS.get(name, int), 0 if name == "expansion" else 1
        if type(value) is not needed or (needed is int and int(value) < least):
            raise Diagnostic(f"'{name}' of a stage is out of range", f"'{STAGES}'", _EXPECTED[needed], str(value))
    return BlockStage(**values)  # pyright: ignore[reportArgumentType]


def _attribute(value: str | int) -> Attribute:
    if isinstance(value, str):
        return StringAttr(value)
    return IntegerAttr.from_bool(value) if isinstance(value, bool) else IntegerAttr(value, i64)


def _value(attribute: Attribute) -> str | int:
    match attribute:
        case StringAttr():
            return attribute.data
        case IntegerAttr():
            number = cast("IntegerAttr[IntegerType]", attribute)
            return number.value.data if number.type == i64 else bool(number.value.data)
        case _:
            raise Diagnostic("not the record of a stage", f"'{STAGES}'", "strings, integers, booleans", str(attribute))


def _facts(block: Block) -> DictionaryAttr:
    """Return the stage of a block, and the windows of its branches where they are rectangles."""
    facts: dict[str, Attribute] = {"stage": IntegerAttr(block.index, i64)}
    windows = [window_of(attention) for attention in block.attentions]
    rectangles = [window for window in windows if window is not None]
    if rectangles and len(rectangles) == len(windows):
        facts["windows"] = ArrayAttr([ints(window.size) for window in rectangles])
        facts["shifts"] = ArrayAttr([ints(window.shift) for window in rectangles])
    return DictionaryAttr(facts)


def _reason(error: Diagnostic) -> DictionaryAttr:
    """Return the place of a block, and the reason why it has no stage."""
    facts = {
        "at": error.where,
        "reason": error.message,
        "expected": error.expected,
        "found": error.found,
        "remedy": error.remedy,
    }
    return DictionaryAttr({key: StringAttr(text) for key, text in facts.items() if text})


def _mark(block: RefusedBlock, place: int) -> None:
    """Give the ops of a block without a stage the position of its reason."""
    for op in block.ops:
        op.attributes[REFUSED] = IntegerAttr(place, i64)


def _annotate(block: Block, place: int) -> None:
    """Give the ops of a block its number and their phase, and its products of activations their dimensions."""
    for op, phase in block.phases:
        op.attributes[BLOCK] = IntegerAttr(place, i64)
        op.attributes[PHASE] = StringAttr(phase)
    for attention in block.attentions:
        of_branches = attention.branch_axes
        attention.scores.attributes[BRANCH_DIMS] = ints(of_branches)
        attention.scores.attributes[HEAD_DIMS] = ints([axis for axis in attention.labels if axis not in of_branches])
        attention.scores.attributes[QUERY_DIMS] = ints(attention.query_axes)


def _annotate_kernels(network: AttentionNetwork, kernels: Sequence[Operation]) -> None:
    """Give kernels without a phase their spatial dimensions, those that no weights have: each point is a branch."""
    for op in kernels:
        kernel = kernel_of(op)
        dims = sorted(set(range(len(kernel.bounds))) - kernel.reduced)
        if op in network.products and network.is_projection(op):
            dims = spatial_dims(kernel, network.data(op)[0])
        op.attributes[BRANCH_DIMS] = ints(dims)
        op.attributes[BRANCHES] = IntegerAttr(prod(kernel.bounds[dim] for dim in dims), i64)


@dataclass(frozen=True)
class FindBranchesPass(Pass):
    """
    Find Transformer blocks and their computational branches in the dependences between kernels on tensors.

    Kernels of a block get `pim.block` and `pim.phase`; scores get `pim.branch_dims` and `pim.head_dims`, the axes of
    the result whose indices tell branches and heads apart, and `pim.query_dims`, those of the queries of a branch.
    Other kernels get `pim.branches`, one for each point of their spatial dimensions. The module gets the records of the
    scheduler: `pim.stages`, and `pim.blocks` with the window and shift of each block. A block whose branches are not
    found gets no stage: `pim.refused` of the module has its place and the reason, and its products the position there;
    it runs by the default mapping of shard-kernels. Run the pass after convert-onnx-to-linalg and before bufferize.
    """

    name = "find-branches"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        find_branches(op)
