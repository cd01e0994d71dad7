"""Driver of `opt-tool`: read, run the pipeline, write."""

from __future__ import annotations

import dataclasses
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from xdsl.utils.target import Target

from ...dialects.core.machine import targets
from ...discovery import scope
from ...errors import Diagnostic, did_you_mean, point_into, warnings_as_lines
from ...files import STDIN, check_places, read_text, write_stdout, write_text
from ...grammar import UsageError, parse_items, point_at
from ...interruption import reported
from ...passes.core.failures import catchable
from ...passes.core.options import build
from ...passes.core.pipeline import Pipeline, Registry, described, parse_pipeline
from ...passes.core.upstream_names import UPSTREAM_NAMES, known_name
from ...passes.formats import all_formats, formats_by_origin
from ...passes.formats.mlir import MlirTarget
from ...plugins import load_passes
from . import listing
from .bytecode import check_bytecode, read_ir, write_bytecode
from .chunks import Chunk, split
from .command_run import CommandRun, print_error, text_options
from .printing import printing_points
from .reduce.usage import check_usage
from .remarks import check_remarks, write_remarks
from .replay import recorded_arguments


@dataclass(frozen=True)
class Registries:
    """Registries of passes, machines and output formats; those that are None are discovered."""

    passes: Registry | None = None
    machines: Mapping[str, targets.Machine] | None = None
    formats: Mapping[str, Callable[[], type[Target]]] | None = None


def drive(arguments: Namespace, registries: Registries | None, reparse: Callable[[list[str]], Namespace]) -> int:
    """
    Execute a command line and return the exit code; errors are printed to standard error.

    `reparse` returns the command line with the given arguments before its own.
    """
    try:
        with warnings_as_lines(), scope():
            return _drive(arguments, registries or Registries(), reparse)
    except KeyboardInterrupt as error:
        said, code = reported(error)
        print(said, file=sys.stderr)
        return code
    except BrokenPipeError:
        return 1
    except BaseException as error:
        if not catchable(error):
            raise
        print_error(error, arguments.debug)
        return 2 if isinstance(error, UsageError) else 1


def _drive(arguments: Namespace, registries: Registries, reparse: Callable[[list[str]], Namespace]) -> int:
    passes, machines, formats = _discovered(registries, arguments)
    _check_flags(arguments, passes)
    if (text := _listing(arguments, passes, machines)) is not None:
        write_stdout(text)
        return 0
    name = STDIN if arguments.input == "-" else arguments.input
    is_onnx = name.endswith(".onnx")
    _check_usage(arguments, is_onnx)
    recorded = read_text(arguments.input) if arguments.run_reproducer else ""
    if recorded:
        arguments = reparse(recorded_arguments(recorded, name))
        passes, machines, formats = _discovered(registries, arguments)
        _check_flags(arguments, passes)
        _check_usage(arguments, is_onnx)
    pipeline = _pipeline(arguments, passes, machines)
    if arguments.dump_pass_pipeline:
        print(described(pipeline), file=sys.stderr)
    run = CommandRun(arguments, name, pipeline, _target(arguments, formats), printing_points(arguments, passes))
    run.other = parse_pipeline(arguments.against_pipeline or "", passes, machines)
    text = recorded or ("" if is_onnx else read_ir(arguments.input))
    if arguments.reduce:
        return _reduce(run, Chunk(text))
    chunks = split(text, arguments.split_input_file) if arguments.split_input_file else [Chunk(text)]
    outputs = [run.chunk(chunk) for chunk in chunks]
    if arguments.timing:
        print(run.timing.report(arguments.timing_display), file=sys.stderr)
    if arguments.pass_statistics:
        from .statistics import statistics_report

        print(statistics_report(pipeline, arguments.statistics_display), file=sys.stderr)
    if run.failed and not arguments.verify_diagnostics:
        return 1
    if arguments.remarks:
        write_remarks(arguments, run.remarks or ())
    result = f"{arguments.output_split_marker}\n".join(output for output in outputs if output is not None)
    if arguments.emit_bytecode:
        write_bytecode(result, arguments.output)
    elif arguments.output == "-":
        write_stdout(result, remedy="choose a file with -o")
    else:
        write_text(Path(arguments.output), result)
    return 1 if run.failed else 0


