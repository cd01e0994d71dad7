"""Memory levels by operand role: where an engine's tiles are, and the levels where it uses buffers in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineExpr, AffineMap

from ...dialects.core.analysis.affine_form import linear
from ...dialects.core.kernel import Kernel
from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.level import ROLES
from ...dialects.core.machine.model import Machine
from ...dialects.core.machine.operations import loop_named
from ...errors import Diagnostic
from ...ir import element_of, numpy_type, where
from .epilogues import TransferEpilogue

_EVERYWHERE: dict[str, frozenset[str]] = {}


@dataclass(frozen=True)
class BlockedLayout:
    """Layout of tiles in blocks of `extent` elements along the axis that a loop of the kernel indexes."""

    loop: int
    extent: int

    def axis(self, map: AffineMap) -> int | None:
        """Return the axis of an operand, given its access map; None if the loop does not index it."""
        return next((axis for axis, expr in enumerate(map.results) if self.loop in linear(expr).dims()), None)

    def layout(self, map: AffineMap) -> AffineMapAttr | None:
        """Return the layout of an operand's tiles, None if the loop does not index it."""
        if (axis := self.axis(map)) is None:
            return None
        dims = [AffineExpr.dimension(number) for number in range(len(map.results))]
        others = [dim for number, dim in enumerate(dims) if number != axis]
        exprs = (dims[axis] // self.extent, *others, dims[axis] % self.extent)
        return AffineMapAttr(AffineMap(len(dims), 0, exprs))


@dataclass(frozen=True)
class RoleLevels:
    """
    Levels of a kernel's operands: level and reach of each role of its engine.

    `far` is the level of operands whose type names none. Beside the roles of machine files, `extras` are the operands
    of an epilogue. The engine uses a buffer in a level of `reach[role]` without a transfer. Before the last hop, the
    levels are those that lie on the way to the engine's own.
    """

    far: str = "far"
    levels: Mapping[str, str] = field(default_factory=dict[str, str])
    reach: Mapping[str, frozenset[str]] = field(default_factory=lambda: _EVERYWHERE)
    is_last: bool = True
    separate_sums: bool = False
    """True if the level of partial sums stores nothing else: the epilogue is a kernel of its own."""
    epilogue: TransferEpilogue | None = None
    """Epilogue that the transfer of the results computes: they are stored as partial sums."""
    blocks: Mapping[str, BlockedLayout] = field(default_factory=dict[str, "BlockedLayout"])
    """Layout of the tiles of each role that are in blocks."""
    filled: frozenset[str] = frozenset()
    """Roles of whose operands transfers fill the padding, that of whole axes too."""

    def level(self, role: str) -> str:
        """Return the level that tiles of a role are brought to; empty where tilings name no level."""
        return self.levels.get(role, "")

    def layout(self, role: str, map: AffineMap) -> AffineMapAttr | None:
        """Return the layout of the tiles of an operand, given its access map; None where it is strided."""
        blocks = self.blocks.get(role)
        return None if blocks is None else blocks.layout(map)

    def reaches(self, role: str, level: str) -> bool:
        """Return whether buffers in a level are used in place."""
        return level in self.reach.get(role, ("",))

    def beside(self, engine: Engine, machine: Machine) -> RoleLevels:
        """Return the role levels of a kernel whose epilogue another engine runs."""
        own = _at(engine, machine, self.far, {role: engine.levels_of(role)[0] for role in ("ins", "outs")})
        levels = {**self.levels, "extras": own.level("ins"), "outs": own.level("outs")}
        reach = {**self.reach, "extras": own.reach["ins"], "outs": own.reach["outs"]}
        return replace(self, levels=levels, reach=reach, separate_sums=True)

    def stored(self, epilogue: TransferEpilogue) -> RoleLevels:
        """Return the role levels of a kernel whose results stay partial sums until a transfer moves them."""
        sums = self.level("accumulators")
        levels, reach = {**self.levels, "outs": sums}, {**self.reach, "outs": frozenset({sums})}
        return replace(self, levels=levels, reach=reach, epilogue=epilogue)


ONE_LEVEL = RoleLevels()
"""Role levels of a tiling without a machine: one level without a name."""


def role_levels_of(engine: Engine, machine: Machine, depth: int) -> RoleLevels | None:
    """
    Return the levels of an engine's operands `depth + 1` links behind the far level; None if it works nearer to it.

    Of several paths the shortest counts, then the first by the names of its links. Raises Diagnostic if no link leads
    to a level or back.
    """
    paths = {role: _path(engine, machine, role) for role in ROLES}
    longest = max(map(len, paths.values()))
    if longest <= depth + 1:
        return None
    far = paths["ins"][min(depth, len(paths["ins"]) - 1)]
    levels = {role: path[min(depth + 1, len(path) - 1)] for role, path in paths.items()}
    role_levels = _at(engine, machine, far, levels)
    return replace(role_levels, is_last=longest == depth + 2)


def links_to(engine: Engine, machine: Machine) -> int:
    """Return the links between the far level and the farthest of an engine's operands."""
    return max(len(_path(engine, machine, role)) for role in ROLES) - 1


def _at(engine: Engine, machine: Machine, far: str, levels: Mapping[str, str]) -> RoleLevels:
    preloaded = {level.name for level in machine.levels if level.preloaded}
    levels = {**levels, "extras": levels["ins"]}
    reach = {
        role: frozenset({level, *preloaded, *engine.levels_of("ins" if role == "extras" else role)} - {far} | {level})
        for role, level in levels.items()
    }
    return RoleLevels(far, levels, reach)


def _path(engine: Engine, machine: Machine, role: str) -> list[str]:
    """Return the levels from the far one to that of a role, in the order of loads; for results, of stores."""
    names = engine.levels_of(role)
    fetched = [name for name in names if not machine.level(name).preloaded]
    end, far = (fetched or engine.levels_of("ins"))[0], machine.far.name
    inward = role in ("ins", "weights")
    links = machine.path(far, end) if inward else machine.path(end, far)[::-1]
    path = [far]
    for link in links:
        path.append(link.near if link.far == path[-1] else link.far)
    return path


def engine_beside(op: Operation, leader: Engine, role_levels: RoleLevels, machine: Machine) -> Engine | None:
    """
    Return the engine for the initialisation or the epilogue of partial sums: the leader's if able, else the fastest.

    It reaches the sums where they are; the epilogue's operands and result have its role levels.
    """
    if machine.tile_cost(leader, op) is not None:
        return leader
    sums = role_levels.level("accumulators")
    role = "outs" if op.name == "linalg.fill" else "ins"
    able = (engine for engine, _ in machine.engines_for(op) if sums in engine.levels_of(role))
    outs = role_levels.level("outs")
    return next(
        (candidate for candidate in able if role_levels.separate_sums or outs in candidate.levels_of("outs")), None
    )


def result_fault(role_levels: RoleLevels, target: str, machine: Machine) -> str:
    """Return why the transfer of a result to a level cannot compute the kernel's epilogue, empty if it can."""
    return _fault(role_levels, role_levels.level("outs"), target, machine)


def start_fault(role_levels: RoleLevels, machine: Machine) -> str:
    """Return why the sums of a kernel cannot start from its bias in the far level, empty if they can."""
    return _fault(role_levels, role_levels.far, role_levels.level("outs"), machine)


def _fault(role_levels: RoleLevels, source: str, target: str, machine: Machine) -> str:
    epilogue = role_levels.epilogue
    if epilogue is None or (epilogue.bias is None and source == role_levels.far):
        return ""
    if not any(link.leads(source, target) for link in machine.links):
        return f"no link leads from {source} to {target}"
    (link,) = machine.path(source, target)
    return epilogue.start_fault(link) if source == role_levels.far else epilogue.fault(link)


def with_blocks(op: Operation, kernel: Kernel, engine: Engine, role_levels: RoleLevels, machine: Machine) -> RoleLevels:
    """
    Return the role levels of a kernel with the layouts of the operands that its engine needs in blocks, or filled.

    Raises Diagnostic for a level without rows, and for a link that cannot change the layout.
    """
    support = engine.support(op)
    if support is None or not role_levels.is_last:
        return role_levels
    blocks = dict[str, BlockedLayout]()
    for role, name in support.blocked:
        if (loop := loop_named(kernel, name)) is None:
            continue
        level = machine.level(role_levels.level(role))
        ends = (level.name, role_levels.far) if role == "outs" else (role_levels.far, level.name)
        (link,) = machine.path(*ends)
        if "layout" not in link.transforms or not level.row_bytes:
            raise Diagnostic(
                f"the {role} of '{op.name}' cannot be in blocks in {level.name}, as '{engine.name}' needs them",
                where=where(op),
                expected=f"row_bytes of levels.{level.name}, and 'layout' among transforms of links.{link.name}",
                found=f"{level.row_bytes} bytes, {', '.join(link.transforms) or 'no transforms'}",
                remedy="change the machine's file, or map the kernel to another engine (the attribute 'engine')",
            )
        blocks[role] = BlockedLayout(loop, level.row_bytes // numpy_type(_stored(op, kernel, role)).itemsize)
    return replace(role_levels, blocks=blocks, filled=frozenset(support.filled))


def _stored(op: Operation, kernel: Kernel, role: str) -> Attribute:
    """Return the type of a role's elements in its level: that of the sums for the results of a reduction."""
    if role == "outs":
        return kernel.reductions[-1].body.args[-1].type if kernel.reductions else element_of(op.operands[-1])
    return element_of(op.operands[1 if role == "weights" else 0])
