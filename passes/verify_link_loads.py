"""
Proof that the links of a mesh are free of contention: each carries at most one transfer of a phase.

A phase is one transfer of a replicated program, which all of its instances issue, such as a step of the rings of a
coordinate. Instances p send from s(p) to t(p), which are affine, over the links of dimension-order routing: along the
last coordinate first. The relation from p to links is one of Presburger arithmetic; isl decides whether it is
injective.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import islpy
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from ..dialects.core.analysis.constants import constant_integer
from ..dialects.core.machine.attribute import machine_of
from ..dialects.core.nesting import nested_ops
from ..dialects.hier import ConcurrentOp, DmaStartOp, LocalOp, ProgramOp
from ..dialects.hier.sharded import level_name
from ..dialects.hier.streams import StreamEndOp
from ..errors import Diagnostic
from ..ir import where
from .core.base import Pass
from .memory.views import VIEWS

_isl = cast(Any, islpy)
_OPERATORS: Mapping[type[Operation], str] = {
    arith.AddiOp: "({} + {})",
    arith.SubiOp: "({} - {})",
    arith.MuliOp: "({} * {})",
    arith.RemUIOp: "({} mod {})",
    arith.RemSIOp: "({} mod {})",
    arith.DivUIOp: "floor({} / {})",
    arith.DivSIOp: "floor({} / {})",
}
"""Op on coordinates, none of which are negative -> its text in isl."""


def verify_link_loads(module: ModuleOp) -> int:
    """
    Prove that no link between neighbours carries two transfers of a phase; return the number of phases.

    Raises Diagnostic with a link and two senders, and for coordinates that depend on others than those of the instance.
    """
    machine = machine_of(module)
    meshes = {link.far: machine.level(link.far).count for link in machine.links if link.neighbours == "mesh"}
    proved: dict[str, Any] = {}
    phases = 0
    for op in nested_ops(module):
        for program in op.programs if isinstance(op, ConcurrentOp) else ():
            for transfer in [inner for inner in nested_ops(program) if isinstance(inner, DmaStartOp)]:
                text = _links(program, transfer, meshes)
                if text is None:
                    continue
                phases += 1
                if text not in proved:
                    proved[text] = _shared(text)
                if (conflict := proved[text]) is not None:
                    raise _contended(program, transfer, conflict)
    return phases


def _links(program: ProgramOp, op: DmaStartOp, meshes: Mapping[str, Sequence[int]]) -> str | None:
    """Return the relation from instances to the links that their transfers use; None for transfers that use none."""
    ends = [_place(value, program) for value in ((op.near, op.far) if op.writes_far else (op.far, op.near))]
    level = level_name(cast("MemRefType[Attribute]", op.near.type))
    if level is None or level not in meshes or level_name(cast("MemRefType[Attribute]", op.far.type)) != level:
        return None
    names: dict[SSAValue, str] = {argument: f"p{axis}" for axis, argument in enumerate(program.body.block.args)}
    near, far = ends
    source = [_text(coordinate, names, op) for coordinate in near]
    target = [_text(coordinate, names, op) for coordinate in far]
    if source == target:
        return None
    if len(source) != len(target) or len(source) != len(meshes[level]):
        raise Diagnostic(
            "a transfer between instances of other coordinates than the mesh has",
            where=where(op),
            expected=f"{len(meshes[level])} coordinates",
            found=f"{len(source)} and {len(target)}",
        )
    bounds = [f"{a} <= p{k} < {a + n}" for k, (a, n) in enumerate(zip(program.first, program.extents, strict=True))]
    bounds += [f"0 <= {at} < {n}" for end in (source, target) for at, n in zip(end, meshes[level], strict=True)]
    rank = len(source)
    cases: list[str] = []
    for axis in range(rank):
        others = [f"x{k} = {(source if k < axis else target)[k]}" for k in range(rank) if k != axis]
        for sign, between in ((1, "{0} <= x{2} < {1}"), (-1, "{1} < x{2} <= {0}")):
            along = between.format(source[axis], target[axis], axis)
            cases.append(" and ".join([f"a = {axis}", f"s = {sign}", along, *others]))
    links = ", ".join(f"x{axis}" for axis in range(rank))
    instances = ", ".join(names.values())
    return f"{{ [{instances}] -> [a, s, {links}] : {' and '.join(bounds)} and ({' or '.join(cases)}) }}"


def _place(value: SSAValue, program: ProgramOp) -> Sequence[SSAValue]:
    """Return the coordinates of the instance whose memory contains a buffer: the program's own except for slots."""
    while isinstance(value.owner, VIEWS):
        value = value.owner.operands[0]
    if isinstance(value.owner, StreamEndOp | LocalOp) and len(value.owner.coordinates):
        return list(value.owner.coordinates)
    return program.body.block.args


def _text(value: SSAValue, names: Mapping[SSAValue, str], op: Operation) -> str:
    """Return a coordinate in isl's syntax, over those of the instance."""
    if value in names:
        return names[value]
    if (number := constant_integer(value)) is not None:
        return str(number)
    owner = value.owner
    if isinstance(owner, Operation) and type(owner) in _OPERATORS:
        return _OPERATORS[type(owner)].format(*(_text(operand, names, op) for operand in owner.operands))
    raise Diagnostic(
        "the instance that a transfer reaches is no affine function of the one that issues it",
        where=where(op),
        expected="sums, products with constants, quotients and remainders of the coordinates of the program",
        found=owner.name if isinstance(owner, Operation) else "a block argument",
    )


def _shared(text: str) -> tuple[list[int], list[int], list[int]] | None:
    """Return a link, and two senders that share it; None where there is none."""
    used = _isl.Map(text)
    if used.is_injective():
        return None
    inverse = used.reverse()
    rank = used.dim(_isl.dim_type.in_)
    pairs = used.apply_range(inverse).intersect(_isl.Map.lex_lt(used.get_space().domain()))
    first, second = _points(pairs.sample(), rank)
    both = used.intersect_domain(_point(first)).range().intersect(used.intersect_domain(_point(second)).range())
    return _numbers(both.sample_point()), first, second


def _points(pair: Any, rank: int) -> tuple[list[int], list[int]]:
    numbers = _numbers(pair.wrap().sample_point())
    return numbers[:rank], numbers[rank:]


def _point(numbers: Sequence[int]) -> Any:
    return _isl.Set(f"{{ [{', '.join(map(str, numbers))}] }}")


def _numbers(point: Any) -> list[int]:
    kind = _isl.dim_type.set
    return [point.get_coordinate_val(kind, axis).to_python() for axis in range(point.get_space().dim(kind))]


def _contended(program: ProgramOp, op: DmaStartOp, conflict: tuple[list[int], list[int], list[int]]) -> Diagnostic:
    (axis, sign, *at), first, second = conflict
    beyond = [coordinate + (sign if k == axis else 0) for k, coordinate in enumerate(at)]
    return Diagnostic(
        f"a link carries two transfers of program '{program.title.data}' at once",
        where=where(op),
        expected="at most one transfer of a phase on each link between neighbours",
        found=f"instances {first} and {second} both send over the link from {at} to {beyond}",
        remedy="send to the next instance of a ring, in several steps",
    )


@dataclass(frozen=True)
class VerifyLinkLoadsPass(Pass):
    """
    Prove that each link between neighbours of a mesh carries at most one transfer of a phase.

    Run it on replicated programs, such as those of lower-sharded. Changes nothing. Raises Diagnostic with a link and
    two senders.
    """

    name = "verify-link-loads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        verify_link_loads(op)
