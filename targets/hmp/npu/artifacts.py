"""Artefacts of a network's NPU stages: written beside its C, their hashes in the IR."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from xdsl.dialects.builtin import BoolAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64

from ....files import write_bytes
from ....runtime.toolchain import compile_executable, compile_shared
from .reference import FLAGS, TARGET, reference_artifact
from .subgraph import Subgraph, subgraphs

ARTIFACT = "hmp.artifact"
"""Attribute of a stage's function whose body a plug-in computes: the plug-in, the artefact's file and hash."""

SOURCES = ("tilewright_npu.c", "tilewright_npu_process.c", "tilewright_npu_file.c")
"""C files that a network with artefacts is compiled with, beside its own; it needs -pthread and -ldl too."""

_HEADERS = ("tilewright_npu.h", "tilewright_npu_process.h")
_WORKER = ("tilewright_npu_worker.c", "tilewright_npu_file.c")
_C = Path(__file__).parent.parent / "c"
_LINK = ("-pthread", "-ldl")

BIT_EXACT, PER_CALL_HISTORY, TOLERANCE = range(3)
"""Classes of determinism in tilewright_npu.h."""


@dataclass(frozen=True)
class Vendor:
    """
    A maker of artefacts for one plug-in.

    `make` returns the bytes of the artefact of a sub-graph; `files` are written beside the network, by their names.
    """

    plugin: str
    target: str
    suffix: str
    make: Callable[[Subgraph], bytes]
    files: Callable[[Path], object]
    determinism: int = BIT_EXACT


def reference_vendor(flags: Sequence[str] = ()) -> Vendor:
    """Return the vendor whose artefacts are the C of the sub-graph itself, compiled with more flags."""
    return Vendor(
        "reference", TARGET, ".twnpu", partial(reference_artifact, flags=flags), partial(_write_reference, flags=flags)
    )


def write_artifacts(
    module: ModuleOp,
    folder: Path,
    vendor: Vendor | None = None,
    *,
    isolated: bool = False,
    milliseconds: int = 10_000,
) -> list[Path]:
    """
    Write the artefact of each NPU stage of a module to a folder, and what the network needs to run them; return paths.

    Run it after outline-stages or bufferize. Each stage's function gets the attribute `hmp.artifact`, by which
    lower-npu-stages replaces its body. Without a vendor it is the reference. An `isolated` plug-in runs in a process of
    its own; a frame has timed out after `milliseconds`. A module without NPU stages is unchanged.

    Raises Diagnostic where a sub-graph cannot be compiled, or a file not be written.
    """
    stages = subgraphs(module)
    if not stages:
        return []
    vendor = vendor or reference_vendor()
    folder.mkdir(parents=True, exist_ok=True)
    before = set(folder.iterdir())
    for stage in stages:
        content, file = vendor.make(stage), f"{stage.name}{vendor.suffix}"
        write_bytes(folder / file, content)
        stage.function.attributes[ARTIFACT] = DictionaryAttr(
            {
                "plugin": StringAttr(vendor.plugin),
                "target": StringAttr(vendor.target),
                "file": StringAttr(file),
                "sha256": StringAttr(hashlib.sha256(content).hexdigest()),
                "determinism": IntegerAttr(vendor.determinism, i64),
                "isolated": BoolAttr.from_bool(isolated),
                "milliseconds": IntegerAttr(milliseconds, i64),
            }
        )
    for name in (*SOURCES, *_HEADERS):
        write_bytes(folder / name, (_C / name).read_bytes())
    shutil.copy(compile_executable([_C / name for name in _WORKER], [*FLAGS, *_LINK]), folder / "tilewright_npu_worker")
    vendor.files(folder)
    return sorted(set(folder.iterdir()) - before)


def _write_reference(folder: Path, flags: Sequence[str]) -> None:
    """Build the reference plug-in in a folder."""
    built = compile_shared([_C / "tilewright_npu_reference.c"], [*FLAGS, *flags, *_LINK])
    shutil.copy(built, folder / "libtilewright_npu_reference.so")
