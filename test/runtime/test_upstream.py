"""Upstream MLIR accepts the tensor level, and its JIT computes what the interpreter computes."""

from __future__ import annotations

import shutil
from math import isqrt

import numpy as np
import pytest
from hypothesis import given
from xdsl.dialects.builtin import IntegerType, ModuleOp

from tilewright.compiler import pipeline_of
from tilewright.dialects.core.machine.targets import machine_named
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.frontend.zoo import bert_layer
from tilewright.ir import Array, dense
from tilewright.passes.core.manager import PassManager
from tilewright.passes.generalize_kernels import generalize_kernels
from tilewright.runtime import upstream
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.runtime.upstream import UpstreamNetwork, optimized
from tilewright.test.passes.levels import extremes
from tilewright.test.random.networks.integers import CUSTOM, ELEMENTWISE, REDUCING, SHAPES, Network, examples, networks

_MISSING = [name for name in ("mlir-opt-19", "mlir-cpu-runner-19") if shutil.which(name) is None]
pytestmark = pytest.mark.skipif(bool(_MISSING), reason="no upstream MLIR 19: install Debian's mlir-19-tools")

UPSTREAM = {"builtin", "func", "linalg", "tensor", "arith", "math", "scf", "memref", "bufferization"}

SCALARS = """
func.func @network(%a: tensor<{n}x{t}>, %b: tensor<{n}xi8>, %c: tensor<{n}xf32>, %d: tensor<{n}xf32>)
    -> (tensor<{n}x{t}>, tensor<{n}xi16>, tensor<{n}xf32>) {{
  %o = tensor.empty() : tensor<{n}x{t}>
  %p = tensor.empty() : tensor<{n}xi16>
  %q = tensor.empty() : tensor<{n}xf32>
  %r:3 = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
    ins(%a, %b, %c, %d : tensor<{n}x{t}>, tensor<{n}xi8>, tensor<{n}xf32>, tensor<{n}xf32>)
    outs(%o, %p, %q : tensor<{n}x{t}>, tensor<{n}xi16>, tensor<{n}xf32>) {{
  ^bb0(%x: {t}, %y: i8, %z: f32, %w: f32, %u: {t}, %v: i16, %s: f32):
    %root = nn.isqrt %x : {t}
    %entry = quant.lookup %y {{table = {table}}} : i8 -> i16
    %rest = nn.remainder %z, %w : f32
    linalg.yield %root, %entry, %rest : {t}, i16, f32
  }} -> tensor<{n}x{t}>, tensor<{n}xi16>, tensor<{n}xf32>
  func.return %r#0, %r#1, %r#2 : tensor<{n}x{t}>, tensor<{n}xi16>, tensor<{n}xf32>
}}
"""


def lowered(module: ModuleOp, stop_after: str) -> ModuleOp:
    """Return a network after a phase of the host's pipeline."""
    pipeline = pipeline_of(machine_named("host")).select(stop_after=stop_after)
    PassManager([], verify_each=False).run(module, pipeline, new_context())
    return module


def network(name: str, stop_after: str = "fused") -> ModuleOp:
    return lowered(import_model(zoo.build(name, seed=0)), stop_after)


def module_of(text: str) -> ModuleOp:
    return parse_module(new_context(), text)


def agrees(module: ModuleOp, inputs: dict[str, Array]) -> None:
    found, expected = UpstreamNetwork(module).run(inputs), run_module(module, inputs)
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array, err_msg=name)


@pytest.mark.sample(2)
@pytest.mark.parametrize("generic", [False, True])
@pytest.mark.parametrize("stop_after", ["tensor", "fused"])
@pytest.mark.parametrize("name", ["ds-cnn", "resnet8", "bert-layer"])
def test_mlir_opt_accepts(name: str, stop_after: str, generic: bool) -> None:
    module = network(name, stop_after)
    generalize_kernels(module)
    assert {op.name.partition(".")[0] for op in module.walk()} <= UPSTREAM
    accepted = optimized(print_ir(module, generic=generic, context=new_context()), ["canonicalize", "cse"])
    if name != "bert-layer":
        inputs = random_inputs(module, seed=5)
        again = run_module(module_of(accepted), inputs)
        np.testing.assert_array_equal(again["output"], run_module(module, inputs)["output"])


@pytest.mark.sample(1)
@pytest.mark.parametrize(("name", "stop_after"), [("ds-cnn", "tensor"), ("ds-cnn", "fused"), ("resnet8", "fused")])
def test_jit_gives_the_same_bits(name: str, stop_after: str) -> None:
    module = network(name, stop_after)
    jitted = UpstreamNetwork(module)
    for seed in (0, 1):
        inputs = zoo.sample_inputs(zoo.build(name), seed)
        expected = run_module(module, inputs)["output"]
        np.testing.assert_array_equal(jitted.run(inputs)["output"], expected)
        np.testing.assert_array_equal(zoo.evaluate(zoo.build(name), inputs)["output"], expected)


def test_a_changed_weight_shows() -> None:
    inputs = zoo.sample_inputs(zoo.build("ds-cnn"), 0)
    other = lowered(import_model(zoo.build("ds-cnn", seed=1)), "fused")
    expected = run_module(network("ds-cnn"), inputs)["output"]
    assert not np.array_equal(UpstreamNetwork(other).run(inputs)["output"], expected)


def test_jit_computes_a_bert_layer() -> None:
    module = lowered(import_model(bert_layer.build(tokens=12, dim=24, heads=3, hidden=40)), "fused")
    random = np.random.default_rng(0)
    hidden = random.standard_normal((1, 12, 24)).astype(np.float32)
    inputs = {"hidden": hidden, "mask": (np.arange(12)[None] < 7).astype(np.int64)}
    found, expected = UpstreamNetwork(module).run(inputs)["output"], run_module(module, inputs)["output"]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.nightly
