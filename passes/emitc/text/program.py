"""C program of a network: `network.h`, `network.c` and weights, from a module of `emitc`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.emitc import EmitC_ArrayType

from ....dialects import emitc
from ....dialects.core.nesting import nested_ops
from ....dialects.core.ports import NAME
from ....discovery import target_files
from ....errors import Diagnostic
from ....files import write_bytes
from ....ir import numpy_type, where
from ..buffers import EXTERNAL
from ..calls import OFFSETS
from ..names import Names
from .closures import CLAIMED, FORK, closure_text, threads_text
from .expressions import c_type, declaration, literal
from .external import ExternalArray, ExternalArrays
from .files import Files, files_of, is_bundled
from .functions import verbatim_text
from .header import HALVES, NOTE, header_text
from .liveness import dead_ops
from .statements import function_text
from .weights import Weight, assembly, binary_image, definition

WeightsMode = Literal["inline", "extern"]

_LARGEST_ARRAYS = 256 * 1024
_BESIDE = {"tilewright_math.h": "tilewright_elementary.h", "tilewright_threads.h": "tilewright_mpi.h"}
"""Runtime header -> the header that is written beside it: it includes that, or that may stand in its place."""


@dataclass(frozen=True)
class CProgram:
    """
    C program of a network.

    `header` is network.h. `body` is the code after the includes: mutable globals, kernels, the run function. `runtime`
    are Tilewright's headers with their texts, in order. `includes` are a machine's headers, after the first of them.
    `prefix` is the prefix of public names, `name` that of all names and files, empty for the default.
    """

    prefix: str
    header: str
    body: str
    includes: tuple[str, ...]
    runtime: tuple[tuple[str, str], ...]
    weights: tuple[Weight, ...]
    arena_bytes: int
    state_bytes: int = 0
    external: ExternalArrays | None = None
    name: str = ""

    @property
    def files(self) -> Files:
        """Names of the program's files."""
        return files_of(self.name)

    @property
    def source(self) -> str:
        """Text of network.c."""
        first, others = self._headers(f'#include "{name}"' for name, _ in self.runtime)
        weights = [f'#include "{self.files.weights_header}"'] if self.weights else []
        lines = [f'#include "{self.files.header}"', *first, *self.includes, *others, *weights]
        return NOTE + "\n".join(lines) + "\n\n" + self.body

    @staticmethod
    def _headers(lines: Iterable[str]) -> tuple[list[str], list[str]]:
        """Split lines into that of the first runtime header, and those after a machine's own headers."""
        parts = list(lines)
        return parts[:1], parts[1:]

    @property
    def weights_bytes(self) -> int:
        """Size of all weights in bytes, without padding."""
        others = self.external.weights if self.external is not None else ()
        return sum(len(weight.data) for weight in (*self.weights, *others))

    @property
    def weights_header(self) -> str:
        """Text of weights.h."""
        guard = f"{self.prefix.upper()}_WEIGHTS_H"
        declarations = "".join(f"extern {weight.declaration};\n" for weight in self.weights)
        head = f"{NOTE}#ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stdint.h>\n"
        if any(weight.level for weight in self.weights):
            head += "".join(f"\n{line}" for line in ('#include "tilewright.h"', *self.includes)) + "\n"
        return f"{head}\n{declarations}\n#endif\n"

    def text(self, weights: WeightsMode = "inline") -> str:
        """Return the program as one translation unit; with `extern`, weights are declared only."""
        first, others = self._headers(_without_includes(text, self.runtime) for _, text in self.runtime)
        parts = [self.header, *first, *(f"{include}\n" for include in self.includes), *others]
        if weights == "inline":
            parts += [definition(weight, "static ") for weight in self.weights]
            parts += [self.external.array] if self.external is not None else []
        elif self.weights:
            parts.append("".join(f"extern {weight.declaration};\n" for weight in self.weights))
        return "\n".join([*parts, self.body])


def _without_includes(text: str, runtime: Iterable[tuple[str, str]]) -> str:
    """Return the text of a runtime header without its includes of others that are in the same file."""
    included = {f'#include "{name}"' for name, _ in runtime}
    return "".join(line for line in text.splitlines(keepends=True) if line.strip() not in included)


