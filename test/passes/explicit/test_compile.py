"""Compilation of control flow to Python: events in program order, data-dependent values, and programs that block."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Dialect, Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, region_def, traits_def
from xdsl.traits import NoTerminator

from tilewright.dialects.core.effect_traits import Blocks, Programs, Signals
from tilewright.dialects.core.effects import Effects
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.passes.explicit.client import Call, Handler, Program, WalkClient
from tilewright.passes.explicit.compile import compile_function

pytestmark = pytest.mark.quick


@irdl_op_definition
class TakeOp(IRDLOperation):
    """Wait for an item."""

    name = "unit.take"
    assembly_format = "attr-dict"
    traits = traits_def(Blocks())


@irdl_op_definition
class GiveOp(IRDLOperation):
    """Pass an item on."""

    name = "unit.give"
    assembly_format = "attr-dict"
    traits = traits_def(Signals())


@irdl_op_definition
class ConcurrentOp(IRDLOperation):
    """Programs at once."""

    name = "unit.concurrent"
    body = region_def("single_block")
    assembly_format = "$body attr-dict"
    traits = traits_def(Programs(), NoTerminator())


@irdl_op_definition
class ProgramOp(IRDLOperation):
    """One of them."""

    name = "unit.program"
    body = region_def("single_block")
    assembly_format = "$body attr-dict"
    traits = traits_def(NoTerminator())


UNIT = Dialect("unit", [TakeOp, GiveOp, ConcurrentOp, ProgramOp])


class Recorder(WalkClient):
    """Client that records events; a program that takes waits until another one has given."""

    def __init__(self, module: ModuleOp) -> None:
        super().__init__()
        self.steps = []
        self.seen: list[tuple[Any, ...]] = []
        self.items = 0
        self._functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, FuncOp)}

    def refuse(self, op: Operation, message: str, counterexample: str) -> Exception:
        return Diagnostic(message, found=counterexample)

    def access(self, op: Operation, effects: Effects) -> Handler:
        return lambda *operands: self.seen.append((op.name, *operands))

    def call(self, op: CallOp, static: Sequence[int], *, by_data: bool) -> Call:
        callee = compile_function(self._functions[op.callee.string_value()], static, self, by_data=by_data)
        return Call(callee.walk, callee.returned, callee.blocks)

    def signal(self, op: Operation) -> Handler:
        def take() -> Generator[None]:
            while not self.items:
                yield
            self.items -= 1
            self.seen.append(("take",))

        def give() -> None:
            self.items += 1
            self.seen.append(("give",))

        return take if isinstance(op, TakeOp) else give

    def programs(self, op: Operation) -> Handler:
        def run(*programs: Program) -> None:
            running = [program([]) for program in programs]
            while running:
                running = [each for each in running if next(each, running) is not running]

        return run


def recorded(text: str, *values: Any) -> list[tuple[Any, ...]]:
    """The events of the walk of the function @f with these arguments."""
    context = new_context()
    context.load_dialect(UNIT)
    module = parse_module(context, text)
    client = Recorder(module)
    (function,) = [op for op in module.walk() if isinstance(op, FuncOp) and op.sym_name.data == "f"]
    known = [index for index, value in enumerate(values) if value is not None]
    compile_function(function, known, client).walk(*values)
    return client.seen


LOOP = """
func.func @g(%n: index) -> index {
  %c3 = arith.constant 3 : index
  %m = arith.muli %n, %c3 : index
  func.return %m : index
}
func.func @f(%x: memref<8xi8>, %n: index, %d: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = func.call @g(%n) : (index) -> index
  scf.for %i = %c0 to %end step %c1 {
    %at = arith.addi %i, %n : index
    %v = memref.load %x[%at] : memref<8xi8>
    memref.store %v, %x[%d] : memref<8xi8>
  }
  func.return
}
"""


def test_accesses_come_in_program_order_with_their_indices():
    load, store = ("memref.load", "x"), ("memref.store", None, "x", None)
    assert recorded(LOOP, "x", 1, None) == [event for i in range(1, 4) for event in ((*load, i), store)]


def test_control_flow_that_depends_on_data_is_refused_by_a_client_without_branches():
    with pytest.raises(Diagnostic, match=r"'scf\.for'"):
        recorded(LOOP, "x", None, 0)


CONCURRENT = """
func.func @takes(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    unit.take
  }
  func.return
}
func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  unit.concurrent {
    unit.program {
      func.call @takes(%n) : (index) -> ()
    }
    unit.program {
      scf.for %i = %c0 to %n step %c1 {
        unit.give
      }
    }
  }
  func.return
}
"""


def test_a_program_goes_on_once_another_one_allows_its_event():
    assert recorded(CONCURRENT, 2) == [("give",), ("give",), ("take",), ("take",)]
