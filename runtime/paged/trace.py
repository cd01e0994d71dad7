"""
Traces of a paged store: the rows that each step fills and touches, as lines of JSON.

    {"format": "tilewright paged trace", "version": 1, "config": {"layers": 6, ...}}
    {"tokens": 1, "seconds": 0.0021, "filled": [], "touched": [[[0, 1, 5], [0, 5]], ...]}

A step's `touched` has the rows for each layer and KV head; `seconds` is what the step took.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Protocol, cast

from ...errors import Diagnostic
from ...ir import Array
from .config import PoolConfig
from .residency import StepTrace

FORMAT = "tilewright paged trace"
VERSION = 1


@dataclass(frozen=True)
class TracedStep:
    """Step of so many tokens, and the seconds that it took."""

    tokens: int
    seconds: float
    pages: StepTrace


@dataclass(frozen=True)
class Trace:
    """Steps of a sequence on a store of a configuration."""

    config: PoolConfig
    steps: tuple[TracedStep, ...]

    @property
    def pages(self) -> list[StepTrace]:
        """The pages of each step."""
        return [step.pages for step in self.steps]

    @property
    def decoding(self) -> list[int]:
        """The numbers of the steps of one token."""
        return [number for number, step in enumerate(self.steps) if step.tokens == 1]

    @property
    def step_seconds(self) -> float:
        """Median time of a step of one token, 0 where there is none."""
        times = [self.steps[number].seconds for number in self.decoding]
        return median(times) if times else 0.0


class TracedStore(Protocol):
    """Pool whose rows can be traced, in C or in Python."""

    config: PoolConfig

    def length(self, sequence: int) -> int: ...
    def rows(self, sequence: int) -> list[int]: ...
    def touched(self, layer: int) -> list[list[int]]: ...


class TraceWriter:
    """
    Writer of a trace: runs a function whose call is a step of a sequence, and writes a line for each.

    Raises Diagnostic where the file cannot be written.
    """

    def __init__(self, path: Path, call: Callable[..., dict[str, Array]], store: TracedStore, sequence: int) -> None:
        self._path, self._call, self._store, self._sequence = path, call, store, sequence
        config = {name: value for name, value in asdict(store.config).items() if name != "model"}
        self._write({"format": FORMAT, "version": VERSION, "config": config}, "w")

    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]:
        store, before = self._store, self._store.length(self._sequence)
        start = time.perf_counter()
        results = self._call(inputs, function=function)
        seconds = time.perf_counter() - start
        filled = store.rows(self._sequence)[before // store.config.page_length :]
        touched = [store.touched(layer) for layer in range(store.config.layers)]
        tokens = store.length(self._sequence) - before
        self._write({"tokens": tokens, "seconds": seconds, "filled": filled, "touched": touched}, "a")
        return results

    def _write(self, line: Mapping[str, Any], mode: str) -> None:
        try:
            with self._path.open(mode, encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise Diagnostic(
                "the trace cannot be written",
                where=str(self._path),
                found=error.strerror or str(error),
                remedy="give a file in a folder that can be written to with --kv-trace",
            ) from error


def read_trace(path: Path) -> Trace:
    """Read the trace of a file. Raises Diagnostic for a file that has none, and names the line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise _damaged(path, 1, str(error)) from error
    header = _parsed(path, 1, lines[0] if lines else "")
    if header.get("format") != FORMAT or header.get("version") != VERSION:
        raise _damaged(path, 1, f"format {header.get('format')!r}, version {header.get('version')!r}")
    try:
        config = PoolConfig(**header["config"])
    except (KeyError, TypeError, Diagnostic) as error:
        raise _damaged(path, 1, str(error)) from error
    steps = [_step(path, number, line, config) for number, line in enumerate(lines[1:], 2)]
    return Trace(config, tuple(steps))


def _parsed(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        parsed = json.loads(line)
    except ValueError as error:
        raise _damaged(path, number, str(error)) from error
    if not isinstance(parsed, dict):
        raise _damaged(path, number, type(parsed).__name__)
    return cast("dict[str, Any]", parsed)


def _step(path: Path, number: int, line: str, config: PoolConfig) -> TracedStep:
    parsed = _parsed(path, number, line)
    try:
        filled = _rows(parsed["filled"], config)
        rows_of = partial(_rows, config=config)
        touched = tuple(tuple(map(rows_of, heads)) for heads in parsed["touched"])
        step = TracedStep(int(parsed["tokens"]), float(parsed["seconds"]), StepTrace(filled, touched))
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(path, number, f"{type(error).__name__}: {error}") from error
    if [len(heads) for heads in touched] != [config.kv_heads] * config.layers:
        raise _damaged(path, number, f"{len(touched)} layers of {[len(heads) for heads in touched]} heads")
    return step


def _rows(rows: Sequence[int], config: PoolConfig) -> tuple[int, ...]:
    if any(not 0 <= row < config.rows for row in rows):
        raise ValueError(f"rows {rows} of {config.rows}")
    return tuple(rows)


def _damaged(path: Path, line: int, found: str) -> Diagnostic:
    return Diagnostic(
        "the file is no trace of a paged store",
        where=f"{path}:{line}:1",
        expected="what `tilewright generate --paged --kv-trace FILE` writes",
        found=found,
        remedy="record the trace again",
    )
