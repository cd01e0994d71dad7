"""The command `tilewright tpu vendor`: plug-ins of the TPU, and how Sophgo's tools are installed."""

from __future__ import annotations

import argparse

DESCRIPTION = """\
Show how to install Sophgo's compiler and simulator, in an environment of their own, and whether they are.

  tilewright tpu vendor
  tilewright tpu vendor | sh

On a board the plug-in loads the board's libcviruntime.so.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    del parser


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from ....errors import Diagnostic
    from ....files import write_stdout
    from ..tpu.tools import INSTALL, interpreter

    del options
    try:
        state = f"installed: {interpreter()}"
    except Diagnostic:
        state = "not installed"
    write_stdout(f"# {state}\n{INSTALL}")
    return 0
