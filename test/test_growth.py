"""Cost of a compilation by the size of a graph, in calls of functions, which are the same on every machine."""

from __future__ import annotations

import cProfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto
from xdsl.dialects.builtin import StringAttr

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import MOST_NESTED, new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.frontend.functions import INLINED_NODES
from tilewright.frontend.importer import import_model, import_onnx
from tilewright.ir import FreshNames, functions
from tilewright.passes.allocate_static import AllocateStaticPass
from tilewright.passes.convert_dma_to_loops import ConvertDmaToLoopsPass
from tilewright.passes.convert_to_emitc import ConvertToEmitcPass
from tilewright.passes.cse import eliminate_common
from tilewright.passes.emitc.names import Names
from tilewright.passes.overlap.items import ScheduleItem, items_of
from tilewright.passes.overlap.order import Duration, SchedulingProblem, TransferLimit, best_order
from tilewright.passes.overlap.tokens import ONE, Opened
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


@pytest.mark.sample(1)
@pytest.mark.parametrize(("shape", "nodes"), [("chain", 16), ("fan_in", 8), ("ifs", 16)])
def test_a_compilation_grows_with_the_nodes(shape: str, nodes: int, tmp_path: Path):
    small, large = SHAPES[shape](nodes), SHAPES[shape](nodes * FACTOR)
    compiled(small, tmp_path)
    first = calls(lambda: compiled(small, tmp_path))
    assert calls(lambda: compiled(large, tmp_path)) < first * FACTOR**MOST


def test_patterns_are_not_looked_for_all_along_a_chain_of_constants():
    modules = [import_model(sums(count)) for count in (30, 30 * FACTOR)]
    first, second = (calls(lambda: RecoverOperatorsPass().apply(new_context(), module)) for module in modules)
    assert second < first * FACTOR * MOST


def test_items_that_may_run_in_any_order_are_ordered_in_time_linear_in_them():
    def ordered(count: int) -> int:
        transfers = [Duration(0, 5, "dma", 4)] * count
        starts: list[set[int]] = [set() for _ in transfers]
        follows = [*starts, *({number} for number in range(count))]
        waits = [Duration(0, awaits=number) for number in range(count)]
        limit = TransferLimit(count, [ONE] * count + [Opened(0, -1)] * count)
        problem = SchedulingProblem(follows, [*transfers, *waits], [limit])
        return calls(lambda: best_order(problem))

    assert ordered(60 * FACTOR) < ordered(60) * FACTOR**MOST


def test_accesses_to_parts_of_a_memory_are_compared_with_few_others():
    def compared(count: int) -> int:
        copies = "".join(
            f"""
            %s{n} = arith.constant {64 * n} : index
            %v{n} = memref.view %a[%s{n}][] : memref<{64 * count}xi8> to memref<16xf32>
            memref.copy %x, %v{n} : memref<16xf32> to memref<16xf32>"""
            for n in range(count)
        )
        text = f"func.func @f(%x: memref<16xf32>) {{ %a = memref.alloc() : memref<{64 * count}xi8> {copies} return }}"
        (function,) = functions(parse_module(new_context(), text))
        found: list[ScheduleItem] = []
        number = calls(lambda: found.extend(items_of(function.body.block)))
        assert [item.follows for item in found][1:] == [{0}] * count
        return number

    assert compared(40 * FACTOR) < compared(40) * FACTOR**MOST


def test_names_of_a_scope_cost_nothing_of_those_around_it():
    around = Names(f"name_{index}" for index in range(1000))
    inner = around.fork().fork()
    assert [inner.add("name_7"), inner.add("name_7"), inner.add("other")] == ["name_7_1", "name_7_2", "other"]
    assert around.fork().add("name_7") == "name_7_1"
    assert calls(lambda: around.fork().add("name_7")) < 50


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


def test_common_subexpressions_are_those_in_sight():
    few, many = (import_model(SHAPES["ifs"](count)) for count in (6, 24))
    assert calls(lambda: eliminate_common(many)) < 5 * calls(lambda: eliminate_common(few))


def test_functions_that_double_are_refused_before_they_are_inlined():
    with pytest.raises(Diagnostic) as caught:
        import_model(doubling_functions(40))
    text = str(caught.value)
    assert f"gives {2**40} nodes" in text
    assert f"at most {INLINED_NODES} nodes" in text
    assert "40 deep: own::Own0 -> own::Own1" in text


