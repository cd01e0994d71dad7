"""`--interpret-each` on real pipelines: a fault planted in any pass is found, and that pass is named."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tilewright import opt_tool
from tilewright.dialects.core.syntax.text import Locations, new_context, parse_module, print_ir
from tilewright.passes import all_passes
from tilewright.runtime.driver.driver import Registries
from tilewright.test.small_models import chain, save

pytestmark = pytest.mark.quick


@dataclass(frozen=True)
class Fault:
    """A fault in a pass: in the text of what it makes, the first match of `pattern` becomes `replacement`."""

    what: str
    guilty: str
    pattern: str
    replacement: str

    def __str__(self) -> str:
        return f"{self.guilty}: {self.what}"


FAULTS = (
    Fault("channels", "infer-integer-types", r"dense<\[\[\[(\S+)\]\], \[\[(\S+)\]\]\]>", r"dense<[[[\2]], [[\1]]]>"),
    Fault("half the divisor", "convert-onnx-to-linalg", "shift 8", "shift 7"),
    Fault("pads the wrong side", "canonicalize", "pads = array<i64: 1, 1, 1, 1>", "pads = array<i64: 0, 1, 2, 1>"),
    Fault("another bias", "fold-constants", r"(%add1 = arith.constant dense<)\S+, (\S+>)", r"\1[[[2]], \2"),
    Fault("unequal values taken as equal", "cse", r"(ins\(%r0, )%w1", r"\1%w0"),
    Fault("the epilogue clips too early", "fuse-epilogues", "clip -128 to 127", "clip -20 to 20"),
    Fault("the wrong weights", "bufferize", r"(ins\(%r0, )%w1", r"\1%w2"),
    Fault("the wrong buffer", "allocate-static", r"ins\(%r1, ", "ins(%r0, "),
    Fault("the wrong argument", "outline-kernels", r"(@conv_1\(%r0, )%w1", r"\1%w2"),
    Fault("no rounding", "convert-kernels-to-loops", "arith.constant 128 : i32", "arith.constant 0 : i32"),
    Fault("a loop ends early", "convert-kernels-to-loops", "(%c6 = arith.constant )6", r"\g<1>5"),
    Fault("no rounding in C", "convert-to-emitc", "value = 128 : i32", "value = 0 : i32"),
    Fault("an operation mistaken in C", "convert-to-emitc", "emitc.bitwise_right_shift", "emitc.bitwise_left_shift"),
)


def with_fault(fault: Fault) -> type[ModulePass]:
    """Return the guilty pass, which does what it should and then commits the fault."""
    real: type[ModulePass] = all_passes()[fault.guilty]()

    class FaultyPass(real):  # pyright: ignore[reportGeneralTypeIssues, reportUntypedBaseClass]
        def apply(self, ctx: Context, op: ModuleOp) -> None:
            super().apply(ctx, op)  # pyright: ignore[reportAbstractUsage]
            text, count = re.subn(fault.pattern, fault.replacement, print_ir(op, locations=Locations.GIVEN), count=1)
            assert count, f"the fault cannot be planted in\n{text}"
            other = parse_module(new_context(), text)
            old, new = op.body.block, other.body.block
            for each in list(old.ops):
                each.detach()
                each.erase(safe_erase=False)
            for each in list(new.ops):
                each.detach()
                old.add_op(each)

    return FaultyPass


def interpret_each(path: Path, known: Registries | None, *words: str) -> int:
    command = [str(path), "-p", "host-pipeline", "--interpret-each", "-o", str(path.with_suffix(".out")), *words]
    return opt_tool.main(command, known)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    save(chain(), tmp_path / "net.onnx")
    return tmp_path / "net.onnx"


@pytest.mark.long
def test_passes_without_a_fault(path: Path, capsys: pytest.CaptureFixture[str]):
    assert interpret_each(path, None) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.sample(3)
@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_the_guilty_pass_is_named(fault: Fault, path: Path, capsys: pytest.CaptureFixture[str]):
    faulty = with_fault(fault)
    load: Callable[[], type[ModulePass]] = lambda: faulty  # noqa: E731
    known = Registries(passes=all_passes() | {fault.guilty: load})
    assert interpret_each(path, known) == 1
    error = capsys.readouterr().err
    stage = rf"\[{fault.guilty}, pass \d+ of \d+\]"
    assert re.match(rf"{re.escape(str(path))}: (node \S+( \+ \S+)*: )?error: {stage} the answer changes: ", error)
    assert "the first op with another value: " in error or fault.guilty in ("outline-kernels", "convert-to-emitc")
    assert re.search(r"output 'y', first at y\[0, \d, \d, \d\], \d+ of 72 values differ", error)
    expected, found = re.findall(r"^  (?:expected|found): +(-?[\d.]+) \(\w+\)$", error, re.MULTILINE)
    assert expected != found
    assert not path.with_suffix(".out").exists()


@pytest.mark.long
def test_another_pass_is_not_blamed_for_a_fault_before_it(path: Path, capsys: pytest.CaptureFixture[str]):
    fault = next(fault for fault in FAULTS if fault.guilty == "bufferize")
    known = Registries(passes=all_passes() | {"bufferize": lambda: with_fault(fault)})
    assert interpret_each(path, known, "--stop-after=fused") == 0
    assert interpret_each(path, known, "--stop-after=buffers") == 1
    assert "error: [bufferize, pass " in capsys.readouterr().err


@pytest.mark.long
def test_a_reproducer_shows_the_fault_again(path: Path, capsys: pytest.CaptureFixture[str]):
    fault = next(fault for fault in FAULTS if fault.guilty == "fuse-epilogues")
    known = Registries(passes=all_passes() | {"fuse-epilogues": lambda: with_fault(fault)})
    reproducer = path.with_name("r.mlir")
    assert interpret_each(path, known, f"--reproducer={reproducer}") == 1
    assert f"reproducer: {reproducer}" in capsys.readouterr().err
    assert opt_tool.main([str(reproducer), "--run-reproducer"], known) == 1
    assert "error: [fuse-epilogues, pass 1 of 1] the answer changes" in capsys.readouterr().err
    assert opt_tool.main([str(reproducer), "--run-reproducer"]) == 0


@pytest.mark.long
def test_a_pass_that_breaks_the_ir_is_named_too(path: Path, capsys: pytest.CaptureFixture[str]):
    fault = Fault("a value of another type", "allocate-static", r"memref<160xi8>", "memref<16xi8>")
    known = Registries(passes=all_passes() | {"allocate-static": lambda: with_fault(fault)})
    assert interpret_each(path, known) == 1
    assert "error: [allocate-static, pass " in capsys.readouterr().err
