"""
The dialects, discovered: `dialects/foo.py`, here and in the folder of a target, defines `FOO`, the dialect named `foo`.

A dialect of several files is a folder: `dialects/foo/__init__.py` defines `FOO`. `dialects/core` is what they share.

Nothing here lists them. A file is imported when its dialect is first used. Dialects of installed packages and of files
from elsewhere are known too (`plugins.py`), and xDSL's own, some of which Tilewright's extend.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from xdsl.ir import Dialect

from ..discovery import files, is_inside, module_at, packages, target_files, target_packages, unique
from ..errors import Diagnostic
from ..plugins import checked_dialect, plugins

Factory = Callable[[], Dialect]


def dialect_files() -> dict[str, Path]:
    """Return the files of the dialects of Tilewright and its targets, by name. Raises Diagnostic for a name of two."""
    modules = [*files("dialects/*.py"), *target_files("dialects/*.py")]
    folders = [*packages("dialects/*/"), *target_packages("dialects/*/")]
    named = [(file.stem, file) for file in modules]
    named += [(file.parent.name, file) for file in folders]
    return unique({str(file): {name: file} for name, file in sorted(named) if name != "core"}, "dialects")


def own_dialects() -> dict[str, Factory]:
    """Return a factory for each dialect of Tilewright and of its targets, by name."""
    return {name: partial(_load, file) for name, file in dialect_files().items()}


def dialects_by_origin() -> dict[str, Mapping[str, Factory]]:
    """Return the factories of the known dialects: Tilewright's, those of each plug-in, xDSL's, in sections."""
    from xdsl.dialects import get_all_dialects

    own, hidden = own_dialects(), {name for name, file in dialect_files().items() if is_inside(file)}
    others = {plugin.origin: plugin.dialects for plugin in plugins()}
    left = {name: load for name, load in get_all_dialects().items() if name not in hidden}
    return {"Tilewright": own, **others, "xDSL": left}


def all_dialects() -> dict[str, Factory]:
    """Return a factory for each known dialect by its name. Raises Diagnostic where two have the same name."""
    return unique(dialects_by_origin(), "dialects")


def _load(file: Path) -> Dialect:
    dialect = file.parent.name if file.stem == "__init__" else file.stem
    name = dialect.upper()
    dialect_object: object = getattr(module_at(file), name, None)
    if isinstance(dialect_object, Dialect):
        return dialect_object if is_inside(file) else checked_dialect(dialect_object, dialect, str(file))
    expected = f'{name} = Dialect("{dialect}", ...)'
    raise Diagnostic("the file does not define its dialect", where=str(file), expected=expected)
