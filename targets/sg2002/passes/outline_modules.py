"""The pass `outline-modules`: modules of a decoder become functions of an engine."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint

from ....dialects.paged.ops import step_tokens
from ....errors import Diagnostic, did_you_mean
from ....ir import FreshNames, functions, symbol_names
from ....passes.core.base import Pass
from ....passes.map_engines import ATTRIBUTE as ENGINE
from ...hmp.passes.outline_stages import outline_ops
from ..modules import KINDS, DecoderModule, constant_ops, modules_of

MODULE = "sg2002.module"
"""Attribute of the function of a module: its name, the same in the functions for a token and for a prompt."""


def outline_modules(module: ModuleOp, function: FuncOp, kinds: Collection[str], engine: str) -> None:
    """
    Make a function of each module of some kinds, and call it where its operands are computed.

    Constants are copied into the functions that use them.
    """
    names = FreshNames(symbol_names(module.body.block))
    chosen = [part for part in modules_of(function) if part.kind in kinds]
    constants = constant_ops(function)
    for part in chosen:
        _outline(function, part, names.take(f"{function.sym_name.data}_{part.name}"), engine, constants)
    for op in reversed(list(constants)):
        if not any(result.uses for result in op.results):
            op.detach()
            op.erase()


def _outline(function: FuncOp, part: DecoderModule, name: str, engine: str, constants: Collection[Operation]) -> None:
    place = _insertion_point(function.body.block, part.ops, constants)
    outlined = outline_ops(function, part.ops, name, place, lambda op: op in constants)
    outlined.attributes[ENGINE] = StringAttr(engine)
    outlined.attributes[MODULE] = StringAttr(part.name)


def _insertion_point(block: Block, ops: Sequence[Operation], constants: Collection[Operation]) -> InsertPoint:
    """Return the earliest point at which all operands of ops are computed."""
    inside = set(ops)
    owners = {value.owner for op in ops for value in op.operands}
    outer = [op for op in owners if isinstance(op, Operation) and op not in inside and op not in constants]
    order = {op: number for number, op in enumerate(block.ops)}
    return InsertPoint.after(max(outer, key=order.__getitem__)) if outer else InsertPoint.at_start(block)


@dataclass(frozen=True)
class OutlineModulesPass(Pass):
    """
    Outline modules of a decoder on a paged store as functions that an engine runs.

    `modules` are kinds, joined by +: embed (tables, and what depends on the position alone), qkv (norm, projections and
    rotation of a layer), ffn (what is behind its attention), head. Without any, and in functions without a step of a
    paged store, nothing changes. Attention stays where it is. Run it at the graph level.
    """

    name = "outline-modules"

    modules: str = ""
    engine: str = "tpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kinds = kinds_of(self.modules)
        for function in functions(op) if kinds else ():
            if step_tokens(function):
                outline_modules(op, function, kinds, self.engine)


def kinds_of(text: str) -> list[str]:
    """Return kinds of modules from a text such as `qkv+ffn`. Raises Diagnostic for an unknown one."""
    kinds = text.split("+") if text else []
    for kind in kinds:
        if kind not in KINDS:
            raise Diagnostic(
                f"a decoder has no modules '{kind}'",
                expected=" or ".join(KINDS) + ", joined by +",
                found=text,
                remedy=did_you_mean(kind, KINDS) or "outline-modules{modules=qkv+ffn}",
            )
    return kinds
