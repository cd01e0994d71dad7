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


def check_files(files: Sequence[str], inputs: Iterable[Path | None]) -> None:
    """Raise UsageError for a file of no known form, and Diagnostic for one that cannot be written or is an input."""
    inputs = list(inputs)
    for file in (file for file in files if file != STREAM):
        if Path(file).suffix not in _SUFFIXES:
            expected = f"{STREAM} for standard error, or a file that ends with {' or '.join(_SUFFIXES)}"
            raise UsageError("no form of remarks has such files", expected=expected, found=file)
        check_places({"--remarks": Path(file)}, inputs)


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
