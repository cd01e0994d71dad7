"""Implementation of the commands of `tilewright`, given their options (`cli.py`)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from .console import table_console
from .errors import Diagnostic
from .files import check_places

if TYPE_CHECKING:
    from .compiler import Model
    from .ir import Array
    from .passes.core.manager import Observer
    from .passes.core.pipeline import PipelineStep
    from .runtime.inputs import Input
    from .runtime.simulators.session import Settings
    from .runtime.tools.session import Run


def load_passes(file: Path) -> None:
    """
    Make known the passes and dialects that a file defines. Raises Diagnostic where it defines neither.

    What the file prints goes to standard error: standard output is the command's.
    """
    from .plugins import load_passes

    with redirect_stdout(sys.stderr):
        load_passes(file)


def usage_error(message: str, *, expected: str = "", found: str = "", remedy: str = "") -> Diagnostic:
    """Return the error for a command that is none."""
    from .grammar import UsageError

    return UsageError(message, expected=expected, found=found, remedy=remedy)


def _check_state(options: argparse.Namespace) -> None:
    """Raise UsageError for options of a state if there is none."""
    flags = [name for name in ("prefill", "bucket", "paged") if getattr(options, name, None)]
    if flags and not options.context:
        raise usage_error(f"--{flags[0]} is for networks with state", remedy="give --context too")
    if getattr(options, "paged", False) and getattr(options, "bucket", 0):
        raise usage_error("--bucket is for dense state", remedy="leave it out: paged attention costs what it selects")


def _model(options: argparse.Namespace, path: Path | None = None) -> Model:
    from .compiler import Model
    from .frontend.static_inputs import numbers
    from .grammar import once

    shapes, types = once("--input-shape", options.input_shape), once("--input-type", options.input_type)
    _check_state(options)
    prefill, bucket = getattr(options, "prefill", None), getattr(options, "bucket", 0)
    values = {name: numbers(name, text) for name, text in once("--input-value", options.input_value).items()}
    outputs = tuple(getattr(options, "output_name", None) or ())
    file = path or options.model
    pages = options.page_length if getattr(options, "paged", False) else 0
    shifts = getattr(options, "shifts", False)
    if shifts and not options.integers:
        raise usage_error("--shifts says how integers are requantised", remedy="give --integers too")
    integers = options.integers
    threads = getattr(options, "threads", 1)
    return Model(
        file, shapes, types, options.context, prefill, values, bucket, integers, outputs, pages, shifts, threads
    )


@contextmanager
def progressing(machine: str) -> Generator[Sequence[Observer]]:
    """Show on a terminal which pass runs; gives the observers to use. Raises UsageError for an unknown machine."""
    from .compiler import machine_named, pipeline_of
    from .passes.core.manager import Observer, PassPosition

    steps = pipeline_of(machine_named(machine)).steps
    if not sys.stderr.isatty():
        yield []
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = TextColumn("{task.description:<28}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("import", total=len(steps))

        class Showing(Observer):
            def before_pass(self, place: PassPosition, module: object) -> None:
                bar.update(task, description=place.step.name, completed=place.number - 1)

        yield [Showing()]


def compile_command(options: argparse.Namespace) -> int:
    """Run `tilewright compile`."""
    from .compiler import bare_of, compile_model, machine_named, pipeline_of, write_bare, write_compilation
    from .passes.core.remark_log import collected
    from .passes.core.remarks import Remark
    from .passes.emitc.text.files import files_of
    from .runtime.hints import hints
    from .runtime.inputs import load_arrays, network_inputs
    from .runtime.remarks.files import check_files, write_files
    from .runtime.tables import print_compiled

    if options.bare and options.shared:
        raise usage_error("--bare and --shared are of different machines", remedy="compile twice")
    if options.print_pipeline:
        print(pipeline_of(machine_named(options.target)))
        return 0
    if options.model is None or options.output is None:
        raise usage_error("compile needs a model and an output folder", remedy="tilewright compile net.onnx -o build/")
    if options.bare and options.name:
        raise usage_error("programs of --bare hold one network, which has no name", found=f"--name {options.name}")
    if options.inputs and not options.bare:
        raise usage_error("--inputs is for --bare", found=f"--inputs {options.inputs}")
    check_files(options.remarks, [options.model, options.inputs])
    remarks: list[Remark] | None = [] if options.remarks else None
    arrays = load_arrays(options.inputs) if options.inputs else {}
    with progressing(options.target) as observers, collected(remarks) as logs:
        told = [*observers, *logs, *hints(options.target, integers=options.integers, shifts=options.shifts)]
        compilation = compile_model(_model(options), options.target, name=options.name, observers=told)
    programs: Callable[[Path], object] | None = None
    if options.shared:
        from .runtime.host import shared_library

        programs = partial(shared_library, files=files_of(options.name))
    if options.bare:
        bare_of(compilation)
        ports, names = network_inputs(compilation.module), compilation.ssa_names
        inputs = _matched(arrays, ports, options.inputs, names) if options.inputs else None
        programs = partial(write_bare, compilation, inputs=inputs)
    files = write_compilation(compilation, options.output, also=programs)
    write_files(options.remarks, remarks or (), options.model.name)
    print_compiled(compilation.report, files)
    return 0


def run_command(options: argparse.Namespace) -> int:
    """Run `tilewright run`."""
    from .runtime.inputs import load_arrays
    from .runtime.tables import save_outputs
    from .runtime.tools.session import Emulated, SimulatorRun, run_steps

    place = options.on or "host"
    if options.stop_after and place != "interpreter":
        raise usage_error("--stop-after is for --on interpreter", found=f"--on {place}")
    if options.interleave is not None and place != "interpreter":
        raise usage_error("--interleave is for --on interpreter", found=f"--on {place}")
    check_places({"--outputs": options.outputs}, [options.model, options.inputs])
    arrays = load_arrays(options.inputs)
    run, inputs, names = _folder_run(options, place) if options.model.is_dir() else _model_run(options, place)
    outputs = run_steps(run, inputs, _matched(arrays, inputs, options.inputs, names))
    save_outputs(outputs, options.outputs)
    if isinstance(run, Emulated):
        print(f"{run.instructions:,} instructions")
    if isinstance(run, SimulatorRun):
        print(run.measured)
    return 0


def _settings(options: argparse.Namespace, places: Sequence[str]) -> Settings:
    """Return the options of a simulator that others wrote. Raises UsageError for options without one."""
    from .runtime.simulators.session import Settings
    from .runtime.tools.session import SIMULATORS, simulators

    arguments = {"isa": options.isa, "seconds": options.time_limit, "extension": options.extension}
    kept = {name: value for name, value in arguments.items() if value is not None}
    flags = f"--on {' --on '.join(places)}"
    if kept.keys() - {"seconds"} and not set(places) & set(SIMULATORS):
        raise usage_error(f"--isa and --extension are for --on {' and '.join(SIMULATORS)}", found=flags)
    if kept and not set(places) & set(simulators()):
        raise usage_error(f"--time-limit is for --on {' and '.join(simulators())}", found=flags)
    if options.extension is not None:
        file, name = options.extension
        if not file.is_file():
            raise Diagnostic(
                "there is no such extension",
                where=str(file),
                expected="a shared object for spike --extlib",
                remedy="build it with the headers of the same Spike, or leave out --extension for the target's own",
            )
        kept["extension"] = file.resolve(), name
    return Settings(**kept)


def _matched(
    arrays: Mapping[str, Array], inputs: Sequence[Input], path: Path, names: Mapping[str, str]
) -> dict[str, Array]:
    """Return the arrays of a file for a network's inputs; positions may be left out, as they count from 0 on."""
    from .runtime.inputs import matched

    counted = [port.name for port in inputs if port.added]
    return matched(arrays, [port.name for port in inputs], path, optional=counted, aliases=names)


