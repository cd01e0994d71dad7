"""Data-dependent sizes of elementwise operators and reductions."""

from __future__ import annotations

from ...dialects.onnx.facts import Trait, facts_of, having
from ..extents import Axes, CountedExtent, Size, key_of
from .sized import Sized, sizes
from .values import carried

_ARITHMETIC = ("Add", "Sub", "Mul", "Div", "Min", "Max")
"""Operators that compute with sizes too."""

_OTHERS = having(Trait.MOVES) | having(Trait.CARRIES_INTEGERS)
_ELEMENTWISE = having(Trait.ELEMENTWISE) - _OTHERS - {*_ARITHMETIC, "Cast"}


@sizes("Cast")
def _cast(sized: Sized) -> bool | None:
    return None if carried(sized) else _elementwise(sized)


@sizes(*sorted(_ELEMENTWISE))
def _elementwise(sized: Sized) -> bool | None:
    """Keep an operator that maps elements: along each axis all inputs have the same extent, or one entry."""
    names = [name for name in sized.of.input if name]
    if not any(sized.axes(name) for name in names):
        return False
    axes = _broadcast(sized, names)
    if sized.of.op_type in having(Trait.DIVIDES) and sized.is_integer(names[0]):
        _keep_with(sized, 1, sized.masked(names[1], 1))
    else:
        sized.keep()
    sized.give(sized.of.output[0], axes)
    return None


@sizes(*_ARITHMETIC)
def _arithmetic(sized: Sized) -> bool | None:
    """Propagate sizes through arithmetic on sizes; other operands make it an elementwise operator."""
    names = list(sized.of.input)
    operands = [sized.numbers(name) for name in names]
    small = all(numbers is not None and len(numbers) == 1 for numbers in operands) and len(names) == 2
    if any(sized.axes(name) for name in names) or not small or not all(map(sized.is_integer, names)):
        return _elementwise(sized)
    (a,), (b,) = (numbers or (0,) for numbers in operands)
    numbers = [size for size in (a, b) if isinstance(size, int)]
    right_only = sized.of.op_type in ("Sub", "Div")
    is_fit = isinstance(b, int) if right_only else True
    if any(number < 0 for number in numbers) or not is_fit or (sized.of.op_type == "Div" and b == 0):
        return False
    sized.keep()
    # What is left of a size may be below 0, which no size is.
    if sized.of.op_type != "Sub":
        sized.hold((sized.combine(sized.of.op_type, a, b),))
    return None


def _broadcast(sized: Sized, names: list[str]) -> Axes:
    """Return the axes of the common broadcast shape. Raises Diagnostic where an extent meets another size."""
    rank = max(len(sized.shape(name)) for name in names)
    axes: Axes = {}
    for axis in range(rank):
        lengths = [_size_at(sized, name, axis - rank) for name in names]
        extents = {size.key: size for size in lengths if isinstance(size, CountedExtent)}
        if not extents:
            continue
        if len({key_of(size) for size in lengths if size != 1}) > 1:
            raise sized.refused("of tensors whose sizes depend on other data is not handled")
        axes[axis] = next(iter(extents.values()))
    return axes


def _size_at(sized: Sized, name: str, axis: int) -> Size:
    own = sized.sizes(name)
    return own[axis] if -axis <= len(own) else 1


def _keep_with(sized: Sized, index: int, name: str) -> None:
    """Append the node with another tensor as an input."""
    sized.of.input[index] = name
    sized.keep()


# Along an axis


@sizes("Softmax", "LogSoftmax")
def _softmax(sized: Sized) -> bool | None:
    x = sized.input(0)
    extents = sized.axes(x)
    if not extents:
        return False
    axis = sized.axis("axis", -1, len(sized.shape(x)))
    _keep_with(sized, 0, sized.masked(x, sized.least(x), [axis]))
    sized.give(sized.of.output[0], extents)
    return None


@sizes("LayerNormalization", "RMSNormalization")
def _norm(sized: Sized) -> bool | None:
    extents, rank = sized.axes(sized.input(0)), len(sized.shape(sized.input(0)))
    if any(axis >= sized.axis("axis", -1, rank) for axis in extents) or any(map(sized.axes, sized.of.input[1:])):
        raise sized.refused("along an axis whose size depends on data is not handled")
    sized.keep()
    for index in range(len(sized.of.output)):
        sized.give(sized.of.output[index], extents, index)
    return None


@sizes("CumSum")
def _cum_sum(sized: Sized) -> bool | None:
    x = sized.input(0)
    if not (extents := sized.axes(x)):
        return False
    _keep_with(sized, 0, sized.masked(x, 0) if sized.attribute("reverse") else x)
    sized.give(sized.of.output[0], extents)
    return None


