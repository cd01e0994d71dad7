"""
Networks that packages carry, compared with ONNX Runtime: a voice activity detector, and text detection and recognition.

They are found where the packages lie, which are not imported, so that nothing of what they need has to be there:

    .venv/bin/pip install --no-deps --target build/packages silero-vad rapidocr-onnxruntime
    PYTHONPATH=build/packages .venv/bin/python -m pytest test/test_packaged_networks.py

Where they are not installed, the tests are skipped. What is heard and seen is made here: voiced sounds by an
oscillator and resonators, text from a bitmap font.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright
from tilewright import cli
from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.frontend.quantize.quantize import QuantizeOptions
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.simulators.spike import SPIKE
from tilewright.runtime.tools.quantize import quantize_file
from tilewright.runtime.tools.session import host_run
from tilewright.test import onnx_runtime

Run = Callable[[Mapping[str, Array]], Mapping[str, Array]]
RATE = 16000


def packaged(package: str, name: str) -> Path:
    """Return the path of a network that a package carries; the test is skipped where the package is not installed."""
    try:
        found = files(package) or []
    except PackageNotFoundError:
        pytest.skip(f"the package {package} is not installed")
    return next(Path(str(file.locate())) for file in found if file.name == name)


def reference(path: Path) -> Any:
    return onnx_runtime.session(path)


def runs(path: Path, shapes: Mapping[str, Sequence[int]], values: Mapping[str, Array] = {}) -> list[Run]:
    """Return a network as the interpreter runs it and as C."""
    model = Model(path, shapes, input_values=values)
    module = model.load()
    compiled = compile_model(model, "host")
    return [lambda inputs: run_module(module, dict(inputs)), host_run(HostNetwork(compiled.program()))]


def agree(found: Mapping[str, Array], expected: Sequence[Array]) -> None:
    for array, wanted in zip(found.values(), expected, strict=True):
        np.testing.assert_allclose(array, wanted, rtol=0, atol=1e-4 * float(np.abs(wanted).max()))


# Speech


def sound(seconds: float, rate: int) -> Array:
    """Return a pause, then vowels: a sawtooth of a falling pitch through resonances at 700, 1200 and 2500 Hz."""
    rng = np.random.default_rng(5)
    time = np.arange(int(seconds * rate)) / rate
    phase = np.cumsum(130 - 20 * time) / rate
    wave = (2 * (phase % 1) - 1) * (np.sin(2 * np.pi * 3 * time) > -0.6) * (time > 0.15)
    for centre, width in ((700, 80), (1200, 100), (2500, 160)):
        radius, angle = np.exp(-np.pi * width / rate), 2 * np.pi * centre / rate
        response = radius ** np.arange(400) * np.sin(angle * np.arange(1, 401)) / np.sin(angle)
        wave = wave + np.convolve(wave, response)[: wave.size] * 0.05
    wave = 0.3 * wave / np.abs(wave).max() + 0.001 * rng.standard_normal(wave.size)
    return wave.astype(np.float32)


def windows(rate: int, count: int) -> list[Array]:
    """Return what the detector is given: 32 ms of sound each, after the last 4 ms of those before."""
    size, before = rate * 32 // 1000, rate * 4 // 1000
    audio = np.concatenate([np.zeros(before, np.float32), sound(count * 0.032, rate)])
    return [audio[None, n * size : n * size + size + before] for n in range(count)]


def listened(path: Path, rate: int, values: Mapping[str, Array], inputs: Mapping[str, Array], count: int = 12) -> None:
    """Compare the state and the probability of speech from window to window."""
    parts, start = windows(rate, count), np.zeros((2, 1, 128), np.float32)
    session = reference(path)
    shapes = {"input": parts[0].shape, "state": start.shape} | {name: array.shape for name, array in inputs.items()}
    given = {port.name for port in session.get_inputs()}
    for run in runs(path, shapes, values):
        state, heard = start, list[float]()
        for part in parts:
            taken = {"input": part, "state": state, **inputs}
            asked = {name: array for name, array in {**taken, **values}.items() if name in given}
            expected = session.run(None, asked)
            found = run(taken)
            agree(found, expected)
            state = found["stateN"]
            heard.append(float(expected[0][0, 0]))
        assert max(heard) > 3 * min(heard), "nothing was heard"


@pytest.mark.parametrize("rate", [8000, 16000])
def test_voice_activity_at_a_rate_that_is_known(rate: int) -> None:
    listened(packaged("silero-vad", "silero_vad.onnx"), rate, {"sr": np.array(rate)}, {})


def test_voice_activity_at_a_rate_that_the_run_says() -> None:
    """The network stays one with two branches, of which the C takes one."""
    listened(packaged("silero-vad", "silero_vad_op18_ifless.onnx"), RATE, {}, {"sr": np.array(RATE)})


@pytest.mark.parametrize("name", ["half", "16k_op15", "openvino_16k"])
def test_voice_activity_in_other_forms(name: str) -> None:
    values = {"sr": np.array(RATE)} if name == "16k_op15" else {}
    listened(packaged("silero-vad", f"silero_vad_{name}.onnx"), RATE, values, {})


def test_voice_activity_of_a_sequence() -> None:
    path, rows = packaged("silero-vad", "silero_vad_16k_sequence.onnx"), np.concatenate(windows(RATE, 9))
    inputs = {"input": rows} | {name: np.zeros((1, 1, 128), np.float32) for name in "hc"}
    expected = reference(path).run(None, inputs)
    for run in runs(path, {name: array.shape for name, array in inputs.items()}):
        agree(run(inputs), expected)


def test_the_command_is_told_what_the_network_leaves_open(tmp_path: Path) -> None:
    path = packaged("silero-vad", "silero_vad.onnx")
    inputs = {"input": windows(RATE, 7)[-1], "state": np.zeros((2, 1, 128), np.float32)}
    np.savez(tmp_path / "in.npz", allow_pickle=False, **inputs)
    told = ["--input-shape", "input=1,576", "--input-shape", "state=2,1,128", "--input-value", f"sr={RATE}"]
    files = ["--inputs", str(tmp_path / "in.npz"), "--outputs", str(tmp_path / "out.npz")]
    assert cli.main(["run", str(path), *told, *files, "--on", "host"]) == 0
    with np.load(tmp_path / "out.npz") as found:
        agree(found, reference(path).run(None, inputs | {"sr": np.array(RATE)}))


# Text

FONT = {
    "T": "11111 00100 00100 00100 00100 00100 00100",
    "I": "01110 00100 00100 00100 00100 00100 01110",
    "L": "10000 10000 10000 10000 10000 10000 11111",
    "E": "11111 10000 10000 11110 10000 10000 11111",
    "4": "00010 00110 01010 10010 11111 00010 00010",
    "2": "01110 10001 00001 00110 01000 10000 11111",
}


def picture(height: int, width: int, text: str, scale: int) -> Array:
    """Return dark text in the middle of a light picture, [1, 3, height, width], from -1 to 1."""
    glyphs = [np.array([[int(dot) for dot in row] for row in FONT[letter].split()]) for letter in text]
    line = np.concatenate([np.pad(glyph, ((0, 0), (0, 1))) for glyph in glyphs], axis=1)
    ink = np.kron(line, np.ones((scale, scale)))
    canvas = np.zeros((height, width))
    top, left = (height - ink.shape[0]) // 2, (width - ink.shape[1]) // 2
    canvas[top : top + ink.shape[0], left : left + ink.shape[1]] = ink
    slope = np.linspace(0, 0.1, width)
    return np.broadcast_to(0.9 - slope - 1.7 * canvas, (1, 3, height, width)).astype(np.float32)


@pytest.mark.parametrize(
    ("name", "shape", "scale"),
    [
        ("ch_ppocr_mobile_v2.0_cls_infer.onnx", (48, 192), 4),
        ("ch_PP-OCRv4_rec_infer.onnx", (48, 192), 5),
        ("ch_PP-OCRv4_det_infer.onnx", (64, 224), 4),
    ],
)
def test_text_is_found_turned_and_read(name: str, shape: tuple[int, int], scale: int) -> None:
    path, inputs = packaged("rapidocr-onnxruntime", name), {"x": picture(*shape, "TILE42", scale)}
    expected = reference(path).run(None, inputs)
    assert expected[0].max() > 0.5, "nothing was seen"
    for run in runs(path, {"x": inputs["x"].shape}):
        agree(run(inputs), expected)


# Quantised


def calibration() -> dict[str, Array]:
    """Return windows of sound, each after the state that the detector reached before it."""
    path, state = packaged("silero-vad", "silero_vad_16k_op15.onnx"), np.zeros((2, 1, 128), np.float32)
    session, parts, states = reference(path), windows(RATE, 12), list[Array]()
    for part in parts:
        states.append(state)
        given = {"input": part, "state": state, "sr": np.array(RATE)}
        state = session.run(None, {port.name: given[port.name] for port in session.get_inputs()})[1]
    return {"input": np.stack(parts), "state": np.stack(states)}


def test_voice_activity_in_integers_on_a_systolic_array(tmp_path: Path) -> None:
    path, samples = packaged("silero-vad", "silero_vad_16k_op15.onnx"), calibration()
    model = Model(path, {name: array.shape[1:] for name, array in samples.items()}, input_values={"sr": np.array(RATE)})
    options = QuantizeOptions(per_channel=False, common_sums=True, adaptive=False, keep=3)
    result, errors = quantize_file(model, samples, options)
    assert errors[-1].sqnr > 15
    (tmp_path / "vad.onnx").write_bytes(result.model.SerializeToString())
    inputs = {name: array[5] for name, array in samples.items()}
    expected = tilewright.load(tmp_path / "vad.onnx", on="host", integers=True).run(inputs)
    for on in ("interpreter", "host", "spike") if has_spike() else ("interpreter", "host"):
        found = tilewright.load(tmp_path / "vad.onnx", "gemmini", on=on).run(inputs)
        for name, array in expected.items():
            np.testing.assert_allclose(found[name], array, rtol=0, atol=1e-6, err_msg=on)


def has_spike() -> bool:
    try:
        SPIKE.program.find()
    except Diagnostic:
        return False
    return True
