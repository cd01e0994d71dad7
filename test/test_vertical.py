"""Networks of the zoo through the whole compiler: every level and the C compute what ONNX Runtime does, bit for bit."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto
from xdsl.dialects.builtin import ModuleOp

from tilewright import opt_tool
from tilewright.compiler import Compilation, Model, compile_model, machine_named
from tilewright.frontend import zoo
from tilewright.ir import Array
from tilewright.passes.core.manager import Observer, PassPosition
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.toolchain import STRICT
from tilewright.runtime.tools.session import host_run, native, sanitized
from tilewright.test import onnx_runtime
from tilewright.test.small_models import save

NETWORKS = (pytest.param("ds-cnn", marks=pytest.mark.quick), "resnet8", "mobilenet-v1-025", "autoencoder", "mlp")
PHASES = tuple(phase.name for phase in machine_named("host").phases)
SEEDS = (1, 2)

Outputs = Mapping[str, Array]


class EachPhase(Observer):
    """Runs the program before the first pass and after each phase."""

    def __init__(self, inputs: Outputs):
        self._inputs = inputs
        self.outputs: dict[str, Outputs] = {}

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if place.number == 1:
            self.outputs["graph"] = run_module(module, self._inputs)

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        following = place.rest().steps
        if not following or following[0].phase != place.step.phase:
            self.outputs[place.step.phase] = run_module(module, self._inputs)


@cache
def model(name: str) -> ModelProto:
    return zoo.build(name)


@pytest.fixture(scope="module", params=NETWORKS)
def network(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the ONNX file of a network."""
    path = tmp_path_factory.mktemp("zoo") / f"{request.param}.onnx"
    save(model(request.param), path)
    return path


@pytest.fixture(scope="module")
def compilation(network: Path) -> Compilation:
    return compile_model(Model(network), "host")


def inputs_of(path: Path, seed: int) -> dict[str, Array]:
    return zoo.sample_inputs(model(path.stem), seed)


def reference(path: Path, seed: int) -> dict[str, Array]:
    """Return what ONNX Runtime computes."""
    session: Any = onnx_runtime.session(path)
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, inputs_of(path, seed)), strict=True))


def check_equal(outputs: Outputs, golden: Outputs) -> None:
    assert list(outputs) == list(golden)
    for name, value in golden.items():
        assert outputs[name].shape == value.shape
        assert np.array_equal(outputs[name].astype(np.float64), value.astype(np.float64)), name


@pytest.mark.sample(1)
@pytest.mark.long
def test_every_level_is_onnx_runtime(network: Path):
    levels = EachPhase(inputs_of(network, 1))
    compile_model(Model(network), "host", observers=[levels])
    assert list(levels.outputs) == ["graph", *PHASES]
    golden = reference(network, 1)
    assert len(np.unique(golden["output"])) > 1
    for outputs in levels.outputs.values():
        check_equal(outputs, golden)


@pytest.mark.sample(1)
def test_the_c_is_onnx_runtime(network: Path, compilation: Compilation):
    run = host_run(HostNetwork(compilation.program(), flags=STRICT))
    for seed in (*SEEDS, SEEDS[0]):
        check_equal(run(inputs_of(network, seed)), reference(network, seed))
    first, second = (reference(network, seed)["output"] for seed in SEEDS)
    assert not np.array_equal(first, second)


@pytest.mark.sample(1)
def test_the_c_is_clean_under_sanitizers(network: Path, compilation: Compilation):
    check_equal(sanitized(compilation)(inputs_of(network, 2)), reference(network, 2))


def test_interpreted_c_is_native_c(network: Path, compilation: Compilation):
    inputs = inputs_of(network, 3)
    check_equal(run_module(compilation.module, inputs), native(compilation)(inputs))


# DS-CNN, by way of opt-tool


@pytest.mark.nightly
@pytest.mark.long
@pytest.mark.quick
def test_one_run_and_eight_through_files_give_the_same_c(tmp_path: Path):
    assert len(PHASES) == 8
    save(model("ds-cnn"), tmp_path / "net.onnx")
    whole = tmp_path / "whole.c"
    assert opt_tool.main([str(tmp_path / "net.onnx"), "-p", "host-pipeline", "-t", "c", "-o", str(whole)]) == 0
    file = tmp_path / "net.onnx"
    for phase in PHASES:
        last = phase == PHASES[-1]
        result = tmp_path / ("parts.c" if last else f"{phase}.mlir")
        words = ["-p", "host-pipeline", f"--start-at={phase}", f"--stop-after={phase}", "-o", str(result)]
        words.append("--mlir-print-debuginfo")
        assert opt_tool.main([str(file), *words, *(["-t", "c"] if last else [])]) == 0
        file = result
    assert (tmp_path / "parts.c").read_bytes() == whole.read_bytes()
    assert "void network_run(" in whole.read_text()


@pytest.mark.nightly
def test_each_dump_gives_the_same_c(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    save(model("ds-cnn"), tmp_path / "net.onnx")
    words = ["-p", "host-pipeline", "-t", "c", "--dump-dir", str(tmp_path / "dumps")]
    assert opt_tool.main([str(tmp_path / "net.onnx"), *words]) == 0
    whole = capsys.readouterr().out
    dumps = sorted((tmp_path / "dumps").iterdir())
    assert len(dumps) > len(PHASES)
    for dump in dumps[:: max(1, len(dumps) // 5)]:
        assert opt_tool.main([str(dump), "--run-reproducer"]) == 0
        assert capsys.readouterr().out == whole
