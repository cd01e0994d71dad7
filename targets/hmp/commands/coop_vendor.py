"""The command `tilewright coop vendor`: vendors of NPUs, and how their tools are installed."""

from __future__ import annotations

import argparse

DESCRIPTION = """\
List the vendors whose plug-ins compute NPU stages, or show how to install the tools of one.

  tilewright coop vendor
  tilewright coop vendor rknn
  tilewright coop vendor rknn | sh

The tools of a vendor have an environment of their own; TILEWRIGHT_NPU_PYTHON names its interpreter.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("vendor", nargs="?", default="", metavar="VENDOR", help="a vendor, to show its installation")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from ....errors import Diagnostic
    from ....files import write_stdout
    from ..npu.vendors import INSTALL, VENDORS, checked_vendor, interpreter_of

    if options.vendor:
        tools = VENDORS[checked_vendor(options.vendor)].tools
        write_stdout(INSTALL[tools] if tools else "# nothing to install: a C compiler makes the artefacts\n")
        return 0
    for name, vendor in VENDORS.items():
        state = ""
        if vendor.tools:
            try:
                state = f"; installed: {interpreter_of(vendor.tools)}"
            except Diagnostic:
                state = f"; not installed: tilewright coop vendor {name}"
        print(f"{name:<12} {vendor.summary}; for {', '.join(vendor.chips)}{state}")
    return 0
