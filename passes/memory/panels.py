"""Inputs whose tiles may be panels: whole along reduced loops that are cut for other inputs."""

from __future__ import annotations

from ...dialects.core.analysis.affine_form import linear
from ...dialects.core.kernel import Access
from ...ir import shape_of
from ..tiles.group import Tilings
from ..tiles.kernels import KernelTiles
from .route import Route


def panels_to_try(tilings: Tilings, route: Route) -> list[tuple[int, set[int]]]:
    """
    Return the positions of the leader's inputs whose panels are transferred faster than their tiles.

    With each come the reduced loops that share an axis of the input with a parallel loop: they cannot be cut.

    A tile that is cut along its last axis is strided, and the link starts a transfer for each of its rows. Its panel
    has longer rows.
    """
    part = tilings.parts[-1]
    if route.ahead or len(part.kernel.reductions) != 1:
        return []
    reads = part.accesses.items()
    return [(at, _shared(part, access)) for at, access in reads if _has_panels(tilings, part, at, access, route)]


def _shared(part: KernelTiles, access: Access) -> set[int]:
    reduced, axes = part.kernel.reduced, [linear(expr).dims() for expr in access.map.results]
    return {dim for dims in axes if len(dims) > 1 for dim in dims & reduced}


def _has_panels(tilings: Tilings, part: KernelTiles, position: int, access: Access, route: Route) -> bool:
    """Return whether panels of an input are legal, and made of longer rows than its tiles."""
    tile, shape = tilings.operands.reads.get((len(tilings.parts) - 1, position)), shape_of(access.value)
    if tile is None or not tile.has_buffer or tile.near is not None or part.role(position) == "extras":
        return False
    if sum(operand is access.value for operand in part.op.operands) > 1:
        return False
    link, forms = route.link(tile), [linear(expr) for expr in access.map.results]
    strided = [axis for axis, extent in enumerate(shape) if extent > 1]
    if not link.startup or len(strided) <= link.dims or not part.kernel.reduced & forms[strided[-1]].dims():
        return False
    ends = [(form.divides, form.interval(part.kernel.bounds)) for form in forms]
    return not any(
        divides or low < 0 or high >= extent for (divides, (low, high)), extent in zip(ends, shape, strict=True)
    )
