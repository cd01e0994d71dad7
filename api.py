"""Networks in Python: `load`, `compile`, `check`, `quantize`, as the commands of these names, on paths and arrays."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from html import escape
from itertools import starmap
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike

from .compiler import Compilation, Model, compile_model, machine_named, pipeline_of, write_compilation
from .errors import Diagnostic, did_you_mean
from .files import check_places, read_text, write_bytes
from .frontend.quantize.error import TensorError
from .frontend.quantize.quantize import QuantizeOptions as Quantization
from .frontend.quantize.weights_only import TYPES, StoredWeight
from .grammar import UsageError
from .ir import Array
from .passes.emitc.text.files import files_of
from .runtime.calls import steps_of
from .runtime.comparison import Tolerance
from .runtime.host import HostNetwork, shared_library
from .runtime.html_table import table
from .runtime.inputs import Input, host_inputs, matched, network_inputs, network_tensors
from .runtime.tools.check import CaseRow, find_cases
from .runtime.tools.check import check as check_cases
from .runtime.tools.quantize import quantize_file, store_weights_file
from .runtime.tools.session import Run, check_place, host_run, level_for, runner, stacked

AnyPath = str | PathLike[str]


class QuantizeOptions(TypedDict, total=False):
    """
    Options of a model, each as the option of `tilewright compile` of that name.

    `input_shapes`, `input_types` and `input_values` are by the name of the input; `prefill` is a path or a number.
    """

    input_shapes: Mapping[str, Sequence[int]]
    input_types: Mapping[str, str]
    input_values: Mapping[str, ArrayLike]
    context: int
    bucket: int
    prefill: AnyPath | int | None
    integers: bool
    shifts: bool
    threads: int
    outputs: Sequence[str]


class Tensor(NamedTuple):
    """Input or output of a network: its name, NumPy type and shape."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype} {'x'.join(map(str, self.shape)) or 'scalar'}"


class Network:
    """
    A compiled network, ready to run.

    `inputs` and `outputs` are its tensors in order; `report` is the content of report.json, of a network that was
    compiled as far as it runs. State outlives a call of `run`, until `reset`.
    """

    def __init__(
        self,
        source: str,
        start: Callable[[], Run],
        ports: Sequence[Input],
        tensors: tuple[Sequence[Tensor], Sequence[Tensor]],
        report: dict[str, Any],
    ):
        self.source = source
        self.inputs, self.outputs = map(tuple, tensors)
        self.report = report
        self._start = start
        self._ports = ports
        self._position = 0

    @cached_property
    def _run(self) -> Run:
        return self._start()

    def run(self, inputs: Mapping[str, ArrayLike]) -> dict[str, Array]:
        """
        Run the network on arrays by the names of its inputs and return its outputs by name.

        Arrays with one axis more than their inputs are steps, calls made one after the other; outputs then have that
        axis too. The position in a state may be left out: it counts on from the last call. Raises Diagnostic where
        arrays do not have the names, shapes and values that the inputs take.
        """
        counted = [port for port in self._ports if port.added]
        names = [port.name for port in self._ports]
        optional = [port.name for port in counted]
        arrays = matched(_arrays(inputs, self.source), names, Path(self.source), optional=optional)
        steps, has_steps = steps_of(self._ports, arrays)
        open_ports = [port for port in counted if port.name not in arrays]
        results = [self._call(step, open_ports) for step in steps]
        return stacked(results) if has_steps else results[0]

    def _call(self, step: Mapping[str, Array], counted: Sequence[Input]) -> dict[str, Array]:
        positions = {port.name: np.full(port.shape, self._position, np.int64) for port in counted}
        outputs = self._run({**step, **positions})
        self._position += sum(port.added for port in counted)
        return outputs

    def reset(self) -> None:
        """Let all state be as before the first call."""
        self._position = 0
        self._run.reset()

    def __repr__(self) -> str:
        inputs, outputs = (", ".join(map(str, tensors)) for tensors in (self.inputs, self.outputs))
        return f"<{self.source} for {self.report.get('target', 'this machine')}: {inputs} -> {outputs}>"

    def _repr_html_(self) -> str:
        sizes = {
            "inputs": ", ".join(map(str, self.inputs)),
            "outputs": ", ".join(map(str, self.outputs)),
            **{
                name: f"{self.report[name]:,}"
                for name in ("macs", "weights_bytes", "stack_bytes")
                if name in self.report
            },
        }
        if "arena" in self.report:
            sizes["arena bytes"] = f"{self.report['arena']['bytes']:,}"
        layers = [
            (layer["kernel"], ", ".join(layer["nodes"]), f"{layer['macs']:,}")
            for layer in self.report.get("layers", ())
        ]
        title = f"{self.source} for {self.report.get('target', 'this machine')}"
        tables = [table((), sizes.items())]
        tables += [table(("kernel", "nodes", "MACs"), layers)] if layers else []
        return f"<h4>{escape(title)}</h4>{''.join(tables)}"


