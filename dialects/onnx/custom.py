"""
Operators that quantisers and trainers emit and ONNX does not define, as rows of the same form as ONNX's schemas.

Their exact arithmetic is what the docs below say; `runtime/interpreter/onnx_custom.py` computes it. Values are
integers, whatever type carries them (often f32): `>>` rounds down, `tdiv` truncates toward zero, `clip8` limits to
[-128, 127], `int8` wraps around. L is the length of the last axis. Source: the operators of PULP-TrainLib, QuantLib and
Deeploy (arXiv:2408.04413), ONNX Runtime for the gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat, starmap
from typing import Any

from onnx import TensorProto, TypeProto, helper
from onnx.defs import OpSchema

from ..core.small_floats import FORMATS
from .bounded import BOUNDED_SCHEMAS

DOMAIN = "tilewright"
"""The domain in which the importer puts these operators, whatever domain the exporter gave them."""

_INT, _FLOAT, _INTS, _STRING = (getattr(OpSchema.AttrType, kind) for kind in ("INT", "FLOAT", "INTS", "STRING"))
_FLOATS = ("float", "double", "float16", "bfloat16")
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_SMALL_FLOATS = tuple(TensorProto.DataType.Name(number).lower() for number in FORMATS)  # pyright: ignore[reportArgumentType]
_TYPES = [f"tensor({kind})" for kind in (*_FLOATS, *_INTEGERS, "bool", *_SMALL_FLOATS)]

SPELLINGS = {
    "n_levels": ("n_levels_out", "nLevels"),
    "coeffA": ("coeff_a",),
    "coeffB": ("coeff_b",),
    "coeffC": ("coeff_c",),
    "zero_point": ("offset",),
    "min": ("min_val",),
    "max": ("max_val",),
    "eps": ("epsilon",),
    "div": ("divisor",),
}
"""Attribute -> the other names under which exporters write it."""


def _row(
    name: str,
    inputs: str,
    attributes: dict[str, Any],
    doc: str,
    *,
    infer: Callable[[Any], None] | None = None,
    outputs: str = "y",
    converts: bool = False,
) -> OpSchema:
    """
    Return a schema: an attribute's value is its kind where it is required, else its default.

    Inputs and outputs whose name ends in ? are optional. Results are of the first input's type unless the operator
    `converts`.
    """
    result = "R" if converts else "T0"
    kinds = [f"T{number}" for number in range(len(inputs.split()))]
    option = OpSchema.FormalParameterOption

    def formal(name: str, kind: str) -> OpSchema.FormalParameter:
        form = option.Optional if name.endswith("?") else option.Single
        return OpSchema.FormalParameter(name.rstrip("?"), kind, param_option=form)

    schema = OpSchema(
        name,
        DOMAIN,
        1,
        doc=doc,
        inputs=list(map(formal, inputs.split(), kinds)),
        outputs=list(map(formal, outputs.split(), repeat(result))),
        type_constraints=[(kind, _TYPES, "") for kind in sorted({result, *kinds})],
        attributes=list(starmap(_attribute, attributes.items())),
    )
    schema.set_type_and_shape_inference_function(infer or _like_first)
    return schema


def _attribute(name: str, value: Any) -> OpSchema.Attribute:
    if isinstance(value, OpSchema.AttrType):
        return OpSchema.Attribute(name, value, "", required=True)
    return OpSchema.Attribute(name, helper.make_attribute(name, value), "")


# Type and shape rules


def _like_first(context: Any) -> None:
    _set_like(context, 0, 0)


def _set_like(context: Any, output: int, source: int) -> None:
    """Give an output the type of an input, where that is known."""
    if (kind := context.get_input_type(source)) is not None:
        context.set_output_type(output, kind)


def _extents(shape: Any) -> list[int | None]:
    """Return the extent of each axis of a shape, None where it is open."""
    return [dim.dim_value if dim.HasField("dim_value") else None for dim in shape.dim]


def _broadcast(context: Any, second: int = 1) -> None:
    """Set the shape to which two inputs broadcast; an open dimension of either stays open."""
    kinds = [context.get_input_type(index) for index in (0, second)]
    if not all(kind is not None and kind.tensor_type.HasField("shape") for kind in kinds):
        return
    a, b = (kind.tensor_type for kind in kinds)
    left, right = _extents(a.shape), _extents(b.shape)
    rank = max(len(left), len(right))
    pairs = zip([1] * (rank - len(left)) + left, [1] * (rank - len(right)) + right, strict=True)
    dims = [_broadcast_dim(x, y) for x, y in pairs]
    context.set_output_type(0, helper.make_tensor_type_proto(a.elem_type, dims))


def _quantised_broadcast(context: Any) -> None:
    """Set the shape to which the inputs 0 and 3 broadcast."""
    _broadcast(context, second=3)


def _broadcast_dim(x: int | None, y: int | None) -> int | None:
    if x == 1 or y == 1:
        return y if x == 1 else x
    if x is not None and y is not None and x != y:
        raise ValueError(f"dimensions {x} and {y} do not broadcast")
    return x if y is None else y


def _reduced(context: Any) -> None:
    """Set the shape to the first input's with `axes` reduced."""
    kind: TypeProto | None = context.get_input_type(0)
    if kind is None or not kind.tensor_type.HasField("shape"):
        return
    dims = list(kind.tensor_type.shape.dim)
    axes = {axis % len(dims) for axis in context.get_attribute("axes").ints}
    keepdims = context.get_attribute("keepdims")
    result = TypeProto()
    result.tensor_type.elem_type = kind.tensor_type.elem_type
    result.tensor_type.shape.SetInParent()
    for axis, dim in enumerate(dims):
        if axis not in axes:
            result.tensor_type.shape.dim.append(dim)
        elif keepdims is None or keepdims.i:
            result.tensor_type.shape.dim.add().dim_value = 1
    context.set_output_type(0, result)


