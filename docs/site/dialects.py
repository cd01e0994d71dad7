"""Reference pages of the dialects: each op with its docstring, syntax, operands, results and attributes."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from xdsl.ir import Attribute, Dialect, Operation, TypeAttribute
from xdsl.irdl import IRDLOperation, OpDef

from tilewright.dialects import dialect_files, dialects_by_origin, own_dialects
from tilewright.docs.site.constraints import ANY, constraint_text
from tilewright.docs.site.links import ROOT
from tilewright.docs.site.text import (
    GeneratedPage,
    block,
    code,
    docstring,
    escaped,
    page_file,
    prose,
    table,
    table_text,
)

FOLDER = "reference/dialects"
_REPOSITORY = "../../../"
"""The repository from a page in FOLDER."""
_ONNX = "https://github.com/onnx/onnx/blob/main/docs/"


def dialect_pages() -> Iterator[GeneratedPage]:
    """Yield a page for each dialect of Tilewright and its targets, after one that lists them."""
    files = dialect_files()
    dialects = {name: load() for name, load in own_dialects().items()}
    yield GeneratedPage(f"{FOLDER}/index.md", _index(dialects, files))
    for name, dialect in dialects.items():
        yield _page(name, dialect, files[name])


def _index(dialects: Mapping[str, Dialect], files: Mapping[str, Path]) -> str:
    rows = (
        (f"[{name}]({page_file(name)})", table_text(_module_text(files[name]).partition("\n")[0]), f"{_size(dialect)}")
        for name, dialect in dialects.items()
    )
    others = ", ".join(f"`{name}`" for name in sorted(dialects_by_origin()["xDSL"]))
    return f"""# Dialects

The dialects of Tilewright and its targets; `opt-tool --list-dialects` lists them too.

{table(["dialect", "contents", "ops"], rows)}

xDSL's own dialects are known as well: {others}. [How both differ from upstream's](../../xdsl.md) is a page of its own.
"""


def _size(dialect: Dialect) -> int:
    return len(list(dialect.operations))


def _module_text(file: Path) -> str:
    return ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""


def _page(name: str, dialect: Dialect, file: Path) -> GeneratedPage:
    ops, attributes = sorted(dialect.operations, key=_name), sorted(dialect.attributes, key=_name)
    path = file.relative_to(ROOT).as_posix()
    opening = prose(_module_text(file))
    parts = [f"# {name}", opening, f"Source: [`{path}`]({_REPOSITORY}{path})"]
    parts += [_attribute_section(kind) for kind in attributes]
    parts += [_op_section(op) for op in ops]
    names = [(op.name, op.name) for op in ops] + [(_shown(kind), _anchor(kind)) for kind in attributes]
    return GeneratedPage(f"{FOLDER}/{page_file(name)}", "\n\n".join(filter(None, parts)) + "\n", tuple(names))


def _name(kind: type[Operation] | type[Attribute]) -> str:
    return kind.name


def _heading(name: str, shown: str) -> str:
    return f"## `{shown}` {{ #{name} data-toc-label='{shown}' }}"


def _attribute_section(kind: type[Attribute]) -> str:
    return "\n\n".join(filter(None, [_heading(_anchor(kind), _shown(kind)), docstring(kind)]))


def _shown(kind: type[Attribute]) -> str:
    return f"{'!' if issubclass(kind, TypeAttribute) else '#'}{kind.name}"


def _anchor(kind: type[Attribute]) -> str:
    """Return the anchor of an attribute or type, which may have the name of an op."""
    return f"{'type' if issubclass(kind, TypeAttribute) else 'attribute'}-{kind.name}"


def _op_section(op: type[Operation]) -> str:
    parts = [_heading(op.name, op.name), _documentation(op)]
    if issubclass(op, IRDLOperation):
        definition = op.get_irdl_definition()
        parts += [_syntax(definition), *_tables(definition)]
    return "\n\n".join(filter(None, parts))


def _documentation(op: type[Operation]) -> str:
    """Return the docstring; those of ONNX's schemas are Markdown, with links relative to ONNX's own pages."""
    if not op.name.startswith("onnx."):
        return docstring(op)
    text = escaped(inspect.cleandoc(op.__doc__ or ""))
    return re.sub(r"\]\((?!\w+:|#)([^)]+)\)", rf"]({_ONNX}\1)", text)


def _syntax(definition: OpDef) -> str:
    if not isinstance(definition.assembly_format, str):
        return ""
    return block(f"{definition.name} {' '.join(definition.assembly_format.split())}", "text")


def _tables(definition: OpDef) -> Iterator[str]:
    """Yield the table of operands, results, attributes and regions, of which each row says its kind."""
    rows = [
        *_rows("operand", definition.operands),
        *_rows("result", definition.results),
        *_rows("attribute", [*definition.properties.items(), *definition.attributes.items()]),
        *_rows("region", definition.regions),
        *_rows("successor", definition.successors),
    ]
    yield table(["name", "is", "type"], rows)


def _rows(kind: str, definitions: Iterable[tuple[str, object]]) -> Iterator[tuple[str, str, str]]:
    for name, definition in definitions:
        text = constraint_text(getattr(definition, "constr", None))
        yield code(name), f"{_count(definition)}{kind}", ANY if text == ANY else code(text)


def _count(definition: object) -> str:
    return {"Opt": "optional ", "Var": "variadic "}.get(type(definition).__name__[:3], "")