_OF_MODELS = (
    *("--target", "--threads", "--integers", "--shifts", "--input-shape", "--input-type", "--input-value"),
    *("--context", "--bucket", "--prefill", "--paged", "--page-length"),
)
"""Options that say how a model is compiled."""
_OPEN_MODEL = ("--input-shape", "--input-type", "--input-value", "--output-name", "--load-pass", "--debug")
"""Options of every command that reads a model."""


def _check_folder(options: argparse.Namespace, place: str) -> None:
    """Raise UsageError for what a folder that `compile` wrote does not take: options of models, and other places."""
    if option := next((flag for flag in options.flags if flag in _OF_MODELS), ""):
        raise usage_error(
            f"{option} is for models, and a compiled folder has been compiled with what it says",
            expected="a .onnx or .mlir file",
            found=str(options.model),
            remedy=f"leave it out, or compile the model with {option}",
        )
    if place not in ("host", "sanitizers"):
        raise usage_error(
            f"a compiled folder does not run on '{place}'",
            expected="host or sanitizers",
            remedy="give the model that it was compiled from instead",
        )


def _folder_run(options: argparse.Namespace, place: str) -> tuple[Run, Sequence[Input], Mapping[str, str]]:
    from .runtime.host import HostNetwork
    from .runtime.inputs import host_inputs
    from .runtime.tools.session import host_run

    _check_folder(options, place)
    _settings(options, [place])
    network = HostNetwork(options.model, sanitize=place == "sanitizers")
    return host_run(network), host_inputs(network), {}


