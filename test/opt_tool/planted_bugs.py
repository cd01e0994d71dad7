"""Ten bugs planted in passes, and the programs of 50 to 500 ops in which `opt-tool --reduce` meets them."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from rich.table import Table
from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation, OpResult
from xdsl.passes import ModulePass

from tilewright.console import table_console
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.errors import Diagnostic
from tilewright.opt_tool import main
from tilewright.passes import all_passes
from tilewright.runtime.driver.driver import Registries
from tilewright.test.small_models import chain, save

NETWORK, SCALAR, LOOPS = "network", "scalar", "loops"


@dataclass(frozen=True)
class Bug:
    """A bug of a pass, planted in what it makes, and the program and pipeline that meet it."""

    name: str
    guilty: str
    plant: Callable[[ModuleOp], None]
    program: str
    pipeline: str
    is_wrong_answer: bool = False

    def __str__(self) -> str:
        return self.name


def _operation_before(value: Any) -> Operation | None:
    return value.op if isinstance(value, OpResult) else None


def _attribute_of_none(module: ModuleOp) -> None:
    """Raise AttributeError where a kernel reads what a convolution has made."""
    for op in module.walk():
        producers = [_operation_before(value) for value in op.operands]
        if op.name == "linalg.generic" and any(producer and producer.name == "nn.conv" for producer in producers):
            getattr(op, "no_such_attribute")


def _index_out_of_range(module: ModuleOp) -> None:
    """Raise IndexError for a store in three loops."""
    for op in module.walk():
        loops, inner = 0, op
        while (inner := inner.parent_op()) is not None:
            loops += isinstance(inner, scf.ForOp)
        if op.name == "memref.store" and loops >= 3:
            print(list(op.operands)[99])


def _endless_recursion(module: ModuleOp) -> None:
    """Recurse without end where three additions or multiplications follow each other."""
    for op in module.walk():
        inner: Operation | None = op
        for _ in range(3):
            inner = _operation_before(inner.operands[0]) if isinstance(inner, arith.AddiOp | arith.MuliOp) else None
        if inner is not None:
            _endless_recursion(module)


def _broken_dominance(module: ModuleOp) -> None:
    """Let the condition of a nested `scf.if` be a value defined in it."""
    for op in module.walk():
        if isinstance(op, scf.IfOp) and isinstance(op.parent_op(), scf.ForOp):
            (other,) = [inner for inner in op.true_region.block.ops if isinstance(inner, scf.YieldOp)]
            condition = arith.ConstantOp(IntegerAttr(1, 1))
            op.true_region.block.insert_op_before(condition, other)
            op.operands[0] = condition.result


def _refusal(module: ModuleOp) -> None:
    """Refuse a memref of which two kernels read."""
    for op in module.walk():
        readers = [use.operation for result in op.results for use in result.uses if use.operation.name.startswith("nn")]
        if op.name == "memref.alloc" and len(readers) > 1:
            raise Diagnostic(
                f"the memref '{op.results[0].name_hint}' has {len(readers)} kernels", expected="one kernel"
            )


def _swapped_subtraction(module: ModuleOp) -> None:
    """Swap the operands of a subtraction from a sum."""
    for op in list(module.walk()):
        if isinstance(op, arith.SubiOp) and isinstance(_operation_before(op.lhs), arith.AddiOp):
            op.operands = [op.rhs, op.lhs]


def _swapped_branches(module: ModuleOp) -> None:
    """Let the branches of an `scf.if` on a comparison change places."""
    for op in list(module.walk()):
        if isinstance(op, scf.IfOp) and isinstance(_operation_before(op.cond), arith.CmpiOp):
            regions = [op.detach_region(region) for region in list(op.regions)]
            for region in reversed(regions):
                op.add_region(region)


def _in_text(pattern: str, replacement: str) -> Callable[[ModuleOp], None]:
    """Return the plant that replaces the first match of a pattern in the text of a module."""

    def plant(module: ModuleOp) -> None:
        text, count = re.subn(pattern, replacement, print_ir(module, generic=False), count=1)
        if not count:
            return
        changed = parse_module(new_context(), text)
        module.attributes = dict(changed.attributes)
        module.body.erase_block(module.body.block, safe_erase=False)
        changed.body.move_blocks(module.body)

    return plant


_HOST = "host-pipeline"
BUGS = (
    Bug("AttributeError", "convert-onnx-to-linalg", _attribute_of_none, NETWORK, _HOST),
    Bug("IndexError", "convert-kernels-to-loops", _index_out_of_range, NETWORK, _HOST),
    Bug("RecursionError", "cse", _endless_recursion, SCALAR, "canonicalize,cse,dce"),
    Bug("broken IR", "licm", _broken_dominance, LOOPS, "canonicalize,cse,licm,cse"),
    Bug("refusal", "bufferize", _refusal, NETWORK, _HOST),
    Bug("half the divisor", "convert-onnx-to-linalg", _in_text("shift 8", "shift 7"), NETWORK, _HOST, True),
    Bug(
        "a loop ends early",
        "convert-kernels-to-loops",
        _in_text("(arith.constant )6( : index)", r"\g<1>5\2"),
        NETWORK,
        _HOST,
        True,
    ),
    Bug("no rounding", "convert-to-emitc", _in_text("value = 128 : i32", "value = 0 : i32"), NETWORK, _HOST, True),
    Bug("swapped subtraction", "cse", _swapped_subtraction, SCALAR, "canonicalize,cse,dce", True),
    Bug("swapped branches", "licm", _swapped_branches, LOOPS, "canonicalize,cse,licm,cse", True),
)


def registry(bug: Bug) -> Registries:
    """Return the passes, of which the guilty one does what it should and then commits the bug."""
    real: type[ModulePass] = all_passes()[bug.guilty]()

    class PlantedPass(real):  # pyright: ignore[reportGeneralTypeIssues, reportUntypedBaseClass]
        def apply(self, ctx: Context, op: ModuleOp) -> None:
            super().apply(ctx, op)  # pyright: ignore[reportAbstractUsage]
            bug.plant(op)

    return Registries(passes=all_passes() | {bug.guilty: lambda: PlantedPass})


def write_program(kind: str, folder: Path) -> Path:
    """Write the program of a kind to a folder and return its file."""
    if kind == NETWORK:
        save(chain(12), folder / "network.onnx")
        return folder / "network.onnx"
    file = folder / f"{kind}.mlir"
    file.write_text(_scalar_program(240) if kind == SCALAR else _loop_program(24), encoding="utf-8")
    return file


_OPS = ("addi", "addi", "subi", "subi", "xori", "ori", "muli")


def _scalar_program(count: int, seed: int = 5) -> str:
    """Return a function of many integer ops, each on earlier values."""
    random = Random(seed)
    values = ["%a", "%b", "%c"]
    lines: list[str] = []
    for index in range(count):
        name = f"%v{index}"
        if random.random() < 0.15:
            lines.append(f"{name} = arith.constant {random.randint(-99, 99)} : i32")
        else:
            near = values[-12:]
            one, other = random.choice(near), random.choice(near)
            lines.append(f"{name} = arith.{random.choice(_OPS)} {one}, {other} : i32")
        values.append(name)
    total = [
        f"%t{index} = arith.xori %{'c' if not index else f't{index - 1}'}, {value} : i32"
        for index, value in enumerate(values[-20:])
    ]
    body = "\n  ".join([*lines, *total])
    return f"func.func @network(%a: i32, %b: i32, %c: i32) -> i32 {{\n  {body}\n  return %t19 : i32\n}}\n"


def _loop_program(count: int, seed: int = 6) -> str:
    """Return a function of loops in a row, each with a branch on what the one before has computed."""
    random = Random(seed)
    lines = ["%z = arith.constant 0 : index", "%o = arith.constant 1 : index", "%n = arith.constant 3 : index"]
    for index in range(count):
        before = f"%r{index - 1}" if index else "%a"
        one, other = random.sample(("addi", "subi", "muli", "xori"), 2)
        lines.append(f"""%k{index} = arith.constant {random.randint(-9, 9)} : i32
  %r{index} = scf.for %i{index} = %z to %n step %o iter_args(%s{index} = {before}) -> (i32) {{
    %d{index} = arith.cmpi slt, %s{index}, %k{index} : i32
    %e{index} = scf.if %d{index} -> (i32) {{
      %x{index} = arith.{one} %s{index}, %b : i32
      scf.yield %x{index} : i32
    }} else {{
      %y{index} = arith.{other} %s{index}, %k{index} : i32
      scf.yield %y{index} : i32
    }}
    scf.yield %e{index} : i32
  }}""")
    body = "\n  ".join(lines)
    return f"func.func @network(%a: i32, %b: i32) -> i32 {{\n  {body}\n  return %r{count - 1} : i32\n}}\n"


FIGURES = ("ops", "passes", "ops after", "passes after", "tries", "seconds")
SUMMARY = re.compile(r"reduced (\d+) ops, (\d+) passes to (\d+) ops, (\d+) passes in (\d+) tries, ([\d.]+) s")


def figures(err: str) -> Mapping[str, float]:
    """Return the numbers of the line that a reduction ends with."""
    match = SUMMARY.search(err)
    assert match, err
    return dict(zip(FIGURES, map(float, match.groups()), strict=True))


def reduced(bug: Bug, folder: Path) -> tuple[Mapping[str, float], Path]:
    """Reduce the program of a bug in a folder; return the figures, and the file of what is left."""
    file, small = write_program(bug.program, folder), folder / "small.mlir"
    words = ["--interpret-each"] if bug.is_wrong_answer else []
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        code = main([str(file), "-p", bug.pipeline, *words, "--reduce", "-o", str(small)], registry(bug))
    assert code == 0, errors.getvalue()
    return figures(errors.getvalue()), small


def print_table() -> None:
    """Reduce all bugs and print their figures."""
    table = Table("bug", *FIGURES)
    for bug in BUGS:
        with tempfile.TemporaryDirectory() as folder:
            counts, _ = reduced(bug, Path(folder))
        table.add_row(bug.name, *(f"{counts[name]:g}" for name in FIGURES))
    table_console().print(table)


if __name__ == "__main__":
    print_table()
