"""What `compile` writes: files that compile by the documented command, and a report whose numbers are right."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import onnx
import pytest

from tilewright import opt_tool
from tilewright.compiler import Compilation, Model, compile_model, write_compilation
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.runtime.toolchain import compiler
from tilewright.test.small_models import save, small, small_reference

DOCS = (Path(__file__).parents[1] / "docs" / "tilewright.md").read_text(encoding="utf-8")
NETWORKS = (pytest.param("ds-cnn", marks=pytest.mark.quick), "resnet8", "mobilenet-v1-025", "autoencoder")
FILES = ["network.c", "network.h", "pipeline.txt", "report.json", "tilewright.h", "weights.c", "weights.h"]


@cache
def zoo_model(name: str) -> onnx.ModelProto:
    return zoo.build(name)


@pytest.fixture(scope="module", params=NETWORKS)
def compiled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a compiled network, the model beside it."""
    folder = tmp_path_factory.mktemp(request.param)
    save(zoo_model(request.param), folder / f"{request.param}.onnx")
    write_compilation(compile_model(Model(folder / f"{request.param}.onnx"), "host"), folder / "build")
    return folder


@pytest.fixture
def compilation(tmp_path: Path) -> Compilation:
    save(small(), tmp_path / "net.onnx")
    return compile_model(Model(tmp_path / "net.onnx"), "host")


def report_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "build" / "report.json").read_text())


def macros(folder: Path) -> dict[str, str]:
    return dict(re.findall(r"^#define NETWORK_(\w+) (\S+)", (folder / "build" / "network.h").read_text(), re.MULTILINE))


# The report


@pytest.mark.sample(1)
@pytest.mark.long
def test_sizes_are_those_of_the_header(compiled: Path):
    report, header = report_of(compiled), macros(compiled)
    assert report["arena"]["bytes"] == int(header["ARENA_BYTES"])
    assert report["weights_bytes"] == int(header["WEIGHTS_BYTES"])


@pytest.mark.long
def test_who_is_alive_at_the_peak_adds_up(compiled: Path):
    arena = report_of(compiled)["arena"]
    alive = arena["alive_at_peak"]
    assert sum(buffer["bytes"] for buffer in alive) == arena["lower_bound"] <= arena["bytes"]
    spans = sorted((buffer["offset"], buffer["offset"] + buffer["bytes"]) for buffer in alive)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert spans[-1][1] <= arena["bytes"]
    assert len({buffer["name"] for buffer in alive}) == len(alive)


def test_macs_are_those_of_the_model(compiled: Path):
    (file,) = compiled.glob("*.onnx")
    report = report_of(compiled)
    assert report["macs"] == zoo.cost(zoo_model(file.stem)).macs
    assert report["macs"] == sum(layer["macs"] for layer in report["layers"])


def test_every_node_is_in_a_layer_or_folded(compiled: Path):
    (file,) = compiled.glob("*.onnx")
    report = report_of(compiled)
    nodes = [node.name for node in zoo_model(file.stem).graph.node]
    in_layers = [node for layer in report["layers"] for node in layer["nodes"]]
    assert report["nodes"] == len(nodes)
    assert sorted({*in_layers, *report["folded"]}) == sorted(nodes)
    assert not set(in_layers) & set(report["folded"])
    assert all(layer["nodes"] for layer in report["layers"])


def test_every_layer_is_a_call_in_the_code(compiled: Path):
    source = (compiled / "build" / "network.c").read_text()
    body = source[source.index("void network_run(") :]
    calls = re.findall(r"^ +(\w+)\(", body, re.MULTILINE)
    layers = report_of(compiled)["layers"]
    assert [layer["kernel"] for layer in layers] == calls
    assert report_of(compiled)["kernels"] == len(set(calls))


def test_operands_are_known_buffers(compiled: Path):
    report = report_of(compiled)
    header = (compiled / "build" / "weights.h").read_text()
    weights = set(re.findall(r" network_(\w+)\[", header))
    written = {layer["operands"][-1]["name"] for layer in report["layers"]}
    for layer in report["layers"]:
        read = {operand["name"] for operand in layer["operands"][:-1]}
        assert read <= written | weights | {"input"}
    assert report["layers"][-1]["operands"][-1]["name"] == "output"


def keys(value: Any) -> set[str]:
    """Return the names of all fields of a JSON value, inner ones included."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return set(fields).union(*map(keys, fields.values()))
    return set[str]().union(*map(keys, cast("list[Any]", value))) if isinstance(value, list) else set()


def test_the_docs_describe_every_field(compiled: Path):
    documented = set(re.findall(r"^\| `([\w.]+)` \|", DOCS.partition("## run")[0], re.MULTILINE))
    assert keys(report_of(compiled)) == {name.rpartition(".")[2] for name in documented}


# The files


MAIN = """\
#include <stdio.h>
#include "network.h"