def _model_run(options: argparse.Namespace, place: str) -> tuple[Run, Sequence[Input], Mapping[str, str]]:
    from .compiler import compile_model
    from .runtime.inputs import network_inputs
    from .runtime.tools.session import Interpreted, check_place, level_for, runner

    check_place(place, options.target)
    settings = _settings(options, [place])
    level = level_for(place, options.stop_after)
    with progressing(options.target) as observers:
        compilation = compile_model(_model(options), options.target, **level._asdict(), observers=observers)
    seed = getattr(options, "interleave", None)
    run = runner(compilation, place, settings) if seed is None else Interpreted(compilation, seed)
    return run, network_inputs(compilation.module), compilation.ssa_names


def generate_command(options: argparse.Namespace) -> int:
    """Run `tilewright generate`."""
    from .compiler import compile_model
    from .runtime.host import HostNetwork, is_paged
    from .runtime.tools.generate import folder_language, module_language, run
    from .runtime.tools.session import check_place, host_run, level_for, runner

    place = options.on or "host"
    if options.paged or (options.model.is_dir() and is_paged(options.model)):
        return _generate_paged(options, place)
    if options.model.is_dir():
        _check_folder(options, place)
        compiled = HostNetwork(options.model, sanitize=place == "sanitizers")
        return run(options, host_run(compiled), folder_language(compiled), place)
    check_place(place, options.target)
    options.context = options.context or len(options.prompt) + options.tokens - 1
    with progressing(options.target) as observers:
        level = level_for(place)._asdict()
        compilation = compile_model(_model(options), options.target, **level, observers=observers)
    return run(options, runner(compilation, place), module_language(compilation.module), place)


def _generate_paged(options: argparse.Namespace, place: str) -> int:
    """Run `tilewright generate --paged`: the store keeps what a prompt shares with the last one."""
    from .runtime.tools.generate import check_prompt, run
    from .runtime.tools.generate_paged import folder_run, paged_language, paged_run, shared_prefix, statistics, traced
    from .runtime.tools.store_options import options_named

    if place not in ("host", "interpreter"):
        raise usage_error(
            f"a paged store does not serve '{place}'", expected="host or interpreter", remedy="leave --on out"
        )
    is_folder = options.model.is_dir()
    if is_folder:
        _check_folder(options, place)
    else:
        options.context = options.context or max(len(options.prompt) + options.tokens - 1, options.page_length)
    with options_named():
        network, inputs, prompt = folder_run(options) if is_folder else paged_run(options, place, _model(options))
        network = traced(network, options.kv_trace)
        language = paged_language(inputs, prompt, network.store.config.context)
        check_prompt(language, options.prompt, options.tokens)
        taken = shared_prefix(network.store, network.sequence, options.prompt)
        network.store.truncate(network.sequence, taken)
        status = run(options, network, language, place, taken)
        if options.kv_dir is not None:
            network.store.save()
    print(statistics(network.store.get_stats()), file=sys.stderr)
    return status


def keyboard_command(options: argparse.Namespace) -> int:
    """Run `tilewright keyboard`."""
    from .runtime.tools.keyboard import check_terminal, run

    check_terminal()
    options.paged = True
    if options.model.is_dir():
        _check_folder(options, "host")
    return run(options, _model(options))


def keyboard_build_command(options: argparse.Namespace) -> int:
    """Run `tilewright keyboard build`."""
    from .runtime.tools.keyboard_build import run

    options.paged = True
    return run(options, _model(options))


def lsp_command(options: argparse.Namespace) -> int:
    """Run `tilewright lsp`; returns 0 where the client has ended it by the protocol, else 1."""
    from .runtime.lsp.command import run

    return run(options)


