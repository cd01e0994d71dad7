"""Loops over the rows of a product's operands in the array's memories."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ...dialects.core.analysis.affine_form import linear
from ...dialects.core.kernel import Access, Kernel
from ...dialects.core.scalars import Index
from ...dialects.nn.contraction import ContractionOp
from ...errors import Diagnostic
from ...ir import where
from ...passes.loops.affine import axes_of
from ...passes.loops.blocks import PartLoops
from ...passes.loops.nest import Nest
from .rows import BufferRows, rows_of


class ProductLoops(PartLoops):
    """
    A product whose operands are blocks of rows, and its loops by their parts in it.

    `n` and `k` are the loops over columns of weights and of the first factor, `row` that over neighbouring rows of
    sums, `others` those over other rows, `batches` over products, and `taps` over the window of a convolution.
    """

    def __init__(self, op: ContractionOp, kernel: Kernel, nest: Nest):
        super().__init__(kernel, nest)
        names = kernel.loop_names
        self.op, self.n, self.k = op, names.index("n0"), names.index("k0")
        self.x, self.w, self.y = *kernel.inputs, *kernel.outputs
        self.rows = {access: rows_of(access.value) for access in (self.x, self.w, self.y)}
        self.dim = self.rows[self.y].dim
        self.row = self._row(names)
        self.others = [loop for loop, name in enumerate(names) if name[0] == "m" and loop != self.row]
        self.batches = [loop for loop, name in enumerate(names) if name[0] == "b"]
        self.taps = [loop for loop, name in enumerate(names) if name[0] == "k" and loop != self.k]

    def _row(self, names: Sequence[str]) -> int:
        """Return the loop whose neighbours are neighbouring rows of sums."""
        rows = self.rows[self.y]
        form = linear(self.y.map.results[rows.others[rows.line]])
        loops = [loop for loop in form.dims() if names[loop][0] == "m"]
        if len(loops) != 1:
            raise Diagnostic("the rows of a product's sums are no rows of its first factor", where=where(self.op))
        return loops[0]

    @property
    def step(self) -> int:
        """Rows of the first factor between those of neighbouring sums."""
        rows, stride = self.rows[self.x], 0
        for place, axis in enumerate(rows.others):
            form = linear(self.x.map.results[axis])
            stride += sum(factor for loop, factor in form.terms if loop == self.row) * rows.distance(place)
        return stride

    def at(self, access: Access, block: Index) -> list[SSAValue]:
        """Return the physical indices of an operand's row at the current position, in a block of columns."""
        rows: BufferRows = self.rows[access]
        axes = axes_of(access, self.kernel.bounds)
        for loop in self.batches:
            factors = dict(linear(access.map.results[rows.axis]).terms)
            block = self.nest.add(block, self.nest.mul(self.position[loop], factors.get(loop, 0) // self.dim))
        indices = [block, *(self.index(axes[axis].index) for axis in rows.others), 0]
        return [self.nest.value(index) for index in indices]
