"""One command line of `opt-tool` at work on the chunks of its input."""

from __future__ import annotations

import dataclasses
import io
import sys
import traceback
from argparse import Namespace
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import ParseError
from xdsl.utils.target import Target

from ...dialects.core.syntax.text import Locations, new_context, parse_module, print_ir
from ...dialects.core.verification.verifier import verify
from ...errors import Diagnostic, point_into
from ...files import check_readable
from ...grammar import ROUNDTRIP, UsageError, once
from ...passes.core.failures import as_diagnostic, catchable
from ...passes.core.manager import Observer, PassManager
from ...passes.core.pipeline import Pipeline
from ...passes.core.remark_log import collected
from ...passes.core.remarks import Remark
from ...passes.formats.mlir import MlirTarget
from .chunks import Chunk
from .dump import When
from .expected import check, expectations
from .printing import ir_printer
from .remarks import expected_remarks, is_listening
from .replay import DumpDir, Reproducer, continuing_flags
from .roundtrip import RoundTrip
from .timing import Timing
from .upstream_reproducer import upstream_reproducers


class CommandRun:
    """One command at work on the chunks of its input; `failed` once something has gone wrong."""

    def __init__(
        self,
        arguments: Namespace,
        source: str,
        pipeline: Pipeline,
        target: Target,
        when: When,
    ):
        self.arguments = arguments
        self.source = source
        self.pipeline = pipeline
        self.target = target
        self.other = Pipeline(())
        """The pipeline of --against-pipeline."""
        self.when = when
        self.shapes = once("--input-shape", arguments.input_shape)
        self.types = once("--input-type", arguments.input_type)
        self.values = once("--input-value", arguments.input_value)
        self.timing = Timing()
        self.failed = False
        self.remarks: list[Remark] | None = [] if is_listening(arguments) else None
        self.context = new_context(allow_unregistered=arguments.allow_unregistered_dialect)

    def chunk(self, chunk: Chunk) -> str | None:
        """Return the output for a chunk; None where it has none, its errors then being reported."""
        came: list[Diagnostic] = []
        before = len(self.remarks or ())
        output: str | None = None
        try:
            module = self.parsed(chunk)
            output = module if isinstance(module, str) else self.compile(module, chunk)
        except BaseException as error:
            if not catchable(error) or isinstance(error, UsageError):
                raise
            came.append(self.placed(error))
            point_into(came[-1], chunk.text, self.source, chunk.first_line)
        if self.arguments.verify_diagnostics:
            came = self.unexpected(chunk, came, (self.remarks or ())[before:])
        for error in came:
            print_error(error, self.arguments.debug)
        self.failed = self.failed or bool(came)
        return output

    def parsed(self, chunk: Chunk) -> ModuleOp | str:
        """Return the module of a chunk; with --parsing-diagnostics, of one that is no IR the error as xdsl-opt's."""
        try:
            return self.load(chunk)
        except Diagnostic as error:
            if not self.arguments.parsing_diagnostics:
                raise
            return f"{error.__cause__ if isinstance(error.__cause__, ParseError) else self.placed(error)}\n"

    def compile(self, module: ModuleOp, chunk: Chunk) -> str:
        """Return the output for the module of a chunk. Raises the errors of passes and verifier."""
        with self.timing.measure("verify"):
            verify(module)
        if self.arguments.explain is not None:
            from ..remarks.explanation import keep_positions

            keep_positions(module)
        if self.arguments.bisect_numerics:
            self.bisect_numerics(module)
        with self.action_logs(chunk) as logs, collected(self.remarks) as remark_logs:
            manager = PassManager([*self.observers(chunk), *logs, *remark_logs], bool(self.arguments.verify_each))
            manager.run(module, self.pipeline, self.context)
        with self.timing.measure("print"):
            return self.emit(module) if self.arguments.explain is None else self.explain(module)

    @property
    def open_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of --input-shape, but for an ONNX file, whose import gives its inputs theirs."""
        return {} if self.source.endswith(".onnx") else self.shapes

    def bisect_numerics(self, module: ModuleOp) -> None:
        """Raise Diagnostic where the pipeline and that of --against-pipeline give different answers."""
        from .bisect_numerics import NamedPipeline, NumericBisection

        arguments = self.arguments
        other = NamedPipeline("--against-pipeline", self.other)
        bisection = NumericBisection(
            *(NamedPipeline("the pipeline", self.pipeline), other, self.context),
            inputs=Path(arguments.inputs) if arguments.inputs else None,
            seed=arguments.seed,
            runs=arguments.interpret_runs,
            functions=arguments.interpret_function,
            shapes=self.open_shapes,
        )
        bisection.check(module)

    def explain(self, module: ModuleOp) -> str:
        """Return the remarks of passes on the value that --explain names."""
        from ..remarks.explanation import explanation

        return explanation(self.arguments.explain, module, self.remarks or ())

    def check(self, module: ModuleOp, pipeline: Pipeline, observers: Sequence[Observer]) -> None:
        """Run a pipeline on a module that verifies, and the output format. Raises what the command would report."""
        manager = PassManager([*self.checks(localise=False), *observers], bool(self.arguments.verify_each))
        manager.run(module, pipeline, self.context)
        if self.arguments.format:
            self.emit(module)

    def action_logs(self, chunk: Chunk) -> AbstractContextManager[list[Observer]]:
        """Return the context in which passes log their actions, with the observers that do so."""
        file, names = self.arguments.log_actions_to or "", self.arguments.debug_only
        if not file and not names:
            return nullcontext([])
        from .action_log import logged_actions

        return logged_actions(file, names, more=chunk.first_line > 1)

    def load(self, chunk: Chunk) -> ModuleOp:
        """Return the module that a chunk, or the ONNX file, holds. Raises Diagnostic if there is none."""
        with self.timing.measure("parse"):
            if not self.source.endswith(".onnx"):
                return parse_module(self.context, chunk.text, self.source, first_line=chunk.first_line)
            from ...frontend.importer import import_onnx
            from ...frontend.static_inputs import numbers

            check_readable(self.source)
            values = {name: numbers(name, text) for name, text in self.values.items()}
            path, shapes = Path(self.source), self.shapes
            return import_onnx(path, input_shapes=shapes, input_types=self.types, input_values=values)

    def checks(self, *, localise: bool = True) -> list[Observer]:
        """
        Return the observers that the command line asks for and that may object to what a pass has made.

        With `localise`, --interpret-each names the op at which an answer begins to differ.
        """
        arguments = self.arguments
        observers: list[Observer] = []
        if arguments.verify_each == ROUNDTRIP:
            observers.append(RoundTrip(self.context))
        if arguments.interpret_each:
            from .interpret import InterpretEach

            inputs = Path(arguments.inputs) if arguments.inputs else None
            runs, functions = arguments.interpret_runs, arguments.interpret_function
            observers.append(InterpretEach(inputs, arguments.seed, runs, functions, self.open_shapes, localise))
        return observers

    def observers(self, chunk: Chunk) -> list[Observer]:
        """Return the observers of the pass manager that the command line asks for."""
        arguments = self.arguments
        shown = MlirTarget(**text_options(arguments))
        plain = dataclasses.replace(shown, highlight=False)
        observers = self.checks()
        if arguments.reproducer:
            show = partial(print_ir, locations=Locations.GIVEN, context=self.context)
            observers.append(Reproducer(Path(arguments.reproducer), show, continuing_flags(arguments, interpret=True)))
        observers += upstream_reproducers(arguments, partial(print_ir, locations=Locations.GIVEN, context=self.context))
        if self.when:
            ir = plain if arguments.mlir_print_ir_tree_dir else shown
            observers.append(ir_printer(arguments, self.when, partial(ir.text, self.context), chunk.folder))
        if arguments.dump_dir:
            target = ("-t", arguments.format) if arguments.format else ()
            folder = Path(arguments.dump_dir) / chunk.folder
            show = partial(plain.text, self.context, locations=Locations.GIVEN)
            observers.append(DumpDir(folder, show, (*target, *continuing_flags(arguments, interpret=False))))
        return [*observers, self.timing] if arguments.timing else observers

    def all_flags(self) -> tuple[str, ...]:
        """Return the arguments that a file which repeats this run must be given, but for its pipeline."""
        target = ("-t", self.arguments.format) if self.arguments.format else ()
        return (*target, *continuing_flags(self.arguments, interpret=True))

    def with_one_input(self) -> CommandRun:
        """Return the run whose --interpret-each has one input."""
        other = copy(self)
        other.arguments = copy(self.arguments)
        other.arguments.interpret_runs = 1
        return other

    def emit(self, module: ModuleOp) -> str:
        """Return a module in the output format. Raises Diagnostic where the format refuses it."""
        stream = io.StringIO()
        try:
            self.target.emit(self.context, module, stream)
        except BaseException as error:
            if not catchable(error):
                raise
            diagnostic = as_diagnostic(error, f"output format '{self.target.name}'")
            diagnostic.stage = diagnostic.stage or f"-t {self.target.name}"
            if diagnostic is error:
                raise
            raise diagnostic from error
        return stream.getvalue()

    def placed(self, error: BaseException) -> Diagnostic:
        """Return an error as a Diagnostic that names the input, and says how to get a reproducer."""
        diagnostic = as_diagnostic(error, "opt-tool")
        if diagnostic is not error:
            diagnostic.__cause__ = error
        if not diagnostic.where.startswith(f"{self.source}:") and not diagnostic.source:
            diagnostic.source = self.source
        if ", pass " in diagnostic.stage and not diagnostic.reproducer:
            diagnostic.reproducer = "none; --reproducer=FILE writes one"
        return diagnostic

    def unexpected(self, chunk: Chunk, came: Sequence[Diagnostic], remarks: Sequence[Remark]) -> list[Diagnostic]:
        """Return the difference between errors and remarks and those that a chunk expects."""
        expected = expectations(chunk.text, self.source, chunk.first_line)
        only_expected = self.arguments.verify_diagnostics == "only-expected"
        shown = expected_remarks(self.arguments, remarks)
        text, line = chunk.text, chunk.first_line
        return check(expected, came, text, self.source, line, remarks=shown, only_expected=only_expected)


def text_options(arguments: Namespace) -> dict[str, Any]:
    """Return the options of MlirTarget that the command line sets."""
    sizes = ("elide", "elide_resources", "hex_above", "width")
    flags = ("generic", "debuginfo", "highlight", "skip_regions", "short_names", "unique_names", "users")
    values = {name: getattr(arguments, name) for name in (*sizes, *flags)}
    return {name: value for name, value in values.items() if value is not None and value is not False}


def print_error(error: BaseException, debug: bool) -> None:
    """Print an error to standard error; with `debug`, after its traceback."""
    if debug:
        traceback.print_exception(error)
    print(as_diagnostic(error, "opt-tool"), file=sys.stderr)
