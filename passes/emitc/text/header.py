"""C header of a network, `network.h`: ports, sizes and functions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, cast

from xdsl.dialects.builtin import DenseArrayBase, DictionaryAttr, FloatAttr, IntegerAttr, StringAttr
from xdsl.dialects.emitc import EmitC_ArrayType
from xdsl.ir import Attribute

from ....dialects import emitc
from ....dialects.core.ports import SHAPE_OF
from ....dialects.paged.ops import PagedPoolOp
from ....ir import numbers_of, numpy_type
from ..names import Names
from .expressions import c_type
from .external import ExternalArrays
from .functions import argument_attributes, argument_names, c_string, comment, prototype

NOTE = "/* Made by Tilewright; do not edit. */\n"


@dataclass(frozen=True)
class Port:
    """Input or output of a network: ONNX name, C type, shape and C identifier."""

    name: str
    identifier: str
    c_type: str
    bytes_each: int
    shape: tuple[int, ...]
    range: tuple[int, ...] = ()
    """Least and greatest value, if narrower than the C type or checked."""
    shape_of: str = ""
    """ONNX name of the output whose dynamic extents this output has."""

    @property
    def limits(self) -> str:
        """Description of the range, or of the extents of another output; empty without either."""
        if self.shape_of:
            return f", what is there of {comment(self.shape_of)}: the first of so many along each axis"
        return f", {self.range[0]} to {self.range[1]}" if self.range else ""

    @property
    def count(self) -> int:
        """Number of elements."""
        result = 1
        for size in self.shape:
            result *= size
        return result


def _ports(function: emitc.FuncOp) -> tuple[list[Port], list[Port]]:
    """Return the inputs and the outputs of a network."""
    inputs: list[Port] = []
    outputs: list[Port] = []
    names = argument_names(function, Names())
    types = function.function_type.inputs.data
    attributes = argument_attributes(function)
    kinds = ["result" if "tilewright.output" in said else "arg" for said in attributes]
    numbers = {"result": count(), "arg": count()}
    for kind, type_, identifier, said in zip(kinds, types, names, attributes, strict=True):
        default = f"{kind}{next(numbers[kind])}"
        if not isinstance(type_, EmitC_ArrayType):
            continue
        element = cast("EmitC_ArrayType[Any]", type_).get_element_type()
        name = cast("StringAttr | None", said.get("onnx.name"))
        shape = said["tilewright.shape"].get_values() if "tilewright.shape" in said else type_.get_shape()
        port = Port(
            default if name is None else name.data,
            identifier,
            c_type(element),
            numpy_type(element).itemsize,
            tuple(int(size) for size in shape),
            _range(said),
            cast(StringAttr, said[SHAPE_OF]).data if SHAPE_OF in said else "",
        )
        (outputs if "tilewright.output" in said else inputs).append(port)
    return inputs, outputs


def _range(said: Mapping[str, Attribute]) -> tuple[int, ...]:
    """Return the least and the greatest value of an argument, empty if that is the range of its C type or unknown."""
    if "tilewright.range" in said:
        return numbers_of(cast("DenseArrayBase[Any]", said["tilewright.range"]))
    declared = said.get("onnx.type")
    match = re.fullmatch(r"(u?)i([2-7])", declared.data) if isinstance(declared, StringAttr) else None
    if match is None or "tilewright.output" in said:
        return ()
    width = int(match[2])
    return (0, 2**width - 1) if match[1] else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)


HALVES = ("tw_bf16", "tw_f16")


def header_text(
    prefix: str,
    public: list[emitc.FuncOp],
    arena: int,
    state: int,
    weights: int,
    external: ExternalArrays | None,
    *,
    has_threads: bool = False,
) -> str:
    """Return the text of network.h: ports and functions, with those of its threads if it has any."""
    upper = prefix.upper()
    lines = [f"{NOTE}#ifndef {upper}_H", f"#define {upper}_H", "", "#include <stdbool.h>", "#include <stdint.h>", ""]
    types = {port.c_type for function in public for ports in _ports(function) for port in ports}
    lines += [f"typedef uint16_t {name}; /* the bits of a float */" for name in sorted(types) if name in HALVES]
    if public:
        inputs, outputs = _ports(public[0])
        lines += _macros(f"{upper}_INPUT", inputs)
        lines += _macros(f"{upper}_OUTPUT", outputs)
        lines += [
            f"#define {upper}_ARENA_BYTES {arena} /* static memory that changes */",
            f"#define {upper}_WEIGHTS_BYTES {weights}",
            *([f"#define {upper}_STATE_BYTES {state} /* static memory that outlives a call */"] if state else []),
            "",
        ]
        lines += external.macros if external is not None else []
        lines += _state_macros(upper, public[0])
        for function in public[1:]:
            lines += _entry_macros(function)
    paged = public[0].attributes.get("tilewright.paged") if public else None
    lines += _pool_macros(upper, cast(DictionaryAttr, paged)) if paged is not None else []
    if any("tilewright.status" in function.attributes for function in public):
        lines += [*_STATUS_MACROS.format(upper=upper).splitlines(), ""]
    lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    lines += [*external.prototypes, ""] if external is not None else []
    lines += [*_BINDING.format(prefix=prefix).splitlines(), ""] if paged is not None else []
    lines += [*_THREADS.format(prefix=prefix).splitlines(), ""] if has_threads else []
    for function in public:
        lines += [*_documentation(function), f"{prototype(function, argument_names(function, Names()))};", ""]
    return "\n".join([*lines, "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])


def _macros(prefix: str, ports: list[Port]) -> Iterator[str]:
    places = {port.name: place for place, port in reversed(list(enumerate(ports)))}
    yield f"#define {prefix}_COUNT {len(ports)}"
    for index, port in enumerate(ports):
        shape = ", ".join(str(size) for size in port.shape or (1,))
        yield f"#define {prefix}_{index}_NAME {c_string(port.name)}"
        yield f"#define {prefix}_{index}_TYPE {port.c_type}"
        yield f"#define {prefix}_{index}_RANK {len(port.shape)}"
        yield f"#define {prefix}_{index}_SHAPE {{{shape}}}"
        yield f"#define {prefix}_{index}_SIZE {port.count} /* elements */"
        yield f"#define {prefix}_{index}_BYTES {port.count * port.bytes_each}"
        if port.range:
            yield f"#define {prefix}_{index}_RANGE {{{port.range[0]}, {port.range[1]}}}"
        if port.shape_of:
            target = places[port.shape_of]
            yield f"#define {prefix}_{index}_SHAPE_OF {target} /* the output of which this says how much is there */"
    yield ""


def _entry_macros(function: emitc.FuncOp) -> list[str]:
    """Return the macros of an additional entry point."""
    inputs, outputs = _ports(function)
    upper = function.sym_name.data.removesuffix("_run").upper()
    if not inputs and not outputs:
        return []
    return [*_macros(f"{upper}_INPUT", inputs), *_macros(f"{upper}_OUTPUT", outputs), *_state_macros(upper, function)]


def _state_macros(upper: str, function: emitc.FuncOp) -> list[str]:
    """Return the macros of the position input: its index and the rows per call."""
    said = [row for row in argument_attributes(function) if "tilewright.output" not in row]
    for index, row in enumerate(said):
        if "tilewright.state" in row:
            added, rows = numbers_of(row["tilewright.state"])
            return [
                f"#define {upper}_POSITION_INPUT {index} /* the input that counts the rows of the state */",
                f"#define {upper}_NEW_ROWS {added} /* that each call adds */",
                f"#define {upper}_CONTEXT {rows} /* rows of the state */",
                "",
            ]
    return []


def _pool_macros(upper: str, pool: DictionaryAttr) -> list[str]:
    """Return the macros of the paged store that a network needs."""
    scale = cast("FloatAttr[Any]", pool.data["scale"]).value.data
    sizes = [(name, cast("IntegerAttr[Any]", pool.data[name]).value.data) for name in PagedPoolOp.SIZES]
    lines = [f"#define {upper}_KV_{name.upper()} {size}" for name, size in sizes]
    return [*lines, f"#define {upper}_KV_SCALE {float(scale).hex()}f", ""]


_BINDING = """\
/*
 * Gives the network the paged store of its keys and values, before the first run: tilewright_paged_steps.h. Without
 * one, attention is 0. A failure of the store is in steps->status after a run.
 */
