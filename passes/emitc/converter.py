"""Conversion of a function's body to `emitc`, op by op."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, MemRefType, StringAttr, SymbolRefAttr, i1
from xdsl.dialects.emitc import EmitC_ArrayType, EmitC_LValueType, EmitC_OpaqueAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from ...dialects import emitc
from ...dialects.core.analysis.intervals import Range
from ...dialects.core.effects import EffectAnalysis
from ...dialects.core.instruction import InstructionOp
from ...errors import Diagnostic
from ...ir import where
from ..loops.branches import copy_frequency
from ..loops.nest import INDEPENDENT, UNROLL
from .arith import RULES, products, sum_and_carry
from .buffers import VIEWS, view
from .builder import INDEX, NARROW, WIDE_INDEX, EmitcBuilder, layout_of, lvalue, pointer, scalar_type
from .calls import call_instruction
from .emitters import emitter_of
from .names import Names


@dataclass
class ModuleState:
    """State of a module's conversion, shared by its functions."""

    functions: dict[str, Operation]
    globals: dict[str, Operation]
    ops: dict[str, list[Operation]]
    """Ops of each function."""
    conversions: Mapping[str, Callable[[FunctionConverter, Operation], None]]
    """Name of an op -> its conversion; ops without one are arithmetic, views, or instructions."""
    runtime: str = ""
    external: str = ""
    threads: str = ""
    """The header with the functions of programs and streams."""
    alignments: dict[Attribute, int] = field(default_factory=dict[Attribute, int])
    """Memory space -> alignment of its buffers in bytes; empty without a machine."""
    effects: EffectAnalysis = field(default_factory=EffectAnalysis)
    names: dict[str, str] = field(default_factory=dict[str, str])
    global_types: dict[str, EmitC_ArrayType] = field(default_factory=dict[str, EmitC_ArrayType])
    called: dict[str, None] = field(default_factory=dict[str, None])
    headers: dict[str, int] = field(default_factory=dict[str, int])
    definitions: list[Operation] = field(default_factory=list[Operation])
    """Definitions of file scope that a function needs before it."""
    streams: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    arguments: Mapping[SSAValue, Range] = field(default_factory=dict[SSAValue, Range])
    """Arguments of private functions that are indices -> their interval at all calls."""
    slots: dict[SSAValue, emitc.GlobalOp] = field(default_factory=dict[SSAValue, emitc.GlobalOp])
    """The slots of each stream of tiles."""
    scope: Names = field(default_factory=Names)
    """The names of file scope."""
    prefix: str = ""

    def fresh_name(self, text: str) -> str:
        """Return a fresh name of file scope, with the prefix of the network."""
        return self.scope.add(f"{self.prefix}_{text}")


def memref_type(value: SSAValue) -> MemRefType[Any] | None:
    """Return the type of a value if it is a memref, else None."""
    type_: Any = value.type
    return cast("MemRefType[Any]", type_) if isinstance(type_, MemRefType) else None


def callee(op: Operation) -> str:
    """Return the callee of a `func.call`."""
    return cast(SymbolRefAttr, op.properties["callee"]).root_reference.data


def global_name(op: Operation) -> str:
    """Return the symbol of a `memref.get_global`."""
    return cast(SymbolRefAttr, op.properties["name"]).root_reference.data


