"""Files of a network in C, by the name of the network."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

REPORT = "report.json"

_DEFAULT = "network"


class Files(NamedTuple):
    """Names of the files of a network in C; some are optional."""

    header: str
    source: str
    weights_header: str
    weights_source: str
    weights_assembly: str
    weights_image: str
    external_image: str
    """Image of the weights in external memory, preloaded before the first run."""
    library: str
    """Shared library of `--shared`."""


def files_of(name: str = "") -> Files:
    """Return the file names of a network; without a name network.h, weights.h and so on."""
    stem, weights = name or _DEFAULT, f"{name}_weights" if name else "weights"
    return Files(
        header=f"{stem}.h",
        source=f"{stem}.c",
        weights_header=f"{weights}.h",
        weights_source=f"{weights}.c",
        weights_assembly=f"{weights}.S",
        weights_image=f"{weights}.bin",
        external_image=f"{weights}_ram.bin",
        library=f"lib{stem}{'.dylib' if sys.platform == 'darwin' else '.so'}",
    )


def is_bundled(header: str) -> bool:
    """Return whether a header belongs to the compiler and is copied next to the network."""
    return header.startswith("tilewright")


def files_in(folder: Path) -> Files:
    """Return the files of the network in a folder written by `tilewright compile`, by the name in its report."""
    default = files_of()
    if (folder / default.header).exists():
        return default
    try:
        report: Any = json.loads((folder / REPORT).read_text(encoding="utf-8"))
        return files_of(str(report.get("name", "")))
    except (OSError, ValueError, AttributeError):
        return default
