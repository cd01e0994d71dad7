"""MLIR's bytecode: upstream's mlir-opt turns it into text and back."""

from __future__ import annotations

import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from ...errors import Diagnostic
from ...files import STDIN, decoded, read_data, write_bytes
from ...grammar import UsageError

MAGIC = b"ML\xefR"
"""The first bytes of MLIR's bytecode (MLIR's BytecodeFormat document)."""


def read_ir(name: str) -> str:
    """
    Return the text of a file, or of standard input where `name` is `-`: that of bytecode is generic, with locations.

    Raises Diagnostic as `read_text` does, where the bytecode is damaged or newer than the installed mlir-opt, and where
    there is none.
    """
    data, shown = read_data(name), STDIN if name == "-" else name
    if not data.startswith(MAGIC):
        return decoded(data, shown)
    options = ["--mlir-print-op-generic", "--mlir-print-debuginfo"]
    return decoded(_optimizer(options, data, f"{shown} is bytecode that mlir-opt does not read"), shown)


def write_bytecode(text: str, output: str) -> None:
    """Write IR as bytecode to a file, or to standard output for `-`. Raises Diagnostic where mlir-opt refuses it."""
    data = _optimizer(["--emit-bytecode"], text.encode(), "mlir-opt makes no bytecode of the IR")
    if output != "-":
        write_bytes(Path(output), data)
        return
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def check_bytecode(arguments: Namespace) -> None:
    """Raise UsageError for bytecode on a terminal, of several parts, or of a format that is not MLIR."""
    if not arguments.emit_bytecode:
        return
    if arguments.output == "-" and sys.stdout.isatty():
        raise UsageError("--emit-bytecode: a terminal shows no bytecode", remedy="choose a file with -o")
    if arguments.split_input_file:
        raise UsageError("--emit-bytecode is for one module: not with --split-input-file")
    if (arguments.format or "mlir").partition("{")[0] != "mlir":
        raise UsageError("--emit-bytecode is for the output format mlir", found=f"-t {arguments.format}")


def _optimizer(options: Sequence[str], data: bytes, message: str) -> bytes:
    from ..upstream import OPTIMIZER, tool

    command = [tool(OPTIMIZER), "--allow-unregistered-dialect", *options]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    if done.returncode:
        notes = done.stderr.decode(errors="replace").strip().splitlines()[:20]
        raise Diagnostic(message, found=f"exit status {done.returncode}", notes=notes)
    return done.stdout
