"""Support of an op by an engine: element types, the shape of its tiles, and the cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

from .keys import HEADING, NO_KEY, Alone
from .values import Count, ElementType, Loop, NameForm, NumberForm

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation, SSAValue

    from ..kernel import Kernel

Parameter = int | float | tuple[int | float, ...]
_Rate = Annotated[float, NumberForm(is_positive=True, unit="per cycle")]


@dataclass(frozen=True)
class OpSupport:
    """
    Entry of an engine's `runs`: an op that it can run, and how. The parameters of the cost function stand beside it.

    Loops are named by `Kernel.loop_names`; `p-1` is the last of the loops `p`, a letter alone stands for all.
    """

    op: Annotated[str, HEADING]
    cost: Annotated[str, NameForm(kind="a cost function")]
    """Cost function."""
    types: tuple[ElementType, ...] = ("*",)
    """
    Element types that every input may have. Integers have no sign at this level: `i8` is unsigned 8-bit data too.
    """
    result_types: tuple[ElementType, ...] = ("*",)
    """Element types that outputs may have."""
    multiples: tuple[tuple[Loop, Count], ...] = ()
    """
    Block extents: a tile is a multiple of that of a loop, or the whole dimension; an incomplete block costs as much as
    a complete one.
    """
    maxima: tuple[tuple[Loop, Count], ...] = ()
    """Longest tile along a loop."""
    whole: tuple[Loop, ...] = ()
    """Loops that a tile spans."""
    padded: tuple[Loop, ...] = ()
    """
    Loops along which the engine needs whole blocks: a tile is a multiple of `multiples` there even if the dimension is
    none, and the transfers in fill the rest.
    """
    blocked: tuple[tuple[Literal["ins", "weights", "outs"], Loop], ...] = ()
    """
    By role, the loop along whose axis the tiles are in blocks, each as long as a row of the level, as
    `{ ins = "k0", weights = "n0" }`; row-major without it. The links to them need `layout`.
    """
    filled: tuple[Literal["ins"], ...] = ()
    """
    Roles of operands whose padding the engine does not know: transfers in, which need `fill`, bring that of tiles, and
    of whole axes too. `fold-padding` then leaves no padded copy.
    """
    beside: tuple[Literal["ins", "weights"], ...] = ()
    """
    Roles whose rows the engine reads once each, in step with those of its other inputs; they take turns in a bank with
    a `single_port`.
    """
    peak: Annotated[tuple[tuple[ElementType, _Rate], ...], Alone("*")] = ()
    """
    Multiply-accumulates per cycle that each core of the engine does at most, or a table of these by the type of the
    weights, as `{ i8 = 4, i4 = 8 }`; a type not listed has the peak of the next narrower one that is, or else that of
    `*`. Without it, `macs_per_cycle` of the cost function, if it has one. Profiles compare with it; it decides nothing.
    """
    parameters: Annotated[tuple[tuple[str, Parameter], ...], NO_KEY] = ()
    """Parameters of the cost function, in order of their names."""

    def type_fault(self, op: Operation) -> str:
        """Return the element types of an op that the engine does not run it on, as text; empty if there are none."""
        if self.types == self.result_types == ("*",):
            return ""
        from ..kernel import is_kernel, kernel_of

        if not is_kernel(op):
            return f"'{op.name}' is no kernel"
        kernel = kernel_of(op)
        inputs = [access.value for access in kernel.read]
        outputs = [access.value for access in kernel.outputs]
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
        fitting = [name for bits, name in sorted(narrower.items()) if bits <= width]
        return cores * peaks.get(str(type), peaks[fitting[-1]] if fitting else peaks.get("*", 0.0))

    def blocks(self, kernel: Kernel) -> tuple[int, ...]:
        """Return the block extent of each loop of a kernel, 1 where the engine has none."""
        return tuple(block or 1 for block in _by_loop(kernel, self.multiples))

    def without_fills(self, kernel: Kernel) -> Kernel:
        """Return a kernel without the padding that transfers fill."""
        if not self.filled:
            return kernel
        roles = ["weights" if n == 1 and kernel.reductions else "ins" for n in range(len(kernel.inputs))]
        pairs = zip(kernel.inputs, roles, strict=True)
        return replace(kernel, inputs=tuple(replace(a, fill=None) if role in self.filled else a for a, role in pairs))

    def limits(self, kernel: Kernel) -> tuple[int, ...]:
        """Return the greatest extent that a tile may have along each loop of a kernel, at most the padded loop's."""
        maxima = zip(self.padded_bounds(kernel), _by_loop(kernel, self.maxima), strict=True)
        return tuple(extent if most is None else min(extent, most) for extent, most in maxima)

    def padded_bounds(self, kernel: Kernel) -> tuple[int, ...]:
        """Return the extent of each loop of a kernel, in whole blocks of the engine where it needs them."""
        loops = zip(_aliases(kernel), kernel.bounds, self.blocks(kernel), strict=True)
        return tuple(
            extent if set(self.padded).isdisjoint(names) else -(-extent // block) * block
            for names, extent, block in loops
        )

    def spans(self, kernel: Kernel) -> tuple[bool, ...]:
        """Return for each loop of a kernel whether a tile must span it."""
        return tuple(not set(self.whole).isdisjoint(names) for names in _aliases(kernel))


def _by_loop(kernel: Kernel, numbers: Iterable[tuple[str, int]]) -> Iterator[int | None]:
    """Yield the number of each loop of a kernel, given by its names from the most specific on; None for no number."""
    by_name = dict(numbers)
    for names in _aliases(kernel):
        yield next((by_name[name] for name in names if name in by_name), None)


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
    unsupported = [name for name in dict.fromkeys(map(str, elements)) if name not in types]
    return f"{kind} of {', '.join(unsupported)}, not {' or '.join(types)}" if unsupported else ""