def render(module: ModuleOp) -> CProgram:
    """Print a module of `emitc` as C. Raises Diagnostic for other ops."""
    unread = _unread_globals(module)
    ops = [op for op in module.body.block.ops if not isinstance(op, emitc.GlobalOp) or op.sym_name.data not in unread]
    functions = [op for op in ops if isinstance(op, emitc.FuncOp)]
    variables = [op for op in ops if isinstance(op, emitc.GlobalOp)]
    constants = frozenset(op.sym_name.data for op in variables if op.const_specifier is not None)
    taken = Names(op.sym_name.data for op in (*variables, *functions))
    included = [op for op in ops if isinstance(op, emitc.IncludeOp)]
    own = [name for op in included if is_bundled(name := op.include.data)]
    outside = {op for op in variables if EXTERNAL in op.attributes}
    weights = tuple(_weight(op) for op in variables if _is_weight(op) and op not in outside)
    pieces: list[str] = []
    placed: list[emitc.GlobalOp] = []
    for op in ops:
        if isinstance(op, emitc.FuncOp):
            forked = FORK in op.attributes
            names = taken.fork()
            pieces.append(closure_text(op, names) if forked else function_text(op, names, constants))
        elif isinstance(op, emitc.VerbatimOp):
            pieces.append(verbatim_text(op, []) + "\n")
        elif isinstance(op, emitc.GlobalOp):
            pieces += [] if _is_weight(op) or op in outside else [_variable(op)]
            placed += [] if _is_weight(op) or _level(op) is None else [op]
        elif not isinstance(op, emitc.IncludeOp):
            raise Diagnostic(
                f"'{op.name}' cannot be printed as C", where(op), "emitc ops", remedy="run convert-to-emitc first"
            )
    changing = [op for op in variables if op.const_specifier is None and op not in outside]
    arena = sum(_size(op) for op in changing if "tilewright.state" not in op.attributes)
    state = sum(_size(op) for op in changing if "tilewright.state" in op.attributes)
    public = [op for op in functions if op.specifiers is None or StringAttr("static") not in op.specifiers.data]
    prefix = public[0].sym_name.data.removesuffix("_run") if public else "network"
    name = said.data if isinstance(said := module.attributes.get(NAME), StringAttr) else ""
    external = _external(prefix, files_of(name), [op for op in variables if op in outside])
    definitions = [external.definitions] if external is not None else []
    has_threads = any(CLAIMED in op.attributes for op in functions)
    pieces += [threads_text(prefix)] if has_threads else []
    all_weights = [*weights, *(external.weights if external is not None else ())]
    weights_bytes = sum(len(weight.data) for weight in all_weights)
    system = [op for op in included if op.include.data not in own]
    return CProgram(
        prefix,
        header_text(prefix, public, arena, state, weights_bytes, external, has_threads=has_threads),
        "\n".join([*definitions, *pieces, *_capacity_checks(placed), *_arrays(placed, functions)]),
        tuple(map(_include, system)),
        tuple(zip(own, map(_runtime, own), strict=True)),
        weights,
        arena,
        state,
        external,
        name,
    )


def _unread_globals(module: ModuleOp) -> set[str]:
    """Return the names of globals that only dead ops get, so that the text does not mention them."""
    alive: set[str] = set()
    dead: set[str] = set()
    for function in (op for op in module.body.block.ops if isinstance(op, emitc.FuncOp)):
        removed = dead_ops(function.body)
        for op in nested_ops(function):
            if isinstance(op, emitc.GetGlobalOp):
                (dead if op in removed else alive).add(op.name_.string_value())
    return dead - alive


def _external(prefix: str, files: Files, variables: Sequence[emitc.GlobalOp]) -> ExternalArrays | None:
    """Return the external memory of the program, None if it has none."""
    if not variables:
        return None
    constants = tuple(_weight(op) for op in variables if _is_weight(op))
    arrays = tuple(ExternalArray(op.sym_name.data, _element(op), _size(op)) for op in variables if not _is_weight(op))
    return ExternalArrays(prefix, files.external_image, constants, arrays)


def _element(op: emitc.GlobalOp) -> str:
    return c_type(cast("EmitC_ArrayType[Any]", op.type).get_element_type())


