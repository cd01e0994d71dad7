"""The C of a program is one file that compiles alone, without warnings."""

from __future__ import annotations

import ctypes
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.toolchain import STRICT, compile_shared
from tilewright.test.passes.emitc.c_programs import program_of

HALVES = """
func.func @network(%x: memref<3xf16>, %y: memref<3xbf16> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<3xf16>
  %w = arith.addf %v, %v : f16
  %e = arith.extf %w : f16 to f32
  %t = arith.truncf %e : f32 to bf16
  %b = arith.bitcast %t : bf16 to i16
  %s = arith.bitcast %v : f16 to i16
  %o = arith.xori %b, %s : i16
  %f = arith.bitcast %o : i16 to bf16
  memref.store %f, %y[%c0] : memref<3xbf16>
  %g = arith.bitcast %o : i16 to f16
  memref.store %g, %x[%c0] : memref<3xf16>
  func.return
}"""
INDICES = """
memref.global "private" constant @g : memref<2x2xindex> = dense<[[-2, 3], [4, NUMBER]]>
func.func @network(%y: memref<2x2xindex> {tilewright.output}) {
  %g = memref.get_global @g : memref<2x2xindex>
  memref.copy %g, %y : memref<2x2xindex> to memref<2x2xindex>
  func.return
}"""
ONLY_WRITTEN = """
func.func private @write(%y: memref<1xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %v = arith.constant 5 : i32
  memref.store %v, %y[%c0] : memref<1xi32>
  func.return %v : i32
}
func.func @network(%x: i32, %y: memref<1xi32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloca() : memref<4xi32>
  %b = memref.alloca() : memref<4xi32>
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %x, %a[%i] : memref<4xi32>
    memref.store %x, %b[%i] : memref<4xi32>
  }
  %unread = func.call @write(%y) : (memref<1xi32>) -> i32
  memref.store %unread, %a[%c0] : memref<4xi32>
  %v = memref.load %b[%c1] : memref<4xi32>
  memref.store %v, %y[%c0] : memref<1xi32>
  func.return
}"""


@pytest.mark.parametrize("text", [HALVES, INDICES.replace("NUMBER", "5"), ONLY_WRITTEN])
def test_programs_compile_alone(text: str, tmp_path: Path) -> None:
    source = tmp_path / "network.c"
    source.write_text(program_of(text).text())
    compile_shared([source], [*STRICT, "-Wextra"])


def test_constant_indices_have_the_type_of_indices() -> None:
    assert "int32_t network_g[4]" in program_of(INDICES.replace("NUMBER", "5")).text()
    with pytest.raises(Diagnostic, match="beyond int32_t"):
        program_of(INDICES.replace("NUMBER", "2147483648"))


def test_arrays_that_nothing_reads_are_dropped() -> None:
    assert program_of(ONLY_WRITTEN).body.count("[4]") == 1


UNREAD_GLOBALS = """
memref.global "private" constant @g : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
memref.global "private" @h : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @network(%x: f32, %y: memref<1xf32> {tilewright.output}) {
  %c0 = arith.constant 0 : index
  %g = memref.get_global @g : memref<4xf32>
  %h = memref.get_global @h : memref<4xf32>
  %v = memref.load %g[%c0] : memref<4xf32>
  %w = memref.load %h[%c0] : memref<4xf32>
  memref.store %x, %y[%c0] : memref<1xf32>
  func.return
}"""


def test_globals_that_nothing_reads_are_dropped(tmp_path: Path) -> None:
    program = program_of(UNREAD_GLOBALS)
    assert (program.weights, program.arena_bytes) == ((), 0)
    test_programs_compile_alone(UNREAD_GLOBALS, tmp_path)


