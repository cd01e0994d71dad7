"""
The pass `convert-to-emitc`: lower loops on memrefs to C as IR, one C function per function.

A memref becomes a pointer to its elements, with flattened static indices. An `index` in memory, or one that a function
takes or returns, has 32 bits in C: one that cannot fit is refused, any other is taken to fit. Index arithmetic has 64
bits where interval analysis does not show that 32 suffice. A number of any size is an i64. The public function is
`<name>_run`, with arrays of the network's own types as arguments; private functions are static. Unreachable functions
and globals are dropped, because C compilers warn of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StringAttr,
    UnitAttr,
    VectorType,
)
from xdsl.dialects.emitc import EmitC_ArrayType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from ..dialects import emitc
from ..dialects.core.effects import callee_of, root_of
from ..dialects.core.machine.attribute import ATTRIBUTE, machine_of
from ..dialects.core.nesting import nested_ops
from ..dialects.core.ports import SHAPE_OF
from ..dialects.paged.ops import PagedPoolOp
from ..errors import Diagnostic
from ..ir import where
from .core.base import Pass
from .emitc.arith import is_half_function, is_libm
from .emitc.blocks import convert_region, erase_unreachable_blocks
from .emitc.buffers import ENTRY, flags, global_op, shape_attribute
from .emitc.builder import UNSIGNED, EmitcBuilder, layout_of, pointer, scalar_type
from .emitc.conversions import CONVERSIONS
from .emitc.converter import FunctionConverter, ModuleState, global_name, memref_type
from .emitc.guard import RANGE, RESET, STATE, STATUS, guard_inputs
from .emitc.half import widen_halves
from .emitc.indices import index_arguments
from .emitc.names import Names, identifier
from .emitc.paged import PAGED, binding
from .emitc.programs import HEADER, THREADS
from .emitc.sharing import share_memories
from .emitc.text.functions import SPECIFIER
from .memory.views import row_major

_HINTED = ("onnx.name", "onnx.type", "tilewright.output", RANGE, SHAPE_OF, STATE)


def _symbol(op: Operation) -> str:
    return cast(StringAttr, op.properties["sym_name"]).data


def _is_public(function: Operation) -> bool:
    visibility = function.properties.get("sym_visibility")
    return visibility is None or cast(StringAttr, visibility).data == "public"


def convert_to_emitc(module: ModuleOp, runtime: str = "", external: str = "") -> None:
    """
    Convert a module of `func`, `scf`, `cf`, `affine`, `memref`, `index`, `arith`, `math` and `nn` scalars to `emitc`.

    Ops of `cluster` and a target's runtime calls need the header `runtime`; transfers of an external level need the
    header `external`. Raises Diagnostic for any other op, and for a type without a C11 counterpart.
    """
    erase_unreachable_blocks(module)
    _lower_loops(module)
    share_memories(module)
    widen_halves(module)
    guard_inputs(module)
    state = ModuleState({}, {}, {}, CONVERSIONS, runtime, external, _threads(module), _alignments(module))
    pool: PagedPoolOp | None = None
    for op in module.body.block.ops:
        if op.name == "func.func":
            state.functions[_symbol(op)] = op
            state.ops[_symbol(op)] = nested_ops(op)
        elif op.name == "memref.global":
            state.globals[_symbol(op)] = op
        elif isinstance(op, PagedPoolOp) and pool is None:
            pool = op
        else:
            raise Diagnostic(
                f"'{op.name}' cannot be converted to C", where(op), "functions, memref.global and one pool"
            )
    public = [function for function in state.functions.values() if _is_public(function)]
    if not public:
        raise Diagnostic("no function is public", expected="a func.func that is not private")
    ordered = _callees_first(state, public)
    used = _used_globals(state, ordered)
    _name(state, ordered, used, identifier(_symbol(public[0])))
    converted = [_global(state, name, gets) for name, gets in used.items()]
    converted += binding(state, pool) if pool is not None else []
    constants = _always_constants(state)
    private = {name: function for name, function in state.functions.items() if not _is_public(function)}
    state.arguments = index_arguments(ordered, private)
    for function in ordered:
        c_function = _function(state, function, constants.get(_symbol(function), set()))
        converted += [*state.definitions, c_function]
        state.definitions.clear()
        if pool is not None and _is_public(function):
            sizes = {name: pool.properties[name] for name in (*PagedPoolOp.SIZES, "scale")}
            c_function.attributes[PAGED] = DictionaryAttr(sizes)
    for op in list(module.body.block.ops):
        op.detach()
    module.body.block.add_ops([*_includes(state), *converted])


def _lower_loops(module: ModuleOp) -> None:
    """
    Lower what is no loop of C: ops of `affine` and `index`, loops of independent iterations, and vectors.

    Modules of passes that a program does not need are not loaded.
    """
    names = {op.name for op in nested_ops(module)}
    if "scf.forall" in names:
        from .scf_forall_to_for import scf_forall_to_for

        scf_forall_to_for(module)
    if any(name.startswith("affine.") for name in names):
        from .lower_affine import lower_affine

        lower_affine(module)
        names |= {op.name for op in nested_ops(module)}
    if any(isinstance(value.type, VectorType) for op in nested_ops(module) for value in (*op.operands, *op.results)):
        from .scalarize_vectors import scalarize_vectors

        scalarize_vectors(module)
    if "scf.parallel" in names:
        from .scf_parallel_for_to_nested_fors import scf_parallel_for_to_nested_fors

        scf_parallel_for_to_nested_fors(module)
    if any(name.startswith("index.") for name in names):
        from .convert_index_to_arith import convert_index_to_arith

        convert_index_to_arith(module)


def _includes(state: ModuleState) -> list[Operation]:
    """Return the headers of the functions that the C calls, those of the machine last."""
    headers = ["tilewright.h", *(["tilewright_math.h"] if any(is_libm(name) for name in state.called) else [])]
    headers += ["tilewright_tables.h"] if ENTRY in state.called else []
    headers += ["tilewright_half.h"] if any(is_half_function(name) for name in state.called) else []
    headers += sorted(state.headers, key=lambda name: (state.headers[name], name))
    return [emitc.IncludeOp.create(properties={"include": StringAttr(header)}) for header in headers]


def _threads(module: ModuleOp) -> str:
    """Return the header with the functions of programs and streams."""
    name = module.attributes.get(THREADS)
    return name.data if isinstance(name, StringAttr) else HEADER


def _alignments(module: ModuleOp) -> dict[Attribute, int]:
    """Return the alignment in bytes of each memory space; a buffer without one is in the farthest level."""
    if ATTRIBUTE not in module.attributes:
        return {}
    machine = machine_of(module)
    named: dict[Attribute, int] = {StringAttr(level.name): level.alignment for level in machine.levels}
    return named | {NoneAttr(): machine.far.alignment}


def _callees_first(state: ModuleState, public: list[Operation]) -> list[Operation]:
    """Return the reachable functions in topological order, callees first."""
    done: dict[str, Operation] = {}
    # Functions on the call path, outermost first, each with its remaining ops.
    active: dict[str, Iterator[Operation]] = {}

    def enter(name: str, caller: Operation) -> None:
        if name in active:
            raise Diagnostic("a function calls itself", where(caller), found=f"@{name}")
        if (function := state.functions.get(name)) is None or not function.regions[0].blocks:
            raise Diagnostic("a function that is called has no body", where(caller), found=f"@{name}")
        active[name] = iter(state.ops[name])

    for function in public:
        if _symbol(function) not in done:
            enter(_symbol(function), function)
        while active:
            name, ops = next(reversed(active.items()))
            call = next((op for op in ops if (called := callee_of(op)) is not None and called not in done), None)
            if call is not None:
                enter(cast(str, callee_of(call)), call)
                continue
            del active[name]
            _refuse_writes_to_constants(state, state.functions[name])
            _refuse_public_callees(state, name)
            done[name] = state.functions[name]
    return list(done.values())


def _refuse_writes_to_constants(state: ModuleState, function: Operation) -> None:
    written = state.effects.of_function(function).symbols_written
    for op in state.ops[_symbol(function)]:
        if op.name != "memref.get_global" or global_name(op) not in written:
            continue
        owner = state.globals.get(name := global_name(op))
        if owner is not None and "constant" in owner.properties:
            raise Diagnostic("a constant is written to", where(op), found=f"@{name} in @{_symbol(function)}")


def _refuse_public_callees(state: ModuleState, name: str) -> None:
    """Raise Diagnostic where a function passes buffers to a public one, whose arguments are arrays of the user's."""
    for op in state.ops[name]:
        called = state.functions.get(callee_of(op) or "")
        if (
            called is not None
            and _is_public(called)
            and any(isinstance(value.type, MemRefType) for value in op.operands)
        ):
            raise Diagnostic(
                "a public function is called with buffers",
                where(op),
                expected="a private function",
                found=f"@{_symbol(called)}",
                remedy=f"write 'func.func private @{_symbol(called)}', or inline the call",
            )


