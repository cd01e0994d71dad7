"""
Write the tables of docs/why-this-tile.md: how a plan comes to the tiles of a convolution.

    python test/docs/why_this_tile.py           # writes the page's tables
    python test/docs/why_this_tile.py --check   # fails where the page is not current

The page has a mark before each table, `<!-- table: costs -->`, and the machine file that is planned for.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.kernel import kernel_of
from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.syntax.text import new_context, print_ir
from tilewright.dialects.hier import GridOp
from tilewright.frontend.importer import import_model
from tilewright.ir import functions
from tilewright.passes.memory.layers import layers_of
from tilewright.passes.memory.tile_extents import extents_to_try
from tilewright.passes.plan_memory import PlanMemoryPass
from tilewright.passes.tiles.group import Tilings, tilings_of
from tilewright.passes.tiles.legality import refusals_of
from tilewright.test.docs.generated import update
from tilewright.test.passes.plans import on_buffers

PAGE = Path(__file__).parents[2] / "docs" / "why-this-tile.md"
MARK = re.compile(r"(<!-- table: (\w+) -->\n)(?:\n(?:\|[^\n]*\n)+|\n```mlir\n[\s\S]*?\n```\n)?")
SHOWN = 12
"""Rows of the table of costs."""


def convolution() -> ModuleOp:
    """Return the convolution on buffers."""
    weights = np.random.default_rng(0).integers(-128, 128, (8, 2, 3, 3), np.int8)
    x = helper.make_tensor_value_info("x", TensorProto.INT8, (1, 4, 12, 12))
    y = helper.make_tensor_value_info("y", TensorProto.INT32, None)
    graph = helper.make_graph(
        [helper.make_node("ConvInteger", ["x", "w"], ["y"], group=2)],
        "net",
        [x],
        [y],
        [numpy_helper.from_array(weights, "w")],
    )
    return on_buffers(import_model(helper.make_model(graph)))


def machine_of(page: str) -> Machine:
    """Return the machine whose file the page holds."""
    (text,) = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "near.toml")
        file.write_text(text, encoding="utf-8")
        return find_machine(file)


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(str, cells))} |" for cells in lines)


def tables(machine: Machine) -> dict[str, str]:
    """Return the tables, by their marks."""
    module = convolution()
    (function,) = functions(module)
    layers = layers_of(function.body.block, machine, 0, double_buffered=True, keep_resident=False)
    (op,) = layers.ops
    kernel, route = kernel_of(op), layers.route([op])
    choices = extents_to_try(op, kernel, route)
    tilings = tilings_of(op, list(product(*choices)), {}, route.role_levels)
    candidates = sorted(
        layers.options(0, 1, frozenset()).costed, key=lambda candidate: (candidate.cycles, candidate.bytes)
    )
    room = [level.size for level in layers.levels_of(0, 1)]
    rows: list[Sequence[object]] = []
    for candidate in candidates:
        fits = all(size <= left for size, left in zip(candidate.bytes, room, strict=True))
        over = max(size - left for size, left in zip(candidate.bytes, room, strict=True))
        order = " ".join(f"d{dim}" for dim in candidate.order)
        sizes, stages = " x ".join(map(str, candidate.sizes)), " ".join(map(str, candidate.stages))
        verdict = "fits" if fits else f"{over:,} bytes too many"
        rows.append((f"{candidate.cycles:,}", sizes, order, stages, f"{sum(candidate.bytes):,}", verdict))
    first = next(number for number, row in enumerate(rows) if row[-1] == "fits")
    around = rows[max(0, first + 3 - SHOWN) : first + 3]
    return {
        "kernel": f"```mlir\n{print_ir(op, elide=8, width=110).strip()}\n```",
        "sizes": table(
            ("loop", "extent", "sizes tried"),
            ((f"d{dim}", kernel.bounds[dim], ", ".join(map(str, sizes))) for dim, sizes in enumerate(choices)),
        ),
        "refusals": table(("rule", "tilings", "for example"), refusals(tilings)),
        "costs": table(("cycles", "tile", "loops, outermost first", "stages", "bytes near", ""), around),
        "plan": f"```mlir\n{planned(module, machine)}\n```",
    }


def refusals(tilings: Tilings) -> Iterable[Sequence[object]]:
    """Yield what each rule refuses of what those before it have left, and the message for one."""
    left = len(tilings)
    for rule, count, example in refusals_of(tilings):
        sizes = " x ".join(map(str, example.shape))
        yield rule.name, f"{count:,}", f"{sizes}: {rule.message(example)}"
        left -= count
    yield "*legal*", f"{left:,}", f"of {len(tilings):,}"


def planned(module: ModuleOp, machine: Machine) -> str:
    """Return the grid that the convolution becomes, without its body."""
    plan = module.clone()
    attach_machine(plan, machine)
    PlanMemoryPass().apply(new_context(), plan)
    (grid,) = (op for op in plan.walk() if isinstance(op, GridOp))
    text = print_ir(grid, elide=8, width=110).strip()
    return text.partition(" {\n")[0] + " { ... }"


def with_tables(page: str, written: dict[str, str]) -> str:
    """Return the page with these tables after their marks. Raises AssertionError for a mark of no table."""
    assert sorted(name for _, name in MARK.findall(page)) == sorted(written), "a mark for each table"
    return MARK.sub(lambda match: f"{match[1]}\n{written[match[2]]}\n", page)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or check that it is current."""
    return update(PAGE, __doc__, lambda page: with_tables(page, tables(machine_of(page))), arguments)


if __name__ == "__main__":
    sys.exit(main())
