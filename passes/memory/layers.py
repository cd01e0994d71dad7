"""Input of memory planning: the kernels of a block with their engines, and the buffers between them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import Any, TypeAlias, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from ...dialects.core.analysis.affine_form import linear
from ...dialects.core.kernel import Access, Kernel, is_kernel, kernel_of
from ...dialects.core.kernel_structure import structure_of
from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.level import Level
from ...dialects.core.machine.model import Machine
from ...dialects.hier.grid import spatial_grid
from ...errors import Diagnostic
from ...ir import where
from ..map_engines import engine_of
from ..tiles.group import Tilings, roles_of, tiling_of
from .candidates import Candidates
from .cost_model import CostModel, reserved
from .hints import SIZES, STAGES, pinned_residency
from .role_levels import RoleLevels, result_fault, role_levels_of, with_blocks
from .route import Route
from .sums import can_store, with_sums
from .views import VIEWS, bytes_of

_RESHAPES = (memref.CollapseShapeOp, memref.ExpandShapeOp)


@dataclass(frozen=True)
class ResidencyCandidate:
    """
    Buffer that may be resident: `size` bytes in a near level, live from kernel `first` to `last`.

    `values` are the buffer and its views; `keep` pins the residency, None if free.
    """

    alloc: Operation
    values: frozenset[SSAValue]
    level: str
    size: int
    first: int
    last: int
    keep: bool | None = None


_Asked: TypeAlias = "tuple[int, int, frozenset[int]]"
"""Number of the first kernel, number of kernels, and resident buffers."""


@dataclass
class _Group:
    """Memoised cost model of structurally equal kernels, and their candidate tilings by the operands' levels."""

    cost_models: tuple[CostModel, ...]
    """Those of the alternative levels of the operands."""
    candidates: dict[tuple[str, ...], Candidates] = field(default_factory=dict[tuple[str, ...], Candidates])

    @cached_property
    def floor(self) -> int:
        """Lower bound in cycles of a single kernel: its compute cycles divided by the engine instances."""
        (op,), route = self.cost_models[0].ops, self.cost_models[0].route
        return (route.machine.cost(route.engines[op], op) or 0) // route.engines[op].total


