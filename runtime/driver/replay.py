"""
IR files that carry the command which continues from them: dumps and reproducers.

    // RUN: opt-tool %s --pass-pipeline='builtin.module(cse,dce)'
"""

from __future__ import annotations

import re
import shlex
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from ...errors import Diagnostic
from ...files import open_regular, write_text
from ...grammar import UsageError
from ...passes.core.manager import Observer, PassPosition
from ...passes.core.pipeline import Pipeline
from .upstream_reproducer import reproduced_arguments

_RUN = "// RUN: opt-tool %s"
_COMMAND = re.compile(r"^//\s*(?:RUN:\s*(?:not\s+)?opt-tool\b|configuration:)(.*)$", re.MULTILINE)


def header(pipeline: Pipeline, flags: tuple[str, ...] = ()) -> str:
    """Return the line that runs `pipeline` on the file which begins with it; `flags` are further arguments."""
    passes = (f"--pass-pipeline={_quoted(str(pipeline))}",) if pipeline.steps else ()
    return " ".join((_RUN, *passes, *map(shlex.quote, flags))) + "\n"


def continuing_flags(arguments: Namespace, *, interpret: bool) -> tuple[str, ...]:
    """Return the arguments that a file which continues a run must be given, with `interpret` those of that, too."""
    flags = ["--allow-unregistered-dialect"] if arguments.allow_unregistered_dialect else []
    flags += [] if arguments.verify_each is True else [f"--verify-each={str(arguments.verify_each).lower()}"]
    flags += [f"--load-pass={Path(file).resolve()}" for file in arguments.load_pass]
    flags += [f"--target={Path(name).resolve() if Path(name).exists() else name}" for name in arguments.machine]
    if interpret and arguments.interpret_each:
        inputs = f"--inputs={Path(arguments.inputs).resolve()}" if arguments.inputs else f"--seed={arguments.seed}"
        flags += ["--interpret-each", inputs]
        flags += [f"--interpret-function={name}" for name in arguments.interpret_function]
        shapes: dict[str, tuple[int, ...]] = {} if arguments.input.endswith(".onnx") else dict(arguments.input_shape)
        flags += [f"--input-shape={name}={','.join(map(str, shape))}" for name, shape in shapes.items()]
        flags += [f"--interpret-runs={arguments.interpret_runs}"] if arguments.interpret_runs else []
    return tuple(flags)


def _quoted(text: str) -> str:
    return shlex.quote(text) if "'" in text else f"'{text}'"


def recorded_arguments(text: str, source: str) -> list[str]:
    """
    Return the arguments of opt-tool that a file's metadata, RUN or `// configuration:` line holds, without the input.

    Raises UsageError where the file has none of these.
    """
    if (arguments := reproduced_arguments(text, source)) is not None:
        return arguments
    match = _COMMAND.search(text)
    if not match:
        raise UsageError("the file holds no command to run again", source=source, expected=f"a line '{_RUN} ...'")
    command = re.split(r"\s(?:\||2?>)", match[1], maxsplit=1)[0]
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the command of the file is malformed: {error}", source=source, found=command) from error
    return [word for word in words if word not in ("%s", "--run-reproducer")]


@dataclass(frozen=True)
class DumpDir(Observer):
    """
    Writes `00-input.mlir` and then a numbered file after each pass; each runs the rest of the pipeline.

    `print` must show the locations that the C names. A text that it elides can be read, not run.
    """

    folder: Path
    print: Callable[[ModuleOp], str]
    flags: tuple[str, ...] = ()

    def before_pipeline(self, pipeline: Pipeline, module: ModuleOp) -> None:
        _make_folder(self.folder)
        for stale in sorted(self.folder.glob("[0-9][0-9]*-*.mlir")):
            if _is_dump(stale):
                stale.unlink()
        self._write("00-input", header(pipeline, self.flags), module)

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self._write(f"{place.number:02}-{place.step.name}", header(place.rest(), self.flags), module)

    def _write(self, name: str, first: str, module: ModuleOp) -> None:
        write_text(self.folder / f"{name}.mlir", f"{first}{self.print(module)}\n")


def _is_dump(file: Path) -> bool:
    try:
        with open_regular(file) as stream:
            return stream.read(len(_RUN)) == _RUN.encode()
    except OSError:
        return False


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Diagnostic(
            f"cannot make the folder '{folder}': {error.strerror}", remedy="choose another --dump-dir"
        ) from error


@dataclass
class Reproducer(Observer):
    """Writes the input of a pass that fails, with the command that runs the pass on it; `print` must elide nothing."""

    file: Path
    print: Callable[[ModuleOp], str]
    flags: tuple[str, ...] = ()
    _before: str = ""

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self._before = self.print(module)

    def after_failure(self, place: PassPosition, module: ModuleOp, error: Diagnostic) -> None:
        write_text(self.file, f"{header(Pipeline((place.step,)), self.flags)}{self._before}\n")
        error.reproducer = str(self.file)
