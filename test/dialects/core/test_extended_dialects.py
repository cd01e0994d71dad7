from __future__ import annotations

import pytest
from xdsl.dialects import get_all_dialects, test
from xdsl.dialects.builtin import i32
from xdsl.ir import Operation

from tilewright.dialects import own_dialects
from tilewright.dialects.core.extended import extended

pytestmark = pytest.mark.quick

SHARED = sorted(own_dialects().keys() & get_all_dialects().keys())


def names(ops: list[type[Operation]]) -> set[str]:
    return {op.name for op in ops}


@pytest.mark.parametrize("name", SHARED)
def test_a_dialect_of_xdsl_loses_nothing(name: str):
    own, base = own_dialects()[name](), get_all_dialects()[name]()
    assert names(list(base.operations)) <= names(list(own.operations))
    assert set(base.attributes) <= set(own.attributes)
    interfaces = [dialect._interfaces for dialect in (base, own)]  # pyright: ignore[reportPrivateUsage]
    assert all(each in interfaces[1] for each in interfaces[0])


def test_there_are_such_dialects():
    assert "arith" in SHARED


def test_an_op_of_the_same_name_replaces():
    class Other(test.TestOp):
        pass

    dialect = extended(test.Test, [Other])
    assert len(list(dialect.operations)) == len(list(test.Test.operations))
    assert Other in dialect.operations
    assert test.TestOp not in dialect.operations
    assert Other(result_types=[i32]).name == "test.op"
