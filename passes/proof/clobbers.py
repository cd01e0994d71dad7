"""In-place updates of kernels: whether an element is read only at the loop point that writes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from ...dialects.core.kernel import Access, Kernel, used_inputs
from .rules import listed
from .sets import Dims, sample


@dataclass(frozen=True)
class Clobber:
    """Element of a buffer that a kernel writes at one loop point and reads at another one; empty for a table."""

    element: tuple[int, ...] = ()
    written_at: tuple[int, ...] = ()
    read_at: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """Describe the counterexample."""
        if not self.written_at:
            return "any element may be looked up at any loop point"
        points = f"written at loop point {listed(self.written_at)}, read at loop point {listed(self.read_at)}"
        return f"element {listed(self.element)} is {points}"


def clobber_of(kernel: Kernel, value: SSAValue, write: Access) -> Clobber | None:
    """
    Return an element that a kernel reads of `value` after it may have written it in place, None if there is none.

    `value` is the same memory as the output `write`, element by element. The points of a kernel are in no order.
    """
    if any(value is table for table in kernel.tables):
        return Clobber()
    for read in (access for access in used_inputs(kernel) if access.value is value and access is not write):
        is_extra = any(read is extra for extra in kernel.extras)
        clobber = _between(kernel, read, write, kernel.output_dims if is_extra else range(len(kernel.bounds)))
        if clobber is not None:
            return clobber
    return None


def _between(kernel: Kernel, read: Access, write: Access, dims: Sequence[int]) -> Clobber | None:
    """Find two points, which differ in some of these dimensions, of which one writes what the other one reads."""
    dims = [dim for dim in dims if kernel.bounds[dim] > 1]
    if 0 in kernel.bounds or (read.map == write.map and set(dims) <= _deciding_dims(write)):
        return None
    bounds = tuple(bound if dim in dims else 1 for dim, bound in enumerate(kernel.bounds))
    p, q = Dims("p", bounds), Dims("q", bounds)
    pairs = zip(write.forms, read.forms, strict=True)
    meets = [f"{p.text(a)} = {q.text(b)}" for a, b in pairs]
    for order in (*p.before(q, dims), *q.before(p, dims)):
        points = sample([*p.names, *q.names], [*p.inside, *q.inside, *meets, *order])
        if points is not None:
            first, second = tuple(points[: len(bounds)]), tuple(points[len(bounds) :])
            return Clobber(write.map.eval(first, []), first, second)
    return None


def _deciding_dims(access: Access) -> set[int]:
    """Return the dimensions that alone decide an index: points that differ in one of them have other elements."""
    alone = [form.dims() for form in access.forms if not form.divides and len(form.dims()) == 1]
    return set[int]().union(*alone)
