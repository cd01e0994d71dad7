"""
`tilewright`: compile, run, check. This file is the command line alone.

Nothing of xDSL, ONNX or NumPy is imported before it is needed, so that `--help` is immediate.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from .errors import Diagnostic

if TYPE_CHECKING:
    from .compiler import Model
    from .passes.core.manager import Observer

_DESCRIPTION = """\
Compile neural networks for small machines, and run them at any level.

  tilewright compile net.onnx --target host -o build/
  tilewright run build/ --inputs in.npz --outputs out.npz
  tilewright check corpus/ --target host --on interpreter --on host
  tilewright targets
"""


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are Diagnostics."""

    def error(self, message: str) -> NoReturn:
        from .passes.core.grammar import UsageError

        raise UsageError(message, remedy=f"{self.prog} --help shows the options")


def _parser() -> _Parser:
    parser = _Parser("tilewright", description=_DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_compile(commands.add_parser("compile", help="turn a model into C for a target"))
    _add_run(commands.add_parser("run", help="run a model, or a folder that compile wrote"))
    _add_check(commands.add_parser("check", help="compile, run and compare with golden outputs"))
    listing = commands.add_parser("targets", help="list the targets, or describe one")
    listing.add_argument("name", nargs="?", metavar="TARGET", help="the target to describe")
    return parser


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    from .opt_tool import name_and_shape, name_and_value

    add = parser.add_argument
    add("--target", default="host", metavar="TARGET", help="the machine; `tilewright targets` lists them (host)")
    shape, kind = "NAME=1,3,224,224", "NAME=ui8"
    add("--input-shape", type=name_and_shape, action="append", default=[], metavar=shape, help="set an open shape")
    add(
        "--input-type",
        type=name_and_value,
        action="append",
        default=[],
        metavar=kind,
        help="declare an input's integers",
    )


def _add_compile(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, nargs="?", metavar="MODEL", help="a .onnx or .mlir file")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="the folder for network.c and the rest")
    parser.add_argument("--print-pipeline", action="store_true", help="print the target's pipeline and do nothing")
    _add_model_options(parser)


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="MODEL|DIR", help="a model, or a folder that compile wrote")
    parser.add_argument("--inputs", type=Path, required=True, metavar="FILE.npz", help="arrays, by name or in order")
    parser.add_argument("--outputs", type=Path, metavar="FILE.npz", help="where the outputs go")
    parser.add_argument("--on", metavar="PLACE", help="interpreter, host or sanitizers (host)")
    parser.add_argument("--stop-after", default="", metavar="PHASE", help="the level that the interpreter runs")
    _add_model_options(parser)


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "corpora", type=Path, nargs="+", metavar="CORPUS", help="folders that hold networks, at any depth"
    )
    parser.add_argument(
        "--on", action="append", metavar="PLACE", help="interpreter, host, sanitizers; repeatable (host)"
    )
    parser.add_argument("--stop-after", default="kernels", metavar="PHASE", help="the level to interpret (kernels)")
    _add_model_options(parser)


def _model(options: argparse.Namespace) -> Model:
    from .compiler import Model

    return Model(options.model, dict(options.input_shape), dict(options.input_type))


def _compile(options: argparse.Namespace) -> int:
    from .compiler import compile_model, machine_named, pipeline_of, write_compilation
    from .passes.core.grammar import UsageError

    if options.print_pipeline:
        print(pipeline_of(machine_named(options.target)))
        return 0
    if options.model is None or options.output is None:
        raise UsageError("compile needs a model and an output folder", remedy="tilewright compile net.onnx -o build/")
    with _progress(options.target) as observers:
        compilation = compile_model(_model(options), options.target, observers=observers)
    files = write_compilation(compilation, options.output)
    _print_compiled(compilation.report, files)
    return 0


def _progress(machine: str) -> Progressing:
    return Progressing(machine)


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


def _print_compiled(report: Mapping[str, Any], files: Sequence[Path]) -> None:
    from rich.console import Console
    from rich.table import Table

    arena, layers = report["arena"], report["layers"]
    table = Table(show_header=False, box=None)
    table.add_row("arena", f"{arena['bytes']:,} bytes (at least {arena['lower_bound']:,} are alive at once)")
    table.add_row("weights", f"{report['weights_bytes']:,} bytes")
    table.add_row(
        "work", f"{report['macs']:,} multiply-accumulates in {len(layers)} layers, {report['kernels']} kernels"
    )
    table.add_row("files", " ".join(str(file) for file in files))
    Console(soft_wrap=True).print(table)


