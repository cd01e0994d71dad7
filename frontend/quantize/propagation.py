"""Propagation of samples through a network that is quantised layer by layer, in topological order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from onnx import NodeProto, helper

from ...ir import Array, FreshNames
from .calibration import Sample
from .columns import Sampler
from .emit import Parameters
from .execution import Execution
from .layers import Layer
from .network import FloatNetwork
from .scales import Scale


class Propagation:
    """
    Values of the quantised network, sample by sample, up to the node that `run` executed last.

    A layer is executed with the parameters that `state` gave it, so that an operand of a later layer has the errors of
    all layers before it.
    """

    def __init__(self, network: FloatNetwork, scales: Mapping[str, Scale], samples: Sequence[Sample]):
        self._network = network
        self._scales = scales
        self._values: list[dict[str, Array]] = []
        for sample in samples:
            self._values.append({name: self._rounded(name, value) for name, value in sample.items()})
        self._uses = {name: len(nodes) for name, nodes in network.consumers().items()}
        self._stated: dict[str, dict[str, Array]] = {}

    def columns(self, layer: Layer) -> Array:
        """Return the sampled columns of the quantised operand of a layer, at the positions of those in floats."""
        sampler = Sampler(self._network, layer, len(self._values))
        for values in self._values:
            sampler.add(values[layer.data[0]])
        return sampler.columns()

    def state(self, layer: Layer, parameters: Parameters) -> None:
        """Replace the constant operands of a layer by their integers times their scales."""
        self._stated.setdefault(layer.name, {})[layer.weight] = parameters.real_weight
        if parameters.bias is None or not layer.bias:
            return
        step = np.float32(self._scales[layer.data[0]].scale) * parameters.scales
        self.shift(layer, (parameters.bias * step).astype(np.float32))

    def shift(self, layer: Layer, bias: Array) -> None:
        """Replace the bias of a layer, f32 [channels]."""
        shape = self._network.shape(layer.bias)
        same = bias.size == np.prod(shape)
        self._stated.setdefault(layer.summing.name, {})[layer.bias] = bias.reshape(shape) if same else bias

    def run(self, node: NodeProto) -> None:
        """Execute one node on all samples."""
        execution = Execution(self._alone(node), filter(None, node.output))
        for values in self._values:
            values |= {name: self._rounded(name, value) for name, value in execution.run(values).items()}
        for name in filter(None, node.input):
            self._uses[name] -= 1
            if not self._uses[name]:
                for values in self._values:
                    values.pop(name, None)

    def _rounded(self, name: str, value: Array) -> Array:
        return self._scales[name].quantised(value) if name in self._scales else value

    def _alone(self, node: NodeProto) -> FloatNetwork:
        """Return the network of one node."""
        network, names = self._network, dict.fromkeys(filter(None, node.input))
        constants = {name: network.constants[name] for name in names if name in network.constants}
        infos = {name: network.infos[name] for name in names if name not in constants}
        inputs = [helper.make_tensor_value_info(name, info.data_type, info.shape) for name, info in infos.items()]
        constants |= self._stated.get(node.name, {})
        return replace(
            network, nodes=[node], constants=constants, inputs=inputs, outputs=[], infos=infos, names=FreshNames([])
        )
