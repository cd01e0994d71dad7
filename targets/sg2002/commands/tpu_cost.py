"""The command `tilewright tpu cost`: the modelled time of a decode step on a board."""

from __future__ import annotations

import argparse

from ....files import path_of

DESCRIPTION = """\
Model a decode step on a board: kernels on its core and TPU, attention over pages, reads of pages from its card.

  tilewright tpu cost klm.onnx --context 4096 --kv-memory 2MiB --kv-budget 512 --text book.txt --tokens 2000

The decoder runs on this machine over the bytes of a text; the pages that it selects are those of the board. Times are
by the machine file, whose figures are mostly assumed.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    from ....runtime.tools.store_options import add_store_arguments
    from .tpu_compile import rows

    add = parser.add_argument
    add("model", type=path_of, metavar="MODEL", help="a decoder of bytes: a .onnx file")
    add("--target", default="sg2002", help="the machine (sg2002)")
    add("--context", type=rows, required=True, metavar="N", help="tokens of a sequence at most")
    add("--page-length", type=rows, default=32, metavar="P", help="tokens of a page (32)")
    add(
        "--modules", default="qkv+ffn", metavar="KINDS", help="what the TPU runs, joined by +; empty for none (qkv+ffn)"
    )
    add("--text", type=path_of, required=True, metavar="FILE", help="what the decoder reads")
    add("--tokens", type=rows, default=256, metavar="N", help="bytes of it to read (256)")
    add_store_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from ....compiler import Model, compile_model
    from ....dialects.core.machine.attribute import machine_of
    from ....errors import Diagnostic
    from ....files import read_regular
    from ....grammar import UsageError
    from ....runtime.host import HostNetwork
    from ....runtime.tools.generate_paged import fast_flags, store_config
    from ....runtime.tools.store_options import check_budget, options_named
    from ..building import mapped
    from ..step_cost import card_of, step_cost, trace_of

    if options.kv_dir is not None:
        raise UsageError("a modelled store has no folder", found="--kv-dir", remedy="leave --kv-dir out")
    text = read_regular(options.text)[: options.tokens]
    if not text or len(text) > options.context:
        raise Diagnostic(
            "the text does not fill the context",
            where=str(options.text),
            expected=f"1 to {options.context} bytes",
            found=f"{len(text)} bytes",
            remedy="give another --tokens, or a greater --context",
        )
    check_budget(options, options.page_length)
    model = Model(options.model, context=options.context, page_length=options.page_length)
    module = mapped(model, options.target, options.modules)
    machine = machine_of(module)
    with options_named():
        network = HostNetwork(compile_model(model, options.target).program(), flags=fast_flags())
        config = store_config(network.pool_shape(), options, bytes(32))
        trace = trace_of(network, list(text), config)
    cost = step_cost(module, machine, trace, config, prefetch=False)
    ahead = step_cost(module, machine, trace, config, prefetch=True)
    card = card_of(machine)
    cold = card.seconds(config.slot)
    rows = [(name, f"{1e3 * seconds:10.2f} ms  kernels") for name, seconds in cost.kernels.items()]
    rows += [("attention", f"{1e3 * cost.attention:10.2f} ms  on the core")]
    rows += [
        ("card", f"{1e3 * cost.reads.stall:10.2f} ms  {100 * cost.reads.hit_rate:.1f} % of pages in memory"),
        ("step", f"{1e3 * cost.seconds:10.2f} ms  {1e3 * ahead.seconds:.2f} ms with pages read ahead"),
    ]
    for name, value in rows:
        print(f"{name:<10}{value}")
    print(
        f"modelled on {options.target}, mean of {len(trace)} steps; a page of {config.slot:,} bytes takes"
        f" {1e3 * cold:.2f} ms, {config.frames:,} of {config.rows * config.pages:,} have a place in memory"
    )
    return 0
