"""
`tilewright quantize`: a network of floats and calibration data in, a network of 8-bit integers out; or one whose
weights alone are narrow.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...console import table_console
from ...errors import Diagnostic
from ...files import check_places, errors_in, path_of, write_bytes, write_text
from ...frontend.quantize.names import FORMS, NONLINEAR, RANGES
from ...frontend.quantize.weights_only import TYPES, StoredWeight, store_weights
from ..inputs import load_arrays, matched
from .quantize_page import page_of

if TYPE_CHECKING:
    from onnx import ModelProto

    from ...compiler import Model
    from ...frontend.quantize.error import TensorError
    from ...frontend.quantize.quantize import QuantizeOptions, Result
    from ...ir import Array

_MEASURED = 32
"""Samples from which the error per layer is measured."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command that are its own, not those of open models."""
    add = parser.add_argument
    add("model", type=path_of, metavar="MODEL", help="a .onnx file of floats")
    what = "samples of the inputs, by name or in order, along the first axis; repeatable"
    add("--calibration", type=path_of, action="append", default=[], metavar="FILE.npz", help=what)
    what = "store weights as bfloat16 or int8 and compute in floats; without calibration and the options below"
    add("--weights-only", choices=TYPES, metavar="{bf16,int8}", help=what)
    add("-o", "--output", type=path_of, required=True, metavar="FILE.onnx", help="where the quantised network goes")
    what = (
        "QuantizeLinear and DequantizeLinear around tensors, QLinearConv and QLinearMatMul where they exist, or sums "
        "of integers and RequantShift, for NPUs and small cores (qdq); or the fastest on --target (auto); without "
        "--calibration, requant-shift converts a quantised model"
    )
    add("--form", choices=(*FORMS, "auto"), default="qdq", help=what)
    what = "print the modelled cycles of each form on this target; --form auto takes the one of the fewest"
    add("--target", metavar="TARGET", help=what)
    what = (
        "ranges of tensors: all values, 99.99 or 99.999 %%, least squared error or relative entropy (wide-percentile)"
    )
    add("--ranges", choices=RANGES, default="wide-percentile", help=what)
    what = "one scale per output channel, one for each N channels in a row, such as 16, or one per tensor (channel)"
    add("--weights", type=_weights, default=1, metavar="{channel,N,tensor}", help=what)
    what = "bits that weights use of their bytes; with 7, sums of two products fit 16 bits: processors without VNNI (8)"
    add("--weight-bits", type=int, choices=range(4, 9), default=8, metavar="{4..8}", help=what)
    what = "zero points 0, or any (asymmetric; symmetric with --common-sums)"
    add("--activations", choices=("symmetric", "asymmetric"), help=what)
    what = "round weights for the least error of the layer's result, or to the nearest integer (adaptive)"
    add("--rounding", choices=("adaptive", "nearest"), default="adaptive", help=what)
    what = "try all --ranges with both --rounding, and take those that change the outputs least for the samples"
    add("--search", action="store_true", help=what)
    what = "leave the channels of activations as they are, which else are balanced by the weights around them"
    add("--no-smoothing", action="store_true", help=what)
    add("--no-bias-correction", action="store_true", help="leave the biases, which else keep the means of the results")
    what = "a node, or all of an operator, that stays in floats; a pattern such as 'encoder/*'; repeatable"
    add("--float", action="append", default=[], metavar="NAME", dest="floats", help=what)
    what = "keep the K layers whose quantisation changes the outputs most as floats"
    add("--keep-float", type=_count, default=0, metavar="K", help=what)
    what = "a product, or all of an operator, with operands of two bytes; a pattern, '*' for all; repeatable"
    add("--wide", action="append", default=[], metavar="NAME", help=what)
    what = "give the K layers whose quantisation changes the outputs most, after those of --keep-float, two bytes"
    add("--keep-wide", type=_count, default=0, metavar="K", help=what)
    what = "balance the weights of successive convolutions first, channel by channel"
    add("--equalize", action="store_true", help=what)
    what = "let both summands of an addition share one scale: a systolic array then adds them"
    add("--common-sums", action="store_true", help=what)
    what = "Softmax, LayerNormalization and functions of one number in floats, or in integers of plain ONNX (float)"
    add("--nonlinear", choices=NONLINEAR, default="float", help=what)
    add("--html", type=path_of, metavar="FILE.html", help="write a page with the error of each layer, in one file")
    add("--json", type=path_of, metavar="FILE.json", help="write the error of each layer")


