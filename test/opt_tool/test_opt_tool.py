from __future__ import annotations

import errno
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.passes import ModulePass

from tilewright.dialects.core.machine.targets import Machine, Phase
from tilewright.opt_tool import main
from tilewright.passes import all_passes
from tilewright.runtime.driver.driver import Registries
from tilewright.test.small_models import model, node, save

pytestmark = pytest.mark.quick

TEXT = """\
func.func @f(%a: i32) -> i32 {
  %c = arith.constant 1 : i32
  %unused = arith.constant 9 : i32
  %0 = arith.addi %a, %a : i32 loc("Add_0")
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  %3 = arith.subi %2, %c : i32
  func.return %3 : i32
}
"""


@dataclass(frozen=True)
class CrashPass(ModulePass):
    """
    Crash.

    It always does.
    """

    name = "crash"

    how: str = "badly"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise TypeError(f"crashed {self.how}")


@dataclass(frozen=True)
class AddPass(ModulePass):
    """Adds to the first constant."""

    name = "add"

    amount: int

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        constant = next(each for each in op.walk() if isinstance(each, arith.ConstantOp))
        value = constant.properties["value"]
        assert isinstance(value, IntegerAttr)
        constant.properties["value"] = IntegerAttr(value.value.data + self.amount, 32)


PHASES = (
    Phase("first", "add{amount=1},cse", 1),
    Phase("second", "add{amount=2},cse", 2),
    Phase("last", "canonicalize", 3),
)
KNOWN = Registries(
    passes=all_passes() | {"crash": lambda: CrashPass, "add": lambda: AddPass},
    machines={"toy": Machine("toy", Path("toy"), "A toy.", PHASES)},
)


@dataclass
class Tool:
    """Runs opt-tool in this process; `out` and `err` are what it printed last."""

    capture: pytest.CaptureFixture[str]
    folder: Path
    out: str = ""
    err: str = ""

    def __call__(self, *words: str | Path, text: str | None = TEXT, known: Registries = KNOWN) -> int:
        file = self.folder / "in.mlir"
        if text is not None:
            file.write_text(text)
        code = main([*(str(file) for _ in range(text is not None)), *map(str, words)], known)
        self.out, self.err = self.capture.readouterr()
        return code


@pytest.fixture
def tool(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Tool:
    return Tool(capsys, tmp_path)


def test_standard_input_to_standard_output(tool: Tool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert tool("-p", "dce", "--mlir-print-debuginfo", text=None) == 0
    assert "unused" not in tool.out
    assert 'loc("Add_0")' in tool.out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "error: the input is empty"),
        (b"\n \n", "error: the input is empty"),
        (b"// \xff\n", "in.mlir:1: error: the input is not UTF-8"),
        (b"func.func @f(", "in.mlir:1:14: error: "),
        (
            b"scf.execute_region {\n%0 = arith.addi %1, %1 : i32\n%1 = arith.constant 1 : i32\nscf.yield }",
            "in.mlir:2:1: error: operand 0",
        ),
    ],
)
def test_bad_input_is_reported_in_one_shape(tool: Tool, content: bytes, message: str):
    file = tool.folder / "in.mlir"
    file.write_bytes(content)
    assert tool(file, text=None) == 1
    assert message in tool.err
    assert "Traceback" not in tool.err
    assert tool.out == ""


def test_inputs_that_are_no_files(tool: Tool):
    assert tool(tool.folder, text=None) == 1
    assert "the input is a folder" in tool.err
    assert tool(tool.folder / "no.onnx", text=None) == 1
    assert "No such file" in tool.err


@pytest.mark.parametrize(
    "words",
    [
        ["-p", "nonsense"],
        ["-p", "cse", "--pass-pipeline=cse"],
        ["-t", "nonsense"],
        ["-t", "mlir{generic=3}"],
        ["-t", "mlir,mlir"],
        ["--stop-after=nonsense"],
        ["--verify-each=maybe"],
        ["--input-shape", "x=1,2"],
        ["--input-value", "x=1,2"],
        ["--inputs", "x.npz"],
        ["--seed", "x"],
        ["--seed", "-1"],
        ["--help-pass=nonsense"],
        ["--mlir-print-ir-after=nonsense"],
        ["--nonsense"],
        ["second.mlir"],
        ["--run-reproducer"],
    ],
)
def test_wrong_commands_exit_with_two(tool: Tool, words: list[str]):
    assert tool(*words) == 2
    assert "error: " in tool.err
    assert "Traceback" not in tool.err


