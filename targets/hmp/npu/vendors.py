"""Vendors of NPUs: what makes their artefacts, and how their tools are installed."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from onnx import ModelProto
from xdsl.dialects.builtin import ModuleOp

from ....errors import Diagnostic, did_you_mean
from ....runtime.processes import finished
from .artifacts import TOLERANCE, Vendor, built_plugin
from .onnx_cut import cut_model, described_ports, read_model
from .reference import TARGET, reference_artifact
from .subgraph import Subgraph

REFERENCE = "reference"
"""The vendor of bit-exact artefacts, which needs a C compiler alone."""

PYTHON = "TILEWRIGHT_NPU_PYTHON"
"""Variable with the interpreter that has a vendor's tools."""

CHIPS = ("rk3588", "rk3576", "rk3562", "rk3566", "rk3568")
"""Chips that rknn-toolkit2 builds for in 16-bit floats; rv1103 and rv1106 have 8-bit integers alone."""
_OLD_CHIPS = ("rk3399pro", "rk1808", "rv1109", "rv1126")
"""Chips of RKNN-Toolkit 1, which no package index has."""

INSTALL = {
    "rknn": """\
python3.11 -m venv rknn-env
rknn-env/bin/pip install --no-deps rknn-toolkit2==2.5.0
rknn-env/bin/pip install 'protobuf>=4.21.6,<=4.25.4' psutil ruamel.yaml 'scipy<1.14' tqdm \
'opencv-python-headless<4.12' fast-histogram 'numpy<=1.26.4' 'onnx>=1.16.1,<=1.18.0' 'onnxruntime<1.24' torch==2.13.0 \
'setuptools<81'
export TILEWRIGHT_NPU_PYTHON=$PWD/rknn-env/bin/python
""",
    "onnxruntime": """\
pip install onnx onnxruntime
export TILEWRIGHT_NPU_PYTHON=$(command -v python3)
""",
}
"""Vendor -> the shell's lines that install its tools in an environment of their own."""
_MODULES = {"rknn": ("rknn.api",), "onnxruntime": ("onnx", "onnxruntime")}
"""Vendor -> what its interpreter must import."""


@dataclass(frozen=True)
class _Choice:
    """A vendor's maker, given the model and the chip, and the chips that it makes artefacts for."""

    make: Callable[[Path | None, str], Vendor]
    chips: tuple[str, ...]
    summary: str
    tools: str = ""
    """Key of INSTALL, of a vendor with tools of its own."""


def checked_vendor(name: str) -> str:
    """Return the name of a vendor. Raises Diagnostic for an unknown one."""
    if name in VENDORS:
        return name
    raise Diagnostic(
        f"there is no vendor '{name}' of NPUs",
        expected=", ".join(VENDORS),
        remedy=did_you_mean(name, VENDORS) or "tilewright coop vendor lists them",
    )


def vendor_of(name: str, model: Path | None = None, chip: str = "") -> Vendor:
    """
    Return a vendor by its name: `reference`, `onnxruntime`, `rknn` (simulator) or `rknn-board`.

    All but the reference cut an ONNX `model`. Raises Diagnostic for an unknown name or chip, a missing model, and tools
    that are not installed.
    """
    choice = VENDORS[checked_vendor(name)]
    chip = chip or choice.chips[0]
    if chip not in choice.chips:
        chips = ", ".join(choice.chips)
        if chip in _OLD_CHIPS:
            raise Diagnostic(
                f"no tools for the NPU of {chip} can be had",
                expected=f"one of {chips}",
                found=f"{chip}, which needs RKNN-Toolkit 1, in no package index",
                remedy="use the reference plug-in for it, or one of its successors, such as rk3588",
            )
        raise Diagnostic(
            f"vendor '{name}' makes nothing for '{chip}'",
            expected=chips,
            found=chip,
            remedy=did_you_mean(chip, choice.chips) or "`tilewright coop vendor` lists vendors and their chips",
        )
    return choice.make(model, chip)


# Reference


def reference_vendor(flags: Sequence[str] = ()) -> Vendor:
    """Return the vendor whose artefacts are the C of the sub-graph itself, compiled with more flags."""

    def make(module: ModuleOp, subgraph: Subgraph) -> bytes:
        del module
        return reference_artifact(subgraph, flags)

    return Vendor("reference", TARGET, ".twnpu", make, partial(built_plugin, "reference", flags), outstanding=3)


