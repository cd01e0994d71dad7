"""Runs of a program before the first pass, with which `--interpret-each` compares those after each pass."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import IndexType, ModuleOp

from ...dialects.core.interleaving import Order
from ...dialects.core.ports import symbol_in
from ...errors import Diagnostic
from ...ir import Array, where
from ..inputs import load_arrays, matched_inputs
from ..interpreter import Interpreter, boundary_inputs, random_inputs
from ..interpreter.boundary import output_contents, ports
from ..interpreter.ends import constants, samples
from ..interpreter.limits import EndlessError, RunLimits, UndefinedError
from ..interpreter.observations import Observation, observe, variables
from .answers import ROUNDED, Exactness
from .programs import exactness_of, has_fast_math, has_uninitialised_memory, is_scalar

Inputs: TypeAlias = Mapping[str, Mapping[str, Array]]
"""Function -> its inputs by name."""

RUNS = 64
"""Inputs of a scalar program: the ends of a type and the constants of a program, equal and mixed."""
_LEAST_RUNS = 8
"""Inputs at least, also where each has as many numbers as a type's list."""
_LONG = 32
"""Numbers of an input that has those of a type's list in few runs."""
_STEPS = 50_000
"""Steps of a scalar program that runs op by op: half a second at 10 us each."""
_SAMPLE_STEPS = 1_000
"""Steps of a run at the ends of types, or four times those of the first run; loops to the greatest index go on."""
_ALL_STEPS = 40_000
"""Steps of all runs of a scalar program by default, skipped ones included: half a second, before and after a pass."""
_MOST_STEPS = 2_000_000
"""Steps of a longer scalar program, of which a vectorised loop takes few: half a minute op by op."""
_UNWRITTEN = (301, 302, 303)
"""Seeds of the bytes that nothing has written (`Order.undefined`): of two runs before, and of those after passes."""


@dataclass(frozen=True)
class Reference:
    """Run of the program before the first pass; `defined` are the elements that no unwritten memory decides."""

    inputs: Inputs
    contents: Inputs
    """Contents of outputs in memory before each call, by function."""
    seen: Observation
    defined: Mapping[str, Array]
    steps: int

    @property
    def compares(self) -> bool:
        """Return whether an element of a result, or memory that the program has changed, can be compared."""
        counted = [*self.seen.changed, *self.seen.changed_memory]
        return any(np.any(self.defined[name]) for name in counted if self.defined[name].size)