def _arrays(inputs: Any, source: str) -> dict[str, Array]:
    if not isinstance(inputs, Mapping):
        kind = type(inputs).__name__
        raise Diagnostic("the inputs are no mapping", source=source, expected="arrays by their names", found=kind)
    inputs = cast("Mapping[Any, ArrayLike]", inputs)
    if wrong := [name for name in inputs if not isinstance(name, str)]:
        raise Diagnostic("an input is named by a str", source=source, found=f"{type(wrong[0]).__name__} {wrong[0]!r}")
    arrays = {name: _array(name, value, source) for name, value in inputs.items()}
    for name, array in arrays.items():
        if array.dtype.kind not in "biufV":
            raise Diagnostic("an array holds no numbers", source=source, found=f"{name}: {array.dtype}")
    return arrays


def _array(name: str, value: ArrayLike, source: str) -> Array:
    try:
        return np.asarray(value)
    except ValueError as error:
        expected = "rows of the same length"
        raise Diagnostic("an input is no array", source=source, expected=expected, found=f"{name}: {error}") from None


def load(model: AnyPath, target: AnyPath = "host", *, on: str = "host", **options: Unpack[QuantizeOptions]) -> Network:
    """
    Compile a model, an ONNX or MLIR file, and return it ready to run; or load a folder that `compile` wrote.

    `target` is a name, a folder or a machine file, `on` where the network runs, as of `tilewright run --on`. Raises
    Diagnostic for whatever is wrong with the model, the target or the options.
    """
    check_place(on, str(target))
    path = Path(model)
    if path.is_dir():
        return _load_folder(path, on, [*options, *(["target"] if str(target) != "host" else [])])
    compilation = compile_model(_model(path, options), str(target), **level_for(on)._asdict())
    return _network(compilation, partial(runner, compilation, on))


def compile(
    model: AnyPath,
    output: AnyPath,
    target: AnyPath = "host",
    *,
    name: str = "",
    shared: bool = False,
    **options: Unpack[QuantizeOptions],
) -> list[Path]:
    """
    Compile a model and write network.c, network.h, weights, report.json and pipeline.txt to the folder `output`.

    All names of the C, and its files, begin with `name`, if that is given. `shared` builds a shared library too.
    Returns the paths, of all files or none. Raises Diagnostic for whatever is wrong with the model, the target or the
    options, and where the folder cannot be written.
    """
    compilation = compile_model(_model(Path(model), options), str(target), name=name)
    also = partial(shared_library, files=files_of(name)) if shared else None
    return write_compilation(compilation, Path(output), also=also)


def check(
    *corpora: AnyPath,
    target: AnyPath = "host",
    on: str | Sequence[str] = "host",
    stop_after: str = "kernels",
    atol: float | None = None,
    rtol: float | None = None,
    steps: int = 0,
    **options: Unpack[QuantizeOptions],
) -> list[CaseRow]:
    """
    Compile the networks of folders, run them at all places of `on` and compare with their golden outputs.

    Floats may differ by `atol` + `rtol` times the expected magnitude, quantised values by `steps`, as of `tilewright
    check`. Returns a row per network, which `passed` or has a `verdict` and a `detail`. Raises Diagnostic where a
    folder holds no network, and for an unknown target or place.
    """
    places = [on] if isinstance(on, str) else list(dict.fromkeys(on))
    if not places:
        raise UsageError("a check needs a place to run", expected="one place or more as 'on'", found="none")
    for place in places:
        check_place(place, str(target))
    pipeline_of(machine_named(str(target))).select(stop_after=stop_after)
    cases = [case for corpus in corpora for case in find_cases(Path(corpus))]
    template, tolerance = _model(Path(), options), Tolerance(atol, rtol, steps)
    rows = check_cases(cases, str(target), places, stop_after=stop_after, template=template, tolerance=tolerance)
    return list(rows)


