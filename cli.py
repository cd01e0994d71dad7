"""
`tilewright`: compile, run, check. This file is the command line alone; `commands.py` executes it.

Nothing of xDSL, ONNX or NumPy is imported before it is needed, so that `--help` is immediate.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from . import commands
from .completion import SHELLS, Tool, completion
from .discovery import TEMPLATES, module_at, scope, target_files
from .errors import did_you_mean, warnings_as_lines
from .files import path_of, write_stdout
from .interruption import reported
from .opt_tool import CommandParser, as_process, name_and_shape, name_and_value

_DESCRIPTION = """\
Compile neural networks for small machines, and run them at any level.

Commands:
{commands}

  tilewright compile net.onnx --target host -o build/
  tilewright run build/ --inputs in.npz --outputs out.npz
  tilewright check corpus/ --target host --on interpreter --on host
  tilewright profile net.onnx --target mysoc.toml --html profile.html
  tilewright explore net.onnx --target mysoc.toml --vary levels.L1.size=64KiB,128KiB -o points.jsonl
  tilewright generate llama.onnx --prompt 1,2,3 --tokens 16
  tilewright import net.onnx --report
  tilewright quantize net.onnx --calibration data.npz -o net_int8.onnx
  tilewright targets
"""

_COMPILE = """\
Turn a model into C for a target: network.c, network.h, the weights, report.json and pipeline.txt.

  tilewright compile net.onnx -o build/
  tilewright compile net.onnx -o build/ --input-shape x=1,3,32,32 --input-type x=ui8
  cc -std=c11 -O2 -I build build/network.c build/weights.[cS] main.c -lm
  tilewright compile a.onnx -o build/ --name a --shared
  tilewright compile --print-pipeline --target host
"""

_RUN = """\
Run a model, or a folder that compile wrote, on arrays from a file.

  tilewright run net.onnx --inputs in.npz
  tilewright run build/ --inputs in.npz --outputs out.npz --on sanitizers
  tilewright run net.onnx --inputs in.npz --on interpreter --stop-after tensor
  tilewright run llama.onnx --context 256 --inputs steps.npz

Arrays with one axis more than their inputs are steps, which a network with state (--context) does one after the other.
"""

_CHECK = """\
Compile networks, run them and compare with golden outputs: integers exactly, floats within a bound of their magnitude.

  tilewright check corpus/
  tilewright check corpus/ more/resnet8 --on interpreter --on host --on sanitizers
  tilewright check corpus/ --target siracusa --on simulator
  tilewright check net.onnx --target siracusa --against onnxruntime

With --against no golden outputs are needed: the network runs in two ways on the same inputs, and the first ONNX node
with other values is named, which of the two is wrong there, and after which pass.

Where it runs:
  interpreter  the program after --stop-after, op by op
  simulator    its kernels and transfers when the machine's model says: what does not wait for its data is wrong
  host         the C, compiled for this machine; sanitizers: with ASan and UBSan
  rv32         the C as a program for one RISC-V core, on an emulator
  spike        the C as a program for one RV64 core, on the simulator Spike
  others       simulators of the target's own chip: tilewright targets NAME lists them

A corpus holds, at any depth, folders with network.onnx, inputs.npz and outputs.npz. The exit code is 1 if any differs.
"""

_PROFILE = """\
Compile a model for a target and show where its time goes there, modelled; with --on also as a simulator counts it.

  tilewright profile net.onnx --target mysoc.toml
  tilewright profile net.onnx --target mysoc.toml --html profile.html --trace trace.json
"""

_EXPLORE = """\
Find the machines for a network: model it at all points of a design space, and mark those that are Pareto-optimal.

  tilewright explore net.onnx --target mysoc.toml --vary levels.L1.size=64KiB,128KiB -o points.jsonl --html plot.html
  tilewright explore net.onnx --target mysoc.toml --vary links.dma.width=4,8 --vary clock.mhz=250,370 -o points.jsonl
  tilewright explore a.onnx b.onnx --target pim --by schedule --vary nodes=8x8,16x16 -o points.jsonl --machines best/
  tilewright explore net.onnx --target siracusa --vary levels.L1.size=64KiB,1MiB -o points.sqlite --cluster tcp://head:8786
  tilewright explore --target pim --by schedule --list

