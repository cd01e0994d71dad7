"""Precondition of passes on buffers."""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation

from ...errors import Diagnostic
from ...ir import where


def refuse_tensors(op: Operation) -> None:
    """Raise Diagnostic for an op on tensors."""
    if any(isinstance(value.type, TensorType) for value in (*op.operands, *op.results)):
        raise Diagnostic(
            f"'{op.name}' works on tensors; it needs buffers",
            where=where(op),
            expected="operands of type memref",
            remedy="run bufferize first",
        )
