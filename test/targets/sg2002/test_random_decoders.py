"""Random decoders: outlined modules compute the bits of the whole, and divide it."""

from __future__ import annotations

import random
from contextlib import suppress
from functools import partial
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.paged.ops import PoolUser, step_tokens
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import Array, functions
from tilewright.passes.introduce_paged_state import introduce_paged_state
from tilewright.runtime.interpreter import Session
from tilewright.targets.sg2002.modules import KINDS, modules_of
from tilewright.targets.sg2002.passes.outline_modules import outline_modules
from tilewright.test.passes.state.attention_networks import drawn
from tilewright.test.passes.state.decoder_steps import TOKENS, stepped

CONTEXT = 9
X, R = "tensor<1x1x8xf32>", "tensor<1xf32>"


def decoder(seed: int) -> str:
    """
    Return a decoder of one to three layers at the graph level.

    Residuals are before or beside attention, or missing; a network stands behind attention, beside it, or nowhere;
    positions rotate or are added; the head has a bias or not.
    """
    rng, lines, names = random.Random(seed), list[str](), count()
    layers = rng.randint(1, 3)

    def emit(op: str, *operands: str) -> str:
        name = f"%v{next(names)}"
        types = ", ".join(
            R if operand == "%rotation" else "tensor<8x8xf32>" if operand[1] == "w" else X for operand in operands
        )
        lines.append(f"{name} = onnx.{op}({', '.join(operands)}) : ({types}) -> {X}")
        return name

    def network(x: str) -> str:
        return emit("MatMul", emit("Sigmoid", emit("MatMul", x, rng.choice(("%w0", "%w1")))), "%w1")

    x = emit("Mul", "%row", "%rotation") if rng.random() < 0.3 else "%row"
    for layer in range(layers):
        normed = emit("Tanh", x) if rng.random() < 0.7 else x
        q, k, v = (emit("MatMul", normed, f"%w{rng.randint(0, 1)}") for _ in range(3))
        q, k = (emit("Mul", value, "%rotation") for value in (q, k))
        beside = network(normed) if rng.random() < 0.3 else ""
        lines.append(f"paged.append @kv layer {layer} keys {k} values {v} : {X}, {X}")
        lines.append(f"%a{layer} = paged.attend @kv layer {layer} queries {q} : {X} -> {X}")
        late = network(normed) if rng.random() < 0.2 else ""
        y = emit("MatMul", f"%a{layer}", "%w0")
        has_residual = rng.random() < 0.8
        x = emit("Add", x, y) if has_residual else y
        for other in filter(None, (beside, late)):
            x = emit("Add", x, other)
        if rng.random() < 0.7:
            x = emit("Add", x, network(emit("Tanh", x))) if has_residual else network(x)
    head = emit("MatMul", emit("Tanh", x), "%w1")
    logits = emit("Add", head, "%bias") if rng.random() < 0.5 else head
    body = "\n    ".join(lines)
    weights = [f"dense<{rng.uniform(-1, 1):.3f}> : tensor<8x8xf32>" for _ in range(2)]
    table = [[round(rng.uniform(-1, 1), 3) for _ in range(8)] for _ in range(4)]
    sizes = {"layers": layers, "heads": 1, "kv_heads": 1, "head_dim": 8, "page_length": 2, "context": 16}
    pool = ", ".join(f"{name} = {size} : i64" for name, size in sizes.items())
    return f"""
builtin.module {{
  paged.pool @kv {{{pool}, scale = 1.0 : f64}}
  func.func @network(%ids: tensor<1x1xi64> {{onnx.name = "ids"}}, %position: tensor<1xi32> {{onnx.name = "position"}})
      -> ({X} {{onnx.name = "logits"}}) {{
    %token = onnx.Cast(%ids) {{to = 12 : si64}} : (tensor<1x1xi64>) -> tensor<1x1xui32>
    paged.begin @kv at %position tokens %token : tensor<1xi32>, tensor<1x1xui32>
    %table = onnx.Constant() {{value = dense<{table}> : tensor<4x8xf32>}} : () -> tensor<4x8xf32>
    %bias = onnx.Constant() {{value = dense<0.5> : {X}}} : () -> {X}
    %w0 = onnx.Constant() {{value = {weights[0]}}} : () -> tensor<8x8xf32>
    %w1 = onnx.Constant() {{value = {weights[1]}}} : () -> tensor<8x8xf32>
    %row = onnx.Gather(%table, %ids) : (tensor<4x8xf32>, tensor<1x1xi64>) -> {X}
    %real = onnx.Cast(%position) {{to = 1 : si64}} : (tensor<1xi32>) -> {R}
    %rotation = onnx.Cos(%real) : ({R}) -> {R}
    {body}
    paged.commit @kv
    func.return {logits} : {X}
  }}
}}
"""


