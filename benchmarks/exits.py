"""Exit codes of benchmarks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NoReturn

from tilewright.errors import Diagnostic


def exit_with(main: Callable[[], int], failed: int = 1) -> NoReturn:
    """Exit with the code that `main` returns; print its Diagnostic and exit with `failed` where it raises one."""
    try:
        sys.exit(main())
    except Diagnostic as error:
        print(error, file=sys.stderr)
        sys.exit(failed)
