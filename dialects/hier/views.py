"""Views of a level's memory as buffers in a layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import IndexType, MemRefType, NoneAttr
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.utils.exceptions import VerifyException

from ...errors import Diagnostic
from ...ir import Array, numpy_type, where
from ..core.effect_traits import ViewLike
from ..core.instruction.flat import origin_of
from ..core.layout_arrays import laid_out
from ..core.layouts import buffer_bytes, layout_fault, layout_map
from ..core.semantics import Runner, Value, semantics


@irdl_op_definition
class ViewOp(IRDLOperation):
    """
    View of a memory from a byte on as a buffer in a layout; `memref.view` has row-major results only.

        %t = hier.view %memory[%start] : memref<2048xi8, "SPAD">
             to memref<16x64xi8, affine_map<(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)>, "SPAD">
    """

    name = "hier.view"

    source = operand_def(MemRefType)
    byte_shift = operand_def(IndexType)
    result = result_def(MemRefType)

    assembly_format = "$source `[` $byte_shift `]` attr-dict `:` type($source) `to` type($result)"
    traits = traits_def(ViewLike())

    def __init__(self, source: SSAValue, byte_shift: SSAValue, type: MemRefType[Any]):
        super().__init__(operands=[source, byte_shift], result_types=[type])

    def verify_(self) -> None:
        source, result = (cast("MemRefType[Any]", value.type) for value in (self.source, self.result))
        if len(source.get_shape()) != 1 or not isinstance(source.layout, NoneAttr):
            raise VerifyException("expected a view of a row of bytes")
        if source.memory_space != result.memory_space:
            raise VerifyException(f"a view of memory in {source.memory_space} cannot be in {result.memory_space}")
        lead = layout_map(result)
        if lead is None:
            raise VerifyException(f"expected a static result in a layout, use memref.view for {result}")
        if (fault := layout_fault(result.get_shape(), lead)) is not None:
            raise VerifyException(fault)


# Semantics


@semantics(ViewOp)
def _view(runner: Runner, op: ViewOp, operands: Sequence[Value]) -> list[Array]:
    source, shift = operands
    root, start = origin_of(source)
    type = cast("MemRefType[Any]", op.result.type)
    begin, size = int(shift), buffer_bytes(type)
    if begin < 0 or begin + size > source.nbytes:
        raise Diagnostic(
            "a view is out of bounds of its buffer",
            where=where(op),
            expected=f"bytes 0 to {source.nbytes - 1}",
            found=f"bytes {begin} to {begin + size - 1}",
        )
    bytes = root[start + begin : start + begin + size]
    dtype = numpy_type(type.get_element_type())
    return [laid_out(bytes.view(dtype), type)]