def _run(options: argparse.Namespace) -> int:
    from .passes.core.grammar import UsageError
    from .runtime.session import by_name, load_arrays

    given = load_arrays(options.inputs)
    if options.model.is_dir():
        from .runtime.host import HostNetwork
        from .runtime.session import host_run

        if options.on not in (None, "host", "sanitizers"):
            raise UsageError("a compiled folder runs on host or under sanitizers", remedy="give the model instead")
        network = HostNetwork(options.model, sanitize=options.on == "sanitizers")
        run, names = host_run(network), [port.name for port in network.inputs]
    else:
        from .compiler import compile_model
        from .runtime.session import input_names, runner

        place = options.on or "host"
        with _progress(options.target) as observers:
            stop = options.stop_after if place == "interpreter" else ""
            compilation = compile_model(_model(options), options.target, stop_after=stop, observers=observers)
        run, names = runner(compilation, place), input_names(compilation.module)
    outputs = run(by_name(given, names, options.inputs))
    _save_outputs(outputs, options.outputs)
    return 0


def _save_outputs(outputs: Mapping[str, object], path: Path | None) -> None:
    import numpy as np
    from rich.console import Console
    from rich.table import Table

    table = Table("output", "type", "shape", "values")
    for name, value in outputs.items():
        array = np.asarray(value)
        head = " ".join(str(item) for item in array.flat[:8]) + (" ..." if array.size > 8 else "")
        table.add_row(name, str(array.dtype), "x".join(map(str, array.shape)), head)
    Console().print(table)
    if path is None:
        return
    temporary = path.with_name(path.name + ".part.npz")
    try:
        np.savez(temporary, **outputs)  # pyright: ignore[reportArgumentType]
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise Diagnostic(
            "the outputs cannot be written", where=str(path), found=error.strerror or str(error)
        ) from error


def _check(options: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.progress import track
    from rich.table import Table

    from .compiler import machine_named
    from .runtime.check import check, find_cases

    machine_named(options.target)
    places = options.on or ["host"]
    cases = [case for corpus in options.corpora for case in find_cases(corpus)]
    console, status = Console(), Console(stderr=True)
    table = Table("network", "nodes", "MACs", "arena", "weights", "seconds", " + ".join(places))
    rows = check(cases, options.target, places, stop_after=options.stop_after)
    shown = track(rows, "checking", len(cases), console=status, transient=True, disable=not status.is_terminal)
    failed = 0
    for row in shown:
        failed += not row.passed
        layers = row.report.get("layers", [])
        sizes = [f"{n:,}" for n in (row.report.get("macs", 0), row.report.get("arena", {}).get("bytes", 0))]
        weights = f"{row.report.get('weights_bytes', 0):,}"
        nodes = str(sum(len(layer["nodes"]) for layer in layers))
        verdict = f"[green]{row.verdict}[/]" if row.passed else f"[red]{row.verdict}[/]"
        table.add_row(row.case.name, nodes, *sizes, weights, f"{row.seconds:.2f}", verdict)
        if row.error is not None:
            row.error.source = row.error.source or str(row.case.folder)
            print(row.error, file=sys.stderr)
    console.print(table)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


def _targets(options: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.table import Table

    from . import targets
    from .compiler import machine_named

    if options.name is None:
        table = Table("target", "what it is")
        for machine in targets.machines().values():
            table.add_row(machine.name, machine.summary)
        Console().print(table)
        return 0
    machine = machine_named(options.name)
    table = Table("phase", "passes", title=f"{machine.name}: {machine.summary}", title_justify="left")
    for phase in machine.phases:
        table.add_row(phase.name, phase.text)
    Console().print(table)
    return 0


_COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "compile": _compile,
    "run": _run,
    "check": _check,
    "targets": _targets,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns 0 if all of it worked, 1 for an error, 2 for a command that is none."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    try:
        options = _parser().parse_args(given)
        return _COMMANDS[options.command](options)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        from .passes.core.failures import as_diagnostic
        from .passes.core.grammar import UsageError

        if debug:
            raise
        print(as_diagnostic(error, "tilewright"), file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
