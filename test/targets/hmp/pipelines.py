"""Programs of stages of unit time, built without a network."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.clock import NO_CLOCK
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.targets.hmp.frames import FrameSimulation, LayerWork, simulate_frames

_SLOT = "memref<4xf32>"


def branched_pipeline(distance: int, slots: int, frames: int) -> ModuleOp:
    """
    Return a chain of `distance` + 1 stages on engines of their own whose first one feeds the last one besides.

    The branch has `slots` slots, the streams of the chain as many as they need.
    """
    streams = [f"%c{number} = hier.stream depth 2 : !hier.stream<{_SLOT}>" for number in range(distance)]
    streams.append(f"%b = hier.stream depth {slots} : !hier.stream<{_SLOT}>")
    programs = [_program(number, distance, frames) for number in range(distance + 1)]
    functions = [f"func.func private @stage{number}() {{ func.return }}" for number in range(distance + 1)]
    text = "\n".join(
        [*functions, "func.func @network() {", *streams, "hier.concurrent {", *programs, "}", "func.return", "}"]
    )
    return parse_module(new_context(), text)


def _program(number: int, distance: int, frames: int) -> str:
    into = [f"%c{number - 1}"] if number else []
    out = [f"%c{number}"] if number < distance else []
    (into if number == distance else out if number == 0 else []).append("%b")
    steps = [f"%p{place} = hier.pop {name} : !hier.stream<{_SLOT}>" for place, name in enumerate(into)]
    steps += [f"%r{place} = hier.reserve {name} : !hier.stream<{_SLOT}>" for place, name in enumerate(out)]
    steps += [f"func.call @stage{number}() : () -> ()"]
    steps += [f"hier.push {name} : !hier.stream<{_SLOT}>" for name in out]
    steps += [f"hier.release {name} : !hier.stream<{_SLOT}>" for name in into]
    body = "\n".join(steps)
    return f"""hier.program "stage{number}" on "e{number}" {{
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %end = arith.constant {frames} : index
      scf.for %i = %zero to %end step %one {{
        {body}
      }}
    }}"""


def unit_processors(count: int, machine: Machine) -> Machine:
    """Return a machine with processors e0, e1, .. in place of its own, without clocks and hosts."""
    engine = replace(machine.engines[0], clock=NO_CLOCK, hosts=())
    return replace(machine, engines=tuple(replace(engine, name=f"e{number}") for number in range(count)))


def simulated_unit_stages(distance: int, slots: int, machine: Machine, frames: int = 40) -> FrameSimulation:
    """Simulate a branched pipeline whose stages take 1000 ns each, on processors of their own."""
    works = {f"stage{number}": [LayerWork(number, 1000.0)] for number in range(distance + 1)}
    return simulate_frames(branched_pipeline(distance, slots, frames), unit_processors(distance + 1, machine), works)
