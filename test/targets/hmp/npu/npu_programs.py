"""Networks with stages on an NPU, compiled to programs that run their frames."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import pipeline_of
from tilewright.dialects.core.machine import targets
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.emitc.text.files import files_of
from tilewright.passes.formats.c import render, write_program
from tilewright.runtime.host import sources_in
from tilewright.runtime.toolchain import compile_executable, compile_shared
from tilewright.targets.hmp.npu import SOURCES, Vendor, reference_vendor, write_artifacts

HERE = Path(__file__).parent
C = Path(targets.machine_named("hmp").folder) / "c"

TEXT = """
!x = tensor<96xf32>
func.func @network(%x: !x) -> !x {
  %e = tensor.empty() : !x
  %a = linalg.add ins(%x, %x : !x, !x) outs(%e : !x) attrs = {hmp.layer = 0 : i64} -> !x
  %b = linalg.mul ins(%a, %x : !x, !x) outs(%e : !x) attrs = {hmp.layer = 1 : i64} -> !x
  %c = linalg.sub ins(%b, %a : !x, !x) outs(%e : !x) attrs = {hmp.layer = 2 : i64} -> !x
  func.return %c : !x
}
"""
"""Three layers, of which the second reads the input beside the result of the first."""


def run_passes(module: ModuleOp, text: str) -> None:
    """Run passes on a module."""
    PassManager().run(module, parse_pipeline(text, all_passes()), new_context())


def parsed(text: str) -> ModuleOp:
    """Return a network of layers, with the machine of the target."""
    module = parse_module(new_context(), text)
    run_passes(module, "attach-machine{target=hmp}")
    return module


def write_network(module: ModuleOp, order: str, folder: Path, *, frames: int = 0, vendor: Vendor | None = None) -> None:
    """Write a network of layers, mapped by an order, as C with the artefacts of its NPU stages."""
    run_passes(module, f"map-layers{{order={order}}},outline-stages")
    folder.mkdir()
    write_artifacts(module, folder, vendor or reference_vendor(), milliseconds=20000)
    run_passes(module, "bufferize")
    if frames:
        run_passes(module, f"submit-npu-frames,pipeline-frames{{frames={frames}}},verify-memory")
    PassManager().run(module, pipeline_of(targets.machine_named("hmp")).select(start_at="map-engines"), new_context())
    write_program(render(module), folder)


def put_faulty_plugin(folder: Path, flags: Sequence[str] = ()) -> None:
    """Replace the reference plug-in of a folder by one that has the fault in the variable TW_FAULT."""
    built = compile_shared([HERE / "faults.c"], ["-std=c11", f"-I{C}", *flags, "-pthread", "-ldl"])
    shutil.copy(built, folder / "libtilewright_npu_reference.so")


@dataclass
class Done:
    """The end of a program."""

    status: int
    outputs: str
    errors: str


def build(folder: Path, flags: Sequence[str] = ()) -> Path:
    """Build the program of a network, which runs as many frames as its argument says; return its path."""
    sources = [*sources_in(folder, files_of()), folder / "program.c"]
    for file in (HERE / "program.c", *C.glob("*.h")):
        shutil.copy(file, folder)
    strict = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror")
    runtime = [str(C / name) for name in SOURCES]
    program = compile_executable(sources, [*strict, *runtime, *flags, "-pthread", "-ldl"])
    return Path(shutil.copy(program, folder / "program"))


def run(program: Path, frames: int = 4, **variables: str) -> Done:
    """Run a program, with more variables in its environment."""
    environment: Mapping[str, str] = os.environ | variables
    done = subprocess.run([program, str(frames)], env=environment, capture_output=True, text=True, timeout=60)
    return Done(done.returncode, done.stdout, done.stderr)


def workers(folder: Path) -> list[str]:
    """Return the command lines of the running workers of a folder."""
    lines: list[str] = []
    for entry in (entry for entry in Path("/proc").iterdir() if entry.name.isdecimal()):
        with suppress(OSError):  # It has ended meanwhile.
            lines.append((entry / "cmdline").read_text())
    return [line for line in lines if str(folder) in line and "tilewright_npu_worker" in line]


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds, 10 seconds at most."""
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("nothing happened within 10 seconds")
