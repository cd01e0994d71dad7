"""Concurrent programs, which synchronise by streams."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from math import prod
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IndexType, StringAttr, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, base, irdl_op_definition, opt_prop_def, prop_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, NoTerminator, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from ...ir import numbers_of
from ..core.effect_traits import Programs
from ..core.semantics import Runner, Value, semantics


@irdl_op_definition
class ConcurrentOp(IRDLOperation):
    """
    Concurrent programs. The op ends when all of them have.

        %s = hier.stream depth 2 : !hier.stream<memref<64xi8, "L1">>
        hier.concurrent {
          hier.program "produce" on "dma" {
            %t = hier.reserve %s : !hier.stream<memref<64xi8, "L1">>
            memref.copy %x, %t : memref<64xi8> to memref<64xi8, "L1">
            hier.push %s : !hier.stream<memref<64xi8, "L1">>
          }
          hier.program "consume" on "core" {
            %u = hier.pop %s : !hier.stream<memref<64xi8, "L1">>
            memref.copy %u, %y : memref<64xi8, "L1"> to memref<64xi8>
            hier.release %s : !hier.stream<memref<64xi8, "L1">>
          }
        }

    Programs have no order but that of streams. Memory that one of them writes must not be accessed by another one
    without an order between the accesses.
    """

    name = "hier.concurrent"

    body = region_def("single_block")
    assembly_format = "$body attr-dict"
    traits = traits_def(NoTerminator(), Programs())

    def __init__(self, programs: Sequence[Operation]):
        super().__init__(regions=[Region(Block(programs))])

    @property
    def programs(self) -> list[ProgramOp]:
        """The programs, in the order of the IR."""
        return [op for op in self.body.block.ops if isinstance(op, ProgramOp)]

    def verify_(self) -> None:
        others = [op for op in self.body.block.ops if not isinstance(op, ProgramOp)]
        if others or not self.body.block.ops:
            raise VerifyException(f"expected programs, found {others[0].name if others else 'none'}")
        if program_of(self) is not None:
            raise VerifyException("concurrent programs do not nest in a program")
        names = [program.title.data for program in self.programs]
        if len(set(names)) < len(names):
            raise VerifyException(f"expected names that differ, found {', '.join(names)}")
        for one, other in combinations(self.programs, 2):
            if one.engine is not None and one.engine == other.engine and one.overlaps(other):
                titles = " and ".join(f"'{program.title.data}' over {program.range_text()}" for program in (one, other))
                raise VerifyException(f"expected disjoint instances of '{one.engine.data}', found programs {titles}")


@irdl_op_definition
class ProgramOp(IRDLOperation):
    """
    Program of its own, which runs on an engine concurrently with the others around it.

        hier.program "load" on "core" { ... }

    Over the instances of an engine it is replicated: one program for each coordinate, with memory of its own.

        hier.program "node" on "array" over (%h, %p) in [4, 4] { ... }

    A sub-array begins at other coordinates than 0: this one is over h = 2, 3 and p = 0 to 3.

        hier.program "half" on "array" over (%h, %p) in [2, 4] from [2, 0] { ... }
    """

    name = "hier.program"

    title = prop_def(StringAttr)
    engine = opt_prop_def(StringAttr)
    over = opt_prop_def(base(DenseArrayBase))
    start = opt_prop_def(base(DenseArrayBase))
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect(), HasParent(ConcurrentOp))

    def __init__(
        self,
        title: str,
        body: Region,
        engine: str | None = None,
        over: Sequence[int] = (),
        start: Sequence[int] = (),
    ):
        super().__init__(
            properties={
                "title": StringAttr(title),
                "engine": None if engine is None else StringAttr(engine),
                "over": DenseArrayBase.from_list(i64, list(over)) if over else None,
                "start": DenseArrayBase.from_list(i64, list(start)) if any(start) else None,
            },
            regions=[body],
        )

    @property
    def extents(self) -> tuple[int, ...]:
        """The extents of the coordinates; empty for one program."""
        return tuple(numbers_of(self.over)) if self.over is not None else ()

    @property
    def first(self) -> tuple[int, ...]:
        """The coordinates of the first instance."""
        return tuple(numbers_of(self.start)) if self.start is not None else (0,) * len(self.extents)

    @property
    def copies(self) -> int:
        """The number of instances."""
        return prod(self.extents)

    def overlaps(self, other: ProgramOp) -> bool:
        """Return whether some coordinates are those of both programs, each of which is replicated."""
        if not self.extents or len(self.extents) != len(other.extents):
            return False
        ranges = zip(self.first, self.extents, other.first, other.extents, strict=True)
        return all(a < b + m and b < a + n for a, n, b, m in ranges)

    def range_text(self) -> str:
        """Return the range of the coordinates, for messages."""
        return f"{list(self.extents)} from {list(self.first)}"

    @property
    def coordinates(self) -> Sequence[SSAValue]:
        """The coordinates of the instance."""
        return self.body.block.args

    def verify_(self) -> None:
        types = [argument.type for argument in self.body.block.args]
        if types != [IndexType()] * len(self.extents):
            raise VerifyException(f"expected {len(self.extents)} coordinates, found {len(types)} arguments")
        if any(extent < 1 for extent in self.extents):
            raise VerifyException(f"expected extents of 1 or more, found {list(self.extents)}")
        if len(self.first) != len(self.extents) or any(first < 0 for first in self.first):
            raise VerifyException(f"expected {len(self.extents)} first coordinates from 0, found {list(self.first)}")

    @classmethod
    def parse(cls, parser: Parser) -> ProgramOp:
        title = parser.parse_str_literal()
        engine = parser.parse_str_literal() if parser.parse_optional_keyword("on") else None
        names: Sequence[Parser.UnresolvedArgument] = ()
        over: Sequence[int] = ()
        start: Sequence[int] = ()
        if parser.parse_optional_keyword("over"):
            names = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
            )
            parser.parse_keyword("in")
            over = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
            if parser.parse_optional_keyword("from"):
                start = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        region = parser.parse_region([name.resolve(IndexType()) for name in names])
        op = cls(title, region, engine, over, start)
        op.attributes |= attributes.data if attributes else {}
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.title.data)
        if self.engine is not None:
            printer.print_string(" on ")
            printer.print_string_literal(self.engine.data)
        if self.extents:
            printer.print_string(" over ")
            with printer.in_parens():
                printer.print_list(self.coordinates, printer.print_ssa_value)
            printer.print_string(f" in [{', '.join(map(str, self.extents))}]")
        if self.start is not None:
            printer.print_string(f" from [{', '.join(map(str, self.first))}]")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)


def program_of(op: Operation) -> ProgramOp | None:
    """Return the program around an op, None outside of programs."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, ProgramOp):
        parent = parent.parent_op()
    return parent


# Semantics


@semantics(ConcurrentOp)
def _run(runner: Runner, op: ConcurrentOp, operands: Sequence[Value]) -> list[Value]:
    bodies = [(name, _body(runner, program, point)) for program, name, point in instances_of(op)]
    runner.interleaving.run(bodies, op)
    return []


Instance: TypeAlias = tuple[ProgramOp, str, tuple[int, ...]]
"""Instance of a program, with its name and coordinates."""


def instances_of(op: ConcurrentOp) -> list[Instance]:
    """Return the instances of all programs."""
    instances: list[Instance] = []
    for program in op.programs:
        ranges = zip(program.first, program.extents, strict=True)
        for point in product(*(range(first, first + extent) for first, extent in ranges)):
            suffix = f"[{', '.join(map(str, point))}]" if point else ""
            instances.append((program, f"{program.title.data}{suffix}", point))
    return instances


def _body(runner: Runner, program: ProgramOp, point: tuple[int, ...]) -> Callable[[], object]:
    forked = runner.fork()
    return lambda: forked.run_region(program.body, [np.int64(index) for index in point])
