"""
Operations that select pages: digests of keys, scores of pages, tables of blocks.

    %digests = paged.digest @kv layer 0 -> tensor<2x4x2x8xf32>
    %scores = paged.score %q against %digests : tensor<1x4x8xf32>, tensor<2x4x2x8xf32> -> tensor<1x4x4xf32>
    %table, %counts = paged.select @kv scores %scores at %position {budget = 3 : i64, sinks = 1 : i64}
                      : tensor<1x4x4xf32>, tensor<1xi32> -> tensor<1x2x3xi32>, tensor<1x2xi32>
    %o = paged.attend @kv layer 0 queries %q over %table, %counts
         : tensor<1x4x8xf32> over tensor<1x2x3xi32>, tensor<1x2xi32> -> tensor<1x4x8xf32>

That is what `paged.attend` without a table does in a store with this budget (docs/paged.md, Selection).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import I64, IntegerAttr, MemRefType, StringAttr, SymbolRefAttr, TensorType, f32, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    traits_def,
)
from xdsl.utils.exceptions import VerifyException

from ...ir import element_of, shape_of
from ..core.effect_traits import OperandEffects, StateEffects
from .ops import STORED, LayerOp, PagedOp, PagedPoolOp, PoolShape, PoolUser, verify_array

REDUCTIONS = ("softmax-sum", "union", "max", "sum")
"""Rules by which the query heads of a KV head agree on blocks."""


@dataclass(frozen=True)
class SelectionPolicy:
    """
    Selection policy: the pages that a token attends to, of which the first `sinks`, the last `recent` and its own are
    always among them, and the rule by which the query heads of a KV head agree.
    """

    budget: int
    sinks: int = 0
    recent: int = 0
    reduce: str = REDUCTIONS[0]

    @property
    def free(self) -> int:
        """Pages that scores decide on."""
        return self.budget - self.sinks - self.recent - 1

    def places(self, pool: PoolShape) -> int:
        """Return the blocks of a token and KV head at most."""
        heads = pool.group if self.reduce == "union" else 1
        return min(pool.blocks, self.budget + self.free * (heads - 1))

    def verify(self) -> None:
        """Raise VerifyException for a budget below the pages that are always attended to, and an unknown reduction."""
        if min(self.sinks, self.recent, self.free) < 0:
            raise VerifyException(f"the budget must be sinks + recent + 1 pages at least, not {self.budget}")
        if self.reduce not in REDUCTIONS:
            raise VerifyException(f"'{self.reduce}' is no reduction: {', '.join(REDUCTIONS)}")


def _verify_destinations(results: Sequence[SSAValue | None], outs: Sequence[SSAValue | None]) -> list[SSAValue]:
    """Return the results of an op, or the buffers that it writes. Raises VerifyException for neither or both."""
    for these, others in ((results, outs), (outs, results)):
        values = [value for value in these if value is not None]
        if len(values) == len(these) and not any(others):
            return values
    raise VerifyException("the op has results or buffers to write, and not both")


@irdl_op_definition
class DigestOp(LayerOp):
    """
    Digests of a layer's blocks [kv_heads, blocks, 2, head_dim]: maximum and minimum of the keys of each full block.

        %digests = paged.digest @kv layer 0 -> tensor<2x4x2x8xf32>
        paged.digest @kv layer 0 into %x : memref<2x4x2x8xf32>

    Blocks that the step has filled are full; those that are not have zeros.
    """

    name = "paged.digest"

    pool = prop_def(SymbolRefAttr)
    layer = prop_def(IntegerAttr[I64])
    out = opt_operand_def(MemRefType)
    result = opt_result_def(TensorType)

    traits = traits_def(OperandEffects(writes=("out",)), StateEffects("paged"))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$pool `layer` $layer (`into` $out^ `:` type($out))? (`->` type($result)^)? attr-dict"

    def __init__(self, pool: str, layer: int, type: Attribute | None = None, out: SSAValue | None = None):
        properties = {"pool": SymbolRefAttr(pool), "layer": IntegerAttr(layer, i64)}
        super().__init__(operands=[out], properties=properties, result_types=[type])

    def verify_against(self, pool: PagedPoolOp) -> None:
        super().verify_against(pool)
        (digests,) = _verify_destinations([self.result], [self.out])
        verify_array("digests", digests, digest_shape(pool.shape), f32)


def digest_shape(pool: PoolShape) -> tuple[int, int, int, int]:
    """Return the shape of a layer's digests."""
    return pool.kv_heads, pool.blocks, 2, pool.head_dim


