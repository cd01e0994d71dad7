"""The command `tilewright tpu compile`: a decoder on a paged store, its modules on the TPU of a board."""

from __future__ import annotations

import argparse

from ....files import path_of

DESCRIPTION = """\
Compile a decoder on a paged store for a board whose TPU runs modules of it; attention stays on the core.

  tilewright tpu compile klm.onnx --context 4096 --prefill 64 -o build/
  tilewright tpu compile klm.onnx --context 4096 --plugin cvi --modules qkv+ffn -o build/
  tilewright generate build/ --kv-dir kv --prompt 256,65,110,100,32 --tokens 16

The folder gets the network in C, an artefact for each module, and the plug-in that runs these. A module is qkv (norm,
projections and rotation of a layer), ffn (what is behind its attention), head or embed.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("model", type=path_of, metavar="MODEL", help="a decoder: a .onnx file, or .mlir at the graph level")
    add("-o", "--output", type=path_of, metavar="DIR", required=True, help="the folder to write")
    add("--target", default="sg2002", help="the machine (sg2002)")
    add("--context", type=rows, required=True, metavar="N", help="tokens of a sequence at most")
    add("--prefill", type=rows, metavar="N", help="a function for N tokens at once, which shares weights")
    add("--page-length", type=rows, default=32, metavar="P", help="tokens of a page (32)")
    add("--modules", default="qkv+ffn", metavar="KINDS", help="what the TPU runs, joined by + (qkv+ffn)")
    what = "who runs it: reference (bits of the core) or cvi, Sophgo's runtime (reference)"
    add("--plugin", default="reference", metavar="NAME", help=what)


def rows(text: str) -> int:
    """Return a number of tokens. Raises ArgumentTypeError for another text."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number of tokens is a positive integer, not '{text}'")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from ....compiler import Model
    from ..building import build, write
    from ..tpu.vendors import tpu_vendor

    vendor = tpu_vendor(options.plugin, options.target)
    model = Model(options.model, context=options.context, prefill=options.prefill, page_length=options.page_length)
    built = build(model, options.target, options.modules, vendor)
    files = write(built, options.output)
    program = built.compilation.program()
    artifacts = [name for name in built.artifacts.files if name.endswith((".cvi", ".twnpu"))]
    artifact_bytes = sum(len(built.artifacts.files[name]) for name in artifacts)
    print(f"modules  {' '.join(built.modules)}")
    print(f"memory   {program.arena_bytes:,} bytes of buffers, {program.weights_bytes:,} of weights")
    print(f"TPU      {artifact_bytes:,} bytes of {len(artifacts)} artefacts")
    print(f"files    {' '.join(str(file) for file in files)}")
    return 0
