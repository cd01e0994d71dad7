"""Partial sums in a level of their own: the alternative role levels of a kernel and its epilogue."""

from __future__ import annotations

from dataclasses import replace

from xdsl.ir import Operation, SSAValue

from ...dialects.core.kernel import Kernel, is_shaped, kernel_of
from ...dialects.core.kernel_op import KernelOp
from ...dialects.core.machine.engine import Engine
from ...dialects.core.machine.level import Level
from ...dialects.core.machine.model import Machine
from ...dialects.hier.capabilities import passes_of
from ...errors import Diagnostic
from ...ir import element_of, shape_of, where
from ..tiles.group import roles_of
from ..tiles.legality import can_cut_reductions
from ..timing.transfers import instructions_of, tile_costs
from .building import split_reduction
from .epilogues import TransferEpilogue, transfer_epilogue
from .role_levels import RoleLevels, engine_beside, links_to, result_fault, role_levels_of, start_fault, with_blocks
from .views import buffer_type


def _check_elements(op: Operation, engine: Engine, role_levels: RoleLevels, machine: Machine) -> None:
    """Raise Diagnostic for an operand whose level stores elements of another type."""
    for value, role in roles_of(op):
        level = machine.level(role_levels.level(role))
        if is_shaped(value) and not can_store(level, value):
            raise Diagnostic(
                f"{level.name} cannot hold the {role} of '{op.name}' on '{engine.name}'",
                where=where(op),
                expected=f"elements of {level.element}, which is all that the level stores",
                found=str(element_of(value)),
                remedy="map the kernel to another engine (the attribute 'engine')",
            )


def can_store(level: Level, value: SSAValue) -> bool:
    """Return whether a level stores elements of the type of a buffer's."""
    return level.element in ("", str(element_of(value)))


def with_sums(
    op: Operation, kernel: Kernel, engine: Engine, role_levels: RoleLevels, machine: Machine
) -> list[RoleLevels]:
    """
    Return the alternative role levels of a kernel and its epilogue, where partial sums have a level of their own.

    The epilogue is a kernel of an engine that reads the sums, or part of the transfer of the results. Raises Diagnostic
    for operands of another type there, and for sums that neither takes out.
    """
    level = machine.level(role_levels.level("accumulators"))
    if not role_levels.is_last or not level.element:
        return [role_levels]
    sums = {str(reduction.body.args[-1].type) for reduction in kernel.reductions}
    if kernel.epilogue is None or not can_cut_reductions(op, kernel) or sums != {level.element}:
        _check_elements(op, engine, role_levels, machine)
        return [role_levels]
    variants: list[RoleLevels] = []
    epilogue = split_reduction(op).epilogue
    assert epilogue is not None
    separate = replace(role_levels, separate_sums=True)
    beside = engine_beside(epilogue, engine, separate, machine)
    if beside is not None:
        variants.append(separate.beside(beside, machine))
        _check_elements(op, engine, variants[0], machine)
    moved = transfer_epilogue(kernel)
    reason = moved if isinstance(moved, str) else ""
    if isinstance(moved, TransferEpilogue):
        stored = role_levels.stored(moved)
        reason = result_fault(stored, role_levels.far, machine) or start_fault(stored, machine)
        variants += [] if reason else [stored]
        if reason and moved.bias is not None and (view := moved.bias.view) is not None:
            view.erase()
    if variants:
        return variants
    raise Diagnostic(
        f"no engine of '{machine.name}' takes the sums of '{op.name}' out of {level.name}",
        where=where(op),
        expected=f"one that runs '{epilogue.name}' with ins in {level.name}, or a link out of it that computes it",
        found=", ".join(engine.name for engine, _ in machine.engines_for(epilogue))
        + f", which do not reach it; {reason}",
        remedy=f"name {level.name} among the levels of an engine's ins, add to transforms of the link what it can, "
        "or map the kernel to another engine",
    )


def passing_cycles(op: KernelOp, engine: Engine, machine: Machine) -> tuple[int, int]:
    """
    Return the cycles in which a link moves the sums of a kernel: once, and in the passes that its epilogue takes.

    Those of the issue of its instructions count where they are more. (0, 0) where the epilogue takes one pass, or is
    none of a transfer.
    """
    role_levels, kernel = role_levels_of(engine, machine, links_to(engine, machine) - 1), kernel_of(op)
    if role_levels is None or not role_levels.is_last or not machine.level(role_levels.level("accumulators")).element:
        return 0, 0
    if kernel.epilogue is None or not can_cut_reductions(op, kernel):
        return 0, 0
    moved = transfer_epilogue(kernel)
    if not isinstance(moved, TransferEpilogue):
        return 0, 0
    if moved.bias is not None and (view := moved.bias.view) is not None:
        view.erase()
    stored = role_levels.stored(moved)
    links = machine.path(stored.level("outs"), role_levels.far)
    if len(links) != 1 or (passes := passes_of(moved.body, links[0])) == 1:
        return 0, 0
    link, shape, stored = links[0], shape_of(op.output), with_blocks(op, kernel, engine, stored, machine)
    near = buffer_type(shape, moved.element, stored.layout("outs", kernel.outputs[0].map))

    def cycles(passes: int) -> int:
        cost = tile_costs(machine, link, op.output, reads=False, near=near, passes=passes)(shape, shape)
        instructions = instructions_of(link, near, passes=passes)(shape)
        return max(cost.startup + cost.data, instructions * machine.issuing)

    return cycles(1), cycles(passes)


def sums_fault(op: Operation, engine: Engine, machine: Machine) -> str:
    """
    Return why neither an engine nor the transfer of the results computes the epilogue of separate partial sums.

    Empty if one does, and for kernels whose sums have no level of their own.
    """
    role_levels = role_levels_of(engine, machine, links_to(engine, machine) - 1)
    if role_levels is None:
        return ""
    try:
        variants = with_sums(op, kernel_of(op), engine, role_levels, machine)
    except Diagnostic as error:
        return f"{error.message}; found {error.found}"
    for variant in variants:
        if variant.epilogue is not None and variant.epilogue.bias is not None and (view := variant.epilogue.bias.view):
            view.erase()
    return ""