def _check_against(options: argparse.Namespace, places: Sequence[str]) -> int:
    """Run `tilewright check --against`; returns 1 where a network differs or cannot be compared."""
    from .runtime.comparison import Tolerance
    from .runtime.tools.against import Against, check_other, models_in

    if len(places) > 1:
        raise usage_error("--against compares one place", found=f"--on {' --on '.join(places)}")
    models = models_in(options.corpora)
    check_other(options.against, options.target, models)
    tolerance = Tolerance(options.atol, options.rtol, options.steps)
    against = Against(
        *(options.target, places[0], options.against, _model(options, Path()), tolerance),
        inputs=options.inputs,
        seed=options.seed or 0,
    )
    differ = 0
    for model in models:
        try:
            verdict = against.check(model)
        except Diagnostic as error:
            error.source = error.source or str(model)
            print(error, file=sys.stderr)
            differ += 1
            continue
        pair = f"{options.target} on {places[0]}, against {options.against}"
        print(f"{model}: {'differs' if verdict.difference else 'equal'}: {pair}")
        lines = [f"{model}: {verdict.difference}", *(f"  note: {note}" for note in verdict.notes)]
        if verdict.difference:
            print("\n".join(lines), file=sys.stderr)
            differ += 1
    return 1 if differ else 0


def check_command(options: argparse.Namespace) -> int:
    """Run `tilewright check`; returns 1 where a network differs."""
    from rich.console import Console
    from rich.progress import track

    from .compiler import machine_named, pipeline_of
    from .runtime.comparison import Tolerance
    from .runtime.tools.check import check, find_cases
    from .runtime.tools.check_table import print_rows
    from .runtime.tools.session import check_place

    _check_state(options)
    places = list(dict.fromkeys(options.on or ["host"]))
    for place in places:
        check_place(place, options.target)
    if options.against:
        return _check_against(options, places)
    if options.inputs or options.seed is not None:
        raise usage_error("--inputs and --seed are of use with --against only")
    if "--stop-after" in options.flags and "interpreter" not in places:
        raise usage_error("--stop-after is for --on interpreter", found=f"--on {' --on '.join(places)}")
    settings = _settings(options, places)
    pipeline_of(machine_named(options.target)).select(stop_after=options.stop_after)
    cases = [case for corpus in options.corpora for case in find_cases(corpus)]
    status = Console(stderr=True)
    template = _model(options, Path())
    tolerance = Tolerance(options.atol, options.rtol, options.steps)
    checked = check(
        cases,
        options.target,
        places,
        stop_after=options.stop_after,
        template=template,
        tolerance=tolerance,
        settings=settings,
    )
    rows = list(track(checked, "checking", len(cases), console=status, transient=True, disable=not status.is_terminal))
    print_rows(rows, " + ".join(places))
    return 0 if all(row.passed for row in rows) else 1


def profile_command(options: argparse.Namespace) -> int:
    """Run `tilewright profile`."""
    from .runtime.tools.profile import run
    from .runtime.tools.session import check_place, simulators

    settings = _settings(options, [options.on or "host"])
    if options.on not in (None, *simulators()):
        raise usage_error(
            f"profiles count no instructions on '{options.on}'", expected=f"one of {', '.join(simulators())}"
        )
    if options.on is not None:
        check_place(options.on, options.target)
    if options.inputs and options.on is None:
        raise usage_error(f"--inputs is for --on {' or '.join(simulators())}", found=f"--inputs {options.inputs}")
    return run(options, _model(options), settings if options.on else None)


def explore_command(options: argparse.Namespace) -> int:
    """Run `tilewright explore`."""
    from .runtime.tools.explore.command import run

    return run(options, [_model(options, path) for path in options.models])


def replay_command(options: argparse.Namespace) -> int:
    """Run `tilewright replay`; returns 0 where the program is proved, and raises its refusal where it is not."""
    from .compiler import Model, machine_named
    from .dialects.core.machine.attribute import attach_machine
    from .dialects.core.machine.file import find_machine
    from .files import errors_in
    from .runtime.inputs import load_arrays, network_inputs, ssa_names
    from .runtime.tools.replay import run

    module = Model(options.model).load()
    if options.target is not None:
        machine_named(options.target)
        attach_machine(module, find_machine(options.target))
    arrays = None
    if options.inputs is not None:
        inputs = network_inputs(module)
        arrays = _matched(load_arrays(options.inputs), inputs, options.inputs, ssa_names(module))
    against = None if options.against is None else Model(options.against).load()
    with errors_in(options.model):
        return run(module, arrays, against, options.seeds)


def import_command(options: argparse.Namespace) -> int:
    """Run `tilewright import`."""
    from .runtime.tools.gaps import run

    options.context = 0
    return run(options, _model(options))


