"""What ONNX's own inference lets pass and no kernel could compute is refused at the import, by node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model

pytestmark = pytest.mark.quick

Shape = Sequence[int]


@dataclass(frozen=True)
class Node:
    """An operator on inputs of these shapes, or these constants; `bad` attributes are those that are refused."""

    operator: str
    inputs: Sequence[Shape | np.ndarray[Any, Any]]
    bad: dict[str, Any] = field(default_factory=dict[str, Any])
    opset: int = 21
    outputs: int = 1

    def __str__(self) -> str:
        shapes = [list(np.shape(given) if isinstance(given, np.ndarray) else given) for given in self.inputs]
        return f"{self.operator} {shapes} {self.bad}"


def imported(given: Node) -> None:
    inputs = {f"x{index}": value for index, value in enumerate(given.inputs)}
    outputs = [f"y{index}" for index in range(given.outputs)]
    graph = helper.make_graph(
        [helper.make_node(given.operator, list(inputs), outputs, "the_node", **given.bad)],
        "graph",
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, value)
            for name, value in inputs.items()
            if not isinstance(value, np.ndarray)
        ],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        [numpy_helper.from_array(value, name) for name, value in inputs.items() if isinstance(value, np.ndarray)],
    )
    opset = helper.make_opsetid("", given.opset)
    import_model(helper.make_model(graph, opset_imports=[opset], ir_version=8))


def integers(*values: Any) -> np.ndarray[Any, Any]:
    return np.array(values, np.int64)


GOOD = [
    Node("GroupNormalization", [(1, 4, 3), (4,), (4,)], {"num_groups": 2}),
    Node("LayerNormalization", [(2, 3, 4), (4,), (1, 4)]),
    Node("GatherND", [(2, 3, 4), integers([[0, 1]], [[1, 2]])]),
    Node("ScatterND", [(4, 3), integers([1], [2]), (2, 3)]),
    Node("PRelu", [(2, 3), (3,)]),
    Node("LayerNormalizationGrad", [(2, 4), (2, 4), (4,), (4,)]),
    Node("LayerNormalizationGrad", [(2, 4), (2, 4), (4,), (2, 1), (2, 1)]),
    Node("GatherElements", [(3, 4), integers([0, 1])], {"axis": 1}),
    Node("GRU", [(5, 1, 2), (1, 9, 2), (1, 9, 3)], {"hidden_size": 3}),
    Node("LSTM", [(1, 5, 2), (2, 12, 2), (2, 12, 3)], {"hidden_size": 3, "layout": 1, "direction": "bidirectional"}),
    Node("Einsum", [(2, 5, 3), (2, 3, 4)], {"equation": "...ij, ...jk"}),
    Node("Einsum", [(5,), (1,)], {"equation": "i,i"}),
    Node("AffineGrid", [(2, 2, 3), integers(2, 1, 4, 5)]),
    Node("Clip", [(2, 3), np.array([1.0], np.float32)]),
]

BAD = [
    *(Node("GroupNormalization", [(1, 4, 3), (4,), (4,)], {"num_groups": groups}) for groups in (0, -1, 3)),
    Node("GroupNormalization", [(1, 4, 3), (4,), (3,)], {"num_groups": 2}),
    Node("GroupNormalization", [(1, 4, 3), np.ones(2, "f4"), np.ones(2, "f4")], opset=18),
    Node("LayerNormalization", [(2, 3, 4), (3,)]),
    Node("LayerNormalization", [(2, 3, 4), (4,)], {"axis": 3}),
    Node("PRelu", [(2, 3), (2,)]),
    Node("Slice", [(4, 5), np.array(1), np.array(3)]),
    Node("Resize", [(1, 4), np.ones(0, "f4"), np.ones(2, "f4")], {"exclude_outside": 1}),
    Node("Slice", [(4, 5), integers([1]), integers([3])]),
    Node("Slice", [(4, 5), integers(1), integers(3), np.array(0)]),
    Node("LayerNormalizationGrad", [(2, 4), (2, 4), (4,), (2, 1)]),
    Node("LayerNormalizationGrad", [(2, 4), (3, 4), (4,), (4,)]),
    Node("GatherElements", [(3, 4), integers(0, 1)]),
    Node("GatherElements", [(3, 4), integers([0, 1, 2, 3, 0])]),
    Node("ScatterElements", [(3, 4), integers([0, 1]), (1, 3)]),
    Node("GRU", [(5, 1, 2), (1, 9, 4), (1, 9, 3)], {"hidden_size": 3}),
    Node("LSTM", [(5, 1, 2), (1, 12, 2), (1, 11, 3)], {"hidden_size": 3}),
    Node("RNN", [(5, 2), (1, 3, 2), (1, 3, 3)], {"hidden_size": 3}),
    Node("LpPool", [(1, 1, 4, 4)], {"kernel_shape": [2, 2], "p": 0}),
    Node("AveragePool", [(1, 1, 4, 2)], {"kernel_shape": [2, 3]}),
    Node("ReduceSum", [(2, 3), integers(1, -1)]),
    Node("ReduceSum", [(2, 3), integers([1])]),
    Node("ReduceMax", [(2, 3)], {"keepdims": -1}),
    Node("AffineGrid", [(2, 3, 3), integers(2, 1, 4, 5)]),
    Node("Einsum", [(5,), (3,)], {"equation": "i,i"}),
    Node("Einsum", [(3, 5, 2)], {"equation": "...ii->...i"}),
    Node("Clip", [(2, 3), (3,)]),
    Node("Conv", [(1, 2, 5, 5), (3, 2, 3, 3, 1)], {"kernel_shape": [3, 3]}),
    Node("CumSum", [(2, 3), integers(2)[0:1]]),
    Node("ReverseSequence", [(4, 4), integers(1, 2, 3, 4)], {"batch_axis": 1, "time_axis": 5}),
    Node("Transpose", [(2, 3, 4)], {"perm": [0, 0, 1]}),
    Node("Split", [(7,)], {"num_outputs": 1}, outputs=4),
    Node("LayerNormalization", [(2, 3), (3,)], {"axis": 1 << 31}),
    Node("GatherND", [(2, 2, 2), integers([1], [0])], {"batch_dims": -2}),
    Node("GatherND", [(2, 2, 2), integers([[0, 1, 0, 1]])]),
    Node("Resize", [(1, 1, 4, 4), np.zeros(0, "f4"), np.zeros(0, "f4"), integers(1, 1, 0, 8)]),
    Node("Resize", [(1, 1, 0, 4), np.zeros(0, "f4"), np.zeros(0, "f4"), integers(1, 1, 3, 8)]),
    Node("Conv", [(1, 2, 5, 5), (3, 2, 3, 4)], {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    Node("ScatterND", [(4, 3), integers([1], [2]), (2, 2)]),
    Node("ScatterND", [(4,), integers([0, 1, 2]), (1,)]),
    Node("NonMaxSuppression", [(6, 4), (1, 1, 6), integers(3)]),
    Node("NonMaxSuppression", [(1, 6, 4), (1, 1, 6), np.zeros(0, "i8")]),
    Node("STFT", [(1, 64, 1), np.zeros(0, "i8"), (16,)]),
    Node("RandomUniformLike", [(2, 3)], {"dtype": -1}),
    Node("LpNormalization", [()]),
    Node("ArgMax", [()]),
    Node("ArgMin", [(2, 0)], {"axis": 1}),
    Node("Compress", [(), (3,)], {"axis": 0}),
    Node("Compress", [(3, 2), ()]),
    Node("DFT", [()]),
    Node("DFT", [(2, 4, 1)], {"axis": 7}, opset=19),
]


@pytest.mark.parametrize("given", GOOD, ids=str)
def test_sound_nodes_are_imported(given: Node):
    imported(given)


@pytest.mark.parametrize("given", BAD, ids=str)
def test_misfits_are_refused(given: Node):
    with pytest.raises(Diagnostic) as caught:
        imported(given)
    assert 'node "the_node"' in caught.value.where
    assert not caught.value.message.startswith("internal error")
