"""
Upstream's `scf`: xDSL's with loops whose iterations are independent, `scf.forall`.

    %r = scf.forall (%i) in (8) shared_outs(%o = %init) -> (tensor<8x4xf32>) {
      %t = tensor.extract_slice %a[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %t into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
      }
    }

Syntax and meaning are upstream's: https://mlir.llvm.org/docs/Dialects/SCFDialect/.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, DenseArrayBase, IndexType, TensorType, i64
from xdsl.dialects.scf import Scf
from xdsl.dialects.utils.dynamic_index_list import (
    parse_dynamic_index_list_without_types,
    print_dynamic_index_list,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
    NoTerminator,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException

from ..errors import Diagnostic
from ..ir import Array, numbers_of, where
from .core.extended import extended
from .core.semantics import Runner, Value, semantics
from .core.slices import mixed, window


@irdl_op_definition
class InParallelOp(IRDLOperation):
    """
    The end of an iteration of `scf.forall`: the slices that it writes to the shared outputs.

        scf.forall (%i) in (8) {
          memref.store %v, %m[%i] : memref<8xf32>
          scf.forall.in_parallel {
          }
        }
    """

    name = "scf.forall.in_parallel"
    region = region_def("single_block")
    traits = lazy_traits_def(lambda: (IsTerminator(), NoTerminator(), HasParent(ForallOp), RecursiveMemoryEffect()))

    def __init__(self) -> None:
        super().__init__(regions=[Region(Block())])

    def verify_(self) -> None:
        other = next((op.name for op in self.region.block.ops if op.name != "tensor.parallel_insert_slice"), None)
        if other is not None:
            raise VerifyException(f"expected tensor.parallel_insert_slice alone, found '{other}'")

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        region = parser.parse_region()
        if not region.blocks:
            region.add_block(Block())
        return cls.create(regions=[region], attributes=parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_region(self.region)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class ForallOp(IRDLOperation):
    """
    Independent iterations over a box of indices, which may run at once.

        %r = scf.forall (%i, %j) = (0, 0) to (8, %n) step (1, 2) shared_outs(%o = %init) -> (tensor<8x16xf32>) {
          %t = tensor.extract_slice %a[%i, %j] [1, 2] [1, 1] : tensor<8x16xf32> to tensor<1x2xf32>
          scf.forall.in_parallel {
            tensor.parallel_insert_slice %t into %o[%i, %j] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<8x16xf32>
          }
        }

    Every iteration reads of a shared output what it was before the loop.
    """

    name = "scf.forall"
    dynamicLowerBound = var_operand_def(IndexType())
    dynamicUpperBound = var_operand_def(IndexType())
    dynamicStep = var_operand_def(IndexType())
    outputs = var_operand_def(TensorType)
    staticLowerBound = prop_def(DenseArrayBase.constr(i64))
    staticUpperBound = prop_def(DenseArrayBase.constr(i64))
    staticStep = prop_def(DenseArrayBase.constr(i64))
    mapping = opt_prop_def(base(ArrayAttr))
    res = var_result_def(TensorType)
    region = region_def("single_block")
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(RecursiveMemoryEffect())

    def verify_(self) -> None:
        bounds = [numbers_of(numbers) for numbers in (self.staticLowerBound, self.staticUpperBound, self.staticStep)]
        dynamic = (self.dynamicLowerBound, self.dynamicUpperBound, self.dynamicStep)
        rank = len(bounds[0])
        if any(len(numbers) != rank for numbers in bounds):
            raise VerifyException("expected as many lower and upper bounds and steps as loops")
        if any(numbers.count(DYNAMIC_INDEX) != len(values) for numbers, values in zip(bounds, dynamic, strict=True)):
            raise VerifyException("expected an operand for each dynamic bound and step")
        if any(step <= 0 and step != DYNAMIC_INDEX for step in bounds[2]):
            raise VerifyException("expected positive steps")
        if list(self.res.types) != list(self.outputs.types):
            raise VerifyException("expected results of the types of the shared outputs")
        expected = [*[IndexType()] * rank, *self.outputs.types]
        if [arg.type for arg in self.region.block.args] != expected:
            raise VerifyException("the region must take an index for each loop and the shared outputs")
        if self.mapping is not None and len(self.mapping) != rank:
            raise VerifyException("expected a mapping for each loop")
        if not isinstance(self.region.block.last_op, InParallelOp):
            raise VerifyException("the region must end with scf.forall.in_parallel")
        shared = self.region.block.args[rank:]
        for op in self.written:
            if op.dest not in shared:
                raise VerifyException("only shared outputs may be written in parallel")

    @property
    def written(self) -> Sequence[Any]:
        """The insertions at the end of an iteration."""
        end = self.region.block.last_op
        return list(end.region.block.ops) if isinstance(end, InParallelOp) else []

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        variables = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False).resolve(IndexType())
        )
        lower: _Mixed = ([], [0] * len(variables))
        step: _Mixed = ([], [1] * len(variables))
        if parser.parse_optional_keyword("in") is not None:
            upper = _parse_mixed(parser)
        else:
            parser.parse_punctuation("=")
            lower = _parse_mixed(parser)
            parser.parse_keyword("to")
            upper = _parse_mixed(parser)
            parser.parse_keyword("step")
            step = _parse_mixed(parser)
        arguments: list[Parser.Argument] = []
        outputs: Sequence[SSAValue] = ()
        types: Sequence[Attribute] = ()
        if parser.parse_optional_keyword("shared_outs") is not None:
            start = parser.pos
            pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _parse_assignment(parser))
            parser.parse_punctuation("->")
            types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            outputs = parser.resolve_operands([value for _, value in pairs], types, start)
            arguments = [name.resolve(type) for (name, _), type in zip(pairs, types, strict=True)]
        region = parser.parse_region([*variables, *arguments])
        if not region.blocks:
            region.add_block(Block(arg_types=[argument.type for argument in (*variables, *arguments)]))
        attributes = dict(parser.parse_optional_attr_dict())
        mapping = {"mapping": attributes.pop("mapping")} if "mapping" in attributes else {}
        static = (lower[1], upper[1], step[1])
        names = ("staticLowerBound", "staticUpperBound", "staticStep")
        numbers = {name: DenseArrayBase.from_list(i64, values) for name, values in zip(names, static, strict=True)}
        if not isinstance(region.block.last_op, InParallelOp):
            region.block.add_op(InParallelOp())
        return cls.build(
            operands=[lower[0], upper[0], step[0], outputs],
            result_types=[types],
            properties=numbers | mapping,
            regions=[region],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        rank = len(numbers_of(self.staticUpperBound))
        arguments = self.region.block.args
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(arguments[:rank], printer.print_ssa_value)
        is_normal = not any(numbers_of(self.staticLowerBound)) and set(numbers_of(self.staticStep)) <= {1}
        if is_normal:
            printer.print_string(" in ")
            _print_mixed(printer, self.dynamicUpperBound, self.staticUpperBound)
        else:
            printer.print_string(" = ")
            _print_mixed(printer, self.dynamicLowerBound, self.staticLowerBound)
            printer.print_string(" to ")
            _print_mixed(printer, self.dynamicUpperBound, self.staticUpperBound)
            printer.print_string(" step ")
            _print_mixed(printer, self.dynamicStep, self.staticStep)
        if self.outputs:
            printer.print_string(" shared_outs")
            with printer.in_parens():
                printer.print_list(
                    list(zip(arguments[rank:], self.outputs, strict=True)), lambda pair: _print_pair(printer, pair)
                )
            printer.print_string(" -> ")
            with printer.in_parens():
                printer.print_list(self.res.types, printer.print_attribute)
        printer.print_string(" ")
        end = self.region.block.last_op
        is_plain = end is not None and not end.attributes and not self.written
        printer.print_region(self.region, print_entry_block_args=False, print_block_terminators=not is_plain)
        mapping = {"mapping": self.mapping} if self.mapping is not None else {}
        printer.print_op_attributes(mapping | self.attributes)


_Mixed = tuple[Sequence[SSAValue], Sequence[int]]


def _parse_mixed(parser: Parser) -> _Mixed:
    names, numbers = parse_dynamic_index_list_without_types(parser, DYNAMIC_INDEX, delimiter=parser.Delimiter.PAREN)
    return [parser.resolve_operand(name, IndexType()) for name in names], numbers


def _print_mixed(printer: Printer, values: Sequence[SSAValue], numbers: DenseArrayBase[Any]) -> None:
    print_dynamic_index_list(printer, DYNAMIC_INDEX, values, numbers_of(numbers), delimiter=Parser.Delimiter.PAREN)


def _parse_assignment(parser: Parser) -> tuple[Parser.UnresolvedArgument, Any]:
    argument = parser.parse_argument(expect_type=False)
    parser.parse_punctuation("=")
    return argument, parser.parse_unresolved_operand()


def _print_pair(printer: Printer, pair: tuple[SSAValue, SSAValue]) -> None:
    printer.print_ssa_value(pair[0])
    printer.print_string(" = ")
    printer.print_ssa_value(pair[1])


@semantics(ForallOp)
def _forall(runner: Runner, op: ForallOp, operands: Sequence[Value]) -> list[Array]:
    rest = list(operands)
    spans: list[list[int]] = []
    for static, dynamic in (
        (op.staticLowerBound, op.dynamicLowerBound),
        (op.staticUpperBound, op.dynamicUpperBound),
        (op.staticStep, op.dynamicStep),
    ):
        spans.append(mixed(static, rest[: len(dynamic)]))
        rest = rest[len(dynamic) :]
    if min(spans[2], default=1) < 1:
        raise Diagnostic("a step of 'scf.forall' is not positive", where(op), found=str(spans[2]))
    results = [np.array(output) for output in rest]
    arguments = op.region.block.args[len(spans[0]) :]
    ranges = [range(*span) for span in zip(*spans, strict=True)]
    for point in product(*ranges):
        runner.spend(op)
        runner.run_region(op.region, [*(np.int64(index) for index in point), *rest])
        for insertion in op.written:
            result = results[list(arguments).index(insertion.dest)]
            dynamic = [runner.value(value) for value in (*insertion.offsets, *insertion.sizes, *insertion.strides)]
            slices, sizes = window(insertion, result.shape, dynamic)
            result[slices] = runner.value(insertion.source).reshape(sizes)
    return results


SCF = extended(Scf, [ForallOp, InParallelOp])
