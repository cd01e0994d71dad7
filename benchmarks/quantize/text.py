"""
Compare the text that PP-OCR reads with its three networks in floats and quantised by `tilewright quantize`.

    .venv/bin/pip install --no-deps --target build/packages rapidocr-onnxruntime pillow
    PYTHONPATH=build/packages python benchmarks/quantize/text.py [--pages 50] [--calibration 12] [--seed 0]

Pages of 320 x 640 pixels with one to four lines of random words and numbers are rendered in the fonts of a folder
(--fonts, DejaVu), in sizes of 20 to 40 pixels, light on dark or dark on light, with noise. Text is detected (threshold
0.3, regions between empty rows and columns, enlarged as PP-OCR does), its direction classified, and read (greedy CTC).
A line is padded or shrunk to 48 x 320. Calibration pages are others; lines for direction and recognition are those that
the networks in floats find on them, every other one turned for the direction. Networks in floats run in ONNX Runtime,
ours, quantised, as the C of `tilewright compile --integers --target native`, and in ONNX Runtime too, as plain ONNX.
--keep-float, --wide, --keep-wide, --ranges and --search are those of `tilewright quantize`. Beside it stands ONNX
Runtime's quantiser with each of its calibration methods (--theirs), for the same pages.

Equal are pages whose lines have the same text in the same order. Exit code 1 where a page differs in our C, 2 with a
message where networks cannot be compared.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np
from onnx import ModelProto
from rich.console import Console
from rich.table import Table

import tilewright
from tilewright.benchmarks.quantize.networks import CASES, METHODS, Sample, packaged, session, theirs
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import model_proto
from tilewright.frontend.quantize.folding import fold
from tilewright.frontend.quantize.network import FloatNetwork, read_network
from tilewright.frontend.quantize.quantize import QuantizeOptions, quantize
from tilewright.ir import Array
from tilewright.test.exits import exit_with

PAGE = 320, 640
LINE = 48, 320
TURN = 48, 192
THRESHOLD, LEAST_SCORE, ENLARGED = 0.3, 0.5, 1.6
"""Score of text of a pixel, least mean score of a box, and the ratio by which PP-OCR enlarges boxes."""
TURNED = 0.9
"""Least score of a line that is turned."""
LETTERS = "aaabcdeeeefghiiijklmnooopqrrrsssttttuuvwxyz"
_APART = 100_000
"""Seeds between pages of calibration and those compared."""

SHAPES: Mapping[str, tuple[int, int]] = {
    "PP-OCR detection": PAGE,
    "PP-OCR direction": TURN,
    "PP-OCR recognition": LINE,
}
Run = Callable[[Sample], list[Array]]


@dataclass(frozen=True)
class Reader:
    """The three networks, and the characters of the last one's classes."""

    detection: Run
    direction: Run
    recognition: Run
    characters: Sequence[str]

    def lines(self, page: Array) -> list[Array]:
        """Return the images of the lines of a page, from top to bottom."""
        (scores,) = self.detection({"x": normalised(page)})
        return [page[top:bottom, left:right] for top, bottom, left, right in boxes(scores[0, 0])]

    def text(self, line: Array) -> str:
        """Return the text of a line."""
        (turned,) = self.direction({"x": normalised(fitted(line, TURN))})
        upright = line[::-1, ::-1] if turned[0, 1] > TURNED else line
        (scores,) = self.recognition({"x": normalised(fitted(upright, LINE))})
        classes: Array = scores[0].argmax(axis=-1)
        changed: list[int] = classes[np.diff(classes, prepend=0) != 0].tolist()
        return "".join(self.characters[kind] for kind in changed if kind)

    def page(self, page: Array) -> list[str]:
        """Return the text of each line of a page."""
        return [self.text(line) for line in self.lines(page)]


def words(draw: np.random.Generator) -> str:
    """Return one to four words or numbers, with at most 22 characters."""
    found: list[str] = []
    for _ in range(int(draw.integers(1, 5))):
        if draw.random() < 0.25:
            digits = int(draw.integers(1, 6))
            found.append(str(int(draw.integers(0, int(10**digits)))))
            continue
        letters: list[int] = draw.integers(len(LETTERS), size=int(draw.integers(2, 9))).tolist()
        word = "".join(LETTERS[index] for index in letters)
        found.append(word.capitalize() if draw.random() < 0.3 else word)
    while len(text := " ".join(found)) > 22:
        found.pop()
    return text


