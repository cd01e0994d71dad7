"""Affine access forms of kernels, and loop bounds that keep accesses within an operand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...dialects.core.analysis.affine_form import Linear, drop_unit_dims, linear
from ...dialects.core.kernel import Access, Kernel, is_shaped
from ...ir import shape_of


@dataclass(frozen=True)
class AccessAxis:
    """Affine index of an access along an axis of this extent."""

    index: Linear
    extent: int
    low: bool = False
    """True if the index may be negative."""
    high: bool = False
    """True if the index may reach the extent."""


@dataclass(frozen=True)
class Clamp:
    """Constraint `0 <= outer + factor * dim < axis.extent` on a reduction loop; `factor` > 0."""

    dim: int
    factor: int
    outer: Linear
    axis: AccessAxis


def axes_of(access: Access, bounds: Sequence[int]) -> list[AccessAxis]:
    """Return the affine indices of an access over the iteration domain; none for a scalar."""
    if not is_shaped(access.value):
        return []
    axes: list[AccessAxis] = []
    for expr, extent in zip(access.map.results, shape_of(access.value), strict=True):
        form = drop_unit_dims(linear(expr), bounds)
        low, high = form.interval(bounds)
        padded = access.fill is not None
        axes.append(AccessAxis(form, extent, padded and low < 0, padded and high >= extent))
    return axes


def clamps_of(kernel: Kernel) -> list[Clamp]:
    """
    Return the constraints on reduction loops that keep the kernel's inputs in bounds.

    There are none unless points out of bounds may be skipped. An axis needs a guard instead if it depends on more than
    one reduction dimension, or has a negative factor.
    """
    if not kernel.fill_is_neutral:
        return []
    axes = [axis for access in kernel.inputs for axis in axes_of(access, kernel.bounds)]
    clamps = [_clamp(axis, kernel.reduced) for axis in axes if axis.low or axis.high]
    return [clamp for clamp in clamps if clamp is not None]


def _clamp(axis: AccessAxis, reduced: frozenset[int]) -> Clamp | None:
    inner = sorted(axis.index.dims() & reduced)
    factor = dict(axis.index.terms).get(inner[0], 0) if len(inner) == 1 else 0
    if factor <= 0:
        return None
    outer = axis.index.without(inner[0])
    return None if inner[0] in outer.dims() else Clamp(inner[0], factor, outer, axis)
