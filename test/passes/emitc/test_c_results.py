"""What the printed C computes: loops, conditions, views, copies, state."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.runtime.host import HostNetwork
from tilewright.runtime.toolchain import STRICT
from tilewright.test.passes.emitc.c_programs import CONV, X, arena, constant, kernel, program_of, result_of

pytestmark = pytest.mark.quick


def convolution(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    padded = np.pad(x.view(np.int8).astype(np.int64)[0], ((0, 0), (1, 1), (1, 1)))
    total = np.zeros((2, 8, 8), np.int64)
    for ky in range(3):
        for kx in range(3):
            total += np.tensordot(w[:, :, ky, kx].astype(np.int64), padded[:, ky : ky + 8, kx : kx + 8], axes=1)
    return np.clip((total * 1234567890 + (1 << 34)) >> 35, -128, 127).astype(np.int8)[None]


@pytest.mark.long
def test_convolution_with_padding_and_requantisation() -> None:
    x = np.random.default_rng(0).integers(0, 255, (1, 3, 8, 8)).astype(np.uint8)
    result = result_of(CONV.read_text(), x)
    assert len(np.unique(result)) > 20
    np.testing.assert_array_equal(result, convolution(x, np.arange(54, dtype=np.int8).reshape(2, 3, 3, 3) - 27))


@pytest.mark.long
def test_a_widened_element_is_read_once() -> None:
    body = """
      %zero = arith.constant 0 : i8
      %m = memref.get_global @arena : memref<16xi8>
      %b = memref.view %m[%c0][] : memref<16xi8> to memref<16xi8>
      %a = memref.load %x[%c0] : memref<8xi32>
      %n = arith.trunci %a : i32 to i8
      memref.store %n, %b[%c0] : memref<16xi8>
      %v = memref.load %b[%c0] : memref<16xi8>
      %w = arith.extsi %v : i8 to i32
      memref.store %w, %y[%c0] : memref<8xi32>
      memref.store %zero, %b[%c0] : memref<16xi8>
      memref.store %w, %y[%c1] : memref<8xi32>"""
    assert result_of(kernel(body, head=arena(16)))[:2].tolist() == [3, 3]


@pytest.mark.long
def test_what_is_loaded_is_read_before_it_is_overwritten() -> None:
    body = """
      %zero = arith.constant 0 : i32
      memref.store %zero, %y[%c1] : memref<8xi32>
      %a = memref.load %x[%c0] : memref<8xi32>
      memref.store %a, %y[%c0] : memref<8xi32>
      %old = memref.load %y[%c0] : memref<8xi32>
      %twice = arith.addi %old, %old : i32
      memref.store %twice, %y[%c0] : memref<8xi32>
      memref.store %old, %y[%c2] : memref<8xi32>
      %one = memref.load %y[%c2] : memref<8xi32>
      %test = arith.cmpi eq, %a, %a : i32
      scf.if %test {
        memref.store %zero, %y[%c2] : memref<8xi32>
        memref.store %one, %y[%c1] : memref<8xi32>
      }"""
    assert result_of(kernel(body))[:3].tolist() == [6, 3, 0]


@pytest.mark.long
def test_views_are_pointer_arithmetic() -> None:
    body = """
      %m = memref.get_global @arena : memref<256xi8>
      %o = arith.constant 64 : index
      %b = memref.view %m[%o][] : memref<256xi8> to memref<4x8xi32>
      scf.for %i = %c0 to %c8 step %c1 {
        %v = memref.load %x[%i] : memref<8xi32>
        memref.store %v, %b[%c2, %i] : memref<4x8xi32>
      }
      %s = memref.subview %b[1, 1] [3, 3] [1, 2] : memref<4x8xi32> to memref<3x3xi32, strided<[8, 2], offset: 9>>
      %e = memref.reinterpret_cast %b to offset: [16], sizes: [2, 4], strides: [4, 1]
        : memref<4x8xi32> to memref<2x4xi32, strided<[4, 1], offset: 16>>
      scf.for %i = %c0 to %c2 step %c1 {
        %v = memref.load %s[%c1, %i] : memref<3x3xi32, strided<[8, 2], offset: 9>>
        memref.store %v, %y[%i] : memref<8xi32>
        %d = memref.subview %b[2, %i] [1, 2] [1, 1] : memref<4x8xi32> to memref<1x2xi32, strided<[8, 1], offset: ?>>
        %w = memref.load %d[%c0, %c1] : memref<1x2xi32, strided<[8, 1], offset: ?>>
        %k = arith.addi %i, %c2 : index
        memref.store %w, %y[%k] : memref<8xi32>
        %u = memref.load %e[%c1, %i] : memref<2x4xi32, strided<[4, 1], offset: 16>>
        %l = arith.addi %k, %c2 : index
        memref.store %u, %y[%l] : memref<8xi32>
      }"""
    result = result_of(kernel(body, head=arena(256)))
    assert result[:6].tolist() == [X[1], X[3], X[1], X[2], X[4], X[5]]


def test_copies_between_layouts() -> None:
    body = """
      %t = memref.expand_shape %x [[0, 1]] output_shape [2, 4] : memref<8xi32> into memref<2x4xi32>
      %u = memref.expand_shape %y [[0, 1]] output_shape [4, 2] : memref<8xi32> into memref<4x2xi32>
      %v = memref.reinterpret_cast %u to offset: [0], sizes: [2, 4], strides: [1, 2]
        : memref<4x2xi32> to memref<2x4xi32, strided<[1, 2]>>
      "memref.copy"(%t, %v) : (memref<2x4xi32>, memref<2x4xi32, strided<[1, 2]>>) -> ()"""
    assert result_of(kernel(body)).tolist() == X.reshape(2, 4).T.ravel().tolist()


def test_state_and_all_types_of_weights() -> None:
    arrays = {
        "i8": np.array([-128, 127], np.int8),
        "i16": np.array([-32768, 5], np.int16),
        "i32": np.array([-(1 << 31), 7], np.int32),
        "i64": np.array([-(1 << 63), 9], np.int64),
        "f32": np.array([0.1, -3e38], np.float32),
        "f64": np.array([0.1, 1.5e300], np.float64),
    }
    for element, array in arrays.items():
        body = f"""
          %w = memref.get_global @w : memref<2x{element}>
          "memref.copy"(%w, %y) : (memref<2x{element}>, memref<2x{element}>) -> ()
          %v = memref.load %x[%c0] : memref<8xi32>"""
        text = kernel(body, output=f"2x{element}", head=constant("w", array, element))
        result = HostNetwork(program_of(text), flags=STRICT).run([X])[0]
        assert (result.dtype, result.tobytes()) == (array.dtype, array.tobytes())


def test_switches_and_regions_that_run_once() -> None:
    """A case beyond 32 bits is never taken by an index that has 32; a switch without cases is its default."""
    body = """
      %big = arith.constant 4294967299 : index
      scf.for %i = %c0 to %c8 step %c1 {
        %v = memref.load %x[%i] : memref<8xi32>
        %n = arith.index_cast %v : i32 to index
        %r, %s = scf.index_switch %n -> i32, index
        case 4 {
          scf.yield %v, %big : i32, index
        }
        case 4294967301 {
          %a = arith.subi %v, %v : i32
          scf.yield %a, %n : i32, index
        }
        default {
          %a = arith.muli %v, %v : i32
          scf.yield %a, %n : i32, index
        }
        %t = scf.index_switch %s -> i32
        case 4294967299 {
          %a = arith.addi %r, %r : i32
          scf.yield %a : i32
        }
        default {
          %a = scf.index_switch %s -> i32
          default {
            scf.yield %r : i32
          }
          scf.yield %a : i32
        }
        %u = scf.execute_region -> i32 {
          %a = arith.addi %t, %v : i32
          memref.store %a, %y[%i] : memref<8xi32>
          scf.yield %a : i32
        }
        memref.store %u, %y[%i] : memref<8xi32>
      }"""
    assert result_of(kernel(body)).tolist() == [12, 12, *(x * x + x for x in range(5, 11))]
