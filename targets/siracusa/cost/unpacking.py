"""
Cost of unpacking 4- and 2-bit numbers to bytes on a RI5CY core: the loops of `tilewright_unpack.h`.

Counted in the instructions of gcc 12 -O2, not measured. A word of packed numbers is loaded, and the loop steps two
pointers and branches. Each four numbers take a shift (except the first), a mask, three more instructions for the sign,
and a store. With Xpulp it is a hardware loop with a load stall; each four numbers take a left shift of bytes (except
the last), a right shift, and a store. A partial last word of a row takes a loop over words and one over bytes. In plain
C, unsigned numbers take three instructions fewer per four, and short unrolled rows 5 fewer per word; neither is
counted.
"""

from __future__ import annotations

from math import prod

from ....dialects.core.analysis.affine_form import Quotient, linear
from ....dialects.core.kernel import Kernel, per_kernel
from ....dialects.nn.unpack import WORD
from .kernels import parallel_dims, share, slowdown
from .loops import AROUND, BRANCH, START

_BLOCK, _XPULP_BLOCK = 1 + 2 + BRANCH - 1, 1 + 1 - 1
_NUMBERS, _XPULP_NUMBERS = 6, 3
"""Cycles of a word of packed numbers, and of each four numbers in it."""
_ROW, _XPULP_ROW, _STEP = 6, 3, 3 + BRANCH
"""Overhead in cycles of a row, and of an iteration of the remainder loops."""


@per_kernel
def packed_numbers(kernel: Kernel) -> int | None:
    """Return the numbers per word of the input of `nn.unpack`, None for other kernels."""
    atoms = [atom for access in kernel.inputs for e in access.map.results for atom, _ in linear(e).terms]
    divisors = sorted({atom.by for atom in atoms if isinstance(atom, Quotient)})
    is_unpacking = len(kernel.inputs) == 1 and len(divisors) == 2 and divisors[0] == WORD and not kernel.reductions
    return divisors[1] if is_unpacking else None


def unpacking_cycles(
    kernel: Kernel, bounds: tuple[int, ...], cores: int, *, numbers: int, contention: float, xpulp: bool = False
) -> float:
    """
    Estimate the cycles of unpacking rows, partitioned among cores; a word has `numbers` numbers.

    With `xpulp` there are hardware loops and byte shifts.
    """
    *rows, length = bounds
    mine = share([bounds[d] for d in parallel_dims(kernel)[:-1]], cores)
    own = prod(mine.trips if number == mine.loop else extent for number, extent in enumerate(rows))
    blocks, rest = divmod(length, numbers)
    words, left = blocks * numbers // WORD, divmod(rest, WORD)
    around, block, four = (_XPULP_ROW, _XPULP_BLOCK, _XPULP_NUMBERS) if xpulp else (_ROW, _BLOCK, _NUMBERS)
    row = AROUND + around + blocks * block + words * four
    row += (1 + (left[0] + 1) * _NUMBERS + sum(left) * _STEP) if rest else 0
    accesses = blocks + words + (1 + sum(left) if rest else 0)
    return START + own * row * slowdown(contention, accesses / row, mine.cores)
