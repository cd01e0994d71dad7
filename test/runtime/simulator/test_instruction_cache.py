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


def test_larger_code_is_fetched_once_while_held():
    cache = cache_of(64, 32, 64)
    assert [cache.cycles([number]) for number in (0, 1, 0, 1)] == [40, 20, 0, 0]


def test_least_recently_used_code_is_evicted():
    cache = cache_of(64, 32, 64)
    assert cache.cycles([0, 1, 0, 2]) == 40 + 20 + 0 + 40
    assert cache.cycles([0]) == 0  # used after 1, which made room for 2
    assert cache.cycles([1]) == 20


def test_code_larger_than_the_cache_is_fetched_at_each_use():
    cache = cache_of(160)
    assert [cache.cycles([0]), cache.cycles([0])] == [100, 100]


def test_a_machine_without_sizes_fetches_nothing():
    assert InstructionCache({}).cycles([]) == 0