def _used_globals(state: ModuleState, functions: list[Operation]) -> dict[str, list[Operation]]:
    """Return the globals that functions use, in module order, each with its `memref.get_global` ops."""
    used: dict[str, list[Operation]] = {}
    for op in (op for function in functions for op in state.ops[_symbol(function)]):
        if op.name != "memref.get_global":
            continue
        if (name := global_name(op)) not in state.globals:
            raise Diagnostic("a global is undefined", where(op), found=f"@{name}")
        used.setdefault(name, []).append(op)
    return {name: used[name] for name in state.globals if name in used}


def _name(state: ModuleState, functions: list[Operation], used: Iterable[str], prefix: str) -> None:
    """Assign the C names of file scope."""
    names, state.prefix = state.scope, prefix
    for function in functions:
        if _is_public(function):
            end = "" if RESET in function.attributes else "_run"
            state.names[_symbol(function)] = names.add(f"{identifier(_symbol(function))}{end}")
    for name in used:
        definition = state.globals[name]
        lasting = "constant" in definition.properties or STATE in definition.attributes
        state.names[name] = names.add(f"{prefix}_{name}" if lasting else name)
    for function in functions:
        if not _is_public(function):
            state.names[_symbol(function)] = names.add(_symbol(function))


def _global(state: ModuleState, name: str, gets: list[Operation]) -> Operation:
    op = state.globals[name]
    element = cast("MemRefType[Any]", op.properties["type"]).get_element_type()
    raw = str(element) == "i8" and "constant" not in op.properties and _only_viewed(gets)
    space = cast("MemRefType[Any]", op.properties["type"]).memory_space
    declaration = global_op(op, state.names[name], state.alignments.get(space, 1), raw=raw)
    state.global_types[name] = cast(EmitC_ArrayType, declaration.type)
    return declaration


