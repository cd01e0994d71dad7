"""Passes on text in Python, as `opt-tool` runs them."""

from __future__ import annotations

from ...dialects.core.syntax.text import new_context, parse_module, print_ir
from ...dialects.core.verification.verifier import verify
from ...errors import Diagnostic, point_into
from .manager import PassManager
from .pipeline import parse_pipeline
from .remark_log import collected
from .remarks import Remark

_SOURCE = "<input>"


def opt(
    text: str,
    passes: str,
    *,
    verify_each: bool = True,
    allow_unregistered: bool = False,
    remarks: list[Remark] | None = None,
) -> str:
    """
    Run passes on MLIR text and return the text of the result.

    `passes` is what `opt-tool -p` takes: "canonicalize,cse" or "builtin.module(func.func(cse))". The IR is verified
    before the first pass, and after each with `verify_each`. The remarks of the passes are appended to `remarks`.
    Raises Diagnostic for whatever is wrong with the text, the passes or the IR.
    """
    from .. import all_passes

    context = new_context(allow_unregistered=allow_unregistered)
    pipeline = parse_pipeline(passes, all_passes())
    try:
        module = parse_module(context, text, _SOURCE)
        verify(module)
        with collected(remarks) as observers:
            PassManager(observers, verify_each=verify_each).run(module, pipeline, context)
    except Diagnostic as error:
        point_into(error, text, _SOURCE)
        raise
    return f"{print_ir(module, context=context)}\n"
