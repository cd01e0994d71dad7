"""
The dialects, discovered: `dialects/foo.py` and `targets/*/dialects/foo.py` define `FOO`, the dialect named `foo`.

Nothing here lists them. A file is imported when its dialect is first used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from pathlib import Path

from xdsl.ir import Dialect

_PACKAGE = __name__.rpartition(".")[0]
_ROOT = Path(__file__).parent.parent


def own_dialects() -> dict[str, Callable[[], Dialect]]:
    """Return a factory for each of Tilewright's dialects, by the dialect's name."""
    files = [*_ROOT.glob("dialects/*.py"), *_ROOT.glob("targets/*/dialects/*.py")]
    return {file.stem: partial(_load, file) for file in sorted(files) if file.stem != "__init__"}


@cache
def _load(file: Path) -> Dialect:
    module = ".".join((_PACKAGE, *file.relative_to(_ROOT).with_suffix("").parts))
    return getattr(import_module(module), file.stem.upper())
