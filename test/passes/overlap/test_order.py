"""The order of a block has the least makespan of several list schedules."""

from __future__ import annotations

import pytest

from tilewright.passes.overlap.order import Duration, SchedulingProblem, best_order

pytestmark = pytest.mark.quick

WORK, SHORT, LONG = Duration(10), Duration(0, 100, "npu", 2, waits=True), Duration(0, 110, "npu", 2, waits=True)


def test_the_first_job_of_the_program_starts_before_a_longer_one_that_needs_more_work():
    problem = SchedulingProblem([set(), set(), set(), {0}, {1, 2}], [WORK, WORK, WORK, SHORT, LONG])
    order = best_order(problem)
    assert order == [0, 3, 1, 2, 4]
    assert problem.cycles(order) == 10 + 100 + 110