def test_an_input_that_decides_a_shape_gets_a_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    reshaped = model([node("Reshape", ["x", "s"], ["y"])], inputs={"x": (2, 3), "s": (2,)}, outputs={"y": ("a", "b")})
    reshaped.graph.input[1].type.tensor_type.elem_type = 7
    del reshaped.metadata_props[:]
    save(reshaped, tmp_path / "net.onnx")
    assert main([str(tmp_path / "net.onnx")]) == 1
    assert "give 's' with --input-value" in capsys.readouterr().err
    assert main([str(tmp_path / "net.onnx"), "--input-value", "s=3,-1"]) == 0
    assert "tensor<3x2xf32>" in capsys.readouterr().out


def test_a_crash_is_a_diagnostic(tool: Tool):
    assert tool("-p", "cse,crash") == 1
    assert "in.mlir: error: [crash, pass 2 of 2] internal error in pass 'crash': TypeError: crashed badly" in tool.err
    assert "Traceback" not in tool.err
    assert "--reproducer=FILE" in tool.err
    assert tool("-p", "cse,crash", "--debug") == 1
    assert 'raise TypeError(f"crashed {self.how}")' in tool.err


def test_output_file_is_whole_or_absent(tool: Tool, monkeypatch: pytest.MonkeyPatch):
    out = tool.folder / "out.mlir"
    assert tool("-o", out) == 0
    before = out.read_text()
    assert tool("-p", "crash", "-o", out) == 1

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.replace", full)
    assert tool("-p", "cse", "-o", out) == 1
    assert f"{out}: error: the file cannot be written: No space left on device" in tool.err
    assert out.read_text() == before
    assert sorted(file.name for file in tool.folder.iterdir()) == ["in.mlir", "out.mlir"]


def test_output_that_cannot_be_written(tool: Tool):
    assert tool("-o", tool.folder / "no" / "out.mlir") == 1
    assert "there is no such folder" in tool.err
    assert tool("-o", "/dev/full") == 1
    assert "No space left on device" in tool.err


def test_ir_alone_is_rewritten_in_its_place(tool: Tool):
    file, network = tool.folder / "in.mlir", tool.folder / "net.onnx"
    save(model([node("Relu", ["x"], ["y"])]), network)
    before = network.read_bytes()
    (tool.folder / "same.onnx").symlink_to(network)
    for words in (
        [file, "-t", "c", "-o", file],
        [file, "--reproducer", file],
        [network, "-o", network.with_stem("same")],
    ):
        file.write_text(TEXT)
        assert tool(*words, text=None) == 1
        assert "a file has the place of an input" in tool.err
        assert (file.read_text(), network.read_bytes()) == (TEXT, before)
    assert tool("-p", "cse,dce", "-t", "mlir{generic=true}", "-o", file) == 0
    assert "unused" not in file.read_text()


def test_output_keeps_the_usual_permissions(tool: Tool):
    assert tool("-o", tool.folder / "out.mlir") == 0
    assert (tool.folder / "out.mlir").stat().st_mode == (tool.folder / "in.mlir").stat().st_mode


def test_each_dump_runs_the_rest(tool: Tool):
    assert tool("-p", "toy-pipeline", "-t", "mlir{generic=true}", "--dump-dir", tool.folder / "d") == 0
    whole = tool.out
    dumps = sorted((tool.folder / "d").iterdir())
    assert [dump.name for dump in dumps] == [
        "00-input.mlir", "01-add.mlir", "02-cse.mlir", "03-add.mlir", "04-cse.mlir", "05-canonicalize.mlir",
    ]  # fmt: skip
    first = dumps[2].read_text().splitlines()[0]
    assert first == (
        "// RUN: opt-tool %s --pass-pipeline='builtin.module(add{amount=2},cse,canonicalize)' -t 'mlir{generic=true}'"
    )
    for dump in dumps:
        assert tool(dump, "--run-reproducer", text=None) == 0
        assert tool.out == whole


def test_dumps_of_a_longer_run_do_not_stay(tool: Tool):
    folder = tool.folder / "d"
    folder.mkdir()
    (folder / "99-mine.mlir").write_text("// mine")
    assert tool("-p", "cse,dce", "--dump-dir", folder) == 0
    assert tool("-p", "cse", "--dump-dir", folder) == 0
    assert sorted(file.name for file in folder.iterdir()) == ["00-input.mlir", "01-cse.mlir", "99-mine.mlir"]


def test_parts_through_files_are_the_whole(tool: Tool):
    pipeline = "--pass-pipeline=builtin.module(toy-pipeline)"
    assert tool(pipeline) == 0
    whole = tool.out
    file = tool.folder / "part.mlir"
    assert tool(pipeline, "--stop-after=first", "-o", file) == 0
    assert tool(file, pipeline, "--start-at=second", "--stop-after=second", "-o", file, text=None) == 0
    assert tool(file, pipeline, "--start-at=last", text=None) == 0
    assert tool.out == whole
    assert "arith.constant 4 : i32" in whole
    assert "unused" not in whole