def quantize_command(options: argparse.Namespace) -> int:
    """Run `tilewright quantize`."""
    from .runtime.tools.quantize import run, run_requant_shift, run_weights_only

    if options.weights_only is not None:
        if other := next((flag for flag in options.flags if flag not in ("--weights-only", "--output")), ""):
            raise usage_error(f"--weights-only computes in floats as before, {other} is for integers")
        return run_weights_only(options)
    if options.form == "requant-shift" and not options.calibration:
        if other := next((flag for flag in options.flags if flag not in ("--form", "--output", *_OPEN_MODEL)), ""):
            raise usage_error(f"a quantised model is converted as it is, {other} is for a network of floats")
        options.context, options.integers = 0, False
        return run_requant_shift(options, _model(options))
    if not options.calibration:
        raise usage_error("samples of the inputs are needed", remedy="give --calibration FILE.npz, or --weights-only")
    if options.form == "auto" and not options.target:
        raise usage_error("--form auto takes the form with the fewest cycles on a target", remedy="give --target")
    if options.search and (option := next((flag for flag in options.flags if flag in ("--ranges", "--rounding")), "")):
        raise usage_error(f"--search tries all --ranges and --rounding, {option} among them", remedy="give one of both")
    options.context, options.integers = 0, False
    return run(options, _model(options))


def remarks_command(options: argparse.Namespace) -> int:
    """Run `tilewright remarks`."""
    from .runtime.tools.remarks import run

    return run(options)


def paged_fsck_command(options: argparse.Namespace) -> int:
    """Run `tilewright paged fsck`; returns 1 where the folder has a fault."""
    from .runtime.tools.paged import run_fsck

    return run_fsck(options)


def paged_show_command(options: argparse.Namespace) -> int:
    """Run `tilewright paged show`."""
    from .runtime.tools.paged import run_show

    return run_show(options)


def paged_simulate_command(options: argparse.Namespace) -> int:
    """Run `tilewright paged simulate`."""
    from .runtime.tools.paged_simulate import run

    return run(options)


def targets_command(options: argparse.Namespace) -> int:
    """Run `tilewright targets`."""
    from rich.table import Table

    from .compiler import machine_named, pipeline_of
    from .dialects.core.machine import targets
    from .dialects.core.machine.file import find_machine
    from .dialects.core.machine.picture import draw
    from .runtime.tools.session import ON, SIMULATORS, chip_simulators

    if options.schema:
        print(_schema_text(options.name))
        return 0
    if options.name is None:
        table = Table("target", "what it is")
        for machine in targets.machines().values():
            table.add_row(machine.name, machine.summary)
        table_console().print(table)
        return 0
    machine = machine_named(options.name)
    described = find_machine(options.name) if (machine.folder / "machine.toml").is_file() else None
    steps = pipeline_of(machine).steps
    table = Table("phase", "passes", "options", title=f"{machine.name}: {machine.summary}", title_justify="left")
    for phase in machine.phases:
        table.add_row(
            phase.name,
            phase.text,
            " ".join(filter(None, map(_options, (step for step in steps if step.phase == phase.name)))),
        )
    console = table_console()
    console.print(table)
    if described is not None:
        console.print(draw(described))
    chip = [f"{name} (simulator of the chip)" for name in chip_simulators(machine)]
    console.print(f"--on {', '.join([*ON, *SIMULATORS, *chip])}", highlight=False, soft_wrap=True)
    return 0


def _schema_text(target: str | None) -> str:
    """Return the JSON Schema of machine files, with the functions of a target outside of the package."""
    import json

    from .dialects.core.machine.file import machine_path
    from .dialects.core.machine.json_schema import machine_schema
    from .discovery import adopt

    if target is not None:
        adopt(machine_path(target))
    return json.dumps(machine_schema(), indent=1, ensure_ascii=False)


def operators_command(options: argparse.Namespace) -> int:
    """Run `tilewright operators`."""
    from .runtime.tools.operator_places import run

    return run(options)


def new_target_command(options: argparse.Namespace) -> int:
    """Run `tilewright new-target`."""
    from .dialects import all_dialects
    from .targets.new_target import write_target

    for path in write_target(options.name, options.kind, options.output, all_dialects()):
        print(path)
    return 0


def new_pass_command(options: argparse.Namespace) -> int:
    """Run `tilewright new-pass`."""
    from .passes import all_passes
    from .runtime.testing.new_pass import write_pass

    for path in write_pass(options.name, options.output, all_passes()):
        print(path)
    return 0


def _options(step: PipelineStep) -> str:
    """Return a pass with the values that its options have, empty where it has none."""
    from .passes.core.options import format_spec

    text = format_spec(step.name, step.run, defaults=True)
    return text if text != step.name else ""