def quantize(
    model: AnyPath,
    calibration: Mapping[str, ArrayLike],
    output: AnyPath,
    *,
    options: Quantization = Quantization(),
    input_shapes: Mapping[str, Sequence[int]] = {},
    input_values: Mapping[str, ArrayLike] = {},
) -> list[TensorError]:
    """
    Quantise a network of floats to 8-bit integers and write it as ONNX to the file `output`.

    `calibration` has samples along the first axis, by the names of the inputs. Returns the error of each layer's
    result, then of each output. Raises Diagnostic as `tilewright quantize` does; nothing is written then.
    """
    values = {name: _array(name, value, str(model)) for name, value in input_values.items()}
    network = Model(Path(model), input_shapes, input_values=values)
    check_places({"output": Path(output)}, [network.path])
    result, errors = quantize_file(network, _arrays(calibration, str(model)), options)
    write_bytes(Path(output), result.model.SerializeToString())
    return errors


def quantize_weights(model: AnyPath, output: AnyPath, type: str) -> list[StoredWeight]:
    """
    Write a network whose weights are stored as `type`, "bf16" or "int8", to the file `output`; it computes in floats.

    Returns each stored weight with its bytes and its relative error. Raises Diagnostic as `tilewright quantize
    --weights-only` does; nothing is written then.
    """
    if type not in TYPES:
        raise UsageError(f"weights are not stored as '{type}'", expected=" or ".join(TYPES))
    check_places({"output": Path(output)}, [Path(model)])
    return store_weights_file(Path(model), Path(output), type)


def _model(path: Path, options: QuantizeOptions) -> Model:
    """Return the model of a file. Raises UsageError for an unknown option, and for one of a state without a context."""
    names = QuantizeOptions.__annotations__
    for name in options.keys() - names.keys():
        raise UsageError(f"there is no option '{name}'", expected=", ".join(names), remedy=did_you_mean(name, names))
    for name in ("bucket", "prefill"):
        if options.get(name) and not options.get("context"):
            raise UsageError(f"{name} is for networks with state", remedy="give context too")
    prefill = options.get("prefill")
    arrays = options.get("input_values", {})
    values = {name: _array(name, value, str(path)) for name, value in arrays.items()}
    return Model(
        path,
        options.get("input_shapes", {}),
        options.get("input_types", {}),
        options.get("context", 0),
        prefill if prefill is None or isinstance(prefill, int) else Path(prefill),
        values,
        options.get("bucket", 0),
        options.get("integers", False),
        tuple(options.get("outputs", ())),
        shifts=options.get("shifts", False),
        threads=options.get("threads", 1),
    )


def _network(compilation: Compilation, start: Callable[[], Run]) -> Network:
    module = compilation.module
    inputs, returned = network_tensors(module)
    tensors = list(starmap(Tensor, inputs)), list(starmap(Tensor, returned))
    return Network(str(compilation.model.path), start, network_inputs(module), tensors, compilation.report)


def _load_folder(folder: Path, on: str, options: Sequence[str]) -> Network:
    if on not in ("host", "sanitizers") or options:
        raise UsageError(
            "a compiled folder runs as it is",
            source=str(folder),
            expected="on host or sanitizers, without options of a model",
            found=", ".join([f"on {on}", *options]),
            remedy="load the model that it was compiled from instead",
        )
    compiled = HostNetwork(folder, sanitize=on == "sanitizers")
    inputs = [Tensor(port.name, port.dtype, port.shape) for port in compiled.inputs]
    outputs = [Tensor(port.name, port.dtype, port.shape) for port in compiled.outputs]
    report = json.loads(read_text(str(folder / "report.json")))
    return Network(str(folder), lambda: host_run(compiled), host_inputs(compiled), (inputs, outputs), report)
