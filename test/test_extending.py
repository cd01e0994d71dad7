"""Targets, passes and dialects from outside of the package: folders and files."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects import all_dialects
from tilewright.dialects.core.kernel import is_kernel, kernel_of
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.machine.json_schema import machine_schema
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.machine.targets import machine_named
from tilewright.dialects.core.syntax.text import new_context
from tilewright.dialects.hier import DmaStartOp
from tilewright.discovery import scope, target_folders, version
from tilewright.errors import Diagnostic
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.overlap.items import ScheduleItem
from tilewright.passes.overlap.times import Durations
from tilewright.passes.tiles import legality
from tilewright.passes.tiles.group import tiling_of
from tilewright.plugins import load_passes
from tilewright.runtime.simulator import simulate
from tilewright.runtime.tools import instructions
from tilewright.test.extension_texts import DIALECT, FUNCTION, PASS, called, tilewright, tool, write
from tilewright.test.runtime.simulator.programs import grids_of, modelled_cycles, planned
from tilewright.test.small_models import Saved, save_case

pytestmark = pytest.mark.quick

PIPELINE = "planned: attach-machine{target=host}, map-engines\n"
MACHINE = 'include = "host"\n'


@pytest.fixture
def soc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A target that `new-target` has written, outside of the package."""
    assert tilewright(["new-target", "mysoc", "-o", tmp_path], capsys)[0] == 0
    return tmp_path / "mysoc"


@pytest.fixture
def case(tmp_path: Path) -> Saved:
    return save_case(tmp_path / "case")


# A folder with all: a machine, a pipeline, a cost function, a dialect, a pass and C


@pytest.mark.nightly
@pytest.mark.long
def test_opt_tool_uses_a_folder(soc: Path, case: Saved, capsys: pytest.CaptureFixture[str]):
    model = case.folder / "network.onnx"
    code, out, err = tool([model, "--target", soc, "-p", "mysoc-pipeline", "--interpret-each", "-t", "c"], capsys)
    assert (code, err) == (0, "")
    assert "mysoc_clamp(" in out
    assert '#include "mysoc.h"' in out
    code, out, _ = tool([model, "--target", soc, "-p", "mysoc-pipeline", "--stop-after=loops"], capsys)
    assert code == 0
    assert re.search(r"= mysoc\.clamp %\w+, %\w+, %\w+$", out, re.MULTILINE)
    assert 'cost = "mysoc.loops"' in out


def test_a_dialect_of_a_folder_is_read_verified_and_run(soc: Path, capsys: pytest.CaptureFixture[str]):
    text = """func.func @network(%x: tensor<4xi32> {onnx.name = "x"}) -> tensor<4xi32> {
      %low = arith.constant -3 : i32
      %high = arith.constant 9 : i32
      %init = tensor.empty() : tensor<4xi32>
      %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]} ins(%x : tensor<4xi32>) outs(%init : tensor<4xi32>) {
      ^bb0(%a: i32, %b: i32):
        %c = mysoc.clamp %a, %low, %high
        linalg.yield %c : i32
      } -> tensor<4xi32>
      func.return %y : tensor<4xi32>
    }"""
    file = soc.parent / "clamp.mlir"
    file.write_text(text)
    assert tool([file], capsys)[0] == 1
    code, out, err = tool([file, "--target", soc, "-p", "canonicalize,bufferize", "--interpret-each"], capsys)
    assert (code, err) == (0, "")
    assert "mysoc.clamp" in out


@pytest.mark.nightly
@pytest.mark.long
def test_check_compares_the_runs_of_a_folder(soc: Path, case: Saved, capsys: pytest.CaptureFixture[str]):
    places = ["--on", "interpreter", "--on", "simulator", "--on", "host"]
    code, out, err = tilewright(["check", case.folder, "--target", soc, *places, "--stop-after=emitc"], capsys)
    assert (code, err) == (0, "")
    assert "1 passed, 0 failed, on interpreter + simulator + host" in out
    header = soc / "c" / "mysoc.h"
    header.write_text(header.read_text().replace(": limited;", ": limited + 1;"))
    code, out, _ = tilewright(["check", case.folder, "--target", soc, "--on", "host"], capsys)
    assert code == 1, "the C of the folder is what runs"