@pytest.mark.parametrize("type", ["i1", "i8", "i32"])
def test_comparisons_with_the_ends_of_a_type(type: str, tmp_path: Path) -> None:
    """Each predicate, with each end of the type on each side, compiles without a warning and is right."""
    width = int(type[1:])
    ends = [0, -1, -(2 ** (width - 1)), 2 ** (width - 1) - 1] if width > 1 else [0, 1]
    texts = [str(end) if width > 1 else ("false", "true")[end] for end in ends]
    constants = [
        f"%e{place} = arith.constant {text}{'' if width == 1 else f' : {type}'}" for place, text in enumerate(texts)
    ]
    predicates = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
    pairs = [(f"%e{place}", "%x") for place in range(len(ends))] + [("%x", f"%e{place}") for place in range(len(ends))]
    cases = [(predicate, *pair) for predicate in predicates for pair in [*pairs, ("%x", "%x")]]
    lines = [
        f"%r{place} = arith.cmpi {predicate}, {left}, {right} : {type}"
        for place, (predicate, left, right) in enumerate(cases)
    ]
    stores = [
        f"%c{place} = arith.constant {place} : index\nmemref.store %r{place}, %y[%c{place}] : memref<{len(cases)}xi1>"
        for place in range(len(cases))
    ]
    head = f"func.func @network(%x: {type}, %y: memref<{len(cases)}xi1> {{tilewright.output}}) {{"
    bits = ["%x, %x", "%x, %e1", "%e1, %x", "%e0, %x", "%e0, %e1"]
    if width == 1:
        lines[: len(bits)] = [f"%r{place} = arith.xori {operands} : i1" for place, operands in enumerate(bits)]
    text = "\n".join([head, *constants, *lines, *stores, "func.return", "}"])
    source = tmp_path / "network.c"
    source.write_text(program_of(text).text())
    run = ctypes.CDLL(str(compile_shared([source], [*STRICT, "-Wextra"]))).network_run
    for value in ends:
        results = np.zeros(len(cases), np.bool_)
        run(ctypes.c_int32(value), results.ctypes.data_as(ctypes.c_void_p))
        stored = np.array(value, {"i1": np.bool_, "i8": np.int8, "i32": np.int32}[type])
        expected = run_module(parse_module(new_context(), text), {"arg0": stored})["result0"]
        np.testing.assert_array_equal(results, expected)


def _widened(draw: Random, lines: list[str], value: str, width: int) -> tuple[str, int]:
    """Append ops that leave few values to an integer of `width` bits; return it and its width."""
    for _ in range(draw.randrange(4)):
        name, kind = f"%v{len(lines)}", draw.choice(("andi", "ori", "extsi", "extui", "shrui", "minui"))
        if not kind.startswith("ext"):
            number = 0 if kind == "shrui" and width == 1 else draw.choice((0, 1, 3, 7))
            lines.append(f"%n{name[1:]} = arith.constant {_number(number, width)}")
            lines.append(f"{name} = arith.{kind} {value}, %n{name[1:]} : i{width}")
        elif width < 64:
            wide = draw.choice([size for size in (8, 16, 32, 64) if size > width])
            lines.append(f"{name} = arith.{kind} {value} : i{width} to i{wide}")
            width = wide
        else:
            continue
        value = name
    return value, width


def _number(number: int, width: int) -> str:
    return ("false", "true")[number & 1] if width == 1 else f"{number} : i{width}"


def test_random_comparisons_that_types_and_masks_decide(tmp_path: Path) -> None:
    """Masked and widened numbers beside numbers near the ends of all types compile without a warning and are right."""
    draw, widths, count = Random(1), (1, 8, 16, 32, 64), 300
    lines = [f"%x{width} = arith.trunci %x : i64 to i{width}" for width in widths[:-1]]
    for place in range(count):
        start = draw.choice(widths)
        value, width = _widened(draw, lines, "%x" if start == 64 else f"%x{start}", start)
        end = draw.choice((0, *(1 << size - shift for size in widths[:-1] for shift in (0, 1))))
        number = (end + draw.choice((-1, 0, 0, 1))) * draw.choice((1, -1))
        least = -(1 << width - 1)
        lines.append(f"%e{place} = arith.constant {_number((number - least) % (1 << width) + least, width)}")
        choice = draw.random()
        pair = ", ".join(draw.sample((value, f"%e{place}"), 2)) if choice < 0.9 else f"{value}, {value}"
        if choice < 0.2:
            lines.append(f"%s{place}, %r{place} = arith.addui_extended {pair} : i{width}, i1")
        elif choice > 0.85 and width == 1:
            lines.append(f"%r{place} = arith.{draw.choice(('addi', 'subi', 'xori'))} {pair} : i1")
        else:
            predicate = draw.choice("eq ne slt sle sgt sge ult ule ugt uge".split())
            lines.append(f"%r{place} = arith.cmpi {predicate}, {pair} : i{width}")
        lines.append(f"%c{place} = arith.constant {place} : index")
        lines.append(f"memref.store %r{place}, %y[%c{place}] : memref<{count}xi1>")
    head = f"func.func @network(%x: i64, %y: memref<{count}xi1> {{tilewright.output}}) {{"
    text = "\n".join([head, *lines, "func.return", "}"])
    source = tmp_path / "network.c"
    source.write_text(program_of(text).text())
    run = ctypes.CDLL(str(compile_shared([source], [*STRICT, "-O1"]))).network_run
    module = parse_module(new_context(), text)
    for number in (0, -1, 127, -128, 255, 1 << 31, -(1 << 63), draw.getrandbits(63)):
        results = np.zeros(count, np.bool_)
        run(ctypes.c_int64(number), results.ctypes.data_as(ctypes.c_void_p))
        expected = run_module(module, {"arg0": np.array(number, np.int64)})["result0"]
        np.testing.assert_array_equal(results, expected)
