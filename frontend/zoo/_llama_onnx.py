"""A Llama of integers as an ONNX model: a step after `past` cached rows, or all of a prompt at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ..requant_shift import DOMAIN, OPSET, requant_shift
from ._inputs import INPUT_TYPE
from ._llama import HARDSWISH, MASK, NORM, REQUANT, SOFTMAX, Calibrator, Llama
from ._llama_functions import functions

_IR_VERSION = 8


class LlamaWriter:
    """Writes the network as nodes; a value is the name of its tensor."""

    def __init__(self, calibrator: Calibrator, past: int, new: int):
        self._config = calibrator.config
        self._calibrator = calibrator
        self._past, self._new = past, new
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}
        self._caches: list[str] = []
        self._hidden: str = ""
        self._rotation = ""

    def model(self, name: str, summary: str) -> onnx.ModelProto:
        """Return the whole network."""
        config, new = self._config, self._new
        logits = Llama[str](config, self).logits()
        self._nodes[-1].output[0] = "logits"
        assert logits
        cache = [1, config.heads, self._past, config.head]
        grown = [1, config.heads, self._past + new, config.head]
        inputs = [
            helper.make_tensor_value_info("token", TensorProto.INT64, [1, new]),
            helper.make_tensor_value_info("position", TensorProto.INT64, [1]),
            *(helper.make_tensor_value_info(f"past_{key}", TensorProto.FLOAT, cache) for key in self._caches),
        ]
        outputs = [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, new, config.vocabulary]),
            *(helper.make_tensor_value_info(f"present_{key}", TensorProto.FLOAT, grown) for key in self._caches),
        ]
        graph = helper.make_graph(
            self._nodes, name, inputs, outputs, list(self._constants.values()), doc_string=summary
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(DOMAIN, 1)]
        model = helper.make_model(
            graph, functions=[requant_shift(), *functions()], opset_imports=opsets, ir_version=_IR_VERSION
        )
        # The operators' functions tell shapes too, so that every tensor is declared.
        model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
        model.producer_name = "tilewright"
        model.doc_string = summary
        helper.set_model_props(model, {f"{INPUT_TYPE}past_{key}": "i8" for key in self._caches})
        return model

    # The operators of the network

    def embed(self, key: str) -> str:
        table = self._constant(key, self._calibrator.constants[key])
        return self._node("Gather", [table, "token"], axis=0)

    def norm(self, x: str, key: str) -> str:
        gain = self._constant(key, self._calibrator.constants[key])
        return self._node("iRMSNorm", [x, gain], DOMAIN, **NORM)

    def linear(self, x: str, key: str) -> str:
        return self._node("MatMul", [x, self._constant(key, self._calibrator.constants[key])])

    def requant(self, x: str, key: str) -> str:
        return self._scaled(x, self._constant(f"{key}.mul", np.array(self._calibrator.factors[key])))

    def _scaled(self, x: str, mul: str) -> str:
        attributes = {
            "div": _tensor("", np.array(REQUANT["div"])),
            "n_levels_out": _tensor("", np.array([REQUANT["n_levels"]])),
            "signed": _tensor("", np.array([REQUANT["signed"]])),
        }
        zero = self._constant("zero", np.array(0))
        return self._node("RequantShift", [x, mul, zero], DOMAIN, **attributes)

    def split_heads(self, x: str) -> str:
        return self._reshape(x, [1, self._new, self._config.heads, self._config.head])

    def rotate(self, x: str) -> str:
        if not self._rotation:
            self._rotation = self._rotations()
        return self._node("MatMul", [x, self._rotation])

    def _rotations(self) -> str:
        """Return the rotations [1, new, head, head] of the new positions."""
        from ._llama import rotary

        head = self._config.head
        chosen = self._node("Gather", [self._constant("rotary", rotary(self._config)), self._positions()], axis=0)
        return self._reshape(chosen, [1, self._new, head, head])

    def _positions(self) -> str:
        """Return the positions [new] of the new rows."""
        if self._new == 1:
            return "position"
        return self._node("Add", ["position", self._integers("new_rows", np.arange(self._new))])

    def heads_first(self, x: str) -> str:
        return self._node("Transpose", [x], perm=[0, 2, 1, 3])

    def append(self, x: str, key: str) -> str:
        layer, _, name = key.partition(".attention.")
        cache = f"{'key' if name == 'k' else 'value'}_{layer}"
        self._caches.append(cache)
        joined = self._node("Concat", [f"past_{cache}", x], axis=-2)
        present = self._scaled(joined, self._constant("one", np.array(REQUANT["div"])))
        self._nodes[-1].output[0] = f"present_{cache}"
        assert present
        return f"present_{cache}"

    def scores(self, queries: str, keys: str) -> str:
        return self._node("MatMul", [queries, self._node("Transpose", [keys], perm=[0, 1, 3, 2])])

    def divide(self, x: str) -> str:
        return self._node("TrueIntegerDiv", [x], DOMAIN, **self._config.division)

    def mask(self, x: str) -> str:
        """Let a new row see itself and what is before it; a single one sees all there is."""
        if self._new == 1:
            return x
        if not self._hidden:
            self._hidden = self._mask()
        return self._node("Add", [x, self._hidden])

    def _mask(self) -> str:
        """Return the attention mask added to the scores [new, past + new]: clip(position + row - key, -1, 0) * MASK."""
        rows = self._integers("mask_rows", np.arange(self._new)[:, None], np.int32)
        keys = self._integers("mask_keys", np.arange(self._past + self._new), np.int32)
        at = self._node("Cast", ["position"], to=TensorProto.INT32)
        ahead = self._node("Sub", [self._node("Add", [at, rows]), keys])
        bounds = [self._integers(name, np.array(value), np.int32) for name, value in (("hidden", -1), ("seen", 0))]
        clipped = self._node("Clip", [ahead, *bounds])
        scaled = self._node("Mul", [clipped, self._integers("mask", np.array(MASK), np.int32)])
        return self._node("Cast", [scaled], to=TensorProto.FLOAT)

    def softmax(self, x: str) -> str:
        attributes = {name: _tensor("", np.array([value])) for name, value in SOFTMAX.items()}
        return self._node("iSoftmax", [x], DOMAIN, **attributes)

    def weigh(self, shares: str, values: str) -> str:
        return self._node("MatMul", [shares, values])

    def join_heads(self, x: str) -> str:
        joined = self._node("Transpose", [x], perm=[0, 2, 1, 3])
        return self._reshape(joined, [1, self._new, self._config.dim])

    def hardswish(self, x: str) -> str:
        return self._node("iHardswish", [x], DOMAIN, **HARDSWISH)

    def multiply(self, x: str, y: str) -> str:
        return self._node("Mul", [x, y])

    def add(self, x: str, y: str) -> str:
        return self._node("Add", [x, y])

    # Nodes and constants

    def _node(self, op_type: str, inputs: list[str], domain: str = "", **attributes: Any) -> str:
        name = f"{op_type}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(op_type, inputs, [name.lower()], name=name, domain=domain, **attributes))
        return name.lower()

    def _reshape(self, x: str, shape: list[int]) -> str:
        return self._node("Reshape", [x, self._integers(f"shape_{'x'.join(map(str, shape))}", np.array(shape))])

    def _constant(self, name: str, values: np.ndarray) -> str:
        return self._add_constant(name, values.astype(np.float32))

    def _integers(self, name: str, values: np.ndarray, dtype: type[np.generic] = np.int64) -> str:
        return self._add_constant(name, values.astype(dtype))

    def _add_constant(self, name: str, values: np.ndarray) -> str:
        self._constants.setdefault(name, numpy_helper.from_array(values, name))
        return name


def _tensor(name: str, array: np.ndarray) -> onnx.TensorProto:
    return numpy_helper.from_array(array.astype(np.float32), name)


def write(name: str, summary: str, calibrator: Calibrator, past: int, new: int) -> onnx.ModelProto:
    """Return the network for `new` tokens after `past` cached ones."""
    return LlamaWriter(calibrator, past, new).model(name, summary)