# ONNX models, for workers in Python


def _worker_vendor(plugin: str, model: Path | None, chip: str) -> Vendor:
    """Return the vendor whose artefacts are ONNX models, which a worker in Python computes."""
    network = _read(plugin, model)
    interpreter = interpreter_of(plugin)

    def files() -> Mapping[str, bytes]:
        text = f'#!/bin/sh\nexec {shlex.quote(interpreter)} "$@"\n'
        return {f"tilewright_npu_{plugin}.py": WORKER.read_bytes(), "tilewright_npu_python": text.encode()}

    return Vendor(plugin, chip, ".onnx", partial(onnx_artifact, network), files, TOLERANCE)


WORKER = Path(__file__).parent / "worker.py"


def onnx_artifact(model: ModelProto, module: ModuleOp, subgraph: Subgraph) -> bytes:
    """Return a sub-graph as an ONNX model, with its ports as metadata. Raises Diagnostic as `cut_model` does."""
    cut = cut_model(model, module, subgraph)
    entry = cut.model.metadata_props.add()
    entry.key, entry.value = "tilewright.ports", described_ports(cut, subgraph)
    return cut.to_bytes()


def _read(vendor: str, model: Path | None) -> ModelProto:
    if model is None or model.suffix == ".mlir":
        raise Diagnostic(
            f"vendor '{vendor}' needs the ONNX model of the network",
            found=str(model or "no model"),
            expected="an .onnx file, of which it compiles a part",
        )
    return read_model(model)


def interpreter_of(vendor: str) -> str:
    """Return the interpreter that has a vendor's tools. Raises Diagnostic, with how to install them, without one."""
    chosen = os.environ.get(PYTHON, "")
    path = shutil.which(chosen) if chosen else None
    problem = f"{PYTHON} is {chosen or 'not set'}"
    if path is not None:
        command = [path, "-c", "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, sys.argv[1:])))"]
        if finished([*command, *_MODULES[vendor]]).returncode == 0:
            return path
        problem = f"{path} has no {', '.join(_MODULES[vendor])}"
    raise Diagnostic(
        f"the tools of vendor '{vendor}' are not installed",
        found=problem,
        expected=f"{PYTHON}, an interpreter that has them",
        notes=INSTALL[vendor].splitlines(),
        remedy="run the lines above, which `tilewright coop vendor` prints too",
    )


# Rockchip's boards


def _board_vendor(model: Path | None, chip: str) -> Vendor:
    """Return the vendor whose artefacts are .rknn files, which librknnrt of a board computes."""
    network = _read("rknn-board", model)
    interpreter = interpreter_of("rknn")
    make = partial(_board_artifact, network, interpreter, chip)
    return Vendor("rknn", chip, ".rknn", make, partial(built_plugin, "rknn"), TOLERANCE, isolated=True)


def _board_artifact(network: ModelProto, interpreter: str, chip: str, module: ModuleOp, subgraph: Subgraph) -> bytes:
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        source, target = Path(folder) / "stage.onnx", Path(folder) / "stage.rknn"
        source.write_bytes(onnx_artifact(network, module, subgraph))
        done = finished([interpreter, str(WORKER), "build", str(source), str(target), chip], Path(folder))
        if done.returncode or not target.exists():
            raise Diagnostic(
                f"rknn-toolkit2 does not build stage {subgraph.name} for {chip}",
                notes=done.stderr.strip().splitlines()[-12:],
                remedy="map the layers to another processor, or cut the network between others",
            )
        return target.read_bytes()


VENDORS = {
    "reference": _Choice(
        lambda model, chip: reference_vendor(), (TARGET,), "the C of the stage itself, bit by bit; needs a C compiler"
    ),
    "onnxruntime": _Choice(
        partial(_worker_vendor, "onnxruntime"),
        ("onnxruntime",),
        "the stage as ONNX, by ONNX Runtime in a process",
        "onnxruntime",
    ),
    "rknn": _Choice(
        partial(_worker_vendor, "rknn"),
        CHIPS,
        "the stage as ONNX, by the simulator of rknn-toolkit2 in a process",
        "rknn",
    ),
    "rknn-board": _Choice(_board_vendor, CHIPS, "the stage as .rknn, by librknnrt; not tried on a board", "rknn"),
}
"""Vendor -> how it is made."""
