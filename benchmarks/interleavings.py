"""
Concurrent programs of random steps: verify-memory beside the enumeration of all interleavings.

    python benchmarks/interleavings.py [COUNT] [SEED]

Each case is two or three programs with streams of depth 1 or 2 and shared buffers. The enumeration visits every state
that an interleaving leads to: it finds each deadlock, each pair of conflicting accesses that may be adjacent, and each
slot that is taken before it exists, accessed by a program that does not hold it, or left. What it finds, verify-memory
has to refuse: one miss fails the script. False alarms are counted by rule. The interpreter runs what is accepted under
random seeds: the results must not differ.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from rich.console import Console
from rich.progress import track

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter import run_module

BUFFERS = 2


@dataclass(frozen=True)
class Step:
    """Step of a program: `reserve`, `push`, `pop`, `release`, `read` or `write`, on a stream, slot or shared buffer."""

    kind: str
    on: int
    in_slot: bool = False
    """Whether an access is to the slot that the program took last from the stream `on`."""


@dataclass(frozen=True)
class Case:
    """Programs, and the depth, producer and consumer of each stream."""

    programs: tuple[tuple[Step, ...], ...]
    streams: tuple[tuple[int, int, int], ...]


def random_case(random: Random) -> Case:
    """Return programs of random steps, most of them well-formed."""
    count = random.choice((2, 3))
    streams = tuple(_stream(random, count) for _ in range(random.choice((1, 2, 3))))
    tiles = [random.choice((1, 2, 3)) for _ in streams]
    programs = [_program(random, index, streams, tiles) for index in range(count)]
    for _ in range(random.choice((0, 0, 1))):
        victim = random.randrange(count)
        if programs[victim]:
            programs[victim] = _mutated(random, programs[victim])
    return Case(tuple(map(tuple, programs)), streams)


def _stream(random: Random, count: int) -> tuple[int, int, int]:
    producer, consumer = random.sample(range(count), 2)
    return random.choice((1, 2)), producer, consumer


def _program(random: Random, index: int, streams: Sequence[tuple[int, int, int]], tiles: Sequence[int]) -> list[Step]:
    """Return the steps of a program: for each tile of each of its streams a block, the blocks shuffled."""
    blocks: list[list[Step]] = []
    for stream, (_, producer, consumer) in enumerate(streams):
        if index == producer:
            block = [Step("reserve", stream), Step("write", stream, in_slot=True), Step("push", stream)]
        elif index == consumer:
            block = [Step("pop", stream), Step("read", stream, in_slot=True), Step("release", stream)]
        else:
            continue
        blocks += [block] * tiles[stream]
    random.shuffle(blocks)
    steps = [step for block in blocks for step in block]
    for _ in range(random.choice((0, 1, 2, 3))):
        at = random.randrange(len(steps) + 1)
        steps.insert(at, Step(random.choice(("read", "write", "read")), random.randrange(BUFFERS)))
    return steps


def _mutated(random: Random, steps: list[Step]) -> list[Step]:
    """Return steps of which one is dropped, doubled or moved."""
    at = random.randrange(len(steps))
    found = steps[:at] + steps[at + 1 :]
    match random.choice(("drop", "double", "move")):
        case "double":
            return [*steps[:at], steps[at], *steps[at:]]
        case "move":
            to = random.randrange(len(found) + 1)
            return [*found[:to], steps[at], *found[to:]]
        case _:
            return found


# Enumeration


def enumerated(case: Case) -> set[str]:
    """Return the faults of all interleavings: `deadlock`, `race`, `balance`, `holds`, `initialised`."""
    wrong = {fault for steps in case.programs for fault in _alone(case, steps)}
    start = tuple(0 for _ in case.programs)
    pending, seen = [start], {start}
    while pending:
        state = pending.pop()
        ready = [index for index, at in enumerate(state) if _is_ready(case, state, index, at)]
        left = [index for index, at in enumerate(state) if at < len(case.programs[index])]
        if left and not ready:
            wrong.add("deadlock")
        if not left and any(len(set(_counts(case, state, stream))) > 1 for stream in range(len(case.streams))):
            wrong.add("balance")
        following = [case.programs[index][state[index]] for index in ready]
        wrong |= {"race" for at, step in enumerate(following) if any(_conflict(step, o) for o in following[at + 1 :])}
        for index in ready:
            state_after = (*state[:index], state[index] + 1, *state[index + 1 :])
            if state_after not in seen:
                seen.add(state_after)
                pending.append(state_after)
    return wrong


def _counts(case: Case, state: Sequence[int], stream: int) -> list[int]:
    """Return the number of steps of each kind on a stream."""
    done = [
        step.kind for steps, at in zip(case.programs, state, strict=True) for step in steps[:at] if step.on == stream
    ]
    return [done.count(kind) for kind in ("reserve", "push", "pop", "release")]


def _is_ready(case: Case, state: Sequence[int], index: int, at: int) -> bool:
    if at == len(case.programs[index]):
        return False
    step = case.programs[index][at]
    reserved, pushed, popped, released = _counts(case, state, step.on) if step.on < len(case.streams) else [0] * 4
    if step.kind == "reserve":
        return reserved < released + case.streams[step.on][0]
    return step.kind != "pop" or popped < pushed


def _conflict(a: Step, b: Step) -> bool:
    """Return whether two accesses are to one shared buffer, and one is a write; those to slots are judged alone."""
    kinds = {a.kind, b.kind}
    return not a.in_slot and not b.in_slot and a.on == b.on and "write" in kinds and kinds <= {"read", "write"}


def _alone(case: Case, steps: Sequence[Step]) -> Iterator[str]:
    """Yield the faults that a program has by its own order: slots that it has not, or that hold nothing."""
    taken: Counter[tuple[str, int]] = Counter()
    for step in steps:
        before = {"push": "reserve", "release": "pop"}.get(step.kind)
        if before is not None and taken[step.kind, step.on] >= taken[before, step.on]:
            yield "balance"
        if step.in_slot:
            last, handed = ("reserve", "push") if step.kind == "write" else ("pop", "release")
            # The step is on the slot taken last, which is held unless as many have been handed on. It is none before.
            if taken[last, step.on] and taken[handed, step.on] >= taken[last, step.on]:
                yield "holds"
        taken[step.kind, step.on] += 0 if step.kind in ("read", "write") else 1
    yield from _empty_slots(case, steps)


def _empty_slots(case: Case, steps: Sequence[Step]) -> Iterator[str]:
    """Yield `initialised` for each slot that a program pops and reads, and its producer has not written."""
    for stream, (_, producer, _) in enumerate(case.streams):
        reads = _accessed(steps, stream, "pop", "read")
        writes = _accessed(case.programs[producer], stream, "reserve", "write")
        if any(read and number < len(writes) and not writes[number] for number, read in enumerate(reads)):
            yield "initialised"


def _accessed(steps: Sequence[Step], stream: int, take: str, access: str) -> list[bool]:
    """Return for each slot that steps take whether they access it."""
    found: list[bool] = []
    for step in steps:
        if step.on != stream:
            continue
        if step.kind == take:
            found.append(False)
        elif step.in_slot and step.kind == access and found:
            found[-1] = True
    return found


# The same as IR


def text_of(case: Case) -> str:
    """Return a case as IR: each write adds a number of its own to what it writes, each read adds to the result."""
    stream_type = "!hier.stream<memref<1xi32>>"
    lines = [
        f"func.func @network({', '.join(f'%b{k}: memref<1xi32>' for k in range(BUFFERS))}, "
        f"%y: memref<{len(case.programs)}xi32> {{tilewright.output}}) {{",
        *(f"  %i{n} = arith.constant {n} : index" for n in range(len(case.programs))),
        *(f"  %n{n} = arith.constant {n} : i32" for n in range(64)),
        *(f"  memref.store %n0, %y[%i{n}] : memref<{len(case.programs)}xi32>" for n in range(len(case.programs))),
        *(f"  %s{k} = hier.stream depth {depth} : {stream_type}" for k, (depth, _, _) in enumerate(case.streams)),
        "  hier.concurrent {",
    ]
    for index, steps in enumerate(case.programs):
        lines += [f'    hier.program "p{index}" {{', *_lines(index, steps, len(case.programs)), "    }"]
    return "\n".join([*lines, "  }", "  func.return", "}"])


def _lines(program: int, steps: Sequence[Step], count: int) -> Iterator[str]:
    slots: dict[int, str] = {}
    for at, step in enumerate(steps):
        name = f"{program}_{at}"
        if step.kind in ("reserve", "pop"):
            slots[step.on] = f"%t{name}"
            yield f"      %t{name} = hier.{step.kind} %s{step.on} : !hier.stream<memref<1xi32>>"
        elif step.kind in ("push", "release"):
            yield f"      hier.{step.kind} %s{step.on} : !hier.stream<memref<1xi32>>"
        elif step.in_slot and step.on not in slots:
            continue
        else:
            buffer = slots[step.on] if step.in_slot else f"%b{step.on}"
            yield from _access(step.kind, buffer, name, program, f"%n{1 + (7 * program + at) % 63}", count)


def _access(kind: str, buffer: str, name: str, program: int, number: str, count: int) -> Iterator[str]:
    if kind == "write":
        yield f"      memref.store {number}, {buffer}[%i0] : memref<1xi32>"
        return
    yield f"      %r{name} = memref.load {buffer}[%i0] : memref<1xi32>"
    yield f"      %y{name} = memref.load %y[%i{program}] : memref<{count}xi32>"
    yield f"      %m{name} = arith.muli %y{name}, %n31 : i32"
    yield f"      %z{name} = arith.addi %m{name}, %r{name} : i32"
    yield f"      memref.store %z{name}, %y[%i{program}] : memref<{count}xi32>"


# Comparison


def refusal(case: Case) -> str:
    """Return the rule by which verify-memory refuses a case, empty where it accepts it."""
    module = parse_module(new_context(), text_of(case))
    try:
        verify(module)
    except Diagnostic:
        return "ill-formed"
    try:
        verify_memory(module)
    except Diagnostic as error:
        rule = re.search(r"\(rule '(.*)'\)", error.message)
        return rule[1] if rule else "other"
    return ""


def results(case: Case, seeds: Sequence[int]) -> set[bytes]:
    """Return the results of a case under seeds."""
    module = parse_module(new_context(), text_of(case))
    inputs = {f"arg{k}": np.full(1, k, np.int32) for k in range(BUFFERS)}
    return {next(iter(run_module(module, inputs, interleave=seed).values())).tobytes() for seed in seeds}


def main() -> None:
    """Compare, and print what was found."""
    count, seed = (int(text) for text in [*sys.argv[1:], *("2000", "0")[len(sys.argv) - 1 :]])
    random, console = Random(seed), Console()
    agreed: Counter[str] = Counter()
    alarms: Counter[str] = Counter()
    missed: list[Case] = []
    differ: list[Case] = []
    for _ in track(range(count), "cases", console=console):
        case = random_case(random)
        rule, wrong = refusal(case), enumerated(case)
        if rule == "ill-formed":
            agreed["ill-formed"] += 1
        elif wrong and not rule:
            missed.append(case)
        elif rule and not wrong:
            alarms[rule] += 1
        elif rule:
            agreed["refused, wrong in some interleaving"] += 1
        else:
            agreed["accepted, right in all interleavings"] += 1
            if len(results(case, range(6))) > 1:
                differ.append(case)
    for what, number in [*agreed.items(), *((f"false alarm: {rule}", n) for rule, n in alarms.items())]:
        console.print(f"{number:6,} {what}")
    console.print(f"{len(missed):6,} missed\n{len(differ):6,} accepted with results that differ by interleaving")
    for case in [*missed, *differ][:3]:
        console.print(text_of(case))
    sys.exit(1 if missed or differ else 0)


if __name__ == "__main__":
    main()
