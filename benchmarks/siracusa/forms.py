"""
Quantised networks on Siracusa in the forms that people have, on GVSoC: cycles beside those of their RequantShift form.

    GVSOC=... python benchmarks/siracusa/forms.py [--only TEXT,...]

The networks of MLPerf Tiny in the zoo are in QLinear and in RequantShift form. MobileNetV2 and SqueezeNet at 64 x 64
and a vision transformer at 32 x 32, with weights from a seed, are quantised by `tilewright quantize` to all its forms,
and by ONNX Runtime's quantiser to QDQ and QOperator form. All are compiled with `--integers`; those that are not in
RequantShift form with `--integers --shifts` too. Cycles are those of a later call. The exit code is 1 where outputs
differ from the interpreter's at the level `layout`, the last one on tensors of any target.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from onnx import ModelProto
from rich.console import Console
from rich.table import Table

from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.zoo import vit_tiny
from tilewright.ir import Array
from tilewright.test.exits import exit_with
from tilewright.test.frontend.quantize.runtime_quantiser import theirs

SAMPLES = 4
"""Random inputs that quantisers see."""
_LATER = re.compile(r"([\d,]+) in a later call")
TINY = ("ds-cnn", "resnet8", "mobilenet-v1-025")
"""Networks of the zoo in RequantShift form; with `-qlinear` behind the name they are in QLinear form."""
INTEGERS, SHIFTS = ["--integers"], ["--integers", "--shifts"]


def _at(name: str, size: int) -> ModelProto:
    """Return a network of the zoo for images of another size."""
    model = zoo.build(name)
    dims = model.graph.input[0].type.tensor_type.shape.dim
    for dim in (dims[2], dims[3]):
        dim.dim_value = size
    del model.graph.value_info[:]
    return model


FLOATS: Mapping[str, Callable[[], ModelProto]] = {
    "mobilenet-v2-64": partial(_at, "mobilenet-v2", 64),
    "squeezenet-64": partial(_at, "squeezenet", 64),
    "vit-32": partial(vit_tiny.build, image=32, patch=4, dim=96, heads=3, layers=2, classes=10),
}


@dataclass(frozen=True)
class Program:
    """A form of a network, and the options that it is compiled with."""

    form: str
    model: Path
    options: tuple[str, ...] = ()


def tilewright(*words: str) -> str:
    """Run a command; returns what it prints. Raises Diagnostic where it fails."""
    process = subprocess.run(["tilewright", *words], capture_output=True, text=True)
    if process.returncode:
        raise Diagnostic(f"tilewright {' '.join(words)} fails", found=process.stderr.strip())
    return process.stdout


def _samples(model: ModelProto) -> Mapping[str, Array]:
    """Return samples of a network's only input along its first axis."""
    (image,) = model.graph.input
    shape = [dim.dim_value for dim in image.type.tensor_type.shape.dim]
    random = np.random.default_rng(1)
    return {image.name: random.standard_normal([SAMPLES * shape[0], *shape[1:]]).astype(np.float32)}


def _saved(arrays: Mapping[str, Array], file: Path) -> Path:
    np.savez(file, **arrays)  # pyright: ignore[reportArgumentType]
    return file


def tiny(name: str, folder: Path) -> tuple[list[Program], Path]:
    """Write the forms of a network of MLPerf Tiny and an input; the RequantShift form is the first."""
    paths = [folder / f"{name}.onnx", folder / f"{name}-qlinear.onnx"]
    for path in paths:
        path.write_bytes(zoo.build(path.stem).SerializeToString())
    inputs = _saved(zoo.sample_inputs(zoo.build(name), 1), folder / "inputs.npz")
    programs = [Program("RequantShift", paths[0])]
    return [*programs, *_both("QLinear", paths[1])], inputs


def _both(form: str, model: Path) -> list[Program]:
    return [Program(form, model, tuple(options)) for options in (INTEGERS, SHIFTS)]


def of_floats(name: str, folder: Path) -> tuple[list[Program], Path]:
    """Write the quantised forms of a network of floats and an input; the RequantShift form is the first."""
    model, source = FLOATS[name](), folder / "float.onnx"
    source.write_bytes(model.SerializeToString())
    samples = _samples(model)
    calibration = _saved(samples, folder / "calibration.npz")
    (key,) = samples
    inputs = _saved({key: samples[key][:1]}, folder / "inputs.npz")
    programs: list[Program] = []
    for form in ("requant-shift", "qdq", "qlinear"):
        path = folder / f"{form}.onnx"
        tilewright(
            "quantize",
            str(source),
            "--calibration",
            str(calibration),
            "--form",
            form,
            "--nonlinear",
            "integer",
            "-o",
            str(path),
        )
        programs += [Program("RequantShift", path, tuple(INTEGERS))] if form == "requant-shift" else _both(form, path)
    rows = [{key: sample[None]} for sample in samples[key]]
    for form in ("QDQ", "QOperator"):
        path = folder / f"theirs-{form}.onnx"
        path.write_bytes(theirs(model, rows, form=form).SerializeToString())
        programs += _both(f"ONNX Runtime's {form}", path)
    return programs, inputs


def cycles(program: Program, inputs: Path, folder: Path) -> tuple[int, bool]:
    """Return the cycles of a later call on GVSoC, and whether its outputs are those of the interpreter."""
    files = [folder / "measured.npz", folder / "expected.npz"]
    common = [str(program.model), "--inputs", str(inputs), "--target", "siracusa", *program.options]
    printed = tilewright("run", *common, "--on", "gvsoc", "--outputs", str(files[0]))
    tilewright("run", *common, "--on", "interpreter", "--stop-after", "layout", "--outputs", str(files[1]))
    later = _LATER.search(printed)
    assert later is not None, printed
    with np.load(files[0]) as measured, np.load(files[1]) as expected:
        equal = all(np.array_equal(measured[name], expected[name]) for name in expected.files)
    return int(later[1].replace(",", "")), equal


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="networks whose names contain one of these texts")
    only = parser.parse_args().only.split(",")
    table = Table("network", "form", "options", title="cycles on GVSoC, later calls")
    for title in ("cycles", "of RequantShift", "outputs"):
        table.add_column(title, justify="right")
    differing = 0
    for name in [name for name in (*TINY, *FLOATS) if any(text in name for text in only)]:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            programs, inputs = (of_floats if name in FLOATS else tiny)(name, folder)
            base = 0
            for program in programs:
                measured, equal = cycles(program, inputs, folder)
                base, differing = base or measured, differing + (not equal)
                ratio, verdict = f"{measured / base:.2f}", "equal" if equal else "differ"
                table.add_row(name, program.form, " ".join(program.options), f"{measured:,}", ratio, verdict)
                print(name, program.form, *program.options, measured, ratio, verdict, file=sys.stderr, flush=True)
    Console(width=140).print(table)
    return 1 if differing else 0


if __name__ == "__main__":
    exit_with(main)