def test_a_reproducer_fails_in_the_same_way(tool: Tool):
    file = tool.folder / "r.mlir"
    assert tool("-p", 'cse,crash{how="it\'s bad"},dce', "--reproducer", file) == 1
    assert f"reproducer: {file}" in tool.err
    assert "crashed it's bad" in tool.err
    assert file.read_text().count("arith.addi") == 1
    assert tool(file, "--run-reproducer", text=None) == 1
    assert "[crash, pass 1 of 1] internal error in pass 'crash': TypeError: crashed it's bad" in tool.err


def test_no_reproducer_without_a_failure(tool: Tool):
    assert tool("-p", "cse", "--reproducer", tool.folder / "r.mlir") == 0
    assert not (tool.folder / "r.mlir").exists()


def test_old_configuration_lines_run(tool: Tool):
    text = "// configuration: -pass-pipeline='builtin.module(dce)'\n" + TEXT
    assert tool("--run-reproducer", text=text) == 0
    assert "unused" not in tool.out


def test_split_input_has_lines_of_the_whole_file(tool: Tool):
    text = f"{TEXT}// -----\n{TEXT}\n// -----\n\nfunc.func @f() -> i32 {{\n  func.return\n}}\n"
    assert tool("--split-input-file", text=text) == 1
    assert f"in.mlir:{text[: text.rindex('func.return')].count(chr(10)) + 1}:3: error: 'func.return'" in tool.err
    good = text[: text.rindex("// -----")]
    assert tool("--split-input-file", text=good) == 0
    assert tool.out.count("builtin.module") == 2
    assert tool.out.count("// -----\n") == 1


def test_all_failing_parts_are_reported(tool: Tool):
    assert tool("--split-input-file", text="nonsense\n// -----\nnonsense\n") == 1
    assert re.findall(r"in\.mlir:(\d+):1: error", tool.err) == ["1", "3"]


def test_verify_diagnostics_fails_when_the_error_does_not_come(tool: Tool):
    bad = "// expected-error@+1 {{not registered}}\nnonsense.op"
    assert tool("--verify-diagnostics", text=bad) == 0
    assert tool("--verify-diagnostics", text=bad.replace("nonsense.op", "func.func @f() { func.return }")) == 1
    assert "expected error did not come" in tool.err
    assert tool("--verify-diagnostics", text="nonsense.op") == 1
    assert "unexpected error" in tool.err


def test_timing_counts_every_pass(tool: Tool):
    assert tool("-p", "toy-pipeline", "--timing") == 0
    names = re.findall(r"%\)  +(.*)$", tool.err, re.MULTILINE)
    assert names == ["parse", "1  add{amount=1}", "2  cse", "3  add{amount=2}", "4  cse", "5  canonicalize", "verify",
                     "print", "Total"]  # fmt: skip


def test_interpret_each_names_the_pass(tool: Tool):
    text = "func.func @network() -> i32 {\n  %0 = arith.constant 1 : i32\n  func.return %0 : i32\n}\n"
    assert tool("-p", "add{amount=0}", "--interpret-each", text=text) == 0
    assert tool("-p", "add{amount=0},add{amount=2}", "--interpret-each", text=text) == 1
    assert "[add, pass 2 of 2] the answer changes: output 'result0', first at result0" in tool.err
    assert "expected:   1 (int32)" in tool.err
    assert "found:      3 (int32)" in tool.err


def test_resources_are_kept(tool: Tool):
    text = """
    %0 = arith.constant dense_resource<blob> : tensor<1xi32>
    {-# dialect_resources: { builtin: { blob: "0x0400000001000000" } } #-}
    """
    assert tool(text=text) == 0
    assert ': "0x0400000001000000"' in tool.out


def test_unregistered_dialects_on_request(tool: Tool):
    text = '"no.op"() : () -> ()'
    assert tool(text=text) == 1
    assert tool("--allow-unregistered-dialect", text=text) == 0
    assert '"no.op"()' in tool.out


def test_print_before_and_after_failure(tool: Tool):
    assert tool("-p", "crash", "--mlir-print-ir-before-all", "--mlir-print-ir-after-failure") == 1
    assert "// -----// IR Dump Before CrashPass (crash) //----- //\nbuiltin.module {" in tool.err
    assert "// -----// IR Dump After CrashPass Failed (crash) //----- //\nbuiltin.module {" in tool.err