struct tw_paged_steps;
void {prefix}_bind(struct tw_paged_steps *steps);"""

_THREADS = """\
/*
 * Limits the threads that the next runs use, the caller's among them; 1 for the caller's alone. Outputs do not depend
 * on it. The environment variable TILEWRIGHT_THREADS is the limit before the first call.
 */
void {prefix}_threads(int32_t count);
/* Joins the threads, which the next run starts again. Not during a run. */
void {prefix}_stop(void);"""

_STATUS_MACROS = """\
#define {upper}_OK 0
#define {upper}_OUT_OF_RANGE 1 /* an input holds a number out of its range; nothing was done */
#define {upper}_OUT_OF_ORDER 2 /* the position leaves out rows of the state; nothing was done */"""


def _documentation(function: emitc.FuncOp) -> list[str]:
    inputs, outputs = _ports(function)
    if "tilewright.reset" in function.attributes:
        return ["/* Lets the state be as before the first call. */"]
    if not inputs and not outputs:
        return []
    status = " * Returns 0, or what was wrong with the inputs." if "tilewright.status" in function.attributes else ""
    rows: list[str] = []
    for direction, ports in (("in ", inputs), ("out", outputs)):
        for port in ports:
            shape = "x".join(map(str, port.shape)) or "scalar"
            name = f"{comment(port.name)}{port.limits}"
            rows.append(f" *   {direction} {port.identifier}: {port.c_type} {shape} ({name})")
    return [
        "/*",
        " * Runs the network once. Arrays are row-major and must not overlap. Buffers are static: one call at a time.",
        *([status] if status else []),
        *rows,
        " */",
    ]
