"""Artefacts of a network's NPU stages: files beside its C, their hashes in the IR."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import BoolAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64

from ....errors import Diagnostic
from ....files import write_bytes
from ....runtime.toolchain import compile_executable, compile_shared
from ..passes.submit_npu_frames import set_outstanding
from .subgraph import Subgraph, subgraphs

ARTIFACT = "hmp.artifact"
"""Attribute of a stage's function whose body a plug-in computes: the plug-in, the artefact's file and hash."""

SOURCES = ("tilewright_npu.c", "tilewright_npu_process.c", "tilewright_npu_file.c")
"""C files that a network with artefacts is compiled with, beside its own; it needs -pthread and -ldl too."""

C = Path(__file__).parent.parent / "c"
_HEADERS = ("tilewright_npu.h", "tilewright_npu_process.h")
_WORKER = ("tilewright_npu_worker.c", "tilewright_npu_file.c")
_LINK = ("-pthread", "-ldl")
FLAGS = ("-std=c11", "-O2", "-ffp-contract=off")
"""Flags under which the C of networks and artefacts rounds alike."""

BIT_EXACT, PER_CALL_HISTORY, TOLERANCE = range(3)
"""Classes of determinism in tilewright_npu.h."""


@dataclass(frozen=True)
class Vendor:
    """
    A maker of artefacts for one plug-in on one target.

    `make` returns the bytes of the artefact of a sub-graph of a module, `files` the plug-in and what it needs beside
    the network.
    """

    plugin: str
    target: str
    suffix: str
    make: Callable[[ModuleOp, Subgraph], bytes]
    files: Callable[[], Mapping[str, bytes]]
    determinism: int = BIT_EXACT
    isolated: bool = False
    """Isolation: true where the plug-in always runs in a process of its own."""
    outstanding: int = 1
    """Frames that the plug-in takes before the first is done."""


@dataclass(frozen=True)
class Artifacts:
    """Files that a network with NPU stages needs beside its C, by name; programs among them are executable."""

    files: Mapping[str, bytes]
    programs: frozenset[str]

    def write(self, folder: Path) -> list[Path]:
        """Write the files to a folder and return their paths. Raises Diagnostic where one cannot be written."""
        for name, content in self.files.items():
            write_bytes(folder / name, content)
            if name in self.programs:
                (folder / name).chmod(0o755)
        return [folder / name for name in self.files]


NONE = Artifacts({}, frozenset())
"""Those of a network without NPU stages."""


def make_artifacts(
    module: ModuleOp, vendor: Vendor, *, isolated: bool = False, milliseconds: int = 10_000, outstanding: int = 0
) -> Artifacts:
    """
    Make the artefact of each NPU stage of a module, after outline-stages.

    Each stage's function gets the attribute `hmp.artifact`, by which lower-npu-stages replaces its body. An `isolated`
    plug-in runs in a process of its own; a frame has timed out after `milliseconds`. `outstanding` frames are submitted
    before the first is done, for 0 as many as the plug-in takes (`hmp.outstanding`, for submit-npu-frames). A module
    without NPU stages is unchanged, and has no files. Raises Diagnostic where a vendor's compiler refuses a sub-graph,
    and for more outstanding frames than the plug-in takes.
    """
    files: dict[str, bytes] = {}
    if outstanding > vendor.outstanding:
        raise Diagnostic(
            f"the plug-in '{vendor.plugin}' takes fewer frames before the first is done",
            expected=f"at most {vendor.outstanding}",
            found=str(outstanding),
            remedy="0 submits as many frames as it takes",
        )
    for stage in subgraphs(module):
        content, file = vendor.make(module, stage), f"{stage.name}{vendor.suffix}"
        files[file] = content
        set_outstanding(stage.function, outstanding or vendor.outstanding)
        stage.function.attributes[ARTIFACT] = artifact_attr(
            vendor.plugin,
            vendor.target,
            file,
            content,
            determinism=vendor.determinism,
            isolated=isolated or vendor.isolated,
            milliseconds=milliseconds,
        )
    return with_runtime(files, dict(vendor.files())) if files else NONE


def artifact_attr(
    plugin: str,
    target: str,
    file: str,
    content: bytes,
    *,
    program: int = 0,
    determinism: int = BIT_EXACT,
    isolated: bool = False,
    milliseconds: int = 10_000,
) -> DictionaryAttr:
    """Return the attribute ARTIFACT of a function that an artefact computes; `program` is one of several in it."""
    return DictionaryAttr(
        {
            "plugin": StringAttr(plugin),
            "target": StringAttr(target),
            "file": StringAttr(file),
            "sha256": StringAttr(hashlib.sha256(content).hexdigest()),
            "program": IntegerAttr(program, i64),
            "determinism": IntegerAttr(determinism, i64),
            "isolated": BoolAttr.from_bool(isolated),
            "milliseconds": IntegerAttr(milliseconds, i64),
        }
    )


def with_runtime(files: Mapping[str, bytes], plugins: Mapping[str, bytes]) -> Artifacts:
    """
    Return artefacts with their plug-ins, and with the C and the worker that a network with artefacts needs.

    Plug-ins without a suffix are programs. Raises Diagnostic where the worker cannot be compiled.
    """
    sources = {name: (C / name).read_bytes() for name in (*SOURCES, *_HEADERS)}
    worker = compile_executable([C / name for name in _WORKER], [*FLAGS, *_LINK]).read_bytes()
    programs = {"tilewright_npu_worker": worker}
    executable = frozenset(programs) | {name for name in plugins if "." not in name}
    return Artifacts({**files, **sources, **programs, **plugins}, executable)


def write_artifacts(
    module: ModuleOp,
    folder: Path,
    vendor: Vendor,
    *,
    isolated: bool = False,
    milliseconds: int = 10_000,
    outstanding: int = 0,
) -> list[Path]:
    """Make the artefacts of a module as `make_artifacts` does, write them to a folder, and return their paths."""
    artifacts = make_artifacts(module, vendor, isolated=isolated, milliseconds=milliseconds, outstanding=outstanding)
    return artifacts.write(folder)


def built_plugin(name: str, flags: Iterable[str] = (), folder: Path = C) -> dict[str, bytes]:
    """Return the file of a plug-in in C, by its name and the folder. Raises Diagnostic where it cannot be compiled."""
    built = compile_shared([folder / f"tilewright_npu_{name}.c"], [*FLAGS, f"-I{C}", *flags, *_LINK])
    return {f"libtilewright_npu_{name}.so": built.read_bytes()}
