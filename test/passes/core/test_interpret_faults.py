"""Small wrong passes, each of which `--interpret-each` names: a program, and what the pass makes of its text."""

from __future__ import annotations

import pytest

from tilewright.errors import Diagnostic
from tilewright.runtime.driver.interpret import InterpretEach
from tilewright.test.passes.core.replaced_programs import replace

pytestmark = pytest.mark.quick


def scalar(body: str, types: str = "i32", results: str = "i32", result: str = "%r") -> str:
    """Return a function @network of arguments %a, %b, ... with these types."""
    arguments = ", ".join(f"%{name}: {type_}" for name, type_ in zip("abcd", types.split(", "), strict=False))
    return f"func.func @network({arguments}) -> ({results}) {{\n{body}\nfunc.return {result} : {results}\n}}"


SUBTRACT = scalar("%r = arith.subi %a, %b : i32", "i32, i32")
COMPARE = scalar("%r = arith.cmpi sge, %a, %b : i32", "i32, i32", "i1")
LIMIT = scalar("%c = arith.constant 1234567 : i32\n%r = arith.cmpi sgt, %a, %c : i32", "i32", "i1")
MAGNITUDE = scalar(
    "%z = arith.constant 0 : i32\n%n = arith.subi %z, %a : i32\n%i = arith.cmpi slt, %a, %z : i32\n"
    "%r = arith.select %i, %n, %a : i32"
)
FLOATS = "f32, f32"
ORDERED = scalar("%r = arith.cmpf olt, %a, %b : f32", FLOATS, "i1")
SUM = scalar("%z = arith.constant 0.0 : f32\n%r = arith.addf %a, %z : f32", "f32", "f32")
PRODUCT = scalar("%z = arith.constant 0.0 : f32\n%r = arith.mulf %a, %z : f32", "f32", "f32")
QUOTIENT = scalar("%c = arith.constant 3.0 : f32\n%r = arith.divf %a, %c : f32", "f32", "f32")
THREE = scalar("%s = arith.addf %a, %b : f32\n%r = arith.addf %s, %c : f32", "f32, f32, f32", "f32")
WIDE = scalar(
    "%w = arith.extf %a : f32 to f64\n%x = arith.mulf %w, %w : f64\n%r = arith.truncf %x : f64 to f32", "f32", "f32"
)
BRANCH = scalar(
    "%z = arith.constant 0 : i32\n%i = arith.cmpi eq, %a, %z : i32\ncf.cond_br %i, ^one(%b : i32), ^two\n"
    "^two:\n%s = arith.addi %a, %b : i32\ncf.br ^one(%s : i32)\n^one(%r: i32):",
    "i32, i32",
)
STORE = """
func.func @network(%a: i32, %m: memref<4xi32>, %n: memref<4xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = memref.load %m[%c1] : memref<4xi32>
  memref.store %a, %n[%c2] : memref<4xi32>
  func.return
}"""
TWO_STORES = STORE.replace(
    "  func.return",
    "  memref.store %a, %m[%c1] : memref<4xi32>\n  memref.store %a, %m[%c2] : memref<4xi32>\n  func.return",
)
GLOBAL = """
memref.global "public" @g : memref<2xi32> = dense<0>
func.func @network(%a: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %m = memref.get_global @g : memref<2xi32>
  memref.store %a, %m[%c0] : memref<2xi32>
  func.return %a : i32
}"""
COUNTER = """
memref.global "private" @count : memref<1xi32> = dense<0>
func.func @network(%a: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %m = memref.get_global @count : memref<1xi32>
  %old = memref.load %m[%c0] : memref<1xi32>
  %new = arith.addi %old, %a : i32
  memref.store %new, %m[%c0] : memref<1xi32>
  func.return %old : i32
}"""
ZEROED = """
func.func @network(%a: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %m = memref.alloc() : memref<1xi32>
  memref.store %z, %m[%c0] : memref<1xi32>
  %old = memref.load %m[%c0] : memref<1xi32>
  %r = arith.addi %old, %a : i32
  memref.dealloc %m : memref<1xi32>
  func.return %r : i32
}"""
FLAG = """
func.func @network(%a: i32, %o: memref<i1> {tilewright.output}) {
  %i = arith.cmpi eq, %a, %a : i32
  memref.store %i, %o[] : memref<i1>
  func.return
}"""
ZEROS = """
func.func @network(%o: memref<4xf32> {tilewright.output}) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%o : memref<4xf32>)
  func.return
}"""
GUARDED = scalar(
    "%z = arith.constant 0 : i32\n%i = arith.cmpi ne, %b, %z : i32\n"
    "%r = scf.if %i -> (i32) {\n%q = arith.divsi %a, %b : i32\nscf.yield %q : i32\n} else {\nscf.yield %z : i32\n}",
    "i32, i32",
)
HOISTED = scalar(
    "%z = arith.constant 0 : i32\n%i = arith.cmpi ne, %b, %z : i32\n%q = arith.divsi %a, %b : i32\n"
    "%r = arith.select %i, %q, %z : i32",
    "i32, i32",
)
LOOP = """
func.func @network(%n: index, %a: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> (i32) {
    %k = arith.index_cast %i : index to i32
    %t = arith.subi %k, %s : i32
    scf.yield %t : i32
  }
  func.return %r : i32
}"""
ENDLESS = """
func.func @network(%n: index, %a: i32) -> i32 {
  cf.br ^again
^again:
  cf.br ^again
}"""
ARRAY = """
func.func @network(%a: memref<2x16xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %x = memref.load %a[%c0, %i] : memref<2x16xf16>
    %y = arith.negf %x : f16
    memref.store %y, %a[%c1, %i] : memref<2x16xf16>
  }
  func.return
}"""
SWITCH = scalar(
    "%z = arith.constant 0 : i32\ncf.switch %a : i32, [\ndefault: ^o(%a : i32),\n-70000: ^o(%z : i32)\n]\n^o(%r: i32):"
)
NARROW = scalar("%n = arith.trunci %a : i32 to i4\n%r = arith.extsi %n : i4 to i32")
SMALL = scalar("%r = arith.muli %a, %b : i8", "i8, i8", "i8")
INDEX = scalar("%c = arith.constant 8 : index\n%r = arith.remsi %a, %c : index", "index", "index")
SHIFT = scalar("%c = arith.constant 3 : i32\n%r = arith.shrsi %a, %c : i32")
BOTH = scalar("%r = arith.andi %a, %b : i1", "i1, i1", "i1")


