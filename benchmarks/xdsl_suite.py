"""
xDSL's own filecheck suite, run with opt-tool in the place of xdsl-opt; and its programs beside upstream's mlir-opt.

    python benchmarks/xdsl_suite.py XDSL
    python benchmarks/xdsl_suite.py XDSL --chunks --mlir-opt mlir-opt-19

XDSL is a source tree of xDSL, best of the release that is installed: `pip download --no-binary xdsl --no-deps xdsl==X`
and unpack. Nothing of it is part of this project.

Without `--chunks`: the RUN lines that call xdsl-opt and that the installed xdsl-opt passes, those that pipe its output
through mlir-opt included if there is one. Lines with the option `--verify-diagnostics` are counted separately, as
errors: with xdsl-opt it prints the error and succeeds, with opt-tool it is mlir-opt's. There opt-tool runs without the
option, and must fail; the figure says how often with the same message.

With `--chunks`: the parts between lines `// -----` of the suite's files that mlir-opt and xdsl-opt accept. opt-tool
must accept them, and mlir-opt what opt-tool prints of them, pretty, generic and with every location.

The exit code is 1 where a command or a part fails for which no reason is known.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from lit import TestRunner, discovery
from lit.LitConfig import LitConfig

from tilewright.runtime.driver.run_lines.shell import CommandResult, run_line
from tilewright.runtime.testing.lit.tools import TOOLS
from tilewright.test.fuzz.isolated import Crash, Hang, run_isolated

SECONDS = 60
"""Time limit of a command or a part, in seconds."""

_LOCATIONS = "the test wants locations of arguments left out; opt-tool prints what the text says of locations"
_BITS = "the test wants a finite float by its bits, which xDSL reads as an integer; opt-tool prints it in decimal"
_DOMINANCE = "a value is used where its definition does not dominate, which xDSL does not check and mlir-opt refuses"
_POSITIONS = "the test wants loc(unknown) of ops without a location; opt-tool prints their positions, as mlir-opt does"
_ORDER = "the test wants float sums in another order, or 3 * x for x + x + x: docs/xdsl.md"
_EXCHANGED = "the test wants logarithms and exponentials exchanged: docs/xdsl.md"
_FLAG = "the test wants the index of a switch truncated to 32 bits: docs/xdsl.md"
_FORM = "the test wants the generic form of ops for which opt-tool prints upstream's own"
_TERMINATOR = "the test wants no terminator after an unregistered op, after which the parser adds none"
_ACCUMULATOR = "the test wants the accumulator of a sum second; upstream's named ops have it first"
_SUBTRACTED = "the test wants the sum with a negative constant; lower-affine subtracts a positive one"
_MAPS = "the test wants indexing_maps of linalg.matmul, which newer releases than MLIR 19 have"
_GROUPS = "a tensor of two axes is collapsed in three, which mlir-opt refuses"
_REASONS = {
    "dialects/affine/affine_ops.mlir": _FORM,
    "dialects/complex/canonicalize.mlir": "the test wants products of f32 rounded once, from f64: docs/xdsl.md",
    "dialects/func/func_ops.mlir": _LOCATIONS,
    "dialects/gpu/ops.mlir": _FORM,
    "dialects/linalg/linalg_ops.mlir": _MAPS,
    "dialects/llvm/func.mlir": _LOCATIONS,
    "dialects/scf/reduce.mlir": _FORM,
    "dialects/scf/unregistered.mlir": _TERMINATOR,
    "dialects/tensor/ops.mlir": _GROUPS,
    "dialects/x86/x86_assembly_emission.mlir": _DOMINANCE,
    "dialects/x86/x86_ops.mlir": _DOMINANCE,
    "transforms/approximate-math-with-bitcast.mlir": _EXCHANGED,
    "transforms/convert-arith-to-varith.mlir": _ORDER,
    "transforms/convert-scf-to-cf.mlir": _FLAG,
    "transforms/convert-scf-to-openmp.mlir": _FORM,
    "transforms/varith-fuse-repeated-operands.mlir": _ORDER,
    "transforms/lower-csl-stencil.mlir": f"xDSL's pass leaves invalid IR: {_DOMINANCE}",
    "transforms/linalg-fuse-multiply-add.mlir": _BITS,
    "transforms/lower_affine.mlir": _SUBTRACTED,
    "transforms/linalg_generalize_named_ops.mlir": _ACCUMULATOR,
    "parser-printer/graph_region.mlir": _DOMINANCE,
    "parser-printer/invalid_dense_attr.mlir": "the test wants xDSL's messages on raw bytes of constants",
    "transforms/cse.mlir": "in graph regions opt-tool's cse replaces operands of earlier ops too",
    "version.mlir": "the test wants the name of xdsl-opt",
    "mlir-conversion/with-mlir/dialects/func/func_ops.mlir": _POSITIONS,
    "mlir-conversion/with-mlir/parser-printer/custom_format_debuginfo.mlir": _POSITIONS,
}
"""Why commands of a file do not pass with opt-tool, by the file's path."""

