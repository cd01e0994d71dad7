"""Pages of the site that are made from the code."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.docs.site.commands import command_pages
from tilewright.docs.site.dialects import dialect_pages
from tilewright.docs.site.passes import pass_pages
from tilewright.docs.site.side_by_side import side_by_side_page
from tilewright.docs.site.targets import target_pages
from tilewright.docs.site.text import GeneratedPage

_REFERENCE = """\
# Reference

These pages are made from the code: docstrings, definitions of ops, dataclasses of passes, machine files and parsers.

| part | contents |
|---|---|
| [dialects](dialects/index.md) | every op and attribute, with its example, operands and results |
| [passes](passes/index.md) | every pass, with its options, pipelines and a test |
| [targets](targets/index.md) | every machine: memories, links, engines, pipeline; output formats |
| [command line](commands/index.md) | `opt-tool` and the commands of `tilewright` |
| [glossary](../glossary.md) | every term, with its counterpart in MLIR, Halide or TVM |
| [operators of ONNX](../onnx-support.md) | what is supported of each |
| [keys of machine files](../machines.md) | every key, with its type and default |
| [one network at all levels](../side-by-side.md) | the text of two levels side by side |
"""


def generated_pages() -> Iterator[GeneratedPage]:
    """Yield all pages that are made from the code."""
    yield from side_by_side_page()
    yield GeneratedPage("reference/index.md", _REFERENCE)
    yield from dialect_pages()
    yield from pass_pages()
    yield from target_pages()
    yield from command_pages()
