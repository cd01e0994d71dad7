"""Instruction cache of the program: residency, eviction, and the cycles of fetches."""

from tilewright.runtime.simulator.instruction_cache import InstructionCache

PROGRAM = {"cache": 128, "line": 32, "fetch": 20}


def cache_of(*sizes: int) -> InstructionCache:
    cache = InstructionCache(PROGRAM)
    for number, size in enumerate(sizes):
        cache.add(number, size)
    return cache


def test_code_that_fits_is_never_fetched():
    cache = cache_of(64, 64)
    assert [cache.cycles([number]) for number in (0, 1, 0, 1)] == [0, 0, 0, 0]


def test_larger_code_is_fetched_in_part():
    cache = cache_of(64, 32, 64)  # 0.42 of it in each call: x = 1 - exp(-1.25 x)
    assert [cache.cycles([number]) for number in (0, 0)] == [15, 0]


def test_code_is_evicted_by_what_is_fetched_after_it():
    cache = cache_of(*[128] * 20)
    assert [cache.cycles([number]) for number in (0, 1, 0, 0)] == [80, 80, 51, 0]  # 1 - 1 / e


def test_a_machine_without_sizes_fetches_nothing():
    assert InstructionCache({}).cycles([]) == 0
