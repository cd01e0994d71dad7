"""Order of the loops of elementwise kernels: constants of channels are loaded once for all pixels."""

from __future__ import annotations

from ....dialects.core.kernel import Kernel, is_shaped
from ..cost.kernels import dims_of, parallel_dims

LEAST = 4
"""Least number of pixels for which an interchange pays: fewer are not worth a loop of their own (chosen)."""


def loop_order(kernel: Kernel) -> tuple[int, ...]:
    """
    Return the parallel loops of a kernel, outermost first.

    The innermost one of an elementwise kernel comes first where operands vary along it alone, such as factors of
    channels: all loops inside of it then leave them in registers.
    """
    dims = parallel_dims(kernel)
    if len(dims) != len(kernel.bounds) or not dims:
        return dims
    wide = [dim for dim in dims if kernel.bounds[dim] > 1]
    innermost = wide[-1] if wide else dims[-1]
    pixels = 1
    for dim in dims:
        pixels *= kernel.bounds[dim] if dim != innermost else 1
    operands = [access for access in (*kernel.inputs, *kernel.extras) if is_shaped(access.value)]
    are_constant = any(dims_of(access).intersection(wide) == frozenset([innermost]) for access in operands)
    if not are_constant or pixels < LEAST:
        return dims
    return innermost, *(dim for dim in dims if dim != innermost)
