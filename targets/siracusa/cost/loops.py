"""
Cost of loop nests in plain C, as `convert-kernels-to-loops` and a C compiler for rv32im generate them.

An iteration of an innermost loop takes its scalar code, a load or store and a pointer step for each moving operand, and
a taken branch. One that stores takes a cycle more, since it waits for a load. A multiply-accumulate thus takes 11
cycles: 2 for loads, 2 for pointers, 3 for the branch and 4 for product and sum. A copied element takes 8, a pair of
words of a row that is copied whole 4. An iteration of an outer loop takes 7 more. Measured with gcc 12 -O3 on GVSoC.

A loop over few points, such as the taps of a window or a short row, is unrolled: loads, stores and scalar code remain,
without stalls for products where nothing is stored. A depthwise 3x3 convolution takes 5 cycles per multiply-accumulate
and 18 per output with its requantisation. That was counted in the instructions of gcc 12 -O3, not measured. Windows of
bytes at the border are estimated as others. A core's share that is not that of all others is a loop of unknown length;
within other loops its bounds are found anew each time, in as many cycles as an outer loop takes.

A loop over integers that stores each iteration is unrolled by four (`annotate-unrolling`): it steps pointers and
branches once per four elements, without stalls.

Rows unrolled by four step pointers and branch once per four elements, without stalls. A stored row value costs a store
per element, and a load instead of its recomputation. For a single row, each core computes all reductions, and its share
of the result. A table lookup takes 3 cycles for the address, and the load; filling the table is a loop over its
entries.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects import arith
from xdsl.ir import Attribute, Block, SSAValue

from ....dialects.core.kernel import Access, Kernel, is_shaped, per_kernel
from ....ir import element_of, numpy_type
from ....passes.annotate_unrolling import FACTOR, is_peeled, is_worth_unrolling
from ....passes.loops.affine import axes_of
from ....passes.loops.kept import Kept, kept_of, row_of
from ....passes.loops.powers import Powers, powers_of, tabulates
from ....passes.loops.rowwise import STRETCH, is_shareable, keeps
from ....passes.loops.scalar import live_ops
from ..loops.interchange import loop_order
from ..loops.rows import PAIR, copied_bytes, copies_rows
from ..loops.transposes import SIDE, TransposedLoops, transposed_loops, transposes_blocks
from .kernels import dims_of, share, slowdown, used_accesses
from .products import multiplies_bytes
from .scalar import EXTENSIONS, EXTREMA, FLOAT_EXTREMA, Rates, ScalarWork, size_of, work_of, works_of

START = 54
"""Cycles of a core before its first iteration and after its last."""
BRANCH = 3
AROUND = 7
"""Cycles of an iteration of an outer loop: pointers, test, initial accumulators."""
CLAMPED = 8
"""Cycles for the bounds of a window loop that the border of an operand clamps."""
_KNOWN_WINDOWS = 6
"""
Windows of a channel that are unrolled together, at most, so that their borders are constants.

A pooling of 2 x 3 windows of 3 x 2 pixels took 12.7 cycles a window, one of 8 windows of 3 pixels 34.
"""
UNROLLED, UNROLLED_CYCLES = 16, 200
"""Largest unrolled loop, in points and cycles: gcc's limits, there in instructions."""
_PLACE = 3
"""Cycles for the address of an entry of a table on the stack: a shift and two sums, as gcc 12 -O3 emits them."""
_STAYS = 1
"""Cycles that an extremum of a reduction takes less than one of two elements, since most leave it as it is."""
_STORED = 3
"""Instructions of an operand, with its index, by which it is decided whether a loop that stores is unrolled wholly."""
_CALL = 6
"""Instructions to call a float routine, by which a C compiler measures a loop that it might unroll."""
_FIRST_SUM = 0.5
"""Share of the float cycles of a reduction of one element that its initial value saves."""
_ROW, _REST = 8, 5
"""
Cycles to start the copy of a row (its count, a hardware loop, pointers, addresses), and of a byte of its rest.

On eight cores 39 rows of 64 bytes took 1,649 cycles, 32 of 32 bytes 872 and 7 of 360 bytes 1,482, without conflicts.
"""
_STRIP, _BLOCK = 14, 18
"""Cycles of a strip of a transpose besides its blocks, and of a block of 4 x 4 bytes."""
_WAIT_FOR_LOAD = 1
_WORD = 4
_NO_WORK = ScalarWork()


