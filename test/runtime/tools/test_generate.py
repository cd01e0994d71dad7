"""`tilewright generate`, `run` and `check` on a language model that keeps its caches."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright import cli
from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.frontend.zoo import llama
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.inputs import Input
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.generate import folder_language, generate, language_of, module_language
from tilewright.runtime.tools.session import run_steps, runner

quick = pytest.mark.quick

CONFIG = llama.Config(layers=1, dim=16, heads=2, hidden=16, vocabulary=24, context=32)
NEAR = str(Path(__file__).parents[2] / "machines" / "two_level_16k.toml")
PROMPT = [3, 1, 2]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("llama") / "llama.onnx"
    path.write_bytes(llama.step(4, config=CONFIG).SerializeToString())
    return path


def scores(tokens: list[int]) -> Any:
    """Return the scores of all tokens of a text, computed at once by the network exported for its length."""
    empty = np.zeros((1, CONFIG.heads, 0, CONFIG.head), np.float32)
    inputs = {"token": np.array([tokens]), "position": np.array([0]), "past_key_0": empty, "past_value_0": empty}
    return run_module(import_model(llama.prefill(len(tokens), config=CONFIG)), inputs)["logits"]


@cache
def continuation(count: int) -> list[int]:
    """Return the tokens that follow the prompt, each from the scores of the whole text before it."""
    tokens = list(PROMPT)
    while len(tokens) < len(PROMPT) + count:
        tokens.append(int(np.argmax(scores(tokens)[0, -1])))
    return tokens[len(PROMPT) :]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("place", "more"), [("interpreter", []), ("host", ["--bucket", "4"]), ("sanitizers", [])])
def test_generates_what_the_whole_text_gives(
    model: Path, place: str, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["generate", str(model), "--prompt", "3,1,2", "--tokens", "5", "--on", place, *more]
    assert cli.main(words) == 0
    shown = capsys.readouterr()
    assert shown.out == ",".join(map(str, continuation(5))) + "\n"
    assert f"3 tokens in, 5 out, on {place}" in shown.err


@pytest.mark.nightly
def test_generates_from_a_compiled_folder(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["compile", str(model), "--context", "16", "--target", NEAR, "-o", str(tmp_path)]) == 0
    assert "state    " in capsys.readouterr().out
    assert cli.main(["generate", str(tmp_path), "--prompt", "3,1,2", "--tokens", "9"]) == 0
    assert capsys.readouterr().out == ",".join(map(str, continuation(9))) + "\n"


def test_a_second_text_begins_anew(model: Path) -> None:
    compilation = compile_model(Model(model, context=16), "host")
    run, language = runner(compilation, "host"), module_language(compilation.module)
    assert [generate(run, language, PROMPT, 4) for _ in range(2)] == [continuation(4)] * 2


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--prompt", "1,24"], "a token that the network does not know"),
        (["--prompt", "1,-1"], "a token that the network does not know"),
        (["--prompt", ","], "the prompt is empty"),
        (["--prompt", "1,x"], "tokens are numbers with commas between them"),
        (["--prompt", "1", "--tokens", "0"], "a number of tokens is a positive integer"),
        (["--prompt", "1,2", "--tokens", "4", "--context", "4"], "the context is longer than the state"),
        (["--prompt", "1", "--context", "64"], "the context is longer than a table of 32 positions"),
        (["--prompt", "1", "--tokens", "4", "--bucket", "5"], "no bucket of so many rows"),
        (["--prompt", "1", "--context", "x"], "a number of rows is a positive integer"),
    ],
)
def test_mistakes_are_told(model: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["generate", str(model), "--on", "interpreter", *words]) != 0
    shown = capsys.readouterr().err
    assert message in shown
    assert "Traceback" not in shown


@quick
@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([Input("token", (1, 1))], "keeps nothing"),
        ([Input("x", (1, 8)), Input("position", (1,), 1, 8)], "a token for each row"),
        ([Input("a", (1,)), Input("b", (1,)), Input("position", (1,), 1, 8)], "more than a token and a position"),
        ([Input("token", (1, 4)), Input("position", (1,), 4, 8)], "several tokens at once"),
    ],
)
def test_other_networks_are_refused(inputs: list[Input], message: str) -> None:
    with pytest.raises(Diagnostic, match=message):
        language_of(inputs)


# A prompt at once

LONG_PROMPT = [3, 1, 2, 5, 4, 6, 7, 9, 8, 11]


@pytest.fixture(scope="module")
def prefill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("llama") / "prompt.onnx"
    path.write_bytes(llama.prefill(4, config=CONFIG).SerializeToString())
    return path


class Counting:
    """Runs a network and notes which of its functions are called."""

    def __init__(self, run: Any):
        self._run = run
        self.called: list[str] = []

    def __call__(self, inputs: Any, *, function: str = "network") -> Any:
        self.called.append(function)
        return self._run(inputs, function=function)

    def reset(self) -> None:
        self._run.reset()


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("machine", "phase", "place"),
    [
        ("host", "types", "interpreter"),
        ("host", "buffers", "interpreter"),
        ("host", "", "interpreter"),
        ("host", "", "host"),
        ("host", "", "sanitizers"),
        (NEAR, "planned", "interpreter"),
        (NEAR, "", "host"),
    ],
)
def test_a_prompt_is_taken_in_at_once(model: Path, prefill: Path, machine: str, phase: str, place: str) -> None:
    steps = compile_model(Model(model, context=16), machine, stop_after=phase)
    expected = generate(runner(steps, "interpreter"), module_language(steps.module), LONG_PROMPT, 3)
    both = compile_model(Model(model, context=16, prefill=prefill), machine, stop_after=phase)
    run = Counting(runner(both, place))
    assert generate(run, module_language(both.module), LONG_PROMPT, 3) == expected
    assert run.called == ["network_prefill"] * 2 + ["network"] * 4


@pytest.mark.nightly
@pytest.mark.parametrize("machine", ["host", NEAR])
def test_both_functions_share_weights_state_and_memory(model: Path, prefill: Path, machine: str) -> None:
    step, prompt = (compile_model(Model(path, context=16), machine).program() for path in (model, prefill))
    both = compile_model(Model(model, context=16, prefill=prefill), machine).program()
    # The mask of a prompt needs a few constants that a step has not.
    assert max(step.weights_bytes, prompt.weights_bytes) <= both.weights_bytes <= step.weights_bytes + 256
    assert both.state_bytes == step.state_bytes == prompt.state_bytes
    assert both.arena_bytes == max(step.arena_bytes, prompt.arena_bytes)


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["network", "llama"])
def test_a_folder_has_both_functions(
    name: str, model: Path, prefill: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compile", str(model), "--prefill", str(prefill), "--context", "16", "-o", str(tmp_path)]
    assert cli.main([*words, *(["--name", name] if name != "network" else [])]) == 0
    assert f"int32_t {name}_prefill_run(" in (tmp_path / f"{name}.h").read_text()
    assert folder_language(HostNetwork(tmp_path)).prompt is not None
    capsys.readouterr()
    assert cli.main(["generate", str(tmp_path), "--prompt", ",".join(map(str, LONG_PROMPT)), "--tokens", "3"]) == 0
    found = capsys.readouterr().out
    words = ["generate", str(model), "--prompt", ",".join(map(str, LONG_PROMPT)), "--tokens", "3"]
    assert cli.main(words) == 0
    assert capsys.readouterr().out == found


def test_networks_of_other_caches_share_no_state(model: Path, tmp_path: Path) -> None:
    other = llama.Config(layers=2, dim=16, heads=2, hidden=16, vocabulary=24, context=32)
    (tmp_path / "other.onnx").write_bytes(llama.prefill(4, config=other).SerializeToString())
    with pytest.raises(Diagnostic, match="have different caches"):
        Model(model, context=16, prefill=tmp_path / "other.onnx").load()


@quick
def test_a_prompt_needs_a_state(model: Path, prefill: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["compile", str(model), "--prefill", str(prefill), "-o", "unused"]) == 2
    assert "--prefill is for networks with state" in capsys.readouterr().err


# Steps


def steps_of(tokens: list[int]) -> Any:
    return np.array(tokens)[:, None, None]


@pytest.mark.sample(1)
@pytest.mark.parametrize("words", [["--on", "interpreter", "--stop-after", "buffers"], ["--on", "host"]])
def test_run_does_steps(model: Path, tmp_path: Path, words: list[str]) -> None:
    tokens = [5, 6, 7, 8]
    np.savez(tmp_path / "in.npz", token=steps_of(tokens))
    files = ["--inputs", str(tmp_path / "in.npz"), "--outputs", str(tmp_path / "out.npz")]
    assert cli.main(["run", str(model), "--context", "8", *files, *words]) == 0
    found = np.load(tmp_path / "out.npz")["logits"]
    np.testing.assert_array_equal(found[:, 0, 0], scores(tokens)[0])


@pytest.mark.sample(1)
@pytest.mark.parametrize(("wrong", "code", "more"), [(0, 0, ["--bucket", "3"]), (1, 1, [])])
def test_check_compares_steps(model: Path, tmp_path: Path, wrong: int, code: int, more: list[str]) -> None:
    tokens = [5, 6, 7, 8, 9]
    (tmp_path / "network.onnx").write_bytes(model.read_bytes())
    np.savez(tmp_path / "inputs.npz", token=steps_of(tokens), position=np.arange(5)[:, None])
    golden = scores(tokens)[0][:, None, None]
    golden[-1, 0, 0, 3] += wrong
    np.savez(tmp_path / "outputs.npz", logits=golden)
    words = ["check", str(tmp_path), "--context", "8", "--on", "interpreter", "--on", "host", *more]
    assert cli.main(words) == code


@quick
def test_steps_of_two_counts_are_refused() -> None:
    inputs = [Input("a", (2,)), Input("b", (2,))]
    with pytest.raises(Diagnostic, match="differ in their number of steps"):
        run_steps(Nothing(), inputs, {"a": np.zeros((3, 2)), "b": np.zeros((4, 2))})


class Nothing:
    """A network that takes anything and gives nothing."""

    def __call__(self, inputs: Any, *, function: str = "network") -> dict[str, Any]:
        return {}

    def reset(self) -> None:
        pass
