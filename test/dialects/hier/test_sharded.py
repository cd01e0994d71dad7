"""The shards of a value are the elements that its map gives to each instance, or the map is refused."""

from __future__ import annotations

import random
from itertools import product

import pytest
from xdsl.dialects.builtin import MemRefType, NoneAttr, i8
from xdsl.ir.affine import AffineExpr, AffineMap

from tilewright.dialects.hier.sharded import ShardedAttr, sharding_of
from tilewright.errors import Diagnostic

pytestmark = pytest.mark.quick


def random_map(rng: random.Random, rank: int) -> AffineMap:
    """Draw a map to two coordinates: quotients, remainders, reversed ones and constants."""
    results: list[AffineExpr] = []
    for _ in range(2):
        axis = AffineExpr.dimension(rng.randrange(rank))
        results.append(
            rng.choice(
                [
                    axis // rng.choice([1, 2, 3, 4]),
                    axis % rng.choice([2, 3, 4]),
                    (axis // rng.choice([1, 2])) % 2,
                    axis * -1 + 3,
                    axis // 2 + rng.choice([0, 1, 2]),
                    AffineExpr.constant(rng.randrange(4)),
                ]
            )
        )
    return AffineMap(rank, 0, tuple(results))


def owners(shape: tuple[int, ...], map: AffineMap) -> dict[tuple[int, ...], list[tuple[int, ...]]]:
    """Return the elements of each instance, one by one."""
    found: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for element in product(*(range(extent) for extent in shape)):
        point = tuple(result.eval(list(element), []) for result in map.results)
        found.setdefault(point, []).append(element)
    return found


def are_equal_boxes(found: dict[tuple[int, ...], list[tuple[int, ...]]]) -> bool:
    """Return whether each instance of a box of instances has a box of elements, all of one shape, in affine places."""
    points = sorted(found)
    whole = list(product(*(range(min(at), max(at) + 1) for at in zip(*points, strict=True))))
    shapes: set[tuple[int, ...]] = set()
    for elements in found.values():
        ranges = [range(min(at), max(at) + 1) for at in zip(*elements, strict=True)]
        shapes.add(tuple(len(each) for each in ranges))
        if list(product(*ranges)) != elements:
            return False
    return points == whole and len(shapes) == 1 and _are_affine({at: elements[0] for at, elements in found.items()})


def _are_affine(firsts: dict[tuple[int, ...], tuple[int, ...]]) -> bool:
    for a, b in product(firsts, repeat=2):
        for dim in range(len(a)):
            ahead = [tuple(at + (place == dim) for place, at in enumerate(point)) for point in (a, b)]
            if all(point in firsts for point in ahead):
                steps = [
                    [y - x for x, y in zip(firsts[p], firsts[q], strict=True)]
                    for p, q in zip((a, b), ahead, strict=True)
                ]
                if steps[0] != steps[1]:
                    return False
    return True


@pytest.mark.long
def test_shards_are_those_of_the_map() -> None:
    rng, taken = random.Random(0), 0
    for _ in range(600):
        rank = rng.choice([1, 2])
        shape, map = tuple(rng.choice([2, 4, 6, 8]) for _ in range(rank)), random_map(rng, rank)
        found = owners(shape, map)
        inside = all(0 <= at < 4 for point in found for at in point)
        type = MemRefType(i8, shape, NoneAttr(), ShardedAttr.get("NODE", [4, 4], map))
        if not (inside and are_equal_boxes(found)):
            with pytest.raises(Diagnostic):
                sharding_of(type)
            continue
        taken += 1
        sharding = sharding_of(type)
        assert list(sharding.holders) == sorted(found)
        for point in product(range(4), repeat=2):
            box = sharding.box(point)
            elements = [] if box is None else list(product(*(range(each.start, each.stop) for each in box)))
            assert elements == found.get(point, []), (map, shape, point)
    assert taken > 100


def test_a_coordinate_of_two_axes_numbers_sub_arrays_and_their_instances() -> None:
    rng, taken = random.Random(1), 0
    for _ in range(200):
        shape = (rng.choice([2, 4, 8]), rng.choice([2, 4, 6]))
        first, second = (AffineExpr.dimension(axis) // rng.choice([1, 2]) for axis in (0, 1))
        map = AffineMap(2, 0, (first * rng.choice([1, 2, 3]) + second, AffineExpr.constant(1)))
        type = MemRefType(i8, shape, NoneAttr(), ShardedAttr.get("NODE", [16, 4], map))
        found = owners(shape, map)
        equal = len({len(elements) for elements in found.values()}) == 1
        boxes = all(elements == list(product(*_ranges(elements))) for elements in found.values())
        places = sorted(point[0] for point in found)
        if not (equal and boxes and places == list(range(len(places))) and len(places) <= 16):
            with pytest.raises(Diagnostic):
                sharding_of(type)
            continue
        sharding = sharding_of(type)
        taken += 1
        for point, elements in found.items():
            box = sharding.box(point)
            assert box is not None
            assert list(product(*(range(each.start, each.stop) for each in box))) == elements
    assert taken > 20


def _ranges(elements: list[tuple[int, ...]]) -> list[range]:
    return [range(min(at), max(at) + 1) for at in zip(*elements, strict=True)]