@dataclass(frozen=True)
class LoopPhase:
    """
    Loop nest inside of the output loops: its own loops, its work and its accesses at each point.

    Operands are given by the loops that they vary along; a 64-bit operand counts twice. `before` is the loop-invariant
    work on accumulators of earlier reductions. `first` is the work of the first point of an extremum, whose other
    operand is known. `size` are the instructions of a point by which clang decides whether to unroll loops that store;
    `branches` that some of it is seldom executed.
    """

    dims: tuple[int, ...]
    work: ScalarWork
    before: ScalarWork
    loads: tuple[frozenset[int], ...]
    stores: tuple[frozenset[int], ...] = ()
    clamped: bool = False
    first: ScalarWork = _NO_WORK
    size: int = 0
    branches: bool = False


@dataclass(frozen=True)
class PhasedLoops:
    """
    Kernel as output loops with consecutive phases; `copied` are bytes moved as words.

    `row` is the dimension of a row kernel, else None. `kept_phases` store `kept` for each element; `powers_phases` look
    it up in the table `powers`. Cores may share the results of a single row of a `shareable` kernel.
    `transposed` are the loops of a transpose.
    """

    parallel: tuple[int, ...]
    phases: tuple[LoopPhase, ...]
    copied: int = 0
    row: int | None = None
    kept: Kept | None = None
    kept_phases: tuple[LoopPhase, ...] = ()
    powers: Powers | None = None
    powers_phases: tuple[LoopPhase, ...] = ()
    shareable: bool = False
    transposed: TransposedLoops | None = None


@per_kernel
def nest_of(kernel: Kernel) -> PhasedLoops:
    """Return the loop nest of a kernel."""
    kept = kept_of(kernel)
    kept_phases = _phases(kernel, kept) if kept is not None else ()
    powers = powers_of(kernel, kept)
    return PhasedLoops(
        loop_order(kernel),
        _phases(kernel),
        copied=copied_bytes(kernel),
        row=row_of(kernel),
        kept=kept,
        kept_phases=kept_phases,
        powers=powers,
        powers_phases=_looking_up(kept_phases, kernel, powers) if powers is not None else (),
        shareable=is_shareable(kernel),
        transposed=transposed_loops(kernel),
    )


def _looking_up(phases: Sequence[LoopPhase], kernel: Kernel, powers: Powers) -> tuple[LoopPhase, ...]:
    """Return the phases of a kernel whose last reduction looks up powers."""
    *earlier, reduction, result = phases
    fixed = _finished(powers.reduction, kernel, 2)
    work, before = works_of(powers.reduction, fixed)
    return *earlier, replace(reduction, work=work.plus(ScalarWork(_PLACE)), before=before), result


def _filling(powers: Powers, rates: Rates) -> float:
    """Return the cycles to fill a table."""
    return powers.entries * (work_of(powers.power).total(rates) + 2 + BRANCH)


def _phases(kernel: Kernel, kept: Kept | None = None) -> tuple[LoopPhase, ...]:
    """Return the reductions and the result of a kernel, which may store a value per element."""
    inside = tuple(sorted(kernel.reduced))
    row = [frozenset(inside)] * _words(kept.type) if kept is not None else []
    axes = [axis for access in kernel.inputs for axis in axes_of(access, kernel.bounds)]
    clamped = any(axis.low or axis.high for axis in axes) and not multiplies_bytes(kernel)
    phases: list[LoopPhase] = []
    for reduction in kernel.reductions:
        keeping = kept is not None and reduction is kernel.reductions[-1]
        body = kept.reduction if kept is not None and keeping else reduction.body
        fixed = _finished(body, kernel, len(reduction.initial))
        loads, stores = _moves(used_accesses(body, kernel.inputs)), tuple(row) if keeping else ()
        each_point, before = works_of(body, fixed, carried=len(reduction.initial))
        is_new = all(initial is not None for initial in reduction.initial)
        if is_new and prod(kernel.bounds[d] for d in inside) == 1:
            each_point = each_point._replace(floats=each_point.floats * _FIRST_SUM)
        first = _NO_WORK
        if _is_extremum(body):
            saved = max(each_point.saved - _STAYS, 0)
            each_point = each_point._replace(cycles=each_point.cycles - _STAYS, saved=saved)
            first = each_point if is_new else first
        phases.append(LoopPhase(inside, each_point, before, loads, stores, clamped, first))
    result = kernel.result if kept is None else kept.result
    own = tuple(d for d in kernel.output_dims if d in kernel.reduced)
    fixed = _finished(result, kernel, 0 if kept is None else 1) if own else ()
    work, before = works_of(result, fixed)
    reads = [*used_accesses(result, kernel.inputs), *(a for a in kernel.extras if is_shaped(a.value))]
    if any(initial is None for reduction in kernel.reductions for initial in reduction.initial):
        reads += kernel.outputs
    work = work.plus(_epilogue(kernel))
    loads, stores = (*_moves(reads), *row), _moves(kernel.outputs)
    sizes = [size_of(block) for block in (result, kernel.epilogue) if block is not None]
    size = sum(size for size, _ in sizes) + len(loads) + len(stores)
    branches = any(rare for _, rare in sizes)
    phases.append(LoopPhase(own, work, before, loads, stores, size=size, branches=branches))
    return tuple(phases)


