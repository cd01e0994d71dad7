from __future__ import annotations

from typing import cast

import pytest
from xdsl.dialects import get_all_dialects, test
from xdsl.dialects.builtin import i32
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern

from tilewright.dialects import own_dialects
from tilewright.dialects.core.extended import extended
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir

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


def classes(name: str) -> list[tuple[type[Operation], type[Operation]]]:
    """Return xDSL's classes of a dialect's ops, each with the one that this project has under its name."""
    own = {op.name: op for op in own_dialects()[name]().operations}
    return [(op, own[op.name]) for op in get_all_dialects()[name]().operations]


@pytest.mark.parametrize("name", SHARED)
def test_patterns_on_the_classes_of_xdsl_match(name: str):
    for base, own in classes(name):
        assert issubclass(own, base), own.name
        assert fields_of(base) - inherited_names(own) == set(), own.name


def fields_of(op: type[Operation]) -> set[str]:
    """Return the names of the operands, results, regions, attributes and properties of a class of xDSL."""
    definition = cast("type[IRDLOperation]", op).get_irdl_definition()
    named = (definition.operands, definition.results, definition.regions)
    return {name for group in named for name, _ in group} | definition.accessor_names.keys()


def inherited_names(op: type[Operation]) -> set[str]:
    return {name for parent in op.__mro__ for name in vars(parent)}


MATMUL = """
func.func @f(%a: memref<2x3xf64>, %b: memref<3x4xf64>, %c: memref<2x4xf64>, %t: memref<4xf64>, %s: memref<f64>) {
  linalg.matmul ins(%a, %b : memref<2x3xf64>, memref<3x4xf64>) outs(%c : memref<2x4xf64>)
  linalg.broadcast ins(%s : memref<f64>) outs(%t : memref<4xf64>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%c : memref<2x4xf64>) outs(%t : memref<4xf64>) dimensions = [0]
  func.return
}
"""


def test_a_pass_written_for_xdsl_rewrites_our_ops():
    shapes: list[object] = []

    class Look(RewritePattern):
        @op_type_rewrite_pattern
        def match_and_rewrite(self, op: linalg.MatmulOp, rewriter: PatternRewriter, /):
            shapes.append(op.indexing_maps)
            rewriter.erase(op)

    class LookAtOne(RewritePattern):
        @op_type_rewrite_pattern
        def match_and_rewrite(self, op: linalg.BroadcastOp | linalg.ReduceOp, rewriter: PatternRewriter, /):
            shapes.append((op.name, op.input.type, op.init.type, op.dimensions, list(op.result)))

    module = parse_module(new_context(), MATMUL)
    for pattern in (Look(), LookAtOne()):
        PatternRewriteWalker(pattern, apply_recursively=False).rewrite_module(module)
    assert len(shapes) == 3
    assert "linalg.matmul" not in print_ir(module)
