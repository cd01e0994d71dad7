"""The printed C as a whole: what it computes, how it reads, what it is made of."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from tilewright.dialects import emitc
from tilewright.errors import Diagnostic
from tilewright.ir import new_context, node_names, parse_module, print_ir, verify
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.passes.emitc.names import Names, identifier
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.toolchain import STRICT
from tilewright.targets.c import CProgram, render, write_program
from tilewright.targets.core.c_functions import c_string, comment
from tilewright.targets.core.c_weights import Weight, definition

pytestmark = pytest.mark.quick

CONV = Path(__file__).parent.parent / "passes" / "convert-to-emitc.mlir"


def program_of(text: str) -> CProgram:
    module = parse_module(new_context(), text)
    verify(module)
    convert_to_emitc(module)
    verify(module)
    return render(module)


def constant(name: str, array: np.ndarray, element: str) -> str:
    shape = "x".join(str(size) for size in array.shape)
    return (
        f'"memref.global"() <{{sym_name = "{name}", type = memref<{shape}x{element}>, initial_value = '
        f'dense<"0x{array.tobytes().hex().upper()}"> : tensor<{shape}x{element}>, '
        'sym_visibility = "private", constant}> : () -> ()\n'
    )


def arena(size: int) -> str:
    return (
        f'"memref.global"() <{{sym_name = "arena", type = memref<{size}xi8>, initial_value, '
        'sym_visibility = "private", alignment = 16 : i64}> : () -> ()\n'
    )


CLEAR = """
      %blank = arith.constant 0 : i32
      scf.for %i = %c0 to %c8 step %c1 {
        memref.store %blank, %y[%i] : memref<8xi32>
      }"""


def kernel(body: str, *, output: str = "8xi32", input_: str = "8xi32", head: str = "") -> str:
    clear = CLEAR if output == "8xi32" else ""
    return f"""{head}
    func.func @network(%x: memref<{input_}> {{onnx.name = "x"}},
                       %y: memref<{output}> {{onnx.name = "y", tilewright.output}}) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c8 = arith.constant 8 : index
      {clear}
      {body}
      func.return
    }}"""


X = np.arange(3, 11, dtype=np.int32)


def result_of(text: str, x: np.ndarray = X) -> np.ndarray:
    program = program_of(text)
    plain = HostNetwork(program, flags=STRICT).run([x])[0]
    checked = HostNetwork(program, sanitize=True, flags=STRICT).run([x])[0]
    np.testing.assert_array_equal(plain, checked)
    return plain


# What is computed


def convolution(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    padded = np.pad(x.view(np.int8).astype(np.int64)[0], ((0, 0), (1, 1), (1, 1)))
    total = np.zeros((2, 8, 8), np.int64)
    for ky in range(3):
        for kx in range(3):
            total += np.tensordot(w[:, :, ky, kx].astype(np.int64), padded[:, ky : ky + 8, kx : kx + 8], axes=1)
    return np.clip((total * 1234567890 + (1 << 34)) >> 35, -128, 127).astype(np.int8)[None]


def test_convolution_with_padding_and_requantisation() -> None:
    x = np.random.default_rng(0).integers(0, 255, (1, 3, 8, 8)).astype(np.uint8)
    result = result_of(CONV.read_text(), x)
    assert len(np.unique(result)) > 20
    np.testing.assert_array_equal(result, convolution(x, np.arange(54, dtype=np.int8).reshape(2, 3, 3, 3) - 27))


def test_loop_variables_are_exchanged_at_once() -> None:
    body = """
      %a = arith.constant 0 : i32
      %b = arith.constant 1 : i32
      %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %a, %q = %b) -> (i32, i32) {
        memref.store %p, %y[%i] : memref<8xi32>
        %s = arith.addi %p, %q : i32
        scf.yield %q, %s : i32, i32
      }"""
    assert result_of(kernel(body)).tolist() == [0, 1, 1, 2, 3, 5, 8, 13]


def test_inner_loops_that_exchange_the_variables_of_the_outer() -> None:
    body = """
      %a = arith.constant 1 : i32
      %b = arith.constant 10 : i32
      %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %a, %q = %b) -> (i32, i32) {
        %s:2 = scf.for %j = %c0 to %c2 step %c1 iter_args(%u = %q, %v = %p) -> (i32, i32) {
          %n = arith.addi %u, %v : i32
          scf.yield %n, %u : i32, i32
        }
        scf.yield %s#1, %s#0 : i32, i32
      }
      memref.store %r#0, %y[%c0] : memref<8xi32>
      memref.store %r#1, %y[%c1] : memref<8xi32>"""
    p, q = 1, 10
    for _ in range(2):
        u, v = q, p
        for _ in range(2):
            u, v = u + v, u
        p, q = v, u
    assert result_of(kernel(body))[:2].tolist() == [p, q]