An axis is a key of the machine file, an option of a pass of the pipeline, `batch`, or a short name that the target
declares; its points are all combinations of values. Points run in processes; each is in the file of results as soon as
it ends, one that fails with its error. Interrupted or killed, the command goes on when it is started again: it
evaluates what the file lacks. The file is .jsonl or .sqlite; .csv and .parquet are tables beside an .sqlite.
"""

_REPLAY = """\
Prove a program; where it is refused, find an execution that shows the fault: a race, a read of nothing, a deadlock.

  tilewright replay program.mlir --target mysoc.toml
  tilewright replay program.mlir --inputs in.npz --seeds 100
  tilewright replay program.mlir --against right.mlir

The programs that a refusal names run as early and as late as streams allow, transfers move their data as they are
issued or at their waits, and memory that nothing has written holds other bytes. The exit code is 0 where the program is
proved.
"""

_GENERATE = """\
Continue a text with a language model that keeps its caches as state: tokens in, tokens out.

  tilewright generate llama.onnx --prompt 1,2,3 --tokens 16
  tilewright generate llama.onnx --prompt 1,2,3 --tokens 16 --context 256 --on interpreter
  tilewright generate llama.onnx --prefill prompt.onnx --prompt 1,2,3,4,5,6,7,8
  tilewright generate build/ --prompt 1,2,3

The next token is the one of the greatest score. The state has --context rows, by default as many as are needed.
"""

_IMPORT = """\
Show a model as IR, or all that keeps it from being compiled, at once.

  tilewright import net.onnx -o net.mlir
  tilewright import net.onnx --report
  tilewright import net.onnx --report --target siracusa --input-shape x=1,3,224,224
"""

_QUANTIZE = """\
Quantise a network of floats to 8-bit integers, in plain ONNX, and show the error of each layer.

  tilewright quantize net.onnx --calibration data.npz -o net_int8.onnx
  tilewright quantize net.onnx --calibration a.npz --calibration b.npz -o net_int8.onnx --json error.json
  tilewright quantize net.onnx --calibration data.npz -o net_int8.onnx --weights tensor --float Softmax --float Conv_0
  tilewright compile net_int8.onnx --integers -o build/
  tilewright quantize decoder.onnx --weights-only bf16 -o decoder_bf16.onnx

The arrays of the calibration data have the names of the inputs, and samples of them along the first axis. Convolutions,
matrix products, sums, products and means become integers; softmax and normalisations stay floats.
"""

_TARGETS = """\
List the targets, or show one: the phases of its pipeline, its memories, links and engines.

  tilewright targets
  tilewright targets host
  tilewright targets mysoc.toml
  tilewright targets ./mysoc
  tilewright targets --schema

The JSON Schema completes and checks machine files in editors that know TOML: the first line `#:schema FILE` of a
machine file names it. Of a target outside of the package, `tilewright targets ./mysoc --schema` has its functions too.
"""


_OPERATORS = """\
List the ONNX operators, or show some: the opsets that changed each, its facts, and every place that treats it.

  tilewright operators
  tilewright operators Conv QLinearConv
  tilewright operators com.microsoft.MatMulNBits
  tilewright operators --json operators.json
"""


_REMARKS = """\
Show why passes did what they did, and what they refused, from a file of remarks: as text, or as a page.

  tilewright compile net.onnx -o build/ --remarks remarks.json
  tilewright remarks remarks.json --filter missed
  tilewright remarks remarks.json --explain Conv_3
  tilewright remarks remarks.json -o remarks.html
"""


_PAGED_FSCK = """\
Check the files of a paged key-value store: headers, checksums, digests against keys, references.

  tilewright paged fsck session/

Each fault is a line; the exit code is 1 if there is one. The folder must not be open.
"""

_PAGED_SHOW = """\
Show the folder of a paged key-value store: its configuration, files and sequences, with their last tokens.

  tilewright paged show session/
