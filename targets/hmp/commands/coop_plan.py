"""`tilewright coop plan`: which processor does what, and what comes of it, without running anything."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....files import path_of
from ....grammar import UsageError
from ....opt_tool import name_and_shape
from ..options import add_hosts, add_outstanding, count, milliseconds, outstanding_of, wanted_hosts

if TYPE_CHECKING:
    from ..plan import FramePlan

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
    add("--target", default="hmp", help="hmp, hmp/rk3399pro, hmp/rk3588, hmp/pc, hmp-native, or a machine file (hmp)")
    add("--order", default="", help="a letter for each layer, or for each part between partition points")
    add(
        "--partition-points",
        default="",
        metavar="N,N",
        help="the first layer of each part but the first, where ORDER has a letter for each part",
    )
    add("--mode", choices=("pipeline", "switch"), default="pipeline", help="all stages at once, or one frame at a time")
    add("--processors", default="", metavar="NAME,NAME", help="without an order, the processors to use (all)")
    add("--clocks", default="", metavar="NAME=MHZ", help="clocks in MHz, or L and an index from 0 (the fastest)")
    what = "in switch mode, find the clock of each layer for the least energy; layers start from --clocks"
    add("--layer-clocks", action="store_true", help=what)
    add(
        "--latency-ms",
        type=milliseconds,
        metavar="MS",
        help="longest latency of a frame, with --layer-clocks (any)",
    )
    add_hosts(parser, "whose work hand-overs to it are (the processor itself)")
    add_outstanding(parser)
    add("--queue-depth", type=count, default=0, metavar="N", help="slots of each queue (as many as all stages need)")
    add("--frames", type=count, default=12, metavar="N", help="frames to simulate (12)")
    add("--handover-ms", type=milliseconds, metavar="MS", help="the time of a hand-over between processors (modelled)")
    add("--measured", type=path_of, metavar="FILE", help="times of layers that `coop profile` wrote")
    add("--json", type=path_of, metavar="FILE", help="write the plan as JSON, too")
    add("--html", type=path_of, metavar="FILE", help="write a page with who does what over frames, too")
    add("--emit", type=path_of, metavar="FILE.mlir", help="write the program of the frames, too")
    what = "set a shape, open in the model or fixed"
    add("--input-shape", type=name_and_shape, action="append", default=[], metavar="NAME=1,3,224,224", help=what)


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


def _check_options(options: argparse.Namespace) -> None:
    """Raise UsageError for options that others, or their absence, would leave without effect."""
    if options.layer_clocks and options.mode != "switch":
        raise UsageError(
            "clocks of layers in a pipeline, where all layers compute at once",
            expected="--mode switch",
            found=f"--mode {options.mode} --layer-clocks",
            remedy="coop explore finds a clock for each processor of a pipeline",
        )
    if options.latency_ms is not None and not options.layer_clocks:
        raise UsageError(
            "--latency-ms bounds a search of clocks",
            expected="--layer-clocks",
            found="--latency-ms alone",
            remedy="give --layer-clocks too, with --mode switch",
        )
    if options.partition_points and not options.order:
        raise UsageError(
            "partition points without an order",
            expected="--order, a letter for each part",
            found=f"--partition-points {options.partition_points}",
            remedy="give --order too, or leave both out for the best order of all",
        )
    if options.processors and options.order:
        raise UsageError(
            "an order names the processors to use, and --processors others",
            expected="--order, or --processors, among which the best order is found",
            found=f"--order {options.order} --processors {options.processors}",
            remedy="leave one of them out",
        )


def _plan(options: argparse.Namespace) -> FramePlan:
    from ....files import errors_in
    from ..building import processors_of
    from ..layer_clocks import Setting, SwitchModel, best_layer_clocks
    from ..mapping import order_of
    from ..model import Driving, ProcessorClocks
    from ..plan import layered, names_of, plan, timed
    from ..search import best_mapping
    from ..settings import clocks_of, hosts_of

    _check_options(options)
    module, machine = layered(options.model, options.target, options.input_shape)
    with errors_in(options.model):
        among = names_of(options.processors, machine)
        network = timed(module, machine, options.measured, options.handover_ms)
        clock_settings = clocks_of(options.clocks, processors_of(machine), len(network.layers), switched=True)
        if of_layer := next((setting for setting in clock_settings if setting.layer is not None), None):
            raise UsageError(
                "a plan takes one clock for each processor",
                expected="PROCESSOR=MHZ, for all frames",
                found=str(of_layer),
                remedy="--layer-clocks finds clocks of layers, and coop run --mode switch sets them",
            )
        clocks = ProcessorClocks({setting.processor: setting.mhz for setting in clock_settings})
        driving = Driving(hosts_of(wanted_hosts(options), processors_of(machine)), outstanding_of(options, machine))
        settings: Sequence[Setting] = ()
        order: Sequence[str] = ()
        if options.order:
            order = order_of(options.order, options.partition_points, len(network.layers), machine)
        if options.layer_clocks:
            model = SwitchModel(network, machine, clocks, driving)
            latency = float("inf") if options.latency_ms is None else options.latency_ms * 1e6
            names = among or [engine.name for engine in machine.engines]
            best = best_layer_clocks(model, names, order, latency)
            order, settings = best.order, best.settings
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
