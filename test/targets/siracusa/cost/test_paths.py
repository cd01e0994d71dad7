"""The cost model takes the law of the loops that are emitted: predicates beside ops, in random networks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.kernel import Kernel, is_kernel, kernel_of
from tilewright.dialects.core.machine.attribute import machine_of
from tilewright.dialects.core.machine.engine import Engine
from tilewright.dialects.core.nesting import nested_ops
from tilewright.passes.core.manager import Observer, PassPosition
from tilewright.targets.siracusa.cost.loops import nest_path
from tilewright.targets.siracusa.costs import law_of
from tilewright.test.random.networks.network import merged, random_network

EMITTED = {
    "cluster.window_words": "windows",
    "cluster.im2col": "im2col",
    "cluster.dot": "words",
    "cluster.transpose": "transpose",
    "cluster.copy": "rows",
}
"""Op of a core -> the law of its loops; the first that a function has."""


def modelled_law(kernel: Kernel, op: Operation, engine: Engine) -> str:
    """Return the path of the law that the cost model takes for a kernel on the cores."""
    support = engine.support(op)
    assert support is not None
    parameters: dict[str, Any] = dict(support.parameters)
    is_product = support.cost == "siracusa.product"
    path = law_of(kernel, kernel.bounds, engine, **parameters).path if is_product else ""
    return path or nest_path(kernel, kernel.bounds, engine.cores)


class _Laws(Observer):
    """Law of each kernel function, by the cost model and by the ops that its loops have in the end."""

    def __init__(self) -> None:
        self.modelled: dict[str, str] = {}
        self.emitted: dict[str, str] = {}

    def after_pass(self, place: PassPosition, module: ModuleOp) -> None:
        if not place.ends_phase or place.step.phase not in ("cluster", "loops"):
            return
        for function in (op for op in module.body.block.ops if isinstance(op, func.FuncOp)):
            ops = nested_ops(function)
            if place.step.phase == "loops" and not any(op.name == "hier.fork" for op in ops):
                self.emitted[function.sym_name.data.removesuffix("_core")] = _law_of(ops)
            elif place.step.phase == "cluster" and "engine" in function.attributes and _engine(function) == "cluster":
                kernels = [op for op in ops if is_kernel(op)]
                engine = machine_of(module).engine("cluster")
                if len(kernels) == 1:
                    self.modelled[function.sym_name.data] = modelled_law(kernel_of(kernels[0]), kernels[0], engine)


def _engine(function: func.FuncOp) -> str:
    return str(function.attributes["engine"]).strip('"')


def _law_of(ops: Sequence[Operation]) -> str:
    names = {op.name for op in ops}
    return next((law for name, law in EMITTED.items() if name in names), "plain")


@pytest.mark.parametrize("form", ["qlinear", "requant"])
def test_laws_are_those_of_emitted_loops(form: str, tmp_path: Path) -> None:
    families = ["convolution", "product", "transpose", "sum", "pad"]
    networks = [random_network(seed, form, families=families, layers=2, exact=False) for seed in range(6)]
    file, laws = tmp_path / "network.onnx", _Laws()
    file.write_bytes(merged(networks)[0].SerializeToString())
    compile_model(Model(file, integers=form == "qlinear"), "siracusa/cluster", observers=[laws])
    assert {name: laws.emitted[name] for name in laws.modelled} == laws.modelled
    assert {"words", "transpose", "plain"} <= set(laws.modelled.values())