@dataclass
class FunctionConverter:
    """Converter of a function's body, op by op."""

    state: ModuleState
    function: Operation
    b: EmitcBuilder
    carried: dict[Block, list[SSAValue]] = field(default_factory=dict[Block, list[SSAValue]])
    incoming: dict[Block, list[SSAValue]] = field(default_factory=dict[Block, list[SSAValue]])
    """Block that others branch to -> the variables of its arguments."""
    targets: dict[Block, Block] = field(default_factory=dict[Block, Block])
    """Block that others branch to -> its block in C."""
    edges: list[Block] = field(default_factory=list[Block])
    """Blocks of C on the way from the current one to others."""
    attributes: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    """Attributes of the C function."""
    contents: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Variable -> the value that it contains at this point; absent if unknown."""

    def bind(self, old: BlockArgument, new: BlockArgument) -> None:
        """Map an argument of the source function to one of the C function."""
        type_ = memref_type(old)
        if type_ is not None and isinstance(new.type, EmitC_ArrayType) and old.uses:
            element = scalar_type(type_.get_element_type(), self.function)
            self.b.values[old] = self.b.cast(new, pointer(element))
            self.b.values[old].name_hint = new.name_hint
        else:
            self.b.values[old] = new

    def nested(self) -> FunctionConverter:
        """Return a converter for a C function that a part of the source function becomes."""
        return FunctionConverter(
            self.state, self.function, EmitcBuilder(runtime=self.b.runtime, external=self.b.external)
        )

    def merge(self, inner: FunctionConverter) -> None:
        """Record that the C of this function includes headers, and calls functions, of a nested one."""
        self.b.called |= inner.b.called
        for header, rank in inner.b.headers.items():
            self.b.headers[header] = max(self.b.headers.get(header, 0), rank)

    def block(self, block: Block) -> None:
        """Convert the ops of a block, whose arguments are mapped."""
        for op in block.ops:
            first = len(self.b.ops)
            self.op(op)
            for new in self.b.ops[first:]:
                new.location = op.location

    def op(self, op: Operation) -> None:
        """Convert one op. Raises Diagnostic for an op without a rule."""
        if (convert := self.state.conversions.get(op.name)) is not None:
            convert(self, op)
        elif (rule := RULES.get(op.name)) is not None:
            value = rule(self.b, op)
            self.b.define(op.results[0], value)
            if value.name_hint is None:
                value.name_hint = op.results[0].name_hint
        elif isinstance(op, InstructionOp):
            call_instruction(self.b, op)
        elif op.name in VIEWS:
            view(self.b, op)
            _hint(self.b.values[op.results[0]], op)
        elif (emitter := emitter_of(op)) is not None:
            emitter(self, op)
        else:
            raise Diagnostic(
                f"'{op.name}' cannot be converted to C",
                where(op),
                expected="loops and branches on memrefs: func, cf, scf.for, scf.if, memref, arith, math",
                remedy="lower it by an earlier pass",
            )

    def region(self, block: Block, arguments: list[Attribute], end: Callable[[], None]) -> Block:
        """Convert a block to a new one that ends in `emitc.yield`; `end` converts the yielded values."""
        new, targets = Block(arg_types=arguments), self.carried.get(block, [])
        variables = self.incoming.get(block, targets)
        self.forget([*variables, *targets])
        outer, self.b.ops = self.b.ops, []
        for old, argument in zip(block.args, new.args, strict=False):
            self.b.values[old] = argument
            argument.name_hint = old.name_hint
        for old, variable in zip(block.args[len(arguments) :], variables, strict=False):
            self.b.values[old] = self.read(variable)
        self.block(block)
        end()
        new.add_ops([*self.b.ops, emitc.YieldOp.create()])
        self.b.ops = outer
        self.forget([*variables, *targets])
        return new

    def read(self, variable: SSAValue) -> SSAValue:
        """Emit a load of a variable."""
        value = self.b.emit(emitc.LoadOp, [variable], cast(EmitC_LValueType, variable.type).value_type)
        self.contents[variable] = value
        return value

    def assign(self, variable: SSAValue, value: SSAValue) -> None:
        """Emit an assignment to a variable, unless it contains the value."""
        if self.contents.get(variable) is not value:
            self.b.emit(emitc.AssignOp, [variable, value], None)
            self.contents[variable] = value

    def forget(self, variables: list[SSAValue]) -> None:
        """Record that the contents of variables are unknown: a region assigns them."""
        for variable in variables:
            self.contents.pop(variable, None)

    def variable(self, op: Operation, index: int, initial: SSAValue | None) -> SSAValue:
        """
        Return the initialised variable of a result of `scf.for` or `scf.if`.

        A result whose only use is the yield of an enclosing loop shares that loop's variable.
        """
        result = op.results[index]
        if (shared := self.outer_variable(result)) is not None:
            if initial is not None:
                self.assign(shared, self.carried_value(initial))
            return shared
        type_ = lvalue(WIDE_INDEX if isinstance(result.type, IndexType) else scalar_type(result.type, op))
        literal = _literal(self.carried_value(initial)) if initial is not None else None
        first = EmitC_OpaqueAttr(StringAttr("")) if literal is None else literal
        variable = self.b.emit(emitc.VariableOp, [], type_, {"value": first})
        variable.name_hint = result.name_hint or _carried_hint(op, index)
        if initial is not None and literal is None:
            self.b.emit(emitc.AssignOp, [variable, self.carried_value(initial)], None)
        return variable

    def declared(self, initial: SSAValue, op: Operation) -> SSAValue:
        """Return a new variable with the value of another one of the source program."""
        is_index = isinstance(initial.type, IndexType)
        type_ = lvalue(WIDE_INDEX if is_index else scalar_type(initial.type, op))
        variable = self.b.emit(emitc.VariableOp, [], type_, {"value": EmitC_OpaqueAttr(StringAttr(""))})
        variable.name_hint = initial.name_hint
        self.assign(variable, self.carried_value(initial))
        return variable

    def carried_value(self, source: SSAValue) -> SSAValue:
        """Return the C value of a value that a variable takes: of an index in 64 bits."""
        return self.b.as_type(source, WIDE_INDEX) if isinstance(source.type, IndexType) else self.b.value(source)

    def outer_variable(self, result: SSAValue) -> SSAValue | None:
        """Return the variable of the enclosing loop or conditional if yielding to it is the only use of a result."""
        use, block = result.get_user_of_unique_use(), cast(Operation, result.owner).parent
        if use is None or block is None or use.name != "scf.yield" or use.parent is not block:
            return None
        targets = self.carried.get(block, [])
        index = list(use.operands).index(result)
        return targets[index] if index < len(targets) else None

    def loop(self, op: Operation) -> None:
        """Convert `scf.for`."""
        lower, upper, step, *initial = op.operands
        body = op.regions[0].block
        is_wide = any(self.b.is_wide(value) for value in (lower, upper, step))
        limits = [self.b.as_type(value, WIDE_INDEX) if is_wide else self.b.value(value) for value in op.operands[:3]]
        variables = [self.variable(op, index, value) for index, value in enumerate(initial)]
        self.carried[body] = variables
        type_ = WIDE_INDEX if is_wide else scalar_type(body.args[0].type, op)
        new = self.region(body, [type_], lambda: self.yielded(body, variables))
        loop = emitc.ForOp.create(operands=limits, regions=[Region(new)])
        loop.attributes |= {name: op.attributes[name] for name in (INDEPENDENT, UNROLL) if name in op.attributes}
        self.b.ops.append(loop)
        self.results(op, variables)

    def condition(self, op: Operation) -> None:
        """Convert `scf.if`."""
        test = self.b.value(op.operands[0])
        variables = [self.variable(op, index, None) for index in range(len(op.results))]
        regions: list[Region] = []
        for region in op.regions:
            if not region.blocks:
                regions.append(Region())
                continue
            self.carried[region.block] = variables
            new = self.region(region.block, [], lambda block=region.block: self.yielded(block, variables))
            regions.append(Region(new))
        if regions[1].blocks and len(list(regions[1].block.ops)) == 1:
            regions[1] = Region()
        branch = emitc.IfOp.create(operands=[test], regions=regions)
        copy_frequency(op, branch)
        self.b.ops.append(branch)
        self.results(op, variables)

    def switch(self, op: Operation) -> None:
        """Convert `scf.index_switch`: `if (i == case) { .. } else if .. else { .. }`."""
        assert isinstance(op, scf.IndexSwitchOp)
        variables = [self.variable(op, index, None) for index in range(len(op.results))]
        tests = [self.is_case(op.arg, case) for case in cast(Sequence[int], op.cases.get_values())]
        blocks = [region.block for region in (*op.case_regions, op.default_region)]
        self.carried |= dict.fromkeys(blocks, variables)
        *cases, last = [self.region(block, [], lambda block=block: self.yielded(block, variables)) for block in blocks]
        for test, case in zip(reversed(tests), reversed(cases), strict=True):
            branch = emitc.IfOp.create(operands=[test], regions=[Region(case), Region(last)])
            last = Block([branch, emitc.YieldOp.create()])
        for inner in list(last.ops)[:-1]:
            inner.detach()
            self.b.ops.append(inner)
        self.results(op, variables)

    def is_case(self, flag: SSAValue, case: int) -> SSAValue:
        """Emit the comparison of an index with a number, which is false where the index has too few bits."""
        if not self.b.is_wide(flag) and Range(case, case) not in NARROW:
            return self.b.integer(False, i1)
        type_ = WIDE_INDEX if self.b.is_wide(flag) else INDEX
        return self.b.compare("eq", self.b.full_value(flag), self.b.integer(case, type_))

    def inlined(self, op: Operation) -> None:
        """Convert `scf.execute_region` and `memref.alloca_scope` of one block."""
        (region,) = op.regions
        self.block(region.block)
        terminator = region.block.last_op
        assert terminator is not None
        for result, source in zip(op.results, terminator.operands, strict=True):
            self.b.define(result, self.b.full_value(source))

    def repeat(self, op: Operation) -> None:
        """
        Convert `scf.while`: `do { go = ..; if (go) { .. } } while (go);`.

        Where the condition passes on other values than those that it takes, these have variables of their own.
        """
        before, after = (region.block for region in op.regions)
        test = before.last_op
        assert isinstance(test, scf.ConditionOp)
        is_same = tuple(test.operands[1:]) == tuple(before.args)
        variables = [] if is_same else [self.declared(value, op) for value in op.operands]
        starts = enumerate(op.operands if is_same else (None,) * len(op.results))
        passed = [self.variable(op, index, value) for index, value in starts]
        self.incoming[after] = passed
        variables = variables or passed
        flag = self.b.emit(emitc.VariableOp, [], lvalue(i1), {"value": EmitC_OpaqueAttr(StringAttr(""))})
        flag.name_hint = "goes_on"
        self.carried |= {before: variables, after: variables}

        def iteration() -> None:
            condition = self.b.value(test.condition)
            self.assign(flag, condition)
            for variable, source in () if is_same else zip(passed, test.operands[1:], strict=True):
                self.assign(variable, self.carried_value(source))
            inner = self.region(after, [], lambda: self.yielded(after, variables))
            self.b.ops.append(emitc.IfOp.create(operands=[condition], regions=[Region(inner), Region()]))

        body = self.region(before, [], iteration)
        value = emitc.LoadOp.create(operands=[flag], result_types=[i1])
        again = Block([value, emitc.YieldOp.create(operands=[value.result])])
        self.b.ops.append(emitc.DoOp.create(regions=[Region(body), Region(again)]))
        self.forget(passed)
        self.results(op, passed)

    def yielded(self, block: Block, variables: list[SSAValue]) -> None:
        """Assign the yielded values of a block to their variables."""
        terminator = block.last_op
        assert terminator is not None
        for variable, source in zip(variables, terminator.operands, strict=True):
            if not self.is_shared(source, variable):
                self.assign(variable, self.carried_value(source))

    def is_shared(self, source: SSAValue, variable: SSAValue) -> bool:
        """Return whether a value is the result of a loop or conditional that shares `variable`."""
        owner = source.owner
        structured = isinstance(owner, Operation) and owner.name in _SHARING
        return structured and self.outer_variable(source) is variable

    def results(self, op: Operation, variables: list[SSAValue]) -> None:
        """Map an op's results to loads of the variables."""
        for result, variable in zip(op.results, variables, strict=True):
            if result.uses and not self.is_shared(result, variable):
                self.b.values[result] = self.read(variable)

    def call(self, op: Operation) -> None:
        """Convert `func.call`."""
        operands = [self.b.value(operand) for operand in op.operands]
        types = [scalar_type(result.type, op) for result in op.results]
        if len(types) > 1:
            raise Diagnostic("a C function has at most one result", where(op))
        target = SymbolRefAttr(self.state.names[callee(op)])
        call = emitc.CallOp.create(operands=operands, result_types=types, properties={"callee": target})
        self.b.ops.append(call)
        self.b.values |= dict(zip(op.results, call.results, strict=True))

    def end(self, op: Operation) -> None:
        """Convert `func.return`."""
        self.b.emit(emitc.ReturnOp, [self.b.value(operand) for operand in op.operands], None)

    def get_global(self, op: Operation) -> None:
        """Convert `memref.get_global`: the array decays to a pointer."""
        name = global_name(op)
        array = self.state.global_types[name]
        properties: dict[str, Attribute] = {"name": SymbolRefAttr(self.state.names[name])}
        value = self.b.emit(emitc.GetGlobalOp, [], array, properties)
        self.b.values[op.results[0]] = self.b.cast(value, pointer(array.get_element_type()))

    def several(self, op: Operation) -> None:
        """Convert the ops with two results."""
        values = sum_and_carry(self.b, op) if op.name == "arith.addui_extended" else products(self.b, op)
        self.b.values |= dict(zip(op.results, values, strict=True))

    def dim(self, op: Operation) -> None:
        """Convert `memref.dim` of a static shape."""
        axis = self.b.known(op.operands[1])
        shape = layout_of(op.operands[0], op).shape
        if axis is None or not 0 <= axis < len(shape):
            raise Diagnostic("memref.dim of an axis that is not constant", where(op))
        self.b.values[op.results[0]] = self.b.integer(shape[axis])


_SHARING = ("scf.for", "scf.if", "scf.index_switch", "scf.while")
"""Ops whose results are variables."""


def _carried_hint(op: Operation, index: int) -> str | None:
    return op.regions[0].block.args[index + 1].name_hint if op.name == "scf.for" else None


def _hint(value: SSAValue, op: Operation) -> None:
    if value.name_hint is None and not isinstance(value, BlockArgument):
        value.name_hint = op.results[0].name_hint


def _literal(value: SSAValue) -> Attribute | None:
    """Return the attribute of a constant of C, None for other values."""
    owner = value.owner
    return owner.value if isinstance(owner, emitc.ConstantOp) else None