def _weights(text: str) -> int:
    """Return the output channels that share a scale, 0 where all do."""
    if text in ("channel", "tensor"):
        return int(text == "channel")
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"scales are one per channel, per tensor or for N > 0 channels, not '{text}'")
    return int(text)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a number of layers is an integer from 0, not '{text}'")
    return int(text)


def run(options: argparse.Namespace, model: Model) -> int:
    """Quantise a model, write it and print the error of each layer. Raises Diagnostic."""
    from ...frontend.importer import model_proto
    from ...frontend.quantize.quantize import QuantizeOptions
    from ...frontend.tensors import external_files

    places = {"--output": options.output, "--json": options.json, "--html": options.html}
    weights = external_files(model_proto(model.path), model.path.parent)
    check_places(places, [options.model, *weights, *options.calibration])
    chosen = QuantizeOptions(
        ranges=options.ranges,
        per_channel=options.weights > 0,
        block=options.weights or 1,
        symmetric=options.activations and options.activations == "symmetric",
        adaptive=options.rounding == "adaptive",
        search=options.search,
        correct=not options.no_bias_correction,
        floats=tuple(options.floats),
        form="qdq" if options.target else options.form,
        equalize=options.equalize,
        smooth=not options.no_smoothing,
        common_sums=options.common_sums,
        nonlinear=options.nonlinear,
        keep=options.keep_float,
        wide=tuple(options.wide),
        keep_wide=options.keep_wide,
        weight_bits=options.weight_bits,
    )
    result, errors = quantize_file(model, _arrays(options.calibration, model), chosen)
    if options.json:
        write_text(options.json, json.dumps(numbers_of(errors), indent=1) + "\n")
    if options.html:
        write_text(options.html, page_of(errors, options.model.name))
    written, estimate = _on_target(result, options) if options.target else (result.model, "")
    write_bytes(options.output, written.SerializeToString())
    _print(errors)
    _print_left(result.left)
    print(estimate, end="")
    print(f"wrote {options.output}")
    return 0


def _on_target(result: Result, options: argparse.Namespace) -> tuple[ModelProto, str]:
    """Return the model in the form that is asked for, and the modelled cycles of all forms as text."""
    from .forms import cycles_of, forms_of

    forms = forms_of(result.model)
    cycles = cycles_of(forms, options.target)
    form = min(cycles, key=lambda form: cycles[form]) if options.form == "auto" else options.form
    if form not in forms:
        raise Diagnostic(f"no layer of the model has the form {form}", expected=", ".join(forms))
    listed = ", ".join(f"{name} {count:,}" for name, count in cycles.items())
    return forms[form], f"cycles   {listed} on {options.target} with --integers, modelled; this is {form}\n"


def run_weights_only(options: argparse.Namespace) -> int:
    """Write a model with narrow weights and print how many bytes they take. Raises Diagnostic."""
    from ...frontend.importer import model_proto
    from ...frontend.tensors import external_files

    check_places(
        {"--output": options.output}, [options.model, *external_files(model_proto(options.model), options.model.parent)]
    )
    rows = store_weights_file(options.model, options.output, options.weights_only)
    before = sum(row.before for row in rows)
    after = sum(row.after for row in rows)
    worst = max(rows, key=lambda row: row.error)
    print(f"weights  {len(rows)} tensors of {before:,} bytes in {after:,}")
    print(f"error    {worst.error:.2e} of {worst.name} at most, root of mean squares")
    print(f"wrote {options.output}")
    return 0


