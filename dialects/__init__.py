"""
The dialects, discovered: `dialects/foo.py` and `targets/*/dialects/foo.py` define `FOO`, the dialect named `foo`.

Nothing here lists them. A file is imported when its dialect is first used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from xdsl.ir import Dialect

from ..discovery import files, module_at


def own_dialects() -> dict[str, Callable[[], Dialect]]:
    """Return a factory for each of Tilewright's dialects, by the dialect's name."""
    return {file.stem: partial(_load, file) for file in files("dialects/*.py", "targets/*/dialects/*.py")}


@cache
def _load(file: Path) -> Dialect:
    return getattr(module_at(file), file.stem.upper())
