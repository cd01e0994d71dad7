"""Several networks in one C program, and as shared libraries: `--name`, `--shared`."""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto

import tilewright
from tilewright import cli
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.passes.name_network import check_name
from tilewright.runtime.host import HostNetwork, machine_flags
from tilewright.runtime.toolchain import compiler
from tilewright.test.random.networks.attention import Attention, exported, inputs_of, one_after_another
from tilewright.test.small_models import chain, save, small, small_reference

STRICT = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror")
X = np.random.RandomState(4).randint(0, 256, (1, 2, 6, 6)).astype(np.uint8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the networks `one`, `two` and `three`, each in a folder of its name; `three` has a state."""
    path = tmp_path_factory.mktemp("networks")
    built: dict[str, ModelProto] = {"one": small(), "two": chain(), "three": exported(Attention(), 3)}
    for name, model in built.items():
        save(model, path / f"{name}.onnx")
        options = {"context": 8} if name == "three" else {}
        tilewright.compile(path / f"{name}.onnx", path / name, name=name, **options)  # pyright: ignore[reportArgumentType]
    return path


def main_c(names: Sequence[str], *, sources: bool = False) -> str:
    """Return a program that runs networks in turn, twice each, and prints their outputs."""
    lines = [f'#include "{name}.{"c" if sources else "h"}"' for name in names] + ["#include <stdio.h>"]
    for name in names:
        upper = name.upper()
        lines += [
            f"static {upper}_INPUT_0_TYPE {name}_x[{upper}_INPUT_0_SIZE];",
            f"static {upper}_OUTPUT_0_TYPE {name}_y[{upper}_OUTPUT_0_SIZE];",
        ]
    lines += ["int main(void) {", "  for (int turn = 0; turn < 2; ++turn) {"]
    for name in names:
        upper = name.upper()
        step = ", (const int32_t[]){turn}" if name == "three" else ""
        fill = f"    for (int i = 0; i < {upper}_INPUT_0_SIZE; ++i) {name}_x[i] = ({upper}_INPUT_0_TYPE)(7 * i + turn);"
        show = f'    for (int i = 0; i < {upper}_OUTPUT_0_SIZE; ++i) printf(" %d", (int){name}_y[i]);'
        lines += [fill, f"    {name}_run({name}_x{step}, {name}_y);", f'    printf("{name}");', show, '    puts("");']
    return "\n".join([*lines, "  }", "  return 0;", "}", ""])


def built_and_run(folder: Path, files: Sequence[Path], names: Sequence[str]) -> str:
    command = [
        *compiler(),
        *STRICT,
        *(f"-I{folder / name}" for name in names),
        *map(str, files),
        "-o",
        str(folder / "a"),
    ]
    done = subprocess.run([*command, "-lm"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return subprocess.run([folder / "a"], capture_output=True, text=True, check=True).stdout


def expected(folder: Path, names: Sequence[str]) -> str:
    """Return what `main_c` prints, by the interpreter."""
    lines: list[str] = []
    networks = {
        name: tilewright.load(folder / f"{name}.onnx", on="interpreter", context=8 if name == "three" else 0)
        for name in names
    }
    for turn in range(2):
        for name, network in networks.items():
            first = network.inputs[0]
            x = (7 * np.arange(np.prod(first.shape)) + turn).astype(first.dtype).reshape(first.shape)
            (y,) = network.run({first.name: x}).values()
            lines.append(" ".join([name, *(str(int(value)) for value in y.flat)]))
    return "\n".join(lines) + "\n"


def test_networks_link_into_one_program(folder: Path):
    names = ["one", "two", "three"]
    (folder / "main.c").write_text(main_c(names))
    files = [file for name in names for file in sorted((folder / name).glob("*.[cS]"))]
    assert {"one.c", "two_weights.c"} <= {file.name for file in files}
    assert built_and_run(folder, [folder / "main.c", *files], names) == expected(folder, names)


def test_names_of_a_file_differ_too(folder: Path):
    names = ["one", "two", "three"]
    (folder / "whole.c").write_text(main_c(names, sources=True))
    weights = [file for name in names for file in sorted((folder / name).glob("*_weights.[cS]"))]
    assert built_and_run(folder, [folder / "whole.c", *weights], names) == expected(folder, names)


@pytest.mark.sample(1)
@pytest.mark.parametrize("target", ["host", "siracusa"])
def test_one_network_under_two_names(target: str, folder: Path, tmp_path: Path):
    """Whatever has a name of its own at the level of the file would be defined twice in one unit."""
    names = ["first", "second"]
    for name in names:
        tilewright.compile(folder / "three.onnx", tmp_path / name, target, name=name, context=8)
    unit = tmp_path / "unit.c"
    unit.write_text("".join(f'#include "{name}/{name}.c"\n' for name in names))
    flags = [*machine_flags(tmp_path / "first" / "first.c"), *(f"-I{tmp_path / name}" for name in names)]
    weights = [str(file) for name in names for file in (tmp_path / name).glob("*_weights.[cS]")]
    command = [*compiler(), *STRICT, "-shared", "-fPIC", *flags, str(unit), *weights, "-o", str(tmp_path / "unit.so")]
    done = subprocess.run([*command, "-lm"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for file in (tmp_path / "first").glob("first*"):
        text = file.read_text()
        macros = re.findall(r"^#(?:define|ifndef) (\w+)", text, re.MULTILINE)
        assert not re.search(r"\bnetwork_", text), "variables without a value may be defined twice"
        assert all(name.startswith("FIRST_") for name in macros if not name.startswith("TW_SYMBOL"))
    report = json.loads((tmp_path / "first" / "report.json").read_text())
    source = (tmp_path / "first" / "first.c").read_text()
    assert report["name"] == "first"
    assert all(f" {layer['kernel']}(" in source for layer in report["layers"] if "." not in layer["kernel"])


def test_a_named_folder_runs(folder: Path):
    spec = Attention()
    steps = inputs_of(spec, 3)
    for on in ("host", "sanitizers"):
        network = tilewright.load(folder / "three", on=on)
        for step, wanted in zip(steps, one_after_another(spec, steps), strict=True):
            (found,) = network.run(step).values()
            np.testing.assert_array_equal(found, wanted)


def test_opt_tool_gives_the_same_code(folder: Path, capsys: pytest.CaptureFixture[str]):
    from tilewright import opt_tool

    pipeline = (folder / "one" / "pipeline.txt").read_text().strip()
    assert opt_tool.main([str(folder / "one.onnx"), "--pass-pipeline", pipeline, "--interpret-each", "-t", "c"]) == 0
    assert "void one_run(" in capsys.readouterr().out


def test_weights_in_a_file_have_its_name(folder: Path, tmp_path: Path):
    from tilewright.compiler import Model, compile_model
    from tilewright.passes.formats.c import write_program

    program = compile_model(Model(folder / "one.onnx"), "host", name="large").program()
    names = [file.name for file in write_program(program, tmp_path, largest_arrays=1)]
    assert {"large_weights.bin", "large_weights.S", "large_weights.h"} <= set(names)
    np.testing.assert_array_equal(HostNetwork(program).run([X])[0], small_reference(X))
    assert 'TW_WEIGHTS_FILE "large_weights.bin"' in (tmp_path / "large_weights.S").read_text()


@pytest.mark.parametrize("name", ["", "net"])
def test_a_shared_library_is_loaded(name: str, folder: Path, tmp_path: Path):
    words = ["compile", str(folder / "one.onnx"), "-o", str(tmp_path / "out"), "--shared"]
    assert cli.main([*words, *(["--name", name] if name else [])]) == 0
    (file,) = (tmp_path / "out").glob(f"lib{name or 'network'}.*")
    library = ctypes.CDLL(str(file))
    y = np.zeros((1, 3, 4, 4), np.int8)
    library[f"{name or 'network'}_run"](X.ctypes.data_as(ctypes.c_void_p), y.ctypes.data_as(ctypes.c_void_p))
    np.testing.assert_array_equal(y, small_reference(X))
    assert cli.main([word for word in words if word != "--shared"]) == 0
    assert not file.exists(), "of an earlier network"
    assert not list((tmp_path / "out").glob("net[._]*"))


@pytest.mark.parametrize("name", ["1a", "a-b", "é", "tw_a", "TW", "tilewright", "string", "math"])
def test_names_that_no_network_can_have(name: str, folder: Path, capsys: pytest.CaptureFixture[str]):
    assert cli.main(["compile", str(folder / "one.onnx"), "-o", str(folder / "bad"), "--name", name]) == 1
    assert f"'{name}' cannot be the name of a network in C" in capsys.readouterr().err
    assert not (folder / "bad").exists()


def test_names_that_a_network_can_have():
    for name in ("a", "Net2", "strings", "two", "t_w"):
        check_name(name)


def test_names_need_c():
    from tilewright.passes.name_network import name_network

    module = parse_module(new_context(), "func.func @f() {\n  func.return\n}\n")
    with pytest.raises(tilewright.Diagnostic, match="no function is public"):
        name_network(module, "a")


@pytest.mark.parametrize(
    ("options", "message"),
    [(["--bare", "--name", "a"], "hold one network"), (["--bare", "--shared"], "are of different machines")],
)
def test_options_that_exclude_each_other(
    options: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
):
    words = ["compile", str(folder / "one.onnx"), "-o", str(folder / "bad"), "--target", "siracusa", *options]
    assert cli.main(words) == 2
    assert message in capsys.readouterr().err


def test_versions(capsys: pytest.CaptureFixture[str]):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith(f"tilewright {tilewright.__version__}, built from xdsl version 0.")
