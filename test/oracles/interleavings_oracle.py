"""
Enumeration of all interleavings of a small concurrent program, without the code of the compiler.

A case is unrolled to threads of atomic steps: the function, each program, each transfer and each launched kernel. A
step reads elements or writes them; a transfer and a kernel read at one moment and write at a later one. A step has
predecessors in other threads: the push before a pop, the release before a reserve, the issue before a transfer, its end
before the wait. A launched kernel also follows those launched before it on its queue.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeAlias

from tilewright.test.oracles.interleavings_ir import (
    ARENA,
    EXTENT,
    INPUTS,
    Add,
    Alloc,
    Branch,
    Call,
    Case,
    Concurrent,
    Copy,
    End,
    Index,
    Join,
    Launch,
    Loop,
    Nothing,
    Op,
    Ops,
    Place,
    Program,
    Read,
    Start,
    Stream,
    View,
    Wait,
    Write,
)

WRONG = frozenset({"result", "deadlock", "undefined", "overwritten"})
"""
Faults of a program whose interleavings differ, block, or use what is undefined, or whose buffers at addresses overwrite
each other.
"""

Cells: TypeAlias = "tuple[int, ...]"
Queue: TypeAlias = "tuple[str, int]"
"""Queue of a stream: its name, and the coordinate or 0."""


@dataclass(eq=False)
class Step:
    """Atomic step of a thread: what it reads and writes, and the positions of other threads that come before."""

    reads: Cells = ()
    writes: Cells = ()
    code: tuple[str, int] = ("", 0)
    after: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    is_stuck: bool = False
    """Whether nothing will ever enable it."""
    needs: tuple[Queue, str, int] | None = None
    """The step on a stream that comes before: queue, kind and number."""
    launches: int = -1
    is_soft: bool = False
    """Whether it writes by declaration only: a slot that is reserved, and new memory, is undefined."""
    conflicts: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """The steps of other threads with which it does not commute, by thread and position."""


@dataclass(eq=False)
class Thread:
    """Thread of steps; of a launched kernel with the name of its queue."""

    steps: list[Step] = field(default_factory=list[Step])
    queue: str | None = None


@dataclass
class Outcome:
    """
    Faults and results of a case; `is_complete` if all interleavings were enumerated.

    The results are those of the interpreter, which gives an allocation at an address memory of its own.
    """

    faults: set[str]
    results: set[tuple[int | None, ...]]
    is_complete: bool
    states: int


# Unrolling


@dataclass
class _Frame:
    """A thread at its present place: its buffers and tokens by name, its indices, and the slots that it holds."""

    thread: int
    names: dict[str, Cells]
    tokens: dict[str, int | None]
    point: dict[str, int]
    held: set[int]
    issued: list[int] = field(default_factory=list[int])
    """The transfers and kernels that it has issued."""


class Unrolled:
    """Threads of a case, the initial content of its memory, and the faults that need no interleaving."""

    def __init__(self, case: Case, apart: frozenset[str] = frozenset()):
        """Unroll a case; buffers whose place is of a kind of `apart`, `address` or `view`, have memory of their own."""
        self.placed: set[str] = set()
        self._apart = apart
        self.threads = [Thread()]
        self.memory: list[int | None] = []
        self.faults: set[str] = set()
        self._functions = {function.name: function for function in case.functions}
        self._streams: dict[str, Stream] = {}
        self._slots: dict[Queue, list[Cells]] = {}
        self._is_slot: set[int] = set()
        self._taken: dict[tuple[Queue, str], list[tuple[int, int]]] = defaultdict(list)
        self._views: dict[tuple[int, int], Cells] = {}
        self._handed_on: set[int] = set()
        """The transfers whose targets have been published after them."""
        self._published: dict[Queue, list[tuple[int, int]]] = defaultdict(list)
        """The end of the transfer after which each slot is published, or its push."""
        self._users: dict[tuple[Queue, bool], set[int]] = {}
        self._waited: set[int] = set()
        self._held: dict[tuple[str, int], set[int]] = defaultdict(set)
        names = {f"b{k}": self._new(EXTENT, 10 * k + 1) for k in range(INPUTS)}
        self.observed = [cell for cells in names.values() for cell in cells]
        names["y"] = self.output = self._new(case.results)
        names["g"] = tuple(self._new(1, 7)[0] for _ in range(EXTENT))
        self._level = self._new(ARENA)
        self._addressed = self._new(4 * ARENA)
        self._globals = {"g": names["g"]}
        self._run(_Frame(0, names, {}, {}, set()), case.body)
        self._link()
        asynchronous = {i for i, thread in enumerate(self.threads) if thread.queue is not None}
        if asynchronous - self._waited:
            self.faults.add("token")
        for queue in {queue for queue, _ in self._taken}:
            if len({len(self._taken[queue, kind]) for kind in ("reserve", "push", "pop", "release")}) > 1:
                self.faults.add("balance")

    def _new(self, size: int, first: int | None = None) -> Cells:
        begin = len(self.memory)
        self.memory += [None if first is None else first + n for n in range(size)]
        return tuple(range(begin, begin + size))

    def _step(self, frame: _Frame, step: Step) -> None:
        if not step.is_soft and any(c in self._is_slot and c not in frame.held for c in (*step.reads, *step.writes)):
            self.faults.add("holds")
        self.threads[frame.thread].steps.append(step)

    def _run(self, frame: _Frame, ops: Ops) -> None:
        for op in ops:
            self._op(frame, op)

    def _op(self, frame: _Frame, op: Op) -> None:
        match op:
            case Loop() | Branch() | Concurrent() | Call():
                self._control(frame, op)
            case Stream() | End():
                self._stream(frame, op)
            case Start() | Wait() | Nothing() | Launch() | Join():
                self._event(frame, op)
            case View(name, source, at, size):
                begin = at.at(frame.point)
                frame.names[name] = frame.names[source][begin : begin + size]
            case Place(name, at, size):
                self.placed.add("view")
                if "view" in self._apart:
                    # Views of the same bytes are one buffer.
                    frame.names[name] = self._views.setdefault((at, size), self._new(size))
                else:
                    frame.names[name] = self._level[at : at + size]
            case Alloc(name, size, address):
                frame.names[name] = self._at(address, size)
                if address is not None:
                    self._step(frame, Step(writes=frame.names[name], code=("undefined", 0), is_soft=True))
            case Write() | Read() | Copy() | Add():
                for step in _steps(frame, op):
                    self._step(frame, step)

    def _at(self, address: int | None, size: int) -> Cells:
        if address is not None:
            self.placed.add("address")
        if address is None or "address" in self._apart:
            return self._new(size)
        return self._addressed[address : address + size]

    def _control(self, frame: _Frame, op: Loop | Branch | Concurrent | Call) -> None:
        match op:
            case Loop(var, count, body, carries):
                for _, argument, initial, _ in carries:
                    frame.tokens[argument] = frame.tokens[initial]
                for index in range(count):
                    frame.point[var] = index
                    self._run(frame, body)
                    found = [frame.tokens[yielded] for _, _, _, yielded in carries]
                    frame.tokens |= {each[1]: token for each, token in zip(carries, found, strict=True)}
                for result, argument, _, _ in carries:
                    frame.tokens[result] = frame.tokens[argument]
            case Branch(var, value, then, other):
                self._run(frame, then if frame.point[var] == value else other)
            case Call(name, buffers):
                known = {f"a{k}": frame.names[buffer] for k, buffer in enumerate(buffers)}
                inner = _Frame(frame.thread, known | self._globals, {}, {}, frame.held, frame.issued)
                self._run(inner, self._functions[name].body)
            case Concurrent(programs):
                self._concurrent(frame, programs)

    def _concurrent(self, frame: _Frame, programs: Sequence[Program]) -> None:
        begin = (frame.thread, len(self.threads[frame.thread].steps))
        joined = Step()
        for program in programs:
            for coordinate in range(max(1, program.count)):
                index = self._thread()
                point = frame.point | ({program.var: coordinate} if program.count else {})
                held = self._held[program.title, coordinate]
                self._run(_Frame(index, dict(frame.names), dict(frame.tokens), point, held), program.body)
                self.threads[index].steps.append(Step())
                self.threads[index].steps[0].after.append(begin)
                joined.after.append((index, len(self.threads[index].steps)))
        self._users.clear()
        self.threads[frame.thread].steps.append(joined)

    def _thread(self, queue: str | None = None) -> int:
        self.threads.append(Thread(queue=queue))
        return len(self.threads) - 1

    # Streams

    def _stream(self, frame: _Frame, op: Stream | End) -> None:
        if isinstance(op, Stream):
            self._streams[op.name] = op
            for point in range(max(1, op.count)):
                ring = self._at(op.address, op.depth * op.size)
                self._slots[op.name, point] = [ring[n * op.size : (n + 1) * op.size] for n in range(op.depth)]
                # At an address, other buffers may have the same bytes at other times.
                self._is_slot |= set(ring) if op.address is None else set()
            return
        queue = (op.stream, op.at.at(frame.point) if op.at is not None else 0)
        if queue not in self._slots:
            self.faults.add("inside")
            return
        depth, done = self._streams[op.stream].depth, self._taken[queue, op.kind]
        number, before = len(done), {"push": "reserve", "release": "pop"}.get(op.kind)
        if before is not None and number >= len(self._taken[queue, before]):
            self.faults.add("balance")
            return
        users = self._users.setdefault((queue, op.kind in ("reserve", "push")), set())
        users.add(frame.thread)
        if len(users) > 1:
            self.faults.add("ends")
        slot = self._slots[queue][number % depth]
        step = Step()
        if op.kind == "pop":
            step.needs = (queue, "push", number)
        if op.kind == "reserve":
            step = Step(writes=slot, code=("undefined", 0), is_soft=True)
            step.needs = (queue, "release", number - depth) if number >= depth else None
        if before is None:
            frame.held |= set(slot)
            frame.names[op.slot] = slot
        else:
            after = frame.tokens[op.after] if op.after else None
            self._handed_on |= {after} if after is not None else set()
            open = {index: self.threads[index].steps for index in frame.issued if index not in self._waited}
            touched = [
                cell
                for index, steps in open.items()
                for each in steps
                for cell in (each.reads if index in self._handed_on else (*each.reads, *each.writes))
            ]
            if not set(slot).isdisjoint(touched):
                self.faults.add("holds")
            frame.held -= set(slot)
        self._step(frame, step)
        done.append((frame.thread, len(self.threads[frame.thread].steps)))
        if op.kind == "push":
            index = frame.tokens[op.after] if op.after else None
            self._published[queue].append(done[-1] if index is None else (index, len(self.threads[index].steps)))

    # Transfers and launches

    def _event(self, frame: _Frame, op: Start | Wait | Nothing | Launch | Join) -> None:
        match op:
            case Nothing(token):
                frame.tokens[token] = None
            case Wait(token) | Join(token):
                index = frame.tokens[token]
                if index is None:
                    return
                if isinstance(op, Wait) and index in self._waited:
                    self.faults.add("token")
                self._waited.add(index)
                self._step(frame, Step(after=[(index, len(self.threads[index].steps))]))
                if isinstance(op, Join):
                    queue, before = self.threads[index].queue, frame.issued[: frame.issued.index(index)]
                    self._waited |= {n for n in before if self.threads[n].queue == queue}
            case Start(token):
                self._issue(frame, token, "", _transfer(frame, op), is_launch=False)
            case Launch(token, engine, body):
                index = self._issue(frame, token, f"engine {engine}", [], is_launch=True)
                inner = _Frame(index, frame.names, {}, dict(frame.point), frame.held)
                self._op(inner, body)
                self.threads[index].steps[0].after.append((frame.thread, len(self.threads[frame.thread].steps)))

    def _issue(self, frame: _Frame, token: str, queue: str, steps: Sequence[Step], *, is_launch: bool) -> int:
        index = self._thread(queue)
        frame.tokens[token] = index
        frame.issued.append(index)
        self._step(frame, Step(launches=index if is_launch else -1))
        for step in steps:
            self._step(_Frame(index, {}, {}, {}, frame.held), step)
        if steps:
            steps[0].after.append((frame.thread, len(self.threads[frame.thread].steps)))
        return index

    def _link(self) -> None:
        """Resolve the steps that come before, and find those that do not commute."""
        steps = [(i, n, step) for i, thread in enumerate(self.threads) for n, step in enumerate(thread.steps)]
        for _, _, step in steps:
            if step.needs is not None:
                queue, kind, number = step.needs
                done = self._taken[queue, kind]
                step.is_stuck = number >= len(done)
                step.after += done[number : number + 1]
                step.after += self._published[queue][: number + 1] if kind == "push" else []
        touching = [each for each in steps if each[2].reads or each[2].writes or each[2].launches >= 0]
        for (i, n, a), (j, m, b) in combinations(touching, 2):
            if i != j and (_conflict(a, b) or self._same_queue(a, b)):
                a.conflicts.append((j, m))
                b.conflicts.append((i, n))

    def _same_queue(self, a: Step, b: Step) -> bool:
        if a.launches < 0 or b.launches < 0:
            return False
        return self.threads[a.launches].queue == self.threads[b.launches].queue


def _conflict(a: Step, b: Step) -> bool:
    writes, others = set(a.writes), set(b.writes)
    return not (writes.isdisjoint(b.reads) and writes.isdisjoint(b.writes) and others.isdisjoint(a.reads))


def _steps(frame: _Frame, op: Write | Read | Copy | Add) -> Iterator[Step]:
    """Yield the steps of an access or a kernel."""

    def at(buffer: str, index: Index) -> Cells:
        cells, number = frame.names[buffer], index.at(frame.point)
        return cells[number : number + 1]

    names = frame.names
    match op:
        case Write(buffer, index, number):
            yield Step(writes=at(buffer, index), code=("constant", number))
        case Read(buffer, index, into):
            yield Step(reads=at(buffer, index), code=("use", 0))
            yield Step(reads=at("y", into), code=("use", 0))
            yield Step(writes=at("y", into), code=("accumulate", 0))
        case Copy(source, target):
            yield Step(reads=names[source])
            yield Step(writes=names[target], code=("copy", 0))
        case Add(left, right, target):
            yield Step(reads=names[left], code=("use", 0))
            yield Step(reads=names[right], code=("use", 0))
            yield Step(writes=names[target], code=("add", 0))


def _transfer(frame: _Frame, op: Start) -> list[Step]:
    far, near, begin = frame.names[op.far], frame.names[op.near], op.at.at(frame.point)
    inside = far[begin : begin + len(near)]
    if op.outward:
        return [Step(reads=near[: len(inside)]), Step(writes=inside, code=("copy", 0))]
    return [Step(reads=inside), Step(writes=near, code=("copy", 0))]


# Enumeration

_ADDRESS = frozenset({"address"})

_Values: TypeAlias = "tuple[int | None, ...]"
_State: TypeAlias = "tuple[tuple[int, ...], _Values, tuple[tuple[_Values, ...], ...], tuple[int, ...]]"
"""Positions of the threads, memory, what each thread has read, and the kernels in the order of their launches."""


def enumerated(case: Case, limit: int, *, reduced: bool = True) -> Outcome:
    """
    Enumerate all interleavings of a case, up to a limit of states.

    `reduced`: a step with which nothing conflicts that the other threads can do without it is taken alone (a persistent
    set: Godefroid, "Partial-order methods for the verification of concurrent systems", 1996).
    """
    unrolled = Unrolled(case)
    outcome = _explored(unrolled, limit, reduced=reduced)
    if not unrolled.placed:
        return outcome
    apart = _explored(Unrolled(case, frozenset(unrolled.placed)), limit, reduced=reduced)
    overwritten = {"overwritten"} if outcome.results != apart.results else set[str]()
    if "address" in unrolled.placed:
        own = apart if "view" not in unrolled.placed else _explored(Unrolled(case, _ADDRESS), limit, reduced=reduced)
        return Outcome(outcome.faults | overwritten, own.results, outcome.is_complete and own.is_complete, own.states)
    return Outcome(outcome.faults | overwritten, outcome.results, outcome.is_complete, outcome.states)


def _explored(unrolled: Unrolled, limit: int, *, reduced: bool) -> Outcome:
    faults = set(unrolled.faults)
    if faults & {"ends", "inside"}:
        return Outcome(faults, set(), True, 0)
    threads = unrolled.threads
    first: _State = (tuple(0 for _ in threads), tuple(unrolled.memory), tuple(() for _ in threads), ())
    pending, seen = list[_State]([first]), set[_State]([first])
    results = set[_Values]()
    finals = set[_Values]()
    while pending and len(seen) <= limit:
        state = pending.pop()
        ready = [i for i in range(len(threads)) if _is_ready(threads, state, i)]
        if not ready:
            if any(at < len(thread.steps) for thread, at in zip(threads, state[0], strict=True)):
                faults.add("deadlock")
            else:
                finals.add(tuple(state[1][cell] for cell in (*unrolled.output, *unrolled.observed)))
                results.add(tuple(state[1][cell] for cell in unrolled.output))
        alone = next((i for i in ready if _is_alone(threads, state, i)), None) if reduced else None
        if alone is None and _races(threads, state, ready):
            faults.add("race")
        for i in ready if alone is None else [alone]:
            after = _taken(threads, state, i, faults)
            if after not in seen:
                seen.add(after)
                pending.append(after)
    if len(finals) > 1:
        faults.add("result")
    return Outcome(faults, results, not pending, len(seen))


def _is_ready(threads: Sequence[Thread], state: _State, index: int) -> bool:
    at, thread = state[0], threads[index]
    if at[index] == len(thread.steps):
        return False
    step = thread.steps[at[index]]
    if step.is_stuck or any(at[other] < number for other, number in step.after):
        return False
    if not thread.queue or at[index]:
        return True
    before = state[3][: state[3].index(index)]
    return all(at[other] == len(threads[other].steps) for other in before if threads[other].queue == thread.queue)


def _is_alone(threads: Sequence[Thread], state: _State, index: int) -> bool:
    """Return whether no step conflicts with that of a thread which the others can reach while this thread stays."""
    step = threads[index].steps[state[0][index]]
    left = [(other, at) for other, at in step.conflicts if at >= state[0][other]]
    if not left:
        return True
    at = list(state[0])
    changed = True
    while changed:
        changed = False
        for other, thread in enumerate(threads):
            while other != index and at[other] < len(thread.steps):
                following = thread.steps[at[other]]
                if following.is_stuck or any(at[before] < number for before, number in following.after):
                    break
                at[other] += 1
                changed = True
    return not any(number < at[other] for other, number in left)


def _races(threads: Sequence[Thread], state: _State, ready: Sequence[int]) -> bool:
    steps = [threads[i].steps[state[0][i]] for i in ready]
    return any(_conflict(a, b) and not (a.is_soft or b.is_soft) for a, b in combinations(steps, 2))


def _taken(threads: Sequence[Thread], state: _State, index: int, faults: set[str]) -> _State:
    """Return the state after a step of a thread."""
    at, memory, registers, order = state
    step = threads[index].steps[at[index]]
    at = (*at[:index], at[index] + 1, *at[index + 1 :])
    if step.launches >= 0:
        order = (*order, step.launches)
    if step.reads or (step.code[0] in ("", "use") and not step.writes):
        values = tuple(memory[cell] for cell in step.reads)
        if None in values:
            faults.add("undefined" if step.code[0] == "use" else "copies undefined")
        if step.reads:
            registers = (*registers[:index], (*registers[index], values), *registers[index + 1 :])
    if step.writes:
        found = _written(step, registers[index])
        content = list(memory)
        for cell, value in zip(step.writes, found, strict=True):
            content[cell] = value
        memory = tuple(content)
        registers = (*registers[:index], (), *registers[index + 1 :])
    return at, memory, registers, order


def _written(step: Step, registers: Sequence[Sequence[int | None]]) -> list[int | None]:
    """Return the values that a step writes, 32 bits each."""
    kind, number = step.code
    if kind == "constant":
        return [number] * len(step.writes)
    if kind == "copy":
        copied = [*registers[-1]] if registers else []
        return [*copied, *[0] * (len(step.writes) - len(copied))]
    if kind in ("accumulate", "add"):
        left, right = registers[-2], registers[-1]
        factor = 31 if kind == "accumulate" else 1
        pairs = zip(left, right, strict=True)
        return [None if a is None or b is None else (a + factor * b) % 2**32 for a, b in pairs]
    return [None] * len(step.writes)
