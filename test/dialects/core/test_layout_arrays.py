"""Arrays in blocked layouts, and views of boxes of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import AffineMapAttr, MemRefType, i8
from xdsl.ir.affine import AffineExpr, AffineMap

from tilewright.dialects.core.layout_arrays import box_of, laid_out, part_of
from tilewright.dialects.core.layouts import positions, view_strides
from tilewright.errors import Diagnostic
from tilewright.ir import Array

ROWS, COLUMNS = AffineExpr.dimension(0), AffineExpr.dimension(1)
BLOCKS = AffineMapAttr(AffineMap(2, 0, (COLUMNS // 4, ROWS, COLUMNS % 4)))


def _array() -> Array:
    return laid_out(np.arange(32, dtype=np.int8), MemRefType(i8, [4, 8], BLOCKS))


@pytest.mark.quick
def test_a_box_in_a_block_is_a_view() -> None:
    box = box_of(_array(), (slice(1, 3), slice(4, 8)))
    np.testing.assert_array_equal(box, [[20, 21, 22, 23], [24, 25, 26, 27]])


@pytest.mark.quick
@pytest.mark.parametrize("rows", [slice(4, 4), slice(9, 12), slice(2, 0)])
def test_a_box_outside_is_empty(rows: slice) -> None:
    assert box_of(_array(), (rows, slice(0, 4))).size == 0


@pytest.mark.quick
def test_a_box_over_blocks_is_refused() -> None:
    with pytest.raises(Diagnostic, match="spans several"):
        box_of(_array(), (slice(0, 2), slice(2, 6)))


@pytest.mark.quick
def test_a_part_over_blocks_is_in_place() -> None:
    whole = _array()
    part = part_of(whole, (slice(0, 2), slice(2, 6)))
    np.testing.assert_array_equal(part[...], [[2, 3, 16, 17], [6, 7, 20, 21]])
    part[...] = 0
    assert np.count_nonzero(whole[...] == 0) == 9  # one element was 0 before


FORMS = [
    (ROWS, COLUMNS),
    (COLUMNS, ROWS),
    (COLUMNS // 4, ROWS, COLUMNS % 4),
    (ROWS // 2, COLUMNS // 4, ROWS % 2, COLUMNS % 4),
    (ROWS * 8 + COLUMNS,),
    ((ROWS * 8 + COLUMNS) // 16, (ROWS * 8 + COLUMNS) % 16),
    ((ROWS + COLUMNS) % 8, ROWS),
]


@pytest.mark.quick
@given(st.sampled_from(FORMS), st.data())
def test_a_box_has_strides_where_its_positions_have(form: tuple[AffineExpr, ...], data: st.DataObject) -> None:
    type = MemRefType(i8, [4, 8], AffineMapAttr(AffineMap(2, 0, form)))
    begins = [data.draw(st.integers(0, size - 1)) for size in (4, 8)]
    extents = [data.draw(st.integers(1, size - at)) for size, at in zip((4, 8), begins, strict=True)]
    rows, columns = (slice(at, at + extent) for at, extent in zip(begins, extents, strict=True))
    whole = positions(type)
    box = whole[rows, columns]
    steps = [np.diff(box, axis=axis) for axis in (0, 1)]
    found = view_strides(type, (extents[0], extents[1]), (begins[0], begins[1]))
    assert (found is None) == any(np.unique(each).size > 1 for each in steps)
    at_beginning = whole[1, 0] - whole[0, 0], whole[0, 1] - whole[0, 0]
    for axis, stride in enumerate(found or ()):
        assert stride == (steps[axis].flat[0] if extents[axis] > 1 else at_beginning[axis])


@pytest.mark.quick
def test_a_box_beyond_the_end_has_no_strides() -> None:
    type = MemRefType(i8, [4, 8], BLOCKS)
    assert view_strides(type, (2, 4), (3, 0)) is None
    assert view_strides(type, (0, 4)) is None
