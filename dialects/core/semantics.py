"""
Registry of the semantics of ops, by op class.

Kinds of rule:

- `@scalar(Op)`: an elementwise function of NumPy arrays or scalars of the operands' element types. It serves a scalar
  op on single values and, with whole arrays, the body of a structured kernel. Integers wrap around in their width.
- `@semantics(Op)`: a function `(runner, op, operands) -> results` for ops on tensors, memrefs and regions. A tensor is
  an array that nobody else writes to, a memref an array that is a view of its buffer.
- `@c_rule("function")`: a function `(runner, op, *operands) -> results` for a call of a target's C runtime, on flat
  arrays that begin where the pointers point.
- `@branch(Op)`: a function `(op, operands) -> (block, arguments)`, where a terminator of a block goes on.
- `@storage(Op)`: a function `(op) -> memory`, that of a global: an array, or what else its own ops use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from ...discovery import registering
from ...ir import Array, has_arrays, numpy_type
from .scalars import ScalarAttr, scalar_attr

if TYPE_CHECKING:
    from .interleaving import Interleaving
    from .queues import Work

_O = TypeVar("_O", bound=Operation)
_T = TypeVar("_T")

Value = Any
"""A run-time value: a NumPy array or scalar."""


class Runner(Protocol):
    """Interface of the interpreter to semantics rules."""

    @property
    def interleaving(self) -> Interleaving:
        """The order of concurrent programs and asynchronous accesses."""
        ...

    def fork(self) -> Runner:
        """Return a runner for a concurrent program, to which the values in scope are known."""
        ...

    def run_region(self, region: Region, arguments: Sequence[Value]) -> Sequence[Value]:
        """Run a region from its first block on, and return the operands of the terminator that leaves it."""
        ...

    def call(self, symbol: str, arguments: Sequence[Value]) -> Sequence[Value]:
        """Run the function of that name."""
        ...

    def value(self, value: SSAValue) -> Value:
        """Return the run-time value of an SSA value that is in scope."""
        ...

    def symbol(self, name: str) -> Operation:
        """Return the op that defines a symbol; raises Diagnostic if none does."""
        ...

    def storage(self, symbol: str) -> Value:
        """Return the memory of a global; it is the same for the whole run."""
        ...

    @property
    def is_sequential(self) -> bool:
        """Return whether every loop runs op by op, in the order of the program."""
        ...

    @property
    def is_bounded(self) -> bool:
        """Return whether the run has a number of steps."""
        ...

    def spend(self, op: Operation, steps: int = 1) -> None:
        """Count iterations of a loop; raises Diagnostic beyond the steps of the run."""
        ...

    def cached(self, op: _O, make: Callable[[_O], _T]) -> _T:
        """Return `make(op)`, made once in the run for each op and function."""
        ...


ScalarRule = Callable[..., Array]
Rule = Callable[[Runner, Any, Sequence[Value]], Sequence[Value]]
BranchRule = Callable[[Any, Sequence[Value]], tuple[Block, Sequence[Value]]]
StorageRule = Callable[[Any], Any]

SEMANTICS_REMEDY = "register its semantics beside the op: @scalar or @semantics, docs/tutorial/4-write-an-op.md"
"""Remedy of errors about ops that have no semantics."""

SCALAR_RULES: dict[type[Operation], ScalarRule] = {}
"""Op class -> `(op, *operands) -> result`."""

RULES: dict[type[Operation], Rule] = {}
"""Op class -> `(runner, op, operands) -> results`."""

BRANCH_RULES: dict[type[Operation], BranchRule] = {}
"""Class of a terminator with successors -> `(op, operands) -> (block, arguments)`."""

STORAGE_RULES: dict[type[Operation], StorageRule] = {}
"""Op class -> `(op) -> array`."""

CRule = Callable[..., Sequence[Value]]

C_RULES: dict[str, CRule] = {}
"""Function of C -> `(runner, op, *operands) -> results`, on flat arrays that begin where the pointers point."""

WORK_RULES: dict[type[Operation], Callable[[Runner, Any, Sequence[Value]], Work]] = {}
"""Op class on a queue -> `(runner, op, operands) -> work`, what its queue executes."""

C_SCALAR_RULES: dict[str, ScalarRule] = {}
"""Function of C that only computes a number -> `(op, *operands) -> result`, elementwise."""

_C = TypeVar("_C", bound=CRule)
_S = TypeVar("_S", bound=ScalarRule)
_R = TypeVar("_R", bound=Rule)
_B = TypeVar("_B", bound=BranchRule)
_G = TypeVar("_G", bound=StorageRule)


def scalar(*ops: type[Operation]) -> Callable[[_S], _S]:
    """Register `(op, *operands) -> result` as the elementwise semantics of these scalar ops."""
    return registering(SCALAR_RULES, ops)


def semantics(*ops: type[Operation]) -> Callable[[_R], _R]:
    """Register `(runner, op, operands) -> results` as the semantics of these ops."""
    return registering(RULES, ops)


def branch(*ops: type[Operation]) -> Callable[[_B], _B]:
    """Register `(op, operands) -> (block, arguments)` as the semantics of these terminators with successors."""
    return registering(BRANCH_RULES, ops)


def c_rule(function: str) -> Callable[[_C], _C]:
    """Register the semantics of a function of a target's C runtime."""
    return registering(C_RULES, [function])


def storage(*ops: type[Operation]) -> Callable[[_G], _G]:
    """Register `(op) -> memory` as that of these globals; it raises Diagnostic where one is none."""
    return registering(STORAGE_RULES, ops)


def folded(op: Operation, numbers: Sequence[Any]) -> ScalarAttr | None:
    """
    Return the constant that an op of a scalar rule is, given the numbers that its operands are.

    None where it has no value: for types without arrays, such as i33, arithmetic other than of integers, and a division
    by zero.
    """
    if not all(has_arrays(value.type) for value in (*op.operands, *op.results)):
        return _folded_integers(op, numbers)
    arrays = [number_array(number, value.type) for number, value in zip(numbers, op.operands, strict=True)]
    import numpy as np

    with np.errstate(all="ignore"):
        return scalar_attr(np.asarray(SCALAR_RULES[type(op)](op, *arrays)).item(), op.results[0].type)


def number_array(number: Any, type: Attribute) -> Array:
    """Return a number of a scalar type as an array; a NaN keeps its payload, which NumPy's conversion to bf16 drops."""
    import numpy as np

    dtype = numpy_type(type)
    if number == number:
        return np.asarray(number, dtype)
    return np.frombuffer(cast(Any, type).pack((number,)), dtype).reshape(())


def _folded_integers(op: Operation, numbers: Sequence[Any]) -> ScalarAttr | None:
    from .analysis.arithmetic import evaluator, wrapped

    compute = evaluator(op)
    if compute is None:
        return None
    readings = [wrapped(number, value.type) for number, value in zip(numbers, op.operands, strict=True)]
    try:
        return scalar_attr(compute(*readings), op.results[0].type)
    except ZeroDivisionError:
        return None
