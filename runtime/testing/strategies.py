"""Random programs as strategies of hypothesis, which shrinks them to short ones."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from ...errors import Diagnostic, did_you_mean
from .programs.explicit import expanded_program, grid_program
from .programs.grids import expanded_tiled_program, tiled_program
from .programs.program import PROFILES, RandomProgram, program

_DRAWS = st.randoms(use_true_random=False)


def programs(*profiles: str, blocks: bool = True) -> st.SearchStrategy[RandomProgram]:
    """
    Return the strategy of programs of `arith`, `math`, `scf`, `cf`, `memref`, `tensor`, `affine` and `linalg`.

    `profiles` are kinds of programs, such as "scalars", "loops", "memory", "tensors" and "kernels" (`PROFILES`), by
    default all. A program verifies and has no undefined behaviour on inputs in the bounds of its arguments. Without
    `blocks` none has branches between blocks. Raises Diagnostic for an unnames profile.
    """
    names = [name for name in PROFILES if blocks or name != "blocks"]
    for name in profiles:
        if name not in names:
            remedy = did_you_mean(name, names)
            raise Diagnostic(f"there is no profile '{name}'", expected=", ".join(names), found=name, remedy=remedy)
    return st.builds(_drawn, _DRAWS, st.sampled_from(profiles or names))


def _drawn(draw: Random, profile: str) -> RandomProgram:
    return program(0, profile=profile, draw=draw)


def grids() -> st.SearchStrategy[ModuleOp]:
    """Return the strategy of programs of `hier.grid`: kernels in tiles, fused, nested and with resident buffers."""
    return st.one_of(_DRAWS.map(grid_program), _DRAWS.map(tiled_program))


def explicit_programs() -> st.SearchStrategy[ModuleOp]:
    """Return the strategy of programs of `hier` with explicit transfers, as `expand-grid` and `pipeline-dma` write."""
    return st.one_of(_DRAWS.map(expanded_program), _DRAWS.map(expanded_tiled_program))
