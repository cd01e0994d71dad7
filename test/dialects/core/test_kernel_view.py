"""The view that all ops share of a structured kernel: its box of points, its maps and what lies outside of operands."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, TensorType, i8, i64

from tilewright.dialects.core.kernel import Access, Kernel, is_kernel, kernel_of
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.ir import shape_of

pytestmark = pytest.mark.quick

CONTEXT = new_context()


def kernel(op: str, inputs: str, out: str, attributes: str, epilogue: str = "", extras: str = "") -> Kernel:
    """Return the view of the nn op whose inputs and extras have these space-separated types."""
    ins = [f"tensor<{type}>" for type in inputs.split()]
    more = [f"tensor<{type}>" for type in extras.split()]
    arguments = [f"%i{k}: {type}" for k, type in enumerate(ins)] + [f"%e{k}: {type}" for k, type in enumerate(more)]
    names = ", ".join(f"%i{k}" for k in range(len(ins)))
    text = f"""
    func.func @f({", ".join([*arguments, f"%o: tensor<{out}>"])}) {{
      %r = nn.{op} ins({names} : {", ".join(ins)}) outs(%o : tensor<{out}>) {{{attributes}}} {epilogue}
      func.return
    }}
    """
    module = parse_module(CONTEXT, text)
    verify(module)
    return kernel_of(next(op for op in module.walk() if is_kernel(op)))


def points(view: Kernel) -> Iterable[tuple[int, ...]]:
    return product(*(range(bound) for bound in view.bounds))


def outside(view: Kernel, access: Access) -> int:
    """Return how many points of the kernel read beside an operand."""
    shape = shape_of(access.value)
    indices = (access.map.eval(list(point), []) for point in points(view))
    return sum(any(not 0 <= i < n for i, n in zip(index, shape, strict=True)) for index in indices)


def check_covered(view: Kernel) -> None:
    """Every access without a fill is in bounds; the outputs' elements are all written, each from one set of dims."""
    for access in (*view.inputs, *view.extras, *view.outputs):
        assert access.fill is not None or outside(view, access) == 0
    for access in view.outputs:
        written = {tuple(access.map.eval(list(point), [])) for point in points(view)}
        assert written == set(product(*(range(n) for n in shape_of(access.value))))
        kept = {tuple(point[d] for d in view.output_dims) for point in points(view)}
        assert len(kept) == len(written)


def conv(pads: str) -> str:
    return (
        f"strides = array<i64: 2, 1>, dilations = array<i64: 1, 2>, pads = array<i64: {pads}>, groups = 2 : i64,"
        " accumulator = i32"
    )


def test_a_convolution_has_a_dimension_for_each_axis_and_tap():
    view = kernel("conv", "1x4x5x7xi8 6x2x3x2xi8", "1x6x2x5xi32", conv("0, 0, 0, 0"))
    assert view.bounds == (1, 2, 3, 2, 5, 2, 3, 2)
    assert view.reduced == {5, 6, 7}
    assert [access.fill for access in view.inputs] == [None, None]
    assert str(view.inputs[0].map.results[2]) == "((d3 * 2) + d6)"
    check_covered(view)


def test_padding_is_read_as_zero():
    view = kernel("conv", "1x4x5x7xi8 6x2x3x2xi8", "1x6x3x7xi32", conv("1, 2, 1, 0"))
    assert [access.fill for access in view.inputs] == [IntegerAttr(0, i8), None]
    assert view.fill_is_neutral
    assert [str(expr) for expr in view.inputs[0].map.results[2:]] == [
        "(((d3 * 2) + d6) + -1)",
        "((d4 + (d7 * 2)) + -2)",
    ]
    # 7 of 9 rows and 12 of 14 columns are inside, for each of 2 * 3 features and 2 channels.
    assert outside(view, view.inputs[0]) == (9 * 14 - 7 * 12) * 12
    check_covered(view)


POOL = "window = array<i64: 3>, strides = array<i64: 2>, dilations = array<i64: 1>, pads = array<i64: 1, 1>"


@pytest.mark.parametrize(
    ("kind", "unsigned", "fill"),
    [
        ("max", False, -128),
        ("max", True, 0),
        ("min", False, 127),
        ("min", True, -1),
        ("sum", False, 0),
        ("product", False, 1),
    ],
)
def test_what_lies_outside_of_a_pooled_tensor_does_not_count(kind: str, unsigned: bool, fill: int):
    sign = ", unsigned = array<i64: 0>" if unsigned else ""
    view = kernel("pool", "1x2x6xi8", "1x2x3xi8", f'kind = "{kind}", accumulator = i8, {POOL}{sign}')
    assert view.bounds == (1, 2, 3, 3)
    assert view.reduced == {3}
    assert view.inputs[0].fill == IntegerAttr(fill, i8)
    assert view.reductions[0].initial == (IntegerAttr(fill, i8),)
    assert outside(view, view.inputs[0]) == 2
    check_covered(view)


def test_a_matrix_product_broadcasts_its_leading_axes():
    view = kernel("matmul", "2x1x3x4xi8 5x6x4xi8", "2x5x3x6xi32", "accumulator = i32, transpose_b")
    assert view.bounds == (2, 5, 3, 6, 4)
    assert view.reduced == {4}
    assert [str(access.map) for access in view.inputs] == [
        "(d0, d1, d2, d3, d4) -> (d0, 0, d2, d4)",
        "(d0, d1, d2, d3, d4) -> (d1, d3, d4)",
    ]
    check_covered(view)