def _reduce(run: CommandRun, chunk: Chunk) -> int:
    """Reduce the invocation of a run on a chunk; errors name the input."""
    from .reduce.command import SECONDS, SECONDS_INTERPRETED, Invocation, reduce_command

    arguments = run.arguments
    default = SECONDS_INTERPRETED if arguments.interpret_each else SECONDS
    command, seconds = arguments.reduce_predicate or "", arguments.reduce_timeout or default
    invocations = [Invocation(run.check, run.context, run.all_flags(), command, seconds)]
    if arguments.interpret_each and not arguments.inputs and not arguments.interpret_runs:
        once = run.with_one_input()
        invocations.append(Invocation(once.check, run.context, once.all_flags(), command, seconds))
    try:
        return reduce_command(invocations, run.load(chunk), run.pipeline, arguments)
    except Diagnostic as error:
        point_into(error, chunk.text, run.source)
        print_error(run.placed(error), arguments.debug)
        return 1


def _discovered(
    registries: Registries, arguments: Namespace
) -> tuple[Registry, Mapping[str, targets.Machine], Mapping[str, Callable[[], type[Target]]]]:
    """Return the registries, with the targets and files from outside that the arguments name."""
    from ...passes import all_passes

    for file in arguments.load_pass:
        load_passes(Path(file))
    formats = all_formats() if registries.formats is None else registries.formats
    for name in arguments.machine:
        if name.partition("{")[0] in formats and not Path(name).exists():
            raise UsageError(f"'{name}' is an output format, not a target", remedy=f"choose it with -t {name}")
    named = [targets.machine_named(name) for name in arguments.machine]
    passes = all_passes() if registries.passes is None else registries.passes
    machines = targets.machines() if registries.machines is None else dict(registries.machines)
    for machine in named:
        if machines.setdefault(machine.name, machine) != machine:
            raise Diagnostic(
                f"two targets have the name '{machine.name}'",
                expected="names that differ, as each target's pipeline is named after it",
                found=f"{machines[machine.name].folder} and {machine.folder}",
                remedy="rename the machine file or the folder",
            )
    return passes, machines, formats


def _listing(
    arguments: Namespace,
    passes: Registry,
    machines: Mapping[str, targets.Machine],
) -> str | None:
    """Return the text of one of the `--list` options, None where none is given."""
    from ...passes import passes_by_origin

    if arguments.list_passes:
        return listing.list_passes(passes, passes_by_origin())
    if arguments.help_pass is not None:
        return listing.help_pass(arguments.help_pass, passes)
    if arguments.list_targets:
        return listing.list_targets(machines, formats_by_origin())
    if arguments.list_dialects:
        from ...dialects import dialect_files, dialects_by_origin

        return listing.list_dialects(dialects_by_origin(), dialect_files())
    return None


def _check_usage(arguments: Namespace, is_onnx: bool) -> None:
    """Refuse options that make no sense together."""
    ways = {
        "-p": arguments.passes is not None,
        "--pass-pipeline": arguments.pass_pipeline is not None,
        "a flag": bool(arguments.pass_flags),
    }
    if len(used := [way for way, is_used in ways.items() if is_used]) > 1:
        raise UsageError(f"the passes are given twice, by {used[0]} and by {used[1]}")
    if not is_onnx and (arguments.input_type or arguments.input_value):
        raise UsageError("--input-type and --input-value are for .onnx inputs", found=arguments.input)
    if not is_onnx and arguments.input_shape and not (arguments.interpret_each or arguments.bisect_numerics):
        runs = "--interpret-each and --bisect-numerics"
        raise UsageError(f"--input-shape is for .onnx inputs, and with {runs} for .mlir inputs", found=arguments.input)
    check_usage(arguments)
    check_bytecode(arguments)
    _check_places(arguments, is_onnx)
    for flag in ("split_input_file", "verify_diagnostics", "parsing_diagnostics", "run_reproducer"):
        if is_onnx and getattr(arguments, flag):
            raise UsageError(f"--{flag.replace('_', '-')} is for .mlir inputs", found=arguments.input)
    for flag in ("inputs", "interpret_runs", "interpret_function"):
        if getattr(arguments, flag) and not (arguments.interpret_each or arguments.bisect_numerics):
            shown = flag.replace("_", "-")
            raise UsageError(f"--{shown} is of use with --interpret-each and --bisect-numerics only")
    if arguments.against_pipeline is not None and not arguments.bisect_numerics:
        raise UsageError("--against-pipeline is of use with --bisect-numerics only")
    if arguments.bisect_numerics and arguments.reduce:
        raise UsageError("--reduce does not reduce what --bisect-numerics finds", remedy="reduce with --interpret-each")


