"""Options of a paged store on the command line."""

from __future__ import annotations

import argparse

from ...dialects.core.machine.values import Expected, size
from ...files import path_of

DEFAULT_MEMORY = 256 << 20
"""Bytes of the store's memory: those of the smallest Linux boards."""
REDUCTIONS = ("softmax-sum", "union", "max", "sum")
"""Names of runtime.paged.config.Reduction."""


def add_store_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the store."""
    add = parser.add_argument_group("paged store (with --paged)").add_argument
    what = "bytes of memory for keys and values (256MiB); pages beyond it go to --kv-dir"
    add("--kv-memory", type=_bytes, default=DEFAULT_MEMORY, metavar="SIZE", help=what)
    what = "a folder for pages; the next run goes on where this one ends, as far as the prompts are the same"
    add("--kv-dir", type=path_of, metavar="DIR", help=what)
    what = "tokens that a query attends to, in pages; 0 for all (0)"
    add("--kv-budget", type=_count, default=0, metavar="TOKENS", help=what)
    add("--kv-sinks", type=_count, default=0, metavar="PAGES", help="first pages that are always attended to (0)")
    what = "pages before a query's own that are always attended to (0)"
    add("--kv-recent", type=_count, default=0, metavar="PAGES", help=what)
    add("--kv-skip-layers", type=_count, default=0, metavar="N", help="first layers that attend to all pages (0)")
    add("--kv-type", choices=("f32", "bf16"), default="f32", help="the type of stored keys and values (f32)")
    add("--kv-eviction", choices=("lru", "clock"), default="lru", help="which pages leave the memory (lru)")
    what = "how the query heads of a KV head agree on pages (softmax-sum)"
    add("--kv-reduce", choices=REDUCTIONS, default=REDUCTIONS[0], help=what)


def _bytes(text: str) -> int:
    try:
        return size(text)
    except Expected as error:
        raise argparse.ArgumentTypeError(f"memory is a size such as 100MiB, not '{text}'") from error


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a number from 0 on, not '{text}'")
    return int(text)
