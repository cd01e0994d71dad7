"""Random elementwise operators, reductions and casts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..builder import INEXACT, Builder, NoChoice, Operator, Tensor

_SMOOTH = (
    "Exp Sin Cos Tan Atan Sinh Cosh Asinh Tanh Sigmoid Erf Softplus Softsign HardSigmoid HardSwish Elu Selu Celu Gelu "
    "Mish LeakyRelu"
).split()
_EXACT = ("Neg", "Abs", "Relu", "Identity")
_JUMPS = ("Floor", "Ceil", "Round", "Sign")
_COMPARISONS = ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")
_BITWISE = ("BitwiseAnd", "BitwiseOr", "BitwiseXor")
_ALPHA = ("Elu", "Celu", "LeakyRelu", "ThresholdedRelu", "HardSigmoid")


def smooth(b: Builder) -> None:
    operator = b.random.choice(_SMOOTH)
    attributes: dict[str, Any] = {}
    if operator in _ALPHA and b.random.random() < 0.5:
        attributes["alpha"] = b.random.choice((0.25, 0.5, 1.5))
    if operator == "Gelu" and b.random.random() < 0.5:
        attributes["approximate"] = "tanh"
    b.node(operator, [b.pick_kind()], **attributes)


def on_positive(b: Builder) -> None:
    """Functions that are defined or tame above 0: Sqrt, Log, Reciprocal and Pow of 1 + |x|."""
    x = b.pick_kind()
    one = b.constant(np.asarray(1, x.dtype))
    (size,) = b.node("Abs", [x], bits=x.bits)
    (above,) = b.node("Add", [size, one], bits=x.bits + 1)
    operator = b.random.choice(("Sqrt", "Log", "Reciprocal", "Pow"))
    power = [b.constant(np.asarray(b.random.choice((0.5, 2, -1, 1.5)), x.dtype))] if operator == "Pow" else []
    b.node(operator, [above, *power])


def any_domain(b: Builder) -> None:
    """Functions that are not defined everywhere: NaN and infinity are results like others."""
    b.node(b.random.choice(("Sqrt", "Log", "Asin", "Acos", "Atanh", "Acosh", "Reciprocal")), [b.pick_kind(exact=True)])


def exact(b: Builder) -> None:
    operator = b.random.choice(_EXACT)
    x = b.pick_kind("f" if operator == "Relu" else "fi")
    b.node(operator, [x], bits=x.bits)


def jumps(b: Builder) -> None:
    operator = b.random.choice(_JUMPS)
    x = b.pick_kind("f" if operator != "Sign" else "fi", exact=True)
    b.node(operator, [x], bits=x.bits)


def shrink(b: Builder) -> None:
    operator = b.random.choice(("Shrink", "ThresholdedRelu"))
    x = b.pick_kind(exact=True)
    attributes: dict[str, Any] = {"lambd": 1.0, "bias": 0.5} if operator == "Shrink" else {"alpha": 0.75}
    b.node(operator, [x], bits=x.bits + 1, **attributes)


def not_numbers(b: Builder) -> None:
    b.node(b.random.choice(("IsNaN", "IsInf")), [b.pick_kind()], bits=1)


def negation(b: Builder) -> None:
    b.node("Not", [b.pick_kind("b")], bits=1)


def _swapped(b: Builder, first: Any, second: Any) -> list[Any]:
    return [first, second] if b.random.random() < 0.6 else [second, first]


def arithmetic(b: Builder) -> None:
    operator = b.random.choice(("Add", "Sub", "Mul"))
    x = b.pick_kind("fiu")
    bits = 2 * x.bits if operator == "Mul" else x.bits + 1
    b.node(operator, _swapped(b, x, b.like(x)), bits=min(max(bits, 12), INEXACT))


def division(b: Builder) -> None:
    """Division by what is not 0."""
    x = b.pick_kind("fiu")
    divisor = np.abs(b.numbers(x.dtype, x.shape[-1:])) + 1
    if x.dtype.kind == "f":
        b.node("Div", [x, b.constant(divisor.astype(x.dtype))])
        return
    operator = b.random.choice(("Div", "Mod"))
    signs = np.where(b.numbers(np.bool_, divisor.shape), 1, -1 if x.dtype.kind == "i" else 1)
    attributes = {"fmod": 1} if operator == "Mod" and b.random.random() < 0.4 else {}
    b.node(operator, [x, b.constant((divisor * signs).astype(x.dtype))], bits=x.bits, **attributes)


def fmod(b: Builder) -> None:
    x = b.pick_kind(exact=True)
    divisor = b.constant(np.asarray(b.random.choice((0.5, 1.5, -2.25)), x.dtype))
    b.node("Mod", [x, divisor], bits=x.bits, fmod=1)


def extremes(b: Builder) -> None:
    operator = b.random.choice(("Max", "Min") if b.whole else ("Max", "Min", "Mean", "Sum"))
    x = b.pick_kind("fiu" if operator in ("Max", "Min") else "f")
    others = [b.like(x) for _ in range(b.random.choice((0, 1, 1, 2)))]
    b.node(operator, [x, *others], bits=max(x.bits, 12) if operator in ("Max", "Min") else INEXACT)


def prelu(b: Builder) -> None:
    x = b.pick_kind()
    b.node("PRelu", [x, b.weight(x.dtype, x.shape[-1:])], bits=x.bits + 6)


def comparison(b: Builder) -> None:
    x = b.pick_kind("fiu", exact=True)
    b.node(b.random.choice(_COMPARISONS), _swapped(b, x, b.like(x)), bits=1)


def logical(b: Builder) -> None:
    x = b.pick_kind("b")
    b.node(b.random.choice(("And", "Or", "Xor", "Equal")), [x, b.like(x)], bits=1)


def bitwise(b: Builder) -> None:
    x = b.pick_kind("iu")
    operator = b.random.choice((*_BITWISE, "BitwiseNot"))
    b.node(operator, [x] if operator == "BitwiseNot" else [x, b.like(x)], bits=x.bits)


def shift(b: Builder) -> None:
    x = b.pick_kind("u")
    amount = b.constant(np.asarray(b.random.randrange(8), x.dtype))
    b.node("BitShift", [x, amount], bits=x.bits, direction=b.random.choice(("LEFT", "RIGHT")))


def where(b: Builder) -> None:
    x, condition = b.pick_kind("fiub"), b.pick_kind("b")
    b.node("Where", _choice(condition, x, b.like(x), b), bits=max(x.bits, 12))


def _choice(condition: Tensor, x: Tensor, other: str, b: Builder) -> list[Tensor | str]:
    return [condition, x, other] if b.random.random() < 0.5 else [condition, other, x]


def clip(b: Builder) -> None:
    x = b.pick_kind("fiu")
    low, high = (b.constant(number) for number in sorted(b.numbers(x.dtype, (2,))))
    bounds = b.random.choice(([low], [low, high], ["", high], []))
    b.node("Clip", [x, *bounds], bits=x.bits)


def cast(b: Builder) -> None:
    """A conversion that fits: floats to integers from small exact ones only."""
    x = b.pick_kind("fiub", exact=True)
    if x.bits > 6 and x.dtype.kind == "f":
        raise NoChoice
    numbers = {np.float32: 1, np.float16: 10, np.float64: 11, np.int32: 6, np.int64: 7, np.int8: 3, np.bool_: 9}
    kinds = [kind for dtype, kind in numbers.items() if not b.whole or np.dtype(dtype).kind in "iu"]
    b.node("Cast", [x], bits=max(x.bits, 6), to=b.random.choice(kinds))


# Reductions


def _axes(b: Builder, rank: int) -> list[int]:
    chosen = sorted(b.random.sample(range(rank), b.random.randint(1, rank))) if rank else []
    return [axis - rank if b.random.random() < 0.3 else axis for axis in chosen]


def reduction(b: Builder) -> None:
    names = "Sum Mean Max Min" if b.whole else "Sum Mean Max Min Prod L1 L2 SumSquare LogSum LogSumExp"
    operator = "Reduce" + b.random.choice(names.split())
    x = b.pick_kind("fi" if operator in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceMean") else "f")
    if operator == "ReduceLogSum" and (not x.is_exact or x.dtype == np.float16):
        raise NoChoice  # where a sum cancels, its logarithm is anything
    axes = _axes(b, len(x.shape)) if b.random.random() < 0.8 else []
    attributes: dict[str, Any] = {"keepdims": b.random.choice((0, 1))} if b.random.random() < 0.7 else {}
    bits = x.bits + 10 if b.whole else INEXACT
    if operator in ("ReduceMax", "ReduceMin"):
        bits = x.bits
    if not axes:
        b.node(operator, [x], bits=bits, **attributes)
    elif operator == "ReduceSum" or b.opset >= 18:
        b.node(operator, [x, b.constant(np.asarray(axes))], bits=bits, **attributes)
    else:
        b.node(operator, [x], bits=bits, axes=axes, **attributes)


def arg(b: Builder) -> None:
    x = b.pick_kind("fiu", (1, 2, 3, 4), exact=True)
    attributes = {
        "axis": axis_of(b, x),
        "keepdims": b.random.choice((0, 1)),
        "select_last_index": b.random.choice((0, 0, 1)),
    }
    b.node(b.random.choice(("ArgMax", "ArgMin")), [x], bits=4, **attributes)


def cumsum(b: Builder) -> None:
    x = b.pick_kind("fi", (1, 2, 3, 4))
    attributes = {name: b.random.choice((0, 1)) for name in ("exclusive", "reverse")}
    axis = b.constant(np.asarray(axis_of(b, x), np.int32))
    b.node("CumSum", [x, axis], bits=min(x.bits + 5, INEXACT), **attributes)


def softmax(b: Builder) -> None:
    x = b.pick_kind("f", (1, 2, 3, 4))
    operator = b.random.choice(("Softmax", "Softmax", "LogSoftmax", "Hardmax"))
    if operator == "Hardmax" and not x.is_exact:
        raise NoChoice
    b.node(operator, [x], bits=1 if operator == "Hardmax" else INEXACT, axis=axis_of(b, x))


def topk(b: Builder) -> None:
    x = b.pick_kind("fi", (1, 2, 3), exact=True)
    axis = axis_of(b, x)
    k = b.constant(np.asarray([b.random.randint(1, x.shape[axis])]))
    b.node("TopK", [x, k], 2, bits=max(x.bits, 4), axis=axis, largest=b.random.choice((0, 1)))


def axis_of(b: Builder, x: Tensor) -> int:
    """Return an axis of a value, from the front or from the back. Raises NoChoice where it has none."""
    if not x.shape:
        raise NoChoice
    return b.random.randrange(-len(x.shape), len(x.shape))


def repeated(operator: Operator, times: int) -> Sequence[Operator]:
    """Return an operator so often that it is chosen more."""
    return [partial(operator)] * times


OPERATORS: tuple[Operator, ...] = (
    *repeated(smooth, 4),
    *repeated(arithmetic, 5),
    *repeated(reduction, 4),
    on_positive,
    any_domain,
    exact,
    jumps,
    shrink,
    not_numbers,
    negation,
    division,
    fmod,
    extremes,
    prelu,
    comparison,
    logical,
    bitwise,
    shift,
    where,
    clip,
    cast,
    arg,
    cumsum,
    softmax,
    topk,
)
