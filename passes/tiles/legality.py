"""
Legality of tilings: one table of rules, each with its mask over N tilings and the message of a refusal.

Planners keep the tilings of the mask; whoever states tile sizes by hand is quoted the message of the first rule broken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation

from ...dialects.core.kernel import Kernel
from ...dialects.core.kernel_op import KernelOp
from ...dialects.core.nesting import nested_ops
from ...ir import Ints
from .group import Tilings
from .kernels import KernelTiles, any_along
from .operands import Flags


@dataclass(frozen=True)
class TilingRule:
    """Rule that tilings of a fused group keep."""

    name: str
    holds: Callable[[Tilings], Flags]
    """Returns the mask of tilings that keep the rule [N]."""
    message: Callable[[Tilings], str]
    """Returns why one tiling breaks it, with the loop or operand."""
    refusal_of: Callable[[KernelTiles], str] | None = None
    """Returns why one tile of a kernel breaks a rule of kernels, empty if it keeps it; None for a rule of groups."""


def legal(tilings: Tilings) -> Flags:
    """Return the mask of legal tilings [N]."""
    return np.logical_and.reduce([rule.holds(tilings) for rule in RULES])


def refusal(tiling: Tilings) -> str:
    """Return why one tiling is illegal: the message of the first rule that it breaks, empty if it is legal."""
    return next((rule.message(tiling) for rule in RULES if not rule.holds(tiling)[0]), "")


Refusal: TypeAlias = "tuple[TilingRule, int, Tilings]"
"""Rule, the number of tilings that it is the first to refuse, and one of these."""


def refusals_of(tilings: Tilings) -> list[Refusal]:
    """Return the rules that refuse some of N tilings, in their order, each with those that the ones before it left."""
    refusals: list[Refusal] = []
    for rule in RULES:
        holds = rule.holds(tilings)
        if not holds.all():
            refusals.append((rule, int((~holds).sum()), tilings.take(np.flatnonzero(~holds)[:1])))
        tilings = tilings.take(holds)
    return refusals


def refusal_of_part(part: KernelTiles) -> str:
    """Return why one tile of a kernel is illegal by the kernel's own loops, empty if it is legal."""
    texts = (rule.refusal_of(part) for rule in RULES if rule.refusal_of is not None)
    return next(filter(None, texts), "")


def can_cut_reductions(op: Operation, kernel: Kernel) -> bool:
    """Return whether a kernel is one reduction that can be split into partial sums."""
    if len(kernel.reductions) != 1 or kernel.result is not None or len(kernel.outputs) != 1:
        return False
    (reduction,) = kernel.reductions
    return len(reduction.initial) == 1 and (isinstance(op, KernelOp) or reduction.initial[0] is None)


def index_dims(kernel: Kernel) -> set[int]:
    """Return the loops whose index the scalar code uses."""
    blocks = [*(reduction.body for reduction in kernel.reductions), kernel.result, kernel.epilogue]
    inner = (op for block in blocks if block is not None for op in nested_ops(block))
    return {op.dim.value.data for op in inner if isinstance(op, linalg.IndexOp)}


# Loops of one kernel


def _first(flags: Flags) -> int:
    """Return the first loop of one tiling for which a flag [1, loops] is set."""
    return int(np.argmax(flags[0]))


def _along(part: KernelTiles, dims: set[int] | frozenset[int]) -> Flags:
    """Return the mask of those of some loops that are cut [N, loops]."""
    kept = np.zeros(part.cut.shape[1], np.bool_)
    kept[sorted(dims)] = True
    return part.cut & kept


def _padded(part: KernelTiles, dims: set[int] | frozenset[int]) -> Flags:
    """Return the mask of those of some loops along which tiles are larger than the kernel [N, loops]."""
    kept = np.zeros(part.sizes.shape[1], np.bool_)
    kept[sorted(dims)] = True
    return (part.sizes > np.array(part.kernel.bounds)) & kept


def _uneven(sizes: Ints, kernel: Kernel) -> Flags:
    """Return the loops that tiles do not divide [N, loops]."""
    return np.array(kernel.bounds) % np.maximum(sizes, 1) != 0


