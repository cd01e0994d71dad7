"""Cost function of the processors of a phone-class chip: rates of products and of bytes, whichever takes longer."""

from __future__ import annotations

from math import ceil, prod

from xdsl.dialects.builtin import IntegerType

from ...dialects.core.kernel import Access, Kernel, is_shaped
from ...dialects.core.machine.cost_table import cost
from ...dialects.core.machine.engine import Engine
from ...ir import element_of, numpy_type, shape_of


@cost("processor")
def processor(
    kernel: Kernel,
    bounds: tuple[int, ...],
    engine: Engine,
    *,
    macs_per_cycle: float,
    integer_macs_per_cycle: float = 0.0,
    points_per_cycle: float = 1.0,
    bytes_per_cycle: float = 4.0,
    startup: int = 0,
) -> int:
    """
    Estimate the cycles of a kernel on all cores of a processor.

    A kernel of several inputs that reduces does `macs_per_cycle`, of integers `integer_macs_per_cycle` where that is
    given, others `points_per_cycle`; none takes less than its operands' bytes at `bytes_per_cycle`.
    """
    accesses = [access for access in (*kernel.read, *kernel.outputs, *kernel.extras) if is_shaped(access.value)]
    is_product = bool(kernel.reductions) and sum(is_shaped(access.value) for access in kernel.read) > 1
    is_integer = bool(accesses) and isinstance(element_of(accesses[0].value), IntegerType)
    of_products = integer_macs_per_cycle if is_integer and integer_macs_per_cycle else macs_per_cycle
    work = prod(bounds) / (of_products if is_product else points_per_cycle)
    moved = sum(_bytes(access) for access in accesses) * prod(bounds) / max(1, kernel.points)
    return startup + ceil(max(work, moved / bytes_per_cycle))


def _bytes(access: Access) -> int:
    return prod(shape_of(access.value)) * numpy_type(element_of(access.value)).itemsize