@dataclass
class Layers:
    """Kernels of a block whose operands move to nearer levels, in program order, and the buffers between them."""

    machine: Machine
    ops: list[Operation]
    kernels: list[Kernel]
    engines: dict[Operation, Engine]
    role_levels: dict[Operation, RoleLevels]
    buffers: list[ResidencyCandidate]
    double_buffered: bool
    around: int = 1
    """Engine instances of the enclosing grid."""
    stored: dict[Operation, RoleLevels] = field(default_factory=dict[Operation, RoleLevels])
    """Role levels of the kernels whose epilogue the transfer of the results may compute, instead of another kernel."""
    may_spread: bool = True
    """True if tiles may be mapped to several engine instances."""
    placed: Mapping[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """Level of each operand whose type names one, whatever the plan."""
    taken: int = 0
    """Bytes of the far level for weights, state, inputs and outputs."""
    fixed: Mapping[str, int] = field(default_factory=dict[str, int])
    """Bytes of each near level in use, whatever the plan."""
    _groups: dict[Hashable, _Group] = field(default_factory=dict[Hashable, "_Group"], init=False)
    _group_of: dict[tuple[int, int], _Group] = field(default_factory=dict[tuple[int, int], "_Group"], init=False)
    _asked: dict[_Asked, Candidates] = field(default_factory=dict["_Asked", Candidates], init=False)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """Near levels of the kernels' operands, from far to near."""
        near = {level for index in range(len(self.ops)) for level in self.levels_of(index, 1)}
        return tuple(level for level in self.machine.levels if level in near)

    @property
    def is_last(self) -> bool:
        """True if the engines work in these levels."""
        return all(role_levels.is_last for role_levels in self.role_levels.values())

    @cached_property
    def far(self) -> Level:
        """Level of buffers whose types name none."""
        return self.machine.level(self.role_levels[self.ops[0]].far)

    @cached_property
    def buffers_of(self) -> list[list[int]]:
        """Buffers accessed by each kernel, by number."""
        numbers = {value: number for number, buffer in enumerate(self.buffers) for value in buffer.values}
        accessed: list[list[int]] = []
        for op in self.ops:
            accessed.append(sorted({numbers[value] for value in op.operands if value in numbers}))
        return accessed

    @cached_property
    def crowded(self) -> frozenset[int]:
        """
        Kernels whose result, read by the next kernel alone, exceeds both levels.

        The result is larger than the near level, and the live buffers exceed the far level even without residency.
        """
        free = self.far.size - self.taken
        needed = loads(((b.first, b.last, b.size) for b in self.buffers), len(self.ops))
        joints = ((index, self.joins(index)) for index in range(len(self.ops)) if max(needed[index : index + 2]) > free)
        numbers = [(index, self.buffers[number]) for index, number in joints if number is not None]
        return frozenset(i for i, buffer in numbers if buffer.size > self.machine.level(buffer.level).size)

    @cached_property
    def users_of(self) -> list[list[int]]:
        """Kernels that access each buffer, by number."""
        users: list[list[int]] = [[] for _ in self.buffers]
        for index, numbers in enumerate(self.buffers_of):
            for number in numbers:
                users[number].append(index)
        return users

    @cached_property
    def begun_at(self) -> list[list[int]]:
        """Buffers whose live range begins at each kernel, by number."""
        begun: list[list[int]] = [[] for _ in self.ops]
        for number, buffer in enumerate(self.buffers):
            begun[buffer.first].append(number)
        return begun

    def options(self, first: int, count: int, resident: Set[int]) -> Candidates:
        """
        Return the candidate tilings of the fused group `first` to `first + count - 1` with these resident buffers.

        Structurally equal groups share them.
        """
        touched = {number for index in range(first, first + count) for number in self.buffers_of[index]}
        asked = first, count, frozenset(touched & resident)
        if asked not in self._asked:
            self._asked[asked] = self._options(*asked)
        return self._asked[asked]

    def _options(self, first: int, count: int, near: frozenset[int]) -> Candidates:
        ops, group = self.ops[first : first + count], self._group(first, count)
        residency = self._residency(ops, near)
        marks = tuple(residency.get(value, "") for op in ops for value in op.operands)
        if marks not in group.candidates:
            routes = {n: (self.route(ops, n), cost_model) for n, cost_model in enumerate(group.cost_models)}
            able = {n: pair for n, pair in routes.items() if not n or self._moves_results(ops[-1], pair[0], residency)}
            group.candidates[marks] = Candidates(ops, able, double_buffered=self.double_buffered, residency=residency)
        return group.candidates[marks]

    def _moves_results(self, op: Operation, route: Route, residency: Mapping[SSAValue, str]) -> bool:
        """Return whether the link to the level of a kernel's result computes its epilogue."""
        role_levels, value = route.role_levels[-1], op.operands[-1]
        return not result_fault(role_levels, residency.get(value, role_levels.far), self.machine)

    def _residency(self, ops: Sequence[Operation], resident: Iterable[int]) -> dict[SSAValue, str]:
        """Return the level of each operand outside of the far one."""
        residency = {value: self.buffers[number].level for number in resident for value in self.buffers[number].values}
        return {v: level for op in ops for v in op.operands if (level := residency.get(v) or self.placed.get(v))}

    def tiling(
        self,
        first: int,
        count: int,
        sizes: Sequence[int],
        resident: Set[int],
        alternative: int = 0,
        panels: tuple[int, ...] = (),
    ) -> Tilings:
        """Return the tiling of the fused group `first` to `first + count - 1` with these resident buffers."""
        ops = self.ops[first : first + count]
        touched = {number for index in range(first, first + count) for number in self.buffers_of[index]}
        return tiling_of(
            ops, sizes, self._residency(ops, touched & resident), self.role_levels_of(ops, alternative), panels
        )

    def role_levels_of(self, ops: Sequence[Operation], alternative: int = 0) -> tuple[RoleLevels, ...]:
        """Return the role levels of the kernels of a fused group; those of the leader have alternatives."""
        first = tuple(self.role_levels[op] for op in ops)
        return first if not alternative else (*first[:-1], self.stored[ops[-1]])

    def levels_of(self, first: int, count: int) -> tuple[Level, ...]:
        """Return the levels of a fused group's tiles, in the order of its candidates' bytes."""
        return self._group(first, count).cost_models[0].route.levels

    def _group(self, first: int, count: int) -> _Group:
        if (first, count) not in self._group_of:
            ops = self.ops[first : first + count]
            numbers = range(2 if ops[-1] in self.stored else 1)
            key = structure_of(ops, (), (SIZES, STAGES)), tuple(self.engines[op].name for op in ops), numbers
            if key not in self._groups:
                self._groups[key] = _Group(tuple(CostModel(tuple(ops), self.route(ops, number)) for number in numbers))
            self._group_of[first, count] = self._groups[key]
        return self._group_of[first, count]

    def floor(self, index: int) -> int:
        """
        Return a lower bound in cycles of a kernel on all its engine instances; 0 if the engine cannot run it whole.
        """
        return self._group(index, 1).floor

    def route(self, ops: Sequence[Operation], alternative: int = 0) -> Route:
        """Return the route of kernels' operands through the levels, with the engines of the kernels."""
        engines = {op: self.engines[op] for op in ops}
        copies = min((self.copies(op) for op in ops), default=1)
        return Route(self.machine, engines, self.role_levels_of(ops, alternative), copies, self.around)

    def copies(self, op: Operation) -> int:
        """
        Return the engine instances available to unroll tiles over.

        Instances do not see each other's private levels. Private levels are counted at their first instance.
        """
        role_levels, machine = self.role_levels[op], self.machine
        counts = [prod(machine.level(name).count) for name in set(role_levels.levels.values()) - {role_levels.far}]
        levels = [count for count in counts if count > 1]
        if self.around > 1 or not self.may_spread or prod(machine.level(role_levels.far).count) > 1:
            return 1
        if not levels and not role_levels.is_last:
            return 1
        return min([self.engines[op].total, *levels])

    def joins(self, index: int) -> int | None:
        """
        Return the number of the buffer between a kernel and the next, its sole consumer; None if they cannot be fused.
        """
        return None if self.fusion_obstacle(index) else self._result_of(index)

    def _result_of(self, index: int) -> int | None:
        """Return the number of the buffer that is the one result of a kernel; None for others, such as views."""
        value = self.kernels[index].outputs[0].value
        return next((n for n in self.buffers_of[index] if self.buffers[n].values == frozenset([value])), None)

    def fusion_obstacle(self, index: int) -> str:
        """Return why a kernel cannot be fused with the next, the sole consumer of its result; empty if it can."""
        if index + 1 >= len(self.ops):
            return "no kernel follows"
        producer, user = self.ops[index], self.ops[index + 1]
        kernel, consumer = self.kernels[index], self.kernels[index + 1]
        if SIZES in producer.attributes:
            return f"the hint {SIZES} pins its tiles"
        if self.role_levels[producer].epilogue is not None:
            return "the transfer of its result computes its epilogue"
        if len(kernel.outputs) != 1 or not _is_projection(kernel.outputs[0].map.results):
            return "it has several results, or writes one other than element by element"
        value = kernel.outputs[0].value
        read = [access for access in consumer.inputs if access.value is value]
        if not read:
            return "the next kernel does not read its result"
        if self._result_of(index) is None:
            return "its result is a part or a view of a buffer, or of one that other ops than kernels use"
        if any(use.operation not in (producer, user) for use in value.uses):
            return "ops other than the next kernel use its result"
        if any(access.value is value for access in kernel.inputs) or value in _written(consumer):
            return "its result is updated in place"
        if len({access.map for access in read}) > 1 or len(read) != list(user.operands).count(value):
            return "the next kernel reads its result in several ways"
        return self._level_obstacle(index, read)

    def _level_obstacle(self, index: int, read: Sequence[Access]) -> str:
        """Return why the next kernel cannot read the near result of a kernel by these accesses, empty if it can."""
        producer, user = self.ops[index], self.ops[index + 1]
        role_levels, output = self.role_levels[user], self.kernels[index].outputs[0]
        if (role_levels.filled or not role_levels.is_last) and any(access.fill is not None for access in read):
            # Its padding would have no fill: no transfer brings it, or the next hop would tile it.
            return "the next kernel pads it, and a transfer has to bring the padding"
        layout = self.role_levels[producer].layout("outs", output.map)
        roles = {role for v, role in roles_of(user) if v is output.value}
        if any(role_levels.layout(role, access.map) != layout for role in roles for access in read):
            return "the next kernel reads it in another layout"
        written = self.role_levels[producer].level("outs")
        if not all(role_levels.reaches(role, written) for role in roles):
            return f"the next kernel does not read from {written}"
        return ""


def loads(ranges: Iterable[tuple[int, int, int]], steps: int) -> list[int]:
    """Compute the live bytes at each step; `ranges` are the first step, last step and bytes of each buffer."""
    changes = [0] * (steps + 1)
    for first, last, size in ranges:
        changes[first] += size
        changes[last + 1] -= size
    return list(accumulate(changes[:steps]))


def _written(kernel: Kernel) -> set[SSAValue]:
    return {access.value for access in kernel.outputs}


def _is_projection(results: Sequence[AffineExpr]) -> bool:
    """Return whether the results of a map are distinct dimensions or 0 (a projection)."""
    dims: list[int] = []
    for expr in results:
        form = linear(expr)
        if form.constant or any(not isinstance(atom, int) or factor != 1 for atom, factor in form.terms):
            return False
        if len(form.terms) > 1:
            return False
        dims += [cast(int, atom) for atom, _ in form.terms]
    return len(set(dims)) == len(dims)


def layers_of(block: Block, machine: Machine, depth: int, *, double_buffered: bool, keep_resident: bool) -> Layers:
    """
    Collect the kernels of a block whose operands move to levels `depth + 1` links behind the farthest.

    With `keep_resident`, collect the buffers between them too. Kernels with table lookups, or with an empty iteration
    domain, are not tiled.

    Raises Diagnostic for a kernel that no engine runs.
    """
    engines: dict[Operation, Engine] = {}
    role_levels: dict[Operation, RoleLevels] = {}
    stored: dict[Operation, RoleLevels] = {}
    kernels: list[Kernel] = []
    for op in block.ops:
        if is_kernel(op) and not (kernel := kernel_of(op)).tables and 0 not in kernel.bounds:
            engine = engine_of(op, machine)
            if (own := role_levels_of(engine, machine, depth)) is not None:
                engines[op], own = engine, with_blocks(op, kernel, engine, own, machine)
                role_levels[op], *others = with_sums(op, kernel, engine, own, machine)
                stored |= dict.fromkeys([op] * len(others), others[-1] if others else own)
                kernels.append(kernel)
    ops = list(engines)
    around = spatial_grid(block.parent_op())
    copies = 1 if around is None else around.copies
    layers = Layers(machine, ops, kernels, engines, role_levels, [], double_buffered, copies, stored)
    layers.placed = levels_of(ops)
    if keep_resident and ops:
        steps = _Steps(block, layers)
        allocs = [op for op in block.ops if isinstance(op, memref.AllocOp)]
        layers.buffers = [b for op in allocs if (b := _buffer(op, steps)) is not None]
    return layers


def levels_of(ops: Iterable[Operation]) -> dict[SSAValue, str]:
    """Return the level of each operand whose type names one."""
    return {value: level for op in ops for value in op.operands if (level := _space(value))}


def is_preloaded(value: SSAValue, machine: Machine) -> bool:
    """Return whether a buffer is in a preloaded level."""
    return _space(value) in {level.name for level in machine.levels if level.preloaded}


def _space(value: SSAValue) -> str:
    """Return the memory level in a buffer's type, empty if it has none."""
    type = value.type
    space = cast("MemRefType[Any]", type).memory_space if isinstance(type, MemRefType) else None
    return space.data if isinstance(space, StringAttr) else ""


def alternatives(layers: Layers) -> list[Layers]:
    """
    Return the alternatives to plan: residency without spatial mapping, or spatial mapping without residency.

    A resident buffer in a private level is visible to one engine instance only. A pinned residency excludes the spatial
    mapping. If levels are shared, the layers are the only alternative.
    """
    is_any_private = any(prod(level.count) > 1 for level in layers.levels)
    if not layers.buffers or not is_any_private or all(layers.copies(op) <= 1 for op in layers.ops):
        return [layers]
    alone = replace(layers, may_spread=False)
    if any(buffer.keep for buffer in layers.buffers):
        return [alone]
    return [replace(layers, buffers=[]), alone]


class _Steps:
    """Steps of the ops of a block, counted in kernels."""

    def __init__(self, block: Block, layers: Layers):
        numbers = {op: number for number, op in enumerate(layers.ops)}
        self.layers, self._numbers, self._after = layers, numbers, dict[Operation, int]()
        done = 0
        for op in block.ops:
            done += op in numbers
            self._after[op] = done

    def is_kernel(self, op: Operation) -> bool:
        """Return whether an op is one of the kernels."""
        return op in self._numbers

    def of(self, op: Operation) -> tuple[int, int]:
        """Return the number of a kernel twice; for another op, the numbers of the kernels before and after it."""
        if op in self._numbers:
            return self._numbers[op], self._numbers[op]
        while op not in self._after:
            parent = op.parent_op()
            assert parent is not None
            op = parent
        last = len(self._numbers) - 1
        return max(0, self._after[op] - 1), min(self._after[op], last)


def _buffer(alloc: memref.AllocOp, steps: _Steps) -> ResidencyCandidate | None:
    """
    Return an allocation as a candidate for residency; None if ops other than these kernels use it.

    One whose tiles are in blocks is in a near level only as an intermediate of a fused group. Buffers that the program
    accesses itself are pinned to a near level if the far level is external.
    """
    layers = steps.layers
    values, users = _views(alloc.results[0], is_static_view if layers.is_last else is_view)
    keep = pinned_residency(alloc)
    kernels = [user for user in users if steps.is_kernel(user)]
    level = _resident_level(set(values), kernels, layers)
    if users and layers.far.external and len(kernels) < len(users):
        keep = True
    elif not level or len(kernels) < len(users):
        if keep:
            where_to = (
                f"in {level}: ops other than its kernels use it" if level else "there: no level suits its kernels"
            )
            raise Diagnostic(
                f"a buffer cannot be resident {where_to}", where=where(alloc), remedy="remove the hint hier.keep"
            )
        if level or len(kernels) < len(users) or not _is_in_blocks(values, kernels, layers):
            return None
        keep = False
    level = level or layers.levels[0].name
    first, last = zip(*map(steps.of, users), strict=True)
    size = reserved(bytes_of(alloc.results[0].type), layers.machine.level(level))
    return ResidencyCandidate(alloc, frozenset(values), level, size, min(first), max(last), keep)


def _resident_level(values: Set[SSAValue], kernels: Sequence[Operation], layers: Layers) -> str:
    """
    Return the near level where a buffer may be resident: the one that most operands use in place, then the farthest.

    The other operands move between there and their levels over a link. Empty if no level has such links.
    """
    uses = [
        (layers.role_levels[op], role)
        for op in dict.fromkeys(kernels)
        for value, role in roles_of(op)
        if value in values
    ]
    best, level_name = -1, ""
    for level in layers.levels if uses else ():
        if not all(can_store(level, value) for value in values):
            continue
        if any(role in role_levels.blocks and level.name == role_levels.level(role) for role_levels, role in uses):
            continue
        in_place = [role_levels.reaches(role, level.name) for role_levels, role in uses]
        moved = [use for use, stays in zip(uses, in_place, strict=True) if not stays]
        if sum(in_place) > best and all(_is_linked(*use, level.name, layers.machine) for use in moved):
            best, level_name = sum(in_place), level.name
    return level_name


def _is_in_blocks(values: Sequence[SSAValue], kernels: Sequence[Operation], layers: Layers) -> bool:
    """Return whether each kernel uses a buffer in blocks."""
    uses = [(layers.role_levels[op], role) for op in kernels for value, role in roles_of(op) if value in values]
    return bool(uses) and all(role in role_levels.blocks for role_levels, role in uses)


def _is_linked(role_levels: RoleLevels, role: str, level: str, machine: Machine) -> bool:
    """Return whether a link joins a level and that of an operand, both ways for results."""
    ends = role_levels.level(role), level
    if role == "outs" and result_fault(role_levels, level, machine):
        return False
    inward = any(link.leads(ends[1], ends[0]) for link in machine.links)
    return any(link.leads(*ends) for link in machine.links) if role == "outs" else inward


def is_view(op: Operation) -> bool:
    """Return whether an op is a view of a buffer."""
    return isinstance(op, VIEWS)


def is_static_view(op: Operation) -> bool:
    """Return whether an op is a reshape or a subview with static offsets."""
    return isinstance(op, _RESHAPES) or (isinstance(op, memref.SubviewOp) and len(op.operands) == 1)


def _views(value: SSAValue, counts: Callable[[Operation], bool]) -> tuple[list[SSAValue], list[Operation]]:
    """Return a buffer with its transitive views accepted by `counts`, and the other ops that use them."""
    values, users = [value], list[Operation]()
    for alias in values:  # grows
        for use in alias.uses:
            if counts(use.operation):
                values.append(use.operation.results[0])
            else:
                users.append(use.operation)
    return values, users