def test_functions_within_the_limit_are_inlined():
    module = import_model(doubling_functions(6))
    assert sum(op.name == "onnx.Softmax" for op in module.walk()) == 2**6


def called_functions(count: int) -> str:
    """Return a function that calls as many others, each of which calls the next one."""
    calls = [f"%r{index} = func.call @f{index}(%x) : (f32) -> f32" for index in range(count)]
    inner = [
        f"func.func private @f{index}(%x: f32) -> f32 {{\n%r = func.call @f{index + 1}(%x) : (f32) -> f32\n"
        "func.return %r : f32 }"
        for index in range(count - 1)
    ]
    last = f"func.func private @f{count - 1}(%x: f32) -> f32 {{ func.return %x : f32 }}"
    return "\n".join([*inner, last, "func.func @main(%x: f32) -> f32 {", *calls, "func.return %r0 : f32 }"])


def test_transfers_are_looked_for_without_a_table_of_symbols_for_each_call():
    few, many = (parse_module(new_context(), called_functions(count)) for count in (20, 20 * FACTOR))
    first, second = (calls(lambda: ConvertDmaToLoopsPass().apply(new_context(), module)) for module in (few, many))
    assert second < first * FACTOR * MOST


def test_functions_that_call_the_next_one_are_converted_without_recursion():
    module = parse_module(new_context(), called_functions(1000))
    eliminate_common(module)
    ConvertToEmitcPass().apply(new_context(), module)
    assert sum(op.name == "emitc.func" for op in module.walk()) == 1001


def test_views_of_views_are_followed_without_recursion():
    kind = "memref<4xf32>"
    casts = [f"%v{index + 1} = memref.cast %v{index} : {kind} to {kind}" for index in range(1200)]
    store = f"memref.store %x, %v1200[%i] : {kind}"
    lines = ["func.func @f(%x: f32, %i: index) {", f"%v0 = memref.alloc() : {kind}", *casts, store, "func.return }"]
    module = parse_module(new_context(), "\n".join(lines))
    AllocateStaticPass().apply(new_context(), module)
    (view,) = (op for op in module.walk() if op.name == "memref.view")
    assert view.attributes["tilewright.lifetime"] == StringAttr("1201..1201")


def test_angles_through_many_operators_are_recognised_without_recursion():
    graph = Graph(inputs=2, shape=(1, 1, 4, 4))
    x, angle = graph.inputs
    ends = [graph.constant(np.array([index])) for index in (0, 2, 4)]
    along = [graph.constant(np.array([number])) for number in (3, 1)]
    angle = graph.add("Slice", angle, *ends[:2], *along)
    angle = graph.add("Concat", angle, angle, axis=-1)
    for _ in range(1200):
        angle = graph.add("Cos", angle)
    halves = [graph.add("Slice", x, *ends[index : index + 2], *along) for index in range(2)]
    turned = graph.add("Concat", graph.add("Neg", halves[1]), halves[0], axis=-1)
    result = graph.add("Add", graph.add("Mul", x, angle), graph.add("Mul", turned, graph.add("Sin", angle)))
    module = import_model(graph.model(result))
    RecoverOperatorsPass().apply(new_context(), module)
    assert any(op.name == "onnx.RotaryEmbedding" for op in module.walk())


def test_padding_of_padding_is_computed_in_place(tmp_path: Path):
    count = 150
    graph = Graph(shape=(1, 4))
    pads = graph.constant(np.array([1, 0, 0, 0]))
    value = graph.add("Neg", graph.inputs[0])
    for _ in range(count):
        value = graph.add("Pad", value, pads)
    path = tmp_path / "network.onnx"
    path.write_bytes(graph.model(value, shape=(count + 1, 4)).SerializeToString())
    module = compile_model(Model(path), "host", stop_after="buffers").module
    assert not any(op.name == "memref.alloc" for op in module.walk())


def test_concatenations_in_concatenations_are_computed_in_place(tmp_path: Path):
    count = 260
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


@pytest.mark.parametrize("depth", [MOST_NESTED, 1000])
def test_regions_that_are_nested_too_deeply_are_refused(depth: int):
    verify(parse_module(new_context(), nested_file(MOST_NESTED - 2)))
    with pytest.raises(Diagnostic, match="nested too deeply"):
        parse_module(new_context(), nested_file(depth))


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
