"""Execution of a network in the interpreter with inner tensors visible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ...ir import Array, functions
from ...runtime.interpreter import Interpreter, load_rules
from ..importer import import_model
from .network import Network


class Execution:
    """A network in the interpreter; `run` returns the tensors `names` of one sample."""

    def __init__(self, network: Network, names: Iterable[str]):
        self._names = list(dict.fromkeys(names))
        module = import_model(network.model(self._names))
        load_rules(module)
        self._inputs = [value.name for value in network.inputs]
        self._symbol = functions(module)[0].sym_name.data
        self._runner = Interpreter(module)

    def run(self, sample: Mapping[str, Array]) -> dict[str, Array]:
        """Return tensors by name."""
        results = self._runner.call(self._symbol, [sample[name] for name in self._inputs])
        return {name: np.asarray(value) for name, value in zip(self._names, results, strict=True)}
