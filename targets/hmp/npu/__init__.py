"""Sub-graphs on an NPU: artefacts of vendors, behind the interface of c/tilewright_npu.h."""

from __future__ import annotations

from .artifacts import SOURCES, Vendor, write_artifacts

__all__ = ["SOURCES", "Vendor", "write_artifacts"]
