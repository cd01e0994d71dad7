"""Support of an op by an engine: element types, the shape of its tiles, and the cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation, SSAValue

    from ..kernel import Kernel

Parameter = int | float | tuple[int | float, ...]


@dataclass(frozen=True)
class OpSupport:
    """
    An entry of an engine's `runs`: an op that it can run, and how.

    `types` are the element types that every input may have, `result_types` those of the outputs; either may be `*`. The
    limits on tiles are by the loops' names (`Kernel.loop_names`); `p-1` is the last of the loops `p`, a letter alone
    stands for all.

    - `multiples`: the engine works on blocks of that extent. A tile is a multiple of it, or the whole dimension, and an
      incomplete block costs as much as a complete one.
    - `padded`: a tile is a multiple there even if the dimension is none: transfers fill the incomplete block.
    - `blocked`: tiles of a role's operands are in blocks of a row of their level, along the axis of that loop.
    - `filled`: the engine knows no padding of a role's operands: transfers fill that of tiles, whole ones too.
    - `beside`: the engine reads the rows of a role's operand once each, in step with rows of other inputs.
    - `maxima`: a tile is at most that long.
    - `whole`: a tile spans the dimension.

    `peak` are the multiply-accumulates a cycle that each core does at most, by the type of the weights.
    """

    op: str
    cost: str
    types: tuple[str, ...] = ("*",)
    result_types: tuple[str, ...] = ("*",)
    multiples: tuple[tuple[str, int], ...] = ()
    maxima: tuple[tuple[str, int], ...] = ()
    whole: tuple[str, ...] = ()
    padded: tuple[str, ...] = ()
    blocked: tuple[tuple[str, str], ...] = ()
    filled: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    peak: tuple[tuple[str, float], ...] = ()
    parameters: tuple[tuple[str, Parameter], ...] = ()

    def type_fault(self, op: Operation) -> str:
        """Return the element types of an op that the engine does not run it on, as text; empty if there are none."""
        if self.types == self.result_types == ("*",):
            return ""
        from ..kernel import is_kernel, kernel_of

        if not is_kernel(op):
            return f"'{op.name}' is no kernel"
        kernel = kernel_of(op)
        inputs, outputs = [each.value for each in kernel.read], [each.value for each in kernel.outputs]
        return _others("inputs", inputs, self.types) or _others("outputs", outputs, self.result_types)

    def peak_of(self, op: Operation, cores: int) -> float:
        """
        Return the multiply-accumulates per cycle of the engine's clock that its cores do at most; 0 if not known.

        An integer type that `peak` does not list has the peak of the next narrower one that it does, or else that of
        `*`. Without `peak`, that is the parameter `macs_per_cycle` of the cost function.
        """
        from ....ir import integer_width
        from ..work import factor_type

        if not self.peak:
            said = dict(self.parameters).get("macs_per_cycle", 0.0)
            return float(said) if isinstance(said, int | float) else 0.0
        peaks = dict(self.peak)
        type = factor_type(op)
        width = integer_width(type) or 0
        narrower = {int(name[1:]): name for name in peaks if name[0] == "i" and name[1:].isdecimal()}
        known = [name for bits, name in sorted(narrower.items()) if bits <= width]
        return cores * peaks.get(str(type), peaks[known[-1]] if known else peaks.get("*", 0.0))

    def blocks(self, kernel: Kernel) -> tuple[int, ...]:
        """Return the block extent of each loop of a kernel, 1 where the engine has none."""
        multiples = dict(self.multiples)
        return tuple(next((multiples[each] for each in names if each in multiples), 1) for names in _aliases(kernel))

    def without_fills(self, kernel: Kernel) -> Kernel:
        """Return a kernel without the padding that transfers fill."""
        if not self.filled:
            return kernel
        roles = ["weights" if n == 1 and kernel.reductions else "ins" for n in range(len(kernel.inputs))]
        pairs = zip(kernel.inputs, roles, strict=True)
        return replace(kernel, inputs=tuple(replace(a, fill=None) if role in self.filled else a for a, role in pairs))

    def limits(self, kernel: Kernel) -> tuple[int, ...]:
        """Return the greatest extent that a tile may have along each loop of a kernel, at most the padded loop's."""
        maxima = dict(self.maxima)
        named = zip(_aliases(kernel), self.padded_bounds(kernel), strict=True)
        return tuple(
            min(extent, next((maxima[each] for each in names if each in maxima), extent)) for names, extent in named
        )

    def padded_bounds(self, kernel: Kernel) -> tuple[int, ...]:
        """Return the extent of each loop of a kernel, in whole blocks of the engine where it needs them."""
        each = zip(_aliases(kernel), kernel.bounds, self.blocks(kernel), strict=True)
        return tuple(
            -(-extent // block) * block if any(name in self.padded for name in names) else extent
            for names, extent, block in each
        )

    def spans(self, kernel: Kernel) -> tuple[bool, ...]:
        """Return for each loop of a kernel whether a tile must span it."""
        return tuple(any(name in self.whole for name in names) for names in _aliases(kernel))


def loop_named(kernel: Kernel, name: str) -> int | None:
    """Return the loop of a name, of several the first; None if there is none."""
    return next((loop for loop, names in enumerate(_aliases(kernel)) if name in names), None)


def _aliases(kernel: Kernel) -> list[tuple[str, ...]]:
    """Return the names of each loop in a machine's file: its own, that of the last of its role, and that of all."""
    names = kernel.loop_names
    last = {name[0]: name for name in names}
    return [(name, *([f"{name[0]}-1"] if last[name[0]] == name else []), name[0]) for name in names]


def _others(kind: str, values: list[SSAValue], types: tuple[str, ...]) -> str:
    """Return the element types of values that are none of `types`, as text."""
    from ....ir import element_of
    from ..kernel import is_shaped

    if "*" in types:
        return ""
    elements: list[Attribute] = [element_of(value) if is_shaped(value) else value.type for value in values]
    found = [name for name in dict.fromkeys(map(str, elements)) if name not in types]
    return f"{kind} of {', '.join(found)}, not {' or '.join(types)}" if found else ""
