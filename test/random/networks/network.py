"""Random quantised and float networks by seed, with inputs that reach the ends of their types and expected outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, compose, helper

from tilewright.ir import Array
from tilewright.test import onnx_runtime

from .builder import Tensor
from .families import FAMILIES, FLOAT_CONSUMERS, WEIGHTS, WHOLE
from .forms import BYTES, FOUR_BITS, RANGES, QuantisedBuilder

FORMS = ("qlinear", "qdq", "mixed", "requant", "float")


@dataclass(frozen=True)
class RandomNetwork:
    """Network, the names of its layers' families, and samples of inputs by name."""

    seed: int
    model: ModelProto
    layers: tuple[str, ...]
    samples: tuple[dict[str, Array], ...]

    def expected(self) -> list[list[Array]]:
        """
        Return ONNX Runtime's outputs for each sample, each operator computed by itself.

        Raises Diagnostic where products of bytes cannot be made exact on this processor.
        """
        session: Any = onnx_runtime.exact_session(self.model, fused=False, threads=1)
        return [list(session.run(None, sample)) for sample in self.samples]


def random_network(
    seed: int,
    form: str = "",
    *,
    exact: bool = True,
    families: Sequence[str] = (),
    weights: Mapping[str, float] = {},
    layers: int = 0,
    kinds: Sequence[int] = BYTES,
    shape: Sequence[int] = (),
) -> RandomNetwork:
    """
    Return the network of a seed: a chain of layers, the last one an output, with some of the others.

    `form` is one of FORMS, drawn among the quantised ones where it is empty; `families` are all of FAMILIES, each drawn
    as often as `weights` say, then WEIGHTS, or names of FLOAT_CONSUMERS; `layers` is drawn from 1 to 6 where it is 0;
    `kinds` are the types of activations, `shape` that of the first input [N, C, H, W]. With `exact` all scales are
    powers of two, so that what computes in floats and what in integers gives the same bytes. Inputs and outputs are
    bytes, or floats, which carry integers in `requant` form: of families among WHOLE.
    """
    draw = np.random.default_rng([seed, 1])
    form = form or str(draw.choice(FORMS[:3]))
    net = QuantisedBuilder(Random(seed), form, exact=exact, kinds=kinds)
    names = list(families or FAMILIES)
    if form == "requant":
        names = [name for name in names if name in WHOLE]
    shares = np.array([(WEIGHTS | dict(weights)).get(name, 1.0) for name in names])
    chosen = [str(name) for name in draw.choice(names, layers or int(draw.integers(1, 7)), p=shares / shares.sum())]
    x = net.maps(shape or (net.choice((1, 1, 1, 2)), net.channels(), net.extent(), net.extent()))
    layered: list[Tensor] = []
    for name in chosen:
        x = (FAMILIES | FLOAT_CONSUMERS)[name](net, x)
        layered.append(x)
    sources = {tensor.name for tensor in net.inputs}
    results = [tensor for tensor in layered if tensor.name not in sources and tensor.kind not in FOUR_BITS]
    outputs = {x.name: x} | {tensor.name: tensor for tensor in results if draw.random() < 0.2}
    if x.name in sources or x.kind in FOUR_BITS:
        net.kinds = BYTES if x.kind in FOUR_BITS else net.kinds
        outputs = {y.name: y for y in [FAMILIES["rescale" if form != "float" else "leaky"](net, x)]}
    return RandomNetwork(seed, net.model(list(outputs.values())), tuple(chosen), samples(net, draw))


def write_case(network: RandomNetwork, folder: Path) -> list[Path]:
    """Write a network as folders of `tilewright check`, one for each sample of inputs; returns them."""
    folders: list[Path] = []
    for number, (sample, outputs) in enumerate(zip(network.samples, network.expected(), strict=True)):
        folders.append(folder / str(number))
        folders[-1].mkdir(parents=True, exist_ok=True)
        (folders[-1] / "network.onnx").write_bytes(network.model.SerializeToString())
        np.savez(folders[-1] / "inputs.npz", allow_pickle=False, **sample)
        names = [port.name for port in network.model.graph.output]
        np.savez(folders[-1] / "outputs.npz", allow_pickle=False, **dict(zip(names, outputs, strict=True)))
    return folders


def merged(networks: Sequence[RandomNetwork]) -> tuple[ModelProto, list[dict[str, Array]]]:
    """Return several networks as one, and its samples; their names begin with `n<seed>_`."""
    parts = [compose.add_prefix(network.model, f"n{network.seed}_", rename_functions=False) for network in networks]
    graphs = [part.graph for part in parts]
    graph = helper.make_graph(
        [node for graph in graphs for node in graph.node],
        "merged",
        [port for graph in graphs for port in graph.input],
        [port for graph in graphs for port in graph.output],
        [tensor for graph in graphs for tensor in graph.initializer],
    )
    inputs: list[dict[str, Array]] = [{} for _ in networks[0].samples]
    for network in networks:
        for merged_sample, sample in zip(inputs, network.samples, strict=True):
            merged_sample |= {f"n{network.seed}_{name}": array for name, array in sample.items()}
    imports = {item.domain: item for part in parts for item in part.opset_import}
    functions = {item.name: item for part in parts for item in part.functions}
    model = helper.make_model(
        graph, opset_imports=list(imports.values()), ir_version=10, functions=list(functions.values())
    )
    carried = {
        item.key.replace("input_type.", f"input_type.n{network.seed}_"): item.value
        for network in networks
        for item in network.model.metadata_props
    }
    helper.set_model_props(model, carried)
    return model, inputs


def samples(net: QuantisedBuilder, draw: np.random.Generator) -> tuple[dict[str, Array], ...]:
    """Return inputs: random ones with both ends of the type, all at one end, and each at either."""

    def ends(x: Tensor) -> tuple[Any, Any]:
        low, high = RANGES.get(net.carried.get(x.name, x.kind), (-4, 4))
        kind = helper.tensor_dtype_to_np_dtype(x.kind)
        return kind.type(low), kind.type(high)

    def drawn(x: Tensor) -> Array:
        low, high = ends(x)
        if x.kind == TensorProto.FLOAT and x.name not in net.carried:
            return draw.standard_normal(x.shape).astype(np.float32)
        values = draw.integers(int(low), int(high) + 1, x.shape).astype(low.dtype)
        values.flat[0], values.flat[-1] = low, high
        return values

    def extreme(x: Tensor) -> Array:
        low, high = ends(x)
        values = np.full(x.shape, low)
        values[draw.integers(0, 2, x.shape) > 0] = high
        return values

    return (
        {x.name: drawn(x) for x in net.inputs},
        {x.name: np.full(x.shape, ends(x)[int(draw.integers(2))]) for x in net.inputs},
        {x.name: extreme(x) for x in net.inputs},
    )
