"""`tilewright coop plan`: which processor does what, and what comes of it, without running anything."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....files import path_of
from ....grammar import UsageError
from ....opt_tool import name_and_shape
from ..options import add_hosts, add_outstanding, outstanding_of, wanted_hosts

if TYPE_CHECKING:
    from ..plan import Plan

DESCRIPTION = """\
Plan a network over the processors of a chip: stages, queues, frames per second, latency and energy, modelled.

  tilewright coop plan net.onnx --target hmp/rk3399pro
  tilewright coop plan net.onnx --target hmp/rk3399pro --order BBLGGNNN
  tilewright coop plan net.onnx --target hmp/rk3399pro --order GLB --partition-points 3,5
  tilewright coop plan net.onnx --target hmp/rk3399pro --mode switch --processors big,little,gpu
  tilewright coop plan net.onnx --target hmp/rk3399pro --clocks big=1416,gpu=L2 --html plan.html
  tilewright coop plan net.onnx --target hmp/rk3399pro --host-gpu little --host-npu big
  tilewright coop plan net.onnx --target hmp/rk3399pro --mode switch --layer-clocks --latency-ms 200

A layer is a part of the network that one value alone leaves; the plan lists them. An order has a letter for each layer,
the first one of a processor's name, or for each part between partition points; a single letter is for all. Without an
order, the best one of all is found: the shortest period in a pipeline, the shortest latency in switch mode; with
--layer-clocks the one of least energy, with the clock of each layer.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("model", type=path_of, metavar="MODEL", help="an ONNX file")
    add("--target", default="hmp", help="the machine: hmp, hmp/rk3399pro, hmp/rk3588, hmp/pc, or a file (hmp)")
    add("--order", default="", help="a letter for each layer, or for each part between partition points")
    add("--partition-points", default="", metavar="N,N", help="the layers at which the network is cut")
    add("--mode", choices=("pipeline", "switch"), default="pipeline", help="all stages at once, or one frame at a time")
    add("--processors", default="", metavar="NAME,NAME", help="without an order, the processors to use (all)")
    add("--clocks", default="", metavar="NAME=MHZ", help="clocks in MHz, or L and an index from 0 (the fastest)")
    what = "in switch mode, find the clock of each layer for the least energy; layers start from --clocks"
    add("--layer-clocks", action="store_true", help=what)
    add("--latency-ms", type=float, metavar="MS", help="with --layer-clocks, the longest latency of a frame (any)")
    add_hosts(parser, "whose work hand-overs to it are (the processor itself)")
    add_outstanding(parser)
    add("--queue-depth", type=_count, default=0, metavar="N", help="slots of each queue (as many as all stages need)")
    add("--frames", type=_count, default=12, metavar="N", help="frames to simulate (12)")
    add("--handover-ms", type=float, metavar="MS", help="the time of a hand-over between processors (modelled)")
    add("--measured", type=path_of, metavar="FILE", help="times of layers that `coop profile` wrote")
    add("--json", type=path_of, metavar="FILE", help="write the plan as JSON, too")
    add("--html", type=path_of, metavar="FILE", help="write a page with who does what over frames, too")
    add("--emit", type=path_of, metavar="FILE.mlir", help="write the program of the frames, too")
    what = "set a shape, open in the model or fixed"
    add("--input-shape", type=name_and_shape, action="append", default=[], metavar="NAME=1,3,224,224", help=what)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a count is a positive integer, not '{text}'")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from ....files import check_places, write_text
    from ..page import page_of
    from ..tables import content_of, print_plan

    places = {"--json": options.json, "--html": options.html, "--emit": options.emit}
    check_places(places, [options.model])
    plan = _plan(options)
    print_plan(plan)
    if options.json:
        write_text(options.json, json.dumps(content_of(plan), indent=1) + "\n")
    if options.html:
        write_text(options.html, page_of(plan))
    if options.emit:
        write_text(options.emit, f"{plan.module}\n")
    return 0


def _plan(options: argparse.Namespace) -> Plan:
    from ....files import errors_in
    from ..building import processors_of
    from ..layer_clocks import Setting, SwitchModel, best_layer_clocks
    from ..mapping import order_of
    from ..model import Clocks, Driving
    from ..plan import layered, names_of, plan, timed
    from ..search import best_mapping
    from ..settings import clocks_of, hosts_of

    if options.layer_clocks and options.mode != "switch":
        raise UsageError(
            "clocks of layers in a pipeline, where all layers compute at once",
            expected="--mode switch",
            found=f"--mode {options.mode} --layer-clocks",
            remedy="coop explore finds a clock for each processor of a pipeline",
        )
    if options.latency_ms is not None and not options.layer_clocks:
        raise UsageError(
            "--latency-ms bounds a search of clocks", expected="--layer-clocks", found="--latency-ms alone"
        )
    module, machine = layered(options.model, options.target, options.input_shape)
    with errors_in(options.model):
        among = names_of(options.processors, machine)
        network = timed(module, machine, options.measured, options.handover_ms)
        given = clocks_of(options.clocks, processors_of(machine), len(network.layers), switched=False)
        clocks = Clocks({setting.processor: setting.mhz for setting in given})
        driving = Driving(hosts_of(wanted_hosts(options), processors_of(machine)), outstanding_of(options, machine))
        settings: Sequence[Setting] = ()
        order: Sequence[str] = ()
        if options.order:
            order = order_of(options.order, options.partition_points, len(network.layers), machine)
        if options.layer_clocks:
            model = SwitchModel(network, machine, clocks, driving)
            latency = float("inf") if options.latency_ms is None else options.latency_ms * 1e6
            names = among or [engine.name for engine in machine.engines]
            found = best_layer_clocks(model, names, order, latency)
            order, settings = found.order, found.settings
        elif not order:
            order = best_mapping(network, machine, options.mode, among, clocks, driving).order
        return plan(
            module,
            network,
            order,
            mode=options.mode,
            frames=options.frames,
            depth=options.queue_depth,
            clocks=clocks,
            driving=driving,
            settings=settings,
        )
