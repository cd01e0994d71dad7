"""`tilewright check`: finds cases, compares at every place, and fails on any difference."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16
from onnx import TensorProto, helper

from tilewright import cli
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.runtime.comparison import bound, says_nothing
from tilewright.runtime.tools.check import Comparison, find_cases
from tilewright.test.small_models import Saved, model, node, save, save_case

Arrays = dict[str, np.ndarray[Any, Any]]


@pytest.fixture
def case(tmp_path: Path) -> Saved:
    return save_case(tmp_path / "case")


def check(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    code = cli.main(["check", *map(str, words)])
    out, err = capsys.readouterr()
    return code, out, err


def rows(out: str) -> list[list[str]]:
    """Return the cells of a printed table."""
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in out.splitlines() if line[:1] == "│"]


@pytest.mark.long
def test_every_place_passes(case: Saved, capsys: pytest.CaptureFixture[str]):
    code, out, err = check(capsys, case.folder, "--on", "interpreter", "--on", "host", "--on", "sanitizers")
    assert (code, err) == (0, "")
    (row,) = rows(out)
    assert (row[0], row[1], row[2], row[-1]) == ("case", "2", "864", "equal")
    assert "1 passed, 0 failed, on interpreter + host + sanitizers" in out


@pytest.mark.parametrize("phase", ["types", "tensor", "fused", "buffers", "planned", "kernels", "loops", "emitc"])
def test_the_interpreter_runs_at_any_phase(phase: str, case: Saved, capsys: pytest.CaptureFixture[str]):
    assert check(capsys, case.folder, "--on", "interpreter", "--stop-after", phase)[0] == 0


@pytest.mark.long
def test_corpora_nest(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for seed, name in enumerate(("a", "b/c", "b/d/e", "z")):
        save_case(tmp_path / "corpus" / name, seed)
    (tmp_path / "corpus" / "b" / "alone").mkdir()
    shutil.copy(tmp_path / "corpus" / "a" / "network.onnx", tmp_path / "corpus" / "b" / "alone")
    code, out, _ = check(capsys, tmp_path / "corpus", tmp_path / "corpus" / "z")
    assert code == 0
    assert [row[0] for row in rows(out)] == ["a", "b/c", "b/d/e", "z", "z"]
    assert "5 passed" in out


def test_a_model_may_have_any_name(case: Saved, capsys: pytest.CaptureFixture[str]):
    path = (case.folder / "network.onnx").rename(case.folder / "mine.onnx")
    code, out, _ = check(capsys, path)
    assert (code, rows(out)[0][0]) == (0, "mine")


@pytest.mark.long
def test_a_network_of_the_zoo_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model = zoo.build("ds-cnn")
    inputs = zoo.sample_inputs(model, 3)
    save(model, tmp_path / "network.onnx")
    np.savez(tmp_path / "inputs.npz", allow_pickle=False, **{"arr_0": inputs["input"]})
    np.savez(tmp_path / "outputs.npz", allow_pickle=False, **{"arr_0": zoo.evaluate(model, inputs)["output"]})
    assert check(capsys, tmp_path, "--on", "host", "--on", "interpreter")[0] == 0


def test_golden_numbers_are_rounded_for_ports_of_bf16(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    ports = [helper.make_tensor_value_info(name, TensorProto.BFLOAT16, [64]) for name in "abc"]
    graph = helper.make_graph([helper.make_node("Add", ["a", "b"], ["c"])], "add", ports[:2], ports[2:])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), tmp_path / "network.onnx")
    a, b = np.random.default_rng(0).normal(size=(2, 64)).astype(np.float32)
    np.savez(tmp_path / "inputs.npz", allow_pickle=False, a=a, b=b)
    np.savez(tmp_path / "outputs.npz", allow_pickle=False, c=a + b)
    assert check(capsys, tmp_path, "--on", "host", "--on", "interpreter")[0] == 0
    np.savez(tmp_path / "outputs.npz", allow_pickle=False, c=a + b + np.float32(0.1))
    assert check(capsys, tmp_path, "--on", "host")[0] == 1


def off_by_one(outputs: Arrays) -> Arrays:
    changed = outputs["y"].copy()
    changed[0, 1, 2, 3] += 1
    return {"y": changed}


WRONG: list[tuple[Callable[[Arrays], Arrays], str]] = [
    (off_by_one, "output 'y' is wrong, first at [0, 1, 2, 3]: expected "),
    (lambda outputs: {"y": outputs["y"] + 256}, "48 of 48 differ"),
    (lambda outputs: {"y": outputs["y"].astype(np.float32) + np.float32(0.25)}, "48 of 48 differ"),
    (lambda outputs: {"y": np.full((1, 3, 4, 4), np.nan)}, "expected nan"),
    (lambda outputs: {"y": outputs["y"][..., :3]}, "has shape [1, 3, 4, 4], not [1, 3, 4, 3]"),
    (lambda outputs: {"y": outputs["y"][0]}, "has shape [1, 3, 4, 4], not [3, 4, 4]"),
    (lambda outputs: {}, "1 outputs (y), but 0 golden ones"),
    (lambda outputs: outputs | {"z": outputs["y"]}, "1 outputs (y), but 2 golden ones (y, z)"),
]


@pytest.mark.sample(3)
@pytest.mark.parametrize(("change", "difference"), WRONG)
@pytest.mark.parametrize("place", ["interpreter", "host"])
def test_a_wrong_output_fails(
    place: str, change: Callable[[Arrays], Arrays], difference: str, case: Saved, capsys: pytest.CaptureFixture[str]
):
    save_case(case.folder.parent / "right")
    np.savez(case.folder / "outputs.npz", allow_pickle=False, **change(case.outputs))
    code, out, err = check(capsys, case.folder.parent, "--on", place)
    assert code == 1
    assert [row[-1] for row in rows(out)] == ["differs", "equal"]
    assert err.startswith(f"case: {place}: ")
    assert difference in err
    assert "1 passed, 1 failed" in out


def _other_compression() -> bytes:
    """Return an archive whose one file is compressed by a method that has no number."""
    buffer = io.BytesIO()
    np.savez(buffer, y=np.zeros(1))
    data = bytearray(buffer.getvalue())
    for signature, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.index(signature) + at] = 77
    return bytes(data)


OTHER_COMPRESSION = _other_compression()


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("outputs.npz", None, "outputs.npz: error: the arrays cannot be read"),
        ("inputs.npz", None, "inputs.npz: error: the arrays cannot be read"),
        ("inputs.npz", b"none", "inputs.npz: error: "),
        ("outputs.npz", b"", "outputs.npz: error: "),
        ("outputs.npz", OTHER_COMPRESSION, "outputs.npz: error: the arrays cannot be read"),
        ("network.onnx", b"none", "network.onnx: error: this is not an ONNX model"),
        ("network.onnx", b"", "network.onnx: error: "),
    ],
)
def test_a_case_with_a_broken_file_fails(
    file: str, content: bytes | None, message: str, case: Saved, capsys: pytest.CaptureFixture[str]
):
    save_case(case.folder.parent / "right")
    (case.folder / file).unlink()
    if content is not None:
        (case.folder / file).write_bytes(content)
    code, out, err = check(capsys, case.folder.parent)
    assert code == 1
    assert [row[-1] for row in rows(out)] == ["error", "equal"]
    assert message in err
    assert "Traceback" not in err
    assert "internal" not in err


def test_an_array_too_few(case: Saved, capsys: pytest.CaptureFixture[str]):
    np.savez(case.folder / "inputs.npz")
    code, _, err = check(capsys, case.folder)
    assert code == 1
    assert "error: not all inputs are given" in err


@pytest.mark.parametrize(("make", "message"), [(True, "there is nothing to check"), (False, "there is no such folder")])
def test_nothing_to_check(make: bool, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    if make:
        (tmp_path / "c").mkdir()
    code, _, err = check(capsys, tmp_path / "c")
    assert code == 1
    assert err.startswith(f"{tmp_path / 'c'}: error: {message}")


@pytest.mark.parametrize("columns", [30, 50, 80, 100])
def test_names_survive_a_narrow_terminal(
    columns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    name = "integer/convolution/regular-2d-with-bias"
    np.savez(save_case(tmp_path / name).folder / "outputs.npz", allow_pickle=False, y=np.zeros(3))
    monkeypatch.setenv("COLUMNS", str(columns))
    code, out, err = check(capsys, tmp_path)
    assert code == 1
    assert max(map(len, out.splitlines())) <= max(columns, 30)
    cells = rows(out)
    assert "".join(row[0] for row in cells) == name
    assert [row[-1] for row in cells if row[-1]] == ["differs"]
    assert "…" not in out
    assert "output 'y' has shape [1, 3, 4, 4], not [3]" in err


def test_golden_outputs_go_by_name_else_by_order():
    one, two = np.array([1]), np.array([2])
    assert Comparison()({"a": one, "b": two}, {"b": two, "a": one}) == ""
    assert Comparison()({"a": one, "b": two}, {"p": one, "q": two}) == ""
    assert "output 'a' is wrong" in Comparison()({"a": one, "b": two}, {"p": two, "q": one})


@pytest.mark.parametrize(
    ("got", "want", "equal"),
    [
        (np.array([2**53 + 1]), np.array([2**53]), False),
        (np.array([2**53], np.int64), np.array([2.0**53]), True),
        (np.array([-1], np.int8), np.array([255], np.uint8), False),
        (np.array([0.5], np.float32), np.array([0.50009]), True),
        (np.array([0.5], np.float32), np.array([0.5002]), False),
        (np.array([np.nan], np.float32), np.array([0.5]), False),
        (np.array([np.inf]), np.array([-np.inf]), False),
        (np.array([np.nan]), np.array([np.nan]), True),
        (np.array([4, 0.25], bfloat16), np.array([4, 0.28]), True),
        (np.array([4, 0.25], bfloat16), np.array([4, 0.29]), False),
        (np.array([4, 0.25], np.float16), np.array([4, 0.26]), False),
        (np.array([1e-5], np.float32), np.array([-1e-5], np.float32), False),
        (np.array([1e-5, 1], np.float32), np.array([-1e-5, 1.5], np.float32), False),
        (np.array([1e-5], np.float32), np.array([1.0001e-5], np.float32), True),
        (np.array([2e6 * (1 + 6e-7)], np.float32), np.array([2e6], np.float32), True),
        (np.array([2e6 * (1 + 1e-4)], np.float32), np.array([2e6], np.float32), False),
        (np.array([2e6, 0.5], np.float32), np.array([2e6 + 1, 0.5], np.float32), True),
        (np.array([2e6, 1], np.float32), np.array([2e6 + 1, 1], np.float32), False),
        (np.array([2e6, 0.5], np.float32), np.array([2_000_001, 0]), False),
        (np.array([0, 9e-5], np.float32), np.array([0, 0], np.float32), True),
        (np.array([np.inf, 1.5], np.float32), np.array([np.inf, 1.50009], np.float32), True),
        (np.array([np.inf, 1.5], np.float32), np.array([np.inf, 1.6], np.float32), False),
        (np.zeros((0, 2), np.float32), np.zeros((0, 2)), True),
    ],
)
def test_comparison(got: np.ndarray[Any, Any], want: np.ndarray[Any, Any], equal: bool):
    assert (Comparison()({"y": got}, {"y": want}) == "") is equal


def test_the_tolerance_grows_with_the_magnitude_only():
    for exponent in range(-30, 30):
        golden = np.array([1.5 * 2.0**exponent, -(2.0**exponent)], np.float32)
        limit = bound(golden, golden)
        assert limit <= max(1e-4, 8e-6 * golden[0])
        assert limit <= 2.0001e-4 * float(golden[0])


@pytest.mark.parametrize(
    ("golden", "reason"),
    [
        (np.zeros(3), "zero throughout"),
        (np.full(3, 2.5), "constant"),
        (np.zeros((0, 2)), "empty"),
        (np.full(2, np.nan), "NaN throughout"),
        (np.array(2.5), ""),
        (np.array([1, 2]), ""),
    ],
)
def test_golden_outputs_that_say_nothing(golden: np.ndarray[Any, Any], reason: str):
    assert says_nothing(golden) == reason


def test_a_golden_output_that_says_nothing_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    case = save_case(tmp_path)
    constant = node("Mul", ["x", "zero"], ["y"])
    save(model([constant], outputs={"y": (1, 2, 6, 6)}, weights={"zero": np.float32(0)}), tmp_path / "network.onnx")
    np.savez(tmp_path / "outputs.npz", allow_pickle=False, y=np.zeros_like(case.inputs["x"]))
    code, out, err = check(capsys, tmp_path)
    assert (code, rows(out)[0][-1]) == (0, "equal")
    assert err.endswith("warning: the golden output 'y' is zero throughout: it tells little\n")


def test_warnings_name_the_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    value = np.array([1, 2], np.float32)
    for name in "ab":
        told = model(
            [node("Relu", ["x"], ["y"], name="n", note="of the exporter")], inputs={"x": [2]}, outputs={"y": [2]}
        )
        (tmp_path / name).mkdir()
        save(told, tmp_path / name / "network.onnx")
        np.savez(tmp_path / name / "inputs.npz", x=value)
        np.savez(tmp_path / name / "outputs.npz", y=value)
    code, _, err = check(capsys, tmp_path, "--on", "interpreter")
    assert code == 0
    assert [line.partition(": ")[0] for line in err.splitlines() if "warning" in line] == ["a", "b"]


def test_golden_outputs_named_in_part_are_refused():
    one, two = np.array([1]), np.array([2])
    assert "the outputs are a, b, the golden ones b, c" in Comparison()({"a": one, "b": two}, {"b": one, "c": two})


def test_cases_are_sorted(tmp_path: Path):
    for name in ("c", "a", "b"):
        save_case(tmp_path / name)
    assert [case.name for case in find_cases(tmp_path)] == ["a", "b", "c"]
    with pytest.raises(Diagnostic, match="nothing to check"):
        find_cases(Path(__file__).parents[2] / "opt_tool")
