"""OpenCL devices: which engines are, the OpenCL C of kernels, and the C of the stages that launch them."""

from __future__ import annotations

PREFIX = "gpu"
"""Engines whose names begin with it are OpenCL devices: `gpu`, `gpu0`, `gpu_mali`."""


def is_device(engine: str) -> bool:
    """Return whether an engine is an OpenCL device, by its name."""
    return engine.startswith(PREFIX)
