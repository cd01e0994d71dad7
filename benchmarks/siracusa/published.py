"""
Siracusa as Deeploy was measured on it: published figures, our model of the published flow, and our modelled plans.

    python benchmarks/siracusa/published.py [--corpus FOLDER] [--only PART,...] [--model NAME=FILE...]

with the parts mlperf, bounds, why, arenas, gvsoc, llama, linear.

The published figures are those of Scherer et al. (arXiv:2408.04413), measured on silicon at 360 MHz, and cycles on
GVSoC from Deeploy's documentation (docs/tutorials/introduction.md). *Flow* is our model of how they come about: the
operators of that flow, its kernels, tiles and transfers (flow.py), of which nothing was fitted to a network;
*off* is its error. *Ours* are our plans, modelled by the costs of targets/siracusa; *faster* is what they are modelled
to gain. *Bounds* are what engines must compute and links must move at least (bounds.py). *Measured* is what
GVSoC takes for our programs, from the results of measured.py.

CORPUS has networks of Deeploy's tests, at any depth: KeywordSpotting, ImageClassification, microLlama8 and
microLlama8_parallel, of which the last two give the Llama's operators at any position. Without it the Llama has no
model of the flow. The networks of MLPerf Tiny are those of the zoo, with random weights, or those of `--model`, and
those of the corpus.

The exit code is 1 where a figure of ours is not modelled to be better than the published one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from tilewright.benchmarks.siracusa.ours import Network
from tilewright.benchmarks.siracusa.parts import Part, Setting, arenas, bounds, gvsoc, linear, llama, mlperf, why
from tilewright.test.exits import exit_with

PARTS: dict[str, Callable[[Setting], Part]] = {
    "mlperf": mlperf,
    "bounds": bounds,
    "why": why,
    "arenas": arenas,
    "gvsoc": gvsoc,
    "llama": llama,
    "linear": linear,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="networks of Deeploy's tests")
    parser.add_argument("--only", default=",".join(PARTS), help=f"some of {', '.join(PARTS)}, with commas")
    parser.add_argument("--model", action="append", default=[], metavar="NAME=FILE", help="another file for a network")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.only.split(",") if name not in PARTS]:
        parser.error(f"there is no part '{unknown[0]}'; there are {', '.join(PARTS)}")
    files = {name: Path(file) for name, _, file in (text.partition("=") for text in options.model)}
    console = Console(width=None if sys.stdout.isatty() else 170)
    try:
        setting = Setting(console, {name: Network(file) for name, file in files.items()}, options.corpus)
    except KeyError as error:
        parser.error(f"there is no network {error}")
    parts = [PARTS[name](setting) for name in options.only.split(",")]
    slower = [claim for part in parts for claim in part.broken]
    for claim in slower:
        console.print(f"[red]not modelled to be better than published: {claim}")
    errors = [error for part in parts for error in part.errors]
    if errors:
        close = sum(abs(error) <= 0.15 for error in errors)
        console.print(f"the model of the flow is off by at most 15 % on {close} of {len(errors)} whole networks")
    judged = sum(part.judged for part in parts)
    console.print(f"{judged - len(slower)} of {judged} figures of ours are modelled to be better than published ones")
    return 1 if slower else 0


if __name__ == "__main__":
    exit_with(main, failed=2)