"""

_PAGED_SIMULATE = """\
Simulate the reads of a recorded workload of a paged store: other memories, policies of eviction, and disks.

  tilewright generate klm.onnx --paged --context 4096 --kv-budget 512 --kv-trace 512.trace --prompt 1,2,3 --tokens 64
  tilewright paged simulate 512.trace --target linux-board --kv-memory 2MiB,8MiB

The disk is a level of the machine file, behind a link: its start-up is the latency of a read, its width and clock the
bandwidth. Of each policy it prints the share of touched pages that are in memory, the bytes that a token reads, how
long it waits for them, and the tokens a second; `belady` is the least that any policy reads on demand.
"""

_KEYBOARD = """\
Type with a language model of bytes in a terminal: suggestions while typing, several documents, figures of the store.

  tilewright keyboard klm.onnx --kv-dir session/
  tilewright keyboard klm.onnx --context 65536 --prefill 16 --kv-memory 100MiB --kv-budget 1024 --kv-dir session/
  tilewright keyboard build/

Tab takes what is suggested, the right arrow a word of it. With --kv-dir documents are saved at the end, and are there
again the next time. It needs the extra of the package: pip install 'tilewright[keyboard]'. `tilewright keyboard build`
makes a server of the model for a keyboard on a serial line.
"""

_KEYBOARD_BUILD = """\
Compile a language model of bytes, its paged store and a keyboard server to one program in C, and build it.

  tilewright keyboard build klm.onnx -o build/
  tilewright keyboard build klm.onnx --context 65536 --prefill 16 --target native --cc "cc -march=native" -o build/
  tilewright keyboard build klm.onnx --cc "riscv64-linux-gnu-gcc -static" -o build/
  build/keyboard --text --kv-dir session/

The folder gets network.c, the store, the server and the program, `keyboard`, whose --help shows its options. The last
line printed is the C compiler's command.
"""

_LSP = """\
Serve editors as a language server for .mlir files: errors, hover, definitions, references, rename, completion.

  tilewright lsp
  tilewright lsp --load-pass my_pass.py --target ./mysoc

It speaks the language server protocol on standard input and output; an editor starts it (docs/lsp.md). It needs the
extra of the package: pip install 'tilewright[lsp]'.
"""

_MACHINE = "the target: a name that `tilewright targets` lists, a folder anywhere, a machine file (host)"


_COMPLETION = """\
Print the script by which a shell completes commands, options and targets of tilewright and opt-tool.

  tilewright completion bash
  tilewright completion zsh
  tilewright completion fish

In ~/.bashrc and, after compinit, in ~/.zshrc:  eval "$(tilewright completion bash)", or zsh
In ~/.config/fish/config.fish:  tilewright completion fish | source
"""

_NEW_TARGET = """\
Write the folder of a new target: a machine, its pipeline, a cost function, instructions in IR and C, and a pass.

  tilewright new-target mysoc
  tilewright new-target mysoc -o targets/
  tilewright new-target mysoc --kind accelerator
  tilewright compile net.onnx --target ./mysoc -o build/
"""

_NEW_PASS = """\
Write the folder of a new pass: the pass, lit tests of what it does and what it leaves, and a test on random programs.

  tilewright new-pass double-sums
  tilewright new-pass double-sums -o passes/

Then, in the folder: lit -v . runs the .mlir files, pytest all tests.
"""


def _new_parser(name: str, description: str) -> CommandParser:
    """Return the parser of a command, with the options that all commands have."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = CommandParser(name, description=description, formatter_class=layout, allow_abbrev=False, add_help=False)
    parser.add_argument("-h", "--help", action="help", help="show this")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    what = "a Python file whose passes and dialects to know"
    parser.add_argument("--load-pass", type=path_of, action="append", default=[], metavar="FILE.py", help=what)
    return parser


