"""
`tilewright`: compile, run, check. This file is the command line alone.

Nothing of xDSL, ONNX or NumPy is imported before it is needed, so that `--help` is immediate.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from .errors import Diagnostic, did_you_mean
from .opt_tool import collect_rarely, name_and_shape, name_and_value

if TYPE_CHECKING:
    from .compiler import Model
    from .passes.core.manager import Observer
    from .passes.core.pipeline import Step
    from .runtime.inputs import Input
    from .runtime.session import Run

_DESCRIPTION = """\
Compile neural networks for small machines, and run them at any level.

  tilewright compile net.onnx --target host -o build/
  tilewright run build/ --inputs in.npz --outputs out.npz
  tilewright check corpus/ --target host --on interpreter --on host
  tilewright profile net.onnx --target mysoc.toml --html profile.html
  tilewright generate llama.onnx --prompt 1,2,3 --tokens 16
  tilewright import net.onnx --report
  tilewright targets
"""

_COMPILE = """\
Turn a model into C for a target: network.c, network.h, the weights, report.json and pipeline.txt.

  tilewright compile net.onnx -o build/
  tilewright compile net.onnx -o build/ --input-shape x=1,3,32,32 --input-type x=ui8
  cc -std=c11 -O2 -I build build/network.c build/weights.[cS] main.c -lm
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
Compile networks, run them and compare with golden outputs: integers exactly, floats within 1e-4.

  tilewright check corpus/
  tilewright check corpus/ more/resnet8 --on interpreter --on host --on sanitizers
  tilewright check corpus/ --target siracusa --on simulator

Where it runs:
  interpreter  the program after --stop-after, op by op
  simulator    its kernels and transfers when the machine's model says: what does not wait for its data is wrong
  host         the C, compiled for this machine; sanitizers: with ASan and UBSan

A corpus holds, at any depth, folders with network.onnx, inputs.npz and outputs.npz. The exit code is 1 if any differs.
"""

_PROFILE = """\
Compile a model for a target and show where its time goes there; all times are modelled.

  tilewright profile net.onnx --target mysoc.toml
  tilewright profile net.onnx --target mysoc.toml --html profile.html --trace trace.json
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

_TARGETS = """\
List the targets, or show the phases of one.

  tilewright targets
  tilewright targets host
"""


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are Diagnostics."""

    def __init__(self, name: str, description: str):
        layout = argparse.RawDescriptionHelpFormatter
        super().__init__(name, description=description, formatter_class=layout, allow_abbrev=False, add_help=False)
        self.add_argument("-h", "--help", action="help", help="show this")
        self.add_argument("--debug", action="store_true", help="show the traceback of an error")

    def error(self, message: str) -> NoReturn:
        raise _usage_error(message, remedy=f"{self.prog} --help shows the options")


def _usage_error(message: str, *, expected: str = "", found: str = "", remedy: str = "") -> Diagnostic:
    from .passes.core.grammar import UsageError

    return UsageError(message, expected=expected, found=found, remedy=remedy)


def _parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse a command line. Raises UsageError where it is wrong, and SystemExit after `--help`."""
    name = next((word for word in words if not word.startswith("-")), "")
    if not name or words[0] in ("-h", "--help"):
        parser = _Parser("tilewright", _DESCRIPTION)
        parser.add_argument("command", metavar="COMMAND", help="one of those above; COMMAND --help says more")
        parser.parse_args(words or ["--help"])
    if name not in _COMMANDS:
        remedy = did_you_mean(name, _COMMANDS) or "tilewright --help shows the commands"
        raise _usage_error(f"there is no command '{name}'", expected=", ".join(_COMMANDS), remedy=remedy)
    description, add_options, _ = _COMMANDS[name]
    parser = _Parser(f"tilewright {name}", description)
    add_options(parser)
    given = list(words)
    given.remove(name)
    options, unknown = parser.parse_known_args(given)
    options.command = name
    if not unknown:
        return options
    known = [flag for action in parser._actions for flag in action.option_strings]  # pyright: ignore[reportPrivateUsage]
    near = did_you_mean(unknown[0].partition("=")[0], known) if unknown[0].startswith("-") else ""
    raise _usage_error(f"{name} knows no '{unknown[0]}'", remedy=near or f"{parser.prog} --help shows the options")


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--target", default="host", help="the machine; `tilewright targets` lists them (host)")
    _add_open_models(parser)
    _add_state(parser)


