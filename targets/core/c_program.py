"""
A network as C: `network.h`, `network.c` and its weights, from a module of `emitc`.

The module says all that the C shows; here it is only put into files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.emitc import EmitC_ArrayType

from ...dialects import emitc
from ...dialects.core.ports import SHAPE_OF
from ...errors import Diagnostic
from ...ir import numbers_of, numpy_type, where
from ...passes.emitc.names import Names
from .c_closures import FORK, closure_text
from .c_expressions import c_type, declaration, literal
from .c_functions import argument_attributes, argument_names, c_string, comment, prototype, verbatim_text
from .c_text import function_text
from .c_weights import Weight, assembly, binary_image, definition, write_files

WeightsMode = Literal["inline", "extern"]

_LARGEST_ARRAYS = 256 * 1024
_NOTE = "/* Made by Tilewright; do not edit. */\n"


@dataclass(frozen=True)
class Port:
    """An input or output of a network: its ONNX name, its type in C, its shape, and its C identifier."""

    name: str
    identifier: str
    c_type: str
    bytes_each: int
    shape: tuple[int, ...]
    range: tuple[int, ...] = ()
    """The least and the greatest number that it may hold, where that is checked."""
    shape_of: str = ""
    """The ONNX name of the output of which this one says how much is there."""

    @property
    def limits(self) -> str:
        """The range, or what it says of another output, in words; empty where there is neither."""
        if self.shape_of:
            return f", what is there of {comment(self.shape_of)}: the first of so many along each axis"
        return f", {self.range[0]} to {self.range[1]}" if self.range else ""

    @property
    def count(self) -> int:
        """The number of elements."""
        result = 1
        for size in self.shape:
            result *= size
        return result


@dataclass(frozen=True)
class CProgram:
    """
    A network as C.

    `header` is network.h. `body` is the code after the includes: globals that change, kernels, the run function.
    `runtime` are the headers of Tilewright with their texts, in order; `includes` are others, as a machine has, which
    come after the first of them. `prefix` is what public names begin with.
    """

    prefix: str
    header: str
    body: str
    includes: tuple[str, ...]
    runtime: tuple[tuple[str, str], ...]
    weights: tuple[Weight, ...]
    arena_bytes: int
    state_bytes: int = 0

    @property
    def source(self) -> str:
        """The text of network.c."""
        first, *others = [f'#include "{name}"' for name, _ in self.runtime]
        weights = ['#include "weights.h"'] if self.weights else []
        lines = ['#include "network.h"', first, *self.includes, *others, *weights]
        return _NOTE + "\n".join(lines) + "\n\n" + self.body

    @property
    def weights_bytes(self) -> int:
        """The size of all weights, without padding."""
        return sum(len(weight.data) for weight in self.weights)

    @property
    def weights_header(self) -> str:
        """The text of weights.h."""
        guard = f"{self.prefix.upper()}_WEIGHTS_H"
        declarations = "".join(f"extern {weight.declaration};\n" for weight in self.weights)
        head = f"{_NOTE}#ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stdint.h>\n"
        if any(weight.level for weight in self.weights):
            head += "".join(f"\n{line}" for line in ('#include "tilewright.h"', *self.includes)) + "\n"
        return f"{head}\n{declarations}\n#endif\n"

    def text(self, weights: WeightsMode = "inline") -> str:
        """Return all as one translation unit; with `extern` weights are declared only."""
        first, *others = [text for _, text in self.runtime]
        parts = [self.header, first, *(f"{include}\n" for include in self.includes), *others]
        if weights == "inline":
            parts += [definition(weight, "static ") for weight in self.weights]
        elif self.weights:
            parts.append("".join(f"extern {weight.declaration};\n" for weight in self.weights))
        return "\n".join([*parts, self.body])


def render(module: ModuleOp) -> CProgram:
    """Return the C of a module of `emitc`. Raises Diagnostic where it holds anything else."""
    ops = list(module.body.block.ops)
    functions = [op for op in ops if isinstance(op, emitc.FuncOp)]
    variables = [op for op in ops if isinstance(op, emitc.GlobalOp)]
    constants = frozenset(op.sym_name.data for op in variables if op.const_specifier is not None)
    taken = [op.sym_name.data for op in (*variables, *functions)]
    included = [op for op in ops if isinstance(op, emitc.IncludeOp)]
    own = [name for op in included if (name := op.include.data).startswith("tilewright")]
    weights = tuple(_weight(op) for op in variables if _is_weight(op))
    pieces: list[str] = []
    placed: list[emitc.GlobalOp] = []
    for op in ops:
        if isinstance(op, emitc.FuncOp):
            forked = FORK in op.attributes
            pieces.append(closure_text(op, taken) if forked else function_text(op, taken, constants))
        elif isinstance(op, emitc.VerbatimOp):
            pieces.append(verbatim_text(op, []) + "\n")
        elif isinstance(op, emitc.GlobalOp):
            pieces += [] if _is_weight(op) else [_variable(op)]
            placed += [] if _is_weight(op) or _level(op) is None else [op]
        elif not isinstance(op, emitc.IncludeOp):
            raise Diagnostic(
                f"'{op.name}' cannot be printed as C", where(op), "emitc ops", remedy="run convert-to-emitc first"
            )
    changing = [op for op in variables if op.const_specifier is None]
    arena = sum(_size(op) for op in changing if "tilewright.state" not in op.attributes)
    state = sum(_size(op) for op in changing if "tilewright.state" in op.attributes)
    public = [op for op in functions if op.specifiers is None or "static" not in {s.data for s in op.specifiers.data}]
    prefix = public[0].sym_name.data.removesuffix("_run") if public else "network"
    weights_bytes = sum(len(weight.data) for weight in weights)
    return CProgram(
        prefix,
        _header(prefix, public, arena, state, weights_bytes),
        "\n".join([*pieces, *_rooms(placed)]),
        tuple(_include(op) for op in included if op.include.data not in own),
        tuple((name, _runtime(name)) for name in own),
        weights,
        arena,
        state,
    )


def write_program(program: CProgram, directory: Path, *, largest_arrays: int = _LARGEST_ARRAYS) -> list[Path]:
    """
    Write a network's files into a folder and return their paths.

    Weights of up to `largest_arrays` bytes in all are arrays in weights.c; more are weights.bin, which weights.S
    includes. Raises Diagnostic where a file cannot be written.
    """
    contents: dict[str, str | bytes] = {name: text for name, text in program.runtime}
    contents |= {_INCLUDED[name]: _runtime(_INCLUDED[name]) for name, _ in program.runtime if name in _INCLUDED}
    if program.weights:
        contents["weights.h"] = program.weights_header
    # Those that have to lie in a memory of their own are always arrays: C says where arrays lie.
    placed = [weight for weight in program.weights if weight.level]
    others = [weight for weight in program.weights if not weight.level]
    as_binary = sum(len(weight.data) for weight in others) > largest_arrays
    if as_binary:
        image, offsets = binary_image(others)
        contents |= {"weights.bin": image, "weights.S": assembly(others, offsets, "weights.bin")}
    if arrays := placed if as_binary else [*placed, *others]:
        text = "\n".join(definition(weight) for weight in arrays)
        contents["weights.c"] = f'{_NOTE}#include "weights.h"\n#include "tilewright.h"\n\n{text}'
        contents.setdefault("tilewright.h", _runtime("tilewright.h"))
    contents |= {"network.h": program.header, "network.c": program.source}
    paths = [directory / name for name in contents]
    write_files(zip(paths, contents.values(), strict=True))
    for stale in {"weights.c", "weights.S", "weights.bin", "weights.h"} - contents.keys():
        (directory / stale).unlink(missing_ok=True)
    return paths


def _runtime(name: str) -> str:
    folder = Path(__file__).parent.parent.parent / "runtime" / "c"
    try:
        return (folder / name).read_text("utf-8")
    except OSError as error:
        raise Diagnostic("the runtime has no such header", where=name) from error


def _include(op: emitc.IncludeOp) -> str:
    return f"#include <{op.include.data}>" if op.is_standard_include is not None else f'#include "{op.include.data}"'


# Globals


def _is_weight(op: emitc.GlobalOp) -> bool:
    return op.const_specifier is not None and isinstance(op.initial_value, DenseIntOrFPElementsAttr)


def _alignment(op: emitc.GlobalOp) -> int:
    given = op.attributes.get("tilewright.alignment")
    return cast("IntegerAttr[Any]", given).value.data if given is not None else 1


def _weight(op: emitc.GlobalOp) -> Weight:
    value = cast("DenseIntOrFPElementsAttr[Any]", op.initial_value)
    element = value.get_element_type()
    said: Any = op.attributes.get("tilewright.shape")
    shape = tuple(said.get_values()) if said is not None else tuple(value.get_shape())
    return Weight(
        op.sym_name.data,
        "uint16_t" if (name := c_type(element)) in _HALVES else name,
        str(numpy_type(element)),
        shape,
        value.data.data,
        _alignment(op),
        _level(op) or "",
    )


def _size(op: emitc.GlobalOp) -> int:
    """Return the size in bytes of a global."""
    type_: Any = op.type
    if not isinstance(type_, EmitC_ArrayType):
        return numpy_type(type_).itemsize
    array = cast("EmitC_ArrayType[Any]", type_)
    count = 1
    for size in array.get_shape():
        count *= size
    return count * numpy_type(array.get_element_type()).itemsize


def _level(op: emitc.GlobalOp) -> str | None:
    """Return the memory that a global has to lie in, None where that is left open."""
    level = cast("StringAttr | None", op.attributes.get("tilewright.level"))
    return None if level is None else level.data


def _rooms(placed: Sequence[emitc.GlobalOp]) -> list[str]:
    """Return the checks that each memory holds the variables that have to lie in it."""
    levels: dict[str | None, list[str]] = {}
    for op in placed:
        levels.setdefault(_level(op), []).append(f"sizeof {op.sym_name.data}")
    return [f"TW_LEVEL_HOLDS({level}, {' + '.join(sizes)});\n" for level, sizes in levels.items()]


def _variable(op: emitc.GlobalOp) -> str:
    """Return the definition of a global that is no weight."""
    if isinstance(op.initial_value, DenseIntOrFPElementsAttr):
        weight = _weight(op)
        return definition(weight, "static ").replace("const ", "", 1)
    words = [word for word in ("extern", "static") if f"{word}_specifier" in op.properties]
    if "tilewright.alignment" in op.attributes:
        words.append(f"_Alignas({_alignment(op)})")
    if (level := _level(op)) is not None:
        words.append(f"TW_LEVEL({level})")
    words.append(declaration(op.type, op.sym_name.data, constant=op.const_specifier is not None))
    value = f" = {literal(op.initial_value, op.type)[0]}" if op.initial_value is not None else ""
    return f"{' '.join(words)}{value};\n"


# The header


def _ports(function: emitc.FuncOp) -> tuple[list[Port], list[Port]]:
    """Return the inputs and the outputs of a network."""
    inputs: list[Port] = []
    outputs: list[Port] = []
    names = argument_names(function, Names())
    types = function.function_type.inputs.data
    attributes = argument_attributes(function)
    kinds = ["result" if "tilewright.output" in said else "arg" for said in attributes]
    for index, (type_, identifier, said) in enumerate(zip(types, names, attributes, strict=True)):
        if not isinstance(type_, EmitC_ArrayType):
            continue
        element = cast("EmitC_ArrayType[Any]", type_).get_element_type()
        name = cast("StringAttr | None", said.get("onnx.name"))
        shape = said["tilewright.shape"].get_values() if "tilewright.shape" in said else type_.get_shape()
        port = Port(
            f"{kinds[index]}{kinds[:index].count(kinds[index])}" if name is None else name.data,
            identifier,
            c_type(element),
            numpy_type(element).itemsize,
            tuple(int(size) for size in shape),
            numbers_of(said["tilewright.range"]) if "tilewright.range" in said else (),
            cast(StringAttr, said[SHAPE_OF]).data if SHAPE_OF in said else "",
        )
        (outputs if "tilewright.output" in said else inputs).append(port)
    return inputs, outputs


_INCLUDED = {"tilewright_math.h": "tilewright_elementary.h"}
"""Headers of the runtime -> those that they include, which networks do not."""

_HALVES = ("tw_bf16", "tw_f16")


def _header(prefix: str, public: list[emitc.FuncOp], arena: int, state: int, weights: int) -> str:
    upper = prefix.upper()
    lines = [f"{_NOTE}#ifndef {upper}_H", f"#define {upper}_H", "", "#include <stdbool.h>", "#include <stdint.h>", ""]
    types = {port.c_type for function in public for ports in _ports(function) for port in ports}
    lines += [f"typedef uint16_t {name}; /* the bits of a float */" for name in sorted(types) if name in _HALVES]
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
        lines += _state_macros(upper, public[0])
        for function in public[1:]:
            lines += _entry_macros(function)
    if any("tilewright.status" in function.attributes for function in public):
        lines += [*_STATUS_MACROS.format(upper=upper).splitlines(), ""]
    lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    for function in public:
        lines += [*_documentation(function), f"{prototype(function, argument_names(function, Names()))};", ""]
    return "\n".join([*lines, "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])


def _macros(prefix: str, ports: list[Port]) -> Iterator[str]:
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
            target = next(place for place, each in enumerate(ports) if each.name == port.shape_of)
            yield f"#define {prefix}_{index}_SHAPE_OF {target} /* the output of which this says how much is there */"
    yield ""


def _entry_macros(function: emitc.FuncOp) -> list[str]:
    """Return the lines that describe another way into the network."""
    inputs, outputs = _ports(function)
    upper = function.sym_name.data.removesuffix("_run").upper()
    if not inputs and not outputs:
        return []
    return [*_macros(f"{upper}_INPUT", inputs), *_macros(f"{upper}_OUTPUT", outputs), *_state_macros(upper, function)]


def _state_macros(upper: str, function: emitc.FuncOp) -> list[str]:
    """Return the lines that say which input is the position in a state, and how it goes on."""
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
    rows = [
        f" *   {direction} {port.identifier}: {port.c_type} {'x'.join(str(size) for size in port.shape) or 'scalar'}"
        f" ({comment(port.name)}{port.limits})"
        for direction, ports in (("in ", inputs), ("out", outputs))
        for port in ports
    ]
    return [
        "/*",
        " * Runs the network once. Arrays are row-major and must not overlap. Buffers are static: one call at a time.",
        *([status] if status else []),
        *rows,
        " */",
    ]
