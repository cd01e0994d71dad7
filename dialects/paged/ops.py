"""
Operations of `paged`: the store of keys and values, and the steps that a decoder's function makes in it.

A step adds the tokens of a call to the current sequence of a pool: `begin`, then `append` and `attend` for each layer
in order, then `commit`. All work on tensors, or on buffers after `bufferize`. docs/paged.md defines selection and
arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    TensorType,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_result_def,
    prop_def,
    traits_def,
)
from xdsl.traits import SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from ...ir import element_of, shape_of
from ..core.effect_traits import OperandEffects, StateEffects
from ..core.nesting import module_of, nested_ops

STORED = TensorType | MemRefType


@dataclass(frozen=True)
class PoolShape:
    """Sizes of a paged store, `page_length` and `context` in tokens, and the factor of scores."""

    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    page_length: int
    context: int
    scale: float

    @property
    def capacity(self) -> int:
        """The tokens of whole pages that hold the context."""
        return self.blocks * self.page_length

    @property
    def blocks(self) -> int:
        """Blocks of a sequence at most."""
        return -(-self.context // self.page_length)

    @property
    def group(self) -> int:
        """Query heads of a KV head."""
        return self.heads // self.kv_heads


@irdl_op_definition
class PagedPoolOp(IRDLOperation):
    """
    Paged store of the keys and values of a decoder: the shapes that its layers share, and the page length in tokens.

        paged.pool @kv {layers = 6 : i64, heads = 8 : i64, kv_heads = 2 : i64, head_dim = 64 : i64,
                        page_length = 32 : i64, context = 65536 : i64, scale = 0.125 : f64}

    `scale` multiplies scores of all layers; `context` is the number of tokens of a sequence at most. Policies (budget,
    memory, folder) are chosen where the network runs.
    """

    name = "paged.pool"

    sym_name = prop_def(SymbolNameConstraint())
    layers = prop_def(IntegerAttr[I64])
    heads = prop_def(IntegerAttr[I64])
    kv_heads = prop_def(IntegerAttr[I64])
    head_dim = prop_def(IntegerAttr[I64])
    page_length = prop_def(IntegerAttr[I64])
    context = prop_def(IntegerAttr[I64])
    scale = prop_def(base(FloatAttr))

    traits = traits_def(SymbolOpInterface())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sym_name attr-dict"

    SIZES: ClassVar = ("layers", "heads", "kv_heads", "head_dim", "page_length", "context")

    @staticmethod
    def get(name: str, sizes: dict[str, int], scale: float) -> PagedPoolOp:
        """Return a pool of these sizes, named as in SIZES."""
        properties: dict[str, Attribute] = {key: IntegerAttr(sizes[key], i64) for key in PagedPoolOp.SIZES}
        properties |= {"sym_name": StringAttr(name), "scale": FloatAttr(scale, f64)}
        return PagedPoolOp.create(properties=properties)

    @property
    def shape(self) -> PoolShape:
        """The sizes and the scale."""
        return PoolShape(*map(self.size, self.SIZES), scale=self.scale.value.data)

    def size(self, name: str) -> int:
        """Return one of the sizes in SIZES."""
        return cast("IntegerAttr[I64]", self.properties[name]).value.data

    def verify_(self) -> None:
        for name in self.SIZES:
            if self.size(name) < 1:
                raise VerifyException(f"{name} must be 1 or more, not {self.size(name)}")
        if self.size("heads") % self.size("kv_heads"):
            raise VerifyException(f"{self.size('heads')} heads cannot share {self.size('kv_heads')} KV heads evenly")
        if self.size("head_dim") % 8:
            raise VerifyException(f"head_dim must be a multiple of 8, not {self.size('head_dim')}")


class PagedOp(IRDLOperation):
    """Operation on tensors, or on buffers, where the results are buffers behind its operands."""

    def on_buffers(self, operands: Sequence[SSAValue], results: Sequence[SSAValue]) -> Operation:
        """Return the op on buffers: of its operands, and of its results."""
        properties = dict(self.properties)
        if "operandSegmentSizes" in properties:
            sizes = cast("DenseArrayBase[Any]", properties["operandSegmentSizes"]).get_values()
            counts = [*sizes[: len(sizes) - len(results)], *(1 for _ in results)]
            properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, counts)
        if "resultSegmentSizes" in properties:
            properties["resultSegmentSizes"] = DenseArrayBase.from_list(i32, [0 for _ in results])
        return type(self).create(operands=[*operands, *results], properties=properties)


class PoolUser(PagedOp):
    """Operation on the pool that the property `pool` names."""

    @property
    def symbol(self) -> str:
        """The name of the pool."""
        return cast(SymbolRefAttr, self.properties["pool"]).root_reference.data

    def definition(self) -> PagedPoolOp:
        """Return the pool's op. Raises VerifyException if there is none of that name."""
        module = module_of(self)
        ops = module.body.block.ops if module is not None else ()
        pool = next((op for op in ops if isinstance(op, PagedPoolOp) and op.sym_name.data == self.symbol), None)
        if pool is None:
            raise VerifyException(f"there is no paged.pool @{self.symbol}")
        return pool

    def verify_(self) -> None:
        if module_of(self) is not None:
            self.verify_against(self.definition())

    def verify_against(self, pool: PagedPoolOp) -> None:
        """Raise VerifyException where the op does not fit its pool."""

    def verify_integer(self, name: str, value: SSAValue) -> None:
        """Raise VerifyException for an operand that is not one integer."""
        if not isinstance(element_of(value), IntegerType):
            raise VerifyException(f"the {name} must be integers, not {element_of(value)}")
        if any(extent != 1 for extent in shape_of(value)):
            raise VerifyException(f"the {name} is one integer, not {list(shape_of(value))}")


