"""Whatever shares memory in a block, overlap-engines leaves what it computes, and nothing races in simulated time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.hier import LaunchOp
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes.overlap_engines import OverlapEnginesPass
from tilewright.passes.verify_memory import verify_memory
from tilewright.runtime.simulator import TimedSession, simulate
from tilewright.test.passes.overlap.engine_programs import (
    CONTEXT,
    PLACES,
    inputs,
    kernel,
    program,
    results,
    transfer,
)

pytestmark = pytest.mark.quick


@st.composite
def programs(draw: st.DrawFn) -> tuple[list[str], list[int]]:
    places = st.integers(0, PLACES - 1)
    steps: list[str] = []
    for number in range(draw(st.integers(2, 12))):
        kind = draw(st.sampled_from(["npu", "npu", "cluster", "in", "out"]))
        if kind in ("in", "out"):
            steps.append(transfer(number, draw(places), outward=kind == "out"))
            continue
        out = draw(places)
        ins = draw(st.tuples(places, places).filter(lambda pair: out not in pair))
        steps.append(kernel(number, kind, ins, out))
    addresses = draw(st.lists(st.sampled_from([0, 16, 32, 48, 64, 96]), min_size=PLACES, max_size=PLACES, unique=True))
    return steps, addresses


def results_in_time(module: ModuleOp) -> Array:
    """What the module computes when its kernels and transfers happen in modelled time."""
    return TimedSession(module).run(inputs())["out"]


@pytest.mark.sample(10)
@pytest.mark.long
@settings(deadline=None)
@given(programs())
def test_the_order_of_a_program_changes_nothing_that_it_computes(drawn: tuple[list[str], list[int]]):
    module = program(*drawn)
    wanted = results(module)
    before = simulate(module).cycles
    OverlapEnginesPass().apply(CONTEXT, module)
    verify(module)
    verify_memory(module)
    assert np.array_equal(results(module), wanted)
    assert np.array_equal(results_in_time(module), wanted)
    assert simulate(module).cycles <= before


def test_kernels_of_two_engines_run_at_once():
    steps = [kernel(0, "cluster", (0, 1), 2), kernel(1, "npu", (0, 1), 3), kernel(2, "cluster", (2, 3), 4)]
    module = program(steps, [0, 16, 32, 48, 64])
    alone = simulate(module)
    OverlapEnginesPass().apply(CONTEXT, module)
    found = simulate(module)
    assert found.cycles < alone.cycles
    spans = {event.resource: (event.start, event.end) for event in found.events if event.kind == "compute"}
    assert len(spans) == 2
    first = [event for event in found.events if event.kind == "compute"]
    one, two = first[0], first[1]
    assert one.resource != two.resource
    assert max(one.start, two.start) < min(one.end, two.end)


def test_a_launch_that_is_joined_too_late_computes_something_else_in_time():
    steps = [kernel(0, "npu", (0, 1), 2), kernel(1, "cluster", (2, 1), 3), kernel(2, "cluster", (3, 1), 4)]
    module = program(steps, [0, 16, 32, 48, 64])
    wanted = results(module)
    OverlapEnginesPass().apply(CONTEXT, module)
    (launch,) = [op for op in module.walk() if isinstance(op, LaunchOp)]
    (join,) = [use.operation for use in launch.token.uses]
    block = join.parent_block()
    assert block is not None
    assert block.last_op is not None
    join.detach()
    block.insert_op_before(join, block.last_op)
    assert not np.array_equal(results(module), wanted)
    assert not np.array_equal(results_in_time(module), wanted)


def test_a_launched_call_is_not_simulated():
    module = program([kernel(0, "npu", (0, 1), 2)], [0, 16, 32, 48, 64])
    OverlapEnginesPass().apply(CONTEXT, module)
    from tilewright.passes.outline_kernels import OutlineKernelsPass

    OutlineKernelsPass().apply(CONTEXT, module)
    with pytest.raises(Diagnostic, match="cannot be simulated"):
        simulate(module)
