"""Modules of a decoder as artefacts of the CVI plug-in: models in bfloat16 for cv181x, made and checked by tpu-mlir."""

from __future__ import annotations

import re
import struct
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from onnx import ModelProto
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from ....errors import Diagnostic
from ....ir import Array, where
from ....runtime.interpreter import Interpreter, load_rules
from ...hmp.npu.subgraph import SubgraphPort, subgraph_of
from .export import exported
from .tools import run_tool

CHIP = "cv181x"
"""Name that tpu-mlir has for the TPU of SG2002."""
SIMILARITY, ERROR = 0.999, 0.03
"""
Least cosine of a module's outputs and ours, and greatest difference, as a part of our greatest number.

Measured over all modules of klm-small and a layer of klm, inputs of unit variance: at least 0.99997 and at most 0.012.
"""

_MAGIC, _VERSION = b"TWNPUCVI", 1
_HEADER = struct.Struct("<8sII32sIIIIQ")
"""Layout of tw_npu_cvi_header."""
_ALIGNMENT = 64


@dataclass(frozen=True)
class CviProgram:
    """A compiled function: its file, and its ports, named as the model names its tensors."""

    file: str
    inputs: tuple[SubgraphPort, ...]
    outputs: tuple[SubgraphPort, ...]


def cvi_artifact(module: ModuleOp, name: str, functions: Sequence[FuncOp]) -> bytes:
    """
    Return the artefact of a decoder's module, whose programs are functions at the graph level that share weights.

    Raises Diagnostic for what `exported` refuses, for a function that tpu-mlir does not compile, for results of its
    simulator that are not near ours, and where programs do not share their weights.
    """
    with tempfile.TemporaryDirectory(prefix="tilewright-") as temporary:
        folder = Path(temporary)
        programs = [_compiled(module, function, folder) for function in functions]
        model = folder / programs[0].file
        if len(programs) > 1:
            model = folder / "programs.cvimodel"
            files = [program.file for program in programs]
            run_tool("model_tool", ["--combine", *files, "-o", model.name], folder, model.name, name)
            _check_sharing(name, model, [folder / file for file in files])
        return packed(programs, model.read_bytes())


def packed(programs: Sequence[CviProgram], model: bytes) -> bytes:
    """Return a model behind its header and the tensors of its programs, as tilewright_npu_cvi.c reads them."""
    first = programs[0]
    ports = b"".join(port.packed() for program in programs for port in (*program.inputs, *program.outputs))
    offset = -(-(_HEADER.size + len(ports)) // _ALIGNMENT) * _ALIGNMENT
    counts = (len(first.inputs), len(first.outputs), len(programs), 0)
    header = _HEADER.pack(_MAGIC, _VERSION, offset, CHIP.encode(), *counts, len(model))
    return (header + ports).ljust(offset, b"\0") + model


def _compiled(module: ModuleOp, function: FuncOp, folder: Path) -> CviProgram:
    name, model = function.sym_name.data, exported(function)
    (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
    inputs = sample(model)
    np.savez(folder / f"{name}_in.npz", allow_pickle=False, **inputs)
    subject, file = f"module {name} for {CHIP}", f"{name}.cvimodel"
    transform = {"model_name": name, "model_def": f"{name}.onnx", "mlir": f"{name}.mlir"}
    transform |= {"test_input": f"{name}_in.npz", "test_result": f"{name}_top.npz"}
    run_tool("model_transform.py", _options(transform), folder, f"{name}.mlir", subject)
    # It compares its own levels, down to the simulator. Without that it compiles wrong models in silence.
    deploy = {"mlir": f"{name}.mlir", "quantize": "BF16", "processor": CHIP, "model": file}
    deploy |= {"test_input": f"{name}_in_f32.npz", "test_reference": f"{name}_top.npz", "tolerance": "0.9,0.9"}
    run_tool("model_deploy.py", [*_options(deploy), "--merge_weight"], folder, file, subject)
    run = {"input": f"{name}_in.npz", "model": file, "output": f"{name}_out.npz"}
    run_tool("model_runner.py", _options(run), folder, f"{name}_out.npz", subject)
    with np.load(folder / f"{name}_out.npz") as results:
        computed = dict(results)
    return _checked(module, function, inputs, computed, file)


def _options(values: Mapping[str, str]) -> list[str]:
    return [word for key, value in values.items() for word in (f"--{key}", value)]


def sample(model: ModelProto, seed: int = 0) -> dict[str, Array]:
    """Return inputs of unit variance, the same for a seed."""
    rng = np.random.default_rng(seed)
    inputs: dict[str, Array] = {}
    for info in model.graph.input:
        shape = [dim.dim_value for dim in info.type.tensor_type.shape.dim]
        inputs[info.name] = rng.standard_normal(shape, np.float32)
    return inputs


def _checked(
    module: ModuleOp, function: FuncOp, inputs: Mapping[str, Array], computed: Mapping[str, Array], file: str
) -> CviProgram:
    """Return a program whose results are near those of the interpreter. Raises Diagnostic for others."""
    load_rules(module)
    expected = Interpreter(module).call(function.sym_name.data, list(inputs.values()))
    subgraph = subgraph_of(function)
    outputs = tuple(
        replace(port, name=_check_output(function, index, wanted, computed))
        for index, (port, wanted) in enumerate(zip(subgraph.outputs, expected, strict=True))
    )
    taken = tuple(replace(port, name=name) for port, name in zip(subgraph.inputs, inputs, strict=True))
    return CviProgram(file, taken, outputs)


def _check_output(function: FuncOp, index: int, expected: Array, computed: Mapping[str, Array]) -> str:
    """Return the model's name of an output. Raises Diagnostic where its numbers are not near the expected ones."""
    # The name of ours, then that of the operator; those in bfloat16 have no suffix.
    names = [name for name in computed if re.fullmatch(rf"out{index}_.*_f32", name)]
    if len(names) != 1:
        raise Diagnostic(
            f"the model of {function.sym_name.data} has no output {index} of float32",
            where=where(function),
            expected=f"out{index}_.._f32",
            found=", ".join(name for name in computed if name.startswith("out")) or "none",
        )
    similarity, error = nearness(expected, computed[names[0]].reshape(expected.shape))
    if not (similarity >= SIMILARITY and error <= ERROR):
        raise Diagnostic(
            f"the simulator of {CHIP} computes other numbers for output {index} of {function.sym_name.data}",
            where=where(function),
            expected=f"a cosine of at least {SIMILARITY}, and differences up to {ERROR} of the greatest number",
            found=f"{similarity:.5f} and {error:.4f}",
            remedy="leave the kind of this module out of --modules",
        )
    return names[0]


def nearness(expected: Array, computed: Array) -> tuple[float, float]:
    """Return the cosine of two arrays, and their greatest difference as a part of the greatest number expected."""
    one, other = (np.ravel(array).astype(np.float64) for array in (expected, computed))
    norms = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / norms, float(np.abs(one - other).max() / np.abs(one).max())


def _check_sharing(name: str, combined: Path, parts: Sequence[Path]) -> None:
    """Raise Diagnostic where a model of several programs is no smaller than with the weights of each."""
    sizes = [part.stat().st_size for part in parts]
    if combined.stat().st_size >= sum(sizes):
        raise Diagnostic(
            f"the programs of module {name} do not share their weights",
            expected=f"less than {sum(sizes):,} bytes",
            found=f"{combined.stat().st_size:,} bytes",
            remedy="compile without --prefill",
        )
