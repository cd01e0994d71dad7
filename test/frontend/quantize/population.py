"""Random networks of floats around products, random options, and what becomes of them in the quantiser."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, log10
from random import Random
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, helper

from tilewright.dialects.onnx.facts import Trait, having
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.frontend.quantize.calibration import samples_of
from tilewright.frontend.quantize.error import measure
from tilewright.frontend.quantize.execution import Execution
from tilewright.frontend.quantize.names import FORMS, NONLINEAR, RANGES
from tilewright.frontend.quantize.network import read_network
from tilewright.frontend.quantize.quantize import QuantizeOptions, Result, quantize
from tilewright.ir import Array, functions
from tilewright.passes.recover_quantized import recover_quantized
from tilewright.runtime.interpreter import run_module
from tilewright.test import onnx_runtime
from tilewright.test.frontend.random_onnx.differences import explained
from tilewright.test.random.networks.builder import Builder, NoChoice, Operator, random_numbers
from tilewright.test.random.networks.operators import elementwise, layers, movement

Sample = Mapping[str, Array]

_F32 = (np.float32,)


_PRODUCTS = (layers.conv, layers.matmul, layers.gemm, layers.matmul_of_itself)


def _product(b: Builder) -> None:
    """A convolution or a product with constant weights, or one of two computed tensors."""
    b.random.choice(_PRODUCTS)(b)


def _residual(b: Builder) -> None:
    """A sum, product or difference of two tensors of one shape, or of one with itself."""
    x = b.pick(lambda value: value.dtype == np.float32 and len(value.shape) > 0)
    others = [value for value in b.values if value.dtype == x.dtype and value.shape == x.shape]
    b.node(b.random.choice(("Add", "Mul", "Sub")), [x, b.random.choice(others)])


def _norm(b: Builder) -> None:
    """Softmax, its logarithm or a layer normalisation over the last axis."""
    x = b.pick(lambda value: value.dtype == np.float32 and len(value.shape) > 0 and value.shape[-1] > 1)
    if b.random.random() < 0.4 and b.opset >= 17:
        rows = [b.weight(x.dtype, x.shape[-1:]) for _ in range(b.random.choice((1, 2)))]
        b.node("LayerNormalization", [x, *rows], axis=-1)
        return
    b.node(b.random.choice(("Softmax", "Softmax", "LogSoftmax")), [x], axis=b.random.choice((-1, len(x.shape) - 1)))


def _made_norm(b: Builder) -> None:
    """A layer normalisation made of primitives."""
    x = b.pick(lambda value: value.dtype == np.float32 and len(value.shape) > 1 and value.shape[-1] > 1)
    if b.opset < 18:
        raise NoChoice
    axes, small = b.constant(np.array([-1])), b.constant(np.array(1e-5, np.float32))
    (mean,) = b.node("ReduceMean", [x, axes])
    (apart,) = b.node("Sub", [x, mean])
    (square,) = b.node("Mul", [apart, apart])
    (variance,) = b.node("ReduceMean", [square, axes])
    (above,) = b.node("Add", [variance, small])
    (root,) = b.node("Sqrt", [above])
    b.node("Div", [apart, root])


def _attention(b: Builder) -> None:
    """Scores of a tensor with itself, their softmax with a mask or none, and the sum of values."""
    x = b.pick(lambda value: value.dtype == np.float32 and len(value.shape) == 3)
    (turned,) = b.node("Transpose", [x], perm=[0, 2, 1])
    (scores,) = b.node("MatMul", [x, turned])
    (scores,) = b.node("Mul", [scores, b.constant(np.array(0.25, np.float32))])
    if b.random.random() < 0.5:
        mask = np.where(b.numbers(np.bool_, scores.shape[-1:]), 0, -1e4).astype(np.float32)
        (scores,) = b.node("Add", [scores, b.constant(mask)])
    (shares,) = b.node("Softmax", [scores], axis=-1)
    b.node("MatMul", [shares, x])


def _cell(b: Builder) -> None:
    """A gated cell whose state is an input, zero in all samples or in none."""
    x = b.input(_F32, (b.random.randint(1, 2), b.random.randint(1, 4)))
    state = b.input(_F32, (x.shape[0], b.random.randint(1, 4)))
    width = state.shape[1]
    (both,) = b.node("Concat", [x, state], axis=1)
    (gate,) = b.node("MatMul", [both, b.weight(np.float32, (x.shape[1] + width, width))])
    (gate,) = b.node("Sigmoid", [gate])
    (kept,) = b.node("MatMul", [state, b.weight(np.float32, (width, width))])
    (kept,) = b.node("Mul", [gate, kept])
    (new,) = b.node("Tanh", [kept])
    b.node("Add", [new, gate])


def _dead(b: Builder) -> None:
    """A convolution or a product whose Relu is 0 throughout."""
    x = b.pick(lambda value: value.dtype == np.float32 and len(value.shape) in (2, 3))
    (product,) = b.node("MatMul", [x, b.weight(np.float32, (x.shape[-1], x.shape[-1]))])
    (sum_,) = b.node("Add", [product, b.constant(np.full(x.shape[-1:], -1e4, np.float32))])
    b.node("Relu", [sum_])


def _clamp(b: Builder) -> None:
    x = b.pick(lambda value: value.dtype == np.float32)
    if b.random.random() < 0.5:
        b.node("Relu", [x])
        return
    low, high = (b.constant(np.array(limit, np.float32)) for limit in (b.random.choice((-1, 0)), 2))
    b.node("Clip", [x, low, high])


_AROUND = (_norm, _norm, _made_norm, _attention, _cell, _dead, _clamp)
PATTERNS: Sequence[Operator] = (*[_product] * 6, *[_residual] * 2, *_AROUND)
_OF_INTEGERS = (layers.quantize, layers.matmul_integer, layers.conv_integer, layers.dynamic)
_LAYERS = tuple(operator for operator in layers.OPERATORS if operator not in _OF_INTEGERS)
OTHERS: Sequence[Operator] = (*elementwise.OPERATORS, *movement.OPERATORS, *_LAYERS)


def network_of(seed: int) -> ModelProto:
    """Return the network of a number: up to seven patterns and operators, with a product first, last or between."""
    random = Random(seed)
    builder = Builder(random)
    shape = random.choice(([], [4], [1, 6], [3, 5], [1, 3, 8], [2, 4, 6], [1, 3, 6, 6], [2, 4, 5, 7]))
    builder.input(_F32, shape)
    wanted = random.choice((1, 2, 3, 4, 5, 7))
    for _ in range(20 * wanted):
        try:
            random.choice(PATTERNS if random.random() < 0.55 else OTHERS)(builder)
            wanted -= 1
        except (NoChoice, IndexError, StopIteration):
            continue
        if not wanted:
            break
    return builder.model()


def options_of(seed: int, model: ModelProto) -> QuantizeOptions:
    """Return the options of a number: half of them the default ones but for a few."""
    random = Random(f"options {seed}")

    def drawn(value: Any, *others: Any) -> Any:
        return value if random.random() < 0.6 else random.choice(others)

    names = [node.op_type for node in model.graph.node]
    block = drawn(1, 2, 3)
    return QuantizeOptions(
        ranges=drawn("wide-percentile", *RANGES),
        per_channel=drawn(True, False),
        block=block,
        symmetric=drawn(None, True, False),
        adaptive=drawn(True, False),
        search=random.random() < 0.03,
        correct=drawn(True, False),
        floats=(random.choice(names),) if random.random() < 0.25 else (),
        form=drawn(FORMS[0], FORMS[1]),
        equalize=drawn(False, True),
        smooth=drawn(True, False),
        common_sums=drawn(False, True),
        nonlinear=drawn(NONLINEAR[0], *NONLINEAR[1:]),
        keep=drawn(0, 0, 0, 1, 2),
        wide=drawn((), ("*",), ("MatMul",) if "MatMul" in names else ()),
        keep_wide=drawn(0, 0, 0, 1),
    )


def samples_for(model: ModelProto, seed: int) -> dict[str, Array]:
    """Return calibration data: normal numbers of some scale, or zeros for an input but the first; one sample to six."""
    random, generator = Random(f"data {seed}"), np.random.default_rng(seed)
    count = random.choice((1, 2, 6))
    arrays: dict[str, Array] = {}
    for index, value in enumerate(model.graph.input):
        shape = [count, *(dim.dim_value for dim in value.type.tensor_type.shape.dim)]
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type))
        if dtype.kind != "f":
            arrays[value.name] = random_numbers(generator, dtype, shape)
            continue
        scale = random.choice((1, 1, 1, 0.01, 30)) if index == 0 or random.random() < 0.7 else 0
        arrays[value.name] = (generator.standard_normal(shape) * scale).astype(dtype)
    return arrays


@dataclass(frozen=True)
class Verdict:
    """
    What came of a network.

    `kind` is quantised, refused (with a Diagnostic that is not of the tool's own), skipped (ONNX Runtime does not run
    the network of floats, or gives NaN), or a failure: fault, invalid, differs, noisy.
    """

    kind: str
    detail: str = ""


_EQUAL = 60.0
"""Ratio in dB of a tensor to its difference here from that in ONNX Runtime, for which roundings of floats account."""
_VANISHING = 1e-7
"""Difference of numbers that is not asked about: functions of ONNX Runtime end there."""
GOOD = ("quantised", "refused", "skipped")
_OURS = ("internal error", "is not valid ONNX", "the graph has no", "does not verify")
_LEAST = 15.0
"""SQNR in dB of a tensor that its scale represents; relative entropy cuts long tails."""


def judged(model: ModelProto, options: QuantizeOptions, arrays: Mapping[str, Array]) -> Verdict:
    """Quantise a network, run it in ONNX Runtime and here, and compare."""
    try:
        exact = onnx_runtime.session(model)
        network = read_network(model)
        samples = [
            {name: np.asarray(value) for name, value in sample.items()} for sample in samples_of(network, arrays)
        ]
        wanted = [exact.run(None, dict(sample)) for sample in samples]
    except Exception as error:
        return Verdict("skipped", str(error).splitlines()[0])
    names = [value.name for value in model.graph.output]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            result = quantize(network, samples, options)
            measure(result, samples)
    except Diagnostic as error:
        return Verdict("fault" if any(part in str(error) for part in _OURS) else "refused", str(error))
    except Exception as error:
        return Verdict("fault", f"{type(error).__name__}: {error}")
    try:
        # Fused operators of ONNX Runtime, such as QLinearSoftmax, round otherwise.
        runtime = onnx_runtime.session(result.model, fused=False)
        theirs = [runtime.run(None, dict(sample)) for sample in samples]
        onnx_runtime.session(result.model)
    except Exception as error:
        return Verdict("invalid", str(error).splitlines()[0])
    for integers in (False, True):
        ours = _interpreted(result, samples, names, integers=integers)
        for index, name in enumerate(names):
            text = _difference(
                [outputs[index] for outputs in theirs], [outputs[index] for outputs in ours], result, name
            )
            if text and not explained(model, f"{name}: 1 found"):
                return Verdict("differs", f"{name}, integers={integers}: {text}")
    name, ratio = _worst_scale(result, samples)
    if ratio < _LEAST:
        return Verdict("noisy", f"{name}: its scale {result.scales[name]} holds it with {ratio:.1f} dB")
    ratios = [_sqnr([outputs[i] for outputs in wanted], [outputs[i] for outputs in theirs]) for i in range(len(names))]
    return Verdict("quantised", f"{min(ratios):.1f} dB")


def _worst_scale(result: Result, samples: Sequence[Sample]) -> tuple[str, float]:
    """
    Return the tensor that its scale represents with the lowest SQNR, in dB, and that.

    Left out are those that functions of single numbers alone read, of which a part of the range may matter, and those
    that concatenations alone read, whose steps are those of the result.
    """
    network = result.float_network
    consumers = network.consumers()
    names = [name for name in result.scales if not _is_argument(consumers.get(name, ()))]
    execution = Execution(network, names)
    values = [execution.run(sample) for sample in samples]
    ratios = {
        name: _sqnr(
            [tensors[name] for tensors in values], [result.scales[name].quantised(tensors[name]) for tensors in values]
        )
        for name in names
    }
    return min(ratios.items(), key=lambda item: item[1], default=("", inf))


def _is_argument(nodes: Sequence[NodeProto]) -> bool:
    return bool(nodes) and all(node.op_type in having(Trait.TABULATED) | {"Concat"} for node in nodes)


def _interpreted(
    result: Result, samples: Sequence[Sample], names: Sequence[str], *, integers: bool
) -> list[list[Array]]:
    module = import_model(result.model)
    if integers:
        for function in functions(module):
            recover_quantized(module, function)
    outputs = [run_module(module, dict(sample)) for sample in samples]
    return [[np.asarray(arrays[name]) for name in names] for arrays in outputs]


def _difference(theirs: Sequence[Array], ours: Sequence[Array], result: Result, name: str) -> str:
    if any(a.shape != b.shape or a.dtype != b.dtype for a, b in zip(theirs, ours, strict=True)):
        return "types or shapes differ"
    ratio = _sqnr(theirs, ours)
    # A float in the middle of two integers may round to either.
    step = result.scales[name].scale if name in result.scales else 0.0
    if ratio >= _EQUAL:
        return ""
    largest = max(float(np.abs(a.astype(np.float64) - b).max(initial=0.0)) for a, b in zip(theirs, ours, strict=True))
    return "" if largest <= 1.01 * step else f"{ratio:.1f} dB"


def _sqnr(exact: Sequence[Array], computed: Sequence[Array]) -> float:
    """Return the ratio of signal to noise in dB, infinite for equal arrays and for what is not finite."""
    a, b = (np.concatenate([np.asarray(array, np.float64).reshape(-1) for array in side]) for side in (exact, computed))
    finite = np.isfinite(a) & np.isfinite(b)
    a, b = a[finite], b[finite]
    noise, signal = float(((a - b) ** 2).sum()), float((a**2).sum())
    if noise <= a.size * _VANISHING**2:
        return inf
    return 10 * log10(signal / noise) if signal else -inf


def judged_network(seed: int) -> Verdict:
    """Return the verdict of the network of a number, with the options and the samples of that number."""
    model = network_of(seed)
    if not model.graph.node:
        return Verdict("skipped", "no nodes")
    return judged(model, options_of(seed, model), samples_for(model, seed))
