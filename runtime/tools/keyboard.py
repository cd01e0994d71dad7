"""Terminal program of a keyboard's language model: `tilewright keyboard`."""

from __future__ import annotations

import argparse
from importlib import import_module

from ...compiler import Model
from ...errors import Diagnostic
from ...files import path_of
from ..keyboard.protocol import PREDICTED
from ..keyboard.session import KeyboardSession, PredictionRequest
from .keyboard_build import add_begin
from .store_options import add_store_arguments, options_named


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command, those that describe the model aside."""
    add = parser.add_argument
    add("model", type=path_of, metavar="MODEL|DIR", help="a decoder of bytes, or a folder of one that compile wrote")
    what = f"bytes of a suggestion at most, 1 to {PREDICTED} (32)"
    add("--predict", type=_predicted, default=32, metavar="BYTES", help=what)
    add("--documents", type=_documents, default=8, metavar="N", help="documents at most, 1 to 64 (8)")
    add_begin(parser)
    add_store_arguments(parser)


def _predicted(text: str) -> int:
    return _number(text, PREDICTED, "bytes")


def _documents(text: str) -> int:
    return _number(text, 64, "documents")


def _number(text: str, most: int, what: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"a number of {what} is 1 to {most}, not '{text}'")
    return int(text)


def check_terminal() -> None:
    """Raise Diagnostic where Textual is not installed."""
    try:
        import_module("textual")
    except ImportError as error:
        remedy = "pip install 'tilewright[keyboard]'"
        raise Diagnostic("the terminal program needs textual", found=str(error), remedy=remedy) from error


def run(options: argparse.Namespace, model: Model) -> int:
    """Run the terminal program."""
    check_terminal()
    from ..keyboard.terminal import Terminal
    from .keyboard_model import open_model

    with options_named():
        decoder = open_model(options, model)
    app = Terminal(
        KeyboardSession(decoder),
        PredictionRequest(options.predict, b"\n"),
        title=options.model.name,
        folder=options.kv_dir,
    )
    app.run()
    decoder.pool.close()
    if app.failure is not None:
        raise app.failure
    return 0
