"""
`opt-tool`: runs passes on IR. This file is the command line alone; the work is in `runtime/driver`.

Nothing of xDSL or NumPy is imported before it is needed, so that `--help` is immediate.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from .errors import Diagnostic
from .files import flushed, open_standard_streams, path_of, write_stdout
from .grammar import ROUNDTRIP
from .interruption import raise_when_ended, reported

if TYPE_CHECKING:
    from .runtime.driver.driver import Registries

_DESCRIPTION = """\
Run passes on IR and print the result.

  opt-tool net.onnx --pass-pipeline='builtin.module(host-pipeline)' -t c -o net.c
  opt-tool f.mlir -p canonicalize,cse --mlir-print-ir-after-change
"""

_REDUCTION = """\
opt-tool f.mlir -p a,b,c --reduce -o small.mlir keeps the error, the crash or, with --interpret-each, the wrong answer;
opt-tool small.mlir --run-reproducer shows it again. Ctrl-C writes the smallest so far.
"""
_Add: TypeAlias = Callable[..., argparse.Action]
"""`add_argument` of a parser, or of a group of its options."""
_FLAG = "store_true"
_DEBUGINFO = ("--mlir-print-debuginfo", "--print-debuginfo")
_MARK = "// -----"
_WITHOUT_VALUE = {
    "--mlir-print-ir-after-change": "true",
    "--split-input-file": _MARK,
    "--verify-diagnostics": "all",
    "--verify-each": "true",
    **dict.fromkeys(_DEBUGINFO, "true"),
}
"""Option that may stand without a value -> the value that it has then."""
_WITH_TWO_VALUES = ("--insert-before", "--insert-after")
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


class CommandParser(argparse.ArgumentParser):
    """Argument parser whose errors are Diagnostics."""

    def print_help(self, file: Any = None) -> None:
        write_stdout(self.format_help())

    def error(self, message: str) -> NoReturn:
        from .grammar import UsageError

        raise UsageError(message, remedy=f"{self.prog} --help shows the options")


def _truth(text: str) -> bool:
    if text not in _TRUTH:
        raise argparse.ArgumentTypeError(f"expected true or false, found '{text}'")
    return _TRUTH[text]


def _verification(text: str) -> bool | str:
    return text if text == ROUNDTRIP else _truth(text)


def _change(text: str) -> bool | str:
    return text if text == "diff" else _truth(text)


def _marker(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("expected the text of a line, found none")
    return text


def _natural(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a number that is not negative, found '{text}'")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"expected a number above 0, found '{text}'")
    return int(text)


def _path(text: str) -> str:
    path_of(text)
    return text


def name_and_value(text: str) -> tuple[str, str]:
    """Return the parts of NAME=VALUE. Raises ArgumentTypeError for other texts."""
    name, equals, value = text.rpartition("=")
    if not equals or not name or not value:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, found '{text}'")
    return name, value


def name_and_shape(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the parts of NAME=1,3,224,224. Raises ArgumentTypeError for other texts."""
    name, value = name_and_value(text)
    sizes = value.split(",")
    if not all(size.isdecimal() for size in sizes):
        raise argparse.ArgumentTypeError(f"expected NAME=1,3,224,224, found '{text}'")
    return name, tuple(map(int, sizes))