def _add_open_models(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("open models").add_argument
    shape, kind, value = "NAME=1,3,224,224", "NAME=ui8", "NAME=1,2"
    add("--input-shape", type=name_and_shape, action="append", default=[], metavar=shape, help="set an open shape")
    add("--input-type", type=name_and_value, action="append", default=[], metavar=kind, help="set what integers it has")
    what = "make an input whose value decides shapes a constant"
    add("--input-value", type=name_and_value, action="append", default=[], metavar=value, help=what)


def _add_state(parser: argparse.ArgumentParser) -> None:
    what = "keep caches as state of N rows, with one input 'position'"
    parser.add_argument("--context", type=_rows, default=0, metavar="N", help=what)
    what = "with --context: a function for every R rows, so that a call costs what its position needs"
    parser.add_argument("--bucket", type=_rows, default=0, metavar="R", help=what)


def _check_state(options: argparse.Namespace) -> None:
    """Raise UsageError for options of a state where there is none."""
    given = [name for name in ("prefill", "bucket") if getattr(options, name, None)]
    if given and not options.context:
        raise _usage_error(f"--{given[0]} is for networks with state", remedy="give --context too")


def _add_prefill(parser: argparse.ArgumentParser) -> None:
    what = "the same network for several tokens at once, which shares the state and the weights"
    parser.add_argument("--prefill", type=Path, metavar="MODEL", help=what)


def _rows(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number of rows is a positive integer, not '{text}'")
    return int(text)


def _add_compile(parser: argparse.ArgumentParser) -> None:
    what = "a .onnx file, or .mlir at the graph or the tensor level"
    parser.add_argument("model", type=Path, nargs="?", metavar="MODEL", help=what)
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="the folder for network.c and the rest")
    parser.add_argument("--print-pipeline", action="store_true", help="print the target's pipeline and do nothing")
    what = "build programs that need no operating system too, for targets that have them"
    parser.add_argument("--bare", action="store_true", help=what)
    what = "what the programs of --bare run on (zeros)"
    parser.add_argument("--inputs", type=Path, metavar="FILE.npz", help=what)
    _add_model_options(parser)
    _add_prefill(parser)


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="MODEL|DIR", help="a model, or a folder that compile wrote")
    parser.add_argument("--inputs", type=Path, required=True, metavar="FILE.npz", help="arrays, by name or in order")
    parser.add_argument("--outputs", type=Path, metavar="FILE.npz", help="where the outputs go")
    parser.add_argument("--on", metavar="PLACE", help="interpreter, simulator, host, sanitizers or rv32 (host)")
    parser.add_argument("--stop-after", default="", metavar="PHASE", help="the level to interpret (the last)")
    _add_model_options(parser)


def _add_check(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("corpora", type=Path, nargs="+", metavar="CORPUS", help="folders that hold networks, at any depth")
    add("--on", action="append", metavar="PLACE", help="interpreter, simulator, host or sanitizers; repeatable (host)")
    add("--stop-after", default="kernels", metavar="PHASE", help="the level to interpret (kernels)")
    _add_state(parser)
    add("--target", default="host", help="the machine; `tilewright targets` lists them (host)")


def _add_profile(parser: argparse.ArgumentParser) -> None:
    from .runtime.profile import add_arguments

    add_arguments(parser)
    _add_model_options(parser)


def _profile(options: argparse.Namespace) -> int:
    from .runtime.profile import run

    _check_state(options)
    return run(options)


def _add_generate(parser: argparse.ArgumentParser) -> None:
    from .runtime.generate import add_arguments

    add_arguments(parser)
    _add_model_options(parser)
    _add_prefill(parser)


def _generate(options: argparse.Namespace) -> int:
    from .compiler import compile_model
    from .runtime.generate import folder_language, module_language, run
    from .runtime.host import HostNetwork
    from .runtime.session import check_place, host_run, level_for, runner

    place = options.on or "host"
    if options.model.is_dir():
        _check_folder_place(place)
        compiled = HostNetwork(options.model, sanitize=place == "sanitizers")
        return run(options, host_run(compiled), folder_language(compiled), place)
    check_place(place)
    options.context = options.context or len(options.prompt) + options.tokens - 1
    with Progressing(options.target) as observers:
        level = level_for(place, options.target)
        compilation = compile_model(_model(options), options.target, stop_after=level, observers=observers)
    return run(options, runner(compilation, place), module_language(compilation.module), place)


def _add_import(parser: argparse.ArgumentParser) -> None:
    from .runtime.gaps import add_arguments

    add_arguments(parser)
    _add_open_models(parser)


def _import(options: argparse.Namespace) -> int:
    from .runtime.gaps import run

    options.context = 0
    return run(options, _model(options))


def _add_targets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="TARGET", help="the target to describe")


