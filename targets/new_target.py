"""A new target: a folder with a machine, a pipeline, a cost function, instructions, the pass that uses them, and C."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from shutil import rmtree
from string import Template

from ..dialects.core.instruction import Instruction
from ..dialects.core.instruction.record import header_text
from ..discovery import TARGETS, TEMPLATES, load_file, scope, target_folders
from ..errors import Diagnostic
from ..files import write_folder


def write_target(name: str, kind: str, parent: Path, dialects: Iterable[str]) -> list[Path]:
    """
    Write the folder of a new target into `parent`, after the template of a kind, and return the paths of its entries.

    In the names of the template's files, `name` stands for the target's.

    Raises Diagnostic where the name is no Python identifier in lower case, or is that of a target or of one of
    `dialects`, and where the folder exists or cannot be written.
    """
    _check_name(name, dialects)
    folder = parent / name
    if folder.exists():
        raise Diagnostic(
            "the folder exists", where=str(folder), remedy="choose another name, or another folder with -o"
        )
    camel = "".join(word.capitalize() for word in name.split("_"))
    words = {"name": name, "NAME": name.upper(), "Name": camel, "dashed": name.replace("_", "-")}

    def fill(staging: Path) -> None:
        fill_template(TEMPLATES / kind, staging, words)
        _write_header(staging, name)

    try:
        return write_folder(folder, fill, lambda _: False)
    except OSError as error:
        raise Diagnostic(
            "the target cannot be written", where=str(folder), found=error.strerror or str(error)
        ) from error


def fill_template(template: Path, folder: Path, words: Mapping[str, str]) -> None:
    """Write the files of a template into a folder; words stand for texts in the files, and in their names."""
    pattern = re.compile("|".join(words))
    for file in sorted(template.rglob("*.in")):
        place = file.relative_to(template).with_suffix("")
        written = folder / place.with_stem(pattern.sub(lambda match: words[match[0]], place.stem))
        written.parent.mkdir(exist_ok=True)
        written.write_text(Template(file.read_text("utf-8")).substitute(words), encoding="utf-8")


def _write_header(folder: Path, name: str) -> None:
    """Write the C of the instructions of a target's dialect."""
    with scope():
        defined = vars(load_file(folder / "dialects" / f"{name}.py")).values()
        text = header_text(name, [value for value in defined if isinstance(value, Instruction)])
    rmtree(folder / "dialects" / "__pycache__", ignore_errors=True)
    (folder / "c").mkdir()
    (folder / "c" / f"{name}.h").write_text(text, encoding="utf-8")


def _check_name(name: str, dialects: Iterable[str]) -> None:
    if not name.isidentifier() or keyword.iskeyword(name) or name != name.lower() or not name.isascii():
        raise Diagnostic(
            f"'{name}' cannot be the name of a target",
            expected="lower-case letters, digits and '_', as in the name of a Python package",
            found=name,
        )
    taken = {target: f"the target in {folder}" for target, folder in target_folders().items()}
    taken |= {dialect: f"the dialect '{dialect}'" for dialect in dialects}
    if name in taken or (TARGETS / name).exists():
        raise Diagnostic(
            f"the name '{name}' is taken",
            expected="a name that no target and no dialect has",
            found=taken.get(name, f"the folder {TARGETS / name}"),
        )
