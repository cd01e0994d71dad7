"""`tilewright lsp`: the language server with the dialects, passes and targets that are known here."""

from __future__ import annotations

import argparse
import logging
from importlib import import_module

from ...dialects import all_dialects
from ...dialects.core.machine.targets import machine_named, machines
from ...dialects.core.syntax.text import new_context
from ...errors import Diagnostic
from ...opt_tool import argument_parser
from ...passes import all_passes
from ...passes.formats import all_formats
from .completions import Vocabulary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    what = "a target outside of the package whose passes and dialects to know: a folder or a machine file; repeatable"
    parser.add_argument("--target", action="append", default=[], metavar="TARGET", help=what)
    # Clients that know servers on pipes and sockets pass it, vscode-languageclient always.
    parser.add_argument("--stdio", action="store_true", help="speak on standard input and output, as is always done")


def check_installed() -> None:
    """Raise Diagnostic where pygls is not installed."""
    try:
        import_module("pygls.lsp.server")
    except ImportError as error:
        remedy = "pip install 'tilewright[lsp]'"
        raise Diagnostic("the language server needs pygls 2", found=str(error), remedy=remedy) from error


def run(options: argparse.Namespace) -> int:
    """Serve a client; return the exit code."""
    check_installed()
    for name in options.target:
        machine_named(name)
    if not options.debug:  # refused requests are no faults, and each has its answer
        logging.getLogger("pygls").setLevel(logging.CRITICAL)
    from .requests import register
    from .server import IrServer, serve

    contexts = {accepts: new_context(allow_unregistered=accepts) for accepts in (False, True)}
    values = {"-t": [*all_formats()], "--target": [*machines()]}
    # Completion does not wait for the thread that reads IR, and so has a context of its own.
    words = Vocabulary(new_context(), [*all_dialects()], all_passes(), argument_parser(), values)
    server = IrServer(contexts, words)
    register(server)
    return serve(server)
