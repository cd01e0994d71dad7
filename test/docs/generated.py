"""Pages of the documentation that a script writes in part, and a test checks."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path


def update(page: Path, about: str | None, written: Callable[[str], str], arguments: Sequence[str] | None) -> int:
    """
    Write a page, or check that it is current; return the exit code.

    `written` returns the page's text with its generated parts, `about` is the description of the script for `--help`.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the page is not current")
    options = parser.parse_args(arguments)
    before = page.read_text(encoding="utf-8") if page.exists() else ""
    text = written(before)
    if options.check and text != before:
        print(f"{page.name} is not current: run this without --check", file=sys.stderr)
        return 1
    if text != before:
        page.write_text(text, encoding="utf-8")
    return 0