@sizes("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd")
@sizes("ReduceSum", "ReduceSumSquare")
def _reduce(sized: Sized) -> bool | None:
    x, op = sized.input(0), sized.of.op_type
    extents, rank = sized.axes(x), len(sized.shape(x))
    if not extents:
        return False
    constant = sized.constant(sized.input(1))
    if sized.input(1) and constant is None:
        raise sized.refused("along axes that the run decides is not handled")
    listed = [] if constant is None else [int(axis) % rank for axis in constant.reshape(-1)]
    if not listed and not sized.attribute("noop_with_empty_axes", 0):
        listed = list(range(rank))
    reduced = {axis: extent for axis, extent in extents.items() if axis in listed}
    axes = {axis: extent for axis, extent in extents.items() if axis not in listed}
    if not sized.attribute("keepdims", 1):
        left = [axis for axis in range(rank) if axis not in listed]
        axes = {left.index(axis): extent for axis, extent in axes.items()}
    neutral = facts_of(op).neutral
    neutral = sized.least(x, largest=op == "ReduceMin") if neutral is None else neutral
    masked = sized.masked(x, neutral, list(reduced))
    if op != "ReduceMean" or not reduced:
        _keep_with(sized, 0, masked)
        sized.give(sized.of.output[0], axes)
        return None
    attributes = {a: sized.attribute(a) for a in ("keepdims", "noop_with_empty_axes") if sized.attribute(a) is not None}
    total = sized.make("ReduceSum", [masked, *sized.of.input[1:]], **attributes)
    count: Size = 1
    for axis in listed:
        count = sized.combine("Mul", count, sized.sizes(x)[axis])
    divisor = sized.make("Cast", [sized.scalar(count)], to=sized.resolver.data_type(x, sized.of))
    # The mean of nothing is 0, as it is for ONNX Runtime.
    divisor = sized.make("Max", [divisor, sized.make("CastLike", [sized.number(1), divisor])])
    sized.give(sized.make("Div", [total, divisor]), axes)
    return None


@sizes("ArgMax", "ArgMin")
def _arg_extreme(sized: Sized) -> bool | None:
    x = sized.input(0)
    extents, axis = sized.axes(x), sized.axis("axis", 0, len(sized.shape(x)))
    if not extents:
        return False
    if axis in extents and sized.attribute("select_last_index", 0):
        raise sized.refused("that takes the last of equal elements, of an axis whose size depends on data")
    _keep_with(sized, 0, sized.masked(x, sized.least(x, largest=sized.of.op_type == "ArgMin"), [axis]))
    shift = 0 if sized.attribute("keepdims", 1) else 1
    sized.give(sized.of.output[0], {a - shift * (a > axis): e for a, e in extents.items() if a != axis})
    return None


@sizes("TopK")
def _top_k(sized: Sized) -> bool | None:
    x = sized.input(0)
    wanted = sized.numbers(sized.input(1))
    if wanted is None:
        raise sized.refused("of a number that the run decides has no bound")
    own, rank = sized.sizes(x), len(sized.shape(x))
    axis, largest = sized.axis("axis", -1, rank), bool(sized.attribute("largest", 1))
    count = sized.combine("Min", wanted[0], own[axis])
    masked = sized.masked(x, sized.least(x, largest=not largest), [axis])
    names = [sized.fresh(), sized.fresh()]
    most = sized.number([count if isinstance(count, int) else count.bound])
    order = int(sized.attribute("sorted", 1))
    sized.make("TopK", [masked, most], names, axis=axis, largest=int(largest), sorted=order)
    others = {a: e for a, e in sized.axes(x).items() if a != axis}
    axes = others | ({axis: count} if isinstance(count, CountedExtent) else {})
    for index, name in enumerate(names):
        sized.give(name, axes, index)
    return None


# Products


@sizes("MatMul")
def _matmul(sized: Sized) -> None:
    a, b = sized.of.input
    own, other = sized.sizes(a), sized.sizes(b)
    if len(own) < 2 or len(other) < 2:
        raise sized.refused("of vectors whose size depends on data is not handled")
    inner = (own[-1], other[-2])
    if key_of(inner[0]) != key_of(inner[1]):
        raise sized.refused("of tensors whose sizes depend on other data is not handled")
    rank = max(len(own), len(other))
    axes: Axes = {}
    for axis in range(rank - 2):
        pair = [size[axis - rank] if rank - axis <= len(size) else 1 for size in (own, other)]
        extents = [size for size in pair if isinstance(size, CountedExtent)]
        if extents and len({key_of(size) for size in pair if size != 1}) > 1:
            raise sized.refused("of tensors whose sizes depend on other data is not handled")
        axes |= {axis: extents[0]} if extents else {}
    axes |= {rank - 2: own[-2]} if isinstance(own[-2], CountedExtent) else {}
    axes |= {rank - 1: other[-1]} if isinstance(other[-1], CountedExtent) else {}
    pair = [sized.masked(a, 0, [len(own) - 1]), sized.masked(b, 0, [len(other) - 2])]
    sized.give(sized.make("MatMul", pair), axes)


@sizes("Gemm")
def _gemm(sized: Sized) -> None:
    a, b, c = (sized.input(index) for index in range(3))
    if sized.axes(b) or sized.axes(c) or 0 not in sized.axes(a) or 1 in sized.axes(a) or sized.attribute("transA", 0):
        raise sized.refused("with a matrix whose size depends on data is not handled, but for rows of the first")
    if c and len(sized.shape(c)) == 2 and sized.shape(c)[0] != 1:
        raise sized.refused("with a bias for each row is not handled, where the rows depend on data")
    sized.keep()
    sized.give(sized.of.output[0], sized.axes(a))