def _model(options: argparse.Namespace) -> Model:
    from .compiler import Model
    from .frontend.static_inputs import numbers
    from .passes.core.driver import once

    shapes, types = once("--input-shape", options.input_shape), once("--input-type", options.input_type)
    _check_state(options)
    prefill, bucket = getattr(options, "prefill", None), getattr(options, "bucket", 0)
    values = {name: numbers(name, text) for name, text in once("--input-value", options.input_value).items()}
    return Model(options.model, shapes, types, options.context, prefill, values, bucket)


def _compile(options: argparse.Namespace) -> int:
    from .compiler import bare_of, compile_model, machine_named, pipeline_of, write_bare, write_compilation
    from .runtime.inputs import by_name, load_arrays
    from .runtime.tables import print_compiled

    if options.print_pipeline:
        print(pipeline_of(machine_named(options.target)))
        return 0
    if options.model is None or options.output is None:
        raise _usage_error("compile needs a model and an output folder", remedy="tilewright compile net.onnx -o build/")
    if options.inputs and not options.bare:
        raise _usage_error("--inputs is for --bare", found=f"--inputs {options.inputs}")
    with Progressing(options.target) as observers:
        compilation = compile_model(_model(options), options.target, observers=observers)
    if options.bare:
        bare_of(compilation)
    files = write_compilation(compilation, options.output)
    if options.bare:
        given = load_arrays(options.inputs) if options.inputs else None
        files += write_bare(compilation, options.output, given and by_name(given, compilation.inputs, options.inputs))
    print_compiled(compilation.report, files)
    return 0


class Progressing:
    """Shows which pass runs, on a terminal; a context manager that gives the observers to use."""

    def __init__(self, machine: str):
        self._machine = machine

    def __enter__(self) -> Sequence[Observer]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        from .compiler import machine_named, pipeline_of
        from .passes.core.manager import Observer, Place

        console = Console(stderr=True)
        columns = TextColumn("{task.description:<28}"), BarColumn(), MofNCompleteColumn()
        self._bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        task = self._bar.add_task("import", total=len(pipeline_of(machine_named(self._machine)).steps))
        bar = self._bar

        class Showing(Observer):
            def before_pass(self, place: Place, module: object) -> None:
                bar.update(task, description=place.step.name, completed=place.number - 1)

        self._bar.start()
        return [Showing()]

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


def _run(options: argparse.Namespace) -> int:
    from .runtime.inputs import by_name, load_arrays
    from .runtime.session import Emulated, run_steps
    from .runtime.tables import save_outputs

    place = options.on or "host"
    if options.stop_after and place != "interpreter":
        raise _usage_error("--stop-after is for --on interpreter", found=f"--on {place}")
    given = load_arrays(options.inputs)
    run, inputs = _folder_run(options, place) if options.model.is_dir() else _model_run(options, place)
    counted = [each.name for each in inputs if each.added]
    arrays = by_name(given, [each.name for each in inputs], options.inputs, optional=counted)
    outputs = run_steps(run, inputs, arrays)
    save_outputs(outputs, options.outputs)
    if isinstance(run, Emulated):
        print(f"{run.instructions:,} instructions")
    return 0


def _check_folder_place(place: str) -> None:
    if place not in ("host", "sanitizers"):
        raise _usage_error(
            f"a compiled folder does not run on '{place}'",
            expected="host or sanitizers",
            remedy="give the model that it was compiled from instead",
        )