def _is_extremum(body: Block) -> bool:
    """Return whether a reduction keeps the largest or the smallest of its elements."""
    ops = [op for op in live_ops(body)[0] if not isinstance(op, arith.ExtSIOp | arith.ExtUIOp)]
    return len(ops) == 1 and isinstance(ops[0], EXTREMA + FLOAT_EXTREMA)


def _epilogue(kernel: Kernel) -> ScalarWork:
    """Return the work of an epilogue, including the extension of a truncated, unclipped result."""
    end = kernel.result.last_op if kernel.result is not None else None
    cut = end.operands[0].owner if end is not None else None
    if kernel.epilogue is None or not isinstance(cut, arith.TruncIOp) or isinstance(cut.input.owner, EXTREMA):
        return work_of(kernel.epilogue)
    users = [use.operation for use in kernel.epilogue.args[0].uses]
    extended = sum(EXTENSIONS.get(type(user), 0) for user in users)
    return work_of(kernel.epilogue).plus(ScalarWork(extended))


def _finished(block: Block | None, kernel: Kernel, own: int) -> Sequence[SSAValue]:
    """Return the arguments of a body that are accumulators of earlier reductions."""
    return block.args[len(kernel.inputs) : len(block.args) - own] if block is not None else ()


def _moves(accesses: Sequence[Access]) -> tuple[frozenset[int], ...]:
    return tuple(dims_of(access) for access in accesses for _ in range(_words(element_of(access.value))))


