"""
CPU seconds of opt-tool beside xDSL's xdsl-opt and MLIR's mlir-opt: to start, to read and print, and to run passes.

    python benchmarks/opt_tool.py [--ops N] [--runs N] [--mlir-opt PATH]

The tools run in turn as whole processes, user and system time; the least of the runs is printed, and its ratio to
opt-tool's. mlir-opt is left out where there is none on PATH. Exit code 1 where opt-tool takes longer than xdsl-opt on
the long text, or its help takes more than 0.4 s.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

HELP_LIMIT = 0.4
MLIR_OPT = ("mlir-opt", "mlir-opt-21", "mlir-opt-20", "mlir-opt-19")


def chain(ops: int) -> str:
    """Return a function of `count` ops, each a use of the previous one."""
    kinds = ("addi", "muli", "subi", "xori")
    lines = ["builtin.module {", "  func.func @f(%a: i32, %b: i32) -> i32 {", "    %v0 = arith.addi %a, %b : i32"]
    lines += [f"    %v{i} = arith.{kinds[i % 4]} %v{i - 1}, %{'ab'[i % 2]} : i32" for i in range(1, ops - 3)]
    return "\n".join([*lines, f"    func.return %v{ops - 4} : i32", "  }", "}"]) + "\n"


def cpu_seconds(command: Sequence[str]) -> float:
    """Return the user and system time of a command, which must succeed."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime


def compare(commands: Mapping[str, Sequence[str]], runs: int) -> dict[str, float]:
    """Return the least time of each command; they run in turn."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            times[name].append(cpu_seconds(command))
    return {name: min(measured) for name, measured in times.items()}


def row(title: str, seconds: Mapping[str, float]) -> str:
    own = seconds["opt-tool"]
    columns = (f"{name} {time:6.3f} s ({time / own:4.2f})" for name, time in seconds.items())
    return f"{title:24}{'  '.join(columns)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ops", type=int, default=5_000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--mlir-opt", help="default: the first on PATH, also with the suffixes 21 to 19")
    arguments = parser.parse_args()
    folder = Path(sys.executable).parent
    tools = {"opt-tool": str(folder / "opt-tool"), "xdsl-opt": str(folder / "xdsl-opt")}
    mlir_opt = arguments.mlir_opt or next(filter(None, map(shutil.which, MLIR_OPT)), None)
    tools |= {"mlir-opt": mlir_opt} if mlir_opt else {}
    passes = {"opt-tool": "-p={}", "xdsl-opt": "-p={}", "mlir-opt": "--pass-pipeline=builtin.module({})"}
    slower = False
    with tempfile.TemporaryDirectory() as temporary:
        short, long = Path(temporary) / "short.mlir", Path(temporary) / "long.mlir"
        short.write_text(chain(5), encoding="utf-8")
        long.write_text(chain(arguments.ops), encoding="utf-8")
        for file, ops in ((short, 5), (long, arguments.ops)):
            for pipeline in ("", "cse", "canonicalize"):
                commands = {name: [tool, str(file)] for name, tool in tools.items()}
                for name in commands if pipeline else ():
                    commands[name].append(passes[name].format(pipeline))
                seconds = compare(commands, arguments.runs)
                print(row(f"{ops} ops, {pipeline or 'no pass'}", seconds), flush=True)
                slower |= ops > 5 and seconds["opt-tool"] > seconds["xdsl-opt"]
    print(row("--version", compare({name: [tool, "--version"] for name, tool in tools.items()}, arguments.runs)))
    help_time = compare({"opt-tool": [tools["opt-tool"], "--help"]}, arguments.runs)["opt-tool"]
    print(f"{'--help':24}opt-tool {help_time:6.3f} s (limit {HELP_LIMIT} s)")
    return int(slower or help_time > HELP_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
