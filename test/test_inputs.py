"""Files that tools read are regular ones of sensible size, and arrays mean the same wherever a network runs."""

from __future__ import annotations

import os
import pickle
import re
import signal
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16
from onnx import TensorProto, helper

from tilewright import cli, opt_tool
from tilewright.errors import Diagnostic
from tilewright.runtime.interpreter.conversion import converted
from tilewright.test.small_models import model, node, save, save_case, small


def told(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run a command of one of the tools; return its exit code and errors, which have the one shape."""
    main = {"opt-tool": opt_tool.main, "tilewright": cli.main}[words[0]]
    code = main(words[1:])
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert "internal error" not in err
    return code, err


# Files


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def huge(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(1 << 31)


def missing_link(path: Path) -> None:
    path.symlink_to(path.with_name("none"))


COMMANDS = {
    "compile": ("tilewright compile BAD.onnx -o OUT", "BAD.onnx"),
    "compile IR": ("tilewright compile BAD.mlir -o OUT", "BAD.mlir"),
    "machine": ("tilewright compile CASE/network.onnx --target BAD.toml -o OUT", "BAD.toml"),
    "run": ("tilewright run BAD.onnx --inputs CASE/inputs.npz", "BAD.onnx"),
    "compiled": ("tilewright run . --inputs CASE/inputs.npz", "network.h"),
    "check": ("tilewright check CASE/network.onnx", "CASE/network.onnx"),
    "member": ("tilewright check CASE", "CASE/outputs.npz"),
    "model of a member": ("tilewright check CASE", "CASE/network.onnx"),
    "import": ("tilewright import BAD.onnx --report", "BAD.onnx"),
    "opt-tool": ("opt-tool BAD.onnx", "BAD.onnx"),
    "opt-tool IR": ("opt-tool BAD.mlir", "BAD.mlir"),
    "opt-tool reproducer": ("opt-tool BAD.mlir --run-reproducer", "BAD.mlir"),
    "external data": ("tilewright import EXTERNAL.onnx", "weights.bin"),
}
ARRAYS = {
    "inputs": ("tilewright run CASE/network.onnx --inputs BAD.npz", "BAD.npz"),
    "inputs of passes": ("opt-tool CASE/network.onnx -p cse --interpret-each --inputs BAD.npz", "BAD.npz"),
}


@pytest.fixture
def alarm() -> Generator[None]:
    """End a test that waits."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("alarm")
@pytest.mark.parametrize("make", [pipe, device, huge, missing_link])
@pytest.mark.parametrize("command", [*COMMANDS, *ARRAYS])
def test_what_is_no_regular_file_is_refused_at_once(
    command: str,
    make: Callable[[Path], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    save_case(tmp_path / "CASE")
    built = small()
    tensor = built.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="weights.bin")
    save(built, tmp_path / "EXTERNAL.onnx")
    words, file = (COMMANDS | ARRAYS)[command]
    (tmp_path / file).unlink(missing_ok=True)
    make(tmp_path / file)
    code, err = told(words.split(), capsys)
    assert code in (1, 2)
    assert "error: " in err
    assert not (tmp_path / "OUT").exists()
    kind = "a pipe" if make is pipe else "a device" if make is device else ""
    reason = f"it is {kind}, not a regular file" if kind else ""
    # A path that leads out of the model's folder is refused before it is looked at.
    assert reason in err or (command == "external data" and "outside the model's folder" in err)


# Members of archives


def pickled(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x", pickle.dumps([1, 2]))


def objects(path: Path) -> None:
    np.savez(path, x=np.array([{}, []], object))


def one_array(path: Path) -> None:
    with path.open("wb") as stream:
        np.save(stream, np.zeros((1, 2, 6, 6)))


def twice(path: Path) -> None:
    np.savez(path, x=np.zeros((1, 2, 6, 6)))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("x", archive.read("x.npy"))


def bomb(path: Path) -> None:
    """An archive whose directory says that a member has 2^50 bytes."""
    np.savez(path, x=np.zeros(1, np.uint8))
    with zipfile.ZipFile(path, "a") as archive:
        archive.filelist[0].file_size = 1 << 50
        archive._didModify = True  # pyright: ignore[reportAttributeAccessIssue]


def kind(value: Any) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        np.savez(path, allow_pickle=False, x=value)

    return write


MEMBERS = {
    "pickled": pickled,
    "objects": objects,
    "one array": one_array,
    "twice": twice,
    "bomb": bomb,
    "text": kind(np.array(["a"])),
    "complex": kind(np.zeros((1, 2, 6, 6), complex)),
    "dates": kind(np.array(["2020"], "M8[Y]")),
    "records": kind(np.zeros(1, [("a", "i4")])),
}


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.parametrize("command", ARRAYS)
def test_members_that_are_no_arrays_of_numbers(
    command: str, member: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    save_case(tmp_path / "CASE")
    MEMBERS[member](tmp_path / "BAD.npz")
    code, err = told(ARRAYS[command][0].split(), capsys)
    assert code == 1
    assert err.startswith(("BAD.npz: error: the arrays cannot be read", "BAD.npz: error: an array holds no numbers"))
    assert not re.search("allow_pickle|NumPy|zipfile|header", err)


def test_a_file_of_another_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    case = save_case(tmp_path)
    (tmp_path / "in.npz").write_text("1, 2, 3")
    code, err = told(
        ["tilewright", "run", str(case.folder / "network.onnx"), "--inputs", str(tmp_path / "in.npz")], capsys
    )
    assert code == 1
    assert "it does not begin as a ZIP archive does" in err


# Names


def test_an_array_of_another_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    case = save_case(tmp_path)
    np.savez(tmp_path / "in.npz", allow_pickle=False, other=case.inputs["x"])
    words = ["tilewright", "run", str(case.folder / "network.onnx"), "--inputs", str(tmp_path / "in.npz")]
    assert "the network has no input 'other'" in (err := told(words, capsys)[1])
    assert "remedy:     name the array as its input: x" in err


@pytest.mark.parametrize("names", [["x"], ["arr_0"], ["input_0"], ["arg0"], ["_0"]])
def test_inputs_by_name_or_place(names: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    case = save_case(tmp_path)
    np.savez(tmp_path / "in.npz", allow_pickle=False, **dict.fromkeys(names, case.inputs["x"]))
    assert (
        told(["tilewright", "run", str(tmp_path / "network.onnx"), "--inputs", str(tmp_path / "in.npz")], capsys)[0]
        == 0
    )


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["z"], "the network has no input 'z'"),
        (["x", "z"], "the network has no input 'z'"),
        (["arr_0", "arr_1"], "the network has no input 'arr_0'"),
        (["arr_1"], "the network has no input 'arr_1'"),
        (["x", "arr_0"], "the network has no input 'arr_0'"),
        (["xs"], "did you mean 'x'"),
    ],
)
@pytest.mark.parametrize("compiled", [False, True])
def test_inputs_of_other_names(
    names: list[str], message: str, compiled: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    case = save_case(tmp_path)
    np.savez(tmp_path / "in.npz", allow_pickle=False, **dict.fromkeys(names, case.inputs["x"]))
    given = tmp_path / "network.onnx"
    if compiled:
        assert told(["tilewright", "compile", str(given), "-o", str(tmp_path / "b")], capsys)[0] == 0
        given = tmp_path / "b"
    code, err = told(["tilewright", "run", str(given), "--inputs", str(tmp_path / "in.npz")], capsys)
    assert code == 1
    assert message in err
    assert "expected:   x; or arr_0, arr_1, ... in this order" in err


def test_a_program_is_given_arrays_by_the_names_of_its_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "net.mlir").write_text(
        "func.func @network(%left: tensor<2xi32>, %right: tensor<2xi32>) -> tensor<2xi32> {\n"
        "  %r = onnx.Sub(%left, %right) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>\n"
        "  func.return %r : tensor<2xi32>\n}\n"
    )
    np.savez(tmp_path / "in.npz", right=np.array([1, 2]), left=np.array([5, 5]))
    words = ["tilewright", "run", "net.mlir", "--inputs", "in.npz", "--outputs", "out.npz"]
    paths = [str(tmp_path / word) if "." in word else word for word in words]
    assert told(paths, capsys)[0] == 0
    with np.load(tmp_path / "out.npz") as found:
        assert found["result0"].tolist() == [4, 3]


def test_surplus_arrays_of_a_case_are_constants_of_the_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    case = save_case(tmp_path)
    weight = np.array(1.0, np.float32)
    for surplus, code in ((case.inputs["x"], 1), (weight, 1), (kernel(), 0)):
        np.savez(tmp_path / "inputs.npz", arr_0=case.inputs["x"], arr_1=surplus)
        assert told(["tilewright", "check", str(tmp_path)], capsys)[0] == code


def kernel() -> np.ndarray[Any, Any]:
    from tilewright.test.small_models import weights

    return weights()["w"]


# Values


VALUES = [
    (np.array([1.0, 2.5], np.float32), np.float32, True),
    (np.array([1.0, 2.5]), np.float32, True),
    (np.array([np.nan, np.inf]), np.float32, True),
    (np.array([1e300, 0]), np.float32, False),
    (np.array([1e-300, 0]), np.float32, False),
    (np.array([0.1, 0]), np.float32, False),
    (np.array([3, -4]), np.float32, True),
    (np.array([2**24 + 1, 0]), np.float32, False),
    (np.array([True, False]), np.float32, True),
    (np.array([1, 2], ">i4"), np.float32, True),
    (np.array([1, 2], ">f8"), np.float32, True),
    (np.array([-1, 0], np.int8), np.uint8, False),
    (np.array([255, 0], np.uint8), np.int8, False),
    (np.array([2**63, 0], np.uint64), np.int64, False),
    (np.array([2.0**63, 0]), np.int64, False),
    (np.array([-(2.0**63), 0]), np.int64, True),
    (np.array([1.0, 0.0]), np.bool_, True),
    (np.array([2, 0]), np.bool_, False),
    (np.array([np.nan, 0]), np.bool_, False),
    (np.array([70000, 0]), np.float16, False),
    (np.array([257, 0]), bfloat16, False),
    (np.array([1.5, 0], bfloat16), np.float32, True),
    (np.array([1j, 0]), np.float32, False),
    (np.array([None, 0]), np.float32, False),
    (np.array([b"ab", b"cd"], "V2"), bfloat16, False),
]


@pytest.mark.parametrize(("value", "dtype", "is_held"), VALUES)
def test_conversion_is_exact_or_refused(value: np.ndarray[Any, Any], dtype: Any, is_held: bool):
    if not is_held:
        with pytest.raises(Diagnostic):
            converted("x", value, np.dtype(dtype), (2,))
        return
    found = converted("x", value, np.dtype(dtype), (2,))
    assert found.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(found.astype(np.float64), value.astype(np.float64))
    assert not np.shares_memory(found, value)


def test_integers_of_few_bits_have_their_range_in_c(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    built = model([node("Relu", ["x"], ["y"])], inputs={"x": (3,)}, outputs={"y": (3,)})
    del built.metadata_props[:]
    save(built, tmp_path / "net.onnx")
    words = ["tilewright", "compile", str(tmp_path / "net.onnx"), "-o", str(tmp_path / "b"), "--input-type", "x=ui4"]
    assert told(words, capsys)[0] == 0
    assert "#define NETWORK_INPUT_0_RANGE {0, 15}" in (tmp_path / "b" / "network.h").read_text()
    for value, code in (([0, 1, 15], 0), ([0, 1, 16], 1), ([-1, 0, 0], 1)):
        np.savez(tmp_path / "in.npz", x=np.array(value))
        found, err = told(["tilewright", "run", str(tmp_path / "b"), "--inputs", str(tmp_path / "in.npz")], capsys)
        assert (found, "out of its range" in err) == (code, bool(code))


def test_order_in_memory_does_not_matter():
    value = np.asfortranarray(np.arange(6).reshape(2, 3))
    found = converted("x", value, np.dtype(np.int8), (2, 3))
    assert found.flags.c_contiguous
    assert found.tolist() == value.tolist()
    assert converted("x", np.array(3), np.dtype(np.float32), ()).tolist() == 3.0


@pytest.mark.sample(1)
@pytest.mark.long
@pytest.mark.parametrize("element", [TensorProto.FLOAT, TensorProto.INT8, TensorProto.UINT8, TensorProto.BOOL])
def test_all_places_take_and_refuse_the_same(element: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    built = model([node("Identity", ["x"], ["y"])], inputs={"x": (2,)}, outputs={}, element=element)
    del built.metadata_props[:]
    built.graph.output.append(helper.make_tensor_value_info("y", element, (2,)))
    save(built, tmp_path / "net.onnx")
    assert told(["tilewright", "compile", str(tmp_path / "net.onnx"), "-o", str(tmp_path / "b")], capsys)[0] == 0
    held: dict[str, list[bool]] = {"host": [], "interpreter": []}
    for value, *_ in [each for each in VALUES if each[0].dtype.kind in "biuf"][::2]:
        np.savez(tmp_path / "in.npz", allow_pickle=False, x=value)
        for place, found in held.items():
            source = tmp_path / ("b" if place == "host" else "net.onnx")
            words = ["run", str(source), "--inputs", str(tmp_path / "in.npz"), "--on", place]
            words += ["--stop-after", "types"] if place == "interpreter" else []
            found.append(told(["tilewright", *words], capsys)[0] == 0)
    assert held["host"] == held["interpreter"]
    assert len(set(held["host"])) == 2
