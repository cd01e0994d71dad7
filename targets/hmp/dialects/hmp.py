"""The dialect `hmp`: frames of a pipeline that has no end of its own, and marks at which its time is taken."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, IntegerAttr, MemRefType, StringAttr, i1, i64
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.utils.exceptions import VerifyException

from ....dialects.core.effect_traits import OperandEffects, StateEffects

KINDS = ("task", "send", "layer")
"""Kinds of marks: a stage begins to compute, has computed, or begins a layer."""


@irdl_op_definition
class NextFrameOp(IRDLOperation):
    """
    End the frame of the program and begin the next one; false where there is none, at the end of input.

        %more = hmp.next_frame

    Each program counts its frames from 0, in 64 bits. In switch mode the program of the source waits here until the
    frame before has left the network.
    """

    name = "hmp.next_frame"

    more = result_def(i1)

    traits = traits_def(StateEffects("hmp.frames"))
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__(result_types=[i1])


class _FrameOp(IRDLOperation):
    """Transfer of the network's input or output of a number, whole, from or to the world."""

    buffer = operand_def(MemRefType)
    port = prop_def(IntegerAttr[I64])

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$buffer attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue, port: int):
        super().__init__(operands=[buffer], properties={"port": IntegerAttr(port, i64)})

    def verify_(self) -> None:
        if self.port.value.data < 0:
            raise VerifyException("the number of an input or output must be 0 or more")


@irdl_op_definition
class ReadFrameOp(_FrameOp):
    """
    Fill a buffer with the network's input `port` of the program's frame, from the source.

        hmp.read_frame %slot {port = 0 : i64} : memref<1x3x32x32xi8>

    The end of input ends the program here, and all others after the frame before.
    """

    name = "hmp.read_frame"

    traits = traits_def(OperandEffects(writes=("buffer",)), StateEffects("hmp.frames"))


@irdl_op_definition
class WriteFrameOp(_FrameOp):
    """
    Give the network's output `port` of the program's frame to the sink.

        hmp.write_frame %slot {port = 0 : i64} : memref<1x10xi8>
    """

    name = "hmp.write_frame"

    traits = traits_def(OperandEffects(reads=("buffer",)), StateEffects("hmp.frames"))


@irdl_op_definition
class MarkOp(IRDLOperation):
    """
    Begin a phase of a stage's work on a frame.

        hmp.mark "task"
        hmp.mark "layer" {layer = 3 : i64}
        hmp.mark "send"

    The profiler takes the time at a mark; at that of a layer the clocks of the layer are set. The C of marks of layers
    is empty unless the program is compiled with TW_LAYER_MARKS.
    """

    name = "hmp.mark"

    kind = prop_def(StringAttr)
    layer = opt_prop_def(IntegerAttr[I64])

    traits = traits_def(StateEffects("hmp.frames"))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$kind attr-dict"

    def __init__(self, kind: str, layer: int | None = None):
        properties: dict[str, Attribute] = {"kind": StringAttr(kind)}
        if layer is not None:
            properties["layer"] = IntegerAttr(layer, i64)
        super().__init__(properties=properties)

    def verify_(self) -> None:
        if self.kind.data not in KINDS:
            raise VerifyException(f"the kind of a mark must be one of {', '.join(KINDS)}")
        if (self.layer is not None) != (self.kind.data == "layer"):
            raise VerifyException("a mark of a layer has its number, another one has none")


_OPS: Sequence[type[IRDLOperation]] = (NextFrameOp, ReadFrameOp, WriteFrameOp, MarkOp)
HMP = Dialect("hmp", list(_OPS))
