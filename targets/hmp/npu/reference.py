"""The reference plug-in's artefacts: the C of a sub-graph, compiled to a shared library, behind a header."""

from __future__ import annotations

import hashlib
import struct
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ....compiler import pipeline_of, remaining
from ....dialects.core.machine import targets
from ....dialects.core.syntax.text import new_context
from ....errors import Diagnostic
from ....passes.core.manager import PassManager
from ....passes.formats.c import render, write_program
from ....runtime.host import sources_in
from ....runtime.processes import finished
from ....runtime.toolchain import compile_shared, compiler
from .artifacts import FLAGS
from .subgraph import Subgraph

TARGET = "reference"

_MAGIC, _VERSION = b"TWNPUREF", 1
_HEADER = struct.Struct("<8sII32s32s32sIIQ")
"""Layout of tw_npu_reference_header."""
_ALIGNMENT = 64


def reference_artifact(subgraph: Subgraph, flags: Sequence[str] = (), machine_name: str = "host") -> bytes:
    """
    Return the artefact of a sub-graph for this machine's C compiler: equal bytes for equal sub-graphs.

    Its C is that of a machine's pipeline, so that it computes the bits that this computes. Raises Diagnostic where the
    sub-graph cannot be compiled.
    """
    with tempfile.TemporaryDirectory(prefix="tilewright-") as temporary:
        library = _library(subgraph, Path(temporary), flags, machine_name).read_bytes()
    ports = b"".join(port.packed() for port in (*subgraph.inputs, *subgraph.outputs))
    offset = -(-(_HEADER.size + len(ports)) // _ALIGNMENT) * _ALIGNMENT
    header = _HEADER.pack(
        _MAGIC,
        _VERSION,
        offset,
        hashlib.sha256(library).digest(),
        TARGET.encode(),
        machine().encode(),
        len(subgraph.inputs),
        len(subgraph.outputs),
        len(library),
    )
    return (header + ports).ljust(offset, b"\0") + library


def machine() -> str:
    """Return the architecture that the C compiler compiles for, such as x86_64."""
    command = [*compiler(), "-dumpmachine"]
    done = finished(command)
    if done.returncode or not done.stdout.strip():
        raise Diagnostic("the C compiler does not say for what it compiles", where=" ".join(command))
    return done.stdout.strip().partition("-")[0]


def _library(subgraph: Subgraph, folder: Path, flags: Sequence[str], machine_name: str) -> Path:
    """Compile the stage as a network of a machine, with an entry of one signature for all sub-graphs."""
    module = subgraph.module()
    whole = pipeline_of(targets.machine_named(machine_name))
    pipeline = remaining(whole, module)
    if pipeline is whole:
        pipeline = whole.select(start_at="bufferize")
    PassManager(verify_each=False).run(module, pipeline, new_context())
    program = render(module)
    write_program(program, folder)
    entry = folder / "entry.c"
    entry.write_text(_entry(subgraph, program.files.header, program.prefix), encoding="utf-8")
    return compile_shared([*sources_in(folder, program.files), entry], [*FLAGS, *flags])


def _entry(subgraph: Subgraph, header: str, prefix: str) -> str:
    """Return the C of the entry, which takes arrays of pointers to the inputs and the outputs."""
    names = [f"inputs[{index}]" for index in range(len(subgraph.inputs))]
    names += [f"outputs[{index}]" for index in range(len(subgraph.outputs))]
    return f"""\
#include "{header}"

int32_t tilewright_npu_entry(const void *const *inputs, void *const *outputs);

int32_t tilewright_npu_entry(const void *const *inputs, void *const *outputs)
{{
    {prefix}_run({", ".join(names)});
    return 0;
}}
"""