def run_requant_shift(options: argparse.Namespace, model: Model) -> int:
    """Write a quantised model in RequantShift form and print how far its outputs are from before. Raises Diagnostic."""
    from ...frontend.importer import model_proto
    from ...frontend.quantize.shift_form import shift_form
    from ...frontend.tensors import external_files

    proto = model_proto(model.path)
    check_places({"--output": options.output}, [options.model, *external_files(proto, options.model.parent)])
    with errors_in(model.path):
        result = shift_form(proto, model.path.parent, model.input_shapes, model.input_values)
    write_bytes(options.output, result.model.SerializeToString())
    print(f"layers   {len(result.replaced)} in integers and shifts, {len(result.left)} left as they were")
    _print_left(result.left)
    print(f"outputs  {result.difference}")
    print(f"wrote {options.output}")
    return 0


def _print_left(left: Sequence[str]) -> None:
    """Print the layers without the form of a model, and what computes them in integers nevertheless."""
    for text in left:
        print(f"left     {text}")
    if left:
        print("remedy   compile it with --integers, which requantises these by scales")


def store_weights_file(path: Path, output: Path, type: str) -> list[StoredWeight]:
    """Write a model with weights of `type` to a file; returns a row for each weight. Raises Diagnostic."""
    from ...frontend.importer import model_proto

    proto = model_proto(path)
    with errors_in(path):
        stored, rows = store_weights(proto, path.parent, type)
    write_bytes(output, stored.SerializeToString())
    return rows


def quantize_file(
    model: Model, arrays: Mapping[str, Array], options: QuantizeOptions
) -> tuple[Result, list[TensorError]]:
    """Quantise the network of a file from arrays by the names of its inputs. Raises Diagnostic."""
    from ...frontend.importer import model_proto
    from ...frontend.quantize.calibration import samples_of
    from ...frontend.quantize.error import measure
    from ...frontend.quantize.network import read_network
    from ...frontend.quantize.quantize import quantize

    proto = model_proto(model.path)
    with errors_in(model.path):
        network = read_network(
            proto, folder=model.path.parent, input_shapes=model.input_shapes, input_values=model.input_values
        )
        samples = samples_of(network, arrays)
        result = quantize(network, samples, options)
        return result, measure(result, samples[:_MEASURED])


def _arrays(files: Sequence[Path], model: Model) -> dict[str, Array]:
    """Return the arrays of files, one after the other along the first axis, by the names of the inputs."""
    import numpy as np

    from ...errors import Diagnostic
    from ...frontend.importer import model_proto

    graph = model_proto(model.path).graph
    constants = {tensor.name for tensor in graph.initializer} | set(model.input_values)
    names = [value.name for value in graph.input if value.name not in constants]
    by_file = [matched(load_arrays(file), names, file) for file in files]
    for file, arrays in zip(files, by_file, strict=True):
        if single := [name for name, array in arrays.items() if not array.ndim]:
            raise Diagnostic(
                "an array has no axis of samples",
                source=str(file),
                where=f'input "{single[0]}"',
                expected="samples along the first axis",
                found="a single number",
                remedy="give an array of one sample or more",
            )
    try:
        return {name: np.concatenate(list(map(itemgetter(name), by_file))) for name in names}
    except ValueError as error:
        shapes: list[str] = []
        for arrays in by_file:
            shapes.append(str([list(array.shape) for array in arrays.values()]))
        raise Diagnostic("the calibration files differ in the shapes of samples", found=", ".join(shapes)) from error


def numbers_of(errors: Sequence[TensorError]) -> dict[str, Any]:
    """Return the errors for JSON; an infinite ratio is None."""
    rows = [asdict(error) for error in errors]
    return {"layers": [{**row, "sqnr": row["sqnr"] if isfinite(row["sqnr"]) else None} for row in rows]}


def _print(errors: Sequence[TensorError]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table("node", "operator", "tensor", "scale", "SQNR dB", "cosine")
    for error in errors:
        scale = f"{error.scale:.4g}" + (f", {error.zero}" if error.zero else "") if error.scale else ""
        cells = (error.layer, error.operator, error.tensor, scale, f"{error.sqnr:.1f}", f"{error.cosine:.5f}")
        table.add_row(*map(Text, cells))
    table_console().print(table)
