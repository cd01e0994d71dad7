"""C function declarations: prototypes, argument names, comments and strings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.dialects.emitc import EmitC_ArrayType, EmitC_PointerType

from ....dialects import emitc
from ....errors import Diagnostic
from ....ir import node_names, where
from ..names import Names, stem
from .expressions import c_type, declaration


def comment(text: str) -> str:
    """Sanitise text for a C comment: one line, without comment delimiters."""
    plain = text if text.isprintable() else "".join(char if char.isprintable() else "?" for char in text)
    return plain.replace("*/", "* /").replace("/*", "/ *")


def c_string(text: str) -> str:
    """Return a C string literal with the UTF-8 bytes of a text."""
    safe = frozenset(range(32, 127)) - set(b'"\\?')
    return '"' + "".join(chr(byte) if byte in safe else f"\\{byte:03o}" for byte in text.encode()) + '"'


def argument_attributes(function: emitc.FuncOp) -> list[dict[str, Any]]:
    """Return the attributes of each argument of a function."""
    count = len(function.function_type.inputs)
    dictionaries: Iterable[DictionaryAttr] = function.arg_attrs.data if function.arg_attrs is not None else ()
    return [dict(attributes.data) for attributes in dictionaries or [DictionaryAttr({})] * count]


def argument_names(function: emitc.FuncOp, names: Names) -> list[str]:
    """Return the C names of a function's arguments, taken from `names`."""
    arguments = function.body.blocks[0].args
    result: list[str] = []
    for argument, attributes in zip(arguments, argument_attributes(function), strict=True):
        said = cast("StringAttr | None", attributes.get("tilewright.name"))
        hint = stem(argument.name_hint) if argument.name_hint else f"arg{argument.index}"
        result.append(names.add(said.data if said is not None else hint))
    return result


SPECIFIER = "tilewright.specifier"
"""Attribute of a function whose definition, not its declaration, begins with a macro of the runtime."""


def definition(function: emitc.FuncOp, names: list[str]) -> str:
    """Return a function's head where it is defined."""
    macro = cast("StringAttr | None", function.attributes.get(SPECIFIER))
    return prototype(function, names) if macro is None else f"{macro.data} {prototype(function, names)}"


def prototype(function: emitc.FuncOp, names: list[str]) -> str:
    """Return a function's declaration, without the semicolon."""
    outputs = function.function_type.outputs.data
    specifiers = "".join(f"{word.data} " for word in function.specifiers.data) if function.specifiers else ""
    attributes = argument_attributes(function)
    arguments = ", ".join(
        declaration(
            type_, ("restrict " if "tilewright.restrict" in said else "") + name, constant="tilewright.const" in said
        )
        for type_, name, said in zip(function.function_type.inputs.data, names, attributes, strict=True)
    )
    result = c_type(outputs[0]) if outputs else "void"
    return f"{specifiers}{result} {function.sym_name.data}({arguments or 'void'})"


def operands_comment(function: emitc.FuncOp, names: list[str]) -> list[str]:
    """Return the comment lines with a function's title and the shapes of its operands."""
    rows: list[str] = []
    for type_, name, said in zip(function.function_type.inputs.data, names, argument_attributes(function), strict=True):
        if not isinstance(type_, EmitC_PointerType | EmitC_ArrayType):
            continue
        array = cast("EmitC_PointerType | EmitC_ArrayType[Any]", type_)
        element = array.pointee_type if isinstance(array, EmitC_PointerType) else array.get_element_type()
        shape = (
            "".join(f"{size}x" for size in said["tilewright.shape"].get_values()) if "tilewright.shape" in said else ""
        )
        rows.append(f" * {'in: ' if 'tilewright.const' in said else 'out:'} {name} {shape}{element}")
    title = " + ".join(comment(name) for name in node_names(function))
    return ["/*", f" * {title or function.sym_name.data}", *rows, " */"]


def verbatim_text(op: emitc.VerbatimOp, operands: list[str]) -> str:
    """Return the text of `emitc.verbatim`, each `{}` replaced by an operand."""
    if not operands:
        return op.value.data
    pieces = op.value.data.replace("{{", "\0").split("{}")
    if len(pieces) != len(operands) + 1:
        raise Diagnostic("emitc.verbatim needs one operand for each {}", where(op))
    filled = pieces[0] + "".join(operand + piece for operand, piece in zip(operands, pieces[1:], strict=True))
    return filled.replace("\0", "{")
