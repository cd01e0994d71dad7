"""Small concurrent programs as data, and as IR: elements are i32, an index is affine in one loop or coordinate."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

INPUTS = 2
"""Shared buffers that the caller gives, of `EXTENT` elements each."""
EXTENT = 4
ARENA = 8
"""Elements of the memory of a level of which buffers are views."""


@dataclass(frozen=True)
class Index:
    """Index (constant + factor * var) modulo `modulo`; no modulo where it is 0."""

    constant: int = 0
    var: str = ""
    factor: int = 1
    modulo: int = 0

    def at(self, point: dict[str, int]) -> int:
        """Return the index at the values of loop indices and coordinates."""
        found = self.constant + (self.factor * point[self.var] if self.var else 0)
        return found % self.modulo if self.modulo else found


@dataclass(frozen=True)
class Write:
    """Store of a number."""

    buffer: str
    at: Index
    number: int


@dataclass(frozen=True)
class Read:
    """Load of an element, which is accumulated into an element of the output: y = 31 * y + element."""

    buffer: str
    at: Index
    into: Index


@dataclass(frozen=True)
class Copy:
    """Copy of a buffer to another one of its size."""

    source: str
    target: str


@dataclass(frozen=True)
class Add:
    """Kernel that adds two buffers."""

    left: str
    right: str
    target: str


@dataclass(frozen=True)
class Start:
    """Issue of a transfer between a near buffer and a tile of a far one, which is in bounds unless `clipped`."""

    token: str
    far: str
    at: Index
    near: str
    outward: bool
    clipped: bool = False


@dataclass(frozen=True)
class Wait:
    """Wait for a transfer."""

    token: str


@dataclass(frozen=True)
class Nothing:
    """Token of nothing."""

    token: str


@dataclass(frozen=True)
class Call:
    """Call of a function with buffers."""

    function: str
    buffers: tuple[str, ...]


@dataclass(frozen=True)
class Launch:
    """Launch of a kernel or call on the in-order queue of an engine; no engine is a queue, too."""

    token: str
    engine: str
    body: Add | Call


@dataclass(frozen=True)
class Join:
    """Wait for a launch."""

    token: str


@dataclass(frozen=True)
class End:
    """
    Step on a stream: `reserve`, `push`, `pop` or `release`.

    `slot` names the slot that it takes, `after` the token of the transfer after which a slot is published.
    """

    kind: str
    stream: str
    at: Index | None = None
    slot: str = ""
    after: str = ""


@dataclass(frozen=True)
class View:
    """Elements `at` to `at` + size of a buffer."""

    name: str
    source: str
    at: Index
    size: int


@dataclass(frozen=True)
class Place:
    """Buffer of `size` elements at element `at` of the level's memory."""

    name: str
    at: int
    size: int


@dataclass(frozen=True)
class Alloc:
    """Allocation of uninitialised elements, in the level at the address of element `address` if there is one."""

    name: str
    size: int
    address: int | None = None


@dataclass(frozen=True)
class Loop:
    """Loop of `count` iterations; `carries` are the names of tokens: result, argument, initial, yielded."""

    var: str
    count: int
    body: Ops
    carries: tuple[tuple[str, str, str, str], ...] = ()


@dataclass(frozen=True)
class Branch:
    """Conditional on an index."""

    var: str
    value: int
    then: Ops
    other: Ops = ()


@dataclass(frozen=True)
class Program:
    """Program, replicated over `count` instances with the coordinate `var` unless that is 0."""

    title: str
    body: Ops
    var: str = ""
    count: int = 0


@dataclass(frozen=True)
class Concurrent:
    """Concurrent programs."""

    programs: tuple[Program, ...]


@dataclass(frozen=True)
class Stream:
    """Stream of slots of `size` elements, 0 for those of nothing; an array of `count` streams unless that is 0."""

    name: str
    depth: int
    size: int
    count: int = 0
    address: int | None = None


Op: TypeAlias = (
    Write | Read | Copy | Add | Start | Wait | Nothing | Call | Launch | Join | End | View | Place | Alloc
    | Loop | Branch | Concurrent | Stream
)  # fmt: skip
Ops: TypeAlias = "tuple[Op, ...]"


@dataclass(frozen=True)
class Function:
    """Function of buffers of these sizes, named `a0`, `a1`, ..., in a level."""

    name: str
    sizes: tuple[int, ...]
    body: Ops
    space: str = ""


@dataclass(frozen=True)
class Case:
    """Function `network` of the inputs `b0`, `b1` and the output `y`, and the functions that it calls."""

    body: Ops
    results: int
    """Elements of the output."""
    functions: tuple[Function, ...] = ()
    features: frozenset[str] = frozenset()


# As IR


