"""Quantisation of a float network to 8-bit integers, from samples of its inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from glob import escape

import numpy as np
from onnx import ModelProto

from ...dialects.onnx.registry import mentions
from ...errors import Diagnostic
from ...ir import Array
from .calibration import Calibration, Sample, calibrate
from .columns import has_matrix, matrix_of, weight_of
from .concatenations import separate_operands
from .emit import Parameters, Quantised, emit_qdq
from .equalize import equalize
from .folding import add_biases, fold
from .layers import Layer
from .network import FloatNetwork, check_model
from .norms import compose_norms, drop_unused
from .propagation import Propagation
from .qlinear import to_qlinear
from .ranges import METHODS
from .requant_shift import to_requant_shift
from .scales import Scale, scales_of
from .selection import Selection, named, select
from .sensitivity import OutputError, most_sensitive
from .smoothing import smooth
from .tables import tabulate_functions
from .weights import BITS, QuantizedWeights, corrected_bias, largest_of, quantize_rows, round_adaptively
from .wide import widen

_LARGEST_BIAS = 1 << 30
_COMPARED = 32
"""Samples on which the choices of a search are compared."""


@dataclass(frozen=True)
class QuantizeOptions:
    """
    Options of quantisation.

    `ranges` is one of `RANGES`, `form` one of `FORMS`; `floats` are patterns of nodes or operators that stay floats.
    Weights have one scale, or one for each `block` of output channels where `per_channel`; as bytes they use
    `weight_bits` of 4 to 8 bits.
    Zero points of activations are 0 where `symmetric`, by default with `common_sums` alone. `smooth` balances the
    channels of activations, where weights have a scale per channel. `adaptive` rounds weights for the least error of
    each product, else to nearest; `search` tries all ranges and both roundings instead, and takes those that change the
    outputs least for the samples. `correct` keeps the means of products; `equalize` balances the channels of successive
    convolutions for weights with one scale. With `common_sums`, both summands of an addition share one scale.
    `nonlinear`, one of `NONLINEAR`, is the arithmetic of softmax, layer normalisation and functions of one number;
    those of integers are plain ONNX. `ibert` has GELU by a polynomial of integers, as arrays with normalisations
    compute it. The `keep` most sensitive layers stay floats. Products that match `wide`, and those of the `keep_wide`
    most sensitive layers after these, have operands of two bytes; other operators among them stay floats.
    """

    ranges: str = "wide-percentile"
    per_channel: bool = True
    block: int = 1
    symmetric: bool | None = None
    adaptive: bool = True
    search: bool = False
    correct: bool = True
    floats: tuple[str, ...] = ()
    form: str = "qdq"
    equalize: bool = False
    smooth: bool = True
    common_sums: bool = False
    nonlinear: str = "float"
    keep: int = 0
    wide: tuple[str, ...] = ()
    keep_wide: int = 0
    weight_bits: int = BITS

    @property
    def channels(self) -> int:
        """Output channels that share a scale of the weights, 0 where all do."""
        return self.block if self.per_channel else 0

    @property
    def has_zero_points(self) -> bool:
        """Permission of zero points of activations other than 0."""
        return not (self.common_sums if self.symmetric is None else self.symmetric)

    @property
    def has_integer_rows(self) -> bool:
        """Choice of integers for softmax and layer normalisation."""
        return self.nonlinear != "float"


@dataclass(frozen=True)
class Result:
    """
    Quantised model, the float network with constants folded, and the scale of each quantised tensor.

    `quantised` is the network in QDQ form, whatever the form of the model; `left` are the layers that the form does
    not have, with what keeps each from it.
    """

    model: ModelProto
    float_network: FloatNetwork
    selection: Selection
    scales: Mapping[str, Scale]
    quantised: Quantised
    left: Sequence[str] = ()


def quantize(network: FloatNetwork, samples: Sequence[Sample], options: QuantizeOptions = QuantizeOptions()) -> Result:
    """
    Quantise a network, which is changed: constants are folded.

    Raises Diagnostic where no layer can be quantised, and for tensors that are not finite for the samples.
    """
    names = named(network, options.floats), named(network, options.wide)
    return _quantize(network, samples, replace(options, floats=names[0], wide=names[1]))


def _quantize(network: FloatNetwork, samples: Sequence[Sample], options: QuantizeOptions) -> Result:
    """Quantise a network whose nodes the options name by patterns or by names that some may have lost in folding."""
    fold(network, options.floats)
    if options.has_integer_rows:
        compose_norms(network, options.floats)
    if options.equalize:
        equalize(network)
    if options.smooth and options.per_channel:
        smooth(network, samples)
    if options.correct:
        add_biases(network)
    selection, calibration = _calibrated(network, samples, options)
    if separate_operands(network, selection, calibration):
        selection, calibration = _calibrated(network, samples, options)
    kept = options.keep + options.keep_wide
    if kept and kept >= len(selection.layers):
        raise Diagnostic(
            "no layer would have bytes",
            expected=f"fewer than the {len(selection.layers)} layers that neither --float nor --wide names",
            found=str(kept),
            remedy="give a smaller number for --keep-float or --keep-wide",
        )
    if kept:
        scales = _scales(network, selection, calibration, options)
        parameters = _one_by_one(network, selection, scales, calibration, options)
        names = [escape(name) for name in most_sensitive(network, selection, scales, parameters, samples, kept)]
        floats, wide = (*options.floats, *names[: options.keep]), (*options.wide, *names[options.keep :])
        chosen = replace(options, keep=0, keep_wide=0, equalize=False, smooth=False, floats=floats, wide=wide)
        return _quantize(network, samples, chosen)
    scales, _, quantised = _chosen(network, selection, calibration, samples, options)
    written = quantised.network.copy()
    if options.has_integer_rows:
        tabulate_functions(written, (*options.floats, *options.wide), has_polynomials=options.nonlinear == "ibert")
        drop_unused(written)
    left: Sequence[str] = ()
    if options.form == "qlinear":
        to_qlinear(written)
    elif options.form == "requant-shift":
        _, left = to_requant_shift(written)
    model = written.model()
    check_model(model)
    return Result(model, network, selection, scales, quantised, left)


def _calibrated(
    network: FloatNetwork, samples: Sequence[Sample], options: QuantizeOptions
) -> tuple[Selection, Calibration]:
    selection = select(
        network, options.floats, wide=options.wide, common_sums=options.common_sums, rows=options.has_integer_rows
    )
    return selection, calibrate(network, selection, samples)


_Integers = tuple[Mapping[str, Scale], Mapping[str, Parameters], Quantised]
"""The scale of each quantised tensor, the parameters of each layer, and the network with both."""


def _chosen(
    network: FloatNetwork,
    selection: Selection,
    calibration: Calibration,
    samples: Sequence[Sample],
    options: QuantizeOptions,
) -> _Integers:
    """Quantise by the ranges and the rounding of the options, or by those that change the outputs least."""
    if not options.search:
        return _quantised(network, selection, calibration, samples, options)
    outputs = OutputError(network, samples[:: -(-len(samples) // _COMPARED)])
    tried = (replace(options, ranges=ranges, adaptive=adaptive) for ranges in METHODS for adaptive in (True, False))
    candidates = (_quantised(network, selection, calibration, samples, option) for option in tried)
    return min(candidates, key=lambda candidate: outputs.decisions(candidate[2]))


def _quantised(
    network: FloatNetwork,
    selection: Selection,
    calibration: Calibration,
    samples: Sequence[Sample],
    options: QuantizeOptions,
) -> _Integers:
    scales = _scales(network, selection, calibration, options)
    parameters, biases = _layer_by_layer(network, selection, scales, calibration, samples, options)
    quantised = emit_qdq(network, selection, scales, parameters, biases)
    widen(quantised.network, selection.wide, calibration.reaches, options.weight_bits)
    return scales, parameters, quantised


def _scales(
    network: FloatNetwork, selection: Selection, calibration: Calibration, options: QuantizeOptions
) -> Mapping[str, Scale]:
    return scales_of(network, selection, calibration, ranges=options.ranges, symmetric=not options.has_zero_points)


def _one_by_one(
    network: FloatNetwork,
    selection: Selection,
    scales: Mapping[str, Scale],
    calibration: Calibration,
    options: QuantizeOptions,
) -> Mapping[str, Parameters]:
    """Quantise the constant operands of each layer as if it alone were quantised."""
    parameters: dict[str, Parameters] = {}
    for layer in (layer for layer in selection.layers if layer.weight):
        columns = calibration.columns.get(layer.name, np.zeros((1, 0, 0)))
        rounded = scales[layer.data[0]].quantised(columns)
        parameters[layer.name] = _parameters(network, layer, scales, columns, rounded, options)
    return parameters


def _layer_by_layer(
    network: FloatNetwork,
    selection: Selection,
    scales: Mapping[str, Scale],
    calibration: Calibration,
    samples: Sequence[Sample],
    options: QuantizeOptions,
) -> tuple[Mapping[str, Parameters], Mapping[str, Array]]:
    """
    Quantise constant operands in topological order, each for its operand with the errors of the layers before.

    Also returns the biases of layers of floats, which keep the means of their results in spite of these errors.
    """
    layers = {layer.name: layer for layer in selection.layers if layer.weight}
    kept = {layer.name: layer for layer in selection.kept if options.correct and layer.bias and has_matrix(layer)}
    parameters: dict[str, Parameters] = {}
    biases: dict[str, Array] = {}
    propagation = Propagation(network, scales, samples)
    for node in network.nodes:
        if node.name in kept:
            layer = kept[node.name]
            columns = calibration.columns[node.name], propagation.columns(layer)
            biases[node.name] = _corrected(network, layer, *columns)
            propagation.shift(layer, biases[node.name])
        layer = layers.get(node.name)
        if layer is not None:
            columns = propagation.columns(layer) if has_matrix(layer) else np.zeros((1, 0, 0))
            parameters[node.name] = _parameters(
                network, layer, scales, calibration.columns.get(node.name, columns), columns, options
            )
            propagation.state(layer, parameters[node.name])
        propagation.run(node)
    return parameters, biases


def _corrected(network: FloatNetwork, layer: Layer, columns: Array, quantised: Array) -> Array:
    """Return the bias [channels] of a layer of floats for operands of the network that is quantised so far."""
    matrix = matrix_of(network, layer)
    weights = QuantizedWeights(matrix.astype(np.float64), np.ones(matrix.shape[:2], np.float32))
    correction = corrected_bias(matrix, columns, quantised, weights)
    return (_bias(network, layer, matrix) + correction).astype(np.float32)


@mentions("MatMul")
def _parameters(
    network: FloatNetwork,
    layer: Layer,
    scales: Mapping[str, Scale],
    columns: Array,
    quantised: Array,
    options: QuantizeOptions,
) -> Parameters:
    """Quantise the constants of a layer for its operand `columns` [groups, K, M], `quantised` in the network so far."""
    if not has_matrix(layer):
        bits = options.weight_bits if layer.node.op_type == "MatMul" else BITS
        return _constant(network.constants[layer.weight], largest_of(bits))
    matrix, x = matrix_of(network, layer), scales[layer.data[0]]
    bias = _bias(network, layer, matrix)
    # A bias in 32 bits has the scale of the product, which may not be too small for it, nor for a normal number.
    least = np.abs(bias).reshape(matrix.shape[:2]) / (x.scale * _LARGEST_BIAS)
    search = options.ranges == "mse"
    least = np.maximum(least, np.finfo(np.float32).tiny / x.scale)
    weights = quantize_rows(
        matrix, columns, channels=options.channels, search=search, least=least, bits=options.weight_bits
    )
    if options.adaptive:
        weights = round_adaptively(matrix, columns, quantised, weights)
    if options.correct:
        bias = bias + corrected_bias(matrix, columns, quantised, weights)
    return _stored(network, layer, weights, bias, x, per_channel=options.per_channel, correct=options.correct)


def _bias(network: FloatNetwork, layer: Layer, matrix: Array) -> Array:
    rows = matrix.shape[0] * matrix.shape[1]
    bias = network.constants[layer.bias].reshape(-1) if layer.bias else np.zeros(1)
    return np.broadcast_to(bias.astype(np.float64), (rows,))


@mentions("MatMul")
def _stored(
    network: FloatNetwork,
    layer: Layer,
    weights: QuantizedWeights,
    bias: Array,
    x: Scale,
    *,
    per_channel: bool,
    correct: bool,
) -> Parameters:
    """Return weights and bias in the layout of the network; a product without a bias gets one where it is corrected."""
    scales = weights.scales.reshape(-1)
    steps = np.rint(bias / (np.float32(x.scale) * scales).astype(np.float64))
    takes = bool(layer.bias) or (correct and layer.node.op_type != "MatMul")
    integers = weight_of(network, layer, weights.integers).astype(np.int8)
    kept = np.clip(steps, -_LARGEST_BIAS, _LARGEST_BIAS).astype(np.int32) if takes else None
    return Parameters(integers, scales if per_channel else scales[:1], layer.axis if per_channel else None, kept)


def _constant(array: Array, largest: int) -> Parameters:
    """Return a constant with one scale, as integers from `-largest` to `largest`."""
    scale = np.float32(float(np.abs(array).max(initial=0.0)) / largest)
    scale = scale if scale >= np.finfo(np.float32).tiny else np.float32(1)
    integers = np.clip(np.rint(array / scale), -largest, largest).astype(np.int8)
    return Parameters(integers, np.array([scale], np.float32), None)
