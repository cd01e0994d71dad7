"""Dialect of sub-graphs that a vendor's plug-in computes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, ArrayAttr, DictionaryAttr, IntegerAttr, MemRefType, SymbolRefAttr, i64
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    prop_def,
    traits_def,
    var_operand_def,
)

from ....dialects.core.effect_traits import OperandEffects, StateEffects


@irdl_op_definition
class RunOp(IRDLOperation):
    """
    Computation of a frame by a plug-in, from an artefact: buffers in, buffers out.

        vendor.run ins(%x) outs(%y) : (memref<4xf32>), (memref<4xf32>) {artifact = {plugin = "reference", ...}}
    """

    name = "vendor.run"

    inputs = var_operand_def(MemRefType)
    outputs = var_operand_def(MemRefType)
    artifact = prop_def(DictionaryAttr)

    traits = traits_def(OperandEffects(reads=("inputs",), writes=("outputs",)))
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "`ins` `(` $inputs `)` `outs` `(` $outputs `)` `:` `(` type($inputs) `)` `,` `(` type($outputs) `)` attr-dict"
    )

    def __init__(self, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue], artifact: DictionaryAttr):
        super().__init__(operands=[inputs, outputs], properties={"artifact": artifact})


@irdl_op_definition
class SubmitOp(IRDLOperation):
    """
    Submission of a frame of a stage to its plug-in, which takes the buffers' values before the op ends.

        vendor.submit @stage1_npu ins(%x) : (memref<4xf32>)

    The stage collects frames in the order of their submission.
    """

    name = "vendor.submit"

    stage = prop_def(SymbolRefAttr)
    inputs = var_operand_def(MemRefType)

    traits = traits_def(OperandEffects(reads=("inputs",)), StateEffects("artefacts"))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$stage `ins` `(` $inputs `)` `:` `(` type($inputs) `)` attr-dict"

    def __init__(self, inputs: Sequence[SSAValue], stage: str):
        super().__init__(operands=[inputs], properties={"stage": SymbolRefAttr(stage)})


@irdl_op_definition
class CollectOp(IRDLOperation):
    """
    Wait for the oldest frame that was submitted, and fill buffers with its results.

        vendor.collect outs(%y) : (memref<4xf32>) {artifact = {plugin = "reference", ...}, outstanding = 3 : i64}

    At most `outstanding` frames are submitted and not yet collected.
    """

    name = "vendor.collect"

    outputs = var_operand_def(MemRefType)
    artifact = prop_def(DictionaryAttr)
    outstanding = prop_def(IntegerAttr[I64])

    traits = traits_def(OperandEffects(writes=("outputs",)), StateEffects("artefacts"))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "`outs` `(` $outputs `)` `:` `(` type($outputs) `)` attr-dict"

    def __init__(self, outputs: Sequence[SSAValue], artifact: DictionaryAttr, outstanding: int):
        count = IntegerAttr(outstanding, i64)
        super().__init__(operands=[outputs], properties={"artifact": artifact, "outstanding": count})


@irdl_op_definition
class OpenArtifactsOp(IRDLOperation):
    """
    Start of a network: the artefacts of its stages are opened and checked, before any frame.

        vendor.open [@stage1_npu, @stage3_npu]
    """

    name = "vendor.open"

    stages = prop_def(ArrayAttr)

    traits = traits_def(StateEffects("artefacts"))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$stages attr-dict"


VENDOR = Dialect("vendor", [RunOp, SubmitOp, CollectOp, OpenArtifactsOp])