@dataclass
class _Text:
    """Lines of a function, and the types of its buffers."""

    types: dict[str, str]
    lines: list[str] = field(default_factory=list[str])
    count: int = 0

    def add(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text)

    def index(self, depth: int, index: Index) -> str:
        """Return the name of an index."""
        if not index.var:
            return f"%i{index.at({})}"
        name = f"%{index.var}"
        for op, number, neutral in (
            ("muli", index.factor, 1),
            ("addi", index.constant, 0),
            ("remui", index.modulo, 0),
        ):
            if number != neutral:
                self.count += 1
                self.add(depth, f"%x{self.count} = arith.{op} {name}, %i{number} : index")
                name = f"%x{self.count}"
        return name


def text_of(case: Case) -> str:
    """Return a case as IR."""
    shared = {f"b{k}": _type(EXTENT) for k in range(INPUTS)}
    types = {**shared, "y": _type(case.results)}
    arguments = [*(f"%{name}: {kind}" for name, kind in shared.items()), f"%y: {types['y']} {{tilewright.output}}"]
    lines = [
        f'memref.global "private" @g : {_type(EXTENT)} = dense<7>',
        f'memref.global "private" @level : memref<{4 * ARENA}xi8, "L1"> = uninitialized',
    ]
    for function in case.functions:
        known = {f"a{k}": _type(size, function.space) for k, size in enumerate(function.sizes)}
        lines += _function(function.name, [f"%{name}: {kind}" for name, kind in known.items()], known, function.body)
    return "\n".join([*lines, *_function("network", arguments, types, case.body)])


def _type(size: int, space: str = "", layout: str = "") -> str:
    return f"memref<{size}xi32{layout}" + (f', "{space}">' if space else ">")


def _function(name: str, arguments: Sequence[str], types: dict[str, str], body: Ops) -> list[str]:
    # A buffer that is used before it is defined has any type: the program is ill-formed.
    text = _Text(defaultdict(lambda: _type(2), types | {"g": _type(EXTENT)}))
    _write(text, 1, body)
    used = set(re.findall(r"%[in]\d+\b|%g\b|%level\b", "\n".join(text.lines)))
    begin = [f"  %i{n} = arith.constant {n} : index" for n in range(33)]
    begin += [f"  %n{n} = arith.constant {n} : i32" for n in range(64)]
    begin += [f"  %g = memref.get_global @g : {_type(EXTENT)}"]
    begin += [f'  %level = memref.get_global @level : memref<{4 * ARENA}xi8, "L1">']
    return [
        f"func.func @{name}({', '.join(arguments)}) {{",
        *(line for line in begin if line.split()[0] in used),
        *text.lines,
        "  func.return",
        "}",
    ]


def _write(text: _Text, depth: int, ops: Ops) -> None:
    for op in ops:
        if isinstance(op, Write | Read | Copy | Add | View | Place | Alloc | Call):
            _write_access(text, depth, op)
        elif isinstance(op, Loop | Branch | Concurrent):
            _write_block(text, depth, op)
        else:
            _write_event(text, depth, op)


def _write_access(
    text: _Text, depth: int, op: Write | Read | Copy | Add | View | Place | Alloc | Call, attributes: str = ""
) -> None:
    types = text.types
    match op:
        case Write(buffer, at, number):
            text.add(depth, f"memref.store %n{number}, %{buffer}[{text.index(depth, at)}] : {types[buffer]}")
        case Read(buffer, at, into):
            text.count += 1
            n, place, element = text.count, text.index(depth, into), text.index(depth, at)
            text.add(depth, f"%element{n} = memref.load %{buffer}[{element}] : {types[buffer]}")
            text.add(depth, f"%before{n} = memref.load %y[{place}] : {types['y']}")
            text.add(depth, f"%scaled{n} = arith.muli %before{n}, %n31 : i32")
            text.add(depth, f"%after{n} = arith.addi %scaled{n}, %element{n} : i32")
            text.add(depth, f"memref.store %after{n}, %y[{place}] : {types['y']}")
        case Copy(source, target):
            text.add(depth, f"memref.copy %{source}, %{target} : {types[source]} to {types[target]}")
        case Add(left, right, target):
            ins = f"ins(%{left}, %{right} : {types[left]}, {types[right]})"
            text.add(depth, f"linalg.add {ins} outs(%{target} : {types[target]}){attributes}")
        case View(name, source, at, size):
            space = "L1" if '"L1"' in types[source] else ""
            types[name] = _type(size, space, ", strided<[1], offset: ?>")
            text.add(
                depth,
                f"%{name} = memref.subview %{source}[{text.index(depth, at)}] [{size}] [1] : "
                f"{types[source]} to {types[name]}",
            )
        case Place(name, at, size):
            types[name] = _type(size, "L1")
            level = f'memref<{4 * ARENA}xi8, "L1">'
            text.add(depth, f"%{name} = memref.view %level[%i{4 * at}][] : {level} to {types[name]}")
        case Alloc(name, size, address):
            types[name] = _type(size, "" if address is None else "L1")
            place = "" if address is None else f" {{hier.address = {4 * address} : i64}}"
            text.add(depth, f"%{name} = memref.alloc(){place} : {types[name]}")
        case Call(function, buffers):
            names, kinds = ", ".join(f"%{b}" for b in buffers), ", ".join(types[b] for b in buffers)
            text.add(depth, f"func.call @{function}({names}){attributes} : ({kinds}) -> ()")


