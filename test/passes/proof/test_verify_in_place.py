"""Kernels whose operands are one memory: refused where another point than the one that writes an element reads it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import permutations, product

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.kernel import Access, Kernel, is_kernel, kernel_of
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.passes.convert_kernels_to_loops import ConvertKernelsToLoopsPass
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.interpreter.engine import Interpreter

pytestmark = pytest.mark.quick

CONTEXT = new_context()
MAPS = {2: ("(d0, d1)", "(d0, d1)", "(d1, d0)", "(d0, 0)", "(1, d1)", "(-d0 + 2, d1)"), 1: ("(d0)", "(d1)", "(2)")}
VIEWS = {
    "%s": "memref<3x3xi32>",
    "%t": "memref<3x3xi32, strided<[1, 3]>>",
    "%u": "memref<3x3xi32>",
    "%r": "memref<3xi32>",
    "%c": "memref<3xi32, strided<[3], offset: 1>>",
}


def random_kernel(rng: random.Random) -> ModuleOp:
    """Return a function with one kernel on a 3 x 3 buffer, views of it, and another buffer."""
    reduces = rng.random() < 0.3
    out = rng.choice(["%r", "%c"] if reduces else ["%s", "%s", "%t"])
    operands = [rng.choice([*VIEWS, *["%u"] * 3]) for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.5:
        operands[0] = out
    reads = [rng.choice(MAPS[1 if "3x3" not in VIEWS[name] else 2]) for name in operands]
    if reduces:
        operands, reads = ["%u", *operands], ["(d0, d1)", *reads]
    maps = ", ".join(f"affine_map<(d0, d1) -> {each}>" for each in [*reads, "(d0)" if reduces else "(d0, d1)"])
    iterators = '"parallel", "reduction"' if reduces else '"parallel", "parallel"'
    arguments = ", ".join([*(f"%e{index}: i32" for index in range(len(operands))), "%old: i32"])
    sums = [f"%p{index + 1} = arith.addi %p{index}, %e{index} : i32" for index in range(len(operands))]
    first = "%p0 = arith.muli %old, %old : i32" if rng.random() < 0.5 or reduces else "%p0 = arith.constant 5 : i32"
    table = rng.choice([*VIEWS]) if rng.random() < 0.15 else None
    lookup = ""
    if table is not None:
        indices = "%i, %i" if "3x3" in VIEWS[table] else "%i"
        lookup = f"%i = linalg.index 0 : index\n%x = memref.load {table}[{indices}] : {VIEWS[table]}"
    text = f"""
    func.func @network(%s: memref<3x3xi32>, %u: memref<3x3xi32>) {{
      %t = memref.reinterpret_cast %s to offset: [0], sizes: [3, 3], strides: [1, 3]
        : memref<3x3xi32> to {VIEWS["%t"]}
      %r = memref.reinterpret_cast %s to offset: [0], sizes: [3], strides: [1] : memref<3x3xi32> to memref<3xi32>
      %c = memref.reinterpret_cast %s to offset: [1], sizes: [3], strides: [3] : memref<3x3xi32> to {VIEWS["%c"]}
      linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}}
        ins({", ".join(operands)} : {", ".join(VIEWS[name] for name in operands)}) outs({out} : {VIEWS[out]}) {{
      ^bb0({arguments}):
        {first}
        {lookup}
        {" ".join(sums)}
        linalg.yield %p{len(operands)} : i32
      }}
      func.return
    }}"""
    module = parse_module(CONTEXT, text)
    verify(module)
    return module


def elements(access: Access, point: Sequence[int], layouts: dict[str, np.ndarray]) -> int:
    """Return the element of the 3 x 3 buffer that an access reaches at a loop point, a negative one for another."""
    index = access.map.eval(list(point), [])
    return int(layouts[f"%{access.value.name_hint}"][tuple(index)])


def is_clobbered(kernel: Kernel) -> bool:
    """Return whether some point reads an element that another point writes, by enumeration."""
    square = np.arange(9).reshape(3, 3)
    layouts = {"%s": square, "%t": square.T, "%u": square - 100, "%r": square[0], "%c": square[:, 1]}
    body = kernel.reductions[0].body if kernel.reductions else kernel.result
    assert body is not None
    points = list(product(range(3), repeat=2))
    written = {point: elements(kernel.outputs[0], point, layouts) for point in points}
    tables = [layouts[f"%{value.name_hint}"] for value in kernel.tables]
    if any(np.isin(table, list(written.values())).any() for table in tables):
        return True
    used = [access for index, access in enumerate(kernel.read) if body.args[index].uses]
    return any(elements(access, q, layouts) == written[p] for access in used for p, q in permutations(points, 2))


def refusal(module: ModuleOp) -> str:
    """Return the message with which the proof refuses a module, none if it accepts it."""
    try:
        verify_memory(module)
    except Diagnostic as error:
        return error.message
    return ""


def runs(module: ModuleOp) -> np.ndarray:
    """Return the 3 x 3 buffer after a run."""
    buffers = np.arange(3, 12, dtype=np.int32).reshape(3, 3), np.arange(9, dtype=np.int32).reshape(3, 3) % 4
    Interpreter(module).call("network", buffers)
    return buffers[0]


def test_kernels_on_one_memory_are_refused_where_points_clobber_each_other() -> None:
    rng, refused, accepted = random.Random(1), 0, 0
    for _ in range(60):
        module = random_kernel(rng)
        kernel = next(kernel_of(op) for op in module.walk() if is_kernel(op))
        clobbered, message = is_clobbered(kernel), refusal(module)
        if message:
            overlaps = {access.value.name_hint for access in kernel.read} - {kernel.outputs[0].value.name_hint, "u"}
            assert "(rule 'disjoint')" in message
            assert clobbered or overlaps or kernel.tables, str(module)
            refused += 1
            continue
        assert not clobbered, str(module)
        accepted += 1
        before = runs(module)
        ConvertKernelsToLoopsPass().apply(CONTEXT, module)
        np.testing.assert_array_equal(runs(module), before, err_msg=str(module))
    assert min(refused, accepted) > 10
