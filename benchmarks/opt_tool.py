"""
Time of opt-tool to parse, verify and print 10,000 ops, beside stock xdsl-opt, and to show its help.

    python benchmarks/opt_tool.py [--ops N] [--runs N]

The two tools run in turn as whole processes; medians of wall time are printed. Exit code 1 where opt-tool is slower,
or its help takes 0.4 s.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HELP_LIMIT = 0.4


def chain(ops: int) -> str:
    """Return a function of `count` ops, each a use of the previous one."""
    kinds = ("addi", "muli", "subi", "xori")
    lines = ["builtin.module {", "  func.func @f(%a: i32, %b: i32) -> i32 {", "    %v0 = arith.addi %a, %b : i32"]
    lines += [f"    %v{i} = arith.{kinds[i % 4]} %v{i - 1}, %{'ab'[i % 2]} : i32" for i in range(1, ops - 3)]
    return "\n".join([*lines, f"    func.return %v{ops - 4} : i32", "  }", "}"]) + "\n"


def seconds(command: list[str]) -> float:
    """Return the wall time of a command, which must succeed."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    tools = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "chain.mlir"
        file.write_text(chain(arguments.ops), encoding="utf-8")
        ours, theirs = [str(tools / "opt-tool"), str(file)], [str(tools / "xdsl-opt"), str(file)]
        times = [(seconds(ours), seconds(theirs)) for _ in range(arguments.runs)]
    help_time = statistics.median(seconds([ours[0], "--help"]) for _ in range(arguments.runs))
    mine, stock = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"parse, verify and print {arguments.ops} ops, median of {arguments.runs} runs in turn:")
    print(f"  opt-tool  {mine:6.3f} s\n  xdsl-opt  {stock:6.3f} s\n  ratio     {mine / stock:6.2f}")
    print(f"opt-tool --help  {help_time:6.3f} s (limit {HELP_LIMIT} s)")
    return int(mine > stock or help_time > HELP_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
