"""
N-Eureka: convolutions with packed weights as kernels, and the registers by which jobs reach the hardware.

A kernel is lowered to one or several jobs, each of which is `npu.acquire`, 24 times `npu.write`, `npu.trigger` and
`npu.wait`.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any, ClassVar, cast

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import I32, I64, IntegerAttr, MemRefType, StringAttr, i32, i64
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import EffectInstance, MemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException

from ....dialects.core.c_call import CCall, c_rule
from ....dialects.core.effect_traits import Fence, StateEffects, accesses
from ....dialects.core.semantics import Runner, Value, semantics
from ..npu.jobs import COUNT, Register
from ..npu.kernel_ops import ConvOp, MatmulOp, NpuKernelOp, RequantizeOp
from ..npu.model import Offset
from ..npu.session import session_of

__all__ = [
    "AcquireOp",
    "AddressOp",
    "ConvOp",
    "MatmulOp",
    "NpuKernelOp",
    "RequantizeOp",
    "TriggerOp",
    "WaitOp",
    "WriteOp",
]


_QUEUE = StateEffects("N-Eureka")
"""The registers and the queue of jobs."""
_READ_BY_JOBS = (Register.WEIGHTS, Register.INPUT, Register.SCALE, Register.BIAS)


class _OperandOfJob(MemoryEffect):
    """The access of the job that is acquired to the buffer whose address is written to a register."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance] | None:
        assert isinstance(op, WriteOp)
        register = op.index.value.data
        if register not in (*_READ_BY_JOBS, Register.OUTPUT):
            return frozenset()
        base = op.value.owner
        while isinstance(base, arith.AddiOp):
            base = base.lhs.owner
        if isinstance(base, AddressOp):
            touched = [base.buffer]
            return accesses([], touched) if register == Register.OUTPUT else accesses(touched, [])
        return frozenset() if isinstance(base, arith.ConstantOp) else None


@irdl_op_definition
class AcquireOp(CCall):
    """
    Waits for a free place in the queue of jobs; registers are then written to this job.

        %job = npu.acquire : i32
    """

    name = "npu.acquire"
    C_FUNCTION: ClassVar[str] = "tw_npu_acquire"
    job = result_def(I32)
    traits = traits_def(_QUEUE)
    assembly_format = "attr-dict `:` type($job)"

    def __init__(self) -> None:
        super().__init__(result_types=[i32])


@irdl_op_definition
class WriteOp(CCall):
    """
    Writes a register of the job that was acquired.

        npu.write 23, %value : i32
    """

    name = "npu.write"
    C_FUNCTION: ClassVar[str] = "tw_npu_write"
    index = prop_def(IntegerAttr[I64])
    value = operand_def(I32)
    traits = traits_def(_QUEUE, _OperandOfJob())
    assembly_format = "$index `,` $value attr-dict `:` type($value)"

    def __init__(self, index: int, value: SSAValue):
        super().__init__(operands=[value], properties={"index": IntegerAttr(index, i64)})

    def c_arguments(self) -> Sequence[SSAValue | int]:
        return [self.index.value.data, self.value]

    def verify_(self) -> None:
        if not 0 <= self.index.value.data < COUNT:
            raise VerifyException(f"a job has registers 0 to {COUNT - 1}, not {self.index.value.data}")


@irdl_op_definition
class TriggerOp(CCall):
    """
    Starts the job that was acquired.

        npu.trigger
    """

    name = "npu.trigger"
    C_FUNCTION: ClassVar[str] = "tw_npu_trigger"
    traits = traits_def(_QUEUE, Fence())
    assembly_format = "attr-dict"


@irdl_op_definition
class WaitOp(CCall):
    """
    Waits until all jobs are done.

        npu.wait
    """

    name = "npu.wait"
    C_FUNCTION: ClassVar[str] = "tw_npu_wait"
    traits = traits_def(_QUEUE, Fence())
    assembly_format = "attr-dict"


@irdl_op_definition
class AddressOp(CCall):
    """
    The address of a buffer's first element, as the NPU sees it.

        %a = npu.address %x : memref<8x8x28xi8, "L1"> -> i32
    """

    name = "npu.address"
    C_FUNCTION: ClassVar[str] = "tw_npu_address"
    buffer = operand_def(MemRefType)
    address = result_def(I32)
    traits = traits_def(Pure())
    assembly_format = "$buffer attr-dict `:` type($buffer) `->` type($address)"

    def __init__(self, buffer: SSAValue):
        super().__init__(operands=[buffer], result_types=[i32])

    def verify_(self) -> None:
        if not isinstance(cast("MemRefType[Any]", self.buffer.type).memory_space, StringAttr):
            raise VerifyException('the buffer must lie in a memory that the NPU reaches, such as memref<..., "L1">')


@semantics(AcquireOp)
def _acquire(runner: Runner, op: AcquireOp, operands: Sequence[Value]) -> list[Value]:
    return [np.int32(session_of(runner, op).acquire())]


@c_rule("tw_npu_acquire")
def _acquire_in_c(runner: Runner, op: Operation) -> list[Value]:
    return [np.int32(session_of(runner, op).acquire())]


@c_rule("tw_npu_write")
def _write_in_c(runner: Runner, op: Operation, index: Value, value: Value) -> list[Value]:
    session_of(runner, op).model.write(Offset.JOB + 4 * int(index), int(value))
    return []


@c_rule("tw_npu_trigger")
def _trigger_in_c(runner: Runner, op: Operation) -> list[Value]:
    session_of(runner, op).model.write(Offset.TRIGGER, 0)
    return []


@c_rule("tw_npu_wait")
def _wait_in_c(runner: Runner, op: Operation) -> list[Value]:
    session_of(runner, op).wait()
    return []


@c_rule("tw_npu_address")
def _address_in_c(runner: Runner, op: Operation, place: Value) -> list[Value]:
    return [np.uint32(session_of(runner, op).address(place)).astype(np.int32)]


@semantics(WriteOp)
def _write(runner: Runner, op: WriteOp, operands: Sequence[Value]) -> list[Value]:
    session_of(runner, op).model.write(Offset.JOB + 4 * op.index.value.data, int(operands[0]))
    return []


@semantics(TriggerOp)
def _trigger(runner: Runner, op: TriggerOp, operands: Sequence[Value]) -> list[Value]:
    session_of(runner, op).model.write(Offset.TRIGGER, 0)
    return []


@semantics(WaitOp)
def _wait(runner: Runner, op: WaitOp, operands: Sequence[Value]) -> list[Value]:
    session_of(runner, op).wait()
    return []


@semantics(AddressOp)
def _address(runner: Runner, op: AddressOp, operands: Sequence[Value]) -> list[Value]:
    return [np.uint32(session_of(runner, op).address(operands[0])).astype(np.int32)]


NPU = Dialect("npu", [ConvOp, MatmulOp, RequantizeOp, AcquireOp, WriteOp, TriggerOp, WaitOp, AddressOp], [])
