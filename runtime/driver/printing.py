"""Options of printing the IR between passes, as points of the pipeline and as an observer."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from xdsl.ir import Operation

from ...errors import did_you_mean
from ...grammar import UsageError
from ...passes.core.pipeline import Registry
from ...passes.core.upstream_names import known_name
from .dump import PrintIr, When
from .tree import DumpTree, anchored_ops

DIFF = "diff"


def printing_points(arguments: Namespace, passes: Registry) -> When:
    """Return the points at which the IR is printed. Raises UsageError for an unknown pass, and for a tree of none."""
    before, after = (
        frozenset(known_name(name) for text in texts for name in text.split(","))
        for texts in (arguments.mlir_print_ir_before, arguments.mlir_print_ir_after)
    )
    for name in sorted(before | after):
        if name not in passes:
            remedy = did_you_mean(name, passes)
            raise UsageError(f"--mlir-print-ir-before/after={name}: no pass '{name}'", remedy=remedy)
    when = When(
        before,
        after,
        arguments.mlir_print_ir_before_all,
        arguments.mlir_print_ir_after_all,
        bool(arguments.mlir_print_ir_after_change),
        arguments.mlir_print_ir_after_failure,
        arguments.mlir_print_ir_after_change == DIFF,
    )
    if arguments.mlir_print_ir_tree_dir and (not when or when.diff):
        expected = "--mlir-print-ir-after-all, or another option that prints the IR whole"
        raise UsageError("--mlir-print-ir-tree-dir has no IR to write", expected=expected)
    return when


def ir_printer(arguments: Namespace, when: When, text: Callable[[Operation], str], folder: str) -> PrintIr:
    """Return the observer that prints the IR at its points: the module to standard error, or each op to a file."""
    if arguments.mlir_print_ir_tree_dir:
        tree = DumpTree(Path(arguments.mlir_print_ir_tree_dir) / folder)
        return PrintIr(when, text, tree.write, anchored_ops)
    return PrintIr(when, text, is_coloured=sys.stderr.isatty() and "NO_COLOR" not in os.environ)