@examples(6)
@given(networks((*SHAPES, *ELEMENTWISE, *REDUCING, *CUSTOM), largest=5, types=("i8", "ui8", "i16")))
def test_jit_agrees_on_random_networks(drawn: Network) -> None:
    """Also at the ends of the inputs' ranges, where wrong claims that nothing overflows show."""
    module = lowered(import_model(drawn.model, input_types=drawn.input_types), "fused")
    jitted = UpstreamNetwork(module, level=2)
    for inputs in extremes(drawn, 1)[1:]:
        found, expected = jitted.run(inputs), run_module(module, inputs)
        for name, array in expected.items():
            np.testing.assert_array_equal(found[name], array, err_msg=name)


def test_a_false_claim_that_nothing_overflows_shows() -> None:
    text = """
        func.func @network(%a: tensor<64xi8>) -> tensor<64xi8> {
          %o = tensor.empty() : tensor<64xi8>
          %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
            iterator_types = ["parallel"]} ins(%a : tensor<64xi8>) outs(%o : tensor<64xi8>) {
          ^bb0(%x: i8, %y: i8):
            %one = arith.constant 1 : i8
            %more = arith.addi %x, %one CLAIM : i8
            %greater = arith.cmpi sgt, %more, %x : i8
            %z = arith.extui %greater : i1 to i8
            linalg.yield %z : i8
          } -> tensor<64xi8>
          func.return %r : tensor<64xi8>
        }"""
    inputs = {"arg0": np.full(64, 127, np.int8)}
    for claim, sums in (("", 0), ("overflow<nsw>", 64)):
        module = module_of(text.replace("CLAIM", claim))
        assert run_module(module, inputs)["result0"].sum() == 0
        assert UpstreamNetwork(module, level=2).run(inputs)["result0"].sum() == sums


@pytest.mark.parametrize("width", [32, 64])
def test_scalars_that_arith_lacks(width: int) -> None:
    dtype, greatest = np.dtype(f"int{width}"), (1 << (width - 1)) - 1
    roots = [1, 2, 3, 255, 46340, isqrt(greatest) - 1, isqrt(greatest)]
    values = [0, greatest, greatest - 1, *(root * root + step for root in roots for step in (-1, 0, 1))]
    integers = np.array([value for value in values if value <= greatest], dtype)
    count, random = len(integers), np.random.default_rng(0)
    table = dense(random.integers(-999, 999, 256), IntegerType(16))
    maps = ", ".join(["affine_map<(d0) -> (d0)>"] * 7)
    text = SCALARS.format(n=count, t=f"i{width}", maps=maps, table=table)
    inputs = {
        "arg0": integers,
        "arg1": random.integers(-128, 128, count).astype(np.int8),
        "arg2": random.normal(0, 1e4, count).astype(np.float32),
        "arg3": random.normal(0, 3, count).astype(np.float32),
    }
    module = module_of(text)
    generalize_kernels(module)
    assert run_module(module, inputs)["result0"].tolist() == [isqrt(value) for value in integers.tolist()]
    agrees(module_of(text), inputs)


def test_many_truth_values() -> None:
    bits = np.random.default_rng(0).integers(0, 2, 200)
    mask = f'dense<"0x{np.packbits(bits, bitorder="little").tobytes().hex()}"> : tensor<5x40xi1>'
    text = f"""
        func.func @network(%a: tensor<5x30xi1>, %b: tensor<5x10xi1>) -> tensor<5x40xi1> {{
          %mask = arith.constant {mask}
          %whole = tensor.concat dim(1) %a, %b : (tensor<5x30xi1>, tensor<5x10xi1>) -> tensor<5x40xi1>
          %r = arith.andi %mask, %whole : tensor<5x40xi1>
          func.return %r : tensor<5x40xi1>
        }}"""
    module = module_of(text)
    generalize_kernels(module)
    text = print_ir(module)
    inputs = random_inputs(module, seed=0)
    expected = run_module(module, inputs)["result0"]
    assert 0 < expected.sum() < expected.size
    np.testing.assert_array_equal(run_module(module_of(text), inputs)["result0"], expected)
    upstream_text = optimized(text, ["convert-elementwise-to-linalg"])
    assert "linalg.generic" in upstream_text


def test_wrong_inputs_are_named() -> None:
    jitted = UpstreamNetwork(network("ds-cnn"))
    with pytest.raises(Diagnostic, match="input 'input' of 'network' is missing"):
        jitted.run({})
    with pytest.raises(Diagnostic, match="the wrong shape"):
        jitted.run({"input": np.zeros((1, 49, 10))})


def test_failures_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Diagnostic, match="mlir-opt refuses the module") as caught:
        optimized('"foo.bar"() : () -> ()')
    assert "unregistered dialect" in str(caught.value)
    inputs = zoo.sample_inputs(zoo.build("ds-cnn"), 0)
    jitted = UpstreamNetwork(network("ds-cnn"))
    good = jitted.lowered
    jitted.lowered = good.replace("llvm.func @main", "llvm.func @other")
    with pytest.raises(Diagnostic, match="mlir-cpu-runner does not run the network to its end"):
        jitted.run(inputs)
    head, main, rest = good.partition("llvm.func @main")
    jitted.lowered = head + main + rest.replace("constant(490 : i64)", "constant(491 : i64)")
    with pytest.raises(Diagnostic, match=r"does not run the network to its end") as caught:
        jitted.run(inputs)
    assert r"1\n" in caught.value.found
    monkeypatch.setattr(upstream, "VERSION", 3)
    with pytest.raises(Diagnostic, match="there is no mlir-opt-3"):
        optimized("")