def replaced_with(body: str, text: str) -> str:
    """Return a program whose ops between the signature and the return are others."""
    head, tail = text.index("{\n") + 2, text.rindex("\nfunc.return")
    return text[:head] + body + text[tail:]


FAULTS: dict[str, tuple[str, str, str]] = {
    "operands of subi are swapped": (SUBTRACT, "%a, %b", "%b, %a"),
    ">= becomes >": (COMPARE, "sge", "sgt"),
    "signed becomes unsigned": (COMPARE, "sge", "uge"),
    "a limit is off by one": (LIMIT, "sgt", "sge"),
    "another limit": (LIMIT, "1234567", "1234568"),
    "an absolute value without the least integer": (
        MAGNITUDE,
        "%r = arith.select %i, %n, %a : i32",
        "%m = arith.constant 2147483647 : i32\n%s = arith.select %i, %n, %a : i32\n%r = arith.minui %s, %m : i32",
    ),
    "olt becomes ult": (ORDERED, "olt", "ult"),
    "olt becomes ole": (ORDERED, "olt", "ole"),
    "x + 0.0 becomes x": (SUM, "%r = arith.addf %a, %z", "%m = arith.constant -0.0 : f32\n%r = arith.addf %a, %m"),
    "x * 0.0 becomes 0.0": (PRODUCT, "arith.mulf %a, %z", "arith.addf %z, %z"),
    "x / 3 becomes x * (1 / 3)": (QUOTIENT, "3.0 : f32\n%r = arith.divf", "0.3333333432674408 : f32\n%r = arith.mulf"),
    "a sum is reassociated": (THREE, "%a, %b : f32\n%r = arith.addf %s, %c", "%b, %c : f32\n%r = arith.addf %s, %a"),
    "a square in f64 becomes one in f32": (
        WIDE,
        WIDE[WIDE.index("%w =") : WIDE.index("\nfunc.return")],
        "%m = arith.constant 3.4028234663852886e38 : f32\n%y = arith.mulf %a, %a : f32\n"
        "%r = arith.minimumf %y, %m : f32",
    ),
    "branches are exchanged": (BRANCH, "^one(%b : i32), ^two\n", "^two, ^one(%b : i32)\n"),
    "another argument of a block": (BRANCH, "^one(%b : i32), ^two\n", "^one(%a : i32), ^two\n"),
    "a case of a switch is another": (SWITCH, "-70000", "-70001"),
    "a store is dropped": (STORE, "memref.store %a, %n[%c2] : memref<4xi32>\n", ""),
    "a store to another element": (STORE, "%n[%c2]", "%n[%c1]"),
    "a store to another memref": (STORE, "%n[%c2]", "%m[%c2]"),
    "a store of a truth value to an output is dropped": (FLAG, "memref.store %i, %o[] : memref<i1>\n", ""),
    "an output of zeros is not written": (ZEROS, "linalg.fill ins(%z : f32) outs(%o : memref<4xf32>)\n", ""),
    "an earlier store is dropped": (
        TWO_STORES,
        "memref.store %a, %m[%c1] : memref<4xi32>\n",
        "",
    ),
    "one store more": (STORE, "  func.return", "  memref.store %v, %m[%c2] : memref<4xi32>\n  func.return"),
    "a store to a global is dropped": (GLOBAL, "memref.store %a, %m[%c0] : memref<2xi32>\n", ""),
    "a global is gone": (GLOBAL, GLOBAL, "func.func @network(%a: i32) -> i32 {\n  func.return %a : i32\n}"),
    "a private counter does not count": (COUNTER, "memref.store %new", "memref.store %old"),
    "memory is not zeroed": (ZEROED, "memref.store %z, %m[%c0] : memref<1xi32>\n", ""),
    "memory is freed too early": (
        ZEROED,
        "%old = memref.load %m[%c0] : memref<1xi32>\n",
        "memref.dealloc %m : memref<1xi32>\n%old = memref.load %m[%c0] : memref<1xi32>\n",
    ),
    "a division is hoisted": (GUARDED, GUARDED, HOISTED),
    "a loop ends early": (LOOP, "%c0 to", "%c1 to"),
    "a loop of another step": (LOOP, "step %c1", "step %n"),
    "a program does not end": (LOOP, LOOP, ENDLESS),
    "negf becomes 0 - x": (
        ARRAY,
        "%y = arith.negf %x : f16",
        "%z = arith.constant 0.0 : f16\n%y = arith.subf %z, %x : f16",
    ),
    "4 bits become 5": (NARROW, NARROW, NARROW.replace("i4", "i5")),
    "a product saturates": (
        SMALL,
        "%r = arith.muli %a, %b : i8",
        "%x = arith.extsi %a : i8 to i16\n%y = arith.extsi %b : i8 to i16\n%p = arith.muli %x, %y : i16\n"
        "%h = arith.constant 127 : i16\n%l = arith.constant -128 : i16\n%s = arith.minsi %p, %h : i16\n"
        "%t = arith.maxsi %s, %l : i16\n%r = arith.trunci %t : i16 to i8",
    ),
    "a remainder becomes a mask": (
        INDEX,
        "%c = arith.constant 8 : index\n%r = arith.remsi",
        "%c = arith.constant 7 : index\n%r = arith.andi",
    ),
    "a shift becomes a division": (
        SHIFT,
        "%c = arith.constant 3 : i32\n%r = arith.shrsi",
        "%c = arith.constant 8 : i32\n%r = arith.divsi",
    ),
    "and becomes equality": (BOTH, "%r = arith.andi %a, %b", "%r = arith.cmpi eq, %a, %b"),
    "a result is an argument": (BOTH, "%r = arith.andi %a, %b : i1", "%r = arith.andi %a, %a : i1"),
}