def verify_array(what: str, value: SSAValue, shape: Sequence[int], element: Attribute) -> None:
    """Raise VerifyException for a value of another shape or element type."""
    if shape_of(value) != tuple(shape) or element_of(value) != element:
        actual = f"{list(shape_of(value))} of {element_of(value)}"
        raise VerifyException(f"the {what} must be {list(shape)} of {element}, not {actual}")


@irdl_op_definition
class BeginOp(PoolUser):
    """
    Begin a step of the pool's current sequence: the tokens of the call, whose first has the given position.

        paged.begin @kv at %position tokens %ids : tensor<1xi32>, tensor<1x4xi64>

    The position has to be the length of the sequence; at run time another one fails the step.
    """

    name = "paged.begin"

    pool = prop_def(SymbolRefAttr)
    position = operand_def(STORED)
    tokens = operand_def(STORED)

    traits = traits_def(OperandEffects(reads=("position", "tokens")), StateEffects("paged"))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$pool `at` $position `tokens` $tokens attr-dict `:` type($position) `,` type($tokens)"

    def __init__(self, pool: str, position: SSAValue, tokens: SSAValue):
        super().__init__(operands=[position, tokens], properties={"pool": SymbolRefAttr(pool)})

    def verify_against(self, pool: PagedPoolOp) -> None:
        self.verify_integer("position", self.position)
        if not isinstance(element_of(self.tokens), IntegerType):
            raise VerifyException(f"the tokens must be integers, not {element_of(self.tokens)}")


class LayerOp(PoolUser):
    """Operation of a step in one layer."""

    @property
    def number(self) -> int:
        """The layer, from 0."""
        return cast("IntegerAttr[I64]", self.properties["layer"]).value.data

    def verify_against(self, pool: PagedPoolOp) -> None:
        if not 0 <= self.number < pool.size("layers"):
            raise VerifyException(f"layer {self.number} is none of the {pool.size('layers')} of @{self.symbol}")

    def verify_rows(self, pool: PagedPoolOp, what: str, value: SSAValue, heads: str) -> None:
        """Raise VerifyException for an operand that is not f32 [tokens, heads, head_dim]."""
        shape = shape_of(value)
        if element_of(value) != f32 or len(shape) != 3 or shape[1:] != (pool.size(heads), pool.size("head_dim")):
            wanted = f"[tokens, {pool.size(heads)}, {pool.size('head_dim')}] of f32"
            raise VerifyException(f"the {what} must be {wanted}, not {list(shape)} of {element_of(value)}")


