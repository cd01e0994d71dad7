"""
Dialect of N-Eureka: convolutions with packed weights as kernels, and register accesses of jobs.

A kernel is lowered to one or several jobs: `npu.acquire`, 24 times `npu.write`, `npu.trigger` and `npu.wait`.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Annotated, Any, cast

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.ir import Dialect, Operation
from xdsl.traits import EffectInstance, MemoryEffect, OpTrait, Pure
from xdsl.utils.exceptions import VerifyException

from ....dialects.core.effect_traits import Fence, accesses
from ....dialects.core.instruction import Const, Ref, Scalar, State, i32, instruction
from ..npu.jobs import COUNT, NpuRegister
from ..npu.kernel_ops import NpuConvOp, NpuKernelOp, NpuMatmulOp, NpuRequantizeOp
from ..npu.model import Offset
from ..npu.session import NpuSession

__all__ = [
    "NpuConvOp",
    "NpuKernelOp",
    "NpuMatmulOp",
    "NpuRequantizeOp",
    "acquire",
    "address",
    "trigger",
    "wait",
    "write",
]

_READ_BY_JOBS = (NpuRegister.WEIGHTS, NpuRegister.INPUT, NpuRegister.SCALE, NpuRegister.BIAS)


class _OperandOfJob(MemoryEffect):
    """Access of the acquired job to the buffer whose address is written to a register."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance] | None:
        assert isinstance(op, write.op)
        register = op.properties_of()["index"]
        if register not in (*_READ_BY_JOBS, NpuRegister.OUTPUT):
            return frozenset()
        base = op.operands[0].owner
        while isinstance(base, arith.AddiOp):
            base = base.lhs.owner
        if isinstance(base, address.op):
            touched = [base.operands[0]]
            return accesses([], touched) if register == NpuRegister.OUTPUT else accesses(touched, [])
        return frozenset() if isinstance(base, arith.ConstantOp) else None


class _InReach(OpTrait):
    """Verifier that a buffer is in a memory of the NPU."""

    def verify(self, op: Operation) -> None:
        if not isinstance(cast("MemRefType[Any]", op.operands[0].type).memory_space, StringAttr):
            raise VerifyException('the buffer must be in a memory that the NPU reaches, such as memref<..., "L1">')


@instruction("npu.acquire", c="tw_npu_acquire")
def acquire(npu: State[NpuSession]) -> Scalar[i32]:
    """
    Wait for a free place in the queue of jobs; registers are then written to this job.

        %job = npu.acquire
    """
    return np.asarray(npu.acquire())


@instruction("npu.write", c="tw_npu_write", traits=[_OperandOfJob()])
def write(index: Annotated[Const, range(COUNT)], value: Scalar[i32], npu: State[NpuSession]) -> None:
    """
    Write a register of the job that was acquired.

        npu.write %value {index = 23 : i64}
    """
    npu.model.write(Offset.JOB + 4 * index, int(value))


@instruction("npu.trigger", c="tw_npu_trigger", traits=[Fence()])
def trigger(npu: State[NpuSession]) -> None:
    """
    Start the job that was acquired.

        npu.trigger
    """
    npu.model.write(Offset.TRIGGER, 0)


@instruction("npu.wait", c="tw_npu_wait", traits=[Fence()])
def wait(npu: State[NpuSession]) -> None:
    """
    Wait until all jobs are done.

        npu.wait
    """
    npu.wait()


@instruction("npu.address", c="tw_npu_address", traits=[Pure(), _InReach()])
def address(buffer: Ref[Any], npu: State[NpuSession]) -> Scalar[i32]:
    """
    Return the address of a buffer's first element, as the NPU sees it.

        %a = npu.address %x : memref<8x8x28xi8, "L1">
    """
    return np.asarray(npu.address(buffer))


NPU = Dialect(
    "npu",
    [
        NpuConvOp,
        NpuMatmulOp,
        NpuRequantizeOp,
        *(instruction.op for instruction in (acquire, write, trigger, wait, address)),
    ],
)