@pytest.mark.parametrize(("out", "keep", "axes"), [("4xi32", "", "0, 2"), ("1x4x1xi32", ", keep_dims", "0, 2")])
def test_a_reduction_leaves_out_its_axes_or_keeps_them(out: str, keep: str, axes: str):
    attributes = f'kind = "sum", accumulator = i32, axes = array<i64: {axes}>{keep}'
    view = kernel("reduce", "3x4x5xi8", out, attributes)
    assert view.bounds == (3, 4, 5)
    assert view.reduced == {0, 2}
    assert view.output_dims == (1,)
    check_covered(view)


ROWS = {
    "int_softmax": ("", "a = 1 : i64, b = 345 : i64, c = 62395 : i64, log2 = 255 : i64, levels = 256 : i64", 2),
    "ita_max": ("", "levels = 256 : i64", 2),
    "int_rms_norm": (" 8xi32", "shift = 3 : i64, low = -128 : i64, high = 127 : i64", 1),
    "int_layer_norm": (" 8xi32 8xi32", "shift = 3 : i64", 2),
}


@pytest.mark.parametrize("op", ROWS)
def test_a_row_is_reduced_and_written(op: str):
    vectors, attributes, reductions = ROWS[op]
    view = kernel(op, f"2x3x8xi8{vectors}", "2x3x8xi8", f"{attributes}, accumulator = i64, element = i8")
    assert view.bounds == (2, 3, 8)
    assert view.reduced == {2}
    assert view.output_dims == (0, 1, 2)
    assert len(view.reductions) == reductions
    assert view.result is not None
    check_covered(view)


def test_an_epilogue_is_read_at_the_outputs_element():
    epilogue = """epilogue(%e0 : tensor<6xi32>) at [affine_map<(d0, d1, d2, d3) -> (d1)>] {
    ^bb0(%s: i32, %b: i32):
      %y = arith.addi %s, %b : i32
      linalg.yield %y : i32
    }"""
    view = kernel("conv", "1x4x5x7xi8 6x2x3x2xi8", "1x6x2x5xi32", conv("0, 0, 0, 0"), epilogue, "6xi32")
    assert view.extras[0].map.results == view.outputs[0].map.results[1:2]
    assert str(view.extras[0].map.results[0]) == "((d1 * 3) + d2)"
    assert view.epilogue is not None
    check_covered(view)


@pytest.mark.long
@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(st.data())
def test_convolutions_of_any_form_stay_inside(data: st.DataObject):
    draw = data.draw
    size, taps, stride, dilation = (draw(st.integers(1, n)) for n in (9, 3, 3, 3))
    groups, depth, features = (draw(st.integers(1, 3)) for _ in range(3))
    pads = draw(st.tuples(st.integers(0, 2), st.integers(0, 2)))
    out = (size + sum(pads) - (taps - 1) * dilation - 1) // stride + 1
    if out < 1:
        return
    attributes = (
        f"strides = array<i64: {stride}>, dilations = array<i64: {dilation}>, pads = array<i64: {pads[0]}, {pads[1]}>,"
        f" groups = {groups} : i64, accumulator = i32"
    )
    inputs = f"1x{groups * depth}x{size}xi8 {groups * features}x{depth}x{taps}xi8"
    check_covered(kernel("conv", inputs, f"1x{groups * features}x{out}xi32", attributes))


def generic(text: str) -> Any:
    module = parse_module(CONTEXT, f"func.func @f(%x: tensor<?xi8>, %y: tensor<4xi8>) {{\n{text}\nfunc.return\n}}")
    return next(op for op in module.walk() if op.name not in ("builtin.module", "func.func"))


def test_other_ops_are_no_kernels():
    op = generic("%z = arith.constant 0 : i32")
    assert not is_kernel(op)
    with pytest.raises(Diagnostic, match=r"'arith.constant' is not a structured kernel"):
        kernel_of(op)


def test_a_dynamic_shape_is_refused():
    attributes = "levels = 256 : i64, accumulator = i32, element = i8"
    op = generic(f"%z = nn.ita_max ins(%x : tensor<?xi8>) outs(%y : tensor<4xi8>) {{{attributes}}}")
    with pytest.raises(Diagnostic, match="has an operand of dynamic shape"):
        kernel_of(op)


def test_a_dimension_that_no_operand_gives_is_refused():
    op = generic(
        """%z = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>],
        iterator_types = ["parallel", "reduction"]} ins(%y : tensor<4xi8>) outs(%y : tensor<4xi8>) {
        ^bb0(%a: i8, %b: i8):
          linalg.yield %a : i8
        } -> tensor<4xi8>"""
    )
    with pytest.raises(Diagnostic, match="no operand gives the extent of dimension d1"):
        kernel_of(op)


def test_the_view_of_an_op_follows_what_becomes_of_it():
    text = """
    func.func @f(%a: tensor<4x8xi8>, %b: tensor<8x6xi8>, %c: tensor<8x6xi8>, %o: tensor<4x6xi32>) {
      %r = nn.matmul ins(%a, %b : tensor<4x8xi8>, tensor<8x6xi8>) outs(%o : tensor<4x6xi32>) {accumulator = i32}
      func.return
    }
    """
    module = parse_module(CONTEXT, text)
    op = next(op for op in module.walk() if is_kernel(op))
    first = kernel_of(op)
    assert kernel_of(op) is first
    other = op.parent.args[2]  # pyright: ignore[reportOptionalMemberAccess]
    op.operands[1] = other
    assert kernel_of(op).inputs[1].value is other
    op.properties["unsigned"] = DenseArrayBase.from_list(i64, [0])
    assert kernel_of(op).reductions[0].body is not first.reductions[0].body
    wider = (TensorType(i8, [4, 9]), TensorType(i8, [9, 6]))
    for value, type in zip(op.operands[:2], wider, strict=True):
        value._type = type  # pyright: ignore[reportPrivateUsage]
    assert kernel_of(op).bounds == (4, 6, 9)
