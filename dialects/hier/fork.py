"""Fork of a function over workers, cores or threads, and join."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import (
    I64,
    FlatSymbolRefAttrConstr,
    IndexType,
    IntegerAttr,
    SymbolRefAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import CallableOpInterface, SymbolTable, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from ..core.effect_traits import Calls
from ..core.semantics import Runner, Value, semantics


class _CalleeExists(SymbolUserOpInterface):
    """Verifier that the forked function exists, and takes a core's number as its last argument."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, ForkOp)
        callee = SymbolTable.lookup_symbol(op, op.callee)
        if callee is None:
            raise VerifyException(f"there is no function {op.callee}")
        interface = callee.get_trait(CallableOpInterface)
        taken = interface.get_argument_types(callee) if interface is not None else ()
        offered = [*(value.type for value in op.arguments), IndexType()]
        if list(taken) != offered:
            expected, actual = (", ".join(map(str, types)) for types in (offered, taken))
            raise VerifyException(f"{op.callee} must take {expected}; it takes {actual}")


@irdl_op_definition
class ForkOp(IRDLOperation):
    """
    Fork a function on every core, and join.

    The function takes the arguments and then the core's number, from 0. Cores must not have data races.

        hier.fork @conv_0(%x, %y) {cores = 8 : i64} : memref<1x8x8x16xi8, "L1">, memref<1x8x8x16xi32, "L1">

    With `claimed`, the numbers are those of shares, which threads claim in any order; one thread may run them all.

        hier.fork @conv_0(%x, %y) {cores = 2 : i64, claimed} : memref<1x8x8x16xi8>, memref<1x8x8x16xi32>
    """

    name = "hier.fork"

    callee = prop_def(FlatSymbolRefAttrConstr)
    cores = prop_def(IntegerAttr[I64])
    claimed = opt_prop_def(UnitAttr)
    arguments = var_operand_def()

    traits = traits_def(_CalleeExists(), Calls(instances="cores"))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$callee `(` $arguments `)` attr-dict `:` type($arguments)"

    def __init__(self, callee: str, arguments: Sequence[SSAValue], cores: int, *, claimed: bool = False):
        super().__init__(
            operands=[list(arguments)],
            properties={
                "callee": SymbolRefAttr(callee),
                "cores": IntegerAttr(cores, i64),
                "claimed": UnitAttr() if claimed else None,
            },
        )

    def verify_(self) -> None:
        if self.cores.value.data < 1:
            raise VerifyException("a kernel needs at least one core")


@semantics(ForkOp)
def _fork(runner: Runner, op: ForkOp, operands: Sequence[Value]) -> list[Value]:
    for core in reversed(range(op.cores.value.data)):
        runner.call(op.callee.string_value(), [*operands, np.int64(core)])
    return []