def argument_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = CommandParser(
        "opt-tool",
        usage="opt-tool [OPTION...] [INPUT]",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_files(parser.add_argument)
    _add_passes(parser.add_argument_group("passes").add_argument)
    _add_lists(parser.add_argument_group("registries").add_argument)
    _add_dumps(parser.add_argument_group("IR between passes").add_argument)
    _add_reports(parser.add_argument_group("times, counters and logs").add_argument)
    _add_interpretation(parser.add_argument_group("interpretation after each pass").add_argument)
    _add_reproducers(parser.add_argument_group("reproducers").add_argument)
    _add_reduction(parser.add_argument_group("reduction", _REDUCTION).add_argument)
    _add_printing(parser.add_argument_group("printing").add_argument)
    _add_inputs(parser.add_argument_group("ONNX inputs").add_argument)
    return parser


def _add_files(add: _Add) -> None:
    add(
        "input",
        nargs="?",
        type=_path,
        default="-",
        metavar="INPUT",
        help="a .mlir or .onnx file; '-' or none: .mlir from stdin",
    )
    add("-o", "--output", type=_path, metavar="FILE", default="-", help="where the result goes, whole or not at all")
    add("--emit-bytecode", action=_FLAG, help="write MLIR's bytecode, by mlir-opt; bytecode is read as text is")
    add("-t", dest="format", metavar="FORMAT", help="output format: mlir (the default), c, ...; --list-targets")
    split = "treat the parts between lines MARK ('// -----') as files of their own"
    add("--split-input-file", type=_marker, metavar="MARK", help=split)
    add("--output-split-marker", default=_MARK, metavar="MARK", help="the line between the outputs of parts")
    expected = "succeed when exactly the errors of '// expected-error' come (all), or at least these (only-expected)"
    add("--verify-diagnostics", choices=("all", "only-expected"), help=expected)
    add("--allow-unregistered-dialect", action=_FLAG, help="accept ops of unknown dialects")
    add("--parsing-diagnostics", action=_FLAG, help="print errors of the syntax to the output and succeed")
    written = "write the CHECK lines of lit tests from the output of their RUN lines, below a comment that marks them"
    add("--update-checks", nargs="+", type=_path, metavar="FILE", help=written)
    add("--debug", action=_FLAG, help="show the traceback of an error")


def _add_passes(add: _Add) -> None:
    add("--pass-pipeline", metavar="TEXT", help="the passes, nested: 'builtin.module(func.func(cse),foo{size=4})'")
    add("-p", "--passes", metavar="LIST", help="the same, shorter to write")
    add("--start-at", metavar="NAME", default="", help="leave out what comes before this phase or pass (name#2)")
    add("--stop-after", metavar="NAME", default="", help="leave out what comes after this phase or pass (name#2)")
    two: dict[str, Any] = {"nargs": 2, "metavar": ("NAME", "PASSES"), "action": "append", "default": []}
    add("--insert-before", help="run passes before this phase or pass (name#2), too; repeatable", **two)
    add("--insert-after", help="run passes after this phase or pass (name#2), too; repeatable", **two)
    add(
        "--target",
        dest="machine",
        action="append",
        default=[],
        metavar="TARGET",
        help="a target whose pipeline, passes and dialects to know: a name, a folder anywhere, a machine file",
    )
    add(
        "--load-pass",
        type=_path,
        action="append",
        default=[],
        metavar="FILE.py",
        help="a Python file whose passes and dialects to know",
    )
    text = f"verify after each pass (true); {ROUNDTRIP}: verify too that its text parses as the same IR"
    add("--verify-each", type=_verification, default=True, metavar="BOOL", help=text)


def _add_lists(add: _Add) -> None:
    add("--list-passes", action=_FLAG, help="list the passes")
    add("--help-pass", metavar="PASS", help="describe a pass and its options")
    add("--list-dialects", action=_FLAG, help="list the dialects")
    add("--list-targets", action=_FLAG, help="list the machines and the output formats")
    add("--version", action=_FLAG, help="print the version, and xDSL's")


def _add_dumps(add: _Add) -> None:
    add("--mlir-print-ir-before", metavar="PASS", action="append", default=[], help="print the IR before these passes")
    add("--mlir-print-ir-after", metavar="PASS", action="append", default=[], help="print the IR after these passes")
    add("--mlir-print-ir-before-all", action=_FLAG, help="print the IR before each pass")
    add("--mlir-print-ir-after-all", action=_FLAG, help="print the IR after each pass")
    change = "print the IR only after passes that change it; diff: as a unified difference"
    add("--mlir-print-ir-after-change", type=_change, default=False, metavar="diff", help=change)
    add("--mlir-print-ir-after-failure", action=_FLAG, help="print the IR that a failed pass leaves")
    tree = "write the printed IR to files of this folder, op by op, named as mlir-opt's"
    add("--mlir-print-ir-tree-dir", type=_path, metavar="DIR", help=tree)
    add(
        "--dump-dir",
        type=_path,
        metavar="DIR",
        help="write the IR after each pass to a file that runs the rest of the pipeline",
    )


def _add_reports(add: _Add) -> None:
    add("--timing", "--mlir-timing", dest="timing", action=_FLAG, help="print how long each pass took")
    times = "the times in the order of the pipeline, or summed by pass, the longest first, or as JSON (tree)"
    shown = ("list", "tree", "json")
    add("--mlir-timing-display", dest="timing_display", choices=shown, default="tree", help=times)
    add("--dump-pass-pipeline", action=_FLAG, help="print the pipeline with all options")
    log = "write a line for each pass, fold and pattern that rewrites; '-': to standard error"
    add("--log-actions-to", type=_path, metavar="FILE", help=log)
    only = "print those lines of the log that are of these passes, patterns or kinds"
    add("--debug-only", metavar="NAME[,NAME]", default="", help=only)
    remarks = "write why passes decided so, and what they refused, to a .json or .html file; '-': to standard error"
    add("--remarks", type=_path, metavar="FILE", action="append", default=[], help=remarks)
    pattern = "only remarks in whose 'KIND PASS NAME' this is found: 'missed fuse'"
    add("--remarks-filter", metavar="REGEX", help=pattern)
    explained = "print, instead of the IR, why passes made it so: of %%5, @function::%%5, an ONNX node or FILE:LINE"
    add("--explain", metavar="VALUE", help=explained)
    add("--mlir-pass-statistics", dest="pass_statistics", action=_FLAG, help="print what passes have counted")
    display = "the counters of passes in the order of the pipeline, or summed by pass (pipeline)"
    add(
        "--mlir-pass-statistics-display",
        dest="statistics_display",
        choices=("list", "pipeline"),
        default="pipeline",
        help=display,
    )


def _add_interpretation(add: _Add) -> None:
    add("--interpret-each", action=_FLAG, help="run the program after each pass; name the first op that changes it")
    function = "a function for --interpret-each to run, repeatable; @network without, or the only public one"
    add("--interpret-function", metavar="NAME", action="append", default=[], help=function)
    runs = "the number of inputs of --interpret-each: without, 64 for scalar programs, 1 or 2 for networks"
    add("--interpret-runs", type=_positive, metavar="N", help=runs)
    add("--inputs", type=_path, metavar="FILE.npz", help="the inputs of --interpret-each, by name; random ones without")
    bisect = "compare the answer with that of --against-pipeline; name the first op and pass that differ"
    add("--bisect-numerics", action=_FLAG, help=bisect)
    against = "the passes of the other pipeline; without, --bisect-numerics compares with the program before the passes"
    add("--against-pipeline", metavar="PASSES", help=against)
    add("--seed", type=_natural, default=0, metavar="N", help="the seed of random inputs (0)")


def _add_reproducers(add: _Add) -> None:
    add("--reproducer", type=_path, metavar="FILE", help="when a pass fails, write what went into it, with its command")
    crash = "the same as mlir-opt writes it: the input, with the whole pipeline"
    add("--mlir-pass-pipeline-crash-reproducer", type=_path, metavar="FILE", help=crash)
    local = "write there what went into the failing pass, with that pass alone"
    add("--mlir-pass-pipeline-local-reproducer", action=_FLAG, help=local)
    always = "write the input with the pipeline, whether or not a pass fails"
    add("--mlir-generate-reproducer", type=_path, metavar="FILE", help=always)
    add("--run-reproducer", action=_FLAG, help="run the command, or mlir-opt's pipeline, that the input file holds")


def _add_reduction(add: _Add) -> None:
    add("--reduce", action=_FLAG, help="write the smallest IR and pipeline that fail in the same way")
    command = "reduce while this command exits with 0 on the candidate's file, put for {}, instead"
    add("--reduce-predicate", metavar="'COMMAND {}'", help=command)
    seconds = "the longest run in seconds (60; 600 with --interpret-each): a longer one hangs, and that is kept"
    add("--reduce-timeout", type=_positive, metavar="SECONDS", help=seconds)


def _add_printing(add: _Add) -> None:
    elide = "--mlir-elide-elementsattrs-if-larger"
    add(elide, dest="elide", type=_natural, metavar="N", help="omit constants of more elements, uniform ones excepted")
    resources = "--mlir-elide-resource-strings-if-larger"
    add(resources, dest="elide_resources", type=_natural, metavar="N", help="omit resources of more characters")
    bytes = "--mlir-print-elementsattrs-with-hex-if-larger"
    add(
        bytes, dest="hex_above", type=int, metavar="N", help="print constants of more elements as bytes (100; -1: none)"
    )
    generic = ("--mlir-print-op-generic", "--print-op-generic")
    add(*generic, dest="generic", action=_FLAG, help="print each op in the generic form")
    add("--mlir-print-skip-regions", dest="skip_regions", action=_FLAG, help="print {...} for each region")
    short = "print names of ops as mlir-opt does: module, return"
    add("--mlir-print-short-names", dest="short_names", action=_FLAG, help=short)
    add("--mlir-print-value-users", dest="users", action=_FLAG, help="add the users of values as comments")
    unique = "give no two values one name, in regions that are isolated either"
    add("--mlir-print-unique-ssa-ids", dest="unique_names", action=_FLAG, help=unique)
    add("--mlir-print-assume-verified", action=_FLAG, help="print custom forms, as is always done")
    add("--mlir-print-local-scope", action=_FLAG, help="print attributes in full, as is always done")
    add("--line-width", dest="width", type=_natural, metavar="N", help="break longer lines (160 for networks; 0: none)")
    add("--syntax-highlight", dest="highlight", action=_FLAG, help="colour the names of values for a terminal")
    where = "print locations: ONNX nodes and positions in files (false)"
    add(*_DEBUGINFO, dest="debuginfo", type=_truth, default=False, metavar="BOOL", help=where)


def _add_inputs(add: _Add) -> None:
    some: dict[str, Any] = {"action": "append", "default": []}
    add(
        "--input-shape",
        type=name_and_shape,
        metavar="NAME=1,3,224,224",
        help="set a shape; of .mlir, one to run",
        **some,
    )
    add("--input-type", type=name_and_value, metavar="NAME=ui8", help="set an element type", **some)
    add("--input-value", type=name_and_value, metavar="NAME=1,2", help="make an input a constant of numbers", **some)


def parse_arguments(words: Sequence[str]) -> argparse.Namespace:
    """
    Parse a command line. Long options may have one dash, as mlir-opt's may.

    Raises UsageError where it is wrong, and SystemExit after `--help`.
    """
    parser = argument_parser()
    flags = [name for action in parser._actions for name in action.option_strings]  # pyright: ignore[reportPrivateUsage]
    arguments, unknown = parser.parse_known_args([part for word in words for part in _split(_spelled(word, flags))])
    if second := next((word for word in unknown if not word.startswith("-")), None):
        from .grammar import UsageError

        raise UsageError(f"there is a second input '{second}'", found=f"'{arguments.input}' and '{second}'")
    arguments.pass_flags = [_pass_flag(word) for word in unknown]
    _check_alone(parser, arguments)
    arguments.known_options = flags
    return arguments


def _check_alone(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Raise UsageError for other options beside --update-checks: RUN lines have their own."""
    values = vars(arguments)
    alone = {"update_checks", "pass_flags", "debug"}
    others = [name for name in values if name not in alone and values[name] != parser.get_default(name)]
    if arguments.update_checks and (others or arguments.pass_flags):
        from .grammar import UsageError

        shown = arguments.pass_flags[0][0] if arguments.pass_flags else others[0].replace("_", "-")
        remedy = "write the option into the RUN lines of the tests"
        raise UsageError("--update-checks takes no other option than --debug", found=shown, remedy=remedy)


def _pass_flag(word: str) -> tuple[str, str | None]:
    """Return the name of the pass that `--name` or `--name='option=value'` says, and its options."""
    name, equals, options = word.lstrip("-").partition("=")
    return name, options if equals else None


def _spelled(word: str, flags: Sequence[str]) -> str:
    """Return an argument with two dashes where it is a long option with one, and a value where one may be left out."""
    name = word.partition("=")[0]
    if name not in flags and len(name) > 2 and (f"-{name}" in flags or _is_pass(name, flags)):
        word = f"-{word}"
    return f"{word}={_WITHOUT_VALUE[word]}" if word in _WITHOUT_VALUE else word


def _split(word: str) -> list[str]:
    """Return an argument of an option that has two values as the option and the first of them."""
    name, equals, value = word.partition("=")
    return [name, value] if equals and name in _WITH_TWO_VALUES else [word]


def _is_pass(name: str, flags: Sequence[str]) -> bool:
    """Return whether a word that begins as an option of one letter does is the name of a pass: `-tabulate`, `-pcse`."""
    if name[:2] not in flags or name.startswith("--"):
        return False
    from .passes import all_passes

    return name[1:] in all_passes()


def main(argv: Sequence[str] | None = None, registries: Registries | None = None) -> int:
    """
    Run opt-tool and return its exit code: 0 if all worked, 1 for errors in the input, 2 for a wrong command.

    `known` replaces the passes, machines, output formats and interpreter that are discovered.
    """
    return _run(list(argv), registries) if argv is not None else as_process(lambda words: _run(words, registries))


def _run(words: list[str], registries: Registries | None) -> int:
    try:
        arguments = parse_arguments(words)
        if arguments.version:
            return _print_version()
        if arguments.update_checks:
            from .runtime.driver.checks.update import update_files

            return update_files(arguments.update_checks, lambda command: main(command[1:]))
    except SystemExit as stop:
        return int(stop.code or 0)
    except KeyboardInterrupt as error:
        said, code = reported(error)
        print(said, file=sys.stderr)
        return code
    except BrokenPipeError:
        return 1
    except Diagnostic as error:
        from .grammar import UsageError

        print(error, file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    from .runtime.driver.driver import drive

    return drive(arguments, registries, lambda recorded: parse_arguments([*recorded, *words]))


def _print_version() -> int:
    from importlib.metadata import version

    write_stdout(f"opt-tool of tilewright {version('tilewright')}, built from xdsl version {version('xdsl')}\n")
    return 0


def as_process(run: Callable[[list[str]], int]) -> int:
    """
    Return the exit code of a tool that has the process, its arguments and its standard streams to itself.

    Garbage is searched for seldom: IR is large, cyclic and lives long; the usual rate takes a fifth of a run.
    """
    open_standard_streams()
    gc.freeze()
    gc.set_threshold(1_000_000, 20, 100)
    raise_when_ended()
    code = flushed(run(sys.argv[1:]))
    gc.freeze()  # the process ends: what it holds need not be searched once more
    return code


if __name__ == "__main__":
    sys.exit(main())
