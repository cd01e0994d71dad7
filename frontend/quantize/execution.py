"""Execution of a network in the interpreter with inner tensors visible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...ir import Array, functions
from ...runtime.interpreter import Interpreter, load_rules
from ..importer import import_model
from .network import FloatNetwork


class Execution:
    """A network in the interpreter; `run` returns the tensors `names` of one sample, inputs and constants too."""

    def __init__(self, network: FloatNetwork, names: Iterable[str]):
        self._names = list(dict.fromkeys(names))
        self._inputs = [value.name for value in network.inputs]
        self._constants = {name: network.constants[name] for name in self._names if name in network.constants}
        present = {*self._inputs, *self._constants}
        self._computed = [name for name in self._names if name not in present]
        self._call = self._compiled(network) if self._computed else None

    def _compiled(self, network: FloatNetwork) -> Callable[[Sequence[Array]], Sequence[Any]]:
        module = import_model(network.model(self._computed))
        load_rules(module)
        return partial(Interpreter(module).call, functions(module)[0].sym_name.data)

    def run(self, sample: Mapping[str, Array]) -> dict[str, Array]:
        """Return tensors by name."""
        results: Sequence[Any] = self._call([sample[name] for name in self._inputs]) if self._call else []
        computed = {name: np.asarray(value) for name, value in zip(self._computed, results, strict=True)}
        values = {**sample, **self._constants, **computed}
        return {name: values[name] for name in self._names}
