"""Conversion of ops of phone-class chips to C, by processor."""

from __future__ import annotations

from . import frame_emission
from .npu import emission as npu
from .opencl import emission as opencl

__all__ = ["frame_emission", "npu", "opencl"]