def _words(type: Attribute) -> int:
    return -(-numpy_type(type).itemsize // _WORD)


def nest_path(kernel: Kernel, bounds: tuple[int, ...], cores: int) -> str:
    """Return the loops of a kernel that is no product in words: `transpose` in blocks, `rows` by words, `plain`."""
    nest = nest_of(kernel)
    if nest.transposed is not None and prod(bounds) and transposes_blocks(nest.transposed, bounds):
        return "transpose"
    return "rows" if prod(bounds) and copies_rows(bounds, nest.copied, cores) else "plain"


def nest_cycles(
    kernel: Kernel,
    bounds: tuple[int, ...],
    cores: int,
    *,
    contention: float,
    rates: Rates,
    row_bytes: int = 0,
    table_bytes: int = 0,
) -> float:
    """
    Estimate the cycles of a kernel, or a tile of it, as plain loops partitioned among cores.

    With `row_bytes`, row loops are unrolled by four and store values in so many bytes (`convert-kernels-to-loops`).
    Powers of large softmaxes come from tables of at most `table_bytes`.
    """
    nest = nest_of(kernel)
    if not prod(bounds):
        return START
    path = nest_path(kernel, bounds, cores)
    if path == "transpose" and nest.transposed is not None:
        return _transpose(nest.transposed, bounds, cores, contention)
    by_rows = path == "rows"
    shared = nest.parallel[:-1] if by_rows else nest.parallel
    mine = share([bounds[d] for d in shared], cores)
    cut = shared[mine.loop] if mine.loop >= 0 else -1
    own = tuple(mine.trips if d == cut else extent for d, extent in enumerate(bounds))
    row = _row_cores(nest, bounds, cores, row_bytes)
    active = max(mine.cores, row)
    rates = rates.beside(active)
    phases, filling = _chosen(nest, bounds, rates, row_bytes, table_bytes)
    unknown = -1 if cut >= 0 and mine.trips * cores == bounds[cut] else cut
    if by_rows:
        return START + _copy(nest, own)
    cycles, accesses = _loops(nest, phases, own, rates, row_bytes, row, unknown)
    return START + filling + cycles * slowdown(contention, accesses / cycles, active)


def _chosen(
    nest: PhasedLoops, bounds: tuple[int, ...], rates: Rates, row_bytes: int, table_bytes: int
) -> tuple[Sequence[LoopPhase], float]:
    """
    Select the phases of a kernel, with or without stored values and a lookup table, and the cycles to fill the table.
    """
    extent = bounds[nest.row] if nest.row is not None and row_bytes else 0
    if extent < 2 * STRETCH or not keeps(nest.kept, extent, row_bytes):
        return nest.phases, 0
    if nest.powers is None or not tabulates(nest.powers, prod(bounds), table_bytes):
        return nest.kept_phases, 0
    return nest.powers_phases, _filling(nest.powers, rates)


def _row_cores(nest: PhasedLoops, bounds: tuple[int, ...], cores: int, row_bytes: int) -> int:
    """Return the number of cores that share the results of a row, 1 if rows are distributed."""
    is_single = nest.row is not None and nest.shareable and all(bounds[d] == 1 for d in nest.parallel)
    stretches = bounds[nest.row] // STRETCH if is_single and row_bytes and nest.row is not None else 0
    return max(1, -(-stretches // -(-stretches // cores))) if stretches > 1 else 1


def _transpose(transposed: TransposedLoops, bounds: Sequence[int], cores: int, contention: float) -> float:
    """Return the cycles of the busiest core for a transpose in strips of 4 rows."""
    strips, left = divmod(bounds[transposed.rows], SIDE)
    blocks, rest = divmod(bounds[transposed.columns], SIDE)
    misaligned = SIDE * ((rest > 0) + (left > 0))
    whole = _STRIP + blocks * (_BLOCK + misaligned) + rest * SIDE * _REST
    partial = _STRIP + left * bounds[transposed.columns] * _REST if left else 0
    outer = [extent for dim, extent in enumerate(bounds) if dim not in transposed]
    mine = share([*outer, strips], cores)
    part = mine.trips / [*outer, strips][mine.loop] if mine.loop >= 0 else 1.0
    cycles = prod(outer) * part * (strips * whole + partial + AROUND)
    return START + cycles * slowdown(contention, 2 * SIDE / _BLOCK, mine.cores)


def _copy(nest: PhasedLoops, bounds: tuple[int, ...]) -> float:
    """Return the cycles of copying rows by pairs of words, in which the banks serve one core at a time."""
    rows, (pairs, rest) = prod(bounds[:-1]), divmod(bounds[-1] * nest.copied, PAIR)
    *_, innermost = (1, *(extent for extent in bounds[:-1] if extent > 1))
    trips = rows // innermost if innermost <= UNROLLED else rows
    return AROUND * trips + rows * (_ROW + 4 * pairs + _REST * rest)


def _loops(
    nest: PhasedLoops,
    phases: Sequence[LoopPhase],
    bounds: tuple[int, ...],
    rates: Rates,
    row_bytes: int,
    row_cores: int,
    cut: int,
) -> tuple[float, float]:
    """
    Return the cycles and accesses of all phases and enclosing loops, on one core of those that share a row or a loop
    `cut`, of which no compiler knows the iterations: each time the core finds its share anew.
    """
    outer = [d for d in nest.parallel if bounds[d] > 1 or d == cut]
    extent = bounds[nest.row] if nest.row is not None and row_bytes else 0
    is_rowwise = extent >= 2 * STRETCH
    if not any(bounds[d] > 1 for phase in phases for d in phase.dims):
        phases, outer = (_joined(phases, outer),), []
    points = prod(bounds[d] for d in outer)
    cycles, accesses = _around(outer, bounds), 0.0
    cycles += AROUND * prod(bounds[d] for d in nest.parallel[: nest.parallel.index(cut)]) if cut >= 0 else 0
    for phase in phases:
        own = _share_of(extent, row_cores) if phase is phases[-1] else extent
        if phase.clamped and prod(bounds[d] for d in outer[1:]) <= _KNOWN_WINDOWS:
            phase = replace(phase, clamped=False)
        more, moved = _stretches(phase, own, rates) if is_rowwise else _phase(phase, bounds, rates, cut)
        more += phase.before.total(rates)
        cycles, accesses = cycles + points * more, accesses + points * moved
    return cycles, accesses


def _share_of(extent: int, cores: int) -> int:
    """Return the elements of a row on the busiest core: its blocks of four, and the remainder."""
    whole, rest = divmod(extent, STRETCH)
    return -(-whole // cores) * STRETCH + rest


def _stretches(phase: LoopPhase, extent: int, rates: Rates) -> tuple[float, float]:
    """Return the cycles and accesses of a phase along a row, in an unrolled loop."""
    operands = [*phase.loads, *phase.stores]
    moving = _moving(operands, phase.dims)
    fixed = len(operands) - moving
    work = phase.work.beside_others(rates)
    cycles = extent * (work + moving) + extent // STRETCH * (moving + BRANCH) + fixed
    return cycles, extent * moving + fixed


def _moving(operands: Iterable[Collection[int]], loops: Sequence[int]) -> int:
    """Return the number of operands, each given by its dimensions, that loops move along."""
    return sum(not set(loops).isdisjoint(dims) for dims in operands)


def _joined(phases: Sequence[LoopPhase], dims: Sequence[int]) -> LoopPhase:
    """Merge phases without loops of their own into the innermost output loop."""
    work = ScalarWork()
    for phase in phases:
        work = work.plus(phase.work).plus(phase.before)
    loads = [load for phase in phases for load in phase.loads]
    last = phases[-1]
    return LoopPhase(tuple(dims), work, ScalarWork(), tuple(loads), last.stores, size=last.size, branches=last.branches)


def _around(dims: Sequence[int], bounds: tuple[int, ...]) -> float:
    """Return the cycles of the enclosing loops, nested."""
    total, iterations = 0.0, 1
    for dim in dims:
        iterations *= bounds[dim]
        total += AROUND * iterations
    return total


def _phase(phase: LoopPhase, bounds: tuple[int, ...], rates: Rates, cut: int) -> tuple[float, float]:
    """Return the cycles and accesses of a phase with its loops."""
    work = phase.work.total(rates)
    operands = [*phase.loads, *phase.stores]
    loops = [d for d in phase.dims if bounds[d] > 1 or d == cut]
    if not loops:
        return work + len(operands), len(operands)
    if not phase.clamped:
        inside = _unrolled(phase, loops, bounds, rates, cut)
        if inside:
            outer, points = loops[:-inside], prod(bounds[d] for d in loops[-inside:])
            trips = prod(bounds[d] for d in outer)
            # A store may write what is loaded next, so that no other point fills the stalls.
            point_cycles = max(work, _WAIT_FOR_LOAD) if phase.stores else phase.work.beside_others(rates)
            moving = _moving(operands, loops[-inside:])
            cycles = points * (point_cycles + moving) + len(operands)
            cycles -= 0 if outer else phase.first.beside_others(rates)
            accesses = points * moving + len(operands) - moving
            return trips * cycles + _around(outer, bounds), trips * accesses
    *outer, innermost = loops
    moving = sum(innermost in dims for dims in operands)
    fixed = len(operands) - moving
    trips = prod(bounds[d] for d in outer)
    points = trips * bounds[innermost]
    is_integer = phase.stores and not phase.clamped and not phase.work.floats
    is_short = bounds[innermost] == 2 * FACTOR and not phase.branches
    if is_integer and (is_short or is_worth_unrolling(bounds[innermost], FACTOR)):
        point_cycles = max(phase.work.beside_others(rates), _WAIT_FOR_LOAD) + moving
        # What the factor leaves over steps pointers and branches each time (`peel-remainders`).
        blocks, rest = divmod(bounds[innermost], FACTOR)
        stepping = trips * (blocks + rest) * (moving + BRANCH)
        cycles = points * point_cycles + stepping + trips * fixed + _around(outer, bounds)
        return cycles, points * moving + trips * fixed
    waits = _WAIT_FOR_LOAD if phase.stores else 0
    clamps = CLAMPED if phase.clamped else 0
    cycles = points * (work + 2 * moving + BRANCH + waits) + trips * (fixed + clamps) + _around(outer, bounds)
    return cycles, points * moving + trips * fixed


def _unrolled(phase: LoopPhase, loops: Sequence[int], bounds: tuple[int, ...], rates: Rates, cut: int) -> int:
    """Return the number of innermost loops of a phase that are unrolled wholly; `cut` is of unknown length."""
    points = 1
    cycles = phase.work.total(rates._replace(float_cycles=_CALL)) + (_STORED if phase.stores else 1) * len(
        [*phase.loads, *phase.stores]
    )
    by_size = phase.stores and not phase.work.floats
    for count, dim in enumerate(reversed(loops)):
        points *= bounds[dim]
        is_short = is_peeled(points, phase.size) if by_size else points * cycles <= UNROLLED_CYCLES
        if dim == cut or points > UNROLLED or not is_short:
            return count
    return len(loops)
