"""
Printer of `emitc` functions as C.

A value with one use is folded into its user's expression, unless a write between the two clobbers it. Other values
become `const` locals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i1
from xdsl.dialects.emitc import EmitC_ArrayType, EmitC_OpaqueAttr, EmitC_PointerType
from xdsl.ir import Block, Operation, Region, SSAValue

from ....dialects import emitc
from ....errors import Diagnostic
from ....ir import node_names, where
from ...loops.branches import rare_value
from ..builder import as_integer
from ..names import Names, stem
from .effects import WritePositions, effects_of, may_write
from .expressions import (
    OPERATORS,
    Expression,
    Precedence,
    binary,
    c_type,
    cast_to,
    comparison,
    conditional,
    declaration,
    literal,
    pointer_type,
    unary,
    within,
)
from .functions import argument_attributes, argument_names, comment, definition, operands_comment, verbatim_text
from .liveness import dead_ops

_LONGEST = 88
_NAMELESS = (emitc.ConstantOp, emitc.GetGlobalOp, emitc.LiteralOp, emitc.SubscriptOp)
_ANY_LEVEL = frozenset(Precedence)
_COMPOUND = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")


def function_text(function: emitc.FuncOp, names: Names, constants: frozenset[str]) -> str:
    """
    Return a function's definition, with a comment on its operands.

    `names` is its scope, nested in that of the file; `constants` are the names of read-only globals.
    """
    arguments = argument_names(function, names)
    printer = _FunctionPrinter(names, constants)
    said = argument_attributes(function)
    printer.dead |= dead_ops(function.body)
    printer.plan_region(function.body)
    for argument, name, attributes in zip(function.body.blocks[0].args, arguments, said, strict=True):
        printer.text[argument] = name, Precedence.PRIMARY
        printer.constant[argument] = "tilewright.const" in attributes
        if all(use.operation in printer.dead for use in argument.uses):
            printer.line(f"(void){name};")
    printer.region(function.body)
    head = operands_comment(function, arguments)
    return "\n".join([*head, f"{definition(function, arguments)} {{", *printer.lines, "}"]) + "\n"


@dataclass
class _FunctionPrinter:
    names: Names
    constants: frozenset[str]
    text: dict[SSAValue, Expression] = field(default_factory=dict[SSAValue, Expression])
    constant: dict[SSAValue, bool] = field(default_factory=dict[SSAValue, bool])
    folded: dict[SSAValue, tuple[str, str, Expression]] = field(
        default_factory=dict[SSAValue, tuple[str, str, Expression]]
    )
    lines: list[str] = field(default_factory=list[str])
    undeclared: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    effects: dict[Block, WritePositions] = field(default_factory=dict[Block, WritePositions])
    position: dict[Operation, int] = field(default_factory=dict[Operation, int])
    anchor: dict[Operation, int] = field(default_factory=dict[Operation, int])
    inline: set[Operation] = field(default_factory=set[Operation])
    dead: set[Operation] = field(default_factory=set[Operation])
    depth: int = 1
    labels: dict[Block, str] = field(default_factory=dict[Block, str])
    last_label: int = 0
    exits: list[str] = field(default_factory=list[str])
    """Labels behind the regions of several blocks around the current op."""

    def line(self, text: str) -> None:
        """Append a line of the function's body, after pending declarations."""
        self.flush()
        self.lines.append(f"{'    ' * self.depth}{text}")

    def name(self, value: SSAValue, default: str) -> str:
        """Choose the name of a local."""
        return self.names.add(stem(value.name_hint) if value.name_hint else default)

    # Folding of values into their users

    def plan_region(self, region: Region) -> None:
        """Find the ops of a region to fold into their user, and the dead ones: users before what they use."""
        for block in reversed(region.blocks):
            self.plan(block)

    def plan(self, block: Block) -> None:
        """Find the ops of a block to fold into their user, and the dead ones."""
        ops = [op for op in block.ops if op not in self.dead]
        for op in ops:
            for region in op.regions:
                self.plan_region(region)
        effects = self.effects[block] = effects_of(ops, self.effects)
        self.position |= {op: index for index, op in enumerate(ops)}
        for index in range(len(ops) - 1, -1, -1):
            op = ops[index]
            self.anchor[op] = index
            if type(op) in _PRINTERS or may_write(op) or len(op.results) != 1:
                continue
            users = [use.operation for use in op.results[0].uses if use.operation not in self.dead]
            if not users:
                self.dead.add(op)
            elif len(users) == 1 and self.may_fold(users[0]):
                end = self.last_position(op, users[0])
                if end is not None and not (_reads(op) and effects.between(op.operands[0], index, end)):
                    self.inline.add(op)
                    self.anchor[op] = end

    def last_position(self, op: Operation, user: Operation) -> int | None:
        """
        Return the position at which an op is evaluated as part of its user, None if it must not move there.

        A read may move into a conditional if nothing before the user writes to it.
        """
        position, block = self.anchor[user], user.parent
        while block is not op.parent:
            parent = block.parent_op() if block is not None else None
            if block is None or not isinstance(parent, emitc.IfOp) or not _reads(op):
                return None
            if self.effects[block].between(op.operands[0], -1, position):
                return None
            position, block = self.position[parent], parent.parent
        return position

    def may_fold(self, user: Operation) -> bool:
        """Return whether an operand of `user` is evaluated exactly once, at the position of `user`."""
        kind = type(user)
        return kind is not emitc.ForOp and (kind is not emitc.SubscriptOp or user.results[0].has_one_use())

    def block(self, block: Block) -> None:
        """Print the ops of a block."""
        for op in block.ops:
            if op in self.dead:
                continue
            if (statement := _PRINTERS.get(type(op))) is not None:
                statement(self, op)
            elif isinstance(op, emitc.CallOpaqueOp) and self.is_unread(op):
                self.line(f"{'(void)' if op.results else ''}{self.opaque_call(op)[0]};")
            else:
                self.value(op, folded=op in self.inline)
        self.flush()

    def region(self, region: Region) -> None:
        """Print the blocks of a region, with a label before those that a `goto` leads to."""
        targets = {target for block in region.blocks for target in _jumps(block)}
        for block in region.blocks:
            if block in targets:
                self.labels[block] = self.label()
        for block in region.blocks:
            if block in targets:
                self.mark(self.labels[block])
            self.block(block)

    def label(self) -> str:
        """Return a new label: unlike other names, those of a function are in one scope."""
        self.last_label += 1
        return f"block{self.last_label}"

    def mark(self, label: str) -> None:
        """Print a label, with the empty statement that C wants before a declaration."""
        self.flush()
        self.lines.append(f"{'    ' * (self.depth - 1)}{label}:;")

    def executed(self, op: Operation) -> None:
        assert isinstance(op, scf.ExecuteRegionOp)
        *others, _ = op.region.blocks
        leaves = any(isinstance(block.last_op, scf.YieldOp) for block in others)
        self.exits.append(self.label() if leaves else "")
        self.line("{")
        outer, self.names = self.names, self.names.fork()
        self.depth += 1
        self.region(op.region)
        self.depth -= 1
        self.names = outer
        self.line("}")
        if label := self.exits.pop():
            self.mark(label)

    def leave(self, op: Operation) -> None:
        if op.parent is not None and op.parent.next_block is not None:
            self.line(f"goto {self.exits[-1]};")

    def branch(self, op: Operation) -> None:
        assert op.parent is not None
        for target in _jumps(op.parent):
            self.line(f"goto {self.labels[target]};")

    def conditional_branch(self, op: Operation) -> None:
        assert isinstance(op, cf.ConditionalBranchOp)
        assert op.parent is not None
        test = self.text[op.cond]
        if op.then_block is op.else_block:
            self.branch(op)
        elif op.then_block is op.parent.next_block:
            self.line(f"if ({unary('!', test)[0]}) goto {self.labels[op.else_block]};")
        else:
            self.line(f"if ({test[0]}) goto {self.labels[op.then_block]};")
            if op.else_block is not op.parent.next_block:
                self.line(f"goto {self.labels[op.else_block]};")

    def is_unread(self, op: Operation) -> bool:
        """Return whether no printed op reads a result of an op."""
        return all(use.operation in self.dead for result in op.results for use in result.uses)

    def flush(self) -> None:
        """Print pending declarations without a first value."""
        for declaration_ in self.undeclared.values():
            self.lines.append(f"{'    ' * self.depth}{declaration_};")
        self.undeclared.clear()

    def value(self, op: Operation, *, folded: bool) -> None:
        """Print an op that computes a value: as a local, or as part of a later expression."""
        result = op.results[0]
        expression = self.expression(op)
        # Array decay and elements are no values of their own, so they have no locals.
        pointer = type(result.type) is EmitC_PointerType
        decays = pointer and type(op) is emitc.CastOp and expression is self.text[op.source]
        if decays or type(op) in _NAMELESS or (folded and len(expression[0]) <= _LONGEST):
            self.text[result] = expression
            return
        name = self.name(result, "p" if pointer else "v")
        kind = f"{c_type(result.type)} "
        if pointer:
            kind = pointer_type(cast(EmitC_PointerType, result.type), constant=self.is_constant(result))
        qualified = f"{kind}const " if pointer else f"const {kind}"
        self.line(f"{qualified}{name} = {expression[0]};")
        self.text[result] = name, Precedence.PRIMARY

    def is_constant(self, value: SSAValue) -> bool:
        """Return whether a pointer's or array's elements are read-only."""
        if (memoised := self.constant.get(value)) is not None:
            return memoised
        owner = value.owner
        if isinstance(owner, emitc.GetGlobalOp):
            read_only = owner.name_.root_reference.data in self.constants
        elif isinstance(owner, emitc.CastOp | emitc.AddOp | emitc.SubOp):
            read_only = self.is_constant(owner.operands[0])
        else:
            read_only = False
        self.constant[value] = read_only
        return read_only

    def variable(self, op: Operation) -> None:
        result, value = op.results[0], op.properties["value"]
        name = self.name(result, "acc")
        self.text[result] = name, Precedence.PRIMARY
        text = _aligned(op) + declaration(result.type, name, constant=False)
        if not isinstance(value, EmitC_OpaqueAttr) or value.value.data:
            self.line(f"{text} = {literal(value, cast(Any, result.type).value_type)[0]};")
            return
        self.flush()
        self.undeclared[result] = text

    def assign(self, op: Operation) -> None:
        assert isinstance(op, emitc.AssignOp)
        target, value = self.text[op.var][0], self.text[op.value]
        if op.var in self.undeclared:
            self.lines.append(f"{'    ' * self.depth}{self.undeclared.pop(op.var)} = {value[0]};")
            return
        symbol, left, right = self.folded.get(op.value, ("", "", value))
        if (
            symbol
            and left == target
            and value[1] is not Precedence.PRIMARY
            and c_type(op.value.type) == c_type(op.var.type)
        ):
            self.line(f"{target} {symbol}= {within(right, _ANY_LEVEL)};")
            return
        self.line(f"{target} = {value[0]};")

    def loop(self, op: Operation) -> None:
        assert isinstance(op, emitc.ForOp)
        outer, self.names = self.names, self.names.fork()
        variable = op.region.block.args[0]
        lower, upper, step = (self.text[operand] for operand in op.operands)
        name = self.name(variable, f"i{self.depth - 1}")
        self.text[variable] = name, Precedence.PRIMARY
        sums = frozenset({Precedence.PRIMARY, Precedence.UNARY, Precedence.MUL, Precedence.ADD})
        advance = f"++{name}" if step[0] == "1" else f"{name} += {step[0]}"
        if "tilewright.independent" in op.attributes:
            self.line("TW_INDEPENDENT")
        if isinstance(factor := op.attributes.get("tilewright.unroll"), IntegerAttr):
            self.line(f"TW_UNROLL({factor.value.data})")
        self.line(f"for ({c_type(variable.type)} {name} = {lower[0]}; {name} < {within(upper, sums)}; {advance}) {{")
        self.nested(op.region.block)
        self.line("}")
        self.names = outer

    def repeat(self, op: Operation) -> None:
        assert isinstance(op, emitc.DoOp)
        self.line("do {")
        self.nested(op.body.block)
        condition = op.condition.block
        self.block(condition)
        assert condition.last_op is not None
        self.line(f"}} while ({self.text[condition.last_op.operands[0]][0]});")

    def nested(self, block: Block) -> None:
        """Print an indented block, with a name scope of its own."""
        outer, self.names = self.names, self.names.fork()
        self.depth += 1
        self.block(block)
        self.depth -= 1
        self.names = outer

    def condition(self, op: Operation) -> None:
        assert isinstance(op, emitc.IfOp)
        test, rare = self.text[op.condition][0], rare_value(op)
        self.line(f"if (TW_UNLIKELY({test})) {{" if rare is not None and rare[0] == 0 else f"if ({test}) {{")
        self.nested(op.then_region.block)
        if op.else_region.blocks:
            self.line("} else {")
            self.nested(op.else_region.block)
        self.line("}")

    def call(self, op: Operation) -> None:
        assert isinstance(op, emitc.CallOp)
        if names := node_names(op):
            self.line(f"/* {' + '.join(comment(name) for name in names)} */")
        arguments = ", ".join(self.text[operand][0] for operand in op.arguments)
        text = f"{op.callee.root_reference.data}({arguments})"
        if not op.res:
            self.line(f"{text};")
            return
        name = self.name(op.res[0], "v")
        self.text[op.res[0]] = name, Precedence.PRIMARY
        if not self.is_unread(op):
            text = f"const {c_type(op.res[0].type)} {name} = {text}"
        self.line(f"{text};")

    def returns(self, op: Operation) -> None:
        if op.operands:
            self.line(f"return {self.text[op.operands[0]][0]};")

    def verbatim(self, op: Operation) -> None:
        assert isinstance(op, emitc.VerbatimOp)
        self.line(verbatim_text(op, [self.text[value][0] for value in op.fmt_args]))

    def expression(self, op: Operation) -> Expression:
        """Return the C expression of an op. Raises Diagnostic for an op without one."""
        operands = [self.text[operand] for operand in op.operands]
        if type(op) in OPERATORS:
            expression = binary(op, *operands)
            symbol = OPERATORS[type(op)][0]
            if symbol in _COMPOUND and isinstance(op.operands[0].owner, emitc.LoadOp):
                self.folded[op.results[0]] = symbol, operands[0][0], operands[1]
            return expression
        if (rule := _EXPRESSIONS.get(type(op))) is not None:
            return rule(self, op, operands)
        return self.prefix(op, operands)

    def element(self, operands: list[Expression]) -> Expression:
        base = within(operands[0], frozenset({Precedence.PRIMARY}))
        return base + "".join(f"[{index[0]}]" for index in operands[1:]), Precedence.PRIMARY

    def prefix(self, op: Operation, operands: list[Expression]) -> Expression:
        if isinstance(op, emitc.ApplyOp):
            return unary(op.applicableOperator.data, operands[0])
        if (symbol := _PREFIXES.get(type(op))) is None:
            raise Diagnostic(
                f"'{op.name}' cannot be printed as C",
                where(op),
                expected="emitc ops",
                remedy="run convert-to-emitc first",
            )
        return unary(symbol, operands[0])

    def cast(self, op: emitc.CastOp, operand: Expression) -> Expression:
        source, target = op.source.type, op.result.type
        if isinstance(target, EmitC_PointerType):
            array = cast("EmitC_ArrayType[Any]", source)
            # GCC treats pointers to bool and to its aliasing typedef as incompatible.
            decays = isinstance(source, EmitC_ArrayType) and array.get_element_type() == target.pointee_type
            if decays and target.pointee_type != i1:
                return operand
            return cast_to(pointer_type(target, constant=self.is_constant(op.source)), operand)
        # C promotes narrower integers to int, which is int32_t.
        integer = as_integer(source)
        if integer is not None and integer.width.data < 32 and target == IntegerType(32):
            return operand
        return cast_to(c_type(target), operand)

    def opaque_call(self, op: Any) -> Expression:
        arguments = ", ".join(self.text[operand][0] for operand in op.operands)
        return f"{op.callee.data}({arguments})", Precedence.PRIMARY