def _write_event(
    text: _Text, depth: int, op: Start | Wait | Nothing | Launch | Join | End | Stream
) -> None:  # fmt: skip
    types = text.types
    match op:
        case Start(token, far, at, near, outward, clipped):
            way = "from" if outward else "to"
            clip = ("" if outward else " clipped fill 0 : i32") if clipped else ""
            clip = " clipped" if clipped and outward else clip
            place = text.index(depth, at)
            ends = f"{types[far]}, {types[near]}"
            text.add(depth, f"%{token} = hier.dma_start %{far}[{place}] {way} %{near}{clip} : {ends}")
        case Wait(token):
            text.add(depth, f"hier.dma_wait %{token}")
        case Nothing(token):
            text.add(depth, f"%{token} = hier.dma_none")
        case Launch(token, engine, body):
            text.add(depth, f"%{token} = hier.launch {{")
            attributes = f' {{engine = "{engine}"}}' if engine else ""
            is_kernel = bool(engine) and not isinstance(body, Call)
            _write_access(text, depth + 1, body, f" attrs ={attributes}" if is_kernel else attributes)
            text.add(depth, "}")
        case Join(token):
            text.add(depth, f"hier.join %{token}")
        case End(kind, stream, at, slot, after):
            place = f"[{text.index(depth, at)}]" if at is not None else ""
            tile = types[f"tile of {stream}"]
            if slot and tile:
                types[slot] = tile
            result = f"%{slot} = " if slot and tile else ""
            text.add(
                depth, f"{result}hier.{kind} %{stream}{place}{f' after %{after}' if after else ''} : {types[stream]}"
            )
        case Stream(name, stream_depth, size, count, address):
            tile = _type(size, "L1") if size else ""
            over = f" over [{count}]" if count else ""
            types[f"tile of {name}"] = tile
            types[name] = f"!hier.stream<{tile}{over}>".replace("< over", "<over") if tile or over else "!hier.stream"
            place = "" if address is None else f" address {4 * address}"
            text.add(depth, f"%{name} = hier.stream depth {stream_depth}{place} : {types[name]}")


def _write_block(text: _Text, depth: int, op: Loop | Branch | Concurrent) -> None:
    match op:
        case Loop(var, count, body, carries):
            results = ", ".join(f"%{each[0]}" for each in carries)
            given = ", ".join(f"%{argument} = %{initial}" for _, argument, initial, _ in carries)
            kinds = ", ".join("!hier.token" for _ in carries)
            carried = f" iter_args({given}) -> ({kinds})" if carries else ""
            head = f"{results} = " if carries else ""
            text.add(depth, f"{head}scf.for %{var} = %i0 to %i{count} step %i1{carried} {{")
            _write(text, depth + 1, body)
            if carries:
                text.add(depth + 1, f"scf.yield {', '.join(f'%{each[3]}' for each in carries)} : {kinds}")
            text.add(depth, "}")
        case Branch(var, value, then, other):
            text.count += 1
            text.add(depth, f"%e{text.count} = arith.cmpi eq, %{var}, %i{value} : index")
            text.add(depth, f"scf.if %e{text.count} {{")
            _write(text, depth + 1, then)
            if other:
                text.add(depth, "} else {")
                _write(text, depth + 1, other)
            text.add(depth, "}")
        case Concurrent(programs):
            text.add(depth, "hier.concurrent {")
            for program in programs:
                over = f" over (%{program.var}) in [{program.count}]" if program.count else ""
                text.add(depth + 1, f'hier.program "{program.title}"{over} {{')
                _write(text, depth + 2, program.body)
                text.add(depth + 1, "}")
            text.add(depth, "}")


def lists_of(case: Case) -> Iterator[Ops]:
    """Yield each list of ops of a case, outermost first."""
    pending = [case.body, *(function.body for function in case.functions)]
    while pending:
        ops = pending.pop(0)
        yield ops
        for op in ops:
            match op:
                case Loop(body=body):
                    pending.append(body)
                case Branch(then=then, other=other):
                    pending += [then, other]
                case Concurrent(programs):
                    pending += [program.body for program in programs]
                case _:
                    pass