@dataclass
class Bench:
    """
    Runs of functions before the first pass.

    A scalar program of few steps is `sequential`: it runs op by op, so that its floats are rounded as written, and
    undefined ops are seen. `skipped` says why inputs are not compared.
    """

    functions: tuple[str, ...]
    exactness: Exactness = ROUNDED
    is_scalar: bool = False
    sequential: bool = False
    calls: int = 1
    private: frozenset[str] = frozenset()
    """Globals that only the module sees."""
    seed: int = 0
    indices: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Function -> its inputs of type index."""
    references: list[Reference] = field(default_factory=list[Reference])
    skipped: list[Diagnostic] = field(default_factory=list[Diagnostic])
    steps: int = 0
    """Steps of all runs."""

    def refer(self, module: ModuleOp, inputs: Inputs) -> None:
        """Run a program on inputs; they are skipped where it fails, is undefined or does not end."""
        try:
            self.references.append(self._reference(module, inputs))
        except Diagnostic as error:
            self.skipped.append(error)
        except MemoryError as error:
            self.skipped.append(Diagnostic("not enough memory", found=str(error)))

    def _reference(self, module: ModuleOp, inputs: Inputs) -> Reference:
        number = self.seed + len(self.references) + len(self.skipped)
        contents = {name: output_contents(module, number, name) for name in self.functions}
        limits = self._limits()
        try:
            seen = self._observe(module, inputs, contents, _UNWRITTEN[0], limits)
        finally:
            self.steps += limits.spent
        arrays = seen.outputs | seen.memory
        if has_uninitialised_memory(module):
            again = self._observe(module, inputs, contents, _UNWRITTEN[1], self._limits())
            others = again.outputs | again.memory
        else:
            others = arrays
        defined = {name: _equal_bits(array, others[name]) for name, array in arrays.items()}
        return Reference(inputs, contents, seen, defined, limits.spent)

    def _limits(self) -> RunLimits:
        if not self.sequential:
            return RunLimits(_MOST_STEPS if self.is_scalar else sys.maxsize)
        steps = [reference.steps for reference in self.references]
        most = max(_SAMPLE_STEPS, 4 * steps[0]) if steps else _STEPS
        return RunLimits(most, sequential=True, undefined="poison")

    def exceeds(self, module: ModuleOp, reference: Reference) -> bool:
        """Return whether an index of a run does not fit its argument after a pass: in C an index has 32 bits."""
        if not any(self.indices.values()):
            return False
        interpreter = Interpreter(module)
        for function, indices in self.indices.items():
            arguments, _ = ports(interpreter.symbol(symbol_in(module, function)))
            types = {port.name: port.declared for port in arguments if port.name in indices}
            arrays = {name: np.asarray(reference.inputs[function][name]) for name in types}
            if any(np.any(arrays[name].astype(dtype) != arrays[name]) for name, dtype in types.items()):
                return True
        return False

    def rerun(self, module: ModuleOp, reference: Reference, limits: RunLimits | None = None) -> Observation:
        """Run a program after a pass on the inputs of a run before; `limits` replace those of a pass."""
        if limits is None and self.sequential:
            limits = self.limits_after_pass(reference)
        return self._observe(module, reference.inputs, reference.contents, _UNWRITTEN[2], limits)

    @staticmethod
    def limits_after_pass(reference: Reference) -> RunLimits:
        """Return the limits of a sequential run after a pass, which may expand an op to many, but not without end."""
        return RunLimits(100 * reference.steps + 10_000, sequential=True, undefined="traps")

    def _observe(
        self, module: ModuleOp, inputs: Inputs, contents: Inputs, unwritten: int, limits: RunLimits | None
    ) -> Observation:
        order = Order(undefined=unwritten)
        return observe(module, inputs, calls=self.calls, contents=contents, interleave=order, limits=limits)


def _equal_bits(a: Array, b: Array) -> Array:
    """Return, per element, whether two arrays of one type and shape are equal, NaN included."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return np.zeros(a.shape, bool)
    return np.asarray((a == b) | ((a != a) & (b != b)))


def bench_of(module: ModuleOp, functions: tuple[str, ...], file: Path | None, seed: int, runs: int | None) -> Bench:
    """
    Return the runs of functions on the inputs of a file, or else on numbers by `seed`.

    A scalar program gets `runs` inputs with the ends of their types; any other one small numbers, and for wide integers
    the ends too. Raises Diagnostic where it cannot run on any, and where nothing it gives can be compared.
    """
    globals_ = variables(module)
    private = frozenset(name for name, is_private in globals_.items() if is_private)
    calls = 2 if globals_ else 1
    bench = Bench(functions, exactness_of(module), is_scalar(module), calls=calls, private=private, seed=seed)
    interpreter = Interpreter(module)
    arguments = {name: ports(interpreter.symbol(symbol_in(module, name)))[0] for name in functions}
    bench.indices = {
        name: frozenset(port.name for port in group if isinstance(port.element, IndexType) and not port.is_output)
        for name, group in arguments.items()
    }
    if file is not None:
        bench.refer(module, _of_file(module, functions, file))
    elif not (bench.is_scalar and _refer_at_ends(bench, module, seed, runs)):
        _refer_others(bench, module, seed, runs)
    _check(bench, module)
    return bench


def _of_file(module: ModuleOp, functions: Sequence[str], file: Path) -> Inputs:
    if len(functions) > 1:
        remedy = "name one function with --interpret-function"
        raise Diagnostic("--inputs are those of one function", found=", ".join(functions), remedy=remedy)
    arrays = load_arrays(file)
    return {name: matched_inputs(module, arrays, file, name) for name in functions}


