"""Sub-graphs on an NPU: artefacts of vendors, behind the interface of c/tilewright_npu.h."""

from __future__ import annotations

from .artifacts import SOURCES, Artifacts, Vendor, make_artifacts, write_artifacts
from .vendors import VENDORS, reference_vendor, vendor_of

__all__ = [
    "SOURCES",
    "VENDORS",
    "Artifacts",
    "Vendor",
    "make_artifacts",
    "reference_vendor",
    "vendor_of",
    "write_artifacts",
]
