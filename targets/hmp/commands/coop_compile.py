"""The command `tilewright coop compile`: a network over the processors of a chip as a program in C."""

from __future__ import annotations

import argparse

from ....files import path_of
from ..options import add_mapping, add_model, mapping_of, model_of

DESCRIPTION = """\
Compile a network over big and little cores, a GPU and an NPU to a program in C, a thread for each stage.

  tilewright coop compile net.onnx --order BBLGGNNN -o build/
  tilewright coop compile net.onnx --target hmp/rk3588 --order GLB --partition-points 3,5 -o build/
  tilewright coop compile net.onnx --order BBLL -o build/ --shared

The folder gets network.c, the runtime, main.c with a command line of its own, and coop.json. The last line printed is
the C compiler's command, which a cross compiler may stand in. Consecutive layers of one processor are a stage. The
program takes raw frames: build/network --frames frames.bin --outputs results.bin --mode pipeline|switch --profile 1.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_model(parser, "a .onnx file, or .mlir at the graph or tensor level")
    add_mapping(parser)
    parser.add_argument("-o", "--output", type=path_of, metavar="DIR", required=True, help="the folder to write")
    what = "build libnetwork.so too, whose functions tilewright_pipeline.h declares"
    parser.add_argument("--shared", action="store_true", help=what)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from ..building import build, command_of, write_program

    built = build(model_of(options), options.target, mapping_of(options))
    files = write_program(built, options.output, shared=options.shared)
    for number, stage in enumerate(built.facts.stages):
        layers = f"layer {stage.first}" if stage.first == stage.last else f"layers {stage.first} to {stage.last}"
        print(f"stage {number}  {stage.processor}: {layers}")
    program = built.compilation.program()
    print(f"memory   {program.arena_bytes:,} bytes of buffers and queues, {program.weights_bytes:,} of weights")
    print(f"files    {' '.join(str(file) for file in files)}")
    print(command_of(options.output))
    return 0
