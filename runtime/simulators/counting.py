"""Counting of instructions by calls of kernels: marks around the calls of a network's C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects import emitc
from ...ir import Array, node_names


@dataclass(frozen=True)
class CountedCall:
    """
    Call of a kernel or a transfer in the C of a network: the ONNX nodes and the C function, empty for what is around.

    `first` and `later` are the CPU instructions of all executions of the call in a run of the network, and in the same
    run again, without those of calls within; `calls` is how often it is executed.
    """

    nodes: tuple[str, ...]
    function: str
    first: int = 0
    later: int = 0
    calls: int = 0


def mark_calls(module: ModuleOp) -> list[CountedCall]:
    """Insert marks around all calls in a module of emitc that implement ONNX nodes; return these, to be counted."""
    found: list[CountedCall] = []
    for op in list(module.walk()):
        if not isinstance(op, emitc.CallOp) or not (nodes := node_names(op)):
            continue
        name = op.callee.root_reference.data
        found.append(CountedCall(tuple(nodes), name))
        Rewriter.insert_op(_verbatim(f"tw_count_enter({len(found)});"), InsertPoint.before(op))
        Rewriter.insert_op(_verbatim("tw_count_leave();"), InsertPoint.after(op))
    return found


def _verbatim(text: str) -> emitc.VerbatimOp:
    return emitc.VerbatimOp.build(operands=[[]], properties={"value": StringAttr(text)})


def with_counts(calls: Sequence[CountedCall], counts: Array) -> list[CountedCall]:
    """
    Return calls with their counts; the first one is of what no call counts.

    `counts` are [2, calls + 1, 2]: first and later run, the call, and its instructions and executions.
    """
    around = CountedCall((), "", first=int(counts[0, 0, 0]), later=int(counts[1, 0, 0]), calls=1)
    each = zip(calls, counts[0, 1:], counts[1, 1:], strict=True)
    own = [replace(call, first=int(a[0]), later=int(b[0]), calls=int(a[1])) for call, a, b in each]
    return [around, *own]
