"""
C as IR, with upstream MLIR's names and syntax; see https://mlir.llvm.org/docs/Dialects/EmitC/.

xDSL 0.74 has the types and three ops, which are used as they are. The rest of what Tilewright emits is defined here.

An op prints one C operator, so its result type is the C type of that expression: `emitc.add` of two `i8` gives `i32`,
as C promotes, and an `emitc.cast` narrows it. Signless integers are C's signed types (`i32` is `int32_t`), `ui32` is
`uint32_t`, `i1` is `bool`. `int` is taken to have 32 bits, which the runtime header asserts.

These discardable attributes say what the C shows and upstream has no place for:

- on arguments of `emitc.func`: `tilewright.const` (points to what is only read), `tilewright.name` (C identifier),
  `onnx.name`, `tilewright.output`, `tilewright.shape = array<i64: ..>`;
- on `emitc.func`: `tilewright.comment`; on `emitc.global`: `tilewright.alignment` (bytes), `tilewright.shape`.
"""

from __future__ import annotations

from xdsl.dialects.emitc import EmitC, EmitC_AddOp, EmitC_ApplyOp, EmitC_CallOpaqueOp

from ..core.extended import extended
from .control import DoOp, ForOp, IfOp, YieldOp
from .expressions import (
    BitwiseAndOp,
    BitwiseLeftShiftOp,
    BitwiseNotOp,
    BitwiseOrOp,
    BitwiseRightShiftOp,
    BitwiseXorOp,
    CastOp,
    CmpOp,
    ConditionalOp,
    ConstantOp,
    DivOp,
    LiteralOp,
    LogicalAndOp,
    LogicalNotOp,
    LogicalOrOp,
    MulOp,
    RemOp,
    SubOp,
    UnaryMinusOp,
    UnaryPlusOp,
)
from .functions import CallOp, FuncOp, IncludeOp, ReturnOp, VerbatimOp
from .memory import AssignOp, GetGlobalOp, GlobalOp, LoadOp, SubscriptOp, VariableOp

# Those of xDSL.
AddOp = EmitC_AddOp
ApplyOp = EmitC_ApplyOp
CallOpaqueOp = EmitC_CallOpaqueOp

EMITC = extended(
    EmitC,
    [
        AssignOp,
        BitwiseAndOp,
        BitwiseLeftShiftOp,
        BitwiseNotOp,
        BitwiseOrOp,
        BitwiseRightShiftOp,
        BitwiseXorOp,
        CallOp,
        CastOp,
        CmpOp,
        ConditionalOp,
        ConstantOp,
        DivOp,
        DoOp,
        ForOp,
        FuncOp,
        GetGlobalOp,
        GlobalOp,
        IfOp,
        IncludeOp,
        LiteralOp,
        LoadOp,
        LogicalAndOp,
        LogicalNotOp,
        LogicalOrOp,
        MulOp,
        RemOp,
        ReturnOp,
        SubOp,
        SubscriptOp,
        UnaryMinusOp,
        UnaryPlusOp,
        VariableOp,
        VerbatimOp,
        YieldOp,
    ],
)
