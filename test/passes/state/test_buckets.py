"""Functions for the first rows of a state give, bit for bit, what the one for all rows gives, and cost less."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright import cli
from tilewright.compiler import Model, compile_model, machine_named, pipeline_of, write_compilation
from tilewright.dialects.core.buckets import bucket_rows, buckets_of, function_at
from tilewright.dialects.core.syntax.text import new_context
from tilewright.errors import Diagnostic
from tilewright.frontend.zoo import llama
from tilewright.ir import functions
from tilewright.passes.core.manager import PassManager
from tilewright.passes.formats.c import CProgram, render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import Interpreter, Session
from tilewright.runtime.simulator import TimedSession, simulate
from tilewright.runtime.tools.generate import generate, module_language
from tilewright.runtime.tools.profile import profile
from tilewright.runtime.tools.session import host_run, runner
from tilewright.targets.siracusa.bare import run_bare
from tilewright.test.passes.state.stateful import NEAR, STRICT, check_equal, lowered, made_dirty, stepped, with_state
from tilewright.test.phases import each_phase
from tilewright.test.random.networks.attention import LAYOUTS, Attention, exported, inputs_of, one_after_another

CONFIG = llama.Config(layers=1, dim=8, heads=2, hidden=8, vocabulary=16, context=32)


@pytest.mark.sample(2)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_level(layout: str) -> None:
    spec = Attention(layout, batch=2, new=2, masked=True, offset=5)
    steps = inputs_of(spec, 6)
    expected = one_after_another(spec, steps)
    phases = ("types", "buffers", "kernels", "emitc") if layout == "bshd" else ("types",)
    for _, module in each_phase(with_state(exported(spec, 3), 13, 5), phases, verify_each=False):
        check_equal(stepped(spec, made_dirty(spec, Session(module).run, 13), steps, 13), expected)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("context", "bucket", "added", "rows"),
    [(11, 4, 1, [4, 8]), (8, 4, 1, [4]), (8, 2, 3, [4, 6]), (8, 8, 1, []), (8, 0, 1, []), (3, 1, 1, [1, 2])],
)
def test_the_rows_of_buckets(context: int, bucket: int, added: int, rows: list[int]) -> None:
    assert bucket_rows(context, bucket, added) == rows


@pytest.mark.quick
def test_the_smallest_that_takes_the_position_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = Attention(new=2)
    module = with_state(exported(spec, 3), 11, 4)
    names = [(last, each.sym_name.data) for last, each in buckets_of(module, "network")]
    assert names == [(2, "network_4"), (6, "network_8")]
    found = [function_at(module, "network", position) for position in range(10)]
    assert found == ["network_4"] * 3 + ["network_8"] * 4 + ["network"] * 3
    called: list[str] = []
    call = Interpreter.call

    def noted(self: Interpreter, symbol: str, arguments: Any) -> Any:
        called.append(symbol)
        return call(self, symbol, arguments)

    monkeypatch.setattr(Interpreter, "call", noted)
    stepped(spec, Session(module).run, inputs_of(spec, 5), 11)
    assert called == ["network_4"] * 2 + ["network_8"] * 2 + ["network"]


@pytest.mark.quick
@pytest.mark.parametrize("bucket", [-1, 12])
def test_no_bucket_of_so_many_rows(bucket: int) -> None:
    with pytest.raises(Diagnostic, match="no bucket of so many rows"):
        with_state(exported(Attention(), 3), 11, bucket)


@pytest.mark.quick
@pytest.mark.parametrize(("position", "message"), [(-1, "a position is negative"), (8, "longer than the state")])
def test_a_wrong_position_is_one_of_the_whole_state(position: int, message: str) -> None:
    session = Session(with_state(exported(Attention(), 3), 8, 4))
    with pytest.raises(Diagnostic, match=message) as caught:
        session.run({**inputs_of(Attention(), 1)[0], "position": np.array([position])})
    assert "a position from 0 to 7" in str(caught.value)


def test_c() -> None:
    spec = Attention(new=2, heads=4, head=8, masked=True, offset=5)
    steps = inputs_of(spec, 8)
    program = render(lowered(with_state(exported(spec, 3), 17, 9), "", NEAR))
    assert "network_9" not in program.header
    for sanitize in (False, True):
        run = made_dirty(spec, host_run(HostNetwork(program, sanitize=sanitize, flags=STRICT)), 17)
        check_equal(stepped(spec, run, steps, 17), one_after_another(spec, steps))


def test_kernels_that_do_not_depend_on_the_rows_are_shared() -> None:
    def kernels(bucket: int) -> set[str]:
        module = lowered(with_state(llama.step(4, config=CONFIG), 16, bucket), "kernels")
        names = {each.sym_name.data for each in functions(module)}
        return {name for name in names if name.startswith(("int_", "matmul"))}

    alone, both = kernels(0), kernels(8)
    assert alone < both
    # The products and the softmax of attention.
    assert len(both) - len(alone) == 3


# Siracusa


@pytest.mark.nightly
def test_siracusa() -> None:
    """A step costs what its bucket needs, and threads, the simulator and the interpreter give the same."""
    spec = Attention(heads=4, head=16)
    steps = inputs_of(spec, 36)
    expected = one_after_another(spec, steps)
    module = lowered(with_state(exported(spec, 3), 48, 16), "kernels", "siracusa")
    costs = [simulate(module, function=function_at(module, "network", at)).cycles for at in (0, 15, 16, 31, 32, 47)]
    assert costs[0] == costs[1] < costs[2] == costs[3] < costs[4] == costs[5]
    check_equal(stepped(spec, TimedSession(module).run, steps[:18], 48), expected[:18])
    run = made_dirty(spec, host_run(HostNetwork(_rendered(module), flags=STRICT)), 48)
    check_equal(stepped(spec, run, steps, 48), expected)


def _rendered(module: ModuleOp) -> CProgram:
    """Return a module of the phase `kernels` for Siracusa as C."""
    rest = pipeline_of(machine_named("siracusa")).select(start_at="cluster")
    PassManager([], verify_each=False, verify_phases=True).run(module, rest, new_context())
    return render(module)


@pytest.mark.nightly
def test_without_an_operating_system(tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(exported(Attention(), 3).SerializeToString())
    x = inputs_of(Attention(), 1)[0]["x"]
    instructions: list[int] = []
    for bucket in (0, 32):
        compilation = compile_model(Model(tmp_path / "net.onnx", context=64, bucket=bucket), "siracusa")
        write_compilation(compilation, tmp_path / str(bucket))
        inputs = [x.astype(np.int8), np.zeros(1, np.int32)]
        done = run_bare(tmp_path / str(bucket), inputs, runs=2, flags=STRICT)
        instructions.append(done.instructions)
        np.testing.assert_array_equal(done.outputs[0], one_after_another(Attention(), [{"x": x}])[0])
    assert instructions[1] < instructions[0]


# Commands


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("llama") / "llama.onnx"
    path.write_bytes(llama.step(4, config=CONFIG).SerializeToString())
    return path


@pytest.mark.nightly
def test_a_prompt_has_buckets_too(model: Path) -> None:
    prompt = model.with_name("prompt.onnx")
    prompt.write_bytes(llama.prefill(4, config=CONFIG).SerializeToString())
    tokens = [3, 1, 2, 5, 4, 6, 7, 9, 8, 11]
    plain = compile_model(Model(model, context=16), "host", stop_after="types")
    expected = generate(runner(plain, "interpreter"), module_language(plain.module), tokens, 5)
    for phase, place in (("types", "interpreter"), ("", "host")):
        both = compile_model(Model(model, context=16, prefill=prompt, bucket=8), "host", stop_after=phase)
        names = [each.sym_name.data for each in functions(both.module)]
        assert phase == "" or names == ["network", "network_8", "network_prefill", "network_prefill_8"]
        assert generate(runner(both, place), module_language(both.module), tokens, 5) == expected


def test_the_profile_of_a_position(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network = tmp_path / "net.onnx"
    network.write_bytes(exported(Attention(), 3).SerializeToString())
    state = Model(network, context=24, bucket=12)
    first, last = profile(state, NEAR, position=11).cycles, profile(state, NEAR, position=12).cycles
    assert first < last
    words = ["profile", str(network), "--target", NEAR, "--context", "24", "--bucket", "12"]
    for more, cycles in (([], last), (["--position", "0"], first)):
        assert cli.main([*words, *more]) == 0
        assert f"{cycles:,} cycles" in capsys.readouterr().out


@pytest.mark.quick
@pytest.mark.parametrize(
    ("command", "words", "message"),
    [
        ("profile", ["--bucket", "4"], "--bucket is for networks with state"),
        ("compile", ["--bucket", "4", "-o", "unused"], "--bucket is for networks with state"),
        ("check", ["--bucket", "4"], "--bucket is for networks with state"),
        ("compile", ["--context", "8", "--bucket", "0", "-o", "unused"], "a number of rows is a positive integer"),
        ("compile", ["--context", "8", "--bucket", "-2", "-o", "unused"], "a number of rows is a positive integer"),
        ("compile", ["--context", "8", "--bucket", "9", "-o", "unused"], "no bucket of so many rows"),
        ("profile", ["--position", "3"], "there is no step at that position"),
        ("profile", ["--context", "8", "--position", "8"], "there is no step at that position"),
        ("profile", ["--context", "8", "--position", "-1"], "there is no step at that position"),
    ],
)
def test_mistakes_are_told(
    model: Path, command: str, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([command, str(model), *words]) != 0
    shown: Any = capsys.readouterr().err
    assert message in shown
    assert "Traceback" not in shown
