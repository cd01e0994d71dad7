"""
Whatever is wrong with the input, both tools say so in the one shape, leave nothing behind, and show no traceback.

What is unusual but right, unsorted nodes and names that C does not take, must work.
"""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper

from tilewright import cli, opt_tool
from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.toolchain import STRICT
from tilewright.runtime.tools.session import host_run
from tilewright.test.small_models import model, node, number, requant, save, small, small_reference, weights


@dataclass(frozen=True)
class Bad:
    """A model that no tool takes: `said` is in the error, `words` are further arguments, `code` the exit code."""

    name: str
    make: Callable[[], ModelProto | bytes]
    said: str
    words: Sequence[str] = ()
    code: int = 1
    said_by: dict[str, str] = field(default_factory=dict[str, str])

    def __str__(self) -> str:
        return self.name


def conv(x: str = "x", w: str = "w", y: str = "c", **attributes: Any) -> onnx.NodeProto:
    return node("Conv", [x, w], [y], name="conv", **attributes)


def with_weights(**changes: Any) -> Callable[[], ModelProto]:
    return lambda: model([conv(), requant("c", "y")], weights=weights(**changes))


def with_requant(**changes: Any) -> Callable[[], ModelProto]:
    return lambda: small(**changes)


def with_nodes(*nodes: onnx.NodeProto, **options: Any) -> Callable[[], ModelProto]:
    given: dict[str, Any] = {"weights": weights()} | options
    return lambda: model(nodes, **given)


def changed(name: str, index: tuple[int, ...], value: float) -> Callable[[], ModelProto]:
    array = weights()[name]
    array[index] = value
    return with_weights(**{name: array})


def huge_weights() -> ModelProto:
    built = small()
    built.graph.initializer[0].dims[:] = [1 << 20, 1 << 18, 1, 1]
    return built


def given_twice() -> ModelProto:
    built = small()
    built.graph.input.append(built.graph.input[0])
    return built