@pytest.mark.long
def test_lists(tool: Tool):
    assert tool("--list-passes", text=None) == 0
    assert re.search(r"^  crash +Crash\.$", tool.out, re.MULTILINE)
    assert tool("--help-pass=crash", text=None) == 0
    assert tool.out == "crash\n\nCrash.\n\nIt always does.\n\nOptions:\n  how  a text; default badly\n"
    assert tool("--help-pass=add", text=None) == 0
    assert "  amount  an integer; required\n" in tool.out
    assert tool("--list-targets", text=None) == 0
    assert re.search(r"^  toy +A toy\.$", tool.out, re.MULTILINE)
    assert re.search(r"^  mlir +The IR as MLIR text\.$", tool.out, re.MULTILINE)
    assert tool("--list-dialects", text=None) == 0
    assert "xDSL's dialects:\n" in tool.out
    assert tool("--version", text=None) == 0
    assert re.fullmatch(r"opt-tool of tilewright [\d.]+, built from xdsl version [\d.]+\n", tool.out)


def outside(command: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    program = str(Path(sys.executable).parent / command)
    return lambda *words, **options: subprocess.run(
        [program, *map(str, words)], capture_output=True, text=True, check=False, **options
    )


LARGE = ("xdsl", "numpy", "onnx")
MACHINE = "tilewright.dialects.core.machine.attribute"
PLAIN = "func.func @f(%a: i32) -> i32 {\n  %b = arith.addi %a, %a : i32\n  func.return %b : i32\n}\n"
OF_OTHER_PROGRAMS = ("numpy", "onnx", "xdsl.dialects.linalg", "xdsl.dialects.tensor", "xdsl.dialects.memref")
"""What an `arith` program has no use for; nor has it for the interpreter and the machine model."""


@pytest.mark.parametrize(
    ("words", "absent", "said"),
    [
        (["--help"], LARGE, "--pass-pipeline"),
        (["--version"], LARGE, "built from xdsl"),
        (["-p", "cse"], (*OF_OTHER_PROGRAMS, "tilewright.runtime.interpreter", MACHINE), "arith.addi"),
    ],
)
def test_nothing_is_imported_without_need(words: list[str], absent: tuple[str, ...], said: str, tmp_path: Path):
    (tmp_path / "f.mlir").write_text(PLAIN)
    code = (
        f"import sys; from tilewright.opt_tool import main; code = main([{str(tmp_path / 'f.mlir')!r}, *{words}]);"
        f"assert not {set(absent)} & set(sys.modules), set(sys.modules); sys.exit(code)"
    )
    done = outside("python")("-c", code)
    assert (done.returncode, done.stderr) == (0, "")
    assert said in done.stdout


@pytest.mark.long
def test_a_full_standard_output(tmp_path: Path):
    (tmp_path / "in.mlir").write_text(TEXT)
    with open("/dev/full", "w") as full:
        program = str(Path(sys.executable).parent / "opt-tool")
        done = subprocess.run(
            [program, tmp_path / "in.mlir"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot write the output: No space left on device")
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_stock_xdsl_opt_knows_tilewright(tmp_path: Path):
    from tilewright.universe import UNIVERSE

    (tmp_path / "in.mlir").write_text(TEXT)
    name = next(iter(UNIVERSE.all_passes))
    done = outside("xdsl-opt")("--help")
    # Lines are broken at hyphens.
    assert (done.returncode, name in "".join(done.stdout.split())) == (0, True)
    done = outside("xdsl-opt")(tmp_path / "in.mlir", "-p", name)
    assert "Unrecognized passes" not in done.stderr
    assert "Duplicate definition" not in done.stderr


def test_no_name_has_two_owners():
    from xdsl.universe import XDSL_UNIVERSE

    from tilewright.universe import UNIVERSE

    assert not set(UNIVERSE.all_passes) & set(XDSL_UNIVERSE.all_passes)
    assert not set(UNIVERSE.all_dialects) & set(XDSL_UNIVERSE.all_dialects)
    assert not set(UNIVERSE.all_targets) & set(XDSL_UNIVERSE.all_targets)
    assert UNIVERSE.all_dialects


UNDECLARED = """
func.func @network(%x: tensor<4xf32> {onnx.name = "x"}) -> tensor<4xf32> {
  %y = onnx.iHardswish(%x) {three = 3 : si64, six = 6 : si64, one_over_six = 1 : si64}
      : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
"""


def test_integers_of_an_undeclared_input_are_warned_of_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "net.mlir"
    file.write_text(UNDECLARED)
    assert main([str(file), "-p", "infer-integer-types"]) == 0
    assert re.fullmatch(r'input "x": warning: any integer .*; --input-type x=i8 .*\n', capsys.readouterr().err)
    file.write_text(UNDECLARED.replace('"x"', '"x", onnx.type = "i8"'))
    assert main([str(file), "-p", "infer-integer-types"]) == 0
    assert capsys.readouterr().err == ""
