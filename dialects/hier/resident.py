"""Sharded values that stay in the instances from one call of a function to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Region
from xdsl.irdl import IRDLOperation, irdl_op_definition, region_def, result_def, traits_def
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from ...ir import Array, numpy_type, shape_of
from ..core.effect_traits import OwnArguments
from ..core.semantics import Runner, Value, semantics
from .programs import program_of
from .sharded import is_sharded


@irdl_op_definition
class ResidentOp(IRDLOperation):
    """
    Resident sharded value: the region fills it in the first call of the function, and it keeps its elements.

        %w = hier.resident {
        ^bb0(%own : memref<16x24xf32, #hier.sharded<"NODE" over [2] (d0, d1) -> (d1 floordiv 12)>>):
          hier.concurrent { ... }
        } : memref<16x24xf32, #hier.sharded<"NODE" over [2] (d0, d1) -> (d1 floordiv 12)>>

    Ops outside of the region only read it, which verify-memory proves.
    """

    name = "hier.resident"

    body = region_def("single_block")
    result = result_def(MemRefType)

    assembly_format = "$body attr-dict `:` type($result)"
    traits = traits_def(NoTerminator(), OwnArguments())

    def __init__(self, type: MemRefType[Any]):
        super().__init__(regions=[Region(Block(arg_types=[type]))], result_types=[type])

    def verify_(self) -> None:
        if not is_sharded(self.result.type):
            raise VerifyException(f"expected a sharded value, found {self.result.type}")
        types = [argument.type for argument in self.body.block.args]
        if types != [self.result.type]:
            actual = ", ".join(map(str, types)) or "none"
            raise VerifyException(f"expected one argument of the type {self.result.type}, found {actual}")
        if program_of(self) is not None:
            raise VerifyException("expected no program around the op: a program has one shard, not the whole value")


def _held(op: ResidentOp) -> list[Array]:
    """Return the list that holds the array of a run from its first call on."""
    return []


@semantics(ResidentOp)
def _resident(runner: Runner, op: ResidentOp, operands: Sequence[Value]) -> list[Array]:
    shards = runner.cached(op, _held)
    if not shards:
        element = cast("MemRefType[Any]", op.result.type).get_element_type()
        whole = runner.interleaving.undefine(np.zeros(shape_of(op.result), numpy_type(element)))
        runner.run_region(op.body, [whole])
        shards.append(whole)
    return shards