def _pads_reduction(part: KernelTiles) -> Flags:
    reduced = frozenset[int]() if part.kernel.fill_is_neutral else frozenset(part.kernel.reduced)
    return _padded(part, reduced)


def _splits_pair(part: KernelTiles, broken: Callable[[KernelTiles, int, tuple[int, ...]], Flags]) -> Flags:
    """Return the inner loops of axes of several loops that are cut, where that is `broken` [N, loops]."""
    flags = np.zeros(part.sizes.shape, np.bool_)
    for inner, outer in part.kernel.axis_pairs:
        partial = part.sizes[:, inner] != part.kernel.bounds[inner]
        flags[:, inner] |= partial & broken(part, inner, tuple(outer))
    return flags


def _spans_outer(part: KernelTiles) -> Flags:
    return _splits_pair(part, lambda part, inner, outer: any_along(part.sizes[:, list(outer)] > 1))


def _cuts_unevenly(part: KernelTiles) -> Flags:
    return _splits_pair(part, lambda part, inner, outer: _uneven(part.sizes, part.kernel)[:, inner])


def _of_kernels(name: str, broken: Callable[[KernelTiles], Flags], text: str) -> TilingRule:
    """
    Return a rule of each kernel of a group.

    `broken` returns the loops for which it does not hold [N, loops], `text` is the message for one, `dim`, of which a
    tile has `size` steps.
    """

    def refusal_of(part: KernelTiles) -> str:
        flags = broken(part)
        return text.format(dim=(dim := _first(flags)), size=part.shape[dim]) if flags.any() else ""

    def holds(tilings: Tilings) -> Flags:
        return np.logical_and.reduce([~any_along(broken(part)) for part in tilings.parts])

    return TilingRule(name, holds, lambda tiling: next(filter(None, map(refusal_of, tiling.parts))), refusal_of)


# Reductions of the leader


def _cut_reductions(tilings: Tilings) -> Flags:
    """Return the leader's reduced loops that are cut [N, loops]."""
    kept = np.zeros(tilings.sizes.shape[1], np.bool_)
    kept[tilings.reduced] = True
    return (tilings.counts > 1) & kept


def _reduces_in_one_go(tilings: Tilings) -> Flags:
    if can_cut_reductions(tilings.op, tilings.kernel):
        return np.ones(len(tilings), np.bool_)
    return ~any_along(_cut_reductions(tilings))


def _uneven_reductions(tilings: Tilings) -> Flags:
    return _cut_reductions(tilings) & _uneven(tilings.sizes, tilings.kernel)


def _padded_steps(tilings: Tilings) -> Flags:
    """
    Return the reduced loops whose last step is partial, and not neutral [N, loops].

    Along an axis that another loop indexes too, a partial step reads elements of the operand instead of its fill, so
    that an input has to have an axis of the loop alone, as the weights of a convolution have.
    """
    kernel, uneven = tilings.kernel, _uneven_reductions(tilings)
    if kernel.fill_is_neutral:
        axes = [form.dims() for access in kernel.inputs for form in access.forms]
        alone = {dim for dims in axes if len(dims) == 1 for dim in dims}
        uneven[:, sorted(alone)] = False
    return uneven


def _reduces_evenly(tilings: Tilings) -> Flags:
    return ~any_along(_padded_steps(tilings))


# Intermediates of a group


def _intermediates_are_reduced(tilings: Tilings) -> Flags:
    fine = np.ones(len(tilings), np.bool_)
    for part in tilings.parts[:-1]:
        fine &= ~any_along(part.cut[:, sorted(part.kernel.reduced)])
    return fine


def _intermediates_are_whole_at_borders(tilings: Tilings) -> Flags:
    fine = np.ones(len(tilings), np.bool_)
    between = {part.kernel.outputs[0].value for part in tilings.parts[:-1]}
    for user in tilings.parts[1:]:
        for access in user.accesses.values():
            if access.value in between and access.fill is not None:
                fine &= ~user.tiles(access, tilings.counts, is_output=False, in_place=False).is_partial
    return fine


