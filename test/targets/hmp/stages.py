"""Networks as stages of the processors of hmp, and whether this machine has an OpenCL device."""

from __future__ import annotations

import ctypes
from functools import cache

import pytest
from onnx import ModelProto
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import machine_named, pipeline_of
from tilewright.dialects.core.syntax.text import new_context
from tilewright.frontend.importer import import_model
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import CProgram, render

INSTALL = "apt-get install -y ocl-icd-libopencl1 pocl-opencl-icd"


@cache
def platforms() -> int:
    """Return the number of OpenCL platforms of this machine."""
    try:
        library = ctypes.CDLL("libOpenCL.so.1")
    except OSError:
        return 0
    count = ctypes.c_uint32(0)
    return count.value if library.clGetPlatformIDs(0, None, ctypes.byref(count)) == 0 else 0


def require_device() -> None:
    """Skip a test on a machine without an OpenCL platform."""
    if not platforms():
        pytest.skip(f"there is no OpenCL platform: {INSTALL}")


def staged(model: ModelProto, order: str, frames: int = 0) -> ModuleOp:
    """Return a network at its loops, layers mapped by an order of letters; with `frames`, as a pipeline over these."""
    pipeline = pipeline_of(machine_named("hmp"))
    mapping = f"map-layers{{order={order}}},outline-stages,bufferize"
    mapping += f",pipeline-frames{{frames={frames}}},verify-memory" if frames else ""
    module = import_model(model)
    for steps in (
        pipeline.select(stop_after="find-layers"),
        parse_pipeline(f"builtin.module({mapping})", all_passes()),
        pipeline.select(start_at="map-engines", stop_after="loops"),
    ):
        PassManager([]).run(module, steps, new_context())
    return module


def converted(module: ModuleOp) -> ModuleOp:
    """Return a module at its loops as emitc."""
    PassManager([]).run(module, pipeline_of(machine_named("hmp")).select(start_at="emitc"), new_context())
    return module


def c_of(module: ModuleOp) -> CProgram:
    """Return the C of a module at its loops."""
    return render(converted(module))
