"""Cost of a compilation by the size of a graph, in calls of functions, which are the same on every machine."""

from __future__ import annotations

import cProfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from onnx import ModelProto

from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.frontend.functions import INLINED_NODES
from tilewright.frontend.importer import import_model, import_onnx
from tilewright.ir import MOST_NESTED, FreshNames, new_context, parse_module, verify
from tilewright.passes.cse import eliminate_common
from tilewright.passes.emitc.names import Names
from tilewright.passes.recover_operators import RecoverOperatorsPass
from tilewright.test.growth_graphs import SHAPES, Graph, doubling_functions, nested_ifs, sums

FACTOR = 4
MOST = 1.15
"""The largest exponent of the calls by the nodes."""


def calls(function: Callable[[], Any]) -> int:
    """Return how many functions are called."""
    profile = cProfile.Profile()
    profile.runcall(function)
    return sum(entry.callcount for entry in profile.getstats())


def compiled(model: ModelProto, folder: Path) -> None:
    path = folder / "network.onnx"
    path.write_bytes(model.SerializeToString())
    compile_model(Model(path), "host").program()


@pytest.mark.parametrize("shape", ["chain", "fan_in", "ifs"])
def test_a_compilation_grows_with_the_nodes(shape: str, tmp_path: Path):
    small, large = SHAPES[shape](16), SHAPES[shape](16 * FACTOR)
    compiled(small, tmp_path)
    first = calls(lambda: compiled(small, tmp_path))
    assert calls(lambda: compiled(large, tmp_path)) < first * FACTOR**MOST


@pytest.mark.quick
def test_patterns_are_not_looked_for_all_along_a_chain_of_constants():
    modules = [import_model(sums(count)) for count in (30, 30 * FACTOR)]
    first, second = (calls(lambda: RecoverOperatorsPass().apply(new_context(), module)) for module in modules)
    assert second < first * FACTOR * MOST


@pytest.mark.quick
def test_names_of_a_scope_cost_nothing_of_those_around_it():
    around = Names(f"name_{index}" for index in range(1000))
    inner = around.fork().fork()
    assert [inner.add("name_7"), inner.add("name_7"), inner.add("other")] == ["name_7_1", "name_7_2", "other"]
    assert around.fork().add("name_7") == "name_7_1"
    assert calls(lambda: around.fork().add("name_7")) < 50


@pytest.mark.quick
def test_a_fresh_name_is_found_without_counting_anew():
    names = FreshNames(["kernel", "kernel_1"])
    assert [names.take("kernel") for _ in range(3)] == ["kernel_0", "kernel_2", "kernel_3"]
    assert [names.take("other"), names.take_numbered("other")] == ["other", "other_0"]

    class Text(str):
        """Counts the names that are tried."""

        tried = 0

        def __format__(self, spec: str) -> str:
            Text.tried += 1
            return super().__format__(spec)

    base = Text("base")
    for _ in range(200):
        names.take_numbered(base)
    assert Text.tried < 1000


@pytest.mark.quick
def test_common_subexpressions_are_those_in_sight():
    few, many = (import_model(SHAPES["ifs"](count)) for count in (6, 24))
    assert calls(lambda: eliminate_common(many)) < 5 * calls(lambda: eliminate_common(few))


@pytest.mark.quick
def test_functions_that_double_are_refused_before_they_are_inlined():
    with pytest.raises(Diagnostic) as caught:
        import_model(doubling_functions(40))
    text = str(caught.value)
    assert f"come to {2**40} nodes" in text
    assert f"at most {INLINED_NODES} nodes" in text
    assert "40 deep: own::Own0 -> own::Own1" in text


@pytest.mark.quick
def test_functions_within_the_limit_are_inlined():
    module = import_model(doubling_functions(6))
    assert sum(op.name == "onnx.Softmax" for op in module.walk()) == 2**6


def test_concatenations_in_concatenations_are_computed_in_place(tmp_path: Path):
    count = 400
    graph = Graph(shape=(1, 4))
    value = graph.inputs[0]
    for _ in range(count):
        value = graph.add("Concat", value, graph.inputs[0], axis=0)
    path = tmp_path / "network.onnx"
    path.write_bytes(graph.model(value, shape=(count + 1, 4)).SerializeToString())
    module = compile_model(Model(path), "host", stop_after="buffers").module
    assert not any(op.name == "memref.alloc" for op in module.walk())


def nested_file(depth: int) -> str:
    """Return conditionals in conditionals as MLIR."""
    opened = [f"%v{index} = scf.if %c -> (f32) {{" for index in range(depth)]
    closed = [f"scf.yield %v{index} : f32 }} else {{ scf.yield %x : f32 }}" for index in reversed(range(1, depth))]
    ends = ["scf.yield %x : f32 } else { scf.yield %x : f32 }", *closed, "func.return %v0 : f32 }"]
    return "\n".join(["func.func @f(%c: i1, %x: f32) -> f32 {", *opened, *ends])


@pytest.mark.quick
@pytest.mark.parametrize("depth", [MOST_NESTED, 1000])
def test_regions_that_are_nested_too_deeply_are_refused(depth: int):
    verify(parse_module(new_context(), nested_file(MOST_NESTED - 2)))
    with pytest.raises(Diagnostic, match="nested too deeply"):
        parse_module(new_context(), nested_file(depth))


@pytest.mark.quick
def test_graphs_in_graphs_are_read_as_deep_as_protobuf_does(tmp_path: Path):
    path = tmp_path / "nested.onnx"
    path.write_bytes(nested_ifs(25).SerializeToString())
    compile_model(Model(path), "host", stop_after="tensor")
    path.write_bytes(in_messages(nested_ifs(25).graph.SerializeToString(), 1000))
    with pytest.raises(Diagnostic, match="graphs in graphs can be 30 deep"):
        import_onnx(path)


def in_messages(graph: bytes, depth: int) -> bytes:
    """Return a model whose main graph holds a graph that holds a graph, `depth` times."""
    for _ in range(depth):
        # Fields of ONNX: attribute 5 of a node has the graph 6, node 1 of a graph has the attribute.
        for tag in (6, 5, 1):
            graph = bytes([tag << 3 | 2]) + _varint(len(graph)) + graph
    return b"\x3a" + _varint(len(graph)) + graph


def _varint(number: int) -> bytes:
    low, rest = number & 127, number >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])