_OPTIONS = "its options are a later LLVM's dictionary in xDSL, whose generic form the suite demands"
_REASONS_OF_PARTS = {"dialects/transform/transform_named_sequence.mlir": _OPTIONS}
"""Why mlir-opt 19 refuses what opt-tool prints of a file, by the file's path."""

_VERIFY = re.compile(r"\s--verify-diagnostics?\b")
_XDSL_OPT = re.compile(r"(?<![\w./-])xdsl-opt(?![\w-])")
_SPLIT = re.compile(r"^// -----.*$", re.MULTILINE)


@dataclass(frozen=True)
class Command:
    """A RUN line of the suite, its substitutions made."""

    file: str
    line: str

    @property
    def with_opt_tool(self) -> str:
        """The line with opt-tool in the place of xdsl-opt; where it verifies errors, they go to filecheck."""
        if not _VERIFY.search(self.line):
            return _XDSL_OPT.sub("opt-tool", self.line)
        return _XDSL_OPT.sub("not opt-tool", _VERIFY.sub("", self.line)).replace("|", "2>&1 |", 1)


@dataclass(frozen=True)
class Part:
    """Part of a file of the suite, the `number`th from 1."""

    file: str
    number: int
    text: str


def _xdsl_opt(words: list[str]) -> int:
    from xdsl.xdsl_opt_main import xDSLOptMain

    try:
        xDSLOptMain(args=words[1:]).run()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


_TOOLS = {**TOOLS, "xdsl-opt": _xdsl_opt}


def commands(suite: Path, folder: Path) -> Iterator[Command]:
    """Yield the RUN lines that call xdsl-opt, as lit reads them; `folder` is for files that they write."""
    lit, find = cast(Any, TestRunner), cast(Any, discovery).find_tests_for_inputs
    config = cast(Any, LitConfig)("lit", [], "error", False, False, [], True, False, False, None, {})
    for test in find(config, [str(suite)]):
        script = lit.parseIntegratedTestScript(test, require_script=False)
        if test.config.unsupported or not isinstance(script, list):
            continue
        file = Path(test.getSourcePath())
        name = file.relative_to(suite).as_posix()
        own = folder / name
        own.parent.mkdir(parents=True, exist_ok=True)
        table = [*test.config.substitutions, *lit.getDefaultSubstitutions(test, str(own.parent), str(own))]
        for line in cast("list[str]", lit.applySubstitutions(script, table, recursion_limit=5)):
            line = re.sub(r"^\s*(?:%dbg\([^)]*\)|: '[^']*';)\s*", "", line)
            if _XDSL_OPT.search(line):
                yield Command(name, line)


