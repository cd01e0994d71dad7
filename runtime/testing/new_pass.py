"""A new pass: a folder with it, lit tests of what it does and what it leaves, and a test on random programs."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from ...errors import Diagnostic
from ...files import write_folder
from ...targets.new_target import fill_template

TEMPLATE = Path(__file__).parent / "template"


def write_pass(name: str, parent: Path, passes: Iterable[str]) -> list[Path]:
    """
    Write the folder of a new pass `foo-bar` into `parent` and return the paths of its entries.

    Raises Diagnostic where the name is no pass's, or is that of one of `passes` or of an installed module, and where
    the folder exists or cannot be written.
    """
    module = name.replace("-", "_")
    _check_name(name, module, passes)
    folder = parent / name
    if folder.exists():
        raise Diagnostic(
            "the folder exists", where=str(folder), remedy="choose another name, or another folder with -o"
        )
    camel = "".join(word.capitalize() for word in name.split("-"))
    words = {"name": module, "Name": camel, "dashed": name}
    try:
        return write_folder(folder, lambda staging: fill_template(TEMPLATE, staging, words), lambda _: False)
    except OSError as error:
        raise Diagnostic("the pass cannot be written", where=str(folder), found=error.strerror or str(error)) from error


def _check_name(name: str, module: str, passes: Iterable[str]) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or keyword.iskeyword(module):
        raise Diagnostic(
            f"'{name}' cannot be the name of a pass",
            expected="lower-case words of letters and digits joined by '-', such as double-sums",
            found=name,
        )
    if name in passes:
        raise Diagnostic(f"the name '{name}' is taken", expected="a name that no pass has", found=f"the pass '{name}'")
    if (spec := find_spec(module)) is not None:
        raise Diagnostic(
            f"the name '{name}' is taken",
            expected="a name that no installed module has: the pass's file is one",
            found=f"the module '{module}', {spec.origin}",
        )
