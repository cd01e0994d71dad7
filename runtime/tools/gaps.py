"""Report of all unsupported nodes of a model: `tilewright import net.onnx --report`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...console import table_console
from ...dialects.onnx.registry import mentions
from ...dialects.onnx.schema import is_constant
from ...errors import Diagnostic
from ...files import path_of
from ...grammar import UsageError

if TYPE_CHECKING:
    from onnx import ModelProto
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Operation

    from ...compiler import Model

_ROUNDS = 100
"""Limit on compilations of a network for one target, each without the nodes that failed before."""


@dataclass(frozen=True)
class Gap:
    """Unsupported feature: the nodes or tensors, the problem, and the remedy."""

    places: tuple[str, ...]
    what: str
    remedy: str = ""


# At import


def import_gaps(model: Model) -> tuple[list[Gap], ModuleOp | None]:
    """
    Return the gaps that keep a model from being imported, and the module if there are none.

    Unknown operators, open dimensions and element types are all found; what else is wrong, where these are not. Raises
    Diagnostic where the file is no model.
    """
    from ...frontend.importer import model_proto

    if model.path.suffix == ".mlir":
        return [], model.load()
    proto = model_proto(model.path)
    gaps = [*_operators(proto), *_open_dimensions(proto, model), *_element_types(proto)]
    return (gaps, None) if gaps else _loaded(model)


def _loaded(model: Model) -> tuple[list[Gap], ModuleOp | None]:
    try:
        return [], model.load()
    except Diagnostic as error:
        return gaps_of(error), None


def gaps_of(error: Diagnostic) -> list[Gap]:
    """Return an error, and each of its notes, as gaps."""
    if not error.notes:
        return [Gap((error.where,), ": ".join(filter(None, (error.message, error.found))), error.remedy)]
    return [Gap((error.where,), error.message, error.remedy), *(Gap((), note) for note in error.notes)]


@mentions("Constant")
def _operators(proto: ModelProto) -> Iterator[Gap]:
    """Yield the operators that are unknown; with them, those that no rule lowers, by their name alone."""
    from ...dialects.onnx import op_class
    from ...frontend.onnx_graph import nodes_of
    from ...frontend.operator_names import unknown_operators
    from ...passes.lowering import load_rules
    from ...passes.lowering.lowerer import LOWERINGS

    own = {(function.domain, function.name) for function in proto.functions}
    nodes = [node for node in nodes_of(proto) if (node.domain, node.op_type) not in own]
    unknown = unknown_operators(nodes)
    for complaint, names in unknown.items():
        yield Gap(tuple(f'node "{name}"' for name in names), complaint.text, complaint.remedy)
    if not unknown:
        return
    load_rules()
    told = {name for names in unknown.values() for name in names}
    missing: dict[str, list[str]] = {}
    for node in nodes:
        cls = op_class(node.op_type, node.domain)
        schema: Any = cls and cls.SCHEMA
        if (
            node.name in told
            or cls is None
            or cls.name in LOWERINGS
            or schema.has_function
            or schema.has_context_dependent_function
        ):
            continue
        if not cls.get_irdl_definition().regions and node.op_type != "Constant":
            missing.setdefault(f"no lowering for {node.op_type}", []).append(f'node "{node.name}"')
    for what, places in missing.items():
        yield Gap(tuple(places), what)


def _open_dimensions(proto: ModelProto, model: Model) -> Iterator[Gap]:
    constants = {tensor.name for tensor in proto.graph.initializer} | model.input_values.keys()
    for value in proto.graph.input:
        dims = value.type.tensor_type.shape.dim
        input_shape = model.input_shapes.get(value.name)
        is_open = value.type.HasField("tensor_type") and any(not dim.HasField("dim_value") for dim in dims)
        if not is_open or input_shape is not None or value.name in constants:
            continue
        shape = ",".join(str(dim.dim_value) if dim.HasField("dim_value") else dim.dim_param or "?" for dim in dims)
        example = ",".join(str(dim.dim_value) if dim.HasField("dim_value") else "1" for dim in dims)
        yield Gap(
            (f'input "{value.name}"',),
            f"open dimensions: {shape}",
            f"give the shape: --input-shape {value.name}={example}",
        )


def _element_types(proto: ModelProto) -> Iterator[Gap]:
    from ...frontend.tensors import CARRIED, ELEMENTS, type_name

    graph = proto.graph
    typed = [
        (f'tensor "{value.name}"', value.type.tensor_type.elem_type) for value in (*graph.input, *graph.value_info)
    ]
    typed += [(f'tensor "{value.name}"', value.type.tensor_type.elem_type) for value in graph.output]
    typed += [(f'tensor "{tensor.name}"', tensor.data_type) for tensor in graph.initializer]
    places: dict[int, list[str]] = {}
    for place, kind in typed:
        if kind and kind not in (*ELEMENTS, *CARRIED):
            places.setdefault(kind, []).append(place)
    for kind, tensors in places.items():
        yield Gap(tuple(dict.fromkeys(tensors)), f"the element type {type_name(kind)} is not handled")


# On a target


def target_gaps(module: ModuleOp, machine_name: str) -> list[Gap]:
    """
    Return the gaps that keep an imported network from being compiled for a machine.

    The network is compiled again without the nodes that failed, and those like them, until nothing fails: their
    results become inputs.
    """
    gaps: list[Gap] = []
    work = module.clone()
    for _ in range(_ROUNDS):
        error = _failure(work, machine_name)
        if error is None:
            return gaps
        blamed = _blamed(work, error)
        gaps += _described(error, blamed)
        if not blamed or not _without(work, blamed):
            return gaps
    return gaps


def _failure(module: ModuleOp, machine_name: str) -> Diagnostic | None:
    from ...compiler import machine_named, pipeline_of
    from ...dialects.core.syntax.text import new_context
    from ...passes.core.manager import PassManager

    try:
        PassManager(verify_each=False).run(module.clone(), pipeline_of(machine_named(machine_name)), new_context())
    except Diagnostic as error:
        return error
    return None


def _blamed(module: ModuleOp, error: Diagnostic) -> dict[str, list[Operation]]:
    """Return the nodes that an error names, and structurally equal ones, by message."""
    from ...ir import where

    nodes = [op for op in module.walk() if op.name.startswith("onnx.") and not is_constant(op)]
    said = {note.split(": ", 1)[0]: note.split(": ", 1)[1] for note in error.notes if ": " in note}
    said = {place: text for place, text in said.items() if place.startswith("node ")} or {error.where: error.message}
    blamed: dict[str, list[Operation]] = {}
    taken: set[Operation] = set()
    for place, text in said.items():
        named = [op for op in nodes if where(op) == place]
        kinds = {_kind(op) for op in named}
        equal = [op for op in nodes if op not in taken and (op in named or _kind(op) in kinds)]
        taken.update(equal)
        if equal:
            blamed.setdefault(text, []).extend(equal)
    return blamed


def _kind(op: Operation) -> Any:
    types = [value.type for value in (*op.operands, *op.results)]
    return op.name, tuple(map(str, types)), tuple(sorted((k, str(v)) for k, v in op.properties.items()))


def _described(error: Diagnostic, blamed: dict[str, list[Operation]]) -> list[Gap]:
    from ...ir import where

    if not blamed:
        return gaps_of(error)
    return [Gap(tuple(map(where, ops)), text, error.remedy) for text, ops in blamed.items()]


def _without(module: ModuleOp, blamed: dict[str, list[Operation]]) -> bool:
    """Make the results of nodes inputs, and drop the nodes; return whether anything is left to be computed."""
    from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, StringAttr
    from xdsl.ir import Block

    from ...ir import functions

    function = functions(module)[0]
    block = function.body.block
    named = [*(function.arg_attrs or ArrayAttr([]))]
    for op in (op for ops in blamed.values() for op in ops):
        for result in op.results:
            if not result.uses:
                continue
            argument = block.insert_arg(result.type, len(block.args))
            named.append(DictionaryAttr({"onnx.name": StringAttr(f"cut{len(block.args)}")}))
            result.replace_all_uses_with(argument)
        op.detach()
        op.erase()
    ending = block.last_op
    assert ending is not None
    kept = [index for index, value in enumerate(ending.operands) if not isinstance(value.owner, Block)]
    ports = [*(function.res_attrs or ArrayAttr([]))]
    ending.operands = [ending.operands[index] for index in kept]
    function.properties["arg_attrs"] = ArrayAttr(named)
    function.properties["res_attrs"] = ArrayAttr([ports[index] for index in kept])
    function.properties["function_type"] = FunctionType.from_lists(block.arg_types, ending.operand_types)
    return bool(kept) and _computes(function)


def _computes(function: FuncOp) -> bool:
    return any(op.name.startswith("onnx.") and not is_constant(op) for op in function.body.block.ops)


# The command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `tilewright import`, but those of open models."""
    parser.add_argument("model", type=path_of, metavar="MODEL", help="a .onnx file")
    parser.add_argument("-o", "--output", type=path_of, metavar="FILE", help="where the IR goes (standard output)")
    parser.add_argument("--report", action="store_true", help="list what is not handled instead, for each target")
    what = "a machine of the report; repeatable (all that have a pipeline)"
    parser.add_argument("--target", action="append", default=[], metavar="TARGET", help=what)


