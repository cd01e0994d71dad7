"""Options that the commands `coop compile` and `coop run` share."""

from __future__ import annotations

import argparse

from ...compiler import Model
from ...files import path_of
from ...opt_tool import name_and_shape, name_and_value

TARGET = "hmp"


def add_mapping(parser: argparse.ArgumentParser) -> None:
    """Add the options of a model and of the mapping of its layers."""
    what = f"the machine: {TARGET}, a variant {TARGET}/NAME, or a machine file that includes it ({TARGET})"
    parser.add_argument("--target", default=TARGET, metavar="TARGET", help=what)
    what = "a letter for each layer, the first one of a processor's name: BBLGGNNN; one letter is for all layers"
    parser.add_argument("--order", default="", metavar="ORDER", help=what)
    what = "the first layers of the parts but the first, if ORDER has a letter for each part: --order GLB 3,5"
    parser.add_argument("--partition-points", default="", metavar="N,N", help=what)
    what = "slots of each queue between stages (0: one more than the stages that it spans)"
    parser.add_argument("--queue-depth", type=_depth, default=0, metavar="N", help=what)
    add = parser.add_argument_group("open models").add_argument
    what = "set a shape, open in the model or fixed"
    add("--input-shape", type=name_and_shape, action="append", default=[], metavar="NAME=1,3,224,224", help=what)
    what = "set what integers it has"
    add("--input-type", type=name_and_value, action="append", default=[], metavar="NAME=ui8", help=what)
    what = "compute what lies between DequantizeLinear and QuantizeLinear in integers"
    parser.add_argument("--integers", action="store_true", help=what)


def add_model(parser: argparse.ArgumentParser, what: str, name: str = "MODEL") -> None:
    """Add the argument of a model."""
    parser.add_argument("model", type=path_of, metavar=name, help=what)


def model_of(options: argparse.Namespace) -> Model:
    """Return the model of a command. Raises UsageError for options that contradict each other."""
    from ...runtime.inputs import once

    shapes, types = once("--input-shape", options.input_shape), once("--input-type", options.input_type)
    return Model(options.model, shapes, types, integers=options.integers)


def _depth(text: str) -> int:
    if not text.isdecimal() or int(text) > 1024:
        raise argparse.ArgumentTypeError(f"a queue has 1 to 1024 slots, or 0, not '{text}'")
    return int(text)