def rendered(seed: int, fonts: Sequence[Path]) -> Array:
    """Return a page of text, [height, width, 3] of bytes."""
    image, drawing, font = (cast(Any, import_module(f"PIL.{name}")) for name in ("Image", "ImageDraw", "ImageFont"))
    draw = np.random.default_rng(seed)
    dark, light = int(draw.integers(0, 80)), int(draw.integers(170, 256))
    ink, ground = (dark, light) if draw.random() < 0.7 else (light, dark)
    page = image.new("L", PAGE[::-1], ground)
    top = int(draw.integers(8, 30))
    for _ in range(int(draw.integers(1, 5))):
        size = int(draw.integers(20, 41))
        if top + 2 * size > PAGE[0]:
            break
        face = font.truetype(str(fonts[int(draw.integers(len(fonts)))]), size)
        text = words(draw)
        while face.getlength(text) > PAGE[1] - 60:
            text = text[:-1].strip()
        left = int(draw.integers(20, max(21, PAGE[1] - 30 - int(face.getlength(text)))))
        drawing.Draw(page).text((left, top), text, fill=ink, font=face)
        top += int(size * draw.uniform(1.6, 2.2))
    noise = draw.normal(0, draw.uniform(0, 8), (*PAGE, 3))
    return np.clip(np.asarray(page)[..., None] + noise, 0, 255).astype(np.uint8)


def normalised(image: Array) -> Array:
    """Return an image of bytes [height, width, 3] as [1, 3, height, width], from -1 to 1."""
    return ((image.astype(np.float32) / 255 - 0.5) / 0.5).transpose(2, 0, 1)[None]


def fitted(line: Array, shape: tuple[int, int]) -> Array:
    """Return a line of text in a shape: resized to its height, narrowed to its width where longer, else padded."""
    image = cast(Any, import_module("PIL.Image"))
    height, width = shape
    wide = min(width, max(1, round(line.shape[1] * height / line.shape[0])))
    resized = np.asarray(image.fromarray(np.ascontiguousarray(line)).resize((wide, height), image.Resampling.BILINEAR))
    return np.pad(resized, ((0, 0), (0, width - wide), (0, 0)), constant_values=127)


def boxes(scores: Array) -> list[tuple[int, int, int, int]]:
    """Return top, bottom, left and right of the regions of text, enlarged, from top to bottom."""
    is_text: Array = scores > THRESHOLD
    found: list[tuple[int, int, int, int]] = []
    for first, last in spans(np.any(is_text, axis=1)):
        for start, end in spans(np.any(is_text[first:last], axis=0)):
            region, shown = scores[first:last, start:end], is_text[first:last, start:end]
            high, wide = region.shape
            if min(high, wide) < 3 or region[shown].mean() < LEAST_SCORE:
                continue
            more = round(high * wide * ENLARGED / (2 * (high + wide)))
            rows = max(0, first - more), min(PAGE[0], last + more)
            found.append((*rows, max(0, start - more), min(PAGE[1], end + more)))
    return found


def spans(flags: Any) -> list[tuple[int, int]]:
    """Return the first and the end of each run of true flags."""
    edges = np.flatnonzero(np.diff(flags.astype(np.int8), prepend=0, append=0)).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def networks() -> dict[str, ModelProto]:
    """Return PP-OCR's networks by name."""
    return {name: model_proto(packaged(CASES[name])) for name in SHAPES}


def reader(runs: Mapping[str, Run], characters: Sequence[str]) -> Reader:
    """Return a reader of networks by name."""
    detection, direction, recognition = (runs[name] for name in SHAPES)
    return Reader(detection, direction, recognition, characters)


def sessions(models: Mapping[str, ModelProto]) -> dict[str, Run]:
    """Return networks as ONNX Runtime runs them."""
    return {name: session(model) for name, model in models.items()}