def _folder_run(options: argparse.Namespace, place: str) -> tuple[Run, Sequence[Input]]:
    from .runtime.host import HostNetwork
    from .runtime.inputs import host_inputs
    from .runtime.session import host_run

    _check_folder_place(place)
    network = HostNetwork(options.model, sanitize=place == "sanitizers")
    return host_run(network), host_inputs(network)


def _model_run(options: argparse.Namespace, place: str) -> tuple[Run, Sequence[Input]]:
    from .compiler import compile_model
    from .runtime.inputs import network_inputs
    from .runtime.session import check_place, level_for, runner

    check_place(place)
    level = level_for(place, options.target, options.stop_after)
    with Progressing(options.target) as observers:
        compilation = compile_model(_model(options), options.target, stop_after=level, observers=observers)
    return runner(compilation, place), network_inputs(compilation.module)


def _check(options: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.progress import track

    from .compiler import machine_named, pipeline_of
    from .runtime.check import check, find_cases
    from .runtime.session import check_place
    from .runtime.tables import print_rows

    _check_state(options)
    places = list(dict.fromkeys(options.on or ["host"]))
    for place in places:
        check_place(place)
    pipeline_of(machine_named(options.target)).select(stop_after=options.stop_after)
    cases = [case for corpus in options.corpora for case in find_cases(corpus)]
    status = Console(stderr=True)
    state = {"context": options.context, "bucket": options.bucket}
    checked = check(cases, options.target, places, stop_after=options.stop_after, **state)
    rows = list(track(checked, "checking", len(cases), console=status, transient=True, disable=not status.is_terminal))
    print_rows(rows, " + ".join(places))
    return 0 if all(row.passed for row in rows) else 1


def _targets(options: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.table import Table

    from . import targets
    from .compiler import machine_named, pipeline_of

    if options.name is None:
        table = Table("target", "what it is")
        for machine in targets.machines().values():
            table.add_row(machine.name, machine.summary)
        Console().print(table)
        return 0
    machine = machine_named(options.name)
    steps = pipeline_of(machine).steps
    table = Table("phase", "passes", "options", title=f"{machine.name}: {machine.summary}", title_justify="left")
    for phase in machine.phases:
        table.add_row(
            phase.name,
            phase.text,
            " ".join(filter(None, map(_options, (step for step in steps if step.phase == phase.name)))),
        )
    Console().print(table)
    if (machine.folder / "machine.toml").is_file():
        from .targets.core.machine_file import find_machine
        from .targets.core.machine_picture import draw

        Console().print(draw(find_machine(options.name)))
    return 0


def _options(step: Step) -> str:
    """Return the options of a pass with the values that they have, empty where it has none."""
    values = [f"{field.name.replace('_', '-')}={getattr(step.run, field.name)}" for field in fields(step.run)]
    return f"{step.name}{{{' '.join(values)}}}" if values else ""


_COMMANDS: dict[str, tuple[str, Callable[[_Parser], None], Callable[[argparse.Namespace], int]]] = {
    "compile": (_COMPILE, _add_compile, _compile),
    "run": (_RUN, _add_run, _run),
    "generate": (_GENERATE, _add_generate, _generate),
    "check": (_CHECK, _add_check, _check),
    "profile": (_PROFILE, _add_profile, _profile),
    "import": (_IMPORT, _add_import, _import),
    "targets": (_TARGETS, _add_targets, _targets),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns 0 if all of it worked, 1 for an error, 2 for a command that is none."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        options = _parse(words)
        if arguments is None:
            collect_rarely()
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            return _COMMANDS[options.command][2](options)
    except SystemExit as stop:
        return int(stop.code or 0)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # Python flushes the stream once more as it ends
        return 1
    except Exception as error:
        if "--debug" in words:
            traceback.print_exception(error)
        return _reported(error)


def _show_warning(message: Warning | str, *_: object) -> None:
    print(message, file=sys.stderr)


def _reported(error: Exception) -> int:
    """Print an error in the one shape and return the exit code."""
    from .passes.core.failures import as_diagnostic
    from .passes.core.grammar import UsageError

    print(as_diagnostic(error, "tilewright"), file=sys.stderr)
    return 2 if isinstance(error, UsageError) else 1
