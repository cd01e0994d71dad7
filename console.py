"""Console of tables, as wide as they need."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_WIDE = 240
"""Columns of text where the output is no terminal and $COLUMNS does not say."""


def table_console() -> Console:
    """Return the console of a table on the standard output: as wide as the terminal, else wide enough for any."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDE)
