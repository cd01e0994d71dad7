"""Counting of instructions by calls of kernels: marks around the calls of a network's C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects import emitc
from ...ir import Array, node_names


@dataclass(frozen=True)
class CountedCall:
    """
    Call of a kernel or a transfer in the C of a network: the ONNX nodes and the C function, empty for what is around.

    `first` and `later` are the CPU instructions, or cycles, of all executions of the call in a run of the network, and
    in the same run again, without those of calls within; `calls` is how often it is executed.
    """

    nodes: tuple[str, ...]
    function: str
    first: int = 0
    later: int = 0
    calls: int = 0


def mark_calls(module: ModuleOp, *, outermost: bool = False) -> list[CountedCall]:
    """
    Insert marks around all calls in a module of emitc that implement ONNX nodes; return these, to be counted.

    With `outermost`, these are the calls of the functions that the C declares to others alone, with those of a runtime
    that return nothing, such as waits.
    """
    marked: list[CountedCall] = []
    for op in _outermost(module) if outermost else [op for op in module.walk() if isinstance(op, emitc.CallOp)]:
        if not (nodes := node_names(op)):
            continue
        name = _callee(op)
        marked.append(CountedCall(tuple(nodes), name))
        Rewriter.insert_op(_verbatim(f"tw_count_enter({len(marked)});"), InsertPoint.before(op))
        Rewriter.insert_op(_verbatim("tw_count_leave();"), InsertPoint.after(op))
    return marked


def _outermost(module: ModuleOp) -> list[Operation]:
    """
    Return the calls of functions that are not static, those of a runtime where they return nothing.

    A static function that is called for no node, such as that of a bucket, is part of its caller.
    """
    functions = {op.properties["sym_name"]: op for op in module.body.block.ops if isinstance(op, emitc.FuncOp)}
    pending = [op for op in functions.values() if not op.properties.get("specifiers")]
    outermost: list[Operation] = []
    while pending:
        calls = [op for op in pending.pop().walk() if _is_call(op)]
        parts = {op: functions.get(StringAttr(_callee(op))) for op in calls if not node_names(op)}
        pending += [part for part in dict.fromkeys(parts.values()) if part is not None]
        outermost += [op for op in calls if parts.get(op) is None]
    return outermost


def _is_call(op: Operation) -> bool:
    return isinstance(op, emitc.CallOp) or (isinstance(op, emitc.CallOpaqueOp) and not op.results)


def _callee(op: Operation) -> str:
    """Return the name of the C function that an op calls."""
    return (
        op.callee.root_reference.data
        if isinstance(op, emitc.CallOp)
        else cast("StringAttr", op.properties["callee"]).data
    )


def _verbatim(text: str) -> emitc.VerbatimOp:
    return emitc.VerbatimOp.build(operands=[[]], properties={"value": StringAttr(text)})


def with_counts(calls: Sequence[CountedCall], counts: Array) -> list[CountedCall]:
    """
    Return calls with their counts; the first one is of what no call counts.

    `counts` are [2, calls + 1, 2]: first and later run, the call, and its instructions and executions.
    """
    around = CountedCall((), "", first=int(counts[0, 0, 0]), later=int(counts[1, 0, 0]), calls=1)
    triples = zip(calls, counts[0, 1:], counts[1, 1:], strict=True)
    own = [replace(call, first=int(a[0]), later=int(b[0]), calls=int(a[1])) for call, a, b in triples]
    return [around, *own]
