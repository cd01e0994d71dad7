"""Dialect of an OpenCL device: stages that run there, launches of kernels, memory, and the work-item's number."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    FlatSymbolRefAttrConstr,
    IndexType,
    IntegerAttr,
    MemRefType,
    SymbolRefAttr,
    i8,
    i64,
)
from xdsl.ir import Block, Dialect, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    CallableOpInterface,
    EffectInstance,
    NoTerminator,
    Pure,
    RecursiveMemoryEffect,
    SymbolTable,
    SymbolUserOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from ....dialects.core.effect_traits import DeclaredEffects, ResultAllocation, StateEffects, accesses, is_buffer
from ....dialects.core.semantics import Runner, Value, semantics
from ....ir import shape_of

GRID = "opencl.grid"
"""Attribute of a kernel: the work-items along the axes 0, 1 and 2 of its index space, `get_global_size`."""
AXIS = "opencl.axis"
"""
Attribute of a parallel loop of a kernel: the axis of the index space that its iterations are.

Nested loops on one axis share it, the inner one fastest. The loop of the last axis contains that of the first.
"""


@irdl_op_definition
class StageOp(IRDLOperation):
    """
    Run launches in order on a device, from buffers of the host that it reads to those that it writes.

        opencl.stage {
          %bytes = opencl.buffer : memref<4096xi8>
          %sums = memref.view %bytes[%c0][] : memref<4096xi8> to memref<1024xf32>
          opencl.launch @conv_0(%x, %w, %sums) ...
        }
    """

    name = "opencl.stage"

    body = region_def("single_block")
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())
    assembly_format = "$body attr-dict"

    def __init__(self, body: Block):
        super().__init__(regions=[Region(body)])


@irdl_op_definition
class BufferOp(IRDLOperation):
    """
    Allocate memory of the device, in bytes, for as long as the program runs; its contents are those of one run.

        %bytes = opencl.buffer : memref<4096xi8>
    """

    name = "opencl.buffer"

    result = result_def(MemRefType)
    traits = traits_def(ResultAllocation())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, type: MemRefType):
        super().__init__(result_types=[type])

    def verify_(self) -> None:
        if self.result.type.element_type != i8:
            raise VerifyException("expected bytes, memref<Nxi8>")


class _StageExists(SymbolUserOpInterface):
    """Verifier that the function exists, and contains an `opencl.stage`."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, OpenStageOp)
        stage = SymbolTable.lookup_symbol(op, op.stage)
        if stage is None or not any(isinstance(inner, StageOp) for inner in stage.walk()):
            raise VerifyException(f"there is no stage {op.stage}")


@irdl_op_definition
class OpenStageOp(IRDLOperation):
    """
    Open a stage, unless it is open: build its kernels, make its buffers and its queue. Its first frame does else.

        opencl.open @stage2_gpu
    """

    name = "opencl.open"

    stage = prop_def(FlatSymbolRefAttrConstr)
    traits = traits_def(_StageExists(), StateEffects("opencl.stages"))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$stage attr-dict"

    def __init__(self, stage: str):
        super().__init__(properties={"stage": SymbolRefAttr(stage)})


class _KernelExists(SymbolUserOpInterface):
    """Verifier that the kernel exists, takes the arguments and has an index space."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, LaunchKernelOp)
        callee = SymbolTable.lookup_symbol(op, op.callee)
        if callee is None:
            raise VerifyException(f"there is no function {op.callee}")
        interface = callee.get_trait(CallableOpInterface)
        taken = list(interface.get_argument_types(callee)) if interface is not None else []
        passed = [value.type for value in op.arguments]
        if taken != passed:
            expected, accepted = (", ".join(map(str, types)) for types in (passed, taken))
            raise VerifyException(f"{op.callee} must take {expected}; it takes {accepted}")
        if GRID not in callee.attributes:
            raise VerifyException(f"{op.callee} is no kernel: it has no attribute {GRID}")


@dataclass(frozen=True)
class _LaunchEffects(DeclaredEffects):
    """Reads of all buffers, and writes of those that the property `written` names."""

    def get_effects(self, op: Operation) -> Set[EffectInstance]:
        assert isinstance(op, LaunchKernelOp)
        buffers = [value for value in op.arguments if is_buffer(value)]
        return accesses(buffers, [op.arguments[position] for position in op.written_positions])


@irdl_op_definition
class LaunchKernelOp(IRDLOperation):
    """
    Launch a kernel over its index space: the function runs once, its marked loops spread over work-items.

        opencl.launch @add_0(%x, %y) {written = array<i64: 1>} : memref<64xf32>, memref<64xf32>
    """

    name = "opencl.launch"

    callee = prop_def(FlatSymbolRefAttrConstr)
    written = prop_def(DenseArrayBase[I64])
    """Positions of the arguments that the kernel writes."""
    arguments = var_operand_def()

    traits = traits_def(_KernelExists(), _LaunchEffects())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$callee `(` $arguments `)` attr-dict `:` type($arguments)"

    def __init__(self, callee: str, arguments: Sequence[SSAValue], written: Sequence[int]):
        positions = DenseArrayBase.from_list(i64, list(written))
        super().__init__(operands=[list(arguments)], properties={"callee": SymbolRefAttr(callee), "written": positions})

    @property
    def written_positions(self) -> tuple[int, ...]:
        """Positions of the arguments that the kernel writes."""
        return tuple(self.written.get_values())

    def verify_(self) -> None:
        if any(not 0 <= position < len(self.arguments) for position in self.written_positions):
            raise VerifyException("expected positions of arguments that are written")


@irdl_op_definition
class GlobalIdOp(IRDLOperation):
    """
    Number of the work-item along an axis of the index space, `get_global_id`.

        %i = opencl.global_id {axis = 0 : i64, size = 64 : i64}
    """

    name = "opencl.global_id"

    axis = prop_def(IntegerAttr[I64])
    size = prop_def(IntegerAttr[I64])
    result = result_def(IndexType)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict"

    def __init__(self, axis: int, size: int):
        properties = {"axis": IntegerAttr(axis, i64), "size": IntegerAttr(size, i64)}
        super().__init__(properties=properties, result_types=[IndexType()])

    def verify_(self) -> None:
        if not 0 <= self.axis.value.data <= 2:
            raise VerifyException("expected an axis from 0 to 2")


@semantics(StageOp)
def _stage(runner: Runner, op: StageOp, operands: Sequence[Value]) -> list[Value]:
    runner.run_region(op.body, [])
    return []


@semantics(OpenStageOp)
def _open(runner: Runner, op: OpenStageOp, operands: Sequence[Value]) -> list[Value]:
    return []


@semantics(BufferOp)
def _buffer(runner: Runner, op: BufferOp, operands: Sequence[Value]) -> list[Value]:
    return [runner.interleaving.undefine(np.zeros(shape_of(op.result), np.int8))]


@semantics(LaunchKernelOp)
def _launch(runner: Runner, op: LaunchKernelOp, operands: Sequence[Value]) -> list[Value]:
    runner.call(op.callee.string_value(), operands)
    return []


OPENCL = Dialect("opencl", [StageOp, OpenStageOp, BufferOp, LaunchKernelOp, GlobalIdOp])