def test_the_old_value_of_a_carried_variable_outlives_the_inner_loop() -> None:
    body = """
      %a = arith.constant 1 : i32
      %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %a) -> (i32) {
        %s = scf.for %j = %c0 to %c2 step %c1 iter_args(%u = %p) -> (i32) {
          %n = arith.addi %u, %u : i32
          scf.yield %n : i32
        }
        memref.store %p, %y[%i] : memref<8xi32>
        scf.yield %s : i32
      }"""
    assert result_of(kernel(body)).tolist() == [4**i for i in range(8)]


def test_a_value_of_before_the_loop_is_yielded_by_a_condition() -> None:
    body = """
      %zero = arith.constant 0 : i32
      %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%u = %zero) -> (i32) {
        %v = memref.load %x[%i] : memref<8xi32>
        %n = arith.addi %u, %v : i32
        scf.yield %n : i32
      }
      %test = arith.cmpi sgt, %s, %zero : i32
      %r = scf.if %test -> (i32) {
        scf.yield %s : i32
      } else {
        scf.yield %zero : i32
      }
      memref.store %r, %y[%c0] : memref<8xi32>"""
    assert result_of(kernel(body))[0] == X.sum()


def test_a_loops_result_that_a_condition_yields_is_no_variable_of_the_loop_around() -> None:
    body = """
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %one, %q = %zero) -> (i32, i32) {
        %s = scf.for %j = %c0 to %c8 step %c1 iter_args(%u = %zero) -> (i32) {
          %v = memref.load %x[%j] : memref<8xi32>
          %n = arith.addi %u, %v : i32
          scf.yield %n : i32
        }
        %test = arith.cmpi sgt, %i, %c0 : index
        %t = scf.if %test -> (i32) {
          scf.yield %s : i32
        } else {
          scf.yield %p : i32
        }
        scf.yield %p, %t : i32, i32
      }
      memref.store %r#0, %y[%c0] : memref<8xi32>
      memref.store %r#1, %y[%c1] : memref<8xi32>"""
    assert result_of(kernel(body))[:2].tolist() == [1, X.sum()]


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


# How it is made


def test_weights_in_assembly_give_the_same_answer(tmp_path: Path) -> None:
    program = program_of(CONV.read_text())
    x = np.random.default_rng(1).integers(0, 255, (1, 3, 8, 8)).astype(np.uint8)
    arrays = HostNetwork(program, flags=STRICT).run([x])[0]
    names = [path.name for path in write_program(program, tmp_path, largest_arrays=16)]
    assert names == ["tilewright.h", "weights.h", "weights.bin", "weights.S", "network.h", "network.c"]
    np.testing.assert_array_equal(HostNetwork(tmp_path, flags=STRICT).run([x])[0], arrays)
    write_program(program, tmp_path)
    assert not (tmp_path / "weights.S").exists()
    np.testing.assert_array_equal(HostNetwork(tmp_path, flags=STRICT).run([x])[0], arrays)


def test_weights_of_several_types_in_assembly(tmp_path: Path) -> None:
    arrays = {"a": np.array([1, 2, 3], np.int8), "b": np.array([70000, -5], np.int32), "c": np.array([0.5], np.float64)}
    elements = {"a": "i8", "b": "i32", "c": "f64"}
    head = "".join(constant(name, array, elements[name]) for name, array in arrays.items())
    body = """
      %a = memref.get_global @a : memref<3xi8>
      %b = memref.get_global @b : memref<2xi32>
      %c = memref.get_global @c : memref<1xf64>
      %u = memref.load %a[%c2] : memref<3xi8>
      %v = memref.load %b[%c0] : memref<2xi32>
      %w = memref.load %c[%c0] : memref<1xf64>
      %u32 = arith.extsi %u : i8 to i32
      %bits = arith.bitcast %w : f64 to i64
      %t = arith.constant 32 : i64
      %high = arith.shrui %bits, %t : i64
      %w32 = arith.trunci %high : i64 to i32
      memref.store %u32, %y[%c0] : memref<8xi32>
      memref.store %v, %y[%c1] : memref<8xi32>
      memref.store %w32, %y[%c2] : memref<8xi32>
      %x0 = memref.load %x[%c0] : memref<8xi32>"""
    write_program(program_of(kernel(body, head=head)), tmp_path, largest_arrays=0)
    result = HostNetwork(tmp_path, flags=STRICT).run([X])[0]
    assert result[:3].tolist() == [3, 70000, 0x3FE00000]


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Diagnostic, match="cannot write the file"):
        write_program(program_of(CONV.read_text()), tmp_path / "file")


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(CONV.read_text())
    write_program(program, tmp_path)
    before = (tmp_path / "network.c").read_text()

    replace = os.replace

    def full(source: str, target: Path) -> None:
        if target.name == "network.c":
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(Diagnostic, match="No space left on device"):
        write_program(program_of(CONV.read_text().replace("@conv", "@other")), tmp_path)
    assert (tmp_path / "network.c").read_text() == before
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_the_text_survives_a_round_trip_of_the_ir() -> None:
    module = parse_module(new_context(), CONV.read_text())
    convert_to_emitc(module)
    again = parse_module(new_context(), print_ir(module))
    verify(again)
    assert render(again).text() == render(module).text()
    assert [node_names(op) for op in again.walk() if isinstance(op, emitc.CallOp)] == [("Conv_16", "Req*/_17")]


