"""The command `tilewright coop profile`: the times of layers on the processors of this machine."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path

from ....files import check_places, path_of, write_text
from ..options import Mapping, add_machine, add_model, model_of

DESCRIPTION = """\
Measure each layer of a network on each processor of this machine, for plans and searches by measured times.

  tilewright coop profile net.onnx --processors big,little --cores big=2-3,little=0-1 -o times.json
  tilewright coop plan net.onnx --measured times.json
  tilewright coop profile net.onnx --target hmp/rk3399pro -o board.json
  tilewright coop explore net.onnx --target hmp/rk3399pro --measured board.json

The network runs whole on a processor, one frame at a time; times are medians. Stages on an NPU are artefacts, of which
each is one layer here.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_model(parser, "a .onnx file, or .mlir at the graph or tensor level")
    add_machine(parser)
    parser.add_argument("--processors", default="", metavar="NAME,NAME", help="the processors to measure (all)")
    parser.add_argument("--frames", type=path_of, metavar="PATH", help="raw frames to measure on (12 random ones)")
    what = "the CPUs of this machine that stand for each processor: big=2-3,little=0+1 (any)"
    parser.add_argument("--cores", default="", metavar="TABLE", help=what)
    parser.add_argument("-o", "--output", type=path_of, required=True, metavar="FILE.json", help="the file to write")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from ....dialects.core.machine.attribute import machine_of
    from ..building import layered_module, processors_of
    from ..measuring import measured_times
    from ..plan import names_of
    from ..settings import cores_of

    check_places({"--output": options.output}, [options.model, options.frames])
    model = model_of(options)
    machine = machine_of(layered_module(model, options.target))
    names = names_of(options.processors, machine) or [engine.name for engine in machine.engines]
    present = sorted(os.sched_getaffinity(0))
    cores = cores_of(options.cores, processors_of(machine), present) if options.cores else {}
    with tempfile.TemporaryDirectory(prefix="tilewright-") as scratch:
        choice = Mapping("", gpu=options.gpu, npu=options.npu, chip=options.npu_chip)
        content = measured_times(model, options.target, choice, names, options.frames, cores, Path(scratch))
    write_text(options.output, json.dumps(content, indent=1) + "\n")
    for name, column in content["times_ms"].items():
        print(f"{name:<10} {sum(column):10.3f} ms: {', '.join(f'{time:.3f}' for time in column)}")
    return 0
