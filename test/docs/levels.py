"""
Write the IR of docs/levels.md: the first layer of a network at each level, as the compiler makes it.

    python test/docs/levels.py           # writes the page's blocks
    python test/docs/levels.py --check   # fails where the page is not current

The page has a mark before each block, `<!-- level: fused -->`, and a machine file of its own, for which the network is
compiled. The text between blocks is written by hand.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import onnx
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import print_ir
from tilewright.frontend.zoo import build
from tilewright.passes.core.manager import Observer, PassPosition
from tilewright.test.docs.generated import update

PAGE = Path(__file__).parents[2] / "docs" / "levels.md"
NETWORK = "mlp"
WIDTH = 110
"""Columns after which the printed IR is broken."""

LEVELS: Mapping[str, tuple[str, Sequence[str]]] = {
    "graph": ("", ["%gemm = ", "%requantshift = "]),
    "types": ("infer-integer-types", ["%gemm = ", "%requantshift = "]),
    "tensor": ("convert-onnx-to-linalg", [r"%\d+ = nn.matmul", "%gemm = ", "%requantshift = "]),
    "fused": ("fuse-epilogues", ["%requantshift = "]),
    "buffers": ("bufferize", ["%requantshift = memref.alloc", "nn.matmul"]),
    "planned": ("allocate-static", ["hier.grid"]),
    "kernels": ("expand-grid", ["scf.for"]),
    "loops": ("normalize-memrefs", ["func.func private @matmul_0"]),
}
"""Level -> the pass after which it is shown, none for the network as it is read, and how the ops shown begin."""
MARK = r"<!-- level: (\w+) -->"
C_FUNCTION = r"static .*\bmatmul_0\("


class _LevelTexts(Observer):
    """Text of the module after each pass that LEVELS name, as `text_of` prints it."""

    def __init__(self, text_of: Callable[[ModuleOp], str]) -> None:
        self.texts: dict[str, str] = {}
        self._text_of = text_of

    def before_pipeline(self, pipeline: object, module: ModuleOp) -> None:
        self._note("", module)

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        self._note(place.step.name, module)

    def _note(self, shown: str, module: ModuleOp) -> None:
        for level, (name, _) in LEVELS.items():
            if name == shown and level not in self.texts:
                self.texts[level] = self._text_of(module)


def compiled_levels(machine: str, text_of: Callable[[ModuleOp], str]) -> tuple[dict[str, str], str]:
    """Return the text of each level of the network compiled for a machine, by the level's name, and the C."""
    levels = _LevelTexts(text_of)
    with tempfile.TemporaryDirectory() as folder:
        target, network = Path(folder, "near.toml"), Path(folder, f"{NETWORK}.onnx")
        target.write_text(machine, encoding="utf-8")
        onnx.save(build(NETWORK), network)  # pyright: ignore[reportUnknownMemberType]
        body = compile_model(Model(network), str(target), observers=[levels]).program().body
    return levels.texts, body


def machine_of(page: str) -> str:
    """Return the machine file that a page holds."""
    (machine,) = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return machine


def excerpt(text: str, begin: str) -> str:
    """
    Return the first op, or function of C, that begins with a pattern, without the indentation of its first line.

    It ends before the next line that is not indented further, but for a closing brace.
    """
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if re.match(rf"\s*{begin}", line))
    depth = len(lines[first]) - len(lines[first].lstrip())
    last = first + 1
    while last < len(lines) and len(lines[last]) - len(lines[last].lstrip()) > depth:
        last += 1
    while last < len(lines) and re.match(r"\}|\^", lines[last][depth:]):
        closes = lines[last][depth] == "}"
        last += 1
        while last < len(lines) and len(lines[last]) - len(lines[last].lstrip()) > depth:
            last += 1
        if closes:
            break
    return "\n".join(line[depth:] for line in lines[first:last])


def blocks(machine: str) -> dict[str, str]:
    """Return the block of code of each level of the network compiled for a machine, by its name."""
    texts, body = compiled_levels(machine, lambda module: print_ir(module, elide=8, width=WIDTH))
    texts_of = {
        level: "\n".join(["```mlir", *(excerpt(texts[level], begin) for begin in begins), "```"])
        for level, (_, begins) in LEVELS.items()
    }
    return texts_of | {"c": f"```c\n{excerpt(body, C_FUNCTION)}\n```"}


def with_blocks(page: str, written: Mapping[str, str]) -> str:
    """Return a page with these blocks after their marks. Raises KeyError for the mark of no level."""
    assert sorted(re.findall(MARK, page)) == sorted(written), "a mark for each level"
    block = re.compile(rf"({MARK})\n(?:```\w+\n.*?\n```\n)?", re.DOTALL)
    return block.sub(lambda match: f"{match[1]}\n{written[match[2]]}\n", page)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or check that it is current."""
    return update(PAGE, __doc__, lambda page: with_blocks(page, blocks(machine_of(page))), arguments)


if __name__ == "__main__":
    sys.exit(main())
