"""Options of `opt-tool --reduce` that make no sense together."""

from __future__ import annotations

from argparse import Namespace

from ....grammar import UsageError

FILE = "{}"
"""Stands for the path of the candidate in a command."""


def check_usage(arguments: Namespace) -> None:
    """Raise UsageError for options that --reduce cannot be given with, and for its own without it."""
    if not arguments.reduce:
        for flag in ("reduce_predicate", "reduce_timeout"):
            if getattr(arguments, flag) is not None:
                raise UsageError(f"--{flag.replace('_', '-')} is of use with --reduce only", remedy="give --reduce too")
        return
    for flag in ("split_input_file", "verify_diagnostics", "parsing_diagnostics", "dump_dir"):
        if getattr(arguments, flag):
            raise UsageError(
                f"--reduce and --{flag.replace('_', '-')} are given together", remedy="reduce one failing program"
            )
    if arguments.reduce_predicate is not None and FILE not in arguments.reduce_predicate:
        raise UsageError(
            "the command of --reduce-predicate does not name the file",
            expected=f"{FILE}, which stands for the path of the candidate",
            found=arguments.reduce_predicate,
            remedy=f"--reduce-predicate='./check.sh {FILE}'",
        )
