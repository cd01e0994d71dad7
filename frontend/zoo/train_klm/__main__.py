"""`python -m tilewright.frontend.zoo.train_klm --text FILE... --out weights.npz` trains a keyboard language model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from ....errors import Diagnostic
from ....files import check_places, path_of, write_bytes
from ....interruption import reported
from .._klm import SMALL, dequantised, quantised
from .._klm_onnx import network, opened
from .corpus import Corpus, read
from .network import arrays, pytorch
from .training import Report, TrainingSchedule, bits, train

_SUMMARY = "A language model of bytes in float32, trained on texts."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        _train(options)
    except (Diagnostic, OSError) as problem:
        print(problem if isinstance(problem, Diagnostic) else f"error: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt as error:
        words, code = reported(error)
        print(words if options.checkpoint is None else f"{words}; the same command goes on", file=sys.stderr)
        return code
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m tilewright.frontend.zoo.train_klm",
        description="Trains a language model of the sizes of klm-small on texts, byte by byte, on one CPU thread, "
        "with PyTorch. Prints bits for each token, and for each byte of held-out documents.",
    )
    parser.add_argument(
        "--text",
        nargs="+",
        required=True,
        metavar="FILE",
        help="UTF-8 texts, documents separated by lines of a single %%; a file named twice weighs twice",
    )
    parser.add_argument("--out", type=path_of, required=True, help="the .npz file to write the weights to, in int8")
    parser.add_argument("--onnx", type=path_of, help="a file to write the network to as well, its lengths open")
    parser.add_argument(
        "--checkpoint", type=path_of, help="a file that keeps the state, to go on from when started again"
    )
    parser.add_argument("--steps", type=int, default=4600, help="steps of the training (default 4600)")
    parser.add_argument("--rows", type=int, default=8, help="windows of a step (default 8)")
    parser.add_argument("--length", type=int, default=512, help="tokens of a window (default 512)")
    parser.add_argument("--long", type=int, default=2048, help="the same in the last fifth (default 2048)")
    parser.add_argument("--rate", type=float, default=2e-3, help="the largest learning rate (default 0.002)")
    parser.add_argument("--seed", type=int, default=0, help="of weights, order and held-out documents (default 0)")
    return parser


def _train(options: argparse.Namespace) -> None:
    places = {"--out": options.out, "--onnx": options.onnx, "--checkpoint": options.checkpoint}
    check_places(places, [Path(text) for text in options.text])
    pytorch().set_num_threads(1)
    schedule = TrainingSchedule(options.steps, options.rows, options.length, options.long, options.rate, options.seed)
    corpus = read(options.text, options.seed)
    print(_row("step", "tokens", "minutes", "training", *(Path(file).name for file in corpus.held_out)), flush=True)
    weights = train(SMALL, corpus, schedule, options.checkpoint, _print)
    stored = quantised(arrays(weights))
    data = BytesIO()
    np.savez_compressed(data, allow_pickle=False, **stored)
    write_bytes(options.out, data.getvalue())
    if options.onnx:
        model = opened(network("klm", _SUMMARY, SMALL, dequantised(stored, SMALL), tokens=1, past=1))
        write_bytes(options.onnx, model.SerializeToString())
    _print_held_out(corpus, weights, stored, options.long)


def _row(*cells: str) -> str:
    return " ".join(f"{cell:>12}" for cell in cells)


def _print(report: Report) -> None:
    held_out = [f"{value:.3f}" for value in report.held_out.values()]
    minutes = f"{report.seconds / 60:.1f}"
    print(_row(f"{report.step}", f"{report.tokens}", minutes, f"{report.training:.3f}", *held_out), flush=True)


def _print_held_out(corpus: Corpus, weights: dict[str, Any], stored: dict[str, np.ndarray], length: int) -> None:
    """Print the bits for each held-out byte, of each file and of all, before and after the quantisation."""
    torch = pytorch()
    small = {name: torch.from_numpy(values) for name, values in dequantised(stored, SMALL).items()}
    print(_row("held out", "documents", "bytes", "float32", "int8"))
    total = np.zeros(4)
    for file, documents in corpus.held_out.items():
        size = sum(len(text.encode()) for text in documents)
        scores = [bits(SMALL, parameters, documents, length) for parameters in (weights, small)]
        total += [len(documents), size, *(size * score for score in scores)]
        print(_scored(Path(file).name, len(documents), size, scores), flush=True)
    print(_scored("all", int(total[0]), int(total[1]), (total[2:] / total[1]).tolist()))


def _scored(name: str, documents: int, size: int, scores: Sequence[float]) -> str:
    return _row(name, f"{documents}", f"{size}", *(f"{score:.4f}" for score in scores))


if __name__ == "__main__":
    sys.exit(main())
