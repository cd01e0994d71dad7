"""
Reproducers in mlir-opt's form: IR whose metadata holds the pipeline.

    {-#
      external_resources: {
        mlir_reproducer: {
          pipeline: "builtin.module(cse)",
          disable_threading: false,
          verify_each: true
        }
      }
    #-}
"""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from ...errors import Diagnostic
from ...files import write_text
from ...grammar import UsageError
from ...passes.core.manager import Observer, PassPosition
from ...passes.core.pipeline import Pipeline

_GROUP = re.compile(r"\bmlir_reproducer\s*:\s*\{")
_ENTRY = re.compile(r'\s*(\w+)\s*:\s*("(?:[^"\\]|\\.)*"|true|false)\s*,?')
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t"}
_END = "\n#-}"


def reproduced_arguments(text: str, source: str) -> list[str] | None:
    """
    Return the arguments of opt-tool that the metadata of a text says, None where it holds no reproducer.

    Threads are not used, whether or not `disable_threading` asks so. Raises UsageError where there is no pipeline.
    """
    start = text.rfind("{-#")
    group = _GROUP.search(text, start) if start >= 0 else None
    if group is None:
        return None
    entries: dict[str, str] = {}
    position = group.end()
    while entry := _ENTRY.match(text, position):
        entries[entry[1]] = entry[2]
        position = entry.end()
    if not entries.get("pipeline", "").startswith('"'):
        expected = 'pipeline: "builtin.module(...)"'
        raise UsageError("the reproducer has no pipeline", source=source, expected=expected)
    verify_each = entries.get("verify_each", "true")
    return [f"--pass-pipeline={_unescaped(entries['pipeline'][1:-1])}", f"--verify-each={verify_each}"]


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code, 16)) if len(code) == 2 else _LETTERS.get(code, code)

    return _ESCAPE.sub(character, text)


def reproducer(text: str, pipeline: Pipeline, *, verify_each: bool) -> str:
    """Return a text of IR with a pipeline in its metadata, which may hold resources already."""
    shown = str(pipeline).replace("\\", "\\5C").replace('"', "\\22")
    group = [
        "  external_resources: {",
        "    mlir_reproducer: {",
        f'      pipeline: "{shown}",',
        "      disable_threading: true,",
        f"      verify_each: {str(verify_each).lower()}",
        "    }",
        "  }",
    ]
    ir = text.rstrip("\n")
    before = f"{ir.removesuffix(_END)},\n" if ir.endswith(_END) else f"{ir}\n\n{{-#\n"
    return f"{before}{chr(10).join(group)}{_END}\n"


@dataclass
class UpstreamReproducer(Observer):
    """
    Writes the module before the pipeline with the pipeline, at once if `always`, else when a pass fails.

    With `is_local` it writes what goes into the failing pass, with that pass alone. `print` must elide nothing.
    """

    file: Path
    print: Callable[[ModuleOp], str]
    verify_each: bool
    always: bool = False
    is_local: bool = False
    _text: str = field(default="", init=False)

    def before_pipeline(self, pipeline: Pipeline, module: ModuleOp) -> None:
        self._text = self.print(module)
        if self.always:
            self._write(pipeline)

    def before_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if self.is_local:
            self._text = self.print(module)

    def after_failure(self, place: PassPosition, module: ModuleOp, error: Diagnostic) -> None:
        if not self.always:
            self._write(Pipeline((place.step,)) if self.is_local else place.pipeline)
            error.reproducer = str(self.file)

    def _write(self, pipeline: Pipeline) -> None:
        write_text(self.file, reproducer(self._text, pipeline, verify_each=self.verify_each))


def upstream_reproducers(arguments: Namespace, print: Callable[[ModuleOp], str]) -> list[Observer]:
    """Return the observers that write the reproducers which a command line asks for."""
    generated, crash = arguments.mlir_generate_reproducer, arguments.mlir_pass_pipeline_crash_reproducer
    verify_each, is_local = bool(arguments.verify_each), arguments.mlir_pass_pipeline_local_reproducer
    observers: list[Observer] = []
    if generated:
        observers.append(UpstreamReproducer(Path(generated), print, verify_each, always=True))
    if crash:
        observers.append(UpstreamReproducer(Path(crash), print, verify_each, is_local=is_local))
    return observers