@pytest.mark.long
def test_compile_writes_the_runtime_which_run_finds(soc: Path, case: Saved, capsys: pytest.CaptureFixture[str]):
    out, inputs = soc.parent / "build", case.folder / "inputs.npz"
    code, _, err = tilewright(["compile", case.folder / "network.onnx", "--target", soc, "-o", out], capsys)
    assert (code, err) == (0, "")
    assert (out / "runtime" / "mysoc.h").is_file()
    code, said, err = tilewright(["run", out, "--inputs", inputs], capsys)
    assert (code, err) == (0, "")
    assert f" {case.outputs['y'].flat[0]} " in said


@pytest.mark.long
def test_the_instructions_of_a_folder_are_compared_with_their_c(soc: Path, capsys: pytest.CaptureFixture[str]):
    assert called(instructions.main, [soc], capsys) == (0, "mysoc.clamp: 60 samples as in C\n", "")
    header = soc / "c" / "mysoc.h"
    for right, wrong, message in (
        (": limited;", ": limited + 1;", "the C of the instruction 'mysoc.clamp' computes something else"),
        ("int32_t high)", "int16_t high)", "declares another function than the instruction 'mysoc.clamp'"),
        ("mysoc_clamp(", "other_clamp(", "no header declares the function of the instruction 'mysoc.clamp'"),
    ):
        text = header.read_text()
        header.write_text(text.replace(right, wrong))
        code, _, err = called(instructions.main, [soc], capsys)
        header.write_text(text)
        assert code == 1
        assert message in err


@pytest.mark.long
def test_a_cost_function_of_a_folder_decides(soc: Path, case: Saved, capsys: pytest.CaptureFixture[str]):
    def cycles() -> str:
        code, out, err = tilewright(["profile", case.folder / "network.onnx", "--target", soc], capsys)
        assert (code, err) == (0, "")
        return re.findall(r"modelled on mysoc: ([\d,]+) cycles", out)[0]

    before = cycles()
    costs = soc / "costs.py"
    costs.write_text(costs.read_text().replace("(cycles + ", "2 * (cycles + "))
    assert int(cycles().replace(",", "")) > 1.8 * int(before.replace(",", ""))


@pytest.mark.long
def test_targets_are_drawn_and_listed(soc: Path, capsys: pytest.CaptureFixture[str]):
    code, out, _ = tilewright(["targets", soc], capsys)
    assert code == 0
    assert "mysoc.loops" in out
    code, out, _ = tool(["--target", soc, "--list-targets"], capsys)
    assert re.search(r"^  mysoc +a core with a clamp instruction", out, re.MULTILINE)
    code, out, _ = tool(["--target", soc, "--list-passes"], capsys)
    assert re.search(r"^  mysoc-fuse-clamps +Fuse a lower and an upper limit", out, re.MULTILINE)
    code, out, _ = tool(["--target", soc, "--list-dialects"], capsys)
    assert re.search(r"^  mysoc +Instructions of mysoc\.", out, re.MULTILINE)


def test_nothing_of_a_folder_outlives_the_command(soc: Path, capsys: pytest.CaptureFixture[str]):
    before = version(), set(sys.modules)
    assert tilewright(["targets", soc], capsys)[0] == 0
    assert "mysoc" not in target_folders()
    assert version() == before[0]
    assert not [name for name in set(sys.modules) - before[1] if "mysoc" in name]
    assert tilewright(["targets", "mysoc"], capsys)[0] == 2