def _plain(module: ModuleOp, functions: Sequence[str], seed: int) -> Inputs:
    return {name: random_inputs(module, seed, function=name) for name in functions}


def _refer_at_ends(bench: Bench, module: ModuleOp, seed: int, runs: int | None) -> bool:
    """Run a scalar program op by op, on numbers at the ends of their types. Return False where it is too long."""
    bench.sequential = True
    plain = _plain(module, bench.functions, seed)
    bench.refer(module, plain)
    if bench.skipped and isinstance(bench.skipped[0], EndlessError):
        bench.sequential, bench.skipped = False, []
        return False
    shortest = min((array.size for arrays in plain.values() for array in arrays.values()), default=_LONG)
    count = runs or (RUNS if shortest < _LONG else _LEAST_RUNS)
    for number, inputs in enumerate(islice(_at_ends(module, bench.functions, seed), count - 1), 2):
        if runs is None and number > _LEAST_RUNS and bench.steps > _ALL_STEPS:
            break
        bench.refer(module, inputs)
    return True


def _at_ends(module: ModuleOp, functions: Sequence[str], seed: int) -> Iterator[Inputs]:
    near, is_moderate = constants(module), has_fast_math(module)
    interpreter = Interpreter(module)
    arguments = [ports(interpreter.symbol(symbol_in(module, name)))[0] for name in functions]
    if not any(arguments):
        return
    near = [extent for group in arguments for port in group if port.is_open for extent in port.shape] + near
    streams = [samples(group, near, seed, is_moderate=is_moderate) for group in arguments]
    for drawn in zip(*streams, strict=False):
        yield dict(zip(functions, drawn, strict=True))


def _refer_others(bench: Bench, module: ModuleOp, seed: int, runs: int | None) -> None:
    """Run any program on small numbers, on wide integers at the ends of their types, and on more seeds if asked for."""
    plain = _plain(module, bench.functions, seed)
    bench.refer(module, plain)
    if not bench.references:
        return
    wide = {name: boundary_inputs(module, seed, function=name) for name in bench.functions}
    if any(wide.values()):
        _refer_wide(bench, module, plain, wide)
    for number in range(len(bench.references), runs or 0):
        bench.refer(module, _plain(module, bench.functions, seed + number))


def _refer_wide(bench: Bench, module: ModuleOp, plain: Inputs, wide: Inputs) -> None:
    """Run on all wide inputs at once, or on each alone where the program refuses them, as an index beyond a table."""
    before, skipped = len(bench.references), len(bench.skipped)
    bench.refer(module, {name: {**plain[name], **wide[name]} for name in plain})
    if len(bench.references) > before:
        return
    del bench.skipped[skipped:]
    for function, arrays in wide.items():
        for name, array in arrays.items():
            bench.refer(module, {**plain, function: {**plain[function], name: array}})


def _check(bench: Bench, module: ModuleOp) -> None:
    """Raise Diagnostic where no run is compared, or no result of any."""
    if not bench.references:
        first = bench.skipped[0]
        first.message = f"the program does not run before the first pass: {first.message}"
        if len(bench.skipped) > 1:
            first.notes.append(f"all {len(bench.skipped)} inputs are skipped; the error is that of the first")
        if isinstance(first, EndlessError | UndefinedError):
            first.remedy = "give inputs on which it runs with --inputs=FILE.npz"
        raise first
    if any(reference.compares for reference in bench.references):
        return
    names = ", ".join(f"@{name}" for name in bench.functions)
    entry = Interpreter(module).symbol(symbol_in(module, bench.functions[0]))
    raise Diagnostic(
        f"nothing to compare: {names} returns nothing and changes no memory that its caller sees",
        where=where(entry),
        expected="a result, or a memref argument or global that it writes",
        found=f"{entry.properties['function_type']}",
        remedy="return what the program computes, or name another function with --interpret-function",
    )