def run(module: ModuleOp) -> list[Array]:
    """Return the scores of five steps."""
    session = Session(module)
    calls = [{"ids": np.array([[3 - at % 4]]), "position": np.array([at])} for at in range(5)]
    return [scores for call in calls for scores in session.run(call).values()]


def check(whole: ModuleOp, kinds: list[str]) -> None:
    """Compare a decoder and its copy with outlined modules of some kinds, on a module that is cloned."""
    divided = whole.clone()
    outline_modules(divided, functions(divided)[0], kinds, "tpu")
    verify(divided)
    for one, other in zip(run(whole), run(divided), strict=True):
        np.testing.assert_array_equal(one.view(np.uint32), other.view(np.uint32))


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.sets(st.sampled_from(KINDS), min_size=1))
def test_modules_compute_the_bits_of_the_whole(seed: int, kinds: set[str]) -> None:
    check(parse_module(new_context(), decoder(seed)), sorted(kinds))


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_each_op_is_in_one_module(seed: int) -> None:
    """But constants, ops of the step and what feeds its begin; all layers have both modules."""
    function = functions(parse_module(new_context(), decoder(seed)))[0]
    modules = modules_of(function)
    ops = [op for module in modules for op in module.ops]
    assert len(ops) == len(set(ops))
    others = [op for op in function.body.block.ops if op not in set(ops) and op.results]
    assert {op.name for op in others if not isinstance(op, PoolUser)} == {"onnx.Constant", "onnx.Cast"}
    layers = sum(op.name == "paged.attend" for op in others)
    assert [module.layer for module in modules if module.kind == "qkv"] == list(range(layers))
    assert len([module for module in modules if module.kind == "head"]) == 1


def without_mask(session: Session, call: dict[str, Array]) -> dict[str, Array]:
    """Run a step; its mask of ones is no input of a paged decoder."""
    return session.run({name: array for name, array in call.items() if name != "attention_mask"})


@pytest.mark.nightly
def test_operators_of_attention_that_exporters_have() -> None:
    """Decoders of tests of the paged store: those that can be paged."""
    compared = 0
    for seed in range(16):
        decoder, added = drawn(np.random.default_rng(seed))
        module = import_model(decoder.model(), rows=CONTEXT, added=added)
        with suppress(Diagnostic):  # Not all of them can be paged.
            introduce_paged_state(module, functions(module)[0], CONTEXT, 4)
        if not step_tokens(module):
            continue
        divided = module.clone()
        outline_modules(divided, functions(divided)[0], KINDS, "tpu")
        tokens = TOKENS[: len(TOKENS) // added * added]
        runs = [partial(without_mask, session) for session in (Session(module), Session(divided))]
        whole, parts = (stepped(run_step, decoder.model(), CONTEXT, added, tokens) for run_step in runs)
        for one, other in zip(whole, parts, strict=True):
            np.testing.assert_array_equal(one, other)
        compared += 1
    assert compared >= 4
