"""Memory effects of ops: declared ones, those of regions, calls, kernels and transfers, and unknown ones."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Operation, SSAValue
from xdsl.traits import EffectInstance, MemoryEffectKind

from tilewright.dialects.core.effect_traits import State
from tilewright.dialects.core.effects import EffectAnalysis, Effects, effects_of, is_pure, is_speculatable, root_of
from tilewright.dialects.core.syntax.text import new_context, parse_module

pytestmark = pytest.mark.quick

MOVES = """
func.func private @external(memref<4xf32>)
func.func private @stores(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c = arith.constant 0 : index
  %own = memref.alloca() : memref<4xf32>
  %part = memref.subview %y[0] [2] [1] : memref<4xf32> to memref<2xf32>
  %v = memref.load %x[%c] : memref<4xf32>
  scf.for %i = %c to %c step %c {
    memref.store %v, %own[%i] : memref<4xf32>
    memref.store %v, %part[%i] : memref<2xf32>
  }
  func.return
}
func.func private @stores_on(%x: memref<4xf32>, %y: memref<4xf32>, %core: index) {
  func.call @stores(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
"memref.global"() <{sym_name = "state", type = memref<4xf32>, initial_value, sym_visibility = "private"}> : () -> ()
func.func private @keeps(%x: memref<4xf32>) {
  %s = memref.get_global @state : memref<4xf32>
  "memref.copy"(%x, %s) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
func.func private @makes() -> memref<4xf32> {
  %m = memref.alloc() : memref<4xf32>
  func.return %m : memref<4xf32>
}
func.func private @computes(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  func.return %y : f32
}
func.func private @recurs(%x: memref<4xf32>) {
  func.call @recurs(%x) : (memref<4xf32>) -> ()
  func.return
}
func.func private @chooses(%c: i1, %x: memref<4xf32>, %y: memref<4xf32>) {
  %m = arith.select %c, %x, %y : memref<4xf32>
  "memref.copy"(%x, %m) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
func.func @f(%c: i1, %a: memref<4xf32>, %b: memref<4xf32>, %f: f32) {
  BODY
  func.return
}
"""


def parsed(text: str) -> list[Operation]:
    """The ops of @f before its return, with the function's arguments as `%a` and so on."""
    module = parse_module(new_context(allow_unregistered=True), MOVES.replace("BODY", text))
    module.verify()
    (function,) = [op for op in module.body.block.ops if getattr(op, "sym_name", None) and op.sym_name.data == "f"]  # pyright: ignore
    return list(function.regions[0].block.ops)[:-1]


def effects(text: str) -> tuple[Effects, list[str], list[str]]:
    """The effects of the last op, and the buffers that it reads and writes by their names."""
    found = effects_of(parsed(text)[-1])
    return found, [_name(each) for each in found.reads], [_name(each) for each in found.writes]


def _name(value: SSAValue) -> str:
    return value.name_hint or "?"


@pytest.mark.parametrize(
    ("text", "reads", "writes"),
    [
        ("%i = arith.constant 0 : index %v = memref.load %a[%i] : memref<4xf32>", ["a"], []),
        ("%i = arith.constant 0 : index memref.store %f, %b[%i] : memref<4xf32>", [], ["b"]),
        ('"memref.copy"(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()', ["a"], ["b"]),
        ("%t = bufferization.to_tensor %a : memref<4xf32> to tensor<4xf32>", ["a"], []),
        ("linalg.fill ins(%f : f32) outs(%b : memref<4xf32>)", [], ["b"]),
        ("linalg.add ins(%a, %a : memref<4xf32>, memref<4xf32>) outs(%b : memref<4xf32>)", ["a"], ["b"]),
        (
            "nn.softmax ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {element = f32, accumulator = f32}",
            ["a"],
            ["b"],
        ),
        ('scf.if %c { "memref.copy"(%a, %b) : (memref<4xf32>, memref<4xf32>) -> () }', ["a"], ["b"]),
        ("func.call @stores(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()", ["a"], ["b"]),
        ("func.call @computes(%f) : (f32) -> f32", [], []),
        ("hier.fork @stores_on(%a, %b) {cores = 8 : i64} : memref<4xf32>, memref<4xf32>", ["a"], ["b"]),
        (
            "%i = arith.constant 0 : index %t = hier.dma_start %a[%i] to %b : memref<4xf32>, memref<4xf32>"
            " hier.dma_wait %t",
            ["a"],
            ["b"],
        ),
        (
            "%i = arith.constant 0 : index %t = hier.dma_start %a[%i] from %b : memref<4xf32>, memref<4xf32>"
            " hier.dma_wait %t",
            ["b"],
            ["a"],
        ),
        ("%t = hier.dma_none hier.dma_wait %t", [], []),
        (
            '%t = hier.launch { "memref.copy"(%a, %b) : (memref<4xf32>, memref<4xf32>) -> () } hier.join %t',
            ["a"],
            ["b"],
        ),
    ],
)
def test_effects_name_the_buffers(text: str, reads: list[str], writes: list[str]):
    found, *named = effects(text)
    assert found.is_known
    assert not found.is_anywhere
    assert named == [reads, writes]


def test_accesses_of_a_transfer_last_until_its_token():
    start = parsed("%i = arith.constant 0 : index %t = hier.dma_start %a[%i] to %b : memref<4xf32>, memref<4xf32>")[-1]
    assert {getattr(each, "until", None) for each in effects_of(start).instances} == {start.results[0]}


@pytest.mark.parametrize(
    "text",
    [
        '"toy.op"(%a) : (memref<4xf32>) -> ()',
        "func.call @external(%a) : (memref<4xf32>) -> ()",
        "func.call @recurs(%a) : (memref<4xf32>) -> ()",
        'scf.if %c { "toy.op"() : () -> () scf.yield }',
        "npu.acquire",
    ],
)
def test_what_is_not_declared_may_do_everything(text: str):
    found = effects_of(parsed(text)[-1])
    assert found.is_known == (text == "npu.acquire")
    assert found.may_write
    assert not found.only_read
    assert not found.is_none


def test_buffers_that_a_function_chooses_among_are_any():
    found, _, writes = effects("func.call @chooses(%c, %a, %b) : (i1, memref<4xf32>, memref<4xf32>) -> ()")
    assert found.is_known
    assert found.is_anywhere
    assert writes == []


def test_a_call_writes_the_globals_of_its_callee():
    found, reads, _ = effects("func.call @keeps(%a) : (memref<4xf32>) -> ()")
    assert reads == ["a"]
    assert EffectInstance(MemoryEffectKind.WRITE, SymbolRefAttr("state")) in found.instances


def test_new_memory_is_not_pure_but_dead_without_users():
    analysis = EffectAnalysis()
    for text in ("%m = memref.alloc() : memref<4xf32>", "%m = func.call @makes() : () -> memref<4xf32>"):
        (op,) = parsed(text)
        assert not analysis.of(op).is_none
    (alloc,) = parsed("%m = memref.alloc() : memref<4xf32>")
    assert analysis.is_trivially_dead(alloc)


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        ("%v = arith.remsi %c, %c : i1", True),
        ("%v = arith.extsi %c : i1 to i8", True),
        ("%v = func.call @computes(%f) : (f32) -> f32", True),
        ("%i = arith.constant 0 : index %v = memref.load %a[%i] : memref<4xf32>", True),
        ("%v = onnx.RandomNormal() {shape = array<i64: 4>} : () -> tensor<4xf32>", False),
        ('%v = "toy.op"() : () -> f32', False),
        ('"memref.copy"(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()', False),
    ],
)
def test_ops_without_users_are_dead_where_only_their_results_change(text: str, dead: bool):
    assert EffectAnalysis().is_trivially_dead(parsed(text)[-1]) == dead


@pytest.mark.parametrize(
    ("text", "pure"),
    [
        ("%y = onnx.Dropout(%x) : (tensor<4xf32>) -> tensor<4xf32>", True),
        ("%y = onnx.Dropout(%x, %r, %no) : (tensor<4xf32>, tensor<f32>, tensor<i1>) -> tensor<4xf32>", True),
        ("%y = onnx.Dropout(%x, %r, %yes) : (tensor<4xf32>, tensor<f32>, tensor<i1>) -> tensor<4xf32>", False),
        ("%y = onnx.Dropout(%x, %r, %any) : (tensor<4xf32>, tensor<f32>, tensor<i1>) -> tensor<4xf32>", False),
        ("%y = onnx.RandomNormalLike(%x) : (tensor<4xf32>) -> tensor<4xf32>", False),
        ("%y = onnx.RandomUniformLike(%x) : (tensor<4xf32>) -> tensor<4xf32>", False),
        ("%y = onnx.RandomUniform() {shape = array<i64: 4>} : () -> tensor<4xf32>", False),
        ("%y = onnx.Bernoulli(%x) : (tensor<4xf32>) -> tensor<4xf32>", False),
        ("%y = onnx.Multinomial(%x) : (tensor<4xf32>) -> tensor<4xsi32>", False),
        (
            "%y = onnx.If(%any) { %z = onnx.Relu(%x) : (tensor<4xf32>) -> tensor<4xf32> onnx.Yield %z : tensor<4xf32> }"
            " { onnx.Yield %x : tensor<4xf32> } : (tensor<i1>) -> tensor<4xf32>",
            True,
        ),
        (
            "%y = onnx.If(%any) { %z = onnx.Bernoulli(%x) : (tensor<4xf32>) -> tensor<4xf32> onnx.Yield %z : "
            "tensor<4xf32> } { onnx.Yield %x : tensor<4xf32> } : (tensor<i1>) -> tensor<4xf32>",
            False,
        ),
    ],
)
def test_random_operators_are_not_pure(text: str, pure: bool):
    made = """%x, %r, %any = "toy.op"() : () -> (tensor<4xf32>, tensor<f32>, tensor<i1>)
      %no = onnx.Constant() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
      %yes = onnx.Constant() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    """
    assert is_pure(parsed(made + text)[-1]) == pure


def test_the_job_of_the_npu_accesses_the_buffers_in_its_registers():
    places = """%n, %m = "toy.op"() : () -> (memref<4xi8, "L1">, i32)
      %p = npu.address %n : memref<4xi8, "L1">
      %q = arith.addi %p, %m : i32
    """
    by_register = {
        register: effects_of(parsed(f"{places} npu.write %{value} {{index = {register}}}")[-1])
        for register, value in ((1, "q"), (2, "q"), (6, "m"))
    }
    assert [len(each.reads) for each in by_register.values()] == [1, 0, 0]
    assert [len(each.writes) for each in by_register.values()] == [0, 1, 0]
    assert not effects_of(parsed(f"{places} npu.write %m {{index = 2 : i64}}")[-1]).is_known
    assert effects_of(parsed("npu.wait")[-1]).is_anywhere


def test_views_lead_to_their_root():
    part = parsed("%v = memref.subview %a[0] [2] [1] : memref<4xf32> to memref<2xf32>")[0]
    (view,) = parsed('%v = "memref.cast"(%a) : (memref<4xf32>) -> memref<?xf32>')
    assert root_of(part.results[0]) is part.operands[0]
    assert root_of(view.results[0]) is view.operands[0]


def test_state_is_no_memory():
    found = effects_of(parsed("%y = onnx.RandomUniform() {shape = array<i64: 4>} : () -> tensor<4xf32>")[-1])
    assert not found.is_anywhere
    assert {each.resource for each in found.instances} == {State("random numbers")}


@pytest.mark.parametrize(
    ("op", "divisor", "movable"),
    [
        ("divsi", "%d", False),
        ("remsi", "%d", False),
        ("ceildivui", "%d", False),
        ("remui", "%zero", False),
        ("divsi", "%less", False),
        ("divui", "%less", True),
        ("remsi", "%three", True),
        ("addi", "%d", True),
    ],
)
def test_a_division_may_only_run_anywhere_by_a_fitting_constant(op: str, divisor: str, movable: bool):
    text = """%n, %d = "toy.op"() : () -> (i32, i32)
      %zero = arith.constant 0 : i32
      %less = arith.constant -1 : i32
      %three = arith.constant 3 : i32
    """
    assert is_speculatable(parsed(f"{text} %v = arith.{op} %n, {divisor} : i32")[-1]) == movable