def _jumps(block: Block) -> list[Block]:
    """Return the blocks that a block reaches by a `goto`: its successors but the one that follows in the text."""
    successors = dict.fromkeys(block.last_op.successors) if block.last_op is not None else {}
    return [successor for successor in successors if successor is not block.next_block]


def _aligned(op: Operation) -> str:
    """Return the alignment specifier of a variable."""
    alignment: Any = op.attributes.get("tilewright.alignment")
    return "" if alignment is None else f"_Alignas({alignment.value.data}) "


def _reads(op: Operation) -> bool:
    return type(op) is emitc.LoadOp or (type(op) is emitc.ApplyOp and op.applicableOperator.data == "*")


_PREFIXES: dict[type[Operation], str] = {
    emitc.BitwiseNotOp: "~",
    emitc.LogicalNotOp: "!",
    emitc.UnaryMinusOp: "-",
    emitc.UnaryPlusOp: "+",
}

_PRINTERS: dict[type[Operation], Callable[[_FunctionPrinter, Operation], None]] = {
    cf.BranchOp: _FunctionPrinter.branch,
    cf.ConditionalBranchOp: _FunctionPrinter.conditional_branch,
    emitc.AssignOp: _FunctionPrinter.assign,
    emitc.CallOp: _FunctionPrinter.call,
    emitc.DoOp: _FunctionPrinter.repeat,
    emitc.ForOp: _FunctionPrinter.loop,
    emitc.IfOp: _FunctionPrinter.condition,
    emitc.ReturnOp: _FunctionPrinter.returns,
    emitc.VariableOp: _FunctionPrinter.variable,
    emitc.VerbatimOp: _FunctionPrinter.verbatim,
    emitc.YieldOp: lambda printer, op: None,
    scf.ExecuteRegionOp: _FunctionPrinter.executed,
    scf.YieldOp: _FunctionPrinter.leave,
}

_EXPRESSIONS: dict[type[Operation], Callable[[_FunctionPrinter, Any, list[Expression]], Expression]] = {
    emitc.CallOpaqueOp: lambda printer, op, operands: printer.opaque_call(op),
    emitc.CastOp: lambda printer, op, operands: printer.cast(op, operands[0]),
    emitc.CmpOp: lambda printer, op, operands: comparison(op, *operands),
    emitc.ConditionalOp: lambda printer, op, operands: conditional(*operands),
    emitc.ConstantOp: lambda printer, op, operands: literal(op.value, op.result.type),
    emitc.GetGlobalOp: lambda printer, op, operands: (op.name_.root_reference.data, Precedence.PRIMARY),
    emitc.LiteralOp: lambda printer, op, operands: (op.value.data, Precedence.PRIMARY),
    emitc.LoadOp: lambda printer, op, operands: operands[0],
    emitc.SubscriptOp: lambda printer, op, operands: printer.element(operands),
}