int main(void) {
    NETWORK_INPUT_0_TYPE x[NETWORK_INPUT_0_SIZE];
    NETWORK_OUTPUT_0_TYPE y[NETWORK_OUTPUT_0_SIZE];
    for (int i = 0; i < NETWORK_INPUT_0_SIZE; i++) x[i] = (NETWORK_INPUT_0_TYPE)(7 * i % 101);
    network_run(x, y);
    for (int i = 0; i < NETWORK_OUTPUT_0_SIZE; i++) printf("%d\\n", (int)y[i]);
    return 0;
}
"""


def build_command(folder: Path) -> str:
    """Return the command of the docs for this folder."""
    (command,) = re.findall(r"^cc (-std=c11 .*build/network\.c .*main\.c.*)$", DOCS, re.MULTILINE)
    return f"{shlex.join(compiler())} {command.replace('build', shlex.quote(str(folder / 'build')))} -o main"


def test_the_documented_command_builds_the_network(compilation: Compilation, tmp_path: Path):
    import numpy as np

    write_compilation(compilation, tmp_path / "build")
    (tmp_path / "main.c").write_text(MAIN)
    subprocess.run(build_command(tmp_path), shell=True, cwd=tmp_path, check=True)
    out = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout
    x = (7 * np.arange(72) % 101).reshape(1, 2, 6, 6)
    assert [int(line) for line in out.split()] == small_reference(x).ravel().tolist()


@pytest.mark.sample(2)
@pytest.mark.long
def test_weights_that_are_binary_build_too(compiled: Path):
    (compiled / "main.c").write_text(MAIN)
    subprocess.run(build_command(compiled), shell=True, cwd=compiled, check=True)
    assert subprocess.run([compiled / "main"], capture_output=True, check=True).stdout


@pytest.mark.sample(1)
@pytest.mark.long
def test_opt_tool_runs_the_written_pipeline(compiled: Path, capsys: pytest.CaptureFixture[str]):
    (file,) = compiled.glob("*.onnx")
    pipeline = (compiled / "build" / "pipeline.txt").read_text().strip()
    assert opt_tool.main([str(file), f"--pass-pipeline={pipeline}", "-t", "c{weights=extern}"]) == 0
    source = (compiled / "build" / "network.c").read_text()
    assert source[source.index("static") :] in capsys.readouterr().out


@pytest.mark.quick
def test_all_files_are_written(compilation: Compilation, tmp_path: Path):
    written = write_compilation(compilation, tmp_path / "new" / "build")
    assert [file.name for file in written] == FILES
    assert sorted(file.name for file in (tmp_path / "new" / "build").iterdir()) == FILES


@pytest.mark.quick
def test_files_of_an_earlier_network_go_and_others_stay(compilation: Compilation, tmp_path: Path):
    """Headers of the compiler that this network does not include are of an earlier one, perhaps of another target."""
    (tmp_path / "b").mkdir()
    for name in ("weights.S", "weights.bin", "tilewright_threads.h", "tilewright_mine.h", "mine.txt"):
        (tmp_path / "b" / name).write_text("old")
    write_compilation(compilation, tmp_path / "b")
    expected = sorted([*FILES, "mine.txt", "tilewright_mine.h"])
    assert sorted(file.name for file in (tmp_path / "b").iterdir()) == expected


@pytest.mark.quick
def test_a_failure_leaves_a_folder_as_it_was(compilation: Compilation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "b" / "report.json").mkdir(parents=True)
    (tmp_path / "b" / "network.c").write_text("old")
    with pytest.raises(Diagnostic, match="cannot be written") as caught:
        write_compilation(compilation, tmp_path / "b")
    assert "report.json is a folder" in caught.value.found
    assert sorted(file.name for file in (tmp_path / "b").iterdir()) == ["network.c", "report.json"]
    assert (tmp_path / "b" / "network.c").read_text() == "old"


@pytest.mark.quick
def test_a_failure_leaves_no_new_folder(compilation: Compilation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(Diagnostic) as caught:
        write_compilation(compilation, tmp_path / "a" / "b")
    assert caught.value.found == "No space left on device"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["net.onnx"]


@pytest.mark.quick
def test_a_module_without_a_network(tmp_path: Path):
    (tmp_path / "f.mlir").write_text("func.func @f() { func.return }")
    with pytest.raises(Diagnostic, match="holds no network") as caught:
        compile_model(Model(tmp_path / "f.mlir"), "host")
    assert caught.value.source == str(tmp_path / "f.mlir")


@pytest.mark.quick
def test_a_dumped_module_compiles_to_the_same(compilation: Compilation, tmp_path: Path):
    from tilewright.dialects.core.syntax.text import Locations, print_ir

    (tmp_path / "net.mlir").write_text(print_ir(Model(tmp_path / "net.onnx").load(), locations=Locations.GIVEN))
    again = compile_model(Model(tmp_path / "net.mlir"), "host")
    assert again.program().text() == compilation.program().text()
    assert again.report | {"model": ""} == compilation.report | {"model": ""}
