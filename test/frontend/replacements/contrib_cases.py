"""A node of ONNX Runtime's own operators as a model, and what ONNX Runtime computes for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from onnx import helper, numpy_helper

from tilewright.ir import Array
from tilewright.test import onnx_runtime

RANDOM = np.random.default_rng(5)


def floats(*shape: int) -> Array:
    return RANDOM.standard_normal(shape).astype(np.float32)


class Case(NamedTuple):
    op: str
    inputs: Sequence[Array | None]
    attributes: dict[str, Any] = {}
    outputs: tuple[str, ...] = ("y",)
    constants: tuple[int, ...] = ()
    domain: str = "com.microsoft"

    @property
    def model(self) -> Any:
        names = ["" if array is None else f"x{i}" for i, array in enumerate(self.inputs)]
        given = [(i, name, array) for i, (name, array) in enumerate(zip(names, self.inputs)) if array is not None]
        kind = helper.np_dtype_to_tensor_dtype
        node = helper.make_node(self.op, names, self.outputs, domain=self.domain, name="n", **self.attributes)
        graph = helper.make_graph(
            [node],
            "one",
            [helper.make_tensor_value_info(n, kind(a.dtype), a.shape) for i, n, a in given if i not in self.constants],
            [helper.make_empty_tensor_value_info(name) for name in self.outputs if name],
            [numpy_helper.from_array(a, n) for i, n, a in given if i in self.constants],
        )
        imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=imports, ir_version=10)

    @property
    def feeds(self) -> dict[str, Array]:
        return {f"x{i}": a for i, a in enumerate(self.inputs) if a is not None and i not in self.constants}


def expected(case: Case) -> list[Array]:
    onnx_runtime.require_exact()
    # DynamicQuantizeLSTM quantises the state once for each thread that has a part of the batch.
    session = onnx_runtime.session(case.model, threads=1)
    return list(session.run(None, case.feeds))
