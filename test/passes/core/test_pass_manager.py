from __future__ import annotations

from dataclasses import dataclass

import pytest
from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.errors import Diagnostic
from tilewright.passes.core.manager import Observer, PassManager, PassPosition
from tilewright.passes.core.pipeline import Pipeline, PipelineStep

pytestmark = pytest.mark.quick

TEXT = """
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  func.return %0 : i32
}
func.func private @declared()
func.func @g(%a: i32) -> i32 {
  %0 = arith.subi %a, %a : i32
  func.return %0 : i32
}
"""


@dataclass(frozen=True)
class CountPass(ModulePass):
    """Notes in each function how many functions the pass saw with it."""

    name = "count"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [each for each in op.ops if isinstance(each, func.FuncOp)]
        for each in functions:
            each.attributes["seen"] = arith.ConstantOp.from_int_and_width(len(functions), 32).value


@dataclass(frozen=True)
class SplitPass(ModulePass):
    """Puts an empty function before the first."""

    name = "split"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        first = op.body.block.first_op
        assert isinstance(first, func.FuncOp)
        op.body.block.insert_op_before(func.FuncOp.external(f"{first.sym_name.data}_0", [], []), first)


@dataclass(frozen=True)
class BreakPass(ModulePass):
    """Breaks in the way that is asked for."""

    name = "break"

    how: str = "diagnostic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        body = next(each for each in op.walk() if isinstance(each, arith.AddiOp))
        if self.how == "xdsl":
            body.emit_error("no", PassFailedException("cannot do this"))
        if self.how == "internal":
            raise KeyError("gone")
        if self.how == "missing":
            raise NotImplementedError("not written")
        if self.how == "interrupt":
            raise KeyboardInterrupt
        raise Diagnostic("cannot do that", where='node "N"')


class Log(Observer):
    def __init__(self, name: str, log: list[str]):
        self.name, self.log = name, log

    def before_pipeline(self, pipeline: Pipeline, module: ModuleOp) -> None:
        self.log.append(f"{self.name} pipeline")

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self.log.append(f"{self.name} before {place.stage}")

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self.log.append(f"{self.name} after {place.step.name}")

    def after_failure(self, place: PassPosition, module: ModuleOp, error: Diagnostic) -> None:
        self.log.append(f"{self.name} failure {error.stage}")


def run(*steps: PipelineStep, observers: list[Observer] | None = None, verify_each: bool = True) -> ModuleOp:
    context = new_context()
    module = parse_module(context, TEXT, "t.mlir")
    PassManager(observers or [], verify_each).run(module, Pipeline(steps), context)
    return module


def names(module: ModuleOp) -> list[str]:
    return [each.sym_name.data for each in module.ops if isinstance(each, func.FuncOp)]


def test_an_anchored_pass_sees_one_function_at_a_time():
    assert print_ir(run(PipelineStep("count", CountPass(), ("func.func",)))).count("seen = 1 : i32") == 3
    assert print_ir(run(PipelineStep("count", CountPass()))).count("seen = 3 : i32") == 3


def test_an_anchored_pass_leaves_the_order():
    assert names(run(PipelineStep("count", CountPass(), ("func.func",)))) == ["f", "declared", "g"]


def test_what_an_anchored_pass_adds_stays_beside_the_function():
    module = run(PipelineStep("split", SplitPass(), ("func.func",)))
    assert names(module) == ["f_0", "f", "declared_0", "declared", "g_0", "g"]


def test_observers_are_nested():
    log: list[str] = []
    run(PipelineStep("count", CountPass()), observers=[Log("a", log), Log("b", log)])
    stage = "count, pass 1 of 1"
    assert log == [
        "a pipeline",
        "b pipeline",
        f"a before {stage}",
        f"b before {stage}",
        "b after count",
        "a after count",
    ]


@pytest.mark.parametrize(
    ("how", "where", "message"),
    [
        ("diagnostic", 'node "N"', "cannot do that"),
        ("xdsl", "t.mlir:3:3", "cannot do this"),
        ("internal", "", "internal error in pass 'break': KeyError: 'gone'"),
        ("missing", "", "internal error in pass 'break': NotImplementedError: not written"),
    ],
)
def test_failures_become_diagnostics(how: str, where: str, message: str):
    log: list[str] = []
    with pytest.raises(Diagnostic) as caught:
        run(PipelineStep("count", CountPass()), PipelineStep("break", BreakPass(how)), observers=[Log("a", log)])
    assert (caught.value.where, caught.value.message) == (where, message)
    assert caught.value.stage == "break, pass 2 of 2"
    assert log[-1] == "a failure break, pass 2 of 2"


@dataclass(frozen=True)
class InvalidatePass(ModulePass):
    """Let a sum have a result of another type."""

    name = "invalidate"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        total = next(inner for inner in op.walk() if isinstance(inner, arith.AddiOp))
        Rewriter.replace_value_with_new_type(total.result, i64)


def test_all_passes_of_a_phase_are_named_where_its_end_does_not_verify():
    names = [("count", CountPass()), ("invalidate", InvalidatePass()), ("count", CountPass())]
    steps = [PipelineStep("count", CountPass(), phase="first")]
    steps += [PipelineStep(name, step, phase="second") for name, step in names]
    manager = PassManager(verify_each=False, verify_phases=True)
    with pytest.raises(Diagnostic) as caught:
        manager.run(parse_module(new_context(), TEXT), Pipeline(tuple(steps)), new_context())
    assert caught.value.stage == "second, passes 2 to 4 of 4"
    assert any("after one of count, invalidate, count" in note for note in caught.value.notes)
    with pytest.raises(Diagnostic) as caught:
        PassManager().run(parse_module(new_context(), TEXT), Pipeline(tuple(steps)), new_context())
    assert caught.value.stage == "invalidate, pass 3 of 4"


def test_a_function_is_put_back_when_its_pass_fails():
    context = new_context()
    module = parse_module(context, TEXT)
    with pytest.raises(Diagnostic):
        PassManager().run(module, Pipeline((PipelineStep("break", BreakPass("xdsl"), ("func.func",)),)), context)
    assert names(module) == ["f", "declared", "g"]


def test_an_interrupt_is_no_failure():
    with pytest.raises(KeyboardInterrupt):
        run(PipelineStep("break", BreakPass("interrupt")))


@dataclass(frozen=True)
class DanglePass(ModulePass):
    """Moves the first op behind its use."""

    name = "dangle"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        add = next(each for each in op.walk() if isinstance(each, arith.AddiOp))
        user = add.next_op
        assert user is not None
        user.detach()
        assert add.parent is not None
        add.parent.insert_op_before(user, add)


def test_what_a_pass_makes_is_verified():
    with pytest.raises(Diagnostic, match="does not dominate its use") as caught:
        run(PipelineStep("dangle", DanglePass()))
    assert caught.value.where == "t.mlir:4:3"
    assert caught.value.stage == "dangle, pass 1 of 1"
    run(PipelineStep("dangle", DanglePass()), verify_each=False)