ONNX = [
    Bad("text", lambda: b"this is a text\n", "not an ONNX model"),
    Bad("empty file", lambda: b"", "empty", said_by={"tilewright": "not an ONNX model"}),
    Bad("truncated", lambda: small().SerializeToString()[:-40], "not an ONNX model"),
    Bad("empty graph", lambda: model([], outputs={}), "the graph is empty"),
    Bad("unknown op", with_nodes(node("Frob", ["x"], ["y"], name="frob")), "Frob is unknown"),
    Bad("a node lacks an input", with_nodes(node("Conv", ["x"], ["y"], name="c0")), 'node "c0"'),
    Bad("nothing produces it", with_nodes(conv(w="v"), requant("c", "y")), "nothing produces"),
    Bad("misshapen kernel", with_weights(w=np.zeros((3, 5, 3, 3), np.float32)), 'node "conv"'),
    Bad("misshapen kernel rank", with_weights(w=np.zeros((3, 2, 3), np.float32)), 'node "conv"'),
    Bad("misshapen factor", with_weights(mul=np.ones((5, 1, 1), np.float32)), 'node "requant"'),
    Bad("misshapen sum", with_nodes(node("Add", ["x", "w"], ["y"], name="sum"), outputs={"y": [1]}), 'node "sum"'),
    Bad("open dimension", with_nodes(conv(), requant("c", "y"), inputs={"x": ["n", 2, 6, 6]}), "--input-shape"),
    Bad("a shape beyond 64 bits", with_nodes(conv(), requant("c", "y"), inputs={"x": ["n", 2, 6, 6]}),
        "larger than the memory of this machine", ["--input-shape", "x=99999999999999999999,2,6,6"]),
    Bad("rank given", with_nodes(conv(), requant("c", "y")), "x", words=["--input-shape", "x=1,2"]),
    Bad("shape of no input", with_nodes(conv(), requant("c", "y")), "z", words=["--input-shape", "z=1,2"]),
    Bad("type of no input", small, "z", words=["--input-type", "z=ui8"]),
    Bad("no such type", small, "ui9", words=["--input-type", "x=ui9"]),
    Bad("type against the model", lambda: model([node("Neg", ["x"], ["y"])], outputs={"y": (1, 2, 6, 6)},
        element=TensorProto.INT32), "x", words=["--input-type", "x=f32"]),
    Bad("shape given twice", small, "twice", ["--input-shape", "x=1,2,6,6", "--input-shape", "x=1,2,6,6"], 2),
    Bad("malformed shape", small, "expected NAME=", ["--input-shape", "x=1,b"], 2),
    Bad("NaN weight", changed("w", (0, 0, 0, 0), np.nan), 'node "conv"'),
    Bad("infinite weight", changed("w", (0, 0, 0, 0), np.inf), 'node "conv"'),
    Bad("NaN factor", changed("mul", (1, 0, 0), np.nan), 'node "requant"'),
    Bad("infinite factor", changed("mul", (1, 0, 0), np.inf), 'node "requant"'),
    Bad("NaN offset", changed("add", (1, 0, 0), np.nan), 'node "requant"'),
    Bad("fractional factor", changed("mul", (1, 0, 0), 1.5), 'node "requant"'),
    Bad("zero divisor", with_requant(div=number(0)), 'node "requant"'),
    Bad("negative divisor", with_requant(div=number(-4)), 'node "requant"'),
    Bad("NaN divisor", with_requant(div=number(np.nan)), 'node "requant"'),
    Bad("divisor no power of two", with_requant(div=number(3)), 'node "requant"'),
    Bad("no levels", with_requant(n_levels_out=number(0)), 'node "requant"'),
    Bad("negative levels", with_requant(n_levels_out=number(-256)), 'node "requant"'),
    Bad("signed neither 0 nor 1", with_requant(signed=number(2)), 'node "requant"'),
    Bad("beyond 64 bits", changed("mul", (1, 0, 0), 2.0**62), "requant"),
    Bad("zero scale", with_nodes(node("QuantizeLinear", ["x", "scale"], ["y"], name="q"), outputs={"y": (1, 2, 6, 6)},
        weights={"scale": np.array(0, np.float32)}), 'node "q"'),
    Bad("NaN scale", with_nodes(node("QuantizeLinear", ["x", "scale"], ["y"], name="q"), outputs={"y": (1, 2, 6, 6)},
        weights={"scale": np.array(np.nan, np.float32)}), 'node "q"'),
    Bad("cycle", with_nodes(node("Add", ["x", "b"], ["a"], name="one"), node("Add", ["x", "a"], ["b"], name="two"),
        node("Relu", ["a"], ["y"])), "cycle"),
    Bad("two nodes, one name", with_nodes(conv(), conv(), requant("c", "y")), 'tensor "c"'),
    Bad("an input given twice", given_twice, 'tensor "x"'),
    Bad("weights that are not there", huge_weights, "w"),
    Bad("weights in no file", lambda: _external("../secret.bin"), "secret.bin"),
    Bad("a terabyte of input", lambda: model([node("Relu", ["x"], ["y"], name="relu")],
        inputs={"x": (1 << 20, 1 << 20)}, outputs={"y": (1 << 20, 1 << 20)}), "larger than the memory of this machine"),
]  # fmt: skip


def _external(location: str) -> ModelProto:
    built = small()
    tensor = built.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=location)
    return built


def opt_tool_words(path: Path, out: Path) -> list[str]:
    return [str(path), "-p", "host-pipeline", "-t", "c", "-o", str(out)]


def compile_words(path: Path, out: Path) -> list[str]:
    return ["compile", str(path), "-o", str(out)]


TOOLS = {"opt-tool": opt_tool_words, "tilewright": compile_words}


