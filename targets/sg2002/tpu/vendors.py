"""Makers of artefacts for the TPU: the reference plug-in, and Sophgo's runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from ....errors import Diagnostic, did_you_mean
from ...hmp.npu.artifacts import BIT_EXACT, TOLERANCE, built_plugin
from ...hmp.npu.reference import TARGET, reference_artifact
from ...hmp.npu.subgraph import subgraph_of
from .cvimodel import CHIP, cvi_artifact
from .tools import interpreter

C = Path(__file__).parents[1] / "c"

Contents: TypeAlias = "dict[str, tuple[bytes, Sequence[FuncOp]]]"
"""File -> its content, and the functions that are its programs, in order."""


@dataclass(frozen=True)
class TpuVendor:
    """
    A maker of artefacts: `make` returns those of a decoder's module, given by its name and its functions.

    It works on functions at the graph level, or before buffers (`is_lowered`).
    """

    plugin: str
    target: str
    make: Callable[[ModuleOp, str, Sequence[FuncOp]], Contents]
    plugins: Callable[[], Mapping[str, bytes]]
    determinism: int
    is_lowered: bool


def tpu_vendor(name: str, machine: str) -> TpuVendor:
    """
    Return a maker of artefacts by its name, for networks of a machine: `reference` or `cvi`.

    Raises Diagnostic for another name, and where the tools of `cvi` are not installed.
    """
    if name == "reference":
        make = partial(_reference, machine)
        return TpuVendor(name, TARGET, make, partial(built_plugin, name), BIT_EXACT, is_lowered=True)
    if name == "cvi":
        interpreter()
        return TpuVendor(name, CHIP, _cvi, partial(built_plugin, name, folder=C), TOLERANCE, is_lowered=False)
    raise Diagnostic(
        f"there is no plug-in '{name}' of a TPU",
        expected="reference or cvi",
        remedy=did_you_mean(name, ("reference", "cvi")) or "tilewright tpu vendor lists them",
    )


def _reference(machine: str, module: ModuleOp, name: str, functions: Sequence[FuncOp]) -> Contents:
    """Return an artefact for each function: the bits that the machine's core computes."""
    del module, name
    return {
        f"{function.sym_name.data}.twnpu": (
            reference_artifact(subgraph_of(function), machine_name=machine),
            [function],
        )
        for function in functions
    }


def _cvi(module: ModuleOp, name: str, functions: Sequence[FuncOp]) -> Contents:
    """Return one artefact, with the weights once."""
    return {f"{name}.cvi": (cvi_artifact(module, name, functions), functions)}
