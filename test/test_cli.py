"""The command line of `tilewright`: what it says, what it writes, what it refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tilewright import cli, opt_tool
from tilewright.test.small_models import Saved, model, node, save, save_case

pytestmark = pytest.mark.quick

COMMANDS = (
    *("compile", "run", "check", "profile", "remarks", "explore", "replay", "generate", "import", "quantize"),
    *("targets", "operators", "new-target", "new-pass", "completion"),
)


@pytest.fixture
def case(tmp_path: Path) -> Saved:
    return save_case(tmp_path / "case")


def run(words: Sequence[str | Path], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = cli.main([str(word) for word in words])
    out, err = capsys.readouterr()
    return code, out, err


# Help


@pytest.mark.parametrize("words", [["--help"], [], ["-h"], *([name, "--help"] for name in COMMANDS)])
def test_help_teaches(words: list[str], capsys: pytest.CaptureFixture[str]):
    code, out, _ = run(words, capsys)
    assert code == 0
    assert f"\n  tilewright {words[0] if words and words[0] in COMMANDS else 'compile'}" in out
    assert all(name in out for name in (COMMANDS if not words or words[0] not in COMMANDS else ()))


def test_examples_of_the_help_parse(capsys: pytest.CaptureFixture[str]):
    for name in COMMANDS:
        _, out, _ = run([name, "--help"], capsys)
        examples = [line.split()[1:] for line in out.splitlines() if line.startswith("  tilewright ")]
        assert examples
        for words in examples:
            assert cli._parse(words).command == words[0]  # pyright: ignore[reportPrivateUsage]


def test_commands_of_the_docs_parse():
    docs = (Path(__file__).parents[1] / "docs" / "tilewright.md").read_text(encoding="utf-8")
    commands = [line.split()[1:] for line in docs.splitlines() if line.startswith("tilewright ")]
    assert {words[0] for words in commands} == set(COMMANDS)
    for words in commands:
        assert cli._parse(words).command == words[0]  # pyright: ignore[reportPrivateUsage]


@pytest.mark.long
@pytest.mark.parametrize("words", [["--help"], ["compile", "--help"], ["check", "--help"]])
def test_help_imports_nothing_large(words: list[str]):
    code = (
        f"import sys; from tilewright.cli import main; code = main({words!r});"
        "large = {'xdsl', 'numpy', 'onnx', 'rich'} & {name.partition('.')[0] for name in sys.modules};"
        "sys.exit(f'{large}' if large else code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.long
def test_help_is_immediate():
    program = Path(sys.executable).parent / "tilewright"
    times: list[float] = []
    for _ in range(3):
        start = os.times()
        subprocess.run([program, "--help"], capture_output=True, check=True)
        end = os.times()
        times.append(end.children_user + end.children_system - start.children_user - start.children_system)
    assert 0 < min(times) < 0.4  # seconds of processors, which waiting for others does not lengthen


# Wrong commands


@pytest.mark.parametrize(
    ("words", "message", "remedy"),
    [
        (["compil"], "there is no command 'compil'", "did you mean 'compile'"),
        (["zzz"], "there is no command 'zzz'", "tilewright --help"),
        (["--nonsense"], "arguments are required: COMMAND", "tilewright --help"),
        (["compile"], "compile needs a model and an output folder", "tilewright compile net.onnx"),
        (["compile", "a.onnx", "-o", "b", "--taget=host"], "compile knows no '--taget=host'", "'--target'"),
        (["compile", "a.onnx", "b.onnx", "-o", "b"], "compile knows no 'b.onnx'", "tilewright compile --help"),
        (["compile", "a.onnx", "-o", "b", "--target", "hots"], "there is no target 'hots'", "did you mean 'host'"),
        (["compile", "a.onnx", "-o", "b", "--input-shape", "x"], "expected NAME=VALUE", "tilewright compile --help"),
        (["compile", "a.onnx", "-o", "b", "--input-shape", "x=1,b"], "expected NAME=1,3,224,224", "--help"),
        (
            ["compile", "a.onnx", "-o", "b", "--input-shape", "x=1", "--input-shape", "x=2"],
            "--input-shape is given twice for 'x'",
            "once",
        ),
        (["run", "a.onnx"], "required: --inputs", "tilewright run --help"),
        (["run", "CASE/network.onnx", "--inputs", "CASE/inputs.npz", "--on", "hosts"], "nothing runs on", "'host'"),
        (
            ["run", "CASE/network.onnx", "--inputs", "CASE/inputs.npz", "--stop-after", "tensor"],
            "--stop-after is for --on interpreter",
            "",
        ),
        (
            ["run", "CASE/network.onnx", "--inputs=CASE/inputs.npz", "--on=interpreter", "--stop-after=tensr"],
            "the pipeline has no phase or pass 'tensr'",
            "did you mean 'tensor'",
        ),
        (["run", "CASE", "--inputs", "CASE/inputs.npz", "--on", "interpreter"], "does not run on 'interpreter'", ""),
        (["check"], "required: CORPUS", "tilewright check --help"),
        (["check", "CASE", "--on", "interpeter"], "nothing runs on", "did you mean 'interpreter'"),
        (
            ["check", "CASE", "--on", "interpreter", "--stop-after", "kernel"],
            "no phase or pass 'kernel'",
            "did you mean 'kernels'",
        ),
        (["check", "CASE", "--stop-after", "kernels"], "--stop-after is for --on interpreter", ""),
        (
            "quantize a.onnx --calibration a.npz -o b.onnx --search --rounding nearest".split(),
            "--search tries all --ranges and --rounding, --rounding among them",
            "give one of both",
        ),
        (["targets", "hots"], "there is no target 'hots'", "did you mean 'host'"),
        (["import", "CASE/network.onnx", "--target", "host"], "--target is for --report", ""),
        (["import", "CASE/network.onnx", "--report", "-o", "net.mlir"], "-o is for IR, and --report prints", ""),
    ],
)
def test_wrong_commands(words: list[str], message: str, remedy: str, case: Saved, capsys: pytest.CaptureFixture[str]):
    code, out, err = run([word.replace("CASE", str(case.folder)) for word in words], capsys)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err
    assert remedy in err
    assert "Traceback" not in err


def test_debug_shows_the_traceback(capsys: pytest.CaptureFixture[str]):
    for words in (["--debug", "targets", "hots"], ["targets", "hots", "--debug"]):
        code, _, err = run(words, capsys)
        assert code == 2
        assert "Traceback" in err
        assert "error: there is no target 'hots'" in err


# targets


def test_targets_are_listed_and_described(capsys: pytest.CaptureFixture[str]):
    code, out, _ = run(["targets"], capsys)
    assert code == 0
    assert "host" in out
    code, out, _ = run(["targets", "host"], capsys)
    assert code == 0
    assert all(
        phase in out for phase in ("types", "tensor", "fused", "buffers", "planned", "kernels", "loops", "emitc")
    )
    assert "convert-onnx-to-linalg" in out
    assert "alignment" in out


def test_print_pipeline_is_what_compile_writes(case: Saved, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code, text, _ = run(["compile", "--print-pipeline"], capsys)
    assert code == 0
    assert run(["compile", case.folder / "network.onnx", "-o", tmp_path / "b"], capsys)[0] == 0
    assert (tmp_path / "b" / "pipeline.txt").read_text() == text


# run


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--on", "sanitizers"],
        ["--on", "interpreter"],
        ["--on", "interpreter", "--stop-after", "types"],
        ["--on", "interpreter", "--stop-after", "kernels"],
    ],
)
def test_run_gives_the_outputs(options: list[str], case: Saved, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    words = ["run", case.folder / "network.onnx", "--inputs", case.folder / "inputs.npz", *options]
    code, out, err = run([*words, "--outputs", tmp_path / "out.npz"], capsys)
    assert (code, err) == (0, "")
    assert "1x3x4x4" in out
    with np.load(tmp_path / "out.npz") as found:
        assert list(found) == ["y"]
        assert np.array_equal(found["y"], case.outputs["y"])


@pytest.mark.long
@pytest.mark.parametrize("place", ["host", "sanitizers"])
def test_run_takes_a_compiled_folder(place: str, case: Saved, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    built, outputs = tmp_path / "b", tmp_path / "out"
    assert run(["compile", case.folder / "network.onnx", "-o", built], capsys)[0] == 0
    before = sorted(built.iterdir())
    words = ["run", built, "--inputs", case.folder / "inputs.npz", "--outputs", outputs, "--on", place]
    assert run(words, capsys)[0] == 0
    with np.load(outputs) as found:
        assert np.array_equal(found["y"], case.outputs["y"])
    assert sorted(built.iterdir()) == before


@pytest.mark.parametrize(
    "words",
    [
        *(["--target", "host"], ["--target=gemmini"], ["--integers"], ["--input-shape", "x=1,2"], ["--context", "8"]),
        *(["--input-type", "x=i8"], ["--input-value=x=1"], ["--bucket", "4"]),
    ],
)
@pytest.mark.parametrize("command", ["run", "generate"])
def test_options_of_models_for_a_compiled_folder(
    command: str, words: list[str], case: Saved, capsys: pytest.CaptureFixture[str]
):
    needed = ["--inputs", case.folder / "inputs.npz"] if command == "run" else ["--prompt", "1"]
    code, out, err = run([command, case.folder, *needed, *words], capsys)
    assert (code, out) == (2, "")
    flag = words[0].partition("=")[0]
    assert f"error: {flag} is for models" in err
    assert f"leave it out, or compile the model with {flag}\n" in err


@pytest.mark.parametrize(
    "words",
    [
        ["run", "NET", "--inputs", "IN", "--outputs", "IN"],
        ["run", "NET", "--inputs", "IN", "--outputs", "NET"],
        ["profile", "NET", "--json", "NET"],
        ["explore", "NET", "--vary", "batch=1,2", "-o", "NET"],
        ["import", "NET", "-o", "NET"],
        ["quantize", "NET", "--calibration", "IN", "-o", "NET"],
        ["quantize", "NET", "--calibration", "IN", "-o", "new.onnx", "--json", "IN"],
    ],
)
def test_inputs_are_not_replaced(words: list[str], case: Saved, capsys: pytest.CaptureFixture[str]):
    files = {"NET": case.folder / "network.onnx", "IN": case.folder / "inputs.npz"}
    before = [file.read_bytes() for file in files.values()]
    code, out, err = run([files.get(word, word) for word in words], capsys)
    assert (code, out) == (1, "")
    assert "error: a file has the place of an input" in err
    assert [file.read_bytes() for file in files.values()] == before
    assert not Path("new.onnx").exists()


@pytest.mark.long
@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({}, "not all inputs are given"),
        ({"x": np.zeros((1, 2, 6, 5))}, "the wrong shape"),
        ({"x": np.full((1, 2, 6, 6), 256)}, "uint8 cannot hold"),
        ({"x": np.full((1, 2, 6, 6), 0.5)}, "uint8 cannot hold"),
        ({"x": np.full((1, 2, 6, 6), np.nan)}, "uint8 cannot hold"),
        ({"x": np.array([["a"]])}, "an array holds no numbers"),
    ],
)
def test_inputs_that_do_not_fit(
    arrays: dict[str, object], message: str, case: Saved, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    np.savez(tmp_path / "in.npz", allow_pickle=False, **arrays)  # pyright: ignore[reportArgumentType]
    words = ["run", case.folder / "network.onnx", "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz"]
    code, out, err = run(words, capsys)
    assert (code, out) == (1, "")
    assert "error: " in err
    assert message in err
    assert "Traceback" not in err
    assert "internal" not in err
    assert not (tmp_path / "out.npz").exists()


@pytest.mark.parametrize("content", [None, b"", b"no archive", b"PK\x03\x04 no archive"])
def test_inputs_that_are_no_archive(
    content: bytes | None, case: Saved, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    if content is not None:
        (tmp_path / "in.npz").write_bytes(content)
    code, _, err = run(["run", case.folder / "network.onnx", "--inputs", tmp_path / "in.npz"], capsys)
    assert code == 1
    assert err.startswith(f"{tmp_path / 'in.npz'}: error: ")
    assert "Traceback" not in err


def test_outputs_that_cannot_be_written(case: Saved, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for target in (tmp_path / "none" / "out.npz", tmp_path):
        words = ["run", case.folder / "network.onnx", "--inputs", case.folder / "inputs.npz", "--outputs", target]
        code, _, err = run(words, capsys)
        assert code == 1
        assert err.startswith(f"{target}: error: the file cannot be written")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["case"]


@pytest.mark.long
@pytest.mark.parametrize("name", ["file", "allow_pickle", "a/b"])
def test_outputs_of_any_name_are_written(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """`file` and `allow_pickle` are arguments of numpy.savez."""
    save(model([node("Relu", ["x"], [name])], outputs={name: (1, 2, 6, 6)}), tmp_path / "net.onnx")
    np.savez(tmp_path / "in.npz", x=np.ones((1, 2, 6, 6), np.float32))
    words = ["run", tmp_path / "net.onnx", "--inputs", tmp_path / "in.npz", "--outputs", tmp_path / "out.npz"]
    assert run([*words, "--on", "interpreter"], capsys)[0] == 0
    with np.load(tmp_path / "out.npz") as found:
        np.testing.assert_array_equal(found[name], np.ones((1, 2, 6, 6)))


@pytest.mark.parametrize("command", [["run", "--inputs", "in.npz"], ["check"], ["compile", "-o", "out"]])
def test_names_that_no_file_can_have(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    np.savez("in.npz", x=np.zeros(1))
    code, out, err = run([*command, f"{'long' * 100}.onnx"], capsys)
    assert (code, out) == (1, "")
    assert "File name too long" in err
    assert "internal" not in err
    assert not Path("out").exists()


def test_a_machine_without_a_pipeline(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for text in ("", "pipeline = {}", 'pipeline = "hots"', "pipeline = 3"):
        (tmp_path / "mine.toml").write_text(text)
        code, _, err = run(["targets", tmp_path / "mine.toml"], capsys)
        assert code == 1
        assert "error: the machine has no pipeline" in err


@pytest.mark.long
def test_a_program_at_the_tensor_level_is_compiled(case: Saved, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    program = tmp_path / "tensor.mlir"
    model = str(case.folder / "network.onnx")
    options = ["--stop-after=tensor", "--mlir-print-debuginfo"]
    assert opt_tool.main([model, "-p", "host-pipeline", *options, "-o", str(program)]) == 0
    for source in (program, model):
        assert run(["compile", source, "-o", tmp_path / Path(source).suffix], capsys)[0] == 0
    texts = [(tmp_path / suffix / "network.c").read_text() for suffix in (".mlir", ".onnx")]
    assert texts[0] == texts[1]


UNDEFINED, REFUSED, OUTSIDE = (
    f"func.func @network(%x: tensor<4xi32>) -> tensor<4xi32> {{\n  %i = arith.constant 9 : index\n  {text}\n"
    "  func.return %y : tensor<4xi32>\n}"
    for text in (
        "%y = arith.addi %x, %z : tensor<4xi32>",
        "%e = arith.constant dense<1> : tensor<4xi32> %y = math.absi %x : tensor<4xi32>",
        "%e = tensor.extract %x[%i] : tensor<4xi32> %y = tensor.splat %e : tensor<4xi32>",
    )
)


@pytest.mark.parametrize(
    ("text", "words", "column"),
    [
        (UNDEFINED, ("compile", "-o", "out"), 23),
        (UNDEFINED, ("import",), 23),
        (UNDEFINED, ("run", "--inputs", "inputs.npz", "--outputs", "out.npz"), 23),
        (REFUSED, ("compile", "-o", "out"), 48),
        (OUTSIDE, ("run", "--on=interpreter", "--stop-after=types", "--inputs", "inputs.npz", "--outputs", "o.npz"), 3),
    ],
)
def test_errors_show_the_line_of_ir(
    text: str,
    words: Sequence[str],
    column: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    Path("f.mlir").write_text(text)
    np.savez("inputs.npz", allow_pickle=False, x=np.arange(4, dtype=np.int32))
    code, _, err = run([*words, "f.mlir"], capsys)
    assert code == 1
    message, line, caret, *_ = err.splitlines()
    assert message.startswith(f"f.mlir:3:{column}: error: ")
    assert line == "  " + text.splitlines()[2]
    assert caret == " " * (column + 1) + "^"


def test_a_folder_that_holds_no_network(case: Saved, capsys: pytest.CaptureFixture[str]):
    code, _, err = run(["run", case.folder, "--inputs", case.folder / "inputs.npz"], capsys)
    assert code == 1
    assert f"{case.folder / 'network.h'}: error: there is no emitted network" in err


# The terminal


@pytest.mark.nightly
@pytest.mark.long
def test_progress_only_on_a_terminal(case: Saved, tmp_path: Path):
    import pty

    program = str(Path(sys.executable).parent / "tilewright")
    words = [program, "compile", str(case.folder / "network.onnx"), "-o", str(tmp_path / "b")]
    assert subprocess.run(words, capture_output=True, check=True).stderr == b""
    leader, follower = pty.openpty()
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=follower, env={"TERM": "xterm"}) as process:
        assert process.wait(60) == 0

    os.close(follower)
    shown = os.read(leader, 100_000)
    os.close(leader)
    assert b"import" in shown


@pytest.mark.sample(1)
@pytest.mark.long
@pytest.mark.parametrize("command", ["tilewright targets host", "tilewright --help", "opt-tool --list-passes"])
def test_a_closed_pipe_is_no_crash(command: str):
    program = Path(sys.executable).parent / command
    done = subprocess.run(f"{program} | true", shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""


@pytest.mark.sample(2)
@pytest.mark.long
@pytest.mark.parametrize(
    "command",
    [
        "tilewright --version",
        "tilewright --help",
        "tilewright targets",
        "opt-tool --version",
        "opt-tool --help",
        "opt-tool -",
    ],
)
@pytest.mark.parametrize(
    ("streams", "unbuffered"), [(">&-", ""), ("<&- >&-", ""), ("> /dev/full", ""), ("> /dev/full", "1")]
)
def test_an_output_that_takes_nothing_is_an_error(command: str, streams: str, unbuffered: str):
    program = Path(sys.executable).parent / command
    words = f"echo 'builtin.module {{}}' | {program} {streams}"
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(words, shell=True, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1
    assert all(line.startswith(("error: ", "<stdin>: error: ", "  ")) for line in done.stderr.splitlines())
    assert "internal" not in done.stderr


@pytest.mark.quick
def test_a_machine_file_that_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "soc.toml"
    assert cli.main(["targets", str(file)]) == 1
    assert f"{file}: error: the machine's file cannot be read: No such file" in capsys.readouterr().err


@pytest.mark.quick
def test_passes_are_loaded_before_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--load-pass", str(tmp_path / "missing.py"), "targets"]) == 1
    assert "missing.py: error" in capsys.readouterr().err