def _only_viewed(gets: list[Operation]) -> bool:
    return all(use.operation.name == "memref.view" for op in gets for use in op.results[0].uses)


# Functions


def _function(state: ModuleState, function: Operation, constants: set[int]) -> Operation:
    """Convert a function; arguments at the positions `constants` are module constants at every call."""
    converter = FunctionConverter(state, function, EmitcBuilder(runtime=state.runtime, external=state.external))
    source = function.regions[0].blocks[0]
    converter.b.assume({argument: state.arguments[argument] for argument in source.args if argument in state.arguments})
    public = _is_public(function)
    arg_attrs = cast("ArrayAttr[DictionaryAttr] | None", function.properties.get("arg_attrs"))
    attributes: list[dict[str, Attribute]] = [
        dict(arg_attrs.data[argument.index].data) if arg_attrs is not None else {} for argument in source.args
    ]
    effects = state.effects.of_function(function)
    written = set(effects.writes)
    constant = [
        memref_type(argument) is not None and not effects.writes_any and argument not in written
        for argument in source.args
    ]
    types = [_argument_type(function, a, attributes[a.index], public=public) for a in source.args]
    block = Block(arg_types=types)
    names = Names()
    said: list[Attribute] = []
    for old, new in zip(source.args, block.args, strict=True):
        keep = {key: value for key, value in attributes[old.index].items() if key in _HINTED}
        name = cast(StringAttr, keep["onnx.name"]).data if "onnx.name" in keep else old.name_hint
        keep |= _argument_attributes(old, constant=constant[old.index])
        if old.index in constants:
            keep["tilewright.restrict"] = UnitAttr()
        if public:
            keep["tilewright.name"] = StringAttr(names.add(name or f"arg{old.index}"))
        new.name_hint = identifier(name) if name else None
        said.append(DictionaryAttr(keep))
        converter.bind(old, new)
    arguments, converter.b.ops = converter.b.ops, []
    blocks = convert_region(converter, function.regions[0], block)
    first, declared = block.first_op, [*converter.b.constants.values(), *arguments]
    if first is None:
        block.add_ops(declared)
    else:
        block.insert_ops_before(declared, first)
    state.called |= converter.b.called
    for header, rank in converter.b.headers.items():
        state.headers[header] = max(state.headers.get(header, 0), rank)
    outputs = cast(FunctionType, function.properties["function_type"]).outputs.data
    if len(outputs) > 1:
        raise Diagnostic(
            "a C function has one result",
            where(function),
            expected="at most one result",
            found=f"{len(outputs)} results",
            remedy="return values in buffers",
        )
    results = [scalar_type(type_, function) for type_ in outputs]
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(state.names[_symbol(function)]),
        "function_type": FunctionType.from_lists(types, results),
        "arg_attrs": ArrayAttr(said),
    }
    if not public:
        properties["specifiers"] = flags(["static", "TW_KERNEL"])
    c_function = emitc.FuncOp.create(properties=properties, regions=[Region(blocks)])
    c_function.attributes |= converter.attributes
    kept = (STATUS, RESET, SPECIFIER)
    c_function.attributes |= {key: value for key, value in function.attributes.items() if key in kept}
    c_function.location = function.location
    return c_function


