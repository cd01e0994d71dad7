"""Decoders on a paged store with narrow weights: one copy for steps and prompts, the bits of these weights in f32."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, numpy_helper

from tilewright.compiler import Model, compile_model
from tilewright.frontend.quantize.weights_only import TYPES, store_weights
from tilewright.frontend.zoo.klm import KlmConfig, build_open
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.inputs import host_inputs
from tilewright.runtime.paged.binding import BoundNetwork
from tilewright.runtime.paged.config import PoolConfig as StoreConfig
from tilewright.runtime.paged.native import NativePool
from tilewright.runtime.tools.generate import generate
from tilewright.runtime.tools.generate_paged import paged_language

SMALL = KlmConfig(layers=1, dim=48, heads=4, kv_heads=2, head=16, hidden=64, vocabulary=257)


def as_floats(model: ModelProto) -> ModelProto:
    """Return a decoder whose weights of bf16 are the same numbers in f32."""
    wide = ModelProto()
    wide.CopyFrom(model)
    graph = wide.graph
    for node in [node for node in graph.node if node.name.endswith("_widened")]:
        stored = next(tensor for tensor in graph.initializer if tensor.name == node.input[0])
        graph.initializer.append(
            numpy_helper.from_array(numpy_helper.to_array(stored).astype(np.float32), node.output[0])
        )
        graph.initializer.remove(stored)
        graph.node.remove(node)
    return wide


def run(model: ModelProto, folder: Path) -> tuple[int, list[int], Array]:
    """Return the bytes of a decoder's weights, tokens after a prompt, and the scores of a further one."""
    path = folder / "decoder.onnx"
    path.write_bytes(model.SerializeToString())
    program = compile_model(Model(path, context=64, prefill=8, page_length=16), "native").program()
    network = HostNetwork(program, flags=["-O1", "-march=native"])
    config = StoreConfig.of_shape(network.pool_shape(), 1 << 20)
    with NativePool(config) as pool:
        bound = BoundNetwork(network, pool, pool.create())
        inputs = [host_inputs(network, name) for name in ("network", "network_prefill")]
        prompt = list(range(7, 26))
        tokens = generate(bound, paged_language(inputs[0], inputs[1], 64), prompt, 4)
        length = pool.length(bound.sequence)
        (scores,) = bound({"input_ids": np.array([[5]]), "position": np.array([length])}).values()
    return program.weights_bytes, tokens, scores


@pytest.mark.parametrize("type", TYPES)
def test_weights_are_stored_once(type: str, tmp_path: Path) -> None:
    model = build_open(1, config=SMALL)
    stored, rows = store_weights(model, None, type)
    path = tmp_path / "decoder.onnx"
    path.write_bytes(stored.SerializeToString())
    program = compile_model(Model(path, context=64, prefill=8, page_length=16), "native").program()
    # The table is stored twice: as rows, which are looked up, and in the blocks of the product.
    table = next(row.after for row in rows if row.name.startswith("embedding"))
    assert program.weights_bytes < 1.15 * (sum(row.after for row in rows) + table)


def test_bits_are_those_of_floats(tmp_path: Path) -> None:
    stored, _ = store_weights(build_open(1, config=SMALL), None, "bf16")
    narrow, wide = run(stored, tmp_path), run(as_floats(stored), tmp_path)
    assert narrow[0] < 0.6 * wide[0]
    assert narrow[1] == wide[1]
    np.testing.assert_array_equal(narrow[2], wide[2])
