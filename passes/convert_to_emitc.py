"""
The pass `convert-to-emitc`: loops on memrefs become C as IR, one C function for each function.

A memref becomes a pointer to its elements, indexed by flattened static arithmetic; `index` becomes `int32_t`. The
function that is not private becomes `<name>_run`, whose arguments are arrays of the network's own types; the others
become static. Functions and globals that it does not need are left out, as C compilers warn of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.dialects.emitc import EmitC_ArrayType, EmitC_LValueType, EmitC_OpaqueAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from ..dialects import emitc
from ..errors import Diagnostic
from ..ir import where
from .core.base import Pass
from .core.emitc_arith import RULES, is_libm, products, sum_and_carry
from .core.emitc_buffers import (
    VIEWS,
    copy,
    flags,
    global_op,
    load,
    shape_attribute,
    store,
    view,
    written,
)
from .core.emitc_builder import UNSIGNED, Builder, layout_of, pointer, scalar_type
from .core.emitc_names import Names, identifier

_HINTED = ("onnx.name", "onnx.type", "tilewright.output")


@dataclass
class _Module:
    """What the conversion of one function needs to know of the others."""

    functions: dict[str, Operation]
    globals: dict[str, Operation]
    written_by: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    names: dict[str, str] = field(default_factory=dict[str, str])
    global_types: dict[str, EmitC_ArrayType] = field(default_factory=dict[str, EmitC_ArrayType])
    called: dict[str, None] = field(default_factory=dict[str, None])


def _symbol(op: Operation) -> str:
    return cast(StringAttr, op.properties["sym_name"]).data


def _callee(op: Operation) -> str:
    return cast(SymbolRefAttr, op.properties["callee"]).root_reference.data


def _is_public(function: Operation) -> bool:
    visibility = function.properties.get("sym_visibility")
    return visibility is None or cast(StringAttr, visibility).data == "public"


def convert_to_emitc(module: ModuleOp) -> None:
    """
    Convert a module of `func`, `scf`, `memref`, `arith`, `math` and `nn` scalars to `emitc`, in place.

    Raises Diagnostic where the module holds anything else, or a type that C11 has not.
    """
    state = _Module({}, {})
    for op in module.body.block.ops:
        if op.name == "func.func":
            state.functions[_symbol(op)] = op
        elif op.name == "memref.global":
            state.globals[_symbol(op)] = op
        else:
            raise Diagnostic(f"'{op.name}' cannot be converted to C", where(op), "functions and memref.global")
    public = [function for function in state.functions.values() if _is_public(function)]
    if not public:
        raise Diagnostic("no function is public, so none would be called", expected="a func.func that is not private")
    ordered = _callees_first(state, public)
    _name(state, ordered, identifier(_symbol(public[0])))
    converted = [_global(state, ordered, name) for name in _used_globals(ordered)]
    converted += [_function(state, function) for function in ordered]
    headers = ["tilewright.h", *(["tilewright_math.h"] if any(is_libm(name) for name in state.called) else [])]
    includes = [emitc.IncludeOp.create(properties={"include": StringAttr(header)}) for header in headers]
    for op in list(module.body.block.ops):
        op.detach()
        op.erase(safe_erase=False)
    module.body.block.add_ops([*includes, *converted])


def _callees_first(state: _Module, public: list[Operation]) -> list[Operation]:
    """Return the functions that are needed, each after those that it calls."""
    done: dict[str, Operation] = {}
    active: dict[str, None] = {}

    def visit(name: str, caller: Operation) -> None:
        if name in done:
            return
        if name in active:
            raise Diagnostic("a function calls itself", where(caller), found=f"@{name}")
        if (function := state.functions.get(name)) is None or not function.regions[0].blocks:
            raise Diagnostic("a function that is called has no body", where(caller), found=f"@{name}")
        active[name] = None
        for op in function.walk():
            if op.name == "func.call":
                visit(_callee(op), op)
        del active[name]
        roots = written(function, state.written_by)
        arguments = function.regions[0].blocks[0].args
        state.written_by[name] = {argument.index for argument in arguments if argument in roots}
        _refuse_writes_to_constants(state, function, roots)
        done[name] = function

    for function in public:
        visit(_symbol(function), function)
    return list(done.values())


def _refuse_writes_to_constants(state: _Module, function: Operation, roots: set[SSAValue]) -> None:
    for op in function.walk():
        if op.name != "memref.get_global" or op.results[0] not in roots:
            continue
        owner = state.globals.get(name := cast(SymbolRefAttr, op.properties["name"]).root_reference.data)
        if owner is not None and "constant" in owner.properties:
            raise Diagnostic("a constant is written to", where(op), found=f"@{name} in @{_symbol(function)}")


def _used_globals(functions: list[Operation]) -> list[str]:
    """Return the names of the globals that functions use, in the order of use."""
    names = (
        cast(SymbolRefAttr, op.properties["name"]).root_reference.data
        for function in functions
        for op in function.walk()
        if op.name == "memref.get_global"
    )
    return list(dict.fromkeys(names))


def _name(state: _Module, functions: list[Operation], prefix: str) -> None:
    """Choose the C names of what is visible in the whole file."""
    names = Names()
    for function in functions:
        if _is_public(function):
            state.names[_symbol(function)] = names.add(f"{identifier(_symbol(function))}_run")
    for name in _used_globals(functions):
        constant = name in state.globals and "constant" in state.globals[name].properties
        state.names[name] = names.add(f"{prefix}_{name}" if constant else name)
    for function in functions:
        if not _is_public(function):
            state.names[_symbol(function)] = names.add(_symbol(function))


def _global(state: _Module, functions: list[Operation], name: str) -> Operation:
    if (op := state.globals.get(name)) is None:
        raise Diagnostic("a global is used that is not defined", found=f"@{name}")
    element = cast("MemRefType[Any]", op.properties["type"]).get_element_type()
    raw = str(element) == "i8" and "constant" not in op.properties and _only_viewed(functions, name)
    made = global_op(op, state.names[name], raw=raw)
    state.global_types[name] = cast(EmitC_ArrayType, made.type)
    return made


def _only_viewed(functions: list[Operation], name: str) -> bool:
    uses = [
        use.operation.name
        for function in functions
        for op in function.walk()
        if op.name == "memref.get_global" and cast(SymbolRefAttr, op.properties["name"]).root_reference.data == name
        for use in op.results[0].uses
    ]
    return all(use == "memref.view" for use in uses)


# Functions


def _function(state: _Module, function: Operation) -> Operation:
    converter = _Converter(state, function)
    source = function.regions[0].blocks[0]
    if len(function.regions[0].blocks) > 1:
        raise Diagnostic("a function has branches between blocks", where(function), "structured control flow (scf)")
    public = _is_public(function)
    given = cast("ArrayAttr[DictionaryAttr] | None", function.properties.get("arg_attrs"))
    attributes = [given.data[argument.index].data if given else {} for argument in source.args]
    constant = [_is_read_only(state, argument) for argument in source.args]
    types = [_argument_type(function, a, attributes[a.index], public=public) for a in source.args]
    block = Block(arg_types=types)
    names = Names()
    said: list[Attribute] = []
    for old, new in zip(source.args, block.args, strict=True):
        keep = {key: value for key, value in attributes[old.index].items() if key in _HINTED}
        name = cast(StringAttr, keep["onnx.name"]).data if "onnx.name" in keep else old.name_hint
        keep |= _argument_attributes(old, constant=constant[old.index])
        if public:
            keep["tilewright.name"] = StringAttr(names.add(name or f"arg{old.index}"))
        new.name_hint = identifier(name) if name else None
        said.append(DictionaryAttr(keep))
        converter.bind(old, new)
    converter.block(source)
    block.add_ops([*converter.b.constants.values(), *converter.b.ops])
    state.called |= converter.b.called
    outputs = cast(FunctionType, function.properties["function_type"]).outputs.data
    results = [scalar_type(type_, function) for type_ in outputs]
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(state.names[_symbol(function)]),
        "function_type": FunctionType.from_lists(types, results),
        "arg_attrs": ArrayAttr(said),
    }
    if not public:
        properties["specifiers"] = flags(["static"])
    made = emitc.FuncOp.create(properties=properties, regions=[Region(block)])
    made.location = function.location
    return made


def _is_read_only(state: _Module, argument: BlockArgument) -> bool:
    function = argument.block.parent_op()
    return (
        isinstance(argument.type, MemRefType)
        and function is not None
        and argument.index not in state.written_by[_symbol(function)]
    )


def _argument_type(function: Operation, argument: BlockArgument, attributes: Any, *, public: bool) -> Attribute:
    """Return the type in C of an argument: of the network, arrays of the types that its user knows."""
    if not isinstance(argument.type, MemRefType):
        return scalar_type(argument.type, function)
    element = scalar_type(cast("MemRefType[Any]", argument.type).get_element_type(), function)
    layout_of(argument, function)
    if not public:
        return pointer(element)
    shape = cast("MemRefType[Any]", argument.type).get_shape()
    given = cast("StringAttr | None", attributes.get("onnx.type"))
    if given is not None and given.data.startswith("ui"):
        element = UNSIGNED[element.compile_time_size * 8]
    count = 1
    for size in shape:
        count *= size
    return EmitC_ArrayType([max(count, 1)], element)


def _argument_attributes(argument: BlockArgument, *, constant: bool) -> dict[str, Attribute]:
    if not isinstance(argument.type, MemRefType):
        return {}
    shape = cast("MemRefType[Any]", argument.type).get_shape()
    return {"tilewright.shape": shape_attribute(shape)} | ({"tilewright.const": UnitAttr()} if constant else {})


@dataclass
class _Converter:
    """Converts the body of one function, op by op."""

    state: _Module
    function: Operation
    b: Builder = field(default_factory=Builder)
    carried: dict[Block, list[SSAValue]] = field(default_factory=dict[Block, list[SSAValue]])

    def bind(self, old: BlockArgument, new: BlockArgument) -> None:
        """Let a new argument stand for an old one."""
        if isinstance(old.type, MemRefType) and isinstance(new.type, EmitC_ArrayType) and old.uses:
            element = scalar_type(cast("MemRefType[Any]", old.type).get_element_type(), self.function)
            self.b.values[old] = self.b.cast(new, pointer(element))
            self.b.values[old].name_hint = new.name_hint
        else:
            self.b.values[old] = new

    def block(self, block: Block) -> None:
        """Convert the ops of a block; its arguments are bound already."""
        for op in block.ops:
            first = len(self.b.ops)
            self.op(op)
            for made in self.b.ops[first:]:
                made.location = op.location

    def op(self, op: Operation) -> None:
        """Convert one op. Raises Diagnostic where there is no rule for it."""
        if (special := _SPECIAL.get(op.name)) is not None:
            special(self, op)
        elif (rule := RULES.get(op.name)) is not None:
            self.b.values[op.results[0]] = value = rule(self.b, op)
            if value.name_hint is None:
                value.name_hint = op.results[0].name_hint
        elif op.name in VIEWS:
            view(self.b, op)
            _hint(self.b.values[op.results[0]], op)
        else:
            raise Diagnostic(
                f"'{op.name}' cannot be converted to C",
                where(op),
                expected="loops on memrefs: func, scf.for, scf.if, memref, arith, math",
                remedy="lower it by an earlier pass",
            )

    # Control flow

    def region(self, block: Block, arguments: list[Attribute], end: Callable[[], None]) -> Block:
        """Convert a block into a new one that ends in `emitc.yield`; `end` converts the values that it yields."""
        new = Block(arg_types=arguments)
        outer, self.b.ops = self.b.ops, []
        for old, argument in zip(block.args, new.args, strict=False):
            self.b.values[old] = argument
            argument.name_hint = old.name_hint
        for old, variable in zip(block.args[1:], self.carried.get(block, []), strict=False):
            self.b.values[old] = self.read(variable)
        self.block(block)
        end()
        new.add_ops([*self.b.ops, emitc.YieldOp.create()])
        self.b.ops = outer
        return new

    def read(self, variable: SSAValue) -> SSAValue:
        """Return the value that a variable has at this point."""
        return self.b.emit(emitc.LoadOp, [variable], cast(EmitC_LValueType, variable.type).value_type)

    def assign(self, variable: SSAValue, value: SSAValue) -> None:
        """Assign to a variable, except its own value."""
        if not (isinstance(value.owner, emitc.LoadOp) and value.owner.operand is variable):
            self.b.emit(emitc.AssignOp, [variable, value], None)

    def variable(self, op: Operation, index: int, initial: SSAValue | None) -> SSAValue:
        """
        Return a variable for a result of `scf.for` or `scf.if`, with an initial value.

        Where the result is only yielded by a loop around, it is that loop's variable.
        """
        result = op.results[index]
        if (shared := self.outer_variable(result)) is not None:
            if initial is not None:
                self.assign(shared, self.b.value(initial))
            return shared
        type_ = EmitC_LValueType(scalar_type(result.type, op))
        known = _literal(self.b, initial) if initial is not None else None
        first = EmitC_OpaqueAttr(StringAttr("")) if known is None else known
        variable = self.b.emit(emitc.VariableOp, [], type_, {"value": first})
        variable.name_hint = result.name_hint or _carried_hint(op, index)
        if initial is not None and known is None:
            value = self.b.value(initial)
            self.b.emit(emitc.AssignOp, [variable, value], None)
        return variable

    def outer_variable(self, result: SSAValue) -> SSAValue | None:
        """Return the variable of the loop or condition around to which a result is yielded, and nothing else."""
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
        limits = [self.b.value(value) for value in (lower, upper, step)]
        variables = [self.variable(op, index, value) for index, value in enumerate(initial)]
        self.carried[body] = variables
        type_ = scalar_type(body.args[0].type, op)
        new = self.region(body, [type_], lambda: self.yielded(body, variables))
        self.b.ops.append(emitc.ForOp.create(operands=limits, regions=[Region(new)]))
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
        self.b.ops.append(emitc.IfOp.create(operands=[test], regions=regions))
        self.results(op, variables)

    def yielded(self, block: Block, variables: list[SSAValue]) -> None:
        """Assign what a block yields to the variables that stand for it."""
        terminator = block.last_op
        assert terminator is not None
        for variable, source in zip(variables, terminator.operands, strict=True):
            if not self.is_shared(source, variable):
                self.assign(variable, self.b.value(source))

    def is_shared(self, source: SSAValue, variable: SSAValue) -> bool:
        """Whether a value is the result of a loop or condition that has written it to `variable` itself."""
        owner = source.owner
        structured = isinstance(owner, Operation) and owner.name in ("scf.for", "scf.if")
        return structured and self.outer_variable(source) is variable

    def results(self, op: Operation, variables: list[SSAValue]) -> None:
        """Let the variables' values stand for an op's results."""
        for result, variable in zip(op.results, variables, strict=True):
            if result.uses and not self.is_shared(result, variable):
                self.b.values[result] = self.read(variable)

    # Functions and globals

    def call(self, op: Operation) -> None:
        """Convert `func.call`."""
        operands = [self.b.value(operand) for operand in op.operands]
        types = [scalar_type(result.type, op) for result in op.results]
        if len(types) > 1:
            raise Diagnostic("a C function has at most one result", where(op))
        callee = SymbolRefAttr(self.state.names[_callee(op)])
        made = emitc.CallOp.create(operands=operands, result_types=types, properties={"callee": callee})
        self.b.ops.append(made)
        self.b.values |= dict(zip(op.results, made.results, strict=True))

    def end(self, op: Operation) -> None:
        """Convert `func.return`."""
        self.b.emit(emitc.ReturnOp, [self.b.value(operand) for operand in op.operands], None)

    def get_global(self, op: Operation) -> None:
        """Convert `memref.get_global`: the array decays to a pointer."""
        name = cast(SymbolRefAttr, op.properties["name"]).root_reference.data
        array = self.state.global_types[name]
        callee: dict[str, Attribute] = {"name": SymbolRefAttr(self.state.names[name])}
        value = self.b.emit(emitc.GetGlobalOp, [], array, callee)
        self.b.values[op.results[0]] = self.b.cast(value, pointer(array.get_element_type()))

    def several(self, op: Operation) -> None:
        """Convert the ops of two results."""
        values = sum_and_carry(self.b, op) if op.name == "arith.addui_extended" else products(self.b, op)
        self.b.values |= dict(zip(op.results, values, strict=True))

    def dim(self, op: Operation) -> None:
        """Convert `memref.dim` of a static shape."""
        axis = self.b.known(op.operands[1])
        shape = layout_of(op.operands[0], op).shape
        if axis is None or not 0 <= axis < len(shape):
            raise Diagnostic("memref.dim of an axis that is not constant", where(op))
        self.b.values[op.results[0]] = self.b.integer(shape[axis])


def _carried_hint(op: Operation, index: int) -> str | None:
    return op.regions[0].block.args[index + 1].name_hint if op.name == "scf.for" else None


def _hint(value: SSAValue, op: Operation) -> None:
    if value.name_hint is None and not isinstance(value, BlockArgument):
        value.name_hint = op.results[0].name_hint


def _literal(b: Builder, source: SSAValue) -> Attribute | None:
    """Return the C constant that a value of the source program is, if it is one."""
    owner = b.value(source).owner
    return owner.value if isinstance(owner, emitc.ConstantOp) else None


_SPECIAL: dict[str, Callable[[_Converter, Operation], None]] = {
    "arith.addui_extended": _Converter.several,
    "arith.constant": lambda converter, op: None,
    "arith.mulsi_extended": _Converter.several,
    "arith.mului_extended": _Converter.several,
    "func.call": _Converter.call,
    "func.return": _Converter.end,
    "memref.copy": lambda converter, op: copy(converter.b, op),
    "memref.dim": _Converter.dim,
    "memref.get_global": _Converter.get_global,
    "memref.load": lambda converter, op: load(converter.b, op),
    "memref.store": lambda converter, op: store(converter.b, op),
    "scf.for": _Converter.loop,
    "scf.if": _Converter.condition,
    "scf.yield": lambda converter, op: None,
}


@dataclass(frozen=True)
class ConvertToEmitcPass(Pass):
    """
    Convert loops on memrefs to C as IR.

    Takes func, scf.for, scf.if, memref, arith, math and nn.isqrt on static shapes; leaves emitc only.
    """

    name = "convert-to-emitc"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for name in ("emitc", "builtin"):
            ctx.get_optional_dialect(name)
        convert_to_emitc(op)
