"""xDSL's pass that runs mlir-opt, with this package's textual IR instead of xDSL's, and the errors of mlir-opt."""

from __future__ import annotations

import shutil
import subprocess

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter
from xdsl.transforms.mlir_opt import MLIROptPass

from ...dialects.core.syntax.text import parse_module, print_ir
from ...errors import Diagnostic
from .failures import NO_OPTIMIZER


def run_optimizer(self: MLIROptPass, ctx: Context, op: ModuleOp) -> None:
    """
    Replace a module by the output of mlir-opt.

    Raises Diagnostic with mlir-opt's own errors, or where its text is not read; ValueError where it is not installed.
    """
    if shutil.which(self.executable) is None:
        raise ValueError(NO_OPTIMIZER)
    text = print_ir(op, generic=self.generic, context=ctx)
    command = [self.executable, *self.arguments]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        notes = done.stderr.strip().splitlines()[:20]
        raise Diagnostic("mlir-opt refuses the module", found=f"exit status {done.returncode}", notes=notes)
    module = parse_module(ctx, done.stdout, "mlir-opt's output")
    op.detach_region(op.body)
    op.add_region(Rewriter().move_region_contents_to_new_regions(module.body))
    op.attributes = module.attributes