def parts(suite: Path) -> Iterator[Part]:
    """Yield the parts of the suite's .mlir files."""
    for file in sorted(suite.rglob("*.mlir")):
        texts = _SPLIT.split(file.read_text(encoding="utf-8"))
        for number, text in enumerate(texts, 1):
            if text.strip():
                yield Part(file.relative_to(suite).as_posix(), number, text)


def _attempt(command: Command) -> tuple[str, str]:
    """Classify a command; returns its class and the reason why opt-tool fails it, empty where it passes."""
    if run_line(command.line, _TOOLS).code:
        return "does not pass with xdsl-opt", ""
    return "errors" if _VERIFY.search(command.line) else "commands", _reason(run_line(command.with_opt_tool, _TOOLS))


def _reason(result: CommandResult) -> str:
    lines = result.err.decode(errors="replace").strip().splitlines()
    return "" if result.code == 0 else next(iter(lines), f"exit code {result.code}")


def _accepted(words: Sequence[str], text: str) -> CommandResult:
    """Run a tool on a text; returns its output."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        return run_line(shlex.join([words[0], file.name, *words[1:]]), _TOOLS)


def _compare(part: Part, mlir_opt: str) -> tuple[str, str]:
    """Classify a part; returns its class and the reason why it fails, empty where it passes."""
    for tool in (mlir_opt, "xdsl-opt"):
        if _accepted([tool], part.text).code:
            return f"{Path(tool).name} refuses it", ""
    for form in ([], ["--mlir-print-op-generic"], ["--mlir-print-debuginfo"]):
        printed = _accepted(["opt-tool", *form], part.text)
        if printed.code:
            return "parts", f"opt-tool refuses it: {_reason(printed)}"
        again = _accepted([mlir_opt], printed.out.decode())
        if again.code:
            return "parts", f"{Path(mlir_opt).name} refuses what opt-tool prints {' '.join(form)}: {_reason(again)}"
    return "parts", ""


def _report(runs: Iterator[tuple[Command | Part, Any]]) -> int:
    """Print the failures and their number; return the number of those without a reason."""
    counted: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    unknown = 0
    for item, found in runs:
        stopped = isinstance(found, Crash | Hang)
        kind, reason = ("commands", f"{type(found).__name__}: {found}") if stopped else cast("tuple[str, str]", found)
        counted[kind] += 1
        failed[kind] += bool(reason)
        if not reason:
            continue
        known = {"commands": _REASONS, "parts": _REASONS_OF_PARTS}.get(kind, {}).get(item.file, "")
        unknown += kind != "errors" and not known
        name = item.line if isinstance(item, Command) else f"part {item.number}"
        print(f"{kind}: {item.file}: {name}\n  {known or reason}", flush=True)
    for kind, number in counted.items():
        print(f"{kind}: {number - failed[kind]} of {number}")
    return unknown


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("xdsl", type=Path, help="a source tree of xDSL")
    parser.add_argument("--chunks", action="store_true", help="compare with mlir-opt, part for part")
    parser.add_argument("--mlir-opt", default="mlir-opt-19", metavar="PATH", help="upstream's mlir-opt (mlir-opt-19)")
    parser.add_argument("--only", default="", metavar="TEXT", help="files whose path holds the text")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes at a time (1)")
    options = parser.parse_args()
    if mlir_opt := shutil.which(cast(str, options.mlir_opt)):
        os.environ["XDSL_MLIR_OPT"] = mlir_opt  # where the suite's configuration looks for it
    suite = options.xdsl.resolve() / "tests" / "filecheck"
    if not suite.is_dir():
        parser.error(f"there is no folder {suite}")
    with tempfile.TemporaryDirectory() as folder:
        items = parts(suite) if options.chunks else commands(suite, Path(folder))
        attempt = cast(Any, partial(_compare, mlir_opt=options.mlir_opt) if options.chunks else _attempt)
        chosen: list[Command | Part] = [item for item in items if options.only in item.file]
        return int(_report(run_isolated(chosen, attempt, options.jobs, SECONDS)) > 0)


if __name__ == "__main__":
    sys.exit(main())
