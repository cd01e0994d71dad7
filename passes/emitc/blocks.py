"""
Conversion of unstructured control flow to C: a block becomes a label, a branch a `goto`.

    ^head(%i: index):                       head:;
      cf.cond_br %c, ^body, ^exit             if (!c) goto exit;

The argument of a block is a variable that each branch to the block assigns, and that the block reads first: the values
that a branch passes are read before any is assigned, so that a branch may exchange arguments. Blocks come in reverse
postorder, by which the definition of a value precedes its uses in the text; unreachable blocks are dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import IndexType, ModuleOp, StringAttr, i1
from xdsl.dialects.emitc import EmitC_OpaqueAttr
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from ...dialects import emitc
from ...dialects.core.block_order import reverse_postorder
from ...dialects.core.nesting import nested_ops
from ...errors import Diagnostic
from ...ir import where
from .builder import UNSIGNED, WIDE_INDEX, lvalue, scalar_type, width_of
from .converter import FunctionConverter, memref_type


def erase_unreachable_blocks(module: ModuleOp) -> None:
    """Erase the blocks that no branch reaches from the entry of their region."""
    regions = [region for op in nested_ops(module) for region in op.regions if len(region.blocks) > 1]
    for region in regions:
        if not region.blocks:
            continue
        reached = set(reverse_postorder(region))
        unreachable = [block for block in region.blocks if block not in reached]
        for block in unreachable:
            for op in block.ops:
                op.drop_all_references()
        for block in unreachable:
            region.erase_block(block, safe_erase=False)


def convert_region(converter: FunctionConverter, region: Region, entry: Block) -> list[Block]:
    """
    Convert the blocks of a region, and return them as blocks of C: `entry`, whose arguments are mapped, and others.

    Raises Diagnostic for an argument of a block that has no type in C.
    """
    order = reverse_postorder(region)
    outer, converter.b.ops = converter.b.ops, []
    for block in order[1:]:
        converter.targets[block] = Block()
        converter.incoming[block] = [_variable(converter, argument) for argument in block.args]
    blocks: list[Block] = []
    for block in order:
        converter.contents.clear()
        for argument, variable in zip(block.args, converter.incoming.get(block, ()), strict=False):
            converter.b.values[argument] = converter.read(variable)
            converter.b.values[argument].name_hint = argument.name_hint
        converter.block(block)
        target = converter.targets.get(block, entry)
        target.add_ops(converter.b.ops)
        blocks += [target, *converter.edges]
        converter.edges.clear()
        converter.b.ops = []
    converter.b.ops = outer
    converter.contents.clear()
    return blocks


def _variable(converter: FunctionConverter, argument: BlockArgument) -> SSAValue:
    """Return the variable of the argument of a block."""
    op = argument.block.first_op or converter.function
    if memref_type(argument) is not None:
        raise Diagnostic(
            "the argument of a block is a memref, which has no variable in C",
            where(op),
            found=str(argument.type),
            remedy="store to one buffer on each path, and pass no buffer",
        )
    return _declared(converter, argument, op)


def _declared(converter: FunctionConverter, value: SSAValue, op: Operation) -> SSAValue:
    """Declare a variable for a value of the source program."""
    is_index = isinstance(value.type, IndexType)
    type_ = lvalue(WIDE_INDEX if is_index else scalar_type(value.type, op))
    variable = converter.b.emit(emitc.VariableOp, [], type_, {"value": EmitC_OpaqueAttr(StringAttr(""))})
    variable.name_hint = value.name_hint
    return variable


def _pass(converter: FunctionConverter, successor: Block, operands: Sequence[SSAValue]) -> Block:
    """Assign the operands of a branch to the arguments of its target; return the target in C."""
    for variable, operand in zip(converter.incoming[successor], operands, strict=True):
        converter.assign(variable, converter.carried_value(operand))
    return converter.targets[successor]


def _edge(converter: FunctionConverter, successor: Block, operands: Sequence[SSAValue]) -> Block:
    """Return the block of C to branch to: the target, or a block that assigns the operands and goes there."""
    if not operands:
        return converter.targets[successor]
    outer, contents = converter.b.ops, dict(converter.contents)
    converter.b.ops = []
    target = _pass(converter, successor, operands)
    edge = Block([*converter.b.ops, cf.BranchOp(target)])
    converter.b.ops, converter.contents = outer, contents
    converter.edges.append(edge)
    return edge


def convert_branch(converter: FunctionConverter, op: Operation) -> None:
    """Convert `cf.br`."""
    assert isinstance(op, cf.BranchOp)
    converter.b.ops.append(cf.BranchOp(_pass(converter, op.successor, op.arguments)))


def convert_conditional_branch(converter: FunctionConverter, op: Operation) -> None:
    """Convert `cf.cond_br`."""
    assert isinstance(op, cf.ConditionalBranchOp)
    condition = converter.b.value(op.cond)
    then = _edge(converter, op.then_block, op.then_arguments)
    other = _edge(converter, op.else_block, op.else_arguments)
    converter.b.ops.append(cf.ConditionalBranchOp(condition, then, [], other, []))


def convert_switch(converter: FunctionConverter, op: Operation) -> None:
    """Convert `cf.switch`: one comparison for each case, in order."""
    assert isinstance(op, cf.SwitchOp)
    cases = op.case_values.get_values() if op.case_values is not None else ()
    tests = [_is_case(converter, op.flag, int(case)) for case in cases]
    edges = [
        _edge(converter, target, operands) for target, operands in zip(op.case_blocks, op.case_operand, strict=True)
    ]
    default = _edge(converter, op.default_block, op.default_operands)
    _chain(converter, list(zip(tests, edges, strict=True)), default)


def _is_case(converter: FunctionConverter, flag: SSAValue, case: int) -> SSAValue:
    if isinstance(flag.type, IndexType):
        return converter.is_case(flag, case)
    width = width_of(flag)
    type_ = UNSIGNED[width] if width > 1 else i1
    return converter.b.compare("eq", converter.b.as_type(flag, type_), converter.b.integer(case, type_))


def _chain(converter: FunctionConverter, tests: list[tuple[SSAValue, Block]], default: Block) -> None:
    """Branch to the block of the first test that holds, else to `default`."""
    if not tests:
        converter.b.ops.append(cf.BranchOp(default))
        return
    *others, (condition, target) = tests
    following = default
    branch = cf.ConditionalBranchOp(condition, target, [], following, [])
    for test, block in reversed(others):
        following = Block([branch])
        converter.edges.insert(0, following)
        branch = cf.ConditionalBranchOp(test, block, [], following, [])
    converter.b.ops.append(branch)


def convert_executed_region(converter: FunctionConverter, op: Operation) -> None:
    """Convert `scf.execute_region`: a region of several blocks stays one, and assigns its results to variables."""
    (region,) = op.regions
    if len(region.blocks) == 1:
        converter.inlined(op)
        return
    variables = [_declared(converter, result, op) for result in op.results]
    converter.carried |= dict.fromkeys(region.blocks, variables)
    blocks = convert_region(converter, region, Block())
    converter.b.ops.append(scf.ExecuteRegionOp.create(regions=[Region(blocks)]))
    for result, variable in zip(op.results, variables, strict=True):
        if result.uses:
            converter.b.values[result] = converter.read(variable)


def convert_yield(converter: FunctionConverter, op: Operation) -> None:
    """Convert `scf.yield`: that of a region of several blocks leaves it, after all others their op goes on."""
    block, parent = op.parent, op.parent_op()
    if block is None or parent is None or len(parent.regions[0].blocks) == 1:
        return
    converter.yielded(block, converter.carried[block])
    converter.b.ops.append(scf.YieldOp())
