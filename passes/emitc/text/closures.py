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


def closure_text(function: emitc.FuncOp, names: Names) -> str:
    """
    Return the C definition of a parallel function: argument struct, entry point and fork.

    Core k executes iterations k, k + cores, k + 2 * cores, ...
    """
    arguments = argument_names(function, names)
    name, struct = function.sym_name.data, f"{function.sym_name.data}_arguments"
    turns = cast("IntegerAttr", function.attributes[FORK]).value.data
    said = argument_attributes(function)
    types = function.function_type.inputs.data
    fields = [
        f"    {declaration(type_, field, constant='tilewright.const' in given)};"
        for type_, field, given in zip(types, arguments, said, strict=True)
    ]
    handed = "".join(f"given->{field}, " for field in arguments)
    lines = [
        f"struct {struct} {{",
        *fields,
        "};",
        f"static void {name}_entry(void *from) {{",
        f"    const struct {struct} *const given = from;",
        f"    for (uint32_t core = tw_core(); core < {turns}u; core += tw_cores()) {{",
        f"        {_callee(function)}({handed}(int32_t)core);",
        "    }",
        "}",
        *operands_comment(function, arguments),
        f"{prototype(function, arguments)} {{",
        f"    struct {struct} given = {{{', '.join(arguments)}}};",
        f"    tw_fork({name}_entry, &given);",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _callee(function: emitc.FuncOp) -> str:
    """Return the name of the function that the loop calls."""
    loops = [op for op in function.body.block.ops if isinstance(op, emitc.ForOp)]
    calls = [op for loop in loops for op in loop.region.block.ops if isinstance(op, emitc.CallOp)]
    if len(calls) != 1:
        raise Diagnostic("a parallel function must be a loop with a single call", where(function))
    return calls[0].callee.root_reference.data