def _check_places(arguments: Namespace, is_onnx: bool) -> None:
    """
    Raise Diagnostic where a file cannot be written or would replace an input.

    IR may be rewritten in its place, and a reproducer may replace the one that is run.
    """
    read, arrays = Path(arguments.input), arguments.inputs and Path(arguments.inputs)
    check_remarks(arguments, [arrays, read])
    is_rewritten = not is_onnx and (arguments.format or "mlir").partition("{")[0] == "mlir"
    if arguments.output != "-":
        check_places({"-o": Path(arguments.output)}, [arrays, None if is_rewritten else read])
    for flag in ("reproducer", "mlir_generate_reproducer", "mlir_pass_pipeline_crash_reproducer"):
        if (file := getattr(arguments, flag)) and not arguments.run_reproducer:
            check_places({f"--{flag.replace('_', '-')}": Path(file)}, [arrays, read])
    if arguments.mlir_pass_pipeline_local_reproducer and not arguments.mlir_pass_pipeline_crash_reproducer:
        needed = "--mlir-pass-pipeline-crash-reproducer"
        raise UsageError(f"--mlir-pass-pipeline-local-reproducer is of use with {needed} only")


def _pipeline(arguments: Namespace, passes: Registry, machines: Mapping[str, targets.Machine]) -> Pipeline:
    flags = [name if options is None else f"{name}{{{options}}}" for name, options in arguments.pass_flags]
    texts = [text for text in (arguments.passes, arguments.pass_pipeline, ",".join(flags) or None) if text is not None]
    pipeline = parse_pipeline(texts[0] if texts else "", passes, machines)
    before, after = (
        [(name, parse_pipeline(text, passes, machines)) for name, text in added]
        for added in (arguments.insert_before, arguments.insert_after)
    )
    return pipeline.with_passes(before, after).select(arguments.start_at, arguments.stop_after)


def _check_flags(arguments: Namespace, passes: Registry) -> None:
    """Raise UsageError for a word that is neither an option nor, with its dashes, the name of a pass."""
    for name, _ in arguments.pass_flags:
        if known_name(name) not in passes and name not in passes:
            flags = [*arguments.known_options, *(f"--{pass_name}" for pass_name in (*passes, *UPSTREAM_NAMES))]
            remedy = did_you_mean(f"--{name}", flags) or "opt-tool --help shows the options"
            raise UsageError(f"no option '--{name}'", expected="an option, or the name of a pass", remedy=remedy)


def _target(arguments: Namespace, formats: Mapping[str, Callable[[], type[Target]]]) -> Target:
    text = arguments.format or "mlir"
    items = parse_items(text, "-t")
    if len(items) != 1 or items[0].children is not None:
        raise UsageError(f"-t {text} is not one output format", expected="a name and its options: c{option=value}")
    if items[0].name not in formats:
        remedy = did_you_mean(items[0].name, formats) or "opt-tool --list-targets lists the formats"
        raise point_at(text, items[0].start, f"no output format '{items[0].name}'", source="-t", remedy=remedy)
    target = cast(Target, build(formats[items[0].name](), items[0], text, "-t"))
    if not isinstance(target, MlirTarget):
        return target
    options = text_options(arguments)
    # What mlir-opt reads, whatever the dialects; bytecode keeps each location.
    options |= {"generic": True, "debuginfo": True, "short_names": False} if arguments.emit_bytecode else {}
    return dataclasses.replace(target, **options)