def _reduces_intermediates_evenly(tilings: Tilings) -> Flags:
    if len(tilings.ops) == 1:
        return np.ones(len(tilings), np.bool_)
    return ~any_along(_uneven_reductions(tilings))


def _joins_without_padding(tilings: Tilings) -> Flags:
    if len(tilings.ops) == 1:
        return np.ones(len(tilings), np.bool_)
    return ~any_along(tilings.sizes > np.array(tilings.kernel.bounds))


# Operands


def _rows_of(tilings: Tilings) -> Iterator[tuple[int, Ints, int]]:
    """Yield, for each operand in blocks, its axis in blocks, the extents of its tiles there [N] and that of a block."""
    for part in tilings.parts:
        for blocks, access in part.blocks():
            if (axis := blocks.axis(access.map)) is not None:
                yield axis, part.span(access, axis, in_place=False)[0], blocks.extent


def _are_whole_rows(tilings: Tilings) -> Flags:
    fine = np.ones(len(tilings), np.bool_)
    for _, extents, block in _rows_of(tilings):
        fine &= extents % block == 0
    return fine


def _says_rows(tiling: Tilings) -> str:
    axis, extent, block = next((axis, int(n[0]), block) for axis, n, block in _rows_of(tiling) if n[0] % block)
    return f"axis {axis} of an operand in blocks has {extent} elements, no whole rows of {block}"


def _views_stay_inside(tilings: Tilings) -> Flags:
    fine = np.ones(len(tilings), np.bool_)
    for part in tilings.parts:
        for position, access in part.uses:
            if part.role_levels.reaches(part.role(position), tilings.residency.get(access.value, part.role_levels.far)):
                fine &= part.stays_inside(access)
    return fine


def _says_reduction(text: str, broken: Callable[[Tilings], Flags]) -> Callable[[Tilings], str]:
    return lambda tiling: text.format(dim=_first(broken(tiling)))


RULES = (
    _of_kernels(
        "neutral padding of a reduction",
        _pads_reduction,
        "dimension d{dim} is reduced, and padding it to blocks of {size} changes the result",
    ),
    TilingRule(
        "one reduction, to be split",
        _reduces_in_one_go,
        _says_reduction("dimension d{dim} is reduced", _cut_reductions),
    ),
    TilingRule(
        "even steps of a reduction",
        _reduces_evenly,
        _says_reduction("dimension d{dim} is reduced, and must be cut evenly", _padded_steps),
    ),
    _of_kernels(
        "whole loops whose index is used",
        lambda part: _along(part, index_dims(part.kernel)),
        "the scalar code uses the index d{dim}",
    ),
    _of_kernels(
        "whole loops whose index is divided",
        lambda part: _along(part, part.kernel.divided_dims),
        "an access divides the index d{dim}",
    ),
    _of_kernels(
        "no padding of a shared axis",
        lambda part: _padded(part, part.kernel.shared_dims),
        "d{dim} cannot be padded to blocks of {size}: it shares an axis with another loop",
    ),
    _of_kernels(
        "contiguous tiles of a shared axis",
        _spans_outer,
        "d{dim} must be whole where tiles span several steps of an outer dimension of its axis",
    ),
    _of_kernels("even tiles of a shared axis", _cuts_unevenly, "d{dim} must be cut evenly"),
    TilingRule(
        "reduced intermediates",
        _intermediates_are_reduced,
        lambda tiling: "an intermediate must be reduced in one go",
    ),
    TilingRule(
        "intermediates without padding",
        _intermediates_are_whole_at_borders,
        lambda tiling: "an intermediate is padded where it is cut",
    ),
    TilingRule(
        "even steps over an intermediate",
        _reduces_intermediates_evenly,
        lambda tiling: "a reduction over an intermediate must be cut evenly",
    ),
    TilingRule(
        "fused tiles without padding",
        _joins_without_padding,
        lambda tiling: "tiles of fused kernels cannot be padded to blocks",
    ),
    TilingRule("whole rows of blocks", _are_whole_rows, _says_rows),
    TilingRule(
        "views inside of their operands",
        _views_stay_inside,
        lambda tiling: "a tile used in place extends beyond its operand",
    ),
)
"""The rules in the order in which a refusal quotes them."""