def test_files_of_a_folder_are_variants(soc: Path, capsys: pytest.CaptureFixture[str]):
    (soc / "large.toml").write_text('include = "machine.toml"\n[levels.L1]\nsize = "1MiB"\n')
    code, out, err = tilewright(["targets", soc / "large.toml"], capsys)
    assert (code, err) == (0, "")
    assert "1 MiB" in out
    with scope():
        machine_named(str(soc))
        assert machine_named("mysoc/large").name == "large"


def test_opt_tool_runs_the_pipeline_of_a_machine_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    write(
        tmp_path,
        {
            "chip.toml": 'include = "host"\n[levels.RAM]\nsize = "3MiB"\n',
            "f.mlir": FUNCTION.replace("i32", "tensor<1xi32>"),
        },
    )
    words = [tmp_path / "f.mlir", "--target", tmp_path / "chip.toml", "-p", "chip-pipeline", "--stop-after=types"]
    assert tool(words, capsys)[0] == 0


# Files


def test_passes_and_dialects_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    write(tmp_path, {"own.py": PASS.format(cls="Rename", name="rename") + "from .names import DOUBLE\n"})
    write(tmp_path, {"names.py": DIALECT.format(dialect="double", more="")})
    text = "func.func @f(%x: i32) -> i32 {\n  %y = double.twice %x\n  func.return %y : i32\n}\n"
    (tmp_path / "f.mlir").write_text(text)
    code, out, err = tool([tmp_path / "f.mlir", "--load-pass", tmp_path / "own.py", "-p", "rename{to=g}"], capsys)
    assert (code, err) == (0, "")
    assert "@g(" in out
    assert "double.twice %x" in out
    code, out, _ = tool(["--load-pass", tmp_path / "own.py", "--help-pass=rename"], capsys)
    assert (code, out.splitlines()[0]) == (0, "rename")
    assert tool([tmp_path / "f.mlir", "-p", "rename"], capsys)[0] == 2


LOWERED = """
import numpy as np
from dataclasses import dataclass
from xdsl.dialects import arith
from xdsl.rewriter import Rewriter
from tilewright.dialects.core.semantics import scalar
from tilewright.passes.core.base import Pass
from .names import DOUBLE, TwiceOp

@scalar(TwiceOp)
def twice(op, x):
    return np.minimum(2 * np.int64(x), 2**31 - 1).astype(np.int32)

@dataclass(frozen=True)
class LowerPass(Pass):
    '''Lower to a sum, which wraps around where the op saturates.'''
    name = "lower-twice"

    def apply(self, ctx, op):
        for twice in [op for op in op.walk() if isinstance(op, TwiceOp)]:
            Rewriter.replace_op(twice, arith.AddiOp(twice.x, twice.x))
"""


def test_scalar_ops_of_a_file_run_on_the_ends_of_their_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    write(tmp_path, {"lower.py": LOWERED, "names.py": DIALECT.format(dialect="double", more="")})
    text = "func.func @f(%x: i32) -> i32 {\n  %y = double.twice %x\n  func.return %y : i32\n}\n"
    (tmp_path / "f.mlir").write_text(text)
    words = [tmp_path / "f.mlir", "--load-pass", tmp_path / "lower.py", "-p", "lower-twice", "--interpret-each"]
    code, _, err = tool(words, capsys)
    assert code == 1
    assert "[lower-twice, pass 1 of 1] the answer changes" in err


def test_a_target_uses_the_pass_of_a_file(tmp_path: Path, case: Saved, capsys: pytest.CaptureFixture[str]):
    write(tmp_path, {"own.py": PASS.format(cls="Rename", name="rename")})
    write(tmp_path / "chip", {"machine.toml": MACHINE, "pipeline.txt": "types: rename{to=other}\n"})
    model = case.folder / "network.onnx"
    words = ["run", model, "--target", tmp_path / "chip", "--on", "interpreter", "--inputs", case.folder / "inputs.npz"]
    code, _, err = tilewright(words, capsys)
    assert code == 2
    assert "no pass 'rename'" in err
    assert "rename" not in tilewright([*words, "--load-pass", tmp_path / "own.py"], capsys)[2]


