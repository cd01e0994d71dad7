"""Reference pages of the targets: memories, links and engines of each machine, and the phases of its pipeline."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from tilewright.compiler import pipeline_of
from tilewright.dialects.core.machine.file import FILE, find_machine, variants
from tilewright.dialects.core.machine.picture import draw
from tilewright.dialects.core.machine.targets import Machine, machines
from tilewright.docs.site.links import ROOT
from tilewright.docs.site.text import GeneratedPage, block, code, escaped, page_file, summary, table, table_text
from tilewright.passes.formats import own_formats

FOLDER = "reference/targets"
_REPOSITORY = "../../../"
"""The repository from a page in FOLDER."""
_WIDTH = 400
"""Columns of a drawn tree, more than its longest line has."""


def target_pages() -> Iterator[GeneratedPage]:
    """Yield a page for each target, after one that lists them and the output formats."""
    known = machines()
    yield GeneratedPage(f"{FOLDER}/index.md", _index(known))
    for name, machine in known.items():
        yield GeneratedPage(f"{FOLDER}/{page_file(name)}", _page(machine))


def _index(known: Mapping[str, Machine]) -> str:
    rows = [(f"[{name}]({page_file(name)})", table_text(machine.summary)) for name, machine in known.items()]
    formats = [(code(name), table_text(summary(load()))) for name, load in sorted(own_formats().items())]
    return f"""# Targets

`--target` takes the name of one, a folder or [machine file](../../machines.md) anywhere; `tilewright targets` lists
them.

{table(["target", "machine"], rows)}

## Output formats

`opt-tool -t` takes these, and those of xDSL.

{table(["format", "output"], formats)}
"""


def _page(machine: Machine) -> str:
    folder = machine.folder.relative_to(ROOT).as_posix()
    is_described = (machine.folder / FILE).is_file()
    summary = "" if is_described else escaped(machine.summary)
    parts = [f"# {machine.name}", summary, f"Source: [`{folder}/`]({_REPOSITORY}{folder})"]
    if is_described:
        parts += ["## Machine", *_drawn(machine.name)]
    others = [name for name in variants() if name.startswith(f"{machine.name}/")]
    for name in others:
        parts += [f"## Variant {name}", *_drawn(name)]
    if machine.phases:
        parts += ["## Pipeline", _pipeline(machine)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _drawn(name: str) -> Sequence[str]:
    """Return the drawing of a machine, without its title, as Markdown."""
    drawing = draw(find_machine(name))
    assert isinstance(drawing, Group)
    title, *parts = (markdown_of(part) for part in drawing.renderables)
    return [title.partition(": ")[2], *parts]


def markdown_of(part: RenderableType) -> str:
    """Return a table, a tree or a text of rich as Markdown."""
    match part:
        case Table():
            header = [_plain(column.header) for column in part.columns]
            columns = [[_cell(_plain(cell)) for cell in column.cells] for column in part.columns]
            return table(header, zip(*columns, strict=True))
        case Tree():
            console = Console(width=_WIDTH, color_system=None, force_terminal=False)
            with console.capture() as capture:
                console.print(part)
            return block("\n".join(line.rstrip() for line in capture.get().splitlines()).strip(), "text")
        case str():
            return escaped(_plain(part))
        case _:
            raise TypeError(f"no Markdown of {type(part).__name__}")


def _cell(text: str) -> str:
    """Return the text of a cell; the name of an op is code, which links to the op."""
    return code(text) if re.fullmatch(r"[a-z]\w*\.\w+", text) else table_text(escaped(text))


def _plain(text: RenderableType) -> str:
    return Text.from_markup(text).plain if isinstance(text, str) else str(text)


def _pipeline(machine: Machine) -> str:
    steps = pipeline_of(machine).steps
    rows = [
        (phase.name, ", ".join(code(str(step)) for step in steps if step.phase == phase.name))
        for phase in machine.phases
    ]
    command = block(f"opt-tool net.onnx -p {machine.name}-pipeline -t c -o net.c", "sh")
    return f"{command}\n\n{table(['phase', 'passes'], rows)}"