FIRST_OPS: dict[str, tuple[str, ...]] = {
    ">= becomes >": ("arith.cmpi sgt, %a, %b : i32 -> False", "arith.cmpi sge, %a, %b : i32 -> True"),
    "x / 3 becomes x * (1 / 3)": ("arith.mulf %a, %c : f32 -> 1.6666667", "arith.divf %a, %c : f32 -> 1.6666666"),
    "operands of subi are swapped": ("arith.subi %b, %a", "operand 0 is: ", "%b, argument 1 of @network -> 35"),
    "a sum is reassociated": ("%s = arith.addf %b, %c", "wrong too: ", "%r = arith.addf %s, %a"),
    "branches are exchanged": ("%r, argument 0 of a block of @network -> 35", "of a block of @network -> 124"),
    "another argument of a block": ("cf.cond_br %i, ^one(%a : i32), ^two", "operand 1 is: "),
    "a loop ends early": ("scf.for %i = %c1 to %n", "arith.constant 1 : index -> 1", "arith.constant 0 : index -> 0"),
    "a store is dropped": ("writes it last:      none", "before the pass:                 memref.store %a, %n[%c2]"),
    "one store more": ("writes it last:      memref.store %v, %m[%c2]", "before the pass:                 none"),
    "a store to another element": ("memref.store %a, %n[%c1]", "operand 2 is: ", "%c2 = arith.constant 2"),
    "a store to another memref": (
        "writes it last:      memref.store %a, %m[%c2]",
        "before the pass:                 none",
    ),
    "an earlier store is dropped": ("writes it last:      none", "memref.store %a, %m[%c1]"),
    "a store to a global is dropped": ("writes it last:      none", "memref.store %a, %m[%c0]"),
    "a private counter does not count": ("memref.store %old, %m[%c0]", "%new = arith.addi %old, %a : i32 -> 89"),
    "memory is not zeroed": ("%old = memref.load", "written by:     no op", "memref.store %z, %m[%c0]"),
    "negf becomes 0 - x": ("arith.subf %z, %x : f16", "in execution ", "arith.negf %x : f16"),
}
"""Fault -> what the notes say of the first op with another value, in this order."""


