"""Sensitivity of layers: error at the outputs of the network where one layer alone is quantised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...ir import Array
from .calibration import Sample
from .emit import Parameters, emit_qdq
from .execution import Execution
from .network import Network
from .scales import Scale
from .selection import Selection

_SAMPLES = 4


def most_sensitive(
    network: Network,
    selection: Selection,
    scales: Mapping[str, Scale],
    parameters: Mapping[str, Parameters],
    samples: Sequence[Sample],
    count: int,
) -> list[str]:
    """Return the names of the `count` layers whose quantisation alone changes the outputs most."""
    outputs = [name for name in network.output_names if network.is_float(name)]
    few = samples[:_SAMPLES]
    exact = Execution(network, outputs)
    wanted = [exact.run(sample) for sample in few]
    errors: dict[str, float] = {}
    for layer in selection.layers:
        points = {*layer.data, layer.output}
        alone = Selection([layer], {name: name for name in points}, set())
        made = emit_qdq(network, alone, {name: scales[name] for name in points}, parameters)
        names = {name: made.tensors.get(name, name) for name in outputs}
        run = Execution(made.network, names.values())
        found = [run.run(sample) for sample in few]
        errors[layer.name] = sum(
            _share(real[name] - quantised[names[name]], real[name])
            for real, quantised in zip(wanted, found, strict=True)
            for name in outputs
        )
    return sorted(errors, key=lambda name: -errors[name])[:count]


def _share(noise: Array, signal: Array) -> float:
    """Return the power of noise relative to that of a signal."""
    power = float((signal.astype(np.float64) ** 2).sum())
    return float((noise.astype(np.float64) ** 2).sum()) / (power or 1.0)
