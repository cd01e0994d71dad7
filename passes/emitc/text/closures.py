"""Closures in C for parallel kernels: a struct of arguments, an entry for each core, and a fork."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import IntegerAttr

from ....dialects import emitc
from ....errors import Diagnostic
from ....ir import where
from ..names import Names
from .expressions import declaration
from .functions import argument_attributes, argument_names, operands_comment, prototype

FORK = "tilewright.fork"
"""Attribute of a function that is a loop over cores, one iteration each."""
CLAIMED = "tilewright.claimed"
"""Attribute of such a function whose iterations are shares that threads claim."""


def closure_text(function: emitc.FuncOp, names: Names) -> str:
    """
    Return the C definition of a parallel function: argument struct, entry point and fork.

    Core k executes iterations k, k + cores, k + 2 * cores, ... Threads that claim them are given one at a time.
    """
    arguments = argument_names(function, names)
    name, struct = function.sym_name.data, f"{function.sym_name.data}_arguments"
    is_claimed, iterations = CLAIMED in function.attributes, cast("IntegerAttr", function.attributes[FORK]).value.data
    shares = f", {iterations}" if is_claimed else ""
    said = argument_attributes(function)
    types = function.function_type.inputs.data
    fields = [
        f"    {declaration(type_, field, constant='tilewright.const' in attributes)};"
        for type_, field, attributes in zip(types, arguments, said, strict=True)
    ]
    lines = [
        f"struct {struct} {{",
        *fields,
        "};",
        *_entry(function, f"{name}_entry", struct, "".join(f"given->{field}, " for field in arguments)),
        *operands_comment(function, arguments),
        f"{prototype(function, arguments)} {{",
        f"    struct {struct} given = {{{', '.join(arguments)}}};",
        f"    tw_fork({name}_entry, &given{shares});",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _entry(function: emitc.FuncOp, name: str, struct: str, handed: str) -> list[str]:
    """Return the entry point: the iterations of one core, or the share of a number."""
    local = f"    const struct {struct} *const given = from;"
    if CLAIMED in function.attributes:
        call = f"    {_callee(function)}({handed}share);"
        return [f"static void {name}(const void *from, int32_t share) {{", local, call, "}"]
    iterations = cast("IntegerAttr", function.attributes[FORK]).value.data
    return [
        f"static void {name}(void *from) {{",
        local,
        f"    for (uint32_t core = tw_core(); core < {iterations}u; core += tw_cores()) {{",
        f"        {_callee(function)}({handed}(int32_t)core);",
        "    }",
        "}",
    ]


def _callee(function: emitc.FuncOp) -> str:
    """Return the name of the function that the loop calls."""
    loops = [op for op in function.body.block.ops if isinstance(op, emitc.ForOp)]
    calls = [op for loop in loops for op in loop.region.block.ops if isinstance(op, emitc.CallOp)]
    if len(calls) != 1:
        raise Diagnostic("a parallel function must be a loop with a single call", where(function))
    return calls[0].callee.root_reference.data


def threads_text(prefix: str) -> str:
    """Return the C definitions of the functions that govern the threads of a network."""
    return (
        f"void {prefix}_threads(int32_t count) {{\n    tw_threads_limit(count);\n}}\n\n"
        f"void {prefix}_stop(void) {{\n    tw_threads_stop();\n}}\n"
    )
