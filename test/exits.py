"""Exit codes of scripts, and packages that only some of them need."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn

from tilewright.errors import Diagnostic


def exit_with(main: Callable[[], int], failed: int = 1) -> NoReturn:
    """Exit with the code that `main` returns; print its Diagnostic and exit with `failed` where it raises one."""
    try:
        sys.exit(main())
    except Diagnostic as error:
        print(error, file=sys.stderr)
        sys.exit(failed)


def peer_module(name: str) -> Any:
    """Return a module that only some scripts need; exit where its package is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        script = sys.argv[0]
        error = Diagnostic(
            f"{script} needs the package {name}, which is not installed",
            remedy=f"install what the first lines of {script} name",
        )
        sys.exit(str(error))