def test_reproducers_name_what_they_need(soc: Path, capsys: pytest.CaptureFixture[str]):
    folder = write(soc.parent, {"own.py": PASS.format(cls="Rename", name="rename")})
    (folder / "f.mlir").write_text(FUNCTION)
    words = ["--load-pass", folder / "own.py", "--target", soc, "-p", "rename{to=g},mysoc-fuse-clamps"]
    assert tool([folder / "f.mlir", *words, "--dump-dir", folder / "dump"], capsys)[0] == 0
    code, out, err = tool([folder / "dump" / "00-input.mlir", "--run-reproducer"], capsys)
    assert (code, err) == (0, "")
    assert "@g(" in out


# What is wrong


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("import os\nimport absent_module\n", ":2", "ModuleNotFoundError: No module named 'absent_module'"),
        ("\n\nx = 1 / 0\n", ":3", "ZeroDivisionError: division by zero"),
        ("def f(:\n", ":1", "SyntaxError: invalid syntax"),
        ("raise SystemExit(3)\n", ":1", "SystemExit: 3"),
        ("from xdsl.dialects.arith import Arith\n", "", "the file defines no pass and no dialect"),
        ("from tilewright.passes.cse import CsePass\n", "", "the file defines no pass and no dialect"),
        (PASS.format(cls="Cse", name="cse"), "", "two passes have the name 'cse'"),
        (PASS.format(cls="A", name="a") + PASS.format(cls="B", name="a"), ": B", "two passes have the name 'a'"),
        (DIALECT.format(dialect="arith", more=""), "", "two dialects have the name 'arith'"),
    ],
)
def test_files_that_are_wrong(text: str, place: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    write(tmp_path, {"own.py": text})
    (tmp_path / "f.mlir").write_text(FUNCTION)
    code, out, err = tool([tmp_path / "f.mlir", "--load-pass", tmp_path / "own.py"], capsys)
    assert (code, out) == (1, "")
    assert err.startswith(f"{tmp_path / 'own.py'}{place}: error: ")
    assert message in err
    assert "Traceback" not in err
    code, out, err = tool([tmp_path / "f.mlir", "--load-pass", tmp_path / "own.py", "--debug"], capsys)
    assert "Traceback" in err


def test_errors_are_placed_in_the_file_that_a_plug_in_imports(tmp_path: Path):
    write(
        tmp_path,
        {"own.py": "from .inner import f\n\nf()\n", "inner.py": "import json\n\ndef f():\n    json.loads('{')\n"},
    )
    with scope(), pytest.raises(Diagnostic, match=r"inner\.py:4: error: the plug-in cannot be imported"):
        load_passes(tmp_path / "own.py")


@pytest.mark.parametrize("name", ["absent.py", "f.mlir", "."])
def test_files_that_are_none(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "f.mlir").write_text(FUNCTION)
    code, _, err = tool([tmp_path / "f.mlir", "--load-pass", tmp_path / name], capsys)
    assert code == 1
    assert "there is no such Python file" in err


@pytest.mark.parametrize(
    ("name", "texts", "expected"),
    [
        ("host", {}, r"/host: error: two targets have the name 'host'\n.*found: +the target in .*targets/host\n"),
        ("template", {}, "two targets have the name 'template'"),
        ("my-soc", {}, "'my-soc' cannot be the name of a target"),
        ("soc", {"passes/cse.py": PASS.format(cls="CsePass", name="cse")}, "two passes have the name 'cse'"),
        ("soc", {"passes/dce.py": PASS.format(cls="DcePass", name="dce")}, "two passes have the name 'dce'"),
        ("soc", {"dialects/nn/__init__.py": ""}, "two dialects have the name 'nn'"),
        ("soc", {"dialects/scf.py": ""}, "two dialects have the name 'scf'"),
        (
            "soc",
            {"dialects/own.py": "x = 1\n"},
            r'dialects/own\.py: error: .*expected: +OWN = Dialect\("own", \.\.\.\)',
        ),
        ("soc", {"passes/own.py": "x = 1\n"}, r"passes/own\.py: error: .*class OwnPass\(Pass\) with name = \"own\""),
        ("soc", {"passes/own.py": "import absent_module\n"}, r"own\.py:1: error: .*No module named 'absent_module'"),
        ("soc", {"costs.py": "x = 1\nprint(y)\n"}, r"costs\.py:2: error: .*NameError: name 'y' is not defined"),
        ("soc", {"__init__.py": "0 / 0\n"}, r"__init__\.py:1: error: .*ZeroDivisionError"),
    ],
)
def test_folders_that_are_wrong(
    name: str, texts: dict[str, str], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    machine = MACHINE + ('[engines.core.runs]\n"*" = { cost = "soc.own" }\n' if "costs.py" in texts else "")
    pipeline = PIPELINE + ("own: own\n" if "passes/own.py" in texts else "")
    folder = write(tmp_path / name, {"machine.toml": machine, "pipeline.txt": pipeline, **texts})
    code, _, err = tilewright(["compile", "--print-pipeline", "--target", folder], capsys)
    if not err:
        code, _, err = tilewright(["targets", folder], capsys)
    if not err:
        (tmp_path / "f.mlir").write_text("own.x\n")
        code, _, err = tool([tmp_path / "f.mlir", "--target", folder], capsys)
    assert code in (1, 2)
    assert re.search(expected, err, re.DOTALL), err
    assert "Traceback" not in err
    assert err.count("error:") == 1


def test_two_targets_of_one_name(soc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    other = write(tmp_path / "elsewhere" / "mysoc", {"machine.toml": MACHINE, "pipeline.txt": PIPELINE})
    code, _, err = tool(["--target", soc, "--target", other, "--list-targets"], capsys)
    assert code == 1
    assert "two targets have the name 'mysoc'" in err
    assert str(soc) in err
    file = write(tmp_path, {"host.toml": MACHINE}) / "host.toml"
    code, _, err = tool(["--target", file, "--list-targets"], capsys)
    assert code == 1
    assert "two targets have the name 'host'" in err


def test_a_machine_file_beside_other_modules_is_no_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    texts = {"soc.toml": MACHINE, "__init__.py": "0 / 0\n", "passes/cse.py": "0 / 0\n"}
    code, _, err = tilewright(["targets", write(tmp_path / "repository", texts) / "soc.toml"], capsys)
    assert (code, err) == (0, "")


def test_a_format_is_no_target(capsys: pytest.CaptureFixture[str]):
    code, _, err = tool(["--target", "c", "--list-targets"], capsys)
    assert (code, err.splitlines()[1]) == (2, "  remedy:     choose it with -t c")


def test_a_folder_that_describes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "empty").mkdir()
    code, _, err = tilewright(["targets", tmp_path / "empty"], capsys)
    assert code == 1
    assert "the machine's file cannot be read" in err


def test_a_role_that_nothing_uses(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    levels = '[levels.ACC]\nsize = "1KiB"\nholds = ["accumulators"]\n[links.a]\nfar = "RAM"\nnear = "ACC"\nwidth = 4\n'
    file = write(tmp_path, {"soc.toml": MACHINE + levels}) / "soc.toml"
    code, out, err = tilewright(["targets", file], capsys)
    assert (code, out) == (1, "")
    assert (
        'levels.ACC.holds: expected roles whose operands an engine keeps there or nearer, found "accumulators"' in err
    )
    used = levels + '[engines.core]\nlevel = { ins = "RAM", accumulators = "ACC", outs = "ACC", scratch = "ACC" }\n'
    file.write_text(MACHINE + used.replace('["accumulators"]', '["accumulators", "outs", "scratch"]'))
    assert tilewright(["targets", file], capsys)[0] == 0


# New targets


def test_a_new_target_goes_to_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    code, out, _ = tilewright(["new-target", "my_soc2"], capsys)
    assert code == 0
    assert "my_soc2/machine.toml" in out.split()
    assert tilewright(["targets", "my_soc2"], capsys)[0] == 0
    with scope():
        machine_named("./my_soc2")
        assert all_passes()["my-soc2-fuse-clamps"]().name == "my-soc2-fuse-clamps"
        assert all_dialects()["my_soc2"]().name == "my_soc2"
    code, _, err = tilewright(["new-target", "my_soc2"], capsys)
    assert code == 1
    assert "the folder exists" in err


@pytest.mark.parametrize("name", ["host", "template", "arith", "my-soc", "Soc", "class", "2soc", "../soc"])
def test_names_that_no_target_can_have(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, _, err = tilewright(["new-target", name, "-o", tmp_path], capsys)
    assert code == 1
    assert f"'{name}'" in err
    assert list(tmp_path.iterdir()) == []


# A property of a memory, and a rule of tiling: the blocks of the page

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"


def block(section: str, language: str) -> str:
    """Return the first block of a language in a section of the page."""
    text = PAGE.read_text(encoding="utf-8").partition(f"## {section}\n")[2]
    found = re.search(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found.group(1)


def near(machine: Machine, size: int) -> Machine:
    """Return a machine whose near memory has so many bytes, in banks that set no limit."""
    levels = [
        replace(level, size=size, banks=1, bank_width=0) if level.name == "L1" else level for level in machine.levels
    ]
    return replace(machine, levels=tuple(levels))


@pytest.mark.parametrize("every", [1, 8])
def test_a_property_of_a_memory_reaches_plans_schedules_and_simulations(tmp_path: Path, every: int):
    plain = (Path(__file__).parent / "machines" / "two_level.toml").read_text(encoding="utf-8")
    key = block("A property of a memory", "toml").replace("8", str(every))
    costs = block("A property of a memory", "python")
    folder = write(tmp_path / "mysoc", {"costs.py": costs, "machine.toml": f"{plain}\n{key}", "plain.toml": plain})
    cycles: list[int] = []
    with scope():
        machine_named(str(folder))
        timings = machine_schema()["definitions"]["Level"]["properties"]["timing"]["anyOf"][0]["properties"]
        assert "a refresh steals one cycle" in timings["mysoc.refresh"]["description"]
        slow, fast = (near(find_machine(folder / name), 1 << 10) for name in ("machine.toml", "plain.toml"))
        for machine in (slow, fast):
            module = planned("mlp", machine)
            cycles.append(simulate(module).cycles)
            assert cycles[-1] == sum(modelled_cycles(module).values())
        starts = [op for op in lowered(module).walk() if isinstance(op, DmaStartOp)]
        times = [[Durations(machine, 4, 4).of(ScheduleItem(op, 0)).beside for op in starts] for machine in (slow, fast)]
    assert cycles[0] > cycles[1]
    assert sum(times[0]) > sum(times[1])


def lowered(module: ModuleOp) -> ModuleOp:
    copy = module.clone()
    PassManager().run(copy, parse_pipeline("expand-grid", all_passes()), new_context())
    return copy


def test_a_rule_of_tiling_is_a_row(monkeypatch: pytest.MonkeyPatch):
    names: dict[str, Any] = {}
    exec(compile(block("A rule of tiling", "python"), str(PAGE), "exec"), names)
    monkeypatch.setattr(legality, "RULES", (*legality.RULES, names["RULE"]))
    machine = near(find_machine(Path(__file__).parent / "machines" / "two_level.toml"), 1 << 10)
    kernels = [op for grid in grids_of(planned("mlp", machine)) for op in grid.walk() if is_kernel(op)]
    cut = [kernel_of(op).bounds[-1] for op in kernels]
    assert kernels
    assert all(size % 4 == 0 for size in cut)
    bounds = kernel_of(kernels[0]).bounds
    assert legality.refusal(tiling_of(kernels[0], (*bounds[:-1], 2))) == "tiles of 2 elements are no whole vectors of 4"
