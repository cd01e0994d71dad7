"""Properties of a program before the first pass that `--interpret-each` relies on: functions, floats, memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from xdsl.dialects import arith, bufferization, math, memref, tensor
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir import Operation

from ...dialects.core.kernel import is_kernel, is_shaped, kernel_of
from ...dialects.core.nesting import nested_ops
from ...dialects.core.ports import symbol_in
from ...dialects.core.semantics import SCALAR_RULES
from ...errors import Diagnostic, did_you_mean
from ...ir import shape_of
from .answers import Exactness

NETWORK = "network"
_OPTION = "--interpret-function"

_SCALAR_DIALECTS = frozenset("builtin func arith math scf cf memref tensor bufferization affine index ub emitc".split())
"""Dialects of programs that run op by op on few numbers."""

_RANGED_DIALECTS = frozenset(("nn", "quant"))
"""Dialects whose scalar ops compute on the ranges of a network's integers, and may overflow at the ends of types."""

_EXACT_MATH = (
    *(math.AbsFOp, math.AbsIOp, math.CeilOp, math.FloorOp, math.TruncOp, math.RoundOp, math.RoundEvenOp),
    *(math.SqrtOp, math.CopySignOp, math.CountLeadingZerosOp, math.CountTrailingZerosOp, math.CtPopOp, math.IPowIOp),
)
"""Ops of math whose result IEEE 754 or MLIR defines to the bit; the others are approximations."""

_ALLOCATIONS = (memref.AllocOp, memref.AllocaOp, memref.DeallocOp, tensor.EmptyOp, bufferization.AllocTensorOp)


def chosen_functions(module: ModuleOp, names: Sequence[str]) -> tuple[str, ...]:
    """
    Return the functions to run: those named, else `network`, else the only public one.

    Raises Diagnostic where there is no such function, or the choice is open.
    """
    bodies = {str(symbol): op for op, symbol in _functions(module)}
    if names:
        for name in names:
            if symbol_in(module, name) not in bodies:
                raise _unknown(name, list(bodies))
        return tuple(dict.fromkeys(names))
    if symbol_in(module, NETWORK) in bodies:
        return (NETWORK,)
    public = [name for name, op in bodies.items() if not _is_private(op)]
    if len(public) == 1:
        return (public[0],)
    shown = ", ".join(f"@{name}" for name in public)
    raise Diagnostic(
        "the function to run is not known" if public else "the module has no public function to run",
        expected=f"a function @{NETWORK}, or one public function alone",
        found=shown or "no public function with a body",
        remedy=f"name it with {_OPTION}=NAME, repeatable" if bodies else "give a module with a function",
    )


def _unknown(name: str, names: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        f"the module has no function '{name}' with a body",
        expected=", ".join(names) or "a function",
        found=name,
        remedy=did_you_mean(name, names) or f"name another one with {_OPTION}",
    )


def _functions(module: ModuleOp) -> Iterator[tuple[Operation, str]]:
    """Yield the functions of a module that have a body, with their symbols."""
    for op in module.body.block.ops:
        name = op.properties.get("sym_name")
        is_function = isinstance(op.properties.get("function_type"), FunctionType)
        if is_function and isinstance(name, StringAttr) and op.regions and op.regions[0].blocks:
            yield op, name.data


def _is_private(op: Operation) -> bool:
    specifiers: Any = op.properties.get("specifiers")
    is_static = specifiers is not None and StringAttr("static") in specifiers.data
    return is_static or op.properties.get("sym_visibility") == StringAttr("private")


def is_scalar(module: ModuleOp) -> bool:
    """
    Return whether a program consists of scalar ops, control flow, memory and elementwise kernels of linalg.

    An op of any dialect with elementwise semantics is one, those of a plug-in's too.
    """
    return all(_is_scalar(op) for op in nested_ops(module))


def _is_scalar(op: Operation) -> bool:
    dialect = op.name.partition(".")[0]
    if dialect == "linalg":
        return op.name in ("linalg.yield", "linalg.fill") or _is_elementwise(op)
    return dialect in _SCALAR_DIALECTS or (type(op) in SCALAR_RULES and dialect not in _RANGED_DIALECTS)


def _is_elementwise(op: Operation) -> bool:
    is_open = any(extent < 0 for value in op.operands if is_shaped(value) for extent in shape_of(value))
    if isinstance(op, GenericOp) and is_open:
        return all(kind.data is IteratorType.PARALLEL for kind in op.iterator_types)
    return is_kernel(op) and not is_open and not kernel_of(op).reduced


def exactness_of(module: ModuleOp) -> Exactness:
    """Return the freedom of a program's floats: flags of fast math, approximated functions, kernels."""
    ops = list(nested_ops(module))
    if has_fast_math(module):
        return Exactness(exact=False, zeros=False, specials=False)
    is_exact = is_scalar(module) and not any(_is_approximated(op) for op in ops)
    # The sign of the zero that minnumf and maxnumf return of two is open.
    is_open = any(isinstance(op, arith.MinnumfOp | arith.MaxnumfOp) for op in ops)
    return Exactness(is_exact, zeros=not is_open)


def _is_approximated(op: Operation) -> bool:
    is_function = op.name.startswith("math.") and not isinstance(op, _EXACT_MATH)
    return is_function or op.name == "emitc.call_opaque"


def has_fast_math(module: ModuleOp) -> bool:
    """Return whether an op of a program has flags of fast math."""
    flags = (op.properties.get("fastmath") for op in nested_ops(module))
    return any(isinstance(flag, FastMathFlagsAttr) and flag.data for flag in flags)


def has_uninitialised_memory(module: ModuleOp) -> bool:
    """Return whether a program has memory, a tensor or an output that begins without values."""
    return any(
        isinstance(op, _ALLOCATIONS)
        or isinstance(op.properties.get("initial_value"), UnitAttr)
        or "tilewright.output" in str(op.properties.get("arg_attrs", ""))
        for op in nested_ops(module)
    )