def compiled(model: ModelProto) -> Run:
    """Return a network as C for this machine runs it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.onnx"
        path.write_bytes(model.SerializeToString())
        network = tilewright.load(path, "native", integers=True)
    return lambda sample: list(network.run(dict(sample)).values())


def calibration(real: Reader, pages: Sequence[Array]) -> dict[str, list[Sample]]:
    """Return the samples of each network: pages, and the lines that the networks in floats find on them."""
    lines = [line for page in pages for line in real.lines(page)]
    turned = [line[::-1, ::-1] if index % 2 else line for index, line in enumerate(lines)]
    images = {
        "PP-OCR detection": list(pages),
        "PP-OCR direction": [fitted(line, TURN) for line in turned],
        "PP-OCR recognition": [fitted(line, LINE) for line in lines],
    }
    return {name: [{"x": normalised(image)} for image in each] for name, each in images.items()}


def read_case(name: str, model: ModelProto) -> FloatNetwork:
    """Return a network of floats with its static shapes."""
    return read_network(model, folder=packaged(CASES[name]).parent, input_shapes={"x": (1, 3, *SHAPES[name])})


def folded_model(name: str, model: ModelProto) -> ModelProto:
    """Return a network with its batch normalisation folded, as another's quantiser gets it."""
    network = read_case(name, model)
    fold(network)
    return network.model()


def main() -> int:
    """Print the lines that differ and a table; returns 1 where any page differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=50, help="pages that are compared (50)")
    parser.add_argument("--calibration", type=int, default=12, help="pages for calibration (12)")
    parser.add_argument("--seed", type=int, default=0, help="other pages, for both (0)")
    parser.add_argument("--fonts", type=Path, default=Path("/usr/share/fonts/truetype/dejavu"), help="folder of .ttf")
    parser.add_argument("--keep-float", type=int, default=0, help="layers of each network that stay in floats")
    parser.add_argument("--wide", action="append", default=[], help="operator whose operands have two bytes")
    parser.add_argument("--keep-wide", type=int, default=0, help="layers of each network with operands of two bytes")
    parser.add_argument("--ranges", default=QuantizeOptions.ranges, help="ranges of tensors")
    parser.add_argument("--search", action="store_true", help="try all ranges and roundings")
    parser.add_argument("--theirs", choices=METHODS, nargs="*", default=METHODS, help="calibration of ONNX Runtime's")
    parser.add_argument("--only", choices=SHAPES, nargs="+", default=list(SHAPES), help="networks to quantise")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    fonts = sorted(options.fonts.glob("*.ttf"))
    if not fonts:
        raise Diagnostic("there are no fonts", where=str(options.fonts), expected="files .ttf", remedy="--fonts FOLDER")
    models = networks()
    properties = {entry.key: entry.value for entry in models["PP-OCR recognition"].metadata_props}
    characters = ["", *properties["character"].splitlines(), " "]
    floats = sessions(models)
    real, first = reader(floats, characters), 2 * _APART * options.seed
    known = calibration(real, [rendered(first + index, fonts) for index in range(options.calibration)])
    chosen = QuantizeOptions(
        ranges=options.ranges,
        search=options.search,
        keep=options.keep_float,
        wide=tuple(options.wide),
        keep_wide=options.keep_wide,
    )
    given = {name: read_case(name, models[name]) for name in options.only}
    made = {name: quantize(given[name], known[name], chosen).model for name in given}
    ours = reader(floats | {name: compiled(model) for name, model in made.items()}, characters)
    readers = {"ours, C": ours, "ours, in ONNX Runtime": reader(floats | sessions(made), characters)}
    folded = {name: folded_model(name, models[name]) for name in given}
    for method in options.theirs:
        made = {name: theirs(model, known[name], method) for name, model in folded.items()}
        readers[f"ONNX Runtime, {method}"] = reader(floats | sessions(made), characters)
    pages = [rendered(first + _APART + index, fonts) for index in range(options.pages)]
    wanted = [real.page(page) for page in pages]
    lines = [line for page in wanted for line in page]
    console, table = Console(width=100), Table("quantiser", "pages", "lines", "letters", "equal pages", "equal lines")
    equal: dict[str, int] = {}
    for name, each in readers.items():
        found = [each.page(page) for page in pages]
        differing = [index for index in range(len(pages)) if found[index] != wanted[index]]
        equal[name] = len(pages) - len(differing)
        same = sum(a == b for one, other in zip(wanted, found, strict=True) for a, b in zip(one, other, strict=False))
        table.add_row(name, *map(str, (len(pages), len(lines), sum(map(len, lines)), equal[name], same)))
        for index in differing if each is ours else ():
            print(f"page {index}: {wanted[index]} in floats, {found[index]} in integers", flush=True)
    console.print(table)
    return int(equal["ours, C"] < len(pages))


if __name__ == "__main__":
    exit_with(main, failed=2)
