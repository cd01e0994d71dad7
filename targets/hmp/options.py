"""Options that the commands `coop compile`, `coop run` and `coop profile` share."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from ...files import path_of
from ...grammar import UsageError
from ...opt_tool import name_and_shape, name_and_value

if TYPE_CHECKING:
    from ...compiler import Model
    from ...dialects.core.machine.model import Machine

TARGET = "hmp"
CORE = "core"
GPUS, NPUS = ("opencl", CORE), ("reference", "onnxruntime", "rknn", "rknn-board", CORE)
"""Ways to run the stages of a GPU and of an NPU; CORE is C on a thread of their host."""


@dataclass(frozen=True)
class Mapping:
    """
    Mapping of layers to processors: an order with its partition points, and slots of queues (0: by the compiler).

    Stages of the GPU and of the NPU are C for a core, or what runs on an OpenCL device, or an artefact of a vendor.
    """

    order: str
    points: str = ""
    depth: int = 0
    gpu: str = GPUS[0]
    npu: str = NPUS[0]
    chip: str = ""
    """Chip that the vendor makes artefacts for; its first where it is empty."""
    outstanding: int = 0
    """Frames that the NPU takes before the first is done; 0: as many as the vendor's plug-in takes."""


def add_mapping(parser: argparse.ArgumentParser) -> None:
    """Add the options of a model and of the mapping of its layers."""
    what = "a letter for each layer, the first one of a processor's name: BBLGGNNN; one letter is for all layers"
    parser.add_argument("--order", default="", metavar="ORDER", help=what)
    what = "the first layer of each part but the first, where ORDER has a letter for each part: 3,5 with GLB"
    parser.add_argument("--partition-points", default="", metavar="N,N", help=what)
    what = "frames that an NPU stage submits before the first is done (0: as many as the plug-in takes)"
    parser.add_argument("--npu-outstanding", type=_depth, default=0, metavar="N", help=what)
    what = "slots of each queue between stages (0: one more than the stages that it spans)"
    parser.add_argument("--queue-depth", type=_depth, default=0, metavar="N", help=what)
    add_machine(parser)


def add_machine(parser: argparse.ArgumentParser) -> None:
    """Add the options of a model and of the machine that it is compiled for."""
    what = f"the machine: {TARGET}, a variant {TARGET}/NAME, {TARGET}-native, or a file that includes one ({TARGET})"
    parser.add_argument("--target", default=TARGET, metavar="TARGET", help=what)
    add_devices(parser)
    add = parser.add_argument_group("open models").add_argument
    what = "set a shape, open in the model or fixed"
    add("--input-shape", type=name_and_shape, action="append", default=[], metavar="NAME=1,3,224,224", help=what)
    what = "set what integers it has"
    add("--input-type", type=name_and_value, action="append", default=[], metavar="NAME=ui8", help=what)
    what = "compute what lies between DequantizeLinear and QuantizeLinear in integers"
    parser.add_argument("--integers", action="store_true", help=what)


def add_devices(parser: argparse.ArgumentParser) -> None:
    """Add the options of the stages of GPU and NPU."""
    what = "stages of the GPU: OpenCL C, or C on a thread of a core"
    parser.add_argument("--gpu", choices=GPUS, default=GPUS[0], help=f"{what} ({GPUS[0]})")
    what = "stages of the NPU: artefacts of a vendor, which coop vendor describes, or C on a thread of a core"
    parser.add_argument("--npu", choices=NPUS, default=NPUS[0], help=f"{what} ({NPUS[0]})")
    parser.add_argument("--npu-chip", default="", metavar="CHIP", help="the chip of the artefacts (the vendor's first)")


def count(text: str) -> int:
    """Return a positive integer. Raises ArgumentTypeError."""
    if not text.isdecimal() or not 0 < int(text) < 2**31:
        raise argparse.ArgumentTypeError(f"a count is a positive integer, not '{text}'")
    return int(text)


def milliseconds(text: str) -> float:
    """Return milliseconds from 0 on. Raises ArgumentTypeError."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not (isfinite(number) and number >= 0):
        raise argparse.ArgumentTypeError(f"a time is a number of milliseconds from 0, not '{text}'")
    return number


HOSTED = "gpu", "npu"
"""Kinds of processors that others drive; names of engines begin with them."""


def add_hosts(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the options of the hosts of GPU and NPU; `what` says what a host does."""
    for kind in HOSTED:
        flag = f"--host-{kind}"
        parser.add_argument(flag, default="", metavar="NAME", help=f"the host of the {kind.upper()}, {what}")


def add_outstanding(parser: argparse.ArgumentParser) -> None:
    """Add the option of the frames that a modelled NPU takes."""
    what = "frames that the NPU takes before the first is done: it computes while its host hands over (1)"
    parser.add_argument("--npu-outstanding", type=_outstanding, default=1, metavar="N", help=what)


def outstanding_of(options: argparse.Namespace, machine: Machine) -> dict[str, int]:
    """Return the frames that each NPU of a machine takes before the first is done."""
    names = [engine.name for engine in machine.engines if engine.name.startswith(HOSTED[1])]
    count: int = options.npu_outstanding
    return dict.fromkeys(names, count)


def wanted_hosts(options: argparse.Namespace) -> dict[str, str]:
    """Return the hosts that a command is given, by kind of processor; empty where one is not given."""
    return {kind: getattr(options, f"host_{kind}") for kind in HOSTED}


def add_model(parser: argparse.ArgumentParser, what: str, name: str = "MODEL") -> None:
    """Add the argument of a model."""
    parser.add_argument("model", type=path_of, metavar=name, help=what)


def mapping_of(options: argparse.Namespace) -> Mapping:
    """Return the mapping of a command. Raises UsageError where it has no order."""
    if not options.order:
        raise UsageError(
            f"{options.command} needs an order",
            expected="--order, a letter for each layer",
            remedy="tilewright coop plan MODEL finds one",
        )
    order, points, depth = options.order, options.partition_points, options.queue_depth
    return Mapping(order, points, depth, options.gpu, options.npu, options.npu_chip, options.npu_outstanding)


def model_of(options: argparse.Namespace) -> Model:
    """Return the model of a command. Raises UsageError for options that contradict each other."""
    from ...compiler import Model
    from ...grammar import once

    shapes, types = once("--input-shape", options.input_shape), once("--input-type", options.input_type)
    return Model(options.model, shapes, types, integers=options.integers)


def _outstanding(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"an NPU takes 1 to 1024 frames, not '{text}'")
    return int(text)


def _depth(text: str) -> int:
    if not text.isdecimal() or int(text) > 1024:
        raise argparse.ArgumentTypeError(f"a queue has 1 to 1024 slots or frames, or 0, not '{text}'")
    return int(text)