def run(options: argparse.Namespace, model: Model) -> int:
    """Run `tilewright import`; returns 1 where a report has gaps."""
    if options.report and options.output is not None:
        raise UsageError("-o is for IR, and --report prints a table", found=f"-o {options.output}")
    if options.target and not options.report:
        raise UsageError("--target is for --report", found=f"--target {options.target[0]}")
    if options.report:
        return _report(model, options.target)
    from ...dialects.core.syntax.text import Locations, print_ir
    from ...files import check_places, write_text

    check_places({"--output": options.output}, [options.model])
    text = print_ir(model.load(), locations=Locations.GIVEN) + "\n"
    if options.output is None:
        sys.stdout.write(text)
        return 0
    write_text(options.output, text)
    return 0


def _report(model: Model, names: Sequence[str]) -> int:
    from ...compiler import machine_named
    from ...dialects.core.machine import targets

    for name in names:
        machine_named(name)
    missing, module = import_gaps(model)
    if module is None:
        _print({gap: ["all"] for gap in missing})
        return 1
    chosen = names or [machine.name for machine in targets.machines().values() if machine.phases]
    count = len([op for op in module.walk() if op.name.startswith("onnx.") and not is_constant(op)])
    refused: dict[Gap, list[str]] = {}
    for name in chosen:
        gaps = target_gaps(module, name)
        for gap in gaps:
            refused.setdefault(gap, []).append(name)
        if not gaps:
            print(f"{name}: all {count} nodes can be compiled")
    _print(refused)
    return 1 if refused else 0


def _print(gaps: Mapping[Gap, Sequence[str]]) -> None:
    from rich.table import Table

    if not gaps:
        return
    table = Table("targets", "nodes", "where", "what is not handled", "what helps")
    for gap, names in gaps.items():
        shown = ", ".join(gap.places[:3]) + (", ..." if len(gap.places) > 3 else "")
        texts = (text.replace("[", r"\[") for text in (shown, gap.what, gap.remedy))
        table.add_row(", ".join(names), str(len(gap.places) or ""), *texts)
    table_console().print(table)