def _always_constants(state: ModuleState) -> dict[str, set[int]]:
    """Return, by function, the arguments that are module constants at every call."""
    positions: dict[str, set[int]] = {}
    for op in (op for ops in state.ops.values() for op in ops):
        if (called := callee_of(op)) is not None:
            handed = {index for index, value in enumerate(op.operands) if _is_constant(state, value)}
            positions[called] = positions.get(called, handed) & handed
    return positions


def _is_constant(state: ModuleState, value: SSAValue) -> bool:
    owner = root_of(value).owner if memref_type(value) is not None else None
    if not isinstance(owner, Operation) or owner.name != "memref.get_global":
        return False
    definition = state.globals.get(global_name(owner))
    return definition is not None and "constant" in definition.properties


def _argument_type(
    function: Operation, argument: BlockArgument, attributes: dict[str, Attribute], *, public: bool
) -> Attribute:
    """Return the C type of an argument; of the public function, arrays of the network's own types."""
    if (type_ := memref_type(argument)) is None:
        return scalar_type(argument.type, function)
    element = scalar_type(type_.get_element_type(), function)
    layout = layout_of(argument, function)
    if not public:
        return pointer(element)
    if layout.offset or list(layout.strides) != row_major(layout.shape):
        raise Diagnostic(
            "an argument of a public function is an array in C, whose elements are dense and row-major",
            where(function),
            expected=f"the strides {row_major(layout.shape)} and the offset 0",
            found=str(type_),
            remedy="give the function a dense buffer and take a memref.subview of it there",
        )
    onnx_type = cast("StringAttr | None", attributes.get("onnx.type"))
    if onnx_type is not None and onnx_type.data.startswith("ui"):
        element = UNSIGNED[element.compile_time_size * 8]
    return EmitC_ArrayType([max(prod(type_.get_shape()), 1)], cast(Any, element))


def _argument_attributes(argument: BlockArgument, *, constant: bool) -> dict[str, Attribute]:
    if (type_ := memref_type(argument)) is None:
        return {}
    shape: dict[str, Attribute] = {"tilewright.shape": shape_attribute(type_.get_shape())}
    return shape | ({"tilewright.const": UnitAttr()} if constant else {})


@dataclass(frozen=True)
class ConvertToEmitcPass(Pass):
    """
    Lower loops on memrefs to C as IR.

    Accepts func, scf, cf, affine, index, memref, arith, math and nn.isqrt on static shapes; the result is emitc, and cf
    for branches.
    `runtime` names the header of a target's C runtime, `external` the header of its calls for external memory.
    """

    name = "convert-to-emitc"

    runtime: str = ""
    external: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for name in ("emitc", "builtin"):
            ctx.get_optional_dialect(name)
        convert_to_emitc(op, self.runtime, self.external)
