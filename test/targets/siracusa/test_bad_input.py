"""What is wrong with a network for Siracusa is said on the command line, in the one shape, with what helps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper

from tilewright import cli, opt_tool
from tilewright.frontend.zoo import llama as llama_network
from tilewright.test.small_models import model, node, requant, weights

Main = Callable[[Sequence[str]], int]

SMALL = """
include = "siracusa"
description = "a Siracusa with less memory"

[levels.L2]
size = "4KiB"

[levels.WMEM]
size = "1KiB"
"""
BEHIND = """
[levels.L3]
size = "8MiB"

[links.l3]
far = "L3"
near = "L2"
width = 1
startup = 200
"""


def failure(capsys: pytest.CaptureFixture[str], *words: str | Path, main: Main = cli.main) -> str:
    """Return the one error that a command ends with."""
    assert main([*map(str, words)]) == 1
    out, err = capsys.readouterr()
    assert err.count("error:") == 1, out + err
    assert "Traceback" not in err
    assert "internal error" not in err
    return err


def saved(path: Path, made: ModelProto) -> Path:
    path.write_bytes(made.SerializeToString())
    return path


def linear(features: int) -> ModelProto:
    """Return a matrix product of bytes, with weights of `features` times 64 bytes."""
    random = np.random.default_rng(3)
    constants: dict[str, Any] = {
        "w": random.integers(-9, 10, (64, features)).astype(np.float32),
        "mul": np.array([3], np.float32),
        "add": np.array([5], np.float32),
    }
    nodes = [node("MatMul", ["x", "w"], ["c"], name="product"), requant("c", "y")]
    return model(nodes, inputs={"x": (4, 64)}, outputs={"y": (4, features)}, weights=constants)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def test_weights_beyond_all_memories(tmp_path: Path, small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says how much is short, and offers an L3; with one the network is planned, if it is external turned into C."""
    path = saved(tmp_path / "net.onnx", linear(128))
    error = failure(capsys, "compile", path, "--target", small, "-o", tmp_path / "out")
    assert "the network does not fit L2: " in error
    assert "bytes short" in error
    assert "4,096 bytes in all" in error
    assert "w (8,192 bytes)" in error
    assert "of 1,024 bytes" in error
    assert "compile for --target siracusa/l3; or put L3" in error
    assert "[levels.L3]" in error
    assert not (tmp_path / "out").exists()
    small.write_text(SMALL + BEHIND)
    np.savez(tmp_path / "in.npz", x=np.ones((4, 64), np.uint8))
    assert cli.main(["run", str(path), "--target", str(small), "--inputs", f"{tmp_path}/in.npz", "--on=simulator"]) == 0
    capsys.readouterr()
    error = failure(capsys, "compile", path, "--target", small, "-o", tmp_path / "out")
    assert "the cluster's DMA engine does not reach all levels" in error
    assert "call the farthest level external" in error
    small.write_text(SMALL + BEHIND.replace('size = "8MiB"', 'size = "8MiB"\nexternal = true'))
    assert cli.main(["compile", str(path), "--target", str(small), "-o", str(tmp_path / "out")]) == 0


def test_a_network_that_just_fits(tmp_path: Path, small: Path) -> None:
    path = saved(tmp_path / "net.onnx", linear(32))
    assert cli.main(["compile", str(path), "--target", str(small), "-o", str(tmp_path / "out")]) == 0


def unknown() -> ModelProto:
    nodes = [node("Conv", ["x", "w"], ["c"], name="conv"), node("Det", ["c"], ["y"], name="determinant")]
    return model(nodes, outputs={"y": (1, 3)}, weights=weights())


def typed(element: int, operator: str, *inputs: str) -> ModelProto:
    """Return a node on tensors of an element type."""
    tensors = [helper.make_tensor_value_info(name, element, (4, 4)) for name in ("x", "y")]
    graph = helper.make_graph([node(operator, inputs, ["y"], name="only")], "net", tensors[:1], tensors[1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (unknown(), ['node "determinant"', "Det", "remedy"]),
        (typed(TensorProto.COMPLEX64, "Identity", "x"), ['tensor "x"', "COMPLEX64", "remedy"]),
        (typed(TensorProto.STRING, "Identity", "x"), ['tensor "x"', "STRING", "remedy"]),
    ],
    ids=["operator", "complex", "string"],
)
def test_what_nothing_runs(
    made: ModelProto, said: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path / "net.onnx", made)
    error = failure(capsys, "compile", path, "--target", "siracusa", "-o", tmp_path / "out")
    assert error.startswith(str(path))
    assert all(part in error for part in said), error


ASKED = """
func.func @network(%x: memref<4x64xf32>, %w: memref<64x8xf32>, %y: memref<4x8xf32> {tilewright.output}) {
  nn.matmul ins(%x, %w : memref<4x64xf32>, memref<64x8xf32>) outs(%y : memref<4x8xf32>)
      {accumulator = f32, engine = "ENGINE"}
  func.return
}
"""


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        ("npu", ["engine 'npu' does not run 'nn.matmul' on f32", "one that does: cluster", "remove it"]),
        ("gpu", ["'gpu'", "cluster", "remove it"]),
    ],
)
def test_an_engine_that_lacks_types(
    engine: str, said: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "net.mlir"
    path.write_text(ASKED.replace("ENGINE", engine))
    error = failure(capsys, path, "-p", "attach-machine{target=siracusa},map-engines", main=opt_tool.main)
    assert "[map-engines, pass 2 of 2]" in error
    assert all(part in error for part in said), error


TINY = llama_network.Config(layers=1, dim=8, heads=2, hidden=8, vocabulary=16, context=16)


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("llama") / "llama.onnx", llama_network.step(5, config=TINY))


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("positions", "said", "place"),
    [
        ([0, 1, 2, 3, 4], ["4", "larger context"], "host"),
        ([0, 2], ["out of order", "2"], "simulator"),
        ([-1], ["-1"], "interpreter"),
    ],
)
def test_positions(
    positions: Sequence[int],
    said: Sequence[str],
    place: str,
    llama: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    steps = len(positions)
    np.savez(tmp_path / "in.npz", token=np.zeros((steps, 1, 1), np.int64), position=np.array(positions).reshape(-1, 1))
    words = ["run", llama, "--context", "4", "--target", "siracusa", "--inputs", tmp_path / "in.npz", "--on", place]
    error = failure(capsys, *words)
    assert all(part in error for part in said), error
    assert "expected:" in error


def test_more_tokens_than_the_state_has_rows(llama: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--context", "4", "--target", "siracusa", "--prompt", "1,2,3", "--tokens", "3"]
    error = failure(capsys, "generate", llama, *words)
    assert "the context is longer than the state" in error
    assert "give --context 5 or more" in error
