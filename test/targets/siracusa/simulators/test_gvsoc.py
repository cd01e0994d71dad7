"""Networks on GVSoC's Siracusa, and the errors of a simulator that is missing, another version, hangs or fails."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tilewright import cli
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.ir import Array
from tilewright.runtime.simulators.session import Settings
from tilewright.targets.siracusa.simulators.gvsoc import PROGRAM, RUNS, GvsocSession, start
from tilewright.test.small_models import model, node, save
from tilewright.test.targets.siracusa.runtime_networks import Example, example


def missing() -> str:
    try:
        PROGRAM.find()
    except Diagnostic as error:
        return str(error)
    return ""


needs_gvsoc = pytest.mark.skipif(bool(missing()), reason=f"no GVSoC: {missing()}")

NAMES = ("matmul", "npu", "transfers")


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Example:
    return example("matmul", tmp_path_factory.mktemp("networks") / "matmul", seed=3)


@needs_gvsoc
@pytest.mark.parametrize("name", NAMES)
def test_a_network_on_gvsoc(name: str, tmp_path: Path) -> None:
    network = example(name, tmp_path / "network", seed=3)
    session = start(network.folder, Settings(seconds=120))
    for found, expected in zip(session.run_all([(0, network.inputs)])[0], network.outputs, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert session.cycles.shape == (RUNS, 1)
    assert 100 < session.later < session.first


@needs_gvsoc
def test_run_and_check_on_gvsoc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(model([node("Relu", ["x"], ["y"])], outputs={"y": (1, 2, 6, 6)}), tmp_path / "network.onnx")
    values = np.arange(-36, 36, dtype=np.int8).reshape(1, 2, 6, 6)
    np.savez(tmp_path / "inputs.npz", x=values)
    np.savez(tmp_path / "outputs.npz", y=np.maximum(values, 0))
    words = ["--target", "siracusa/cluster", "--on", "gvsoc"]
    assert cli.main(["check", str(tmp_path), *words]) == 0
    assert re.search(r"[\d,]+ cycles, [\d,]+ in a later call \(GVSoC ", capsys.readouterr().out)
    np.savez(tmp_path / "outputs.npz", y=values)
    assert cli.main(["check", str(tmp_path), *words]) == 1


@needs_gvsoc
def test_layers_are_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    save(model([node("Relu", ["x"], ["y"])], outputs={"y": (1, 2, 6, 6)}), tmp_path / "net.onnx")
    files = {name: str(tmp_path / f"profile.{name}") for name in ("json", "html")}
    words = ["profile", str(tmp_path / "net.onnx"), "--target", "siracusa", "--on", "gvsoc"]
    assert cli.main([*words, "--json", files["json"], "--html", files["html"]]) == 0
    assert re.search(r"[\d,]+ cycles measured on GVSoC \S+", capsys.readouterr().out)
    found = json.loads(Path(files["json"]).read_text())["measured"]
    layer, around = found["layers"]
    assert 0 < layer["later"] <= layer["first"]
    assert layer["later"] + around["later"] == found["later"]
    assert 0 < found["alone"] < found["later"]
    assert f'"measured":{layer["later"]}' in Path(files["html"]).read_text()


# Without the simulator


def fake(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch, *, chip: bool = True) -> None:
    """Let $GVSOC name a shell script in an installation, which does `text` with a program."""
    program, generators = folder / "bin" / "gvsoc", folder / "generators"
    program.parent.mkdir()
    generators.mkdir()
    if chip:
        (generators / "siracusa.py").write_text("")
    program.write_text(f'#!/bin/sh\n[ "$1" = --help ] && echo "usage: gapy [-h]" && exit\n{text}\n')
    program.chmod(0o755)
    monkeypatch.setenv("GVSOC", str(program))


def console(outputs: Sequence[Array], cycles: Sequence[int]) -> str:
    """Return commands that print what a program does."""
    lines = [f"output {index}: {array.tobytes().hex()}" for index, array in enumerate(outputs)]
    return "\n".join(f"echo '{line}'" for count in cycles for line in (f"cycles {count}", *lines))


def test_cycles_and_outputs_are_read(case: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, console(case.outputs, [90, 80, 70]), monkeypatch)
    session = GvsocSession(case.folder)
    np.testing.assert_array_equal(session.run_all([(0, case.inputs)])[0][0], case.outputs[0])
    assert (session.first, session.later) == (90, 70)
    assert re.match(r"GVSoC of unknown release \(models [0-9a-f]{12}\)", session.version)


def test_a_script_elsewhere_has_no_release(case: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, console(case.outputs, [9] * RUNS), monkeypatch)
    script = tmp_path / "other" / "bin" / "run"
    script.parent.mkdir(parents=True)
    script.write_text(f'#!/bin/sh\nexec {tmp_path}/bin/gvsoc "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("GVSOC", str(script))
    session = GvsocSession(case.folder)
    np.testing.assert_array_equal(session.run_all([(0, case.inputs)])[0][0], case.outputs[0])
    assert session.version == "GVSoC of unknown release"


def test_the_program_is_built_for_the_chip(case: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, f'echo "$@"; cp "$4" {tmp_path}/kept.elf; {console(case.outputs, [9] * RUNS)}', monkeypatch)
    GvsocSession(case.folder).run_all([(0, case.inputs)])
    assert (tmp_path / "kept.elf").read_bytes()[:4] == b"\x7fELF"


def test_counts_of_calls_are_read(case: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [
        "\n".join([console(case.outputs, [9]), *(f"echo count {call} {run + call} {call}" for call in range(3))])
        for run in (40, 30, 20)
    ]
    fake(tmp_path, "\n".join(runs), monkeypatch)
    session = GvsocSession(case.folder, calls=2)
    session.run_all([(0, case.inputs)])
    assert session.counted.tolist() == [[[40, 0], [41, 1], [42, 2]], [[20, 0], [21, 1], [22, 2]]]
    fake_again = tmp_path / "bin" / "gvsoc"
    fake_again.write_text(fake_again.read_text().replace("echo count 2 22 2", ""))
    with pytest.raises(Diagnostic, match="has not printed all counts"):
        session.run_all([(0, case.inputs)])


def test_runs_that_differ(case: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = [case.outputs[0] + 1]
    fake(tmp_path, "\n".join([console(wrong, [9, 9]), console(case.outputs, [9])]), monkeypatch)
    with pytest.raises(Diagnostic, match="call 0 differs from the same call before"):
        GvsocSession(case.folder).run_all([(0, case.inputs)])


def test_a_run_that_hangs_is_killed(case: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, "echo cycles 9\necho the last line\nsleep 100 & wait", monkeypatch)
    with pytest.raises(Diagnostic, match=r"GVSoC has not ended after 0\.5 s and was killed") as error:
        GvsocSession(case.folder, seconds=0.5).run_all([(0, case.inputs)])
    assert error.value.notes[-1] == "the last line"


def test_a_run_that_fails(case: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, "echo no module named prettytable\nexit 1", monkeypatch)
    with pytest.raises(Diagnostic, match="GVSoC failed with status 1") as error:
        GvsocSession(case.folder).run_all([(0, case.inputs)])
    assert error.value.notes[-1] == "no module named prettytable"


@pytest.mark.parametrize(
    ("printed", "message"),
    [("echo nothing", "has not made all calls"), ("for i in 1 2 3; do echo cycles 9; done", "has not printed")],
)
def test_a_program_that_ends_early(
    printed: str, message: str, case: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(tmp_path, printed, monkeypatch)
    with pytest.raises(Diagnostic, match=message):
        GvsocSession(case.folder).run_all([(0, case.inputs)])


def test_inputs_that_are_refused(case: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, "echo cycles 9\necho refused 1\nexit 1", monkeypatch)
    with pytest.raises(Diagnostic, match="refuses its inputs: an input holds a number out of its range"):
        GvsocSession(case.folder).run_all([(0, case.inputs)])


def test_another_program_and_another_version(case: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, "", monkeypatch, chip=False)
    with pytest.raises(Diagnostic, match="built without a model of siracusa, or is another version"):
        GvsocSession(case.folder)
    (tmp_path / "bin" / "gvsoc").write_text("#!/bin/sh\necho some other tool\n")
    with pytest.raises(Diagnostic, match="is another program than GVSoC"):
        GvsocSession(case.folder)
    monkeypatch.setenv("GVSOC", str(tmp_path / "none"))
    with pytest.raises(Diagnostic, match=r"that \$GVSOC names is no program"):
        GvsocSession(case.folder)


def test_a_program_larger_than_the_chip(case: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, "", monkeypatch)
    calls = [(0, case.inputs)] * 700  # inputs lie in L2, too
    with pytest.raises(Diagnostic, match="the program does not fit in L2"):
        GvsocSession(case.folder).run_all(calls)


def test_calls_since_the_last_reset_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = example("matmul", tmp_path / "network", seed=3)
    header = network.folder / "network.h"
    header.write_text(header.read_text() + "#define NETWORK_STATE_BYTES 4\nvoid network_reset(void);\n")
    source = network.folder / "network.c"
    source.write_text(source.read_text() + "\nvoid network_reset(void) {}\n")
    fake(tmp_path, f"[ -e {tmp_path}/again ] && {{ {console(network.outputs, [3, 4] * RUNS)}\nexit; }}\n"
        f"touch {tmp_path}/again\n{console(network.outputs, [3] * RUNS)}", monkeypatch)  # fmt: skip
    session = GvsocSession(network.folder)
    session.run_all([(0, network.inputs)])
    session.run_all([(0, network.inputs)])
    assert session.cycles.tolist() == [[4]] * RUNS
    session.reset()
    (tmp_path / "again").unlink()
    session.run_all([(0, network.inputs)])
    assert session.cycles.tolist() == [[3]] * RUNS


def test_the_simulator_of_another_chip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "net.onnx").write_bytes(zoo.build("mlp").SerializeToString())
    np.savez(tmp_path / "in.npz", x=np.zeros(1))
    words = ["run", str(tmp_path / "net.onnx"), "--inputs", str(tmp_path / "in.npz"), "--on", "gvsoc"]
    assert cli.main([*words, "--target", "host"]) == 2
    assert "does not run programs of target 'host'" in capsys.readouterr().err
    assert cli.main([*words, "--target", "siracusa", "--isa", "rv64gc"]) == 2
    assert "--isa and --extension are for --on spike" in capsys.readouterr().err
    assert cli.main(["targets", "siracusa"]) == 0
    assert "gvsoc (simulator of the chip)" in capsys.readouterr().out
