"""Conversion of frames and marks to calls of the runtime of pipelines (`c/tilewright_pipeline.h`)."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import StringAttr, i1
from xdsl.dialects.emitc import EmitC_OpaqueType
from xdsl.ir import Operation

from ...ir import element_of, numpy_type, shape_of
from ...passes.emitc.builder import pointer
from ...passes.emitc.calls import effect
from ...passes.emitc.converter import FunctionConverter
from ...passes.emitc.emitters import emits
from .dialects.hmp import MarkOp, ReadFrameOp, WriteFrameOp

_VOID = EmitC_OpaqueType(StringAttr("void"))


@emits("hmp.next_frame")
def _next_frame(converter: FunctionConverter, op: Operation) -> None:
    """Convert `hmp.next_frame`."""
    converter.b.values[op.results[0]] = effect(converter.b, "tw_frame_next", [], i1)


@emits("hmp.read_frame", "hmp.write_frame")
def _transfer(converter: FunctionConverter, op: Operation) -> None:
    """Convert `hmp.read_frame` and `hmp.write_frame`, which take the bytes of the buffer."""
    assert isinstance(op, ReadFrameOp | WriteFrameOp)
    b = converter.b
    size = prod(shape_of(op.buffer)) * numpy_type(element_of(op.buffer)).itemsize
    name = "tw_frame_read" if isinstance(op, ReadFrameOp) else "tw_frame_write"
    buffer = b.cast(b.value(op.buffer), pointer(_VOID))
    effect(b, name, [b.integer(op.port.value.data), buffer, b.integer(size)], None)


@emits("hmp.mark")
def _mark(converter: FunctionConverter, op: Operation) -> None:
    """Convert `hmp.mark`."""
    assert isinstance(op, MarkOp)
    layer = [] if op.layer is None else [converter.b.integer(op.layer.value.data)]
    effect(converter.b, f"tw_mark_{op.kind.data}", layer, None)
