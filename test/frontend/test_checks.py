"""What ONNX's own inference lets pass and no kernel could compute is refused at the import, by node."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model

pytestmark = pytest.mark.quick

FRONTEND = Path(__file__).parents[2] / "frontend"
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
    Node("DequantizeLinear", [np.zeros((4, 3), "i1"), np.ones(4, "f4"), np.zeros(4, "i1")], {"axis": 0}),
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
    Node("DequantizeLinear", [np.zeros((4, 3), "i1"), np.ones(4, "f4"), np.zeros(2, "i1")], {"axis": 0}),
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


TOLD: list[tuple[Node, str, str, str]] = [
    (Node("Conv", [(1, 3, 8, 8), (4, 3, 3)]), "the weight of Conv", "4 axes", "[4, 3, 3]"),
    (Node("Conv", [(1, 3, 8, 8), (4, 2, 3, 3)]), "the weight of Conv", "3 input channels", "2 input channels"),
    (Node("Conv", [(1, 3, 8, 8), (4, 3, 3, 3), (5,)]), "the bias of Conv", "[4], one number per output", "[5]"),
    (Node("Conv", [(1, 3, 8, 8), (4, 3, 3, 3)], {"strides": [1]}), "'strides' of Conv", "2 positive numbers", "[1]"),
    (Node("Conv", [(1, 3, 8, 8), (4, 3, 3, 3)], {"group": 0}), "'group' of Conv", "1 or more", "0"),
    (Node("MaxPool", [(1, 1, 4, 4)], {"kernel_shape": [2]}), "'kernel_shape' of MaxPool", "2 positive numbers", "[2]"),
    (Node("MaxPool", [(1, 1, 4, 4)], {"kernel_shape": [6, 6]}), "the window of MaxPool", "at most [4, 4]", "[6, 6]"),
    (Node("GlobalMaxPool", [(3,)]), "the input of GlobalMaxPool", "two axes or more", "[3]"),
    (Node("Gemm", [(2, 3), (4, 5)]), "input 1 of Gemm", "3 rows, as many as input 0 has columns", "4 rows"),
    (Node("Gemm", [(2, 3), (3, 5), (4,)]), "the bias of Gemm", "broadcasts to [2, 5]", "[4]"),
    (Node("MatMul", [(4, 5), (4, 5)]), "input 1 of MatMul", "5 rows", "4 rows"),
    (Node("MatMul", [(2, 3, 4), (3, 4, 5)]), "input 1 of MatMul", "broadcast with [2] before the last 2", "[3, 4, 5]"),
    (Node("Reshape", [(2, 3), integers(4, 2)]), "the shape of Reshape", "6 elements, as many as [2, 3]", "[4, 2]"),
    (Node("Reshape", [(2, 3), integers(-1, -1)]), "the shape of Reshape", "-1 at most once", "[-1, -1]"),
    (Node("Reshape", [(2, 3), np.ones(2, "f4")]), "the element type of input 1", "int64", 'float of "x1"'),
    (Node("Concat", [(2, 3), (2, 4)], {"axis": 0}), "input 1 of Concat", "[2, 3] except along axis 0", "[2, 4]"),
    (Node("Concat", [(2, 3), (2, 4)], {"axis": 5}), "the axis of Concat", "one of the 2 axes of [2, 3]", "5"),
    (
        Node("Split", [(2, 6), integers(2, 3)], {"axis": 1}, outputs=2),
        "the list of sizes of Split",
        "sum up to 6",
        "[2, 3]",
    ),
    (Node("Slice", [(4, 5), integers(1), integers(2, 3)]), "input 2 of Slice", "as long as the starts", "[2]"),
    (Node("Gather", [(4, 5), integers(7)]), "the range of the indices of Gather", "from -4 to 3", "from 7 to 7"),
    (Node("Add", [(2, 3), (2, 4)]), "input 1 of Add", "axes that broadcast with [2, 3]", "[2, 4]"),
    (Node("Add", [(2, 3), integers(1)]), "the element type of input 1 of Add", "float", 'int64 of "x1"'),
    (
        Node("Transpose", [(2, 3)], {"perm": [0, 2]}),
        "'perm' of Transpose",
        "each of the 2 axes of [2, 3] once",
        "[0, 2]",
    ),
    (Node("Pad", [(2, 3), integers(1, 1)]), "the padding of Pad", "4 numbers, two per axis of [2, 3]", "[1, 1]"),
    (Node("Pad", [(2, 3), integers(-3, 0, 0, 0)]), "the padding of Pad", "[2, 3] elements to remove", "[-3, 0, 0, 0]"),
    (
        Node("Squeeze", [(2, 3), integers(5)]),
        "do not fit together: unexpected axis value: 5",
        "Squeeze",
        '"x1" int64[1] = [5]',
    ),
    (Node("ReduceSum", [(2, 3), integers(4)]), "the list of axes of ReduceSum", "axes from -2 to 1", "[4]"),
    (Node("DepthToSpace", [(1, 3, 4, 4)], {"blocksize": 2}), "'blocksize' of DepthToSpace", "the 3 channels", "2"),
    (Node("SpaceToDepth", [(1, 3, 5, 4)], {"blocksize": 2}), "'blocksize' of SpaceToDepth", "5 and 4", "2"),
    (
        Node("QuantizeLinear", [(2, 3), np.ones(2, "f4"), np.zeros(2, "u1")]),
        "the scale of QuantizeLinear",
        "[3]",
        "[2]",
    ),
    (Node("BatchNormalization", [(1, 3, 4), (4,), (3,), (3,), (3,)]), "input 1 of BatchNorm", "[3], one number", "[4]"),
    (Node("NonMaxSuppression", [(6, 4), (1, 1, 6), integers(3)]), "the rank of boxes or scores", "3 axes", "[6, 4]"),
    (
        Node("DeformConv", [(1, 3, 8, 8), (4, 3, 3, 3), (1, 8, 6, 6)]),
        "the offset of DeformConv",
        "[1, 18, 6, 6]",
        "[1, 8",
    ),
    (Node("Relu", [(2, 3), (2, 3)]), "Relu has a wrong number of inputs or outputs", "inputs: 1", "inputs: 2"),
]
"""Node -> parts of the message, of the expected and of the found line of its error."""


@pytest.mark.parametrize(("given", "message", "expected", "found"), TOLD, ids=str)
def test_errors_tell_what_is_expected_and_found(given: Node, message: str, expected: str, found: str):
    with pytest.raises(Diagnostic) as caught:
        imported(given)
    error = caught.value
    assert error.where == 'node "the_node"'
    assert message in error.message
    assert expected in error.expected
    assert found in error.found
    assert error.remedy
    if given.operator != "Relu":
        assert f'{given.operator} of "x0" float{[*given.inputs[0]]}' in "; ".join([*error.notes, error.found])


def lacking(source: str) -> list[tuple[int, set[str]]]:
    """Return the line of each Diagnostic that lacks an expected, a found or a remedy row, with the rows it lacks."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    raised = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Diagnostic"]
    rows = [(call.lineno, ROWS - {keyword.arg or "" for keyword in call.keywords}) for call in raised]
    return [(line, missing) for line, missing in rows if missing]


ROWS = {"expected", "found", "remedy"}


@pytest.mark.long
def test_errors_of_the_importer_have_all_rows():
    files = [file for file in FRONTEND.rglob("*.py") if "zoo" not in file.parts]
    assert len(files) > 30
    assert {file.name: rows for file in files if (rows := lacking(file.read_text(encoding="utf-8")))} == {}


def test_an_error_without_rows_is_found():
    assert lacking('raise Diagnostic("x", expected="a",\n found="b")') == [(1, {"remedy"})]


@pytest.mark.parametrize("given", GOOD, ids=str)
def test_sound_nodes_are_imported(given: Node):
    imported(given)


@pytest.mark.parametrize("given", BAD, ids=str)
def test_misfits_are_refused(given: Node):
    with pytest.raises(Diagnostic) as caught:
        imported(given)
    assert 'node "the_node"' in caught.value.where
    assert not caught.value.message.startswith("internal error")