def write_program(program: CProgram, directory: Path, *, largest_arrays: int = _LARGEST_ARRAYS) -> list[Path]:
    """
    Write a network's files into a folder, each atomically, and return their paths.

    Weights of up to `largest_arrays` bytes in all are arrays in weights.c; more are weights.bin, which weights.S
    includes. Raises Diagnostic for a file that cannot be written.
    """
    files = program.files
    contents: dict[str, str | bytes] = {name: text for name, text in program.runtime}
    contents |= {_BESIDE[name]: _runtime(_BESIDE[name]) for name, _ in program.runtime if name in _BESIDE}
    if program.weights:
        contents[files.weights_header] = program.weights_header
    # Weights in a memory level of their own are always arrays: only C declares the level.
    placed = [weight for weight in program.weights if weight.level]
    others = [weight for weight in program.weights if not weight.level]
    as_binary = sum(len(weight.data) for weight in others) > largest_arrays
    if as_binary:
        image, offsets = binary_image(others)
        text = assembly(others, offsets, files.weights_image)
        contents |= {files.weights_image: image, files.weights_assembly: text}
    if arrays := placed if as_binary else [*placed, *others]:
        text = "\n".join(definition(weight) for weight in arrays)
        head = f'{NOTE}#include "{files.weights_header}"\n#include "tilewright.h"\n\n'
        contents[files.weights_source] = head + text
        contents.setdefault("tilewright.h", _runtime("tilewright.h"))
    if program.external is not None:
        contents[files.external_image] = program.external.image
    contents |= {files.header: program.header, files.source: program.source}
    for name, content in contents.items():
        write_bytes(directory / name, content.encode() if isinstance(content, str) else content)
    for stale in set(files[2:7]) - contents.keys():
        (directory / stale).unlink(missing_ok=True)
    return [directory / name for name in contents]


def _runtime(name: str) -> str:
    """Return the text of a header of the runtime, or of a target's functions on top of it."""
    for file in (Path(__file__).parents[3] / "runtime" / "c" / name, *target_files(f"c/{name}")):
        if file.is_file():
            return file.read_text("utf-8")
    raise Diagnostic("no header of this name in the runtime", where=name)


def _include(op: emitc.IncludeOp) -> str:
    return f"#include <{op.include.data}>" if op.is_standard_include is not None else f'#include "{op.include.data}"'


# Globals


def _is_weight(op: emitc.GlobalOp) -> bool:
    return op.const_specifier is not None and isinstance(op.initial_value, DenseIntOrFPElementsAttr)


def _alignment(op: emitc.GlobalOp) -> int:
    alignment = op.attributes.get("tilewright.alignment")
    return cast("IntegerAttr[Any]", alignment).value.data if alignment is not None else 1


def _weight(op: emitc.GlobalOp) -> Weight:
    value = cast("DenseIntOrFPElementsAttr[Any]", op.initial_value)
    element = value.get_element_type()
    said: Any = op.attributes.get("tilewright.shape")
    shape = tuple(said.get_values()) if said is not None else tuple(value.get_shape())
    return Weight(
        op.sym_name.data,
        "uint16_t" if (name := c_type(element)) in HALVES else name,
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
    """Return the memory level of a global, None if unconstrained."""
    level = cast("StringAttr | None", op.attributes.get("tilewright.level"))
    return None if level is None else level.data


def _capacity_checks(placed: Sequence[emitc.GlobalOp]) -> list[str]:
    """Return the static assertions that the variables of each memory level fit it."""
    levels: dict[str | None, list[str]] = {}
    for op in placed:
        levels.setdefault(_level(op), []).append(f"sizeof {op.sym_name.data}")
    return [f"TW_LEVEL_HOLDS({level}, {' + '.join(sizes)});\n" for level, sizes in levels.items()]


def _arrays(placed: Sequence[emitc.GlobalOp], functions: Sequence[emitc.FuncOp]) -> list[str]:
    """Return the names of levels' only arrays, for functions whose arguments are a buffer and an offset."""
    if not any(OFFSETS in op.attributes for function in functions for op in function.walk()):
        return []
    levels: dict[str | None, list[str]] = {}
    for op in placed:
        levels.setdefault(_level(op), []).append(op.sym_name.data)
    return [f"TW_LEVEL_ARRAY({level}, {names[0]});\n" for level, names in levels.items() if len(names) == 1]


def _variable(op: emitc.GlobalOp) -> str:
    """Return the definition of a mutable global."""
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
