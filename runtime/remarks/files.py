"""Files of remarks, in the form that their name says: records as JSON, a page for a browser, or lines of text."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...files import check_places, write_text
from ...grammar import UsageError
from ...passes.core.remarks import Remark

STREAM = "-"
"""Stands for standard error."""
_SUFFIXES = (".json", ".html")


def check_files(files: Sequence[str], inputs: Iterable[Path | None], output: str = STREAM) -> None:
    """
    Raise UsageError for a file of no known form, and Diagnostic for one that cannot be written.

    Nor may it be one of the `inputs`, the file of another form, or the `output` of the command.
    """
    named = [file for file in files if file != STREAM]
    for file in named:
        if Path(file).suffix not in _SUFFIXES:
            expected = f"{STREAM} for standard error, or a file that ends with {' or '.join(_SUFFIXES)}"
            raise UsageError("no form of remarks has such files", expected=expected, found=file)
    places: dict[str, Path | None] = {f"--remarks {file}": Path(file) for file in named}
    check_places(places, inputs)
    check_places(places | {"-o": None if output == STREAM else Path(output)})


def write_files(files: Sequence[str], remarks: Sequence[Remark], title: str) -> None:
    """Write remarks to files; `title` names the program. Raises Diagnostic."""
    for file in files:
        if file != STREAM:
            write_text(Path(file), _text_of(remarks, Path(file).suffix, title))
        elif remarks:
            print("\n".join(map(str, remarks)), file=sys.stderr)


def _text_of(remarks: Sequence[Remark], suffix: str, title: str) -> str:
    if suffix == ".html":
        from .page import page_of

        return page_of(remarks, title)
    from .records import as_json

    return as_json(remarks)
