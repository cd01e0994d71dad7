"""Networks in the hands of upstream MLIR: its `mlir-opt` reads and lowers them, its JIT runs them; see docs/mlir.md."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import IO

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ..dialects.core.syntax.text import new_context, print_ir
from ..errors import Diagnostic
from ..ir import Array, functions
from ..passes.add_main import add_main
from ..passes.generalize_kernels import generalize_kernels
from .interpreter.boundary import check_names, check_static, ports, seen_value, stored_value
from .toolchain import compile_shared

VERSION = 19
"""The release of MLIR whose syntax and passes are meant: neither is stable from one to the next."""

OPTIMIZER, RUNNER = "mlir-opt", "mlir-cpu-runner"

LOWERING = (
    "func.func(lower-vector-multi-reduction)",
    "one-shot-bufferize{allow-return-allocs-from-loops bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map}",
    "buffer-deallocation-pipeline",
    "convert-bufferization-to-memref",
    "convert-linalg-to-loops",
    "convert-vector-to-scf{full-unroll=true target-rank=1 lower-tensors=true}",
    "convert-scf-to-cf",
    "convert-vector-to-llvm",
    "expand-strided-metadata",
    "lower-affine",
    "arith-expand",
    "convert-math-to-llvm",
    "convert-math-to-libm",
    "convert-arith-to-llvm",
    "convert-cf-to-llvm",
    "finalize-memref-to-llvm",
    "convert-func-to-llvm",
    "reconcile-unrealized-casts",
)
"""The passes of upstream that bring a network from tensors to the LLVM dialect."""

COPY = Path(__file__).parent / "c" / "memref_copy.c"
"""The C of the one function that lowered networks call."""


def tool(name: str) -> str:
    """Return the path of a program of MLIR. Raises Diagnostic where it is not installed."""
    path = shutil.which(f"{name}-{VERSION}")
    if path is None:
        raise Diagnostic(
            f"there is no {name}-{VERSION}",
            expected=f"the tools of MLIR {VERSION} on the path",
            remedy=f"apt-get install mlir-{VERSION}-tools",
        )
    return path


def optimized(text: str, passes: Sequence[str] = (), *, generic: bool = False) -> str:
    """
    Run `mlir-opt` on the text of modules, separated by lines `// -----`, and return its output, `generic` where asked.

    Raises Diagnostic where it is not installed, and where it does not accept the text or a pass fails.
    """
    options = [f"--pass-pipeline=builtin.module({','.join(passes)})"] if passes else []
    options += ["--mlir-print-op-generic"] if generic else []
    done = subprocess.run(
        [tool(OPTIMIZER), "--split-input-file", *options], input=text, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Diagnostic(f"{OPTIMIZER} refuses the module", notes=done.stderr.strip().splitlines()[:20])
    return done.stdout


class UpstreamNetwork:
    """
    A network at the tensor level, lowered by upstream's passes, to be run by upstream's JIT.

    `text` is the network in standard dialects, in the generic form and with a `main`, `lowered` the same in the LLVM
    dialect, which the JIT optimises at `level`, 0 to 3. Raises Diagnostic where the module is not at the tensor level,
    and where upstream does not take it.
    """

    def __init__(self, module: ModuleOp, function: str = "network", *, level: int = 0):
        copy = module.clone()
        generalize_kernels(copy)
        add_main(copy, function)
        self._function = function
        self._level = level
        network = next(op for op in functions(copy) if op.sym_name.data == function)
        self._inputs, self._outputs = ports(network)
        check_static(self._outputs, network)
        self.text = print_ir(copy, generic=True, context=new_context())
        self.lowered = optimized(self.text, LOWERING)

    def run(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """
        Run the network once, in a process of its own, and return its outputs by name.

        Names and types are those of `run_module`. Raises Diagnostic for inputs that do not fit, and where the JIT
        fails.
        """
        check_names(inputs, [port.name for port in self._inputs], self._function)
        arrays = [np.ascontiguousarray(stored_value(port, inputs[port.name])) for port in self._inputs]
        with tempfile.TemporaryFile() as file:
            file.writelines(array.tobytes() for array in arrays)
            file.seek(0)
            written = self._run(file)
        outputs: dict[str, Array] = {}
        for port in self._outputs:
            size = prod(port.shape) * port.storage.itemsize
            array = np.frombuffer(written[:size], port.storage).reshape(port.shape)
            outputs[port.name], written = seen_value(port, array), written[size:]
        return outputs

    def _run(self, inputs: IO[bytes]) -> bytes:
        """Return the bytes that the network writes."""
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as program, tempfile.TemporaryFile() as outputs:
            program.write(self.lowered)
            program.flush()
            library = compile_shared([COPY], ["-std=c11", "-O2"])
            options = [f"--shared-libs={library}", "--entry-point-result=i32", f"-O{self._level}"]
            command = [tool(RUNNER), program.name, *options]
            done = subprocess.run(command, stdin=inputs, stdout=outputs, stderr=subprocess.PIPE, check=False)
            outputs.seek(0)
            written = outputs.read()
        expected = sum(prod(port.shape) * port.storage.itemsize for port in self._outputs)
        if done.returncode or written[expected:] != b"0\n":
            raise Diagnostic(
                f"{RUNNER} does not run the network to its end",
                expected=f"the status 0, {expected} bytes, and 0 as the result of main",
                found=f"the status {done.returncode}, {len(written[:expected])} bytes, and {written[expected:][:20]!r}",
                notes=done.stderr.decode(errors="replace").strip().splitlines()[:20],
            )
        return written[:expected]
