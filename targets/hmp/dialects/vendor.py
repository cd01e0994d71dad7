"""Dialect of sub-graphs that a vendor's plug-in computes."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, MemRefType
from xdsl.ir import Dialect
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


@irdl_op_definition
class OpenOp(IRDLOperation):
    """
    Start of a network: the artefacts of its stages are opened and checked, before any frame.

        vendor.open [@stage1_npu, @stage3_npu]
    """

    name = "vendor.open"

    stages = prop_def(ArrayAttr)

    traits = traits_def(StateEffects("artefacts"))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$stages attr-dict"


VENDOR = Dialect("vendor", [RunOp, OpenOp])
