"""Random small networks as programs of the nodes of a mesh, at the levels of the target pim."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import new_context
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.interpreter import random_inputs, run_module
from tilewright.test.targets.pim.networks import Block

MESHES = ((2, 2), (4, 4), (1, 2), (1, 4), (3, 1), (2, 3))
LEVELS = ("sharded", "lowered", "placed", "fused")
"""Levels at which faults are planted: each comes from the one before by its passes."""
_PASSES = {
    "lowered": "lower-sharded",
    "placed": "allocate-sharded,canonicalize,cse",
    "fused": "fuse-programs,hoist-transfers,allocate-static",
}


@dataclass
class Program:
    """Program of the nodes of a mesh at a level, its inputs, and what it computes."""

    name: str
    level: str
    module: ModuleOp
    inputs: Mapping[str, Array]
    wanted: Mapping[str, Array]


def attention(draw: random.Random) -> onnx.ModelProto:
    """Return a random transformer block, over windows or not."""
    tokens, heads, width = draw.choice((2, 4, 6, 8)), draw.choice((1, 2, 3, 4)), draw.choice((2, 4))
    return Block(draw.randrange(1 << 30), tokens=tokens, heads=heads, width=width, count=draw.choice((1, 1, 2))).model()


def layers(draw: random.Random) -> onnx.ModelProto:
    """Return a random chain of convolutions, products, poolings, joins and elementwise operators."""
    rng = np.random.default_rng(draw.randrange(1 << 30))
    nodes: list[onnx.NodeProto] = []
    constants: list[onnx.TensorProto] = []
    channels, size = draw.choice((2, 4, 6)), draw.choice((4, 6))
    shape = [1, channels, size, size]
    value, first = "x", list(shape)

    def constant(*extents: int) -> str:
        constants.append(numpy_helper.from_array(rng.standard_normal(extents).astype(np.float32), f"c{len(constants)}"))
        return constants[-1].name

    def node(kind: str, *inputs: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(kind, list(inputs), [f"v{len(nodes)}"], **attributes))
        return nodes[-1].output[0]

    for _ in range(draw.randint(2, 4)):
        kind = draw.choice(("Conv", "depthwise", "Relu", "Add", "MaxPool", "Concat", "Mul", "Transpose"))
        if kind == "Conv":
            features, kernel = draw.choice((2, 4, 8)), draw.choice((1, 3))
            value = node("Conv", value, constant(features, shape[1], kernel, kernel), pads=[kernel // 2] * 4)
            shape[1] = features
        elif kind == "depthwise":
            value = node("Conv", value, constant(shape[1], 1, 3, 3), pads=[1] * 4, group=shape[1])
        elif kind == "MaxPool" and shape[2] >= 4:
            value = node("MaxPool", value, kernel_shape=[2, 2], strides=[2, 2])
            shape[2:] = [shape[2] // 2, shape[3] // 2]
        elif kind == "Concat":
            value = node("Concat", value, node("Relu", value), axis=1)
            shape[1] *= 2
        elif kind in ("Add", "Mul"):
            value = node(kind, value, constant(1, shape[1], 1, 1))
        elif kind == "Transpose":
            value = node("Transpose", value, perm=[0, 1, 3, 2])
        else:
            value = node("Relu", value)
    rows = node("Flatten", value)
    shape = [1, int(np.prod(shape))]
    value = node("Gemm", rows, constant(shape[1], features := draw.choice((4, 6, 8))), constant(features))
    nodes.append(helper.make_node("Identity", [value], ["y"]))
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, extents)
        for name, extents in (("x", first), ("y", [1, features]))
    ]
    graph = helper.make_graph(nodes, "layers", ends[:1], ends[1:], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def lowered(module: ModuleOp, level: str, to: str) -> ModuleOp:
    """Return a module at a level, lowered to another one. Raises Diagnostic where a pass refuses it."""
    between = [_PASSES[each] for each in LEVELS[LEVELS.index(level) + 1 : LEVELS.index(to) + 1]]
    found = module.clone()
    if between:
        PassManager().run(found, parse_pipeline(",".join(between), all_passes()), new_context())
    return found


def programs(draw: random.Random) -> list[Program]:
    """Return a random network on a random mesh, at all levels."""
    mesh, make = draw.choice(MESHES), draw.choice((attention, attention, layers))
    return programs_of(make(draw), mesh, f"{make.__name__} on {mesh[0]}x{mesh[1]}", draw.randrange(1 << 30))


def programs_of(model: onnx.ModelProto, mesh: Sequence[int], name: str, seed: int) -> list[Program]:
    """Return a network on a mesh, at all levels, with random inputs."""
    with TemporaryDirectory() as folder:
        network, machine = Path(folder) / "network.onnx", Path(folder) / "mesh.toml"
        network.write_bytes(model.SerializeToString())
        count = list(mesh)
        machine.write_text(f'include = "pim/2x2"\n[levels.NODE]\ncount = {count}\n[engines.array]\ncount = {count}\n')
        module = compile_model(Model(network), str(machine), stop_after="sharded").module
    inputs = random_inputs(module, seed)
    wanted = run_module(module, inputs)
    found: list[Program] = []
    for level in LEVELS:
        module = lowered(module, LEVELS[max(0, LEVELS.index(level) - 1)], level)
        found.append(Program(name, level, module, inputs, wanted))
    return found