@irdl_op_definition
class ScoreOp(PagedOp):
    """
    Scores of blocks for queries [tokens, heads, blocks]: bounds of each q k from above, by digests.

        %s = paged.score %q against %d : tensor<1x4x8xf32>, tensor<2x4x2x8xf32> -> tensor<1x4x4xf32>
        paged.score %x against %y into %z : memref<1x4x8xf32>, memref<2x4x2x8xf32> into memref<1x4x4xf32>

    queries [tokens, heads, head_dim], digests [kv_heads, blocks, 2, head_dim]. A score is the sum over d of
    max(q[d] maximum[d], q[d] minimum[d]), in the order of docs/paged.md, and is not scaled.
    """

    name = "paged.score"

    queries = operand_def(STORED)
    digests = operand_def(STORED)
    out = opt_operand_def(MemRefType)
    result = opt_result_def(TensorType)

    traits = traits_def(OperandEffects(reads=("queries", "digests"), writes=("out",)))
    assembly_format = (
        "$queries `against` $digests (`into` $out^)? attr-dict"
        " `:` type($queries) `,` type($digests) (`into` type($out)^)? (`->` type($result)^)?"
    )

    def __init__(self, queries: SSAValue, digests: SSAValue, out: SSAValue | None = None):
        shape = (*shape_of(queries)[:2], shape_of(digests)[1])
        result = TensorType(f32, shape) if out is None else None
        super().__init__(operands=[queries, digests, out], result_types=[result])

    def verify_(self) -> None:
        (scores,) = _verify_destinations([self.result], [self.out])
        queries, digests = shape_of(self.queries), shape_of(self.digests)
        if len(queries) != 3 or len(digests) != 4 or queries[1] % digests[0] or queries[2] % 8:
            raise VerifyException(f"queries {list(queries)} do not share digests {list(digests)} evenly")
        verify_array("queries", self.queries, queries, f32)
        verify_array("digests", self.digests, (*digests[:2], 2, queries[2]), f32)
        verify_array("scores", scores, (*queries[:2], digests[1]), f32)


@irdl_op_definition
class SelectOp(PoolUser):
    """
    Table of the blocks that tokens attend to, by their scores [tokens, heads, blocks].

        %table, %counts = paged.select @kv scores %s at %position {budget = 3 : i64, sinks = 1 : i64, reduce = "max"}
                          : tensor<1x4x4xf32>, tensor<1xi32> -> tensor<1x2x3xi32>, tensor<1x2xi32>
        paged.select @kv scores %x at %y into %z, %w {budget = 3 : i64}
                     : memref<1x4x4xf32>, memref<1xi32> into memref<1x2x3xi32>, memref<1x2xi32>

    The table [tokens, kv_heads, places] has the blocks of each token and KV head, ascending, the token's own last;
    `counts` [tokens, kv_heads] says how many. Places behind them have the token's own block, so that each entry is in
    [0, blocks). `position` is that of the first token. Where a token attends to all blocks, its scores are not read.
    """

    name = "paged.select"

    pool = prop_def(SymbolRefAttr)
    scores = operand_def(STORED)
    position = operand_def(STORED)
    table_out = opt_operand_def(MemRefType)
    counts_out = opt_operand_def(MemRefType)
    table = opt_result_def(TensorType)
    counts = opt_result_def(TensorType)
    budget = prop_def(IntegerAttr[I64])
    sinks = opt_prop_def(IntegerAttr[I64])
    recent = opt_prop_def(IntegerAttr[I64])
    reduce = opt_prop_def(StringAttr)

    traits = traits_def(OperandEffects(reads=("scores", "position"), writes=("table_out", "counts_out")))
    irdl_options = (
        ParsePropInAttrDict(),
        AttrSizedOperandSegments(as_property=True),
        AttrSizedResultSegments(as_property=True),
    )
    assembly_format = (
        "$pool `scores` $scores `at` $position (`into` $table_out^ `,` $counts_out)? attr-dict"
        " `:` type($scores) `,` type($position) (`into` type($table_out)^ `,` type($counts_out))?"
        " (`->` type($table)^ `,` type($counts))?"
    )

    def __init__(
        self,
        pool: PagedPoolOp,
        scores: SSAValue,
        position: SSAValue,
        policy: SelectionPolicy,
        outs: Sequence[SSAValue] = (),
    ):
        lists = (shape_of(scores)[0], pool.size("kv_heads"))
        types = [TensorType(i32, (*lists, policy.places(pool.shape))), TensorType(i32, lists)]
        numbers = {"budget": policy.budget, "sinks": policy.sinks, "recent": policy.recent}
        super().__init__(
            operands=[scores, position, *(outs or (None, None))],
            properties={
                "pool": SymbolRefAttr(pool.sym_name.data),
                **{name: IntegerAttr(number, i64) for name, number in numbers.items()},
                "reduce": StringAttr(policy.reduce),
            },
            result_types=[None, None] if outs else types,
        )

    @property
    def policy(self) -> SelectionPolicy:
        """The policy."""
        reduce = REDUCTIONS[0] if self.reduce is None else self.reduce.data
        return SelectionPolicy(self.budget.value.data, _number(self.sinks), _number(self.recent), reduce)

    def verify_against(self, pool: PagedPoolOp) -> None:
        table, counts = _verify_destinations([self.table, self.counts], [self.table_out, self.counts_out])
        self.policy.verify()
        self.verify_integer("position", self.position)
        shape = shape_of(self.scores)
        if not shape or element_of(self.scores) != f32:
            raise VerifyException(f"the scores must be f32 [tokens, heads, blocks], not {self.scores.type}")
        verify_array("scores", self.scores, (shape[0], pool.size("heads"), pool.shape.blocks), f32)
        lists = (shape[0], pool.size("kv_heads"))
        verify_array("table", table, (*lists, self.policy.places(pool.shape)), i32)
        verify_array("counts", counts, lists, i32)


def _number(attribute: IntegerAttr[I64] | None) -> int:
    return 0 if attribute is None else attribute.value.data
