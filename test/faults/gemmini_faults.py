"""
Faults planted in the semantics of each of Gemmini's instructions, against the C of random programs of all of them.

    python test/faults/gemmini_faults.py [--seeds 8]

Each fault changes one operator, constant or statement of a record's function, or of one that records share. It is
found where a program's results in the interpreter then differ from those in C, or an error stops it. Faults that are
not are listed; exits with 1 if an instruction has none that is found.
"""

from __future__ import annotations
import __future__

import argparse
import ast
import inspect
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, cast

import numpy as np
from rich.progress import track

from tilewright import api
from tilewright.dialects.core.instruction import Instruction
from tilewright.errors import Diagnostic
from tilewright.targets.gemmini.dialects.gemmini import cells, instructions, loops
from tilewright.test.targets.gemmini.sequences import Program

_SWAPPED: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(), ast.Sub: ast.Add(), ast.Mult: ast.Add(), ast.FloorDiv: ast.Mult(),
}  # fmt: skip


class Run(NamedTuple):
    """A program in the interpreter, how to load it, its inputs and its results in C."""

    network: api.Network
    load: Callable[[], api.Network]
    inputs: dict[str, Any]
    expected: dict[str, Any]

    def differs(self, *, is_new: bool) -> bool:
        """Return whether results of the program in the interpreter differ, or an error stops it."""
        try:
            found = (self.load() if is_new else self.network).run(self.inputs)
        except (Diagnostic, ValueError, TypeError, IndexError, AttributeError, NameError):
            return True
        return any(not np.array_equal(found[name], values) for name, values in self.expected.items())


def mutants(tree: ast.FunctionDef) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield copies of a function with one change each, and its description."""
    signature = {id(node) for each in (tree.args, tree.returns) if each is not None for node in ast.walk(each)}
    for number, node in enumerate(ast.walk(tree)):
        for what, change in _changes(node) if id(node) not in signature else ():
            changed = deepcopy(tree)
            place = [*ast.walk(changed)][number]
            if isinstance(place, ast.stmt):
                _replace(changed, place)
            else:
                change(place)
            yield f"line {getattr(node, 'lineno', 0)}: {what}", ast.fix_missing_locations(changed)


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[Any], None]]]:
    if isinstance(node, ast.BinOp) and type(node.op) in _SWAPPED:
        yield f"{ast.unparse(node)} with another operator", lambda place: setattr(place, "op", _SWAPPED[type(place.op)])
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"a {node.value} becomes {node.value + 1}", lambda place: setattr(place, "value", place.value + 1)
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr):
        yield f"without {ast.unparse(node)}", lambda place: None


def _replace(tree: ast.AST, old: ast.stmt) -> None:
    for parent in ast.walk(tree):
        for body in (getattr(parent, name, None) for name in ("body", "orelse")):
            statements = cast("list[ast.stmt]", body) if isinstance(body, list) else []
            if old in statements:
                statements[statements.index(old)] = ast.copy_location(ast.Pass(), old)


def functions() -> Iterator[tuple[str, Any, Callable[[Any], None], ModuleType]]:
    """Yield each function of semantics: its name, itself, how to replace it, and its module."""
    for module in (instructions, loops, cells):
        for name, each in vars(module).items():
            if isinstance(each, Instruction) and each.function.__module__ == module.__name__:
                yield each.name, each.function, lambda new, made=each: setattr(made, "function", new), module
            elif inspect.isfunction(each) and each.__module__ == module.__name__ and name in _SHARED:
                yield name, each, lambda new, key=name, of=module: setattr(of, key, new), module


_SHARED = ("scaled", "_products", "_accumulate", "_bytes", "_convolve", "add_products", "_zeros", "_fused")


_CHECKED_IN_C = ("gemmini.begin", "gemmini.begin_loops")
"""Instructions that compute nothing: they state the instance, which a C compiler compares with its header."""


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def compiled(tree: ast.FunctionDef, module: ModuleType) -> Any:
    """Return a function in the namespace of its module."""
    space: dict[str, Any] = {}
    code = compile(ast.Module([tree], []), str(module.__file__), "exec", dont_inherit=True, flags=_FUTURE)
    exec(code, vars(module), space)
    return space[tree.name]


_FUTURE = __future__.annotations.compiler_flag


def main() -> int:
    """Plant each fault, print what was found, and return the status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=8, help="programs of instructions, and of loops")
    options = parser.parse_args()
    runs: list[Run] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(2 * options.seeds):
            is_of_loops = seed % 2 == 1
            element = ("i8", "i8" if is_of_loops else "bf16", "f32")[seed // 2 % 3]
            program = Program(seed // 2, loops=is_of_loops, element=element)
            file = Path(folder) / f"{seed}.mlir"
            file.write_text(program.text())
            target, inputs = "gemmini/loops" if program.is_of_loops else "gemmini", program.inputs()
            load = partial(api.load, file, target, on="interpreter")
            runs.append(Run(load(), load, inputs, api.load(file, target).run(inputs)))
        totals, survivors = dict[str, list[int]](), list[str]()
        for name, function, install, module in track([*functions()], "instructions"):
            tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
            assert isinstance(tree, ast.FunctionDef)
            tree.decorator_list = []
            tree.body = [each for each in tree.body if not _is_text(each)]
            totals[name] = [0, 0]
            for what, changed in mutants(tree):
                install(compiled(changed, module))
                is_found = _is_found(runs)
                install(function)
                totals[name][0] += is_found
                totals[name][1] += 1
                survivors += [] if is_found else [f"{name}, {what}"]
    for name, (found, planted) in totals.items():
        print(f"{name:34} {found:3} of {planted:3} found")
    print(f"{sum(each[0] for each in totals.values())} of {sum(each[1] for each in totals.values())} faults found")
    print(*survivors, sep="\n")
    return int(any(planted and not found for name, (found, planted) in totals.items() if name not in _CHECKED_IN_C))


def _is_found(runs: list[Run]) -> bool:
    """Return whether a program differs: as loaded before, and loaded anew, without what its state was."""
    return any(run.differs(is_new=is_new) for is_new in (False, True) for run in runs)


if __name__ == "__main__":
    sys.exit(main())
