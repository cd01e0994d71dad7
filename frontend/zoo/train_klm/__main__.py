"""`python -m tilewright.frontend.zoo.train_klm --text FILE... --out weights.npz` trains a keyboard language model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from io import BytesIO

import numpy as np

from ....errors import Diagnostic
from ....files import path_of, write_bytes
from .._klm import SMALL, dequantised, quantised
from .corpus import Corpus, read
from .network import arrays, pytorch
from .training import Report, Schedule, bits, train


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        "python -m tilewright.frontend.zoo.train_klm",
        description="Trains a language model of the sizes of klm-small on texts, byte by byte, on one CPU thread.",
    )
    parser.add_argument(
        "--text",
        nargs="+",
        required=True,
        metavar="FILE",
        help="UTF-8 texts, documents separated by lines of a single %%; a file named twice weighs twice",
    )
    parser.add_argument("--out", type=path_of, required=True, help="the .npz file to write the weights to, in int8")
    parser.add_argument("--steps", type=int, default=8000, help="steps of the training (default 8000)")
    parser.add_argument("--rows", type=int, default=8, help="windows of a step (default 8)")
    parser.add_argument("--length", type=int, default=512, help="tokens of a window (default 512)")
    parser.add_argument("--long", type=int, default=2048, help="the same in the last tenth (default 2048)")
    parser.add_argument("--rate", type=float, default=2e-3, help="the largest learning rate (default 0.002)")
    parser.add_argument("--seed", type=int, default=0, help="of weights, order and held-out documents (default 0)")
    parser.add_argument(
        "--checkpoint", type=path_of, help="a file that keeps the state, to go on from when started again"
    )
    options = parser.parse_args(arguments)
    try:
        pytorch().set_num_threads(1)
        schedule = Schedule(options.steps, options.rows, options.length, options.long, options.rate, options.seed)
        corpus = read(options.text, options.seed)
        print(_row("step", "characters", "minutes", "training", *corpus.held_out), flush=True)
        weights = train(SMALL, corpus, schedule, options.checkpoint, _print)
        stored = quantised(arrays(weights))
        data = BytesIO()
        np.savez_compressed(data, allow_pickle=False, **stored)
        write_bytes(options.out, data.getvalue())
        _print_held_out(corpus, weights, stored, options.long)
    except (Diagnostic, OSError) as problem:
        print(problem if isinstance(problem, Diagnostic) else f"error: {problem}", file=sys.stderr)
        return 1
    return 0


def _row(*cells: str) -> str:
    return " ".join(f"{cell:>12}" for cell in cells)


def _print(report: Report) -> None:
    held_out = [f"{value:.3f}" for value in report.held_out.values()]
    minutes = f"{report.seconds / 60:.1f}"
    print(_row(f"{report.step}", f"{report.characters}", minutes, f"{report.training:.3f}", *held_out), flush=True)


def _print_held_out(corpus: Corpus, weights: dict[str, object], stored: dict[str, np.ndarray], length: int) -> None:
    """Print the bits for each held-out byte, of each file and of all, before and after the quantisation."""
    torch = pytorch()
    small = {name: torch.from_numpy(values) for name, values in dequantised(stored, SMALL).items()}
    files = {**corpus.held_out, "all": [text for texts in corpus.held_out.values() for text in texts]}
    print(_row("held out", "documents", "bytes", "float32", "int8"))
    for name, documents in files.items():
        scores = [f"{bits(SMALL, given, documents, length):.4f}" for given in (weights, small)]
        size = sum(len(text.encode()) for text in documents)
        print(_row(name, f"{len(documents)}", f"{size}", *scores), flush=True)


if __name__ == "__main__":
    sys.exit(main())