def _as_attribute(context: Any) -> None:
    """Set the type to that whose number is the attribute `to`, the shape to the first input's."""
    kind: TypeProto | None = context.get_input_type(0)
    if kind is None or not kind.tensor_type.HasField("shape"):
        return
    result = TypeProto()
    result.CopyFrom(kind)
    result.tensor_type.elem_type = context.get_attribute("to").i
    context.set_output_type(0, result)


def _norm_gradients(context: Any) -> None:
    for output, source in enumerate((1, 2, 2)[: context.get_num_outputs()]):
        _set_like(context, output, source)


_TWO_QUANTISED = "a a_scale a_zero b b_scale b_zero y_scale y_zero"

SCHEMAS: Sequence[OpSchema] = (
    _row(
        "RequantShift",
        "x mul add",
        {"div": _INT, "n_levels": _INT, "signed": 1},
        """
        `y = clip((x * mul + add + r) >> s, lo, hi)`, s = log2(div), r = 1 << (s - 1) or 0 where s is 0.

        signed: lo = -n_levels / 2, hi = n_levels / 2 - 1; else lo = 0, hi = n_levels - 1. `mul` and `add` are scalars
        or per channel: [C] and [C, 1, 1] stand for axis 1, [C] on a matrix for its last axis; all else broadcasts.
        """,
    ),
    _row(
        "iSoftmax",
        "x valid?",
        {"coeffA": _INT, "coeffB": _INT, "coeffC": _INT, "log2": _INT, "n_levels": 256},
        """
        I-BERT's integer softmax over the last axis, 0 .. n_levels - 1.

        `t = x - max(x); z = clip(-tdiv(t, log2), 0, 31); p = t + z * log2; q = (coeffA * (p + coeffB)^2 + coeffC) >> z;
        y = q * (n_levels - 1) // sum(q)`, in 64 bits. Where `valid` [L] is false, x does not count and y is 0.
        """,
    ),
    _row(
        "ITAMax",
        "x valid?",
        {"n_levels": 256},
        """
        ITA's softmax along the rows: `h = (max(x) - x + 16) >> 5, y = ((n_levels - 1) * 256 // sum(256 >> h)) >> h`.

        Where `valid` [L] is false, x does not count and y is 0.
        """,
    ),
    _row(
        "ITAPartialMax",
        "x",
        {"n_levels": 256, "group_width": _INT},
        """
        ITA's streaming softmax: the last axis comes in groups of `group_width`, M the maximum so far, S the sum so far.

        Per group g: `N = max(M, max(g)); S = (S >> ((N - M + 16) >> 5)) + sum(256 >> ((N - g + 16) >> 5)); M = N`,
        beginning with S = 0. At last `y = ((n_levels / 2 - 1) * 256 // S) >> ((M - x + 16) >> 5)`.
        """,
    ),
    _row(
        "iRMSNorm",
        "x weight",
        {"D": _INT, "n_levels": 256},
        "`S = sum(x^2) // L + 1; y = clip8(tdiv(x * weight, floor(sqrt(S))) >> log2(D))` along the last axis.",
    ),
    _row(
        "iLayerNorm",
        "x weight bias",
        {"D": _INT, "n_levels": 256},
        """
        Integer layer normalisation along the last axis; the result wraps around.

        `c = x - tdiv(sum(x), L); S = sum(c^2) // L + 1;
        y = int8((tdiv(c * weight, floor(sqrt(S))) + bias) >> log2(D))`.
        """,
    ),
    _row(
        "iNoNorm",
        "x weight bias",
        {"mul": _INT, "D": _INT, "n_levels": 256},
        "`y = int8(((x * weight + bias) * mul) >> log2(D))`, which wraps around; weight and bias broadcast.",
    ),
    _row(
        "iGELU",
        "x",
        {"b": _INT, "one": _INT},
        "I-BERT's GELU: `q = min(|x|, -b); l = sign(x) * (one - (q + b)^2); y = x * ((one + l) >> 1)`, 32 bits wide.",
    ),
    _row(
        "iHardswish",
        "x",
        {"three": _INT, "six": _INT, "one_over_six": _INT},
        "`y = x * (clip(x + three, 0, six) * one_over_six)`, 32 bits wide.",
    ),
    _row(
        "TrueIntegerDiv",
        "x",
        {"Delta": _INT, "eps": _INT, "eta": _INT, "y": _INT},
        "Division by the constant y: `floor(x * Delta * eta / (y * eta + eps))`.",
        outputs="result",
    ),
    _row(
        "IntegerDiv",
        "a b",
        {"Delta": _INT, "eps": _INT, "eta": _INT},
        "`d = eta * b + eps; n = Delta * eta * a; y = tdiv(n + sign(n) * (d >> 1), d)`; a and b broadcast.",
        infer=_broadcast,
    ),
    _row(
        "IntegerMean",
        "x",
        {"axes": _INTS, "keepdims": 1},
        """
        Mean over `axes` of n integers, rounded.

        n a power of two and keepdims 0: `(sum + (n >> 1)) >> log2(n)`; else `tdiv(sum + sign(sum) * (n >> 1), n)`.
        """,
        infer=_reduced,
    ),
    _row(
        "Quant",
        "x",
        {"scale": _FLOAT, "zero_point": 0.0, "min": -128, "max": 127},
        "`y = clip(round(x * scale + zero_point), min, max)`, halves rounded away from zero.",
    ),
    _row(
        "QLinearAdd",
        _TWO_QUANTISED,
        {},
        """
        Sum of quantised tensors as ONNX Runtime computes it on x86, in f32: the zero point is added before rounding.

        `r = a_scale / y_scale; s = b_scale / y_scale; k = y_zero - fma(r, a_zero, s * b_zero);
        y = saturate(round(fma(a, r, fma(b, s, k))))`, halves to even, `fma` rounded once; a and b broadcast.
        """,
        infer=_quantised_broadcast,
    ),
    _row(
        "QLinearMul",
        _TWO_QUANTISED,
        {},
        """
        Product of quantised tensors as ONNX Runtime computes it, in f32: the zero point is added before rounding.

        `y = saturate(round((a - a_zero) * (b - b_zero) * (a_scale * b_scale / y_scale) + y_zero))`, halves to even.
        """,
        infer=_quantised_broadcast,
    ),
    _row("Dequant", "x", {"scale": _FLOAT, "zero_point": 0.0}, "`y = (x - zero_point) * scale`."),
    _row(
        "RMSNorm", "x weight", {"eps": 1e-6}, "`y = x / sqrt(mean(x^2) + eps) * weight` along the last axis, in floats."
    ),
    _row("SGD", "weight gradient", {"lr": 0.01}, "One step of gradient descent: `y = weight - lr * gradient`."),
    _row("GeluGrad", "dy x", {}, "Gradient of the exact GELU: `dy * (Phi(x) + x * phi(x))`."),
    _row(
        "SoftmaxGrad",
        "dy y",
        {"axis": -1},
        "Gradient of softmax from its result: `y * (dy - sum(dy * y))` along `axis`.",
    ),
    _row(
        "SoftmaxCrossEntropyLossGrad",
        "log_probability labels",
        {"reduction": "mean", "description": ""},
        "`y = (exp(log_probability) - one_hot(labels)) / batch^2`: the exporter's loss divides by the batch twice.",
    ),
    _row(
        "LayerNormalizationGrad",
        "dy x scale mean_or_bias inv_std_dev?",
        {"axis": -1, "eps": 1e-5},
        """
        Gradients of layer normalisation with respect to x, scale and bias.

        With h = (x - mean) * inv_std_dev and w = dy * scale, means over the axes from `axis` on:
        `dx = inv_std_dev * (w - mean(w) - h * mean(w * h))`; `dscale` and `dbias` sum `dy * h` and `dy` over the
        other axes. Five inputs are ONNX Runtime's form: the forward pass saved mean and inv_std_dev. Four are those
        of Deeploy, dy, x, scale, bias: mean and `inv_std_dev = 1 / sqrt(variance + eps)` are computed from x; the
        bias is not used.
        """,
        infer=_norm_gradients,
        outputs="dx dscale? dbias?",
    ),
    _row(
        "EncodeFloat",
        "x",
        {"to": _INT, "saturate": 1, "round_mode": "up"},
        """
        The bits of x as a float of 8 or 4 bits, the type of ONNX whose number is `to`: rounded to nearest even.

        What is too large becomes the largest number where it is to `saturate`, else infinity or NaN. Numbers of E8M0,
        powers of two, are rounded by `round_mode`: up, down or nearest.
        """,
        infer=_as_attribute,
        converts=True,
    ),
    _row(
        "DecodeFloat",
        "x",
        {"format": _INT, "to": _INT},
        "The numbers that bits stand for as floats of the type `format`, in the type `to`.",
        infer=_as_attribute,
        converts=True,
    ),
    *BOUNDED_SCHEMAS,
)