@irdl_op_definition
class AppendOp(LayerOp):
    """
    Append the keys and values of the step's tokens in a layer: [tokens, kv_heads, head_dim] of f32.

        paged.append @kv layer 0 keys %k values %v : tensor<1x2x64xf32>, tensor<1x2x64xf32>
    """

    name = "paged.append"

    pool = prop_def(SymbolRefAttr)
    layer = prop_def(IntegerAttr[I64])
    keys = operand_def(STORED)
    rows = operand_def(STORED)

    traits = traits_def(OperandEffects(reads=("keys", "rows")), StateEffects("paged"))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$pool `layer` $layer `keys` $keys `values` $rows attr-dict `:` type($keys) `,` type($rows)"

    def __init__(self, pool: str, layer: int, keys: SSAValue, values: SSAValue):
        properties = {"pool": SymbolRefAttr(pool), "layer": IntegerAttr(layer, i64)}
        super().__init__(operands=[keys, values], properties=properties)

    def verify_against(self, pool: PagedPoolOp) -> None:
        super().verify_against(pool)
        self.verify_rows(pool, "keys", self.keys, "kv_heads")
        self.verify_rows(pool, "values", self.rows, "kv_heads")
        if shape_of(self.keys) != shape_of(self.rows):
            raise VerifyException("keys and values must be of as many tokens")


@irdl_op_definition
class AttendOp(LayerOp):
    """
    Attention of the step's tokens in a layer: [tokens, heads, head_dim] of f32.

        %o = paged.attend @kv layer 0 queries %q : tensor<1x8x64xf32> -> tensor<1x8x64xf32>
        %p = paged.attend @kv layer 0 queries %q over %table, %counts
             : tensor<1x8x64xf32> over tensor<1x2x16xi32>, tensor<1x2xi32> -> tensor<1x8x64xf32>
        paged.attend @kv layer 0 queries %x into %y : memref<1x8x64xf32> into memref<1x8x64xf32>

    Without a table the store selects the pages of each token. A table has the blocks of each token and KV head
    [tokens, kv_heads, places], of which the first `counts` are attended to: ascending, the token's own block last.
    """

    name = "paged.attend"

    pool = prop_def(SymbolRefAttr)
    layer = prop_def(IntegerAttr[I64])
    queries = operand_def(STORED)
    table = opt_operand_def(STORED)
    counts = opt_operand_def(STORED)
    out = opt_operand_def(MemRefType)
    result = opt_result_def(TensorType)

    traits = traits_def(OperandEffects(reads=("queries", "table", "counts"), writes=("out",)), StateEffects("paged"))
    irdl_options = (ParsePropInAttrDict(), AttrSizedOperandSegments(as_property=True))
    assembly_format = (
        "$pool `layer` $layer `queries` $queries (`over` $table^ `,` $counts)? (`into` $out^)? attr-dict"
        " `:` type($queries) (`over` type($table)^ `,` type($counts))? (`into` type($out)^)? (`->` type($result)^)?"
    )

    def __init__(
        self,
        pool: str,
        layer: int,
        queries: SSAValue,
        out: SSAValue | None = None,
        *,
        table: SSAValue | None = None,
        counts: SSAValue | None = None,
    ):
        properties = {"pool": SymbolRefAttr(pool), "layer": IntegerAttr(layer, i64)}
        result = queries.type if out is None else None
        super().__init__(operands=[queries, table, counts, out], properties=properties, result_types=[result])

    def verify_against(self, pool: PagedPoolOp) -> None:
        super().verify_against(pool)
        outputs = [value for value in (self.out, self.result) if value is not None]
        if len(outputs) != 1:
            raise VerifyException("attention has a result or a buffer to write, and not both")
        self.verify_rows(pool, "queries", self.queries, "heads")
        if shape_of(outputs[0]) != shape_of(self.queries):
            raise VerifyException("the result must have the shape of the queries")
        if self.table is None or self.counts is None:
            return
        lists = (shape_of(self.queries)[0], pool.size("kv_heads"))
        places = shape_of(self.table)[-1] if shape_of(self.table) else 0
        verify_array("table", self.table, (*lists, places), i32)
        verify_array("counts", self.counts, lists, i32)


@irdl_op_definition
class CommitOp(PoolUser):
    """
    End a step: its tokens belong to the sequence.

        paged.commit @kv
    """

    name = "paged.commit"

    pool = prop_def(SymbolRefAttr)

    traits = traits_def(StateEffects("paged"))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$pool attr-dict"

    def __init__(self, pool: str):
        super().__init__(properties={"pool": SymbolRefAttr(pool)})


def step_tokens(function: Operation) -> int:
    """Return the tokens of a function's step, 0 for a function without one."""
    begins = (op for op in nested_ops(function) if isinstance(op, BeginOp))
    return next((prod(shape_of(op.tokens)) for op in begins), 0)


STEP: Sequence[type[Operation]] = (BeginOp, AppendOp, AttendOp, CommitOp)
"""The ops of a step, in its order."""
