"""Code of the program: its instruction cache, and what transfers take of its cycles."""

from dataclasses import replace

from tilewright.dialects.core.machine.engine import FREE, ProgramCosts
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.runtime.simulator import simulate
from tilewright.runtime.simulator.instruction_cache import InstructionCache
from tilewright.test.machines.make import machine

PROGRAM = ProgramCosts(cache=128, line=32, fetch=20)


def fetched(program: ProgramCosts, sizes: list[int], order: list[int], *, is_cold: bool = False) -> list[int]:
    """Return the cycles to fetch pieces of code, by their sizes, in an order."""
    cache = InstructionCache(program)
    pieces = [cache.add(number, size) for number, size in enumerate(sizes)]
    cache.restart(is_cold=is_cold)
    return [cache.cycles([pieces[number]]) for number in order]


def test_code_that_fits_is_never_fetched():
    assert fetched(PROGRAM, [64, 64], [0, 1, 0, 1]) == [0, 0, 0, 0]


def test_larger_code_is_fetched_in_part():
    # 0.42 of it in each call: x = 1 - exp(-1.25 x)
    assert fetched(PROGRAM, [64, 32, 64], [0, 0]) == [15, 0]


def test_code_is_evicted_by_what_is_fetched_after_it():
    assert fetched(PROGRAM, [128] * 20, [0, 1, 0, 0]) == [80, 80, 51, 0]  # 1 - 1 / e


def test_a_cold_cache_fetches_all_code_once():
    assert fetched(replace(PROGRAM, cache=8192), [64, 32], [0, 1, 0], is_cold=True) == [40, 20, 0]


def test_a_machine_without_sizes_fetches_nothing():
    assert InstructionCache(FREE).cycles([]) == 0


TRANSFERS = """
func.func @network(%a: memref<5x64xi8>, %b: memref<5x64xi8> {tilewright.output}) {
  %zero = arith.constant 0 : index
  %first = arith.constant FIRST : index
  %near = memref.alloc() : memref<2x64xi8, "L1">
  %in = hier.dma_start %a[%first, %zero] to %near READ : memref<5x64xi8>, memref<2x64xi8, "L1">
  hier.dma_wait %in
  %out = hier.dma_start %b[%first, %zero] from %near WRITE : memref<5x64xi8>, memref<2x64xi8, "L1">
  hier.dma_wait %out
  func.return
}
"""


def added(first: int, read: str = "", write: str = "", text: str = TRANSFERS, **costs: int) -> int:
    """Return the cycles that costs of the program add to a tile from a row on that is fetched and written back."""
    text = text.replace("FIRST", str(first)).replace("READ", read).replace("WRITE", write)
    module, near = parse_module(new_context(), text), machine()
    near = replace(near, links=tuple(replace(link, dims=1) for link in near.links))
    engines = tuple(replace(engine, program=ProgramCosts(**costs)) for engine in near.engines)
    return simulate(module, machine=replace(near, engines=engines)).cycles - simulate(module, machine=near).cycles


def test_further_commands_of_a_transfer_take_the_program_longer():
    """A tile of two rows of half the columns is two commands of a link that moves one row."""
    half = TRANSFERS.replace("2x64", "2x32")
    assert added(0, text=TRANSFERS, issue=7, command=3) == added(0, text=half, issue=7) == 2 * 7
    assert added(0, text=half, issue=7, command=3) == 2 * (7 + 3)


def test_clipped_transfers_take_the_program_longer():
    assert added(0, clip=7) == 0
    assert added(0, "clipped fill 0 : i8", "clipped", clip=7) == 2 * 7


def test_what_hangs_over_is_filled_by_the_program():
    clipped = "clipped fill 0 : i8", "clipped"
    assert [added(first, *clipped, fill=4) for first in (0, 3, 4)] == [0, 0, 64 // 4]
