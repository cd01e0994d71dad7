"""Every op of the project's dialects prints as text that parses as the same op."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.printer import Printer

from tilewright.dialects import all_dialects
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.hier import BufferAttr
from tilewright.errors import Diagnostic
from tilewright.runtime.driver.chunks import split
from tilewright.runtime.driver.roundtrip import check_round_trip

TESTS = Path(__file__).parent.parent
FOLDERS = (TESTS / "dialects", TESTS / "targets", TESTS / "passes")
MACHINERY = {"template"}
"""Dialects of the folder that `tilewright new-target` copies, which its own tests cover."""


def own_ops() -> set[str]:
    """Return the names of the ops that the project's files define; those of `onnx` share one syntax."""
    factories = {name: make() for name, make in all_dialects().items() if name not in MACHINERY}
    return {
        op.name
        for dialect in factories.values()
        for op in dialect.operations
        if op.__module__.startswith("tilewright.") and not op.name.startswith("onnx.")
    }


def round_tripped(file: Path, wanted: set[str]) -> set[str]:
    """Check the modules of a file that verify and have ops of these names; return the names of their ops."""
    names: set[str] = set()
    for chunk in split(file.read_text(), "// -----"):
        if not (wanted - names) & set(re.findall(r"[a-z_]+\.\w+", chunk.text)):
            continue
        context = new_context(allow_unregistered=True)
        try:
            module = parse_module(context, chunk.text, str(file))
            verify(module)
        except Diagnostic:
            continue
        check_round_trip(module, context)
        names |= {op.name for op in module.walk()}
    return names


def test_every_op_survives_its_text() -> None:
    missing = own_ops()
    for file in (file for folder in FOLDERS for file in sorted(folder.rglob("*.mlir"))):
        missing -= round_tripped(file, missing)
    assert missing == set()


GRID = """
func.func @f(%a: memref<8xi8>, %c: memref<8xi8>) {
  hier.grid (%i) in [4]
      ins(%ta = %a[%i * 2] [2] in "L1" address 0 : memref<8xi8>)
      outs(%tc = %c[%i * 2] [2] in "L1" address 8 : memref<8xi8>) {
    memref.copy %ta, %tc : memref<2xi8, "L1"> to memref<2xi8, "L1">
    hier.yield
  }
  func.return
}
"""


@pytest.mark.quick
def test_an_op_whose_text_omits_a_property_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_address(self: BufferAttr, printer: Printer) -> None:
        printer.print_string_literal(self.level.data)

    context = new_context()
    module = parse_module(context, GRID, "grid.mlir")
    check_round_trip(module, context)
    monkeypatch.setattr(BufferAttr, "print_bare", without_address)
    with pytest.raises(Diagnostic, match=r"the text of op 'hier.grid' parses as another op") as caught:
        check_round_trip(module, context)
    assert caught.value.where == "grid.mlir:3:3"


@pytest.mark.quick
def test_text_that_does_not_parse_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(self: BufferAttr, printer: Printer) -> None:
        printer.print_string(" at L1")

    context = new_context()
    module = parse_module(context, GRID, "grid.mlir")
    monkeypatch.setattr(BufferAttr, "print_bare", unreadable)
    with pytest.raises(Diagnostic, match="the printed IR does not parse") as caught:
        check_round_trip(module, context)
    assert "at L1" in caught.value.found


RESOURCE = """
func.func @f() -> tensor<2xi32> {
  %0 = arith.constant dense_resource<blob> : tensor<2xi32>
  func.return %0 : tensor<2xi32>
}
{-# dialect_resources: { builtin: { blob: "0x040000000100000002000000" } } #-}
"""


@pytest.mark.quick
def test_resources_keep_their_names_and_contents(monkeypatch: pytest.MonkeyPatch) -> None:
    context = new_context()
    module = parse_module(context, RESOURCE, "f.mlir")
    text = print_ir(module, context=context)
    check_round_trip(module, context)
    assert print_ir(module, context=context) == text

    def without_contents(self: OpAsmDialectInterface, key: str, val: str) -> None:
        self._blob_storage[key] = "0x04000000"  # pyright: ignore[reportPrivateUsage]

    monkeypatch.setattr(OpAsmDialectInterface, "parse_resource", without_contents)
    with pytest.raises(Diagnostic, match="parses as another op") as caught:
        check_round_trip(module, context)
    assert caught.value.found.endswith('"0x04000000"')


@pytest.mark.quick
@pytest.mark.parametrize(
    "loop",
    [
        'scf.if %n {\n "foo.bar"() : () -> ()\n scf.yield\n } else {\n "foo.bar"() : () -> ()\n scf.yield\n }',
        'scf.execute_region {\n "foo.bar"() : () -> ()\n scf.yield\n }',
        "scf.execute_region {\n %c = arith.constant 1 : i1\n scf.yield\n }",
        'scf.for %i = %a to %a step %a {\n "foo.bar"() : () -> ()\n }',
        'emitc.if %n {\n "foo.bar"() : () -> ()\n emitc.yield\n }',
    ],
)
def test_a_terminator_after_an_op_that_may_be_one(loop: str) -> None:
    context = new_context(allow_unregistered=True)
    module = parse_module(context, f"func.func @f(%n: i1, %a: index) {{\n {loop}\n func.return\n}}", "f.mlir")
    verify(module)
    check_round_trip(module, context)