def _parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse a command line. Raises UsageError where it is wrong, and SystemExit after `--help`."""
    place = _command_index(words)
    name = words[place] if place < len(words) else ""
    if words == ["--version"]:
        print(_version())
        raise SystemExit(0)
    if not name or words[0] in ("-h", "--help"):
        parser = _new_parser("tilewright", _DESCRIPTION.format(commands=_overview()))
        parser.add_argument("--version", action="store_true", help="print the version")
        parser.add_argument("command", metavar="COMMAND", help="one of those above; COMMAND --help says more")
        parser.parse_args(words or ["--help"])
    all_commands = _commands()
    words, name = _joined(words, place, all_commands)
    if name not in all_commands:
        remedy = did_you_mean(name, all_commands) or "tilewright --help shows the commands"
        raise commands.usage_error(f"there is no command '{name}'", expected=", ".join(all_commands), remedy=remedy)
    parser = _parser_of(name)
    options, unknown = parser.parse_known_args([*words[:place], *words[place + 1 :]])
    options.command = name
    options.flags = [word.partition("=")[0] for word in words if word.startswith("--")]
    if not unknown:
        return options
    flags = [flag for action in parser._actions for flag in action.option_strings]  # pyright: ignore[reportPrivateUsage]
    near = did_you_mean(unknown[0].partition("=")[0], flags) if unknown[0].startswith("-") else ""
    raise commands.usage_error(
        f"{name} knows no '{unknown[0]}'", remedy=near or f"{parser.prog} --help shows the options"
    )


def _command_index(words: Sequence[str]) -> int:
    """Return the place of the first word that is no option and no file of `--load-pass`; without one the length."""
    pairs = enumerate(zip(["", *words], words, strict=False))
    positions = (place for place, (before, word) in pairs if not word.startswith("-") and before != "--load-pass")
    return next(positions, len(words))


def _joined(words: Sequence[str], place: int, names: Iterable[str]) -> tuple[Sequence[str], str]:
    """
    Join the two words of a command of two, such as `foo bar`; return the words and the command's name.

    A first word that is a command itself stays alone, unless the second makes another command of it.
    """
    name, rest = words[place], words[place + 1 :]
    if name in names and (not rest or f"{name} {rest[0]}" not in names):
        return words, name
    if not any(command.startswith(f"{name} ") for command in names):
        return words, name
    if not rest or rest[0].startswith("-"):
        wanted = [command for command in names if command.startswith(f"{name} ")]
        if rest[:1] in (["-h"], ["--help"]):
            write_stdout(_overview(wanted) + "\n")
            raise SystemExit(0)
        raise commands.usage_error(
            f"{name} alone is no command", expected=", ".join(wanted), remedy=f"tilewright {name} --help lists them"
        )
    name = f"{name} {rest[0]}"
    return [*words[:place], name, *rest[1:]], name


def _parser_of(command: str) -> CommandParser:
    description, add_options, _ = _commands()[command]
    parser = _new_parser(f"tilewright {command}", description)
    add_options(parser)
    return parser


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--target",
        default="host",
        help=_MACHINE,
    )
    _add_open_models(parser)
    _add_state(parser)
    _add_integers(parser)


def _add_threads(parser: argparse.ArgumentParser) -> None:
    what = "share the kernels of the C among N threads, on targets with threads (1)"
    parser.add_argument("--threads", type=_threads, default=1, metavar="N", help=what)


def _threads(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number of threads is a positive integer, not '{text}'")
    return int(text)


def _add_integers(parser: argparse.ArgumentParser, *, shifts: bool = True) -> None:
    what = "compute what lies between DequantizeLinear and QuantizeLinear in integers"
    parser.add_argument("--integers", action="store_true", help=what)
    if not shifts:
        return
    what = "with --integers, requantise by integer products and shifts, as NPUs do: results may be off by a step"
    parser.add_argument("--shifts", action="store_true", help=what)


def _add_open_models(parser: argparse.ArgumentParser, names: Sequence[str] = ("--output-name",)) -> None:
    add = parser.add_argument_group("open models").add_argument
    shape, kind, value = "NAME=1,3,224,224", "NAME=ui8", "NAME=1,2"
    what = "set a shape, open in the model or fixed"
    add("--input-shape", type=name_and_shape, action="append", default=[], metavar=shape, help=what)
    add("--input-type", type=name_and_value, action="append", default=[], metavar=kind, help="set what integers it has")
    what = "make an input whose value decides shapes a constant"
    add("--input-value", type=name_and_value, action="append", default=[], metavar=value, help=what)
    what = "compute this tensor, and of the model what leads to it; repeatable (all outputs)"
    add(*names, dest="output_name", action="append", default=[], metavar="NAME", help=what)


def _add_state(parser: argparse.ArgumentParser) -> None:
    what = "keep caches as state of N rows, with one input 'position'"
    parser.add_argument("--context", type=_rows, default=0, metavar="N", help=what)
    what = "with --context: a function for every R rows, so that a call costs what its position needs"
    parser.add_argument("--bucket", type=_rows, default=0, metavar="R", help=what)


def _add_prefill(parser: argparse.ArgumentParser) -> None:
    what = "the same network for several tokens at once, N of them where its length is open; shares state and weights"
    parser.add_argument("--prefill", type=_prefill, metavar="MODEL|N", help=what)


def _add_paged(parser: argparse.ArgumentParser) -> None:
    what = (
        "with --context: keep keys and values in a paged store, of which a query attends to a selection (docs/paged.md)"
    )
    parser.add_argument("--paged", action="store_true", help=what)
    parser.add_argument("--page-length", type=_rows, default=32, metavar="P", help="tokens of a page (32)")


def _prefill(text: str) -> Path | int:
    return _rows(text) if text.isdecimal() else path_of(text)


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a seed is an integer from 0, not '{text}'")
    return int(text)


def _rows(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number of rows is a positive integer, not '{text}'")
    return int(text)


def _add_compile(parser: argparse.ArgumentParser) -> None:
    what = "a .onnx file, or .mlir at the graph, tensor or buffer level, such as a program in hier"
    parser.add_argument("model", type=path_of, nargs="?", metavar="MODEL", help=what)
    parser.add_argument("-o", "--output", type=path_of, metavar="DIR", help="the folder for network.c and the rest")
    parser.add_argument("--print-pipeline", action="store_true", help="print the target's pipeline and do nothing")
    what = "what all names and files of the C begin with, so that several networks are one program (network)"
    parser.add_argument("--name", default="", metavar="PREFIX", help=what)
    what = "build a shared library for this machine too, libPREFIX.so, which ctypes loads"
    parser.add_argument("--shared", action="store_true", help=what)
    what = "build programs that need no operating system too, for targets that have them"
    parser.add_argument("--bare", action="store_true", help=what)
    what = "what the programs of --bare run on (zeros)"
    parser.add_argument("--inputs", type=path_of, metavar="FILE.npz", help=what)
    what = "write why passes decided so, to a .json or .html file; '-': to standard error"
    parser.add_argument("--remarks", action="append", default=[], metavar="FILE", help=what)
    _add_threads(parser)
    _add_model_options(parser)
    _add_prefill(parser)
    _add_paged(parser)


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=path_of, metavar="MODEL|DIR", help="a model, or a folder that compile wrote")
    parser.add_argument("--inputs", type=path_of, required=True, metavar="FILE.npz", help="arrays, by name or in order")
    parser.add_argument("--outputs", type=path_of, metavar="FILE.npz", help="where the outputs go")
    parser.add_argument(
        "--on", metavar="PLACE", help="interpreter, simulator, host, sanitizers, rv32, spike or the chip's (host)"
    )
    parser.add_argument("--stop-after", default="", metavar="PHASE", help="the level to interpret (the last)")
    what = "with --on interpreter: a random order of concurrent programs and asynchronous accesses"
    parser.add_argument("--interleave", type=_seed, metavar="SEED", help=what)
    _add_simulator(parser)
    _add_threads(parser)
    _add_model_options(parser)


def _add_simulator(parser: argparse.ArgumentParser) -> None:
    what = "with --on spike: the ISA of the core (rv64gc), such as rv64gc_zba_zbb"
    parser.add_argument("--isa", metavar="ISA", help=what)
    what = "with --on spike: another's coprocessor in place of the target's, a shared object and the extension's name"
    parser.add_argument("--extension", type=_extension, metavar="FILE.so[:NAME]", help=what)
    what = "with --on spike or the chip's simulator: the wall-clock time after which a run is killed (600)"
    parser.add_argument("--time-limit", type=_seconds, metavar="SECONDS", help=what)


def _extension(text: str) -> tuple[Path, str]:
    """Return the file and the name of a simulator's extension: that of the file libNAME.so where none is given."""
    file, _, name = text.partition(":")
    path = path_of(file)
    return path, name or path.stem.removeprefix("lib")


