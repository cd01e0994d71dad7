"""Random concurrent programs: blocks of steps on streams, shared buffers and engines, of which some are wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

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
    Function,
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
from tilewright.test.oracles.interleavings_mutations import mutated

FEATURES = {
    "transfers": 0.5,
    "pushes after": 0.3,
    "launches": 0.25,
    "several concurrent": 0.35,
    "loop around": 0.1,
    "semaphores": 0.35,
    "replicated": 0.25,
    "views": 0.25,
    "level": 0.15,
    "addresses": 0.15,
    "calls": 0.2,
    "conditionals": 0.2,
    "carried tokens": 0.15,
    "several slots": 0.25,
    "globals": 0.15,
    "outside": 0.25,
    "kernels": 0.3,
}
"""Construct -> its probability in a case."""

FUNCTIONS = (
    *(
        Function(f"{name}{space}", (2,), body, space)
        for space in ("", "L1")
        for name, body in {
            "fill": (Write("a0", Index(0), 41), Write("a0", Index(1), 42)),
            "fetch": (Start("t", "g", Index(1), "a0", outward=False), Wait("t")),
        }.items()
    ),
    Function("set", (4,), (Write("a0", Index(3), 43),)),
)


@dataclass
class _Link:
    """Stream between two programs, by their numbers, and how many tiles it carries."""

    stream: Stream
    producer: int
    consumer: int
    tiles: int
    shared: int
    """Number of the element that a token of it hands on."""


@dataclass
class _Maker:
    """Maker of one case."""

    random: Random
    features: frozenset[str]
    shared: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    owners: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    """Buffer and first element -> the program that accesses these elements most of the time."""
    names: int = 0
    programs: int = 0

    def name(self, prefix: str) -> str:
        """Return a new name."""
        self.names += 1
        return f"{prefix}{self.names}_"

    def has(self, feature: str, chance: float = 1.0) -> bool:
        """Return whether to use a feature here."""
        return feature in self.features and self.random.random() < chance

    def number(self) -> int:
        """Return a number to store."""
        self.names += 1
        return 1 + self.names % 30

    def region(self, program: int, size: int) -> tuple[str, Index]:
        """Return a buffer and the first of some of its elements, of the program's own more often."""
        pick = self.random.choice
        for _ in range(8):
            buffer, extent = pick(self.shared)
            at = pick(range(extent - size + 1))
            owner = self.owners.setdefault((buffer, at // 2), pick(range(self.programs)))
            last = self.owners.setdefault((buffer, (at + size - 1) // 2), owner)
            if owner == last == program or self.random.random() < 0.02:
                return buffer, Index(at)
        return f"b{program % INPUTS}", Index(pick(range(EXTENT - size + 1)) if size == 1 else 0)


@dataclass
class _Body:
    """Maker of one program."""

    maker: _Maker
    number: int
    """That of the program; its results are accumulated into this element of the output."""
    into: Index
    near: list[str] = field(default_factory=list[str])
    """Buffers of two elements of its own."""
    space: str = ""
    """The level of these."""

    # Accesses

    def access(self) -> list[Op]:
        """Return an access to shared memory, or to the program's own."""
        m = self.maker
        kinds: list[Callable[[], list[Op]]] = [self._write, self._read, self._read]
        for feature, kind in (
            ("transfers", self._fetch),
            ("transfers", self._put),
            ("views", self._view),
            ("launches", self._launch),
            ("calls", self._call),
            ("kernels", self._kernel),
            ("conditionals", self._conditional),
            ("carried tokens", self._carried),
        ):
            kinds += [kind, kind] if m.has(feature) else []
        return m.random.choice(kinds)()

    def _write(self) -> list[Op]:
        buffer, at = self.maker.region(self.number, 1)
        return [Write(buffer, at, self.maker.number())]

    def _read(self) -> list[Op]:
        buffer, at = self.maker.region(self.number, 1)
        return [Read(buffer, at, self.into)]

    def _read_all(self, buffer: str, size: int = 2) -> list[Op]:
        chosen = self.maker.random.choice
        return [Read(buffer, Index(k), self.into) for k in (range(size) if chosen((0, 1)) else [chosen(range(size))])]

    def _fetch(self) -> list[Op]:
        near, token = self.maker.random.choice(self.near), self.maker.name("t")
        buffer, at = self.maker.region(self.number, 2)
        return [Start(token, buffer, at, near, outward=False), Wait(token), *self._read_all(near)]

    def _put(self) -> list[Op]:
        near, token = self.maker.random.choice(self.near), self.maker.name("t")
        buffer, at = self.maker.region(self.number, 2)
        fill: list[Op] = [Write(near, Index(self.maker.random.choice((0, 1))), self.maker.number())]
        if self.maker.random.random() < 0.15:
            return [*fill, Start(token, buffer, Index(EXTENT - 1), near, outward=True, clipped=True), Wait(token)]
        return [*fill, Start(token, buffer, at, near, outward=True), Wait(token)]

    def _view(self) -> list[Op]:
        view, pick = self.maker.name("v"), self.maker.random.choice
        buffer, at = self.maker.region(self.number, 2)
        accesses: list[Op] = [
            Write(view, Index(pick((0, 1))), self.maker.number()),
            Read(view, Index(pick((0, 1))), self.into),
            Copy(view, self.near[0]),
            Copy(self.near[0], view),
        ]
        return [View(view, buffer, at, 2), *self.maker.random.sample(accesses, pick((1, 2)))]

    def _launch(self) -> list[Op]:
        m, token = self.maker, self.maker.name("j")
        pick = m.random.choice
        engine = pick(("npu", "npu", "dsp", ""))
        left, target = pick(self.near), pick(self.near)
        before: list[Op] = []
        if m.random.random() < 0.5:
            left = m.name("v")
            buffer, at = m.region(self.number, 2)
            before = [View(left, buffer, at, 2)]
        body = Add(left, left, target) if not m.has("calls", 0.3) else Call(f"fill{self.space}", (target,))
        first, reads = Launch(token, engine, body), self._read_all(target)
        if m.random.random() < 0.5:
            return [*before, first, Join(token), *reads]
        second = m.name("j")
        more = Launch(second, pick((engine, engine, "dsp")), Add(target, target, pick(self.near)))
        joins = [Join(token), Join(second)] if pick((0, 1)) else [Join(second), Join(token)]
        return [*before, first, more, *joins, *reads]

    def _call(self) -> list[Op]:
        near, pick = self.near[0], self.maker.random.choice
        buffer, _ = self.maker.region(self.number, 4) if self.maker.random.random() < 0.3 else ("", 0)
        if buffer and buffer[0] in "bg":
            return [Call("set", (buffer,))]
        return [Call(pick(("fill", "fetch")) + self.space, (near,)), *self._read_all(near)]

    def _kernel(self) -> list[Op]:
        pick = self.maker.random.choice
        return [Add(pick(self.near), pick(self.near), target := pick(self.near)), *self._read_all(target)]

    def _conditional(self) -> list[Op]:
        var = self.maker.name("k")
        then, other = [*self._write(), *self._read()], self._read()
        value = self.maker.random.choice((0, 1))
        body: Ops = (Branch(var, value, tuple(then), tuple(other)),)
        if self.maker.random.random() < 0.3:
            buffer, at = self.maker.region(self.number, 2)
            body = (*body, Read(buffer, replace(at, var=var), self.into))
        return [Loop(var, 2, body)]

    def _carried(self) -> list[Op]:
        """Return a loop whose transfers are waited for one iteration later."""
        m, var = self.maker, self.maker.name("k")
        first, argument, following, last = (m.name("t") for _ in range(4))
        near = self.near[0]
        buffer, at = m.region(self.number, 2)
        begin: Op = Nothing(first) if m.random.random() < 0.4 else Start(first, buffer, at, near, outward=False)
        body = [Wait(argument), *self._read_all(near), Start(following, buffer, at, near, outward=False)]
        if m.random.random() < 0.2:
            m.random.shuffle(body)
        return [begin, Loop(var, 2, tuple(body), ((last, argument, first, following),)), Wait(last)]

    # Streams

    def tile(self, link: _Link) -> list[Op]:
        """Return the steps of one tile, or of two held at once, at an end of a stream."""
        m, stream = self.maker, link.stream
        takes, hands = ("reserve", "push") if link.producer == self.number else ("pop", "release")
        if not stream.size:
            return self._token(link, takes, hands)
        count = 2 if m.has("several slots", 0.4) and link.tiles > 1 and stream.depth > 1 else 1
        slots = [m.name("s") for _ in range(count)]
        uses = [self._fill(s, stream) if takes == "reserve" else self._use(s, stream) for s in slots]
        m.random.shuffle(uses)
        taken: list[Op] = [End(takes, stream.name, slot=slot) for slot in slots]
        hand = [End(hands, stream.name) for _ in slots]
        last = uses[-1][-1] if uses[-1] else None
        if hands == "push" and isinstance(last, Wait) and m.has("pushes after", 0.6):
            before = [op for use in uses for op in use if op is not last]
            return [*taken, *before, *hand[:-1], End(hands, stream.name, after=last.token), last]
        if m.random.random() < 0.2:
            uses.append(self._handed_on(link))
        return [*taken, *(op for use in uses for op in use), *hand]

    def _token(self, link: _Link, takes: str, hands: str) -> list[Op]:
        """Return the steps of one token, around an access to memory that the programs share by it."""
        m, ends = self.maker, [End(takes, link.stream.name), End(hands, link.stream.name)]
        access = self._handed_on(link) if m.random.random() < 0.7 else []
        if takes == "reserve" and m.random.random() < 0.4:
            return [*access, *ends]
        return [ends[0], *access, *(self.access() if m.random.random() < 0.3 else []), ends[1]]

    def _handed_on(self, link: _Link) -> list[Op]:
        """Return an access to the elements that the tokens or tiles of a stream hand on."""
        m, is_producer = self.maker, link.producer == self.number
        buffer = m.shared[link.shared % len(m.shared)][0]
        if m.has("transfers", 0.4):
            start = Start(m.name("t"), buffer, Index(link.shared % (EXTENT - 1)), self.near[0], outward=is_producer)
            return [start, Wait(start.token), *([] if is_producer else self._read_all(self.near[0]))]
        at = Index(link.shared % EXTENT)
        return [Write(buffer, at, m.number()) if is_producer else Read(buffer, at, self.into)]

    def _fill(self, slot: str, stream: Stream) -> list[Op]:
        m, token = self.maker, self.maker.name("t")
        size = stream.size
        buffer, at = m.region(self.number, max(1, size))
        written = [k for k in range(size) if m.random.random() < 0.97]
        fills: list[Sequence[Op]] = [[Write(slot, Index(k), m.number()) for k in written]]
        if m.has("transfers"):
            clipped = m.random.random() < 0.15
            start = Start(token, buffer, Index(EXTENT - 1) if clipped else at, slot, outward=False, clipped=clipped)
            fills += [[start, Wait(token)]] * 2
        if size == 2:
            fills += [[Copy(self.near[0], slot)]]
            fills += [[Launch(token, "npu", Add(self.near[0], self.near[0], slot)), Join(token)]] * m.has("launches")
            fills += [[Call("fetchL1" if m.random.random() < 0.5 else "fillL1", (slot,))]] * m.has("calls")
        if m.has("views"):
            view = m.name("v")
            fills += [[View(view, slot, Index(), 1), Write(view, Index(), m.number())]] * (size == 1)
        return list(m.random.choice(fills))

    def _use(self, slot: str, stream: Stream) -> list[Op]:
        m, token = self.maker, self.maker.name("t")
        size, near = stream.size, m.random.choice(self.near)
        reads = self._read_all(slot, size)
        uses: list[Sequence[Op]] = [reads, [*reads, Write(slot, Index(0), m.number()), *reads]]
        if m.has("transfers"):
            buffer, at = m.region(self.number, size)
            uses += [[Start(token, buffer, at, slot, outward=True), Wait(token)]] * 2
        if size == 2:
            uses += [[Copy(slot, near), *self._read_all(near)]]
            more: Op = Join(token)
            uses += [[Launch(token, "npu", Add(slot, slot, near)), more, *self._read_all(near)]] * m.has("launches")
        return list(m.random.choice(uses))

    # Programs

    def steps(self, links: Sequence[_Link]) -> list[Op]:
        """Return the steps of a program at its ends of streams."""
        m = self.maker
        self.near = [m.name("p") for _ in range(m.random.choice((1, 2)))]
        address = m.random.choice((0, 4, 8, 10)) if m.has("addresses", 0.5) else None
        self.space = "" if address is None else "L1"
        begin: list[Op] = []
        for near in self.near:
            begin.append(Alloc(near, 2, address))
            begin += [Write(near, Index(k), m.number()) for k in range(2)] if m.random.random() < 0.97 else []
            address = None if address is None else address + 2
        blocks: list[list[Op]] = []
        for link in links:
            if self.number not in (link.producer, link.consumer):
                continue
            if m.random.random() < 0.4 and link.tiles > 1:
                tile = self.tile(link)
                held = sum(isinstance(op, End) for op in tile) // 2
                blocks.append([Loop(m.name("k"), link.tiles // held, tuple(tile))])
                blocks += [self.tile(replace(link, tiles=1)) for _ in range(link.tiles % held)]
                continue
            left = link.tiles
            while left:
                tile = self.tile(replace(link, tiles=left))
                left -= sum(isinstance(op, End) for op in tile) // 2
                blocks.append(tile)
        for _ in range(m.random.choice((0, 0, 1, 1, 2))):
            blocks.insert(m.random.randrange(len(blocks) + 1), self.access())
        if m.random.random() < 0.15:
            m.random.shuffle(blocks)
        found = [op for block in blocks for op in block]
        return [*begin, *(_moved_waits(m.random, found) if m.random.random() < 0.5 else found)]


def _moved_waits(random: Random, ops: list[Op]) -> list[Op]:
    """Return ops of which some waits come later; few too late."""
    found = list(ops)
    for op in [op for op in ops if isinstance(op, Wait | Join)]:
        at = found.index(op)
        if random.random() < 0.3:
            found.pop(at)
            found.insert(min(len(found), at + random.choice((1, 1, 2, 4))), op)
    return found


def random_case(random: Random) -> Case:
    """Return a case of random constructs, most of them well-formed, about a half right."""
    features = frozenset(name for name, chance in FEATURES.items() if random.random() < chance)
    maker = _Maker(random, features)
    segments = random.choice((2, 2, 3)) if "several concurrent" in features else 1
    counts = [random.choice((2, 2, 2, 3)) for _ in range(segments)]
    maker.programs = sum(counts)
    head = _shared(maker)
    links = _links(maker, counts)
    streams = [link.stream for link in links]
    nodes = random.choice((2, 3)) if "replicated" in features else 0
    ring = Stream("ring", random.choice((1, 1, 2)), random.choice((1, 2)), nodes)
    results = maker.programs + nodes + 1
    bodies = [_Body(maker, number, Index(number)).steps(links) for number in range(maker.programs)]
    programs = [Program(f"p{number}", tuple(body)) for number, body in enumerate(bodies)]
    groups: list[list[Program]] = []
    for count in counts:
        groups.append(programs[:count])
        programs = programs[count:]
    if nodes:
        groups[random.randrange(segments)].append(_node(maker, ring, maker.programs))
    body: list[Op] = [Loop("k", results, (Write("y", Index(0, "k"), 0),)), *head]
    body += [*streams, *[ring] * bool(nodes)]
    body += _around(maker, groups, results - 1)
    body += [
        Loop(maker.name("k"), size, (Read(buffer, Index(0, f"k{maker.names}_"), Index(results - 1)),))
        for buffer, size in maker.shared
    ]
    case = Case(tuple(body), results, FUNCTIONS if "calls" in features else (), features)
    return mutated(random, case) if random.random() < 0.4 else case


def _shared(maker: _Maker) -> list[Op]:
    """Return the ops that make shared buffers."""
    random = maker.random
    maker.shared = [(f"b{k}", EXTENT) for k in range(INPUTS)]
    head: list[Op] = []
    if maker.has("globals"):
        maker.shared.append(("g", EXTENT))
    if maker.has("level"):
        places = [(0, 4), (4, 4)] if random.random() < 0.6 else [(0, 4), (random.choice((0, 2, 3)), 4)]
        for at, size in places:
            name = maker.name("v")
            head.append(Place(name, min(at, ARENA - size), size))
            maker.shared.append((name, size))
    if maker.has("addresses", 0.5):
        name = maker.name("c")
        head.append(Alloc(name, 4, 20))
        maker.shared.append((name, 4))
    made = [name for name, _ in maker.shared if name[0] not in "bg"]
    head += [Write(name, Index(k), maker.number()) for name in made for k in range(4) if random.random() < 0.98]
    return head


def _links(maker: _Maker, counts: Sequence[int]) -> list[_Link]:
    """Return streams between random programs, mostly of one `hier.concurrent`, or from an earlier to a later one."""
    random = maker.random
    segment = [k for k, count in enumerate(counts) for _ in range(count)]
    links: list[_Link] = []
    address = 0
    for number in range(random.choice((1, 1, 2, 2, 3))):
        producer, consumer = random.sample(range(maker.programs), 2)
        if segment[producer] != segment[consumer] and random.random() < 0.5:
            producer, consumer = random.sample([p for p, s in enumerate(segment) if s == segment[producer]], 2)
        if segment[producer] > segment[consumer] and random.random() < 0.9:
            producer, consumer = consumer, producer
        size = 0 if maker.has("semaphores", 0.5) else random.choice((1, 2, 2))
        depth = random.choice((1, 2, 2, 3))
        tiles = random.choice((1, 2, 3))
        if segment[producer] != segment[consumer] and random.random() < 0.9:
            tiles = min(tiles, depth)
        place = None
        if size and maker.has("addresses", 0.7):
            place = address if random.random() < 0.85 else random.choice((0, 1, 2, 4))
            address += depth * size
        stream = Stream(f"q{number}", depth, size, 0, place)
        links.append(_Link(stream, producer, consumer, tiles, random.randrange(12)))
    return links


def _node(maker: _Maker, ring: Stream, into: int) -> Program:
    """Return a replicated program that hands tiles to its neighbour."""
    random, count, size = maker.random, ring.count, ring.size
    own, slot, got, token, second = (maker.name(prefix) for prefix in ("p", "s", "s", "t", "t"))
    at, here = Index(0, "h"), Index(0, "h")
    to = Index(random.choice((1, 1, 1, 2)) % count or 1, "h", 1, count)
    result = Index(into, "h")
    fetch: list[Op] = [Start(token, "b0", at if size == 1 else Index(0, "h", 1, 3), own, outward=False), Wait(token)]
    send: list[Op] = [End("reserve", "ring", to, slot), Start(second, own, Index(), slot, outward=False), Wait(second)]
    if random.random() < 0.3:
        send[1:] = [Write(slot, Index(k), maker.number()) for k in range(size)]
    send.append(End("push", "ring", to))
    take: list[Op] = [End("pop", "ring", here, got), Read(got, Index(size - 1), result), End("release", "ring", here)]
    keep: list[Op] = [Write(own, Index(0), maker.number())] if random.random() < 0.3 else []
    if "conditionals" in maker.features and random.random() < 0.5:
        send = [Branch("h", count - 1, (), tuple(send))]
        take = [Branch("h", 0, (), tuple(take))]
        to = Index(1, "h", 1, count)
    rounds = [*send, *keep, *take] if random.random() < 0.85 else [*take, *send]
    again: list[Op] = [Loop("n", 2, tuple(rounds))] if random.random() < 0.4 else rounds
    if random.random() < 0.3:
        again.append(Write("b1", here, 30))
    if random.random() < 0.3:
        again = _moved_waits(random, again)
    return Program("node", (Alloc(own, size), *fetch, *again), "h", count)


def _around(maker: _Maker, groups: Sequence[Sequence[Program]], into: int) -> list[Op]:
    """Return the concurrent ops, with work before, between and after them, and loops around some."""
    random = maker.random
    main = _Body(maker, random.randrange(maker.programs), Index(into))
    near = maker.name("p")
    main.near = [near]
    found: list[Op] = [Alloc(near, 2), Write(near, Index(0), 5), Write(near, Index(1), 6)]
    first = 0
    for group in groups:
        if maker.has("outside", 0.6):
            found += main.access()
        token = maker.name("t")
        is_open = maker.has("outside", 0.4)
        if is_open:
            buffer, at = maker.region(first, 2)
            found.append(Start(token, buffer, at, near, outward=random.random() < 0.3))
        first += sum(program.title != "node" for program in group)
        if is_open and random.random() < 0.5:
            held = group[0]
            group = [replace(held, body=(*held.body, Wait(token))), *group[1:]]
            is_open = False
        op: Op = Concurrent(tuple(group))
        found.append(Loop(maker.name("k"), 2, (op,)) if maker.has("loop around", 0.7) else op)
        if is_open:
            found.append(Wait(token))
    if maker.has("outside", 0.5):
        found += main.access()
    return found