def test_hostile_names() -> None:
    text = """
    func.func private @"a b"(%int: memref<2xi8>, %class: memref<2xi8>) {
      "memref.copy"(%int, %class) : (memref<2xi8>, memref<2xi8>) -> ()
      func.return
    }
    func.func private @a_b(%memcpy: memref<2xi8>, %x: memref<2xi8>) {
      "memref.copy"(%memcpy, %x) : (memref<2xi8>, memref<2xi8>) -> ()
      func.return
    }
    func.func @exp(%i: memref<2xi8> {onnx.name = "int"},
                   %j: memref<2xi8> {onnx.name = "9 \\"*/ lives\\\\", tilewright.output}) {
      func.call @"a b"(%i, %j) : (memref<2xi8>, memref<2xi8>) -> () loc("*/ int main() {} /*")
      func.call @a_b(%i, %j) : (memref<2xi8>, memref<2xi8>) -> ()
      func.return
    }"""
    network = HostNetwork(program_of(text), flags=STRICT)
    assert [port.name for port in (*network.inputs, *network.outputs)] == ["int", '9 "*/ lives\\']
    assert network.run([np.array([3, -4], np.int8)])[0].tolist() == [3, -4]


def test_identifiers() -> None:
    given = ["x", "int", "a.b", "a b", "9", "", "_x", "int8_t", "EOF", "tw_min_i8", "x", "x_1", "class", "Conv/1:0"]
    names = Names()
    made = [names.add(text) for text in given]
    assert made == [
        *("x", "int_", "a_b", "a_b_1", "n9", "n", "n_x", "n_int8_t", "n_EOF", "n_tw_min_i8", "x_1", "x_1_1"),
        *("class_", "Conv_1_0"),
    ]
    assert all(identifier(name) == name for name in made)


def test_comments_and_strings_hold_anything() -> None:
    assert comment("a*/b/*c\nd") == "a* /b/ *c?d"
    assert c_string('a"b\\c?é') == '"a\\042b\\134c\\077\\303\\251"'


def test_a_megabyte_of_weights_is_written_quickly() -> None:
    data = np.random.default_rng(0).integers(-128, 128, 1 << 20).astype(np.int8)
    weight = Weight("w", "int8_t", "int8", (1 << 20,), data.tobytes(), 1)
    start = time.process_time()
    text = definition(weight)
    assert time.process_time() - start < 0.5
    assert text.count(",") == 1 << 20


def many_kernels(kernels: int, calls: int, ops: int) -> str:
    """Return a module of that many functions of that many ops, called that often."""
    lines = [
        line
        for index in range(ops // 3)
        for line in (
            f"%a{index} = arith.addi %v{index}, %v{index} : i32",
            f"%b{index} = arith.muli %a{index}, %v0 : i32",
            f"%v{index + 1} = arith.xori %b{index}, %v{index} : i32",
        )
    ]
    body = "\n".join(lines)
    functions = [
        f"""func.func private @k{index}(%x: memref<8xi32>, %y: memref<8xi32>) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c8 = arith.constant 8 : index
          scf.for %i = %c0 to %c8 step %c1 {{
            %v0 = memref.load %x[%i] : memref<8xi32>
            {body}
            memref.store %v{ops // 3}, %y[%i] : memref<8xi32>
          }}
          func.return
        }}"""
        for index in range(kernels)
    ]
    called = [f"func.call @k{index % kernels}(%x, %y) : (memref<8xi32>, memref<8xi32>) -> ()" for index in range(calls)]
    return "\n".join([*functions, kernel("\n".join(called))])


@pytest.mark.long
def test_a_large_network_converts_and_prints_quickly() -> None:
    module = parse_module(new_context(), many_kernels(60, 300, 60))
    start = time.process_time()
    convert_to_emitc(module)
    text = render(module).text()
    assert time.process_time() - start < 2.0
    assert text.count("k59(x, y);") == 5
