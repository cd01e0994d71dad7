"""The output format `opencl`: the kernels of a module's stages on OpenCL devices as OpenCL C 1.2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.utils.target import Target

from ....dialects import emitc
from ....errors import Diagnostic
from ....passes.convert_to_emitc import convert_to_emitc
from ..dialects.opencl import StageOp
from ..opencl.emission import SOURCE


@dataclass(frozen=True)
class OpenclTarget(Target):
    """
    OpenCL C 1.2 of the kernels that stages launch, one program a stage.

    Of a module after convert-to-opencl, or after convert-to-emitc.
    """

    name = "opencl"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        if any(isinstance(op, StageOp) for op in module.walk()):
            module = module.clone()
            convert_to_emitc(module)
        definitions = [op for op in module.ops if isinstance(op, emitc.VerbatimOp)]
        programs = [said.data for op in definitions if isinstance(said := op.attributes.get(SOURCE), StringAttr)]
        if not programs:
            raise Diagnostic(
                "the module has no kernels of an OpenCL device",
                expected="opencl.stage",
                remedy="map layers to an engine gpu (map-layers{order=G}), and run convert-to-opencl",
            )
        output.write("\n".join(programs))
