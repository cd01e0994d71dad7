"""Error at the outputs of quantised networks, and sensitivity of layers: that error where one alone is quantised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...ir import Array
from .calibration import Sample
from .emit import Parameters, Quantised, emit_qdq
from .execution import Execution
from .layers import ROWS
from .network import FloatNetwork
from .noise import noise_power, signal_power
from .scales import Scale
from .selection import Selection

_SAMPLES = 4


def most_sensitive(
    network: FloatNetwork,
    selection: Selection,
    scales: Mapping[str, Scale],
    parameters: Mapping[str, Parameters],
    samples: Sequence[Sample],
    count: int,
) -> list[str]:
    """Return the names of the `count` layers whose quantisation alone changes the outputs most."""
    outputs = OutputError(network, samples[:_SAMPLES])
    errors: dict[str, float] = {}
    for layer in selection.layers:
        # The integers of a row operator have the scale of its result.
        needed = layer.points if layer.node.op_type in ROWS else network.output_names
        points = {*layer.data, *(name for name in layer.points if name in needed)}
        alone = Selection([layer], {name: name for name in points}, set())
        errors[layer.name] = outputs.noise(
            emit_qdq(network, alone, {name: scales[name] for name in points}, parameters)
        )
    return sorted(errors, key=lambda name: -errors[name])[:count]


class OutputError:
    """Comparison of quantised forms of a network with it, at its outputs."""

    def __init__(self, network: FloatNetwork, samples: Sequence[Sample]):
        self._names = [name for name in network.output_names if network.is_float(name)]
        self._samples = samples
        exact = Execution(network, self._names)
        self._wanted = [exact.run(sample) for sample in samples]

    def noise(self, quantised: Quantised) -> float:
        """Return the power of the noise relative to the signal's, summed over samples and outputs."""
        return sum(_share(wanted, computed) for wanted, computed in self._pairs(quantised))

    def decisions(self, quantised: Quantised) -> tuple[float, float]:
        """
        Return the share of rows whose greatest number is another one, over samples and outputs, and the noise.

        Rows lie along the last axis; those of one number have no such share.
        """
        changed, noise = list[float](), 0.0
        for wanted, computed in self._pairs(quantised):
            noise += _share(wanted, computed)
            if wanted.ndim and wanted.shape[-1] > 1:
                changed.append(float((wanted.argmax(axis=-1) != computed.argmax(axis=-1)).mean()))
        return sum(changed) / max(len(changed), 1), noise

    def _pairs(self, quantised: Quantised) -> Iterator[tuple[Array, Array]]:
        """Yield each output of each sample: of the float network, of the quantised one."""
        names = {name: quantised.tensors.get(name, name) for name in self._names}
        run = Execution(quantised.network, names.values())
        for sample, wanted in zip(self._samples, self._wanted, strict=True):
            outputs = run.run(sample)
            yield from ((wanted[name], outputs[names[name]]) for name in self._names)


def _share(exact: Array, quantised: Array) -> float:
    """Return the power of noise relative to that of the signal."""
    return noise_power(exact, quantised) / (signal_power(exact) or 1.0)