def run(tool: str, words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = (opt_tool if tool == "opt-tool" else cli).main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


def check_error(err: str, source: str = "") -> None:
    """Check the one shape of errors."""
    assert "Traceback" not in err
    assert "internal error" not in err
    first = err.splitlines()[0]
    assert first.startswith("error: ") or (source and first.startswith(f"{source}:") and ": error: " in first)
    assert all(line.startswith("  ") for line in err.splitlines()[1:])


@pytest.mark.quick
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("bad", ONNX, ids=str)
def test_bad_models(bad: Bad, tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    made = bad.make()
    path = tmp_path / "net.onnx"
    path.write_bytes(made if isinstance(made, bytes) else made.SerializeToString())
    code, out, err = run(tool, [*TOOLS[tool](path, tmp_path / "out"), *bad.words], capsys)
    assert (code, out) == (bad.code, "")
    check_error(err, str(path))
    assert bad.said_by.get(tool, bad.said) in err
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("element", "given", "holds"),
    [
        (TensorProto.INT32, "ui8", True),
        (TensorProto.INT32, "i32", True),
        (TensorProto.INT32, "ui32", False),
        (TensorProto.INT32, "i64", False),
        (TensorProto.INT32, "int", True),
        (TensorProto.UINT8, "i8", False),
        (TensorProto.UINT8, "ui4", True),
        (TensorProto.FLOAT, "i16", True),
        (TensorProto.FLOAT, "f16", False),
        (TensorProto.FLOAT, "f32", True),
    ],
)
def test_types_that_an_input_can_hold(element: int, given: str, holds: bool):
    relu = node("Identity", ["x"], ["y"])
    built = model([relu], outputs={}, element=element)
    built.graph.output.append(helper.make_tensor_value_info("y", element, (1, 2, 6, 6)))
    if holds:
        import_model(built, input_types={"x": given})
        return
    with pytest.raises(Diagnostic, match="does not fit the type in the model"):
        import_model(built, input_types={"x": given})


@pytest.mark.quick
@pytest.mark.parametrize("tool", TOOLS)
def test_unknown_files(tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for path in (tmp_path / "none.onnx", tmp_path / "none.mlir", tmp_path):
        code, _, err = run(tool, TOOLS[tool](path, tmp_path / "out"), capsys)
        assert code == 1
        check_error(err, str(path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.quick
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("nonsense", "net.mlir:1:"),
        ("func.func @network(", "net.mlir:1:"),
        ("func.func @network(%x: i32) -> i64 { func.return %x : i32 }", "net.mlir:1:"),
        ("func.func @network() -> i32 { func.return %y : i32 }", "net.mlir:1:"),
        ('func.func @network(%x: i32) { "a.b"() : () -> () func.return }', "a.b"),
        ("func.func @network(%x: i32) { func.call @g() : () -> () func.return }", "g"),
    ],
)
def test_bad_ir(text: str, said: str, tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "net.mlir"
    path.write_text(text)
    code, out, err = run(tool, TOOLS[tool](path, tmp_path / "out"), capsys)
    assert (code, out) == (1, "")
    check_error(err, str(path))
    assert said in err
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-p", "canonicalise"], "did you mean 'canonicalize'"),
        (["-p", "host-pipelin"], "did you mean 'host-pipeline'"),
        (["-p", "allocate-static{alignment=big}"], "alignment"),
        (["-p", "allocate-static{alignmen=8}"], "did you mean 'alignment'?"),
        (["-p", "canonicalize,"], "a pass is missing"),
        (["-p", "builtin.module(cse"], "is not closed"),
        (["-t", "d"], "no output format 'd'"),
        (["-p", "host-pipeline", "--stop-after", "tensr"], "did you mean 'tensor'"),
        (["-p", "host-pipeline", "--start-at=loops", "--stop-after=types"], "no pass is left to run"),
    ],
)
def test_bad_pipelines(words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    save(small(), tmp_path / "net.onnx")
    code, out, err = run("opt-tool", [str(tmp_path / "net.onnx"), *words], capsys)
    assert (code, out) == (2, "")
    assert "error: " in err
    assert said in err
    assert "Traceback" not in err


# Places that cannot be written


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("place", ["file/out", "/proc/none/out", "/dev/null/out"])
def test_places_that_cannot_be_written(place: str, tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    save(small(), tmp_path / "net.onnx")
    (tmp_path / "file").write_text("mine")
    code, _, err = run(tool, TOOLS[tool](tmp_path / "net.onnx", tmp_path / place), capsys)
    assert code == 1
    check_error(err, str(tmp_path / place))
    assert (tmp_path / "file").read_text() == "mine"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "net.onnx"]


@pytest.mark.quick
@pytest.mark.parametrize(("tool", "taken"), [("tilewright", "file"), ("opt-tool", "folder")])
def test_places_that_are_taken(tool: str, taken: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    save(small(), tmp_path / "net.onnx")
    place = tmp_path / "out"
    place.write_text("mine") if taken == "file" else place.mkdir()
    code, _, err = run(tool, TOOLS[tool](tmp_path / "net.onnx", place), capsys)
    assert code == 1
    check_error(err, str(place))
    assert place.is_file() if taken == "file" else not list(place.iterdir())


@pytest.mark.sample(1)
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("limit", [0, 1000, 4000])
def test_a_full_disk(tool: str, limit: int, tmp_path: Path):
    """Files may grow to so many bytes and no more, as on a disk that fills up."""
    save(small(), tmp_path / "net.onnx")
    program = str(Path(sys.executable).parent / tool)
    done = subprocess.run(
        [program, *TOOLS[tool](tmp_path / "net.onnx", tmp_path / "out")],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},  # Python would leave truncated files in its cache
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    check_error(done.stderr, str(tmp_path / "out"))
    assert os.strerror(errno.EFBIG) in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["net.onnx"]


# What is unusual but right


def computes(built: ModelProto, folder: Path, x: str = "x") -> bool:
    """Return whether a model, as strictly compiled C, computes what `small` does."""
    save(built, folder / "net.onnx")
    compilation = compile_model(Model(folder / "net.onnx"), "host")
    values = np.random.RandomState(1).randint(0, 256, (1, 2, 6, 6))
    run = host_run(HostNetwork(compilation.program(), flags=STRICT))
    (output,) = run({x: values}).values()
    return np.array_equal(output, small_reference(values))


def renamed(names: dict[str, str]) -> ModelProto:
    """Return `small` with its tensors renamed."""
    built = small()
    for each in built.graph.node:
        each.input[:] = [names.get(name, name) for name in each.input]
        each.output[:] = [names.get(name, name) for name in each.output]
    for value in (*built.graph.input, *built.graph.output, *built.graph.initializer):
        value.name = names.get(value.name, value.name)
    helper.set_model_props(built, {f"tilewright.input_type.{names.get('x', 'x')}": "ui8"})
    return built


@pytest.mark.quick
def test_nodes_in_any_order_work(tmp_path: Path):
    built = small()
    nodes = list(built.graph.node)
    del built.graph.node[:]
    built.graph.node.extend(reversed(nodes))
    assert computes(built, tmp_path)


NAMES = (
    *("input", "int", "a.b", "main", "x-1", "9lives", "größe", "入力", "NULL", "network_run", "network", "memcpy"),
    *("__x", "uint8_t", "a b", 'a"b', "a\\b", "*/", "/*", "// x", "%d", "??/", "NETWORK_H", "tw_x", "_", "true"),
    *("abs", "arena", "network_arena", "conv_0", "weights", "x" * 300),
)


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    "index", [pytest.param(index, marks=[] if index % 12 else pytest.mark.quick) for index in range(len(NAMES))]
)
def test_any_name_works(index: int, tmp_path: Path):
    """Each name is that of an input, an inner tensor, an output and a weight."""
    x, c, y, w = (NAMES[(index + role) % len(NAMES)] for role in range(4))
    assert computes(renamed({"x": x, "c": c, "y": y, "w": w}), tmp_path, x)


@pytest.mark.quick
def test_names_that_become_equal_work(tmp_path: Path):
    names = {"x": "a.b", "c": "a-b", "y": "a_b", "w": "a b", "mul": "a/b", "add": "a:b"}
    assert computes(renamed(names), tmp_path, "a.b")
    names = {"x": "a_b", "c": "a_b_1", "y": "a.b", "w": "a b", "mul": "a_b_2", "add": "a:b"}
    assert computes(renamed(names), tmp_path, "a_b")


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", ["", "same", "main", "*/", "//", "a\nb", "größe", 'a"b\\'])
def test_any_node_and_graph_name_works(name: str, tmp_path: Path):
    built = small()
    built.graph.name = name
    for each in built.graph.node:
        each.name = name
    assert computes(built, tmp_path)
