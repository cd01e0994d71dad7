"""
Properties of memory that hold of every compiled network: capacity, alignment, and the proof of the program that runs.

    python test/oracles/memory_properties.py [FOLDER...] [--targets host,siracusa/l3] [--networks mlp,ds-cnn]

The networks of the zoo, and each `.onnx` file below the folders, on every target and variant. Each is taken to the last
program that shows its transfers. What holds of it is computed apart from the passes that see to it. A network that the
compiler refuses with an error is counted separately. The exit code is 1 where something does not hold.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from math import gcd
from pathlib import Path
from typing import Any, cast

from rich.console import Console
from rich.progress import track
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, NoneAttr, StringAttr
from xdsl.ir import OpResult, SSAValue

from tilewright.compiler import Model, machine_named, pipeline_of
from tilewright.dialects.core.machine.attribute import machine_of
from tilewright.dialects.core.machine.file import variants
from tilewright.dialects.core.machine.level import Level
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.machine.targets import machines
from tilewright.dialects.core.syntax.text import new_context
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.ir import functions
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import Pipeline
from tilewright.passes.memory.views import bytes_of
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.inputs import load_arrays
from tilewright.runtime.tools.check import model_for

PROOF = "verify-memory"


def explicit_program(module: ModuleOp, target: str) -> ModuleOp:
    """Take a module through a target's pipeline up to its last proof: the program whose kernels become loops next."""
    steps = pipeline_of(machine_named(target)).steps
    last = max(index for index, step in enumerate(steps) if step.name == PROOF)
    PassManager([], verify_each=False).run(module, Pipeline(steps[:last]), new_context())
    return module


def violations(module: ModuleOp) -> Iterator[str]:
    """Yield the rules that an explicit program breaks: capacity, alignment, and those of verify-memory."""
    machine = machine_of(module)
    yield from _over_capacity(module, machine)
    yield from _misaligned(module, machine)
    try:
        verify_memory(module, plain=False, tiles=False)
    except Diagnostic as error:
        yield error.message


def _over_capacity(module: ModuleOp, machine: Machine) -> Iterator[str]:
    """Yield the levels that are too small for constants, state and the memories of one call."""
    own: dict[str, dict[str, int]] = {}
    held: dict[str, int] = {}
    public = [function for function in functions(module) if function.sym_visibility is None]
    for op in module.body.block.ops:
        if isinstance(op, memref.GlobalOp):
            level = _level(op.type, machine)
            users = [f.sym_name.data for f in public if _uses(f, op.sym_name.data)]
            is_scratch = op.constant is None and (level != machine.far or "tilewright.arena" in op.attributes)
            if is_scratch and len(users) == 1 and not op.sym_name.data.endswith("_state"):
                room = own.setdefault(level.name, {})
                room[users[0]] = room.get(users[0], 0) + bytes_of(op.type) // _copies(op)
            else:
                held[level.name] = held.get(level.name, 0) + bytes_of(op.type)
    for level in machine.levels:
        taken = held.get(level.name, 0) + max(own.get(level.name, {}).values(), default=0)
        if taken > level.size:
            yield f"{taken:,} bytes in {level.name}, which has {level.size:,}"


def _uses(function: Any, name: str) -> bool:
    return any(isinstance(op, memref.GetGlobalOp) and op.name_.string_value() == name for op in function.walk())


def _copies(op: memref.GlobalOp) -> int:
    copies = op.attributes.get("hier.copies")
    return cast("IntegerAttr[Any]", copies).value.data if copies is not None else 1


def _level(type: Any, machine: Machine) -> Level:
    space = type.memory_space
    assert isinstance(space, NoneAttr | StringAttr)
    return machine.level(space.data) if isinstance(space, StringAttr) else machine.far


def _misaligned(module: ModuleOp, machine: Machine) -> Iterator[str]:
    """Yield the buffers in levels and arenas that do not begin at multiples of their level's alignment."""
    for op in module.walk():
        if isinstance(op, memref.ViewOp):
            level, at = _level(op.source.type, machine), divisor(op.byte_shift)
            if at % level.alignment or (level.row_bytes and at % level.row_bytes):
                yield f"a buffer at multiples of {at} in {level.name}, which is aligned to {level.alignment}"


def divisor(value: SSAValue) -> int:
    """Return a number that an index is always a multiple of, 0 where it is always 0."""
    op = value.op if isinstance(value, OpResult) else None
    match op:
        case arith.ConstantOp():
            return abs(cast("IntegerAttr[Any]", op.value).value.data)
        case arith.AddiOp() | arith.SubiOp():
            return gcd(divisor(op.lhs), divisor(op.rhs))
        case arith.MuliOp():
            return divisor(op.lhs) * divisor(op.rhs)
        case _:
            return 1


def cases(folders: Sequence[Path], networks: Sequence[str], targets: Sequence[str]) -> Iterator[tuple[str | Path, str]]:
    """Yield each network, a name of the zoo or a file, the smallest of a folder first, with each target."""
    files = [sorted(folder.rglob("*.onnx"), key=lambda file: file.stat().st_size) for folder in folders]
    for network in (*networks, *chain.from_iterable(files)):
        for target in targets:
            yield network, target


def load(network: str | Path) -> ModuleOp:
    """Return a network at the graph level, with the types of inputs that an inputs.npz beside its file declares."""
    if isinstance(network, str):
        return import_model(zoo.build(network))
    given = network.with_name("inputs.npz")
    model = model_for(network, load_arrays(given)) if given.is_file() else Model(network)
    return model.load()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the violations; returns 1 if there are any."""
    known = [*machines(), *variants()]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, help="folders with .onnx files")
    parser.add_argument("--targets", default=",".join(known), help="with commas")
    parser.add_argument("--networks", default=",".join(zoo.names()), help="of the zoo, with commas; none where empty")
    options = parser.parse_args(arguments)
    networks = [name for name in options.networks.split(",") if name]
    todo = list(cases(options.folders, networks, options.targets.split(",")))
    status = Console(stderr=True)
    held = refused = 0
    failures: list[str] = []
    for network, target in track(todo, "proving", console=status, transient=True, disable=not status.is_terminal):
        try:
            program = explicit_program(load(network), target)
        except Diagnostic as error:
            refused += 1
            print(f"refused: {network} on {target}: {error.message}", flush=True)
            continue
        found = list(violations(program))
        held += not found
        failures += [f"{network} on {target}: {each}" for each in found]
        for each in found:
            print(f"FAILS: {network} on {target}: {each}", flush=True)
    print(f"{held} programs hold what is asked of them, {len(failures)} do not; {refused} networks were refused")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
