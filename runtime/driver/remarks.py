"""Options of `opt-tool` for remarks: `--remarks`, `--remarks-filter` and `--explain`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from ...grammar import UsageError
from ...passes.core.remarks import Remark


def is_listening(arguments: Namespace) -> bool:
    """Return whether options ask for remarks."""
    return bool(arguments.remarks) or arguments.explain is not None or arguments.remarks_filter is not None


def expected_remarks(arguments: Namespace, remarks: Sequence[Remark]) -> Sequence[Remark]:
    """Return the remarks that --verify-diagnostics compares: those of --remarks-filter, none without it."""
    from ..remarks.records import chosen

    return () if arguments.remarks_filter is None else chosen(remarks, arguments.remarks_filter)


def check_remarks(arguments: Namespace, inputs: Sequence[Path | None]) -> None:
    """Raise UsageError for options of remarks that make no sense, and Diagnostic for files that cannot be written."""
    if arguments.remarks:
        from ..remarks.files import check_files

        check_files(arguments.remarks, inputs, arguments.output)
    if arguments.remarks_filter is not None and not arguments.remarks and not arguments.verify_diagnostics:
        raise UsageError("--remarks-filter is of use with --remarks or --verify-diagnostics only")
    for flag, option in (("split_input_file", "--split-input-file"), ("format", "-t"), ("reduce", "--reduce")):
        if arguments.explain is not None and getattr(arguments, flag):
            raise UsageError(f"--explain and {option} are given together", remedy="leave one of them out")
    if arguments.reduce and arguments.remarks:
        raise UsageError("--reduce and --remarks are given together", remedy="reduce one failing program")


def write_remarks(arguments: Namespace, remarks: Sequence[Remark]) -> None:
    """Write remarks to the files of --remarks. Raises Diagnostic."""
    from ..remarks.files import write_files
    from ..remarks.records import chosen

    shown = remarks if arguments.remarks_filter is None else chosen(remarks, arguments.remarks_filter)
    write_files(arguments.remarks, shown, Path(arguments.input).name)
