"""The printed C as a whole: how it reads, what it is made of, how it is written to files."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tilewright.dialects import emitc
from tilewright.dialects.core.syntax.text import Locations, new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.ir import node_names
from tilewright.passes.convert_to_emitc import convert_to_emitc
from tilewright.passes.emitc.names import Names, identifier
from tilewright.passes.emitc.text.functions import c_string, comment
from tilewright.passes.emitc.text.weights import Weight, definition
from tilewright.passes.formats.c import render, write_program
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.toolchain import STRICT
from tilewright.test.passes.emitc.c_programs import CONV, X, constant, kernel, program_of

pytestmark = pytest.mark.quick


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
    with pytest.raises(Diagnostic, match="the file cannot be written"):
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
    again = parse_module(new_context(), print_ir(module, locations=Locations.GIVEN))
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


@pytest.mark.long
def test_a_megabyte_of_weights_is_written_quickly() -> None:
    """It takes about as long as its numbers do, one text each."""
    data = np.random.default_rng(0).integers(-128, 128, 1 << 20).astype(np.int8)
    weight = Weight("w", "int8_t", "int8", (1 << 20,), data.tobytes(), 1)
    assert definition(weight).count(",") == 1 << 20
    numbers = seconds_of(lambda: ",".join(map(str, data.tolist())))
    assert seconds_of(lambda: definition(weight)) < 8 * numbers


def seconds_of(run: Callable[[], object]) -> float:
    """Return the least CPU seconds of three runs."""
    found: list[float] = []
    for _ in range(3):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


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
    assert time.process_time() - start < 20, "18,000 ops; half a second on an idle machine"
    assert text.count("k59(x, y);") == 5