@pytest.mark.parametrize("name", FAULTS)
def test_wrong_passes_are_named(name: str):
    before, old, new = FAULTS[name]
    assert old in before
    runs = 12 if before == LOOP else None  # of which most are endless, and each takes its 1,000 steps
    with pytest.raises(Diagnostic) as caught:
        replace(before, before, before.replace(old, new, 1), observer=InterpretEach(runs=runs))
    assert caught.value.stage == "replace, pass 2 of 2"
    said = caught.value.message
    assert said.startswith(("the answer changes", "the program does not run after the pass", "the memory '@g' is gone"))
    assert caught.value.notes or "%a" not in before, "the inputs are shown"
    notes = "\n".join(caught.value.notes)
    positions = [notes.find(text) for text in FIRST_OPS.get(name, ())]
    assert -1 not in positions, notes
    assert positions == sorted(positions)


def test_values_that_do_not_matter_are_not_blamed():
    """A product has another value, which its user makes up for; the shift is the cause."""
    before = scalar(
        "%k = arith.constant 1 : i32\n%z = arith.constant 0 : i32\n%p = arith.muli %a, %b : i32\n"
        "%q = arith.subi %p, %z : i32\n%r = arith.shrsi %q, %k : i32",
        "i32, i32",
    )
    after = before.replace("%p = arith.muli %a, %b : i32", "%o = arith.muli %a, %b : i32\n%p = arith.addi %o, %k : i32")
    after = after.replace("%q = arith.subi %p, %z", "%q = arith.subi %p, %k")
    replace(before, after)
    with pytest.raises(Diagnostic) as caught:
        replace(before, after.replace("arith.shrsi", "arith.shrui"))
    notes = "\n".join(caught.value.notes)
    assert "the first op with another value: %r = arith.shrui" in notes
    assert "with that value in its place the answer is right" in notes


def test_localisation_can_be_left_out():
    with pytest.raises(Diagnostic) as caught:
        replace(SUBTRACT, SUBTRACT.replace("%a, %b : i32", "%b, %a : i32"), observer=InterpretEach(localise=False))
    assert len(caught.value.notes) == 1
    assert not caught.value.where
