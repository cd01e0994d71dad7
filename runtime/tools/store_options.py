"""Options of a paged store on the command line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Generator
from contextlib import contextmanager

from ...dialects.core.machine.values import Expected, SizeForm
from ...errors import Diagnostic
from ...files import path_of
from ..paged.status import PagedError, Status

DEFAULT_MEMORY = 256 << 20
"""Bytes of the store's memory: those of the smallest Linux boards."""
REDUCTIONS = ("softmax-sum", "union", "max", "sum")
"""Names of runtime.paged.config.Reduction."""

OPTIONS = {
    "memory": "--kv-memory",
    "budget_pages": "--kv-budget",
    "sinks": "--kv-sinks",
    "recent": "--kv-recent",
    "skip_layers": "--kv-skip-layers",
    "page_length": "--page-length",
    "context": "--context",
    "capacity": "--context",
}
"""Field of a store's configuration -> the option that decides it."""
_FIELD = re.compile(rf"(?:\bthe )?\b({'|'.join(OPTIONS)})\b")
_REMEDIES = {
    Status.NO_MEMORY: "give a greater --kv-memory, or a smaller --kv-budget or --context",
    Status.NO_SPACE: "free space on the disk of --kv-dir, or give a greater --kv-memory",
}


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


def add_trace_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that records the pages of each step."""
    what = "with --paged: write the pages of each step to a file, for `tilewright paged simulate`"
    parser.add_argument("--kv-trace", type=path_of, metavar="FILE", help=what)


def _bytes(text: str) -> int:
    try:
        return SizeForm().read(text)
    except Expected as error:
        raise argparse.ArgumentTypeError(f"memory is a size such as 100MiB, not '{text}'") from error


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a number from 0 on, not '{text}'")
    return int(text)


def check_budget(options: argparse.Namespace, page_length: int) -> None:
    """Raise Diagnostic for a budget of fewer tokens than the pages hold that are always attended to."""
    pages = options.kv_sinks + options.kv_recent + 1
    if not 0 < options.kv_budget <= (pages - 1) * page_length:
        return
    raise Diagnostic(
        "--kv-budget is below the pages that are always attended to",
        expected=f"0 for all, or more than {(pages - 1) * page_length} tokens: --kv-sinks {options.kv_sinks} and"
        f" --kv-recent {options.kv_recent}, pages of {page_length} tokens, and the query's own page",
        found=f"{options.kv_budget} tokens",
        remedy="give a greater --kv-budget, or fewer --kv-sinks or --kv-recent",
    )


@contextmanager
def options_named() -> Generator[None]:
    """Name options in errors of a store in place of the fields of its configuration."""
    try:
        yield
    except PagedError as error:
        if error.status in (Status.BAD_ARGUMENT, Status.NO_MEMORY):
            error.message, error.expected, error.remedy = map(_named, (error.message, error.expected, error.remedy))
        error.remedy = _REMEDIES.get(error.status, error.remedy)
        raise


def _named(text: str) -> str:
    return _FIELD.sub(lambda match: OPTIONS[match[1]], text)