def _seconds(text: str) -> float:
    try:
        if 0 < (seconds := float(text)) < float("inf"):
            return seconds
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"a time is a positive number of seconds, not '{text}'")


def _add_check(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("corpora", type=path_of, nargs="+", metavar="CORPUS", help="folders that hold networks, at any depth")
    add(
        "--on",
        action="append",
        metavar="PLACE",
        help="interpreter, simulator, host, sanitizers, rv32, spike or the chip's; repeatable (host)",
    )
    add("--stop-after", default="kernels", metavar="PHASE", help="the level to interpret (kernels)")
    _add_against(parser)
    _add_tolerance(parser)
    _add_simulator(parser)
    _add_open_models(parser, ("--output-name", "--output"))
    _add_state(parser)
    _add_threads(parser)
    _add_integers(parser)
    add(
        "--target",
        default="host",
        help=_MACHINE,
    )


def _add_against(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("comparison with another execution, without golden outputs").add_argument
    what = "compare with onnxruntime, with the ONNX operators in the interpreter, or with another target"
    add("--against", metavar="OTHER", help=what)
    add("--inputs", type=path_of, metavar="FILE.npz", help="its inputs; else inputs.npz beside the model, else random")
    add("--seed", type=_natural, metavar="N", help="the seed of random inputs (0)")


def _natural(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a seed is an integer from 0, not '{text}'")
    return int(text)


def _add_tolerance(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group(
        "tolerance", "Without these, integers are exact and floats within a bound that follows from their types."
    ).add_argument
    what = "accept floats that differ by at most ATOL + RTOL times the expected magnitude"
    add("--atol", type=_bound, metavar="ATOL", help=what)
    add("--rtol", type=_bound, metavar="RTOL", help="see --atol")
    what = "accept quantised values that differ by at most N steps, also where floats are made of them"
    add("--steps", type=_steps, default=0, metavar="N", help=what)


def _bound(text: str) -> float:
    try:
        if 0 <= (bound := float(text)) < float("inf"):
            return bound
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"a bound is a number from 0, not '{text}'")


def _steps(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a number of steps is an integer from 0, not '{text}'")
    return int(text)


def _add_profile(parser: argparse.ArgumentParser) -> None:
    from .runtime.tools.profile import add_arguments

    add_arguments(parser)
    _add_simulator(parser)
    _add_threads(parser)
    _add_model_options(parser)


def _add_explore(parser: argparse.ArgumentParser) -> None:
    from .runtime.tools.explore.command import add_arguments

    add_arguments(parser)
    _add_model_options(parser)


def _add_replay(parser: argparse.ArgumentParser) -> None:
    from .runtime.tools.replay import add_arguments

    add_arguments(parser)


def _add_generate(parser: argparse.ArgumentParser) -> None:
    from .runtime.tools.generate import add_arguments
    from .runtime.tools.store_options import add_store_arguments, add_trace_argument

    add_arguments(parser)
    _add_threads(parser)
    _add_model_options(parser)
    _add_prefill(parser)
    _add_paged(parser)
    add_store_arguments(parser)
    add_trace_argument(parser)


def _add_import(parser: argparse.ArgumentParser) -> None:
    from .runtime.tools.gaps import add_arguments

    add_arguments(parser)
    _add_open_models(parser)
    _add_integers(parser, shifts=False)


def _add_quantize(parser: argparse.ArgumentParser) -> None:
    from .runtime.tools.quantize import add_arguments

    add_arguments(parser)
    _add_open_models(parser)


def _add_remarks(parser: argparse.ArgumentParser) -> None:
    from .runtime.tools.remarks import add_arguments

    add_arguments(parser)


def _add_new_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the target's name, that of its folder")
    what = "a core with an instruction and a scratchpad, or a systolic array with accumulators beside a core (core)"
    parser.add_argument(
        "--kind", choices=sorted(template.name for template in TEMPLATES.iterdir()), default="core", help=what
    )
    what = "the folder in which the target's folder is made (the current one)"
    parser.add_argument("-o", "--output", type=path_of, default=Path(), metavar="DIR", help=what)


def _add_new_pass(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the pass's name, that of its folder: words joined by '-'")
    what = "the folder in which the pass's folder is made (the current one)"
    parser.add_argument("-o", "--output", type=path_of, default=Path(), metavar="DIR", help=what)


def _add_completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def _completion(options: argparse.Namespace) -> int:
    """Run `tilewright completion`."""
    from .dialects.core.machine.file import variants
    from .dialects.core.machine.targets import machines
    from .opt_tool import argument_parser
    from .runtime.tools.session import places

    targets = [*machines(), *variants()]
    values = {"--on": places(), "--target": targets, "targets": targets, "completion": SHELLS}
    names = _commands()
    parsers = {name: _parser_of(name) for name in names if " " not in name}
    for group in dict.fromkeys(name.partition(" ")[0] for name in names if " " in name):
        own = [name for name in names if name == group or name.startswith(f"{group} ")]
        seconds = [name.partition(" ")[2] for name in own if name != group]
        parsers[group], values[group] = _with_all_options(group, own), seconds
    tools = [
        Tool("tilewright", parsers, values, ["--target", "targets"]),
        Tool("opt-tool", {"": argument_parser()}, {"--target": targets}, ["--target"]),
    ]
    print(completion(options.shell, tools), end="")
    return 0


def _with_all_options(group: str, names: Sequence[str]) -> CommandParser:
    """Return a parser with the options of all commands of a group."""
    parser, taken = _new_parser(f"tilewright {group}", ""), {"-h", "--help", "--debug", "--load-pass"}
    for name in names:
        actions = _parser_of(name)._actions  # pyright: ignore[reportPrivateUsage]
        for action in (action for action in actions if taken.isdisjoint(action.option_strings)):
            parser._add_action(action)  # pyright: ignore[reportPrivateUsage]
            taken.update(action.option_strings)
    return parser


def _add_paged_folder(parser: argparse.ArgumentParser) -> None:
    from .runtime.tools.paged import add_arguments

    add_arguments(parser)


def _add_paged_simulate(parser: argparse.ArgumentParser) -> None:
    from .runtime.tools.paged_simulate import add_arguments

    add_arguments(parser)


def _add_keyboard(parser: argparse.ArgumentParser) -> None:
    from .runtime.tools.keyboard import add_arguments

    add_arguments(parser)
    _add_keyboard_model(parser)


def _add_keyboard_build(parser: argparse.ArgumentParser) -> None:
    from .runtime.tools.keyboard_build import add_arguments

    add_arguments(parser)
    _add_keyboard_model(parser)


def _add_keyboard_model(parser: argparse.ArgumentParser) -> None:
    """Add the options of a decoder on a paged store."""
    add = parser.add_argument
    add("--target", default="host", help=_MACHINE)
    add("--context", type=_rows, default=4096, metavar="N", help="tokens of a document at most (4096)")
    add("--page-length", type=_rows, default=32, metavar="P", help="tokens of a page (32)")
    _add_prefill(parser)
    _add_open_models(parser)
    _add_integers(parser)


def _add_lsp(parser: argparse.ArgumentParser) -> None:
    from .runtime.lsp.command import add_arguments

    add_arguments(parser)


def _add_targets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="TARGET", help="a name, a folder or a machine file")
    parser.add_argument("--schema", action="store_true", help="print the JSON Schema of machine files")


def _add_operators(parser: argparse.ArgumentParser) -> None:
    from .runtime.tools.operator_places import add_arguments

    add_arguments(parser)


_Command: TypeAlias = "tuple[str, Callable[[CommandParser], None], Callable[[argparse.Namespace], int]]"

_COMMANDS: dict[str, _Command] = {
    "compile": (_COMPILE, _add_compile, commands.compile_command),
    "run": (_RUN, _add_run, commands.run_command),
    "generate": (_GENERATE, _add_generate, commands.generate_command),
    "check": (_CHECK, _add_check, commands.check_command),
    "profile": (_PROFILE, _add_profile, commands.profile_command),
    "explore": (_EXPLORE, _add_explore, commands.explore_command),
    "replay": (_REPLAY, _add_replay, commands.replay_command),
    "import": (_IMPORT, _add_import, commands.import_command),
    "quantize": (_QUANTIZE, _add_quantize, commands.quantize_command),
    "remarks": (_REMARKS, _add_remarks, commands.remarks_command),
    "paged fsck": (_PAGED_FSCK, _add_paged_folder, commands.paged_fsck_command),
    "paged show": (_PAGED_SHOW, _add_paged_folder, commands.paged_show_command),
    "paged simulate": (_PAGED_SIMULATE, _add_paged_simulate, commands.paged_simulate_command),
    "keyboard": (_KEYBOARD, _add_keyboard, commands.keyboard_command),
    "keyboard build": (_KEYBOARD_BUILD, _add_keyboard_build, commands.keyboard_build_command),
    "lsp": (_LSP, _add_lsp, commands.lsp_command),
    "targets": (_TARGETS, _add_targets, commands.targets_command),
    "operators": (_OPERATORS, _add_operators, commands.operators_command),
    "completion": (_COMPLETION, _add_completion, _completion),
    "new-target": (_NEW_TARGET, _add_new_target, commands.new_target_command),
    "new-pass": (_NEW_PASS, _add_new_pass, commands.new_pass_command),
}


@cache
def _commands() -> Mapping[str, _Command]:
    """
    Return all commands by name: those of `_COMMANDS`, and those of targets.

    `commands/foo_bar.py` in the folder of a target is the command `foo bar`, with its DESCRIPTION, `add_arguments` and
    `run`, which returns the exit code.
    """
    entries = dict(_COMMANDS)
    for file in target_files("commands/*.py"):
        module: Any = module_at(file)
        entries[file.stem.replace("_", " ")] = module.DESCRIPTION, module.add_arguments, module.run
    return entries


def _version() -> str:
    from importlib.metadata import version

    return f"tilewright {version('tilewright')}, built from xdsl version {version('xdsl')}"


def _overview(names: Iterable[str] = ()) -> str:
    """Return the summary of each command, by default of all: the first sentence of its description."""
    shown = {name: command for name, command in _commands().items() if not names or name in names}
    width = max(map(len, shown)) + 1
    return "\n".join(f"  {name:<{width}} {text.partition(chr(10))[0]}" for name, (text, *_) in shown.items())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns 0 if all of it worked, 1 for an error, 2 for a command that is none."""
    return _run(list(arguments)) if arguments is not None else as_process(_run)


def _run(words: list[str]) -> int:
    try:
        options = _parse(words)
        with warnings_as_lines(), scope():
            for file in options.load_pass:
                commands.load_passes(file)
            return _commands()[options.command][2](options)
    except SystemExit as stop:
        return int(stop.code or 0)
    except KeyboardInterrupt as error:
        said, code = reported(error)
        print(said, file=sys.stderr)
        return code
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # Python flushes the stream once more as it ends
        return 1
    except Exception as error:
        if "--debug" in words:
            traceback.print_exception(error)
        return _reported(error)


def _reported(error: Exception) -> int:
    """Print an error in the one shape and return the exit code."""
    from .grammar import UsageError
    from .passes.core.failures import as_diagnostic

    print(as_diagnostic(error, "tilewright"), file=sys.stderr)
    return 2 if isinstance(error, UsageError) else 1


if __name__ == "__main__":
    sys.exit(main())
