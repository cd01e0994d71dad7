"""Emulation of Siracusa on a PC: threads for the cores, the DMA engine and the NPU."""

from __future__ import annotations

import hashlib

from .bare import RUNTIME


def flags() -> list[str]:
    """Return the C compiler's flags for building an emitted network with the emulation."""
    sources = [str(RUNTIME / name) for name in ("emulation.c", "emulation_engine.c", "npu_model.c")]
    # The macro is unused: builds are cached by their flags, which must change with the runtime.
    content = b"".join(file.read_bytes() for file in sorted(RUNTIME.glob("*.[ch]")))
    return [f"-I{RUNTIME}", f"-DTW_RUNTIME_{hashlib.sha256(content).hexdigest()[:16]}", "-pthread", *sources]
