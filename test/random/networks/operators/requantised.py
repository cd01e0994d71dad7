"""Random operators of quantisers that compute with integers, as Deeploy, I-BERT and ITA have them."""

from __future__ import annotations

from typing import Any

from ..builder import Builder, NoChoice, Operator, Tensor


def _whole(b: Builder, x: Tensor, shape: list[int], low: int, high: int) -> str:
    """Add integers of a range, in the type of a tensor."""
    return b.constant(b.generator().integers(low, high, shape, endpoint=True).astype(x.dtype))


def _wide(b: Builder) -> Tensor:
    """Return a tensor of sums: carried by floats, or by integers of 32 bits and more."""
    return b.pick(lambda value: value.dtype.itemsize >= 4 and bool(value.shape))


def requant_shift(b: Builder) -> None:
    x = _wide(b)
    channel = [x.shape[1 if len(x.shape) > 2 else len(x.shape) - 1]]
    forms = [[], [1], channel]
    if len(x.shape) > 2:
        forms += [[*channel, *[1] * (len(x.shape) - 2)], [1, *channel, *[1] * (len(x.shape) - 2)]]
    mul, add = _whole(b, x, b.choice(forms), -3, 90), _whole(b, x, b.choice(forms), -5000, 5000)
    levels = b.choice([2, 4, 16, 255, 256])
    div = 1 << b.number(0, 20)
    b.node("RequantShift", [x, mul, add], bits=8, div=div, n_levels=levels, signed=b.number(0, 1))


def integer_softmax(b: Builder) -> None:
    x, levels = _wide(b), b.choice([16, 128, 256])
    if b.chance(0.5):
        b.node("ITAMax", [x], bits=8, n_levels=levels)
        return
    coefficients = {"coeffA": 1, "coeffB": 345, "coeffC": 62395}
    b.node("iSoftmax", [x], bits=8, **coefficients, log2=b.choice([2, 17, 255]), n_levels=levels)


def integer_norm(b: Builder) -> None:
    x, op = _wide(b), b.choice(["iRMSNorm", "iLayerNorm", "iNoNorm"])
    along = [x.shape[-1]]
    inputs = [x, _whole(b, x, along, -200, 200), _whole(b, x, along, -3000, 3000)]
    numbers = {"D": 1 << b.number(0, 10), "n_levels": 256}
    numbers |= {"mul": b.number(-3, 9)} if op == "iNoNorm" else {}
    b.node(op, inputs[: 2 if op == "iRMSNorm" else 3], bits=max(8, x.bits), **numbers)


def integer_activation(b: Builder) -> None:
    x = _wide(b)
    if b.chance(0.5):
        b.node("iGELU", [x], bits=2 * x.bits, b=-b.number(0, 60), one=b.number(0, b.choice([3000, 1 << 17])))
        return
    numbers = {"three": b.number(-9, 45), "six": b.number(0, 90), "one_over_six": b.number(-2, 9)}
    b.node("iHardswish", [x], bits=2 * x.bits, **numbers)


def integer_division(b: Builder) -> None:
    x, numbers = _wide(b), {"Delta": b.number(1, 9), "eps": b.number(1, 5), "eta": b.number(1, 4)}
    if b.chance(0.5):
        b.node("TrueIntegerDiv", [x], bits=x.bits + 8, y=b.number(1, 20), **numbers)
        return
    divisor = _whole(b, x, [b.choice([1, extent]) for extent in x.shape], 1, 30)
    b.node("IntegerDiv", [x, divisor], bits=x.bits + 8, **numbers)


def integer_mean(b: Builder) -> None:
    x = _wide(b)
    axes = sorted({b.number(0, len(x.shape) - 1) for _ in range(b.number(1, 2))})
    b.node("IntegerMean", [x], bits=x.bits, axes=axes, keepdims=b.number(0, 1))


def quantise(b: Builder) -> None:
    """Scale integers to other floats, which nothing else takes, and round them again."""
    x = _wide(b)
    if x.dtype.kind != "f":
        raise NoChoice
    name = b.op("Dequant", [x.name], scale=0.5, zero_point=float(b.number(-3, 3)))
    low, high = b.choice([(-128, 127), (0, 255), (-8, 7), (0, 1)])
    numbers: dict[str, Any] = {"scale": b.choice([0.25, 1.0, 2.0]), "zero_point": float(b.number(-5, 5))}
    result = b.op("Quant", [name], **numbers, min=low, max=high)
    b.values.append(Tensor(result, x.kind, x.shape, 8))


OPERATORS: tuple[Operator, ...] = (
    requant_shift,
    integer_softmax,
    integer_norm,
    integer_activation,
    integer_division,
    integer_mean,
    quantise,
)
